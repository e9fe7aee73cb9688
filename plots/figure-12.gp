# gnuplot -c plots/figure-12.gp TERMINAL FILE FOLDER -- what a returning learner costs, from 12 and 12.* (plots/paper.awk).
kind = ARG1; file = ARG2; folder = ARG3; height = 900
load "plots/style.gp"
cells = folder."/12"; free = folder."/12.free"

set lmargin at screen 0.075
set rmargin at screen 0.80
set tmargin at screen 0.84
set bmargin at screen 0.13
set xrange [-0.4 : 24.5]
set yrange [-1.5 : 78 < *] noextend
set xtics (0, 2, 4, 6, 8, 10, 12, 16, 20, 24)
set ytics 0, 10
set grid ytics linewidth 1 linetype 1 linecolor rgb grid
set label 1 "What does a learner that comes back cost the others?" at screen 0.018, 0.95 left font headline textcolor rgb ink
set label 2 "Figure 12, the learner copies three times the parameters. Rings: published, from the caption. Dots and lines: simulated." \
    at screen 0.018, 0.895 left textcolor rgb pale
set label 3 "time that one copy of the model takes, in steps" at graph 0.5, graph -0.115 center textcolor rgb ink
set ylabel "steps lost per upscale, by those who were there" offset nudge, 0 textcolor rgb ink
set label 4 "published: nothing until 6" at 5.9, 4.2 center textcolor rgb decoupled

plot cells using 1:4 with linespoints pointtype 7 pointsize dot linewidth 2.4 linecolor rgb elastic, \
     cells using 1:3 with linespoints pointtype 7 pointsize dot linewidth 2.4 linecolor rgb decoupled, \
     cells using 1:2 with points pointtype 6 pointsize ring linewidth ring_width linecolor rgb decoupled, \
     folder."/12.much" using 1:2:("published: as much as data-parallel") with labels noenhanced right offset -2, 0.6 textcolor rgb decoupled, \
     free using ($1 + 2.8):(4.2):2 with labels noenhanced left textcolor rgb decoupled, \
     folder."/12.1.end" using 1:2:("Elastic data-parallel") with labels noenhanced left offset 4, 0 textcolor rgb elastic, \
     folder."/12.1.end" using 1:2:("everybody waits for\nthe three copies") with labels noenhanced left offset 4, -1.25 textcolor rgb pale, \
     folder."/12.2.end" using 1:2:("Decoupled DiLoCo") with labels noenhanced left offset 4, 0 textcolor rgb decoupled, \
     folder."/12.2.end" using 1:2:("the others go on, for\nat most H = 24 rounds") with labels noenhanced left offset 4, -1.25 textcolor rgb pale, \
     '+' every ::::0 using (0):(0) with points pointtype -1
