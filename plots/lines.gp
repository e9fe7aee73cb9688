# gnuplot -c plots/lines.gp TERMINAL FILE FOLDER METRIC TITLE SUBTITLE AXIS -- one table as lines over the number of chips.
# Everything that comes from the database is read as data from FOLDER (plots/tables.awk).
kind = ARG1; file = ARG2; folder = ARG3; height = 1000
load "plots/style.gp"
metric = ARG4
lines = folder."/".metric.".lines"; labels = folder."/".metric.".labels"

array colours[64]
methods = 0
stats folder."/colours" using (methods = methods + 1, colours[methods] = $1, methods) nooutput
stats folder."/chips" using 1 nooutput
first_chips = STATS_min; last_chips = STATS_max
colour(i) = int(colours[i])

set lmargin at screen 0.082
set rmargin at screen 0.985
set tmargin at screen 0.855
set bmargin at screen 0.115
set logscale x 2
span = log(last_chips / first_chips)
span = span > 0 ? span : 1
left = first_chips * exp(-0.03 * span)
right = last_chips * exp(0.025 * span)
set xrange [left : last_chips * exp(0.36 * span)]
set yrange [0 : 102]
set ytics 0, 20, 100 format "%g %%"
do for [y = 0 : 100 : 20] {
    set arrow from left, y to right, y nohead back linewidth (y == 0 ? 1.5 : 1) linecolor rgb (y == 0 ? pale : grid)
}
set label 1 ARG5 at screen 0.018, 0.955 left font headline textcolor rgb ink noenhanced
set label 2 ARG6 at screen 0.018, 0.905 left textcolor rgb pale noenhanced
set label 3 "chips in the fleet" at sqrt(first_chips * last_chips), graph -0.093 center textcolor rgb ink
set ylabel ARG7 offset nudge, 0 textcolor rgb ink noenhanced

plot for [i = 1 : methods] lines index i - 1 using 1:4:5 with filledcurves fillcolor rgb colour(i) fillstyle transparent solid 0.22 noborder, \
     for [i = 1 : methods] lines index i - 1 using 1:3 with lines linewidth 2.4 linecolor rgb colour(i), \
     for [i = 1 : methods] lines index i - 1 using 1:2 with points pointtype 6 pointsize ring linewidth ring_width linecolor rgb colour(i), \
     for [i = 1 : methods] lines index i - 1 using 1:3 with points pointtype 7 pointsize dot linecolor rgb colour(i), \
     labels using ($1 * exp(0.018 * span)):2:($1 * (exp(0.04 * span) - exp(0.018 * span))):($3 - $2):(colour($4 + 1)) \
         with vectors nohead linewidth 1 linecolor rgb variable, \
     labels using ($1 * exp(0.045 * span)):3:5:(colour($4 + 1)) with labels left noenhanced textcolor rgb variable, \
     folder."/chips" using 1:(0):(0):xticlabels(2) with points pointtype -1
