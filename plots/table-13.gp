# gnuplot -c plots/table-13.gp TERMINAL FILE FOLDER -- bandwidth over utilisation, from 13.* (plots/paper.awk): a panel per step time and
# number of datacentres.
kind = ARG1; file = ARG2; folder = ARG3; height = 1500
load "plots/style.gp"
colour(line) = line == 1 ? elastic : decoupled
name(line) = line == 1 ? "Elastic data-parallel" : line == 2 ? "Decoupled DiLoCo, 16 bits" : "Decoupled DiLoCo, 4 bits"
x(percent) = -log10(1 - percent / 100.0)

set multiplot
set logscale y
set xrange [x(38) : x(99.2)]
set xtics ("50 %%" x(50), "75 %%" x(75), "90 %%" x(90), "95 %%" x(95), "99 %%" x(99))
set label 4 "share of the time that chips compute, stretched towards 100 %" at screen 0.4375, 0.038 center textcolor rgb ink
set grid ytics linewidth 1 linetype 1 linecolor rgb grid
set label 1 "How thin may the links be before the chips wait?" at screen 0.018, 0.971 left font headline textcolor rgb ink
set label 2 "Table 13, 5 billion parameters. Rings: published. Dots and lines: the smallest link that does in the simulation, on a grid of 24 per decade.\n". \
            "Numbers: published / simulated, where the simulation does not explain it: off by more than a step of the grid and rounding." \
    at screen 0.018, 0.941 left textcolor rgb pale
do for [row = 1 : 2] {
    do for [side = 1 : 2] {
        step = row == 1 ? 1 : 5
        datacentres = side == 1 ? 2 : 8
        set lmargin at screen (side == 1 ? 0.072 : 0.450)
        set rmargin at screen (side == 1 ? 0.425 : 0.803)
        set tmargin at screen (row == 1 ? 0.875 : 0.449)
        set bmargin at screen (row == 1 ? 0.519 : 0.093)
        panel = sprintf("%s/13.%d.%d.", folder, step, datacentres)
        # Five times the step, a fifth of the link: the rows have the same scale, and hold every link that was tried.
        set yrange [0.08 / step : 600.0 / step]
        set ytics 10 format (side == 1 ? "%g" : "")
        set ylabel (side == 1 ? "smallest link, Gbit/s" : "") offset nudge, 0 textcolor rgb ink
        set label 3 sprintf("steps of %d s, %d datacentres", step, datacentres) at graph 0, 1.03 left textcolor rgb ink
        plot for [line = 1 : 3] panel.line using (x($1)):3 with linespoints pointtype 7 pointsize dot linewidth 2.4 linecolor rgb colour(line), \
             for [line = 1 : 3] panel.line using (x($1)):2 with points pointtype 6 pointsize ring linewidth ring_width linecolor rgb colour(line), \
             for [line = 1 : 3] panel.line using (x($1)):2:4 with labels noenhanced offset 0, 1 textcolor rgb colour(line), \
             for [line = 1 : 3] panel.line using (x($1)):2:5 with labels noenhanced offset 0, -1 textcolor rgb colour(line), \
             for [line = 1 : (side == 2 ? 3 : 0)] panel.line.".end" using (x($1)):2:(name(line)) with labels noenhanced left offset 2, 0 textcolor rgb colour(line), \
             '+' every ::::0 using (x(50)):(1) with points pointtype -1
        unset label
    }
}
unset multiplot
