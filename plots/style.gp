# plots/style.gp -- what all plots share. The caller has set kind (svg or png), file and height.
set encoding utf8
ink = "#222222"; pale = "#666666"; grid = "#E3E3E3"
if (kind eq "svg") {
    set terminal svg size 1600, height dynamic font "DejaVu Sans,21" background "white" linewidth 1
} else {
    set terminal pngcairo size 1600, height font "DejaVu Sans,16" background "white" linewidth 1.6
}
set output file
set border 0
set tics scale 0 textcolor rgb pale noenhanced
set datafile missing "?"
unset key
headline = kind eq "svg" ? "DejaVu Sans,32" : "DejaVu Sans,24"
