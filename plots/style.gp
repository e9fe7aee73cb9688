# plots/style.gp -- what all plots share. The caller has set kind (svg or png), file and height.
set encoding utf8
ink = "#222222"; pale = "#666666"; grid = "#E3E3E3"
if (kind eq "svg") {
    set terminal svg size 1600, height dynamic font "DejaVu Sans,21" background "white" linewidth 1.6
} else {
    set terminal pngcairo size 1600, height font "DejaVu Sans,16" background "white" linewidth 1.6
}
set output file
set border 0
set tics scale 0 textcolor rgb pale noenhanced
set datafile missing "?"
unset key
# Of the same size in both: gnuplot draws points of an SVG twice as large, and its axis titles further out.
ring = kind eq "svg" ? 1.05 : 2.1
dot = kind eq "svg" ? 0.45 : 0.8
ring_width = kind eq "svg" ? 3.6 : 2
nudge = kind eq "svg" ? 1.3 : 0
headline = kind eq "svg" ? "DejaVu Sans,32" : "DejaVu Sans,24"
# A method has one colour in all figures: data-parallel that is elastic, and decoupled with eight learners, as in plots/tables.awk.
elastic = "#D55E00"; decoupled = "#17498C"
