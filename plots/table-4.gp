# gnuplot -c plots/table-4.gp TERMINAL FILE FOLDER -- training time over borrowed chips, from 4.* (plots/paper.awk).
kind = ARG1; file = ARG2; folder = ARG3; height = 900
load "plots/style.gp"
parallel = folder."/4.1"; learners = folder."/4.2"; fit = folder."/4.fit"
ideal(x) = 0.5 + 0.5 / (1 + x / 100.0)

set lmargin at screen 0.082
set rmargin at screen 0.715
set tmargin at screen 0.84
set bmargin at screen 0.13
set xrange [-8 : 306]
set yrange [* < 0.5 : 1.15 < *] noextend
set xtics (0, "25 %%" 25, "50 %%" 50, "100 %%" 100, "200 %%" 200, "300 %%" 300)
set ytics 0.1 format "%.1f"
set grid ytics linewidth 1 linetype 1 linecolor rgb grid
set arrow from graph 0, first 1 to graph 1, first 1 nohead back linewidth 1.5 linecolor rgb pale
set label 1 "How much sooner is training done with borrowed chips?" at screen 0.018, 0.95 left font headline textcolor rgb ink
set label 2 "Table 4, half of the FLOPs are done while they are there. Rings: published. Dots: ours, simulated or fitted." \
    at screen 0.018, 0.895 left textcolor rgb pale
set label 3 "borrowed chips, in percent of the chips that are always there" at graph 0.5, graph -0.115 center textcolor rgb ink
set ylabel "training time, 1 = without borrowed chips" offset nudge, 0 textcolor rgb ink
set label 4 "dashed: ideal, 1/2 + 1/2 / (1 + x)" at 170, ideal(170) - 0.035 right textcolor rgb pale
set samples 400

plot sample [0 : 300] ideal(x) with lines linewidth 1.6 dashtype 2 linecolor rgb pale, \
     fit using 1:2 with lines linewidth 2.4 linecolor rgb elastic, \
     parallel using 1:2 with points pointtype 6 pointsize ring linewidth ring_width linecolor rgb elastic, \
     learners using 1:2 with points pointtype 6 pointsize ring linewidth ring_width linecolor rgb decoupled, \
     parallel using 1:3 with points pointtype 7 pointsize dot linecolor rgb elastic, \
     learners using 1:3 with points pointtype 7 pointsize dot linecolor rgb decoupled, \
     folder."/4.1.end" using 1:2:("Elastic data-parallel") with labels noenhanced left offset 4, 0.6 textcolor rgb elastic, \
     folder."/4.1.end" using 1:2:("fitted to these rings, not simulated:\nsteps slow down with the share\nof borrowed chips") \
         with labels noenhanced left offset 4, -0.65 textcolor rgb pale, \
     folder."/4.2.end" using 1:2:("Decoupled DiLoCo") with labels noenhanced left offset 4, 0 textcolor rgb decoupled, \
     folder."/4.2.end" using 1:2:("simulated; derived from equal\nFLOPs, nothing is fitted") with labels noenhanced left offset 4, -1.25 textcolor rgb pale
