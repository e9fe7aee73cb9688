# gnuplot -c plots/table-5.gp TERMINAL FILE FOLDER -- mixed speeds: goodput, and what goodput does not tell, from 5 (plots/paper.awk).
# Three panels share their rows.
kind = ARG1; file = ARG2; folder = ARG3; height = 780
load "plots/style.gp"
cells = folder."/5"

set multiplot
set tmargin at screen 0.72
set bmargin at screen 0.075
set yrange [4.5 : -0.5]
unset ytics
set errorbars 0
set grid xtics linewidth 1 linetype 1 linecolor rgb grid
set label 1 "What do slow learners cost, and what does a small quorum?" at screen 0.018, 0.94 left font headline textcolor rgb ink
set label 2 "Table 5, four of eight learners 18 % slower; a round waits for K of them. Rings: published. Dots and bars: simulated." \
    at screen 0.018, 0.877 left textcolor rgb pale
top = 0.795

# The first panel holds its own labels: at(SHARE) is where a share of the width of the figure is on its axis.
at(share) = 79 + 22 * (share - 0.225) / 0.175
set lmargin at screen 0.018
set rmargin at screen 0.63
set xrange [at(0.018) : at(0.63)]
set xtics 80, 10, 100 format "%g %%"
set label 3 "goodput" at first 80, screen top left textcolor rgb ink
set label 4 "published" at screen 0.475, screen top right textcolor rgb ink
set label 5 "simulated,\n± 95 % interval" at screen 0.625, screen top right textcolor rgb ink
plot cells using 2:1 with points pointtype 6 pointsize ring linewidth ring_width linecolor rgb decoupled, \
     cells using 3:1:4 with xerrorbars pointtype 7 pointsize dot linewidth 2 linecolor rgb decoupled, \
     cells using (at(0.475)):1:9 with labels noenhanced right textcolor rgb ink, \
     cells using (at(0.55)):1:10 with labels noenhanced right textcolor rgb ink, \
     cells using (at(0.625)):1:11 with labels noenhanced right textcolor rgb pale, \
     cells using (at(0.205)):1:7 with labels right offset 0, 0.55 noenhanced textcolor rgb ink, \
     cells using (at(0.205)):1:8 with labels right offset 0, -0.55 noenhanced textcolor rgb pale
unset label

set lmargin at screen 0.665
set rmargin at screen 0.81
set xrange [0 : 9.6]
set xtics 0, 2, 8 format "%g"
set label 3 "learners that take\npart in a round, of 8" at graph 0, screen top left textcolor rgb ink
plot cells using (0):1:(0):5:($1 - 0.2):($1 + 0.2) with boxxyerror fillstyle solid 1 noborder linecolor rgb decoupled, \
     cells using 5:1:12 with labels noenhanced left offset 0.7, 0 textcolor rgb ink

set lmargin at screen 0.84
set rmargin at screen 0.985
set label 3 "rounds in the time\nof one fast step"
plot cells using (0):1:(0):6:($1 - 0.2):($1 + 0.2) with boxxyerror fillstyle solid 1 noborder linecolor rgb decoupled, \
     cells using 6:1:13 with labels noenhanced left offset 0.7, 0 textcolor rgb ink
unset multiplot
