# gnuplot -c plots/timeline.gp TERMINAL FILE FOLDER HEIGHT -- one run over time, laid out in pixels by plots/timeline.awk.
# Everything that comes from the database is read as data from FOLDER.
kind = ARG1; file = ARG2; folder = ARG3; height = int(ARG4)
load "plots/style.gp"
unset xtics
unset ytics
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
set xrange [0 : 1600]
set yrange [height : 0]
plot folder."/grid" using (($1 + $2) / 2):(($3 + $4) / 2):1:2:3:4:5 with boxxyerror fillcolor rgb variable fillstyle solid noborder, \
     folder."/rects" using (($1 + $2) / 2):(($3 + $4) / 2):1:2:3:4:5 with boxxyerror fillcolor rgb variable fillstyle solid noborder, \
     folder."/left" using 1:2:4:3 with labels left noenhanced textcolor rgb variable, \
     folder."/right" using 1:2:4:3 with labels right noenhanced textcolor rgb variable, \
     folder."/centre" using 1:2:4:3 with labels center noenhanced textcolor rgb variable, \
     folder."/headline" using 1:2:4:3 with labels left noenhanced font headline textcolor rgb variable
