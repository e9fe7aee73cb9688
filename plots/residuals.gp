# gnuplot -c plots/residuals.gp TERMINAL FILE FOLDER -- simulated minus published, a cell of the tables a square.
kind = ARG1; file = ARG2; folder = ARG3; height = 860
load "plots/style.gp"
cells = folder."/map.cells"

stats folder."/map.rows" using 1 nooutput
rows = STATS_records
stats folder."/chips" using 1 nooutput
columns = STATS_records
set datafile missing "?"
largest = 0
stats cells using (largest = (abs($3) > largest ? abs($3) : largest), $3) nooutput
range = largest > 3 ? ceil(largest) : 3

# The plot holds its own labels: methods to the left of the squares, chips below, a summary above each of the two maps.
second = columns + 0.35
set lmargin at screen 0.018
set rmargin at screen 0.985
set tmargin at screen 0.845
set bmargin at screen 0.165
set xrange [-0.5 - 0.26 * (second + columns) : second + columns - 0.5]
set yrange [rows + 0.1 : -1.15]
unset xtics
unset ytics
set palette defined (-1 "#1F5FA8", -0.5 "#8DB8DD", 0 "#F6F6F4", 0.5 "#F2AE6B", 1 "#B34E00")
set cbrange [-range : range]
set colorbox horizontal user origin screen 0.685, 0.082 size screen 0.30, 0.022 noborder
set cbtics format "%+g"
set cbtics add ("0" 0)
set label 1 "Where does the simulation miss the published tables?" at screen 0.018, 0.945 left font headline textcolor rgb ink
set label 2 "Simulated minus published, in percentage points; one square is one cell of table 1a (goodput) or 1b (uptime)." \
    at screen 0.018, 0.887 left textcolor rgb pale
set label 3 "chips in the fleet" at (second + columns - 1) / 2.0, rows + 0.12 center textcolor rgb ink
set label 4 "blue: simulated too low, orange: too high" at screen 0.665, 0.093 right textcolor rgb pale

shade(d) = d < -0.62 * range || d > 0.8 * range ? 0xFFFFFF : 0x222222
points(d) = abs(d) < 0.05 ? "0.0" : sprintf("%+.1f", d)
gaps = folder."/map.gaps"
plot gaps using 1:2:(0.485):(0.485) with boxxyerror fillstyle solid 1 noborder fillcolor rgb "#ECECEC", \
     gaps using 1:2:("–") with labels textcolor rgb pale, \
     cells using 1:2:($1 - 0.485):($1 + 0.485):($2 - 0.485):($2 + 0.485):3 with boxxyerror fillstyle solid 1 noborder linecolor palette, \
     cells using 1:2:(points($3)):(shade($3)) with labels noenhanced textcolor rgb variable, \
     folder."/map.rows" using (-0.65):1:2 with labels right noenhanced textcolor rgb ink, \
     folder."/map.notes" using (-0.485 + $0 * second):(-0.8):1 with labels left noenhanced textcolor rgb ink, \
     cells using 1:($2 == 0 ? rows - 0.3 : NaN):4 with labels noenhanced textcolor rgb pale
