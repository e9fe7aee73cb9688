# plots/outages.awk -- the lengths of plots/outages_of.awk, the longest of a kind first, laid out with plots/canvas.awk: how many a day are longer.

BEGIN {
    FS = "\037"; x1 = 150; x2 = 1560; y1 = 180; y2 = 820
    kinds = split("slice learner training", kind, " ")
    what["slice"] = "a slice is out of its learner"; what["learner"] = "a learner does not step"; what["training"] = "no learner steps"
    hue["slice"] = "#4D4D4D"; hue["learner"] = "#E69F00"; hue["training"] = "#A03030"
}

$1 == "0about" { days = $2 + 0; runs = $3 + 0; learners = $4 + 0; name = plain($5); next }

{
    n = ++count[$1]; length_s[$1, n] = $2 + 0
    if (!longest || $2 > longest) longest = $2 + 0
    if (!shortest || $2 < shortest) shortest = $2 + 0
    if (n > most) most = n
}

function log10(x) { return log(x) / log(10) }
function x_of(s) { return x1 + log(s / x_low) / log(x_high / x_low) * (x2 - x1) }
function y_of(rate) { return y2 - log(rate / y_low) / log(y_high / y_low) * (y2 - y1) }

# Times that people count in.
function draw_x(   i, n, marks, words) {
    n = split("0.001 0.01 0.1 1 10 60 600 3600 36000 86400 864000 8640000 86400000", marks, " ")
    split("1 ms,10 ms,0.1 s,1 s,10 s,1 min,10 min,1 h,10 h,1 d,10 d,100 d,1000 d", words, ",")
    for (i = 1; i <= n; i++) {
        if (marks[i] < x_low * 0.999 || marks[i] > x_high * 1.001) continue
        box("grid", x_of(marks[i]) - 0.6, x_of(marks[i]) + 0.6, y1, y2 + 6, faint)
        text("centre", x_of(marks[i]), y2 + 26, pale, words[i])
    }
    text("centre", (x1 + x2) / 2, y2 + 64, ink, "longer than")
}

function draw_y(   e) {
    for (e = log10(y_low); e <= log10(y_high) + 0.001; e++) {
        box("grid", x1, x2, y_of(10 ^ e) - 0.6, y_of(10 ^ e) + 0.6, faint)
        text("right", x1 - 12, y_of(10 ^ e), pale, e < -0.5 ? "1 in " people(int(10 ^ -e + 0.5)) " d" : people(int(10 ^ e + 0.5)) "")
    }
}

# Steps down from the number of all; where they are closer than a pixel one line does for many.
function draw_curve(k,   i, x, y, last_x, last_y) {
    last_x = x_of(length_s[k, 1]); last_y = y_of(1 / days)
    line(last_x, y2, last_x, last_y, hue[k])
    for (i = 2; i <= count[k]; i++) {
        x = x_of(length_s[k, i]); y = y_of(i / days)
        if (last_x - x < 1 && last_y - y < 1 && i < count[k]) continue
        line(last_x, last_y, x, last_y, hue[k]); line(x, last_y, x, y, hue[k])
        last_x = x; last_y = y
    }
    line(last_x, last_y, x1, last_y, hue[k])
}

END {
    if (!most || days <= 0) {
        title(name ": no outage was seen", runs " runs, " amount(days, "real", 0.1) " days in all")
        finish(120)
        exit
    }
    x_low = 10 ^ floor(log10(shortest) - 1e-9); x_high = 10 ^ ceil(log10(longest) + 1e-9)
    y_low = 10 ^ floor(log10(1 / days) + 1e-9); y_high = 10 ^ ceil(log10(most / days) - 1e-9)
    if (y_high <= y_low) y_high = 10 * y_low
    title(name ": how many outages a day are longer than a time?", runs (runs == 1 ? " run, " : " runs, ") amount(days, "real", 0.1) " days in all, " learners (learners == 1 ? " learner" : " learners") "; what lasts to the end of a run counts as long as it was seen")
    for (i = 1; i <= kinds; i++) if (count[kind[i]]) { names++; word[names] = what[kind[i]] " (" count[kind[i]] ")"; colours[names] = hue[kind[i]] }
    swatches(130, word, colours, names)
    draw_x()
    draw_y()
    for (i = 1; i <= kinds; i++) if (count[kind[i]]) draw_curve(kind[i])
    box("grid", x1, x2, y2 - 0.8, y2 + 0.8, "#999999")
    finish(y2 + 96)
}
