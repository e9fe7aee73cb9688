# plots/paper.awk -- the cells of plots/paper.sql, laid out for gnuplot as files in the folder `out`. "?" is a number that is not there;
# texts are made here, because gnuplot crashes when it formats such a one.
#
#   4.1, 4.2    of data-parallel and decoupled: extra chips in percent, published, ours
#   4.fit       the closed form behind what is ours in 4.1, as a curve: extra chips in percent, value
#   5           row published simulated half-width participants rounds, then as text: setting, what it rests on, the five numbers
#   12          steps of a copy, lost steps: decoupled published, decoupled simulated, data-parallel
#   12.free     the last copy that loses nothing, text; 12.much: copy and lost steps where decoupled loses as much as data-parallel
#   13.S.D.LINE per step time, datacentres and line (1 data-parallel, 2 and 3 decoupled with 16 and 4 bits): utilisation in percent,
#               published, simulated, and published / simulated where the simulation does not explain it, as text above or below the ring
#   ....end     of each line of 4, 12 (12.1 data-parallel, 12.2 decoupled) and 13: where it ends, for its label
# Everything is a number before it is used: nothing else of the database gets here.

BEGIN {
    FS = ","
    count = split("4.1 4.2 4.fit 4.1.end 4.2.end 5 12 12.free 12.much 12.1.end 12.2.end", files, " ")
    for (i = 1; i <= count; i++) printf "" > (out "/" files[i])
    for (step = 1; step <= 5; step += 4)
        for (datacentres = 2; datacentres <= 8; datacentres += 6)
            for (line = 1; line <= 3; line++) {
                file = out "/13." step "." datacentres "." line
                printf "" > file
                printf "" > (file ".end")
            }
}

function ends(line, x, y) { if (y != "?") end[line] = x " " y }
function text(format, value) { return value == "?" ? "\"\"" : sprintf("\"" format "\"", value) }
function two_digits(value) { return text(value != "?" && value < 0.995 ? "%.2f" : "%.1f", value) }

{
    for (i = 1; i <= NF; i++) $i = $i ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ ? $i + 0 : "?"
}

$1 == 4 {
    line = "4." ($2 == 1 ? 1 : 2)
    print $4, $5, $6 > (out "/" line)
    ends(line, $4, $5)
    if ($3 == 1 && $6 != "?") simulated++
    if ($2 == 1 && $7 != "?") slower = $7
}

$1 == 5 {
    setting = sprintf("\"K = %s, grace %s, overlap %s\"", $2, $3 == 1 ? "on" : "off", $4)
    rests_on = $5 == 1 ? "\"overlap assumed\"" : "\"as in the paper\""
    interval = text($8 < 0.005 ? "± < 0.01" : "± %.2f", $8)
    print rows++, $6, $7, $8 == "?" ? 0 : $8, $9, $10, setting, rests_on, text("%.0f %%", $6), $7 == "?" ? "\"missing\"" : text("%.2f", $7),
        interval, two_digits($9), two_digits($10) > (out "/5")
    if ($7 != "?") simulated++
}

$1 == 12 {
    print $2, $3, $4, $5 > (out "/12")
    if ($3 > 0 && $3 != "?" && $3 == $5) print $2, $3 > (out "/12.much")
    ends("12.1", $2, $5)
    ends("12.2", $2, $4)
    if ($4 != "?") simulated++
    if ($4 != 0 && !over++ && $4 != "?" && before != "")
        printf "%g \"simulated: nothing until %g, where three copies take %g\"\n", before, before, 3 * before > (out "/12.free")
    before = $2
}

$1 == 13 {
    ratio = ($8 == 1 && $7 > 0) ? $6 / $7 : "?"
    above = ratio != "?" && ratio > 1
    line = "13." $2 "." $3 "." $4
    print $5, $6, $7, text("%.2f", above ? ratio : "?"), text("%.2f", above ? "?" : ratio) > (out "/" line)
    ends(line, $5, $6)
    if ($7 != "?") simulated++
}

END {
    if (!simulated) {
        print "nothing of tables 4, 5, 12 and 13 is simulated in the database" > "/dev/stderr"
        exit 1
    }
    for (line in end) print end[line] > (out "/" line ".end")
    if (slower != "")
        for (percent = 0; percent <= 300; percent += 2) {
            x = percent / 100
            print percent, (1 + (1 + slower * x / (1 + x)) / (1 + x)) / 2 > (out "/4.fit")
        }
}
