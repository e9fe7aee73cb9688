# gnuplot -c plots/canvas.gp TERMINAL FILE FOLDER HEIGHT PLOTS -- what plots/canvas.awk and a layout put into FOLDER, in pixels.
# Everything that comes from the database is read as data from FOLDER.
kind = ARG1; file = ARG2; folder = ARG3; height = int(ARG4)
load ARG5."/style.gp"
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
     folder."/lines" using 1:2:($3 - $1):($4 - $2):5 with vectors nohead linewidth 2 linecolor rgb variable, \
     folder."/dots" using 1:2:3 with points pointtype 7 pointsize dot * 1.6 linecolor rgb variable, \
     folder."/left" using 1:2:4:3 with labels left noenhanced textcolor rgb variable, \
     folder."/right" using 1:2:4:3 with labels right noenhanced textcolor rgb variable, \
     folder."/centre" using 1:2:4:3 with labels center noenhanced textcolor rgb variable, \
     folder."/headline" using 1:2:4:3 with labels left noenhanced font headline textcolor rgb variable
