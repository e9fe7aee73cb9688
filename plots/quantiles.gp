# gnuplot -c plots/quantiles.gp TERMINAL FILE QUANTILES.csv gap|service|outage -- fitted over observed quantiles, a line a law.
# QUANTILES.csv is what `faultline fit --quantiles` writes; the better the law, the closer to the diagonal.
kind = ARG1; file = ARG2; data = ARG3; what = ARG4; height = 1000
load ARG0[1:strlen(ARG0)-strlen("quantiles.gp")]."style.gp"
set datafile separator ","
set logscale xy
set format xy "1e%L"
set lmargin 12
set grid xtics ytics linecolor rgb grid linetype 1
set xlabel "observed, seconds" textcolor rgb ink
set ylabel "fitted, seconds" textcolor rgb ink
set key left top textcolor rgb ink
set title "Quantiles of the ".what."s of a log: which law follows them?" font headline textcolor rgb ink
laws = "exponential weibull lognormal gamma exp_weibull"
colours = "#9A9A9A #1F5FA8 #B34E00 #2E7D5B #7A3E9D"
stats data using (strcol(1) eq what ? $4 : 1/0) nooutput
low = STATS_min; high = STATS_max
set xrange [low : high]
set yrange [low / 10 : high * 10]
plot x with lines linecolor rgb ink dashtype 2 notitle, \
     for [i = 1:words(laws)] data using (strcol(1) eq what && strcol(2) eq word(laws, i) ? $4 : 1/0):5 \
     with points pointtype 7 pointsize dot linecolor rgb word(colours, i) title word(laws, i) noenhanced
