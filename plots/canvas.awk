# plots/canvas.awk -- what the layouts draw with: files in the folder `out` that plots/canvas.gp turns into a picture 1600 pixels wide.
#
#   grid, rects     left right top bottom colour, those of the grid behind the others
#   lines, dots     x1 y1 x2 y2 colour; x y colour
#   left, right, centre   texts: x y colour "text", by their alignment; `headline` the largest
#   height          of the picture
# Names come from the database: all but plain characters are dropped (plain), and gnuplot only ever reads them as data.

BEGIN {
    split("grid rects lines dots left right centre headline", canvas_file, " ")
    for (f in canvas_file) printf "" > (out "/" canvas_file[f])
    ink = "#222222"; pale = "#666666"; faint = "#E3E3E3"
    palettes = split("#1F6FB2 #D55E00 #009E73 #CC79A7 #9A7D0A #5A55B0 #56B4E9 #4D4D4D #8C510A #0A2254 #A03030 #7FB8A0", palette, " ")
}

function rgb(hex,   i, n) { # "#D55E00" as the number that gnuplot reads
    for (i = 2; i <= length(hex); i++) n = 16 * n + index("0123456789ABCDEF", substr(hex, i, 1)) - 1
    return n
}

function plain(text) { gsub(/[^A-Za-z0-9 =.,()_\/:+%-]/, "", text); return substr(text, 1, 60) }
function people(n) { return n >= 1000000 ? n / 1000000 "M" : n >= 1000 ? n / 1000 "k" : n "" }

function box(where, x1, x2, y1, y2, hex) {
    if (x2 > x1 && y2 > y1) printf "%.2f %.2f %.2f %.2f %d\n", x1, x2, y1, y2, rgb(hex) > (out "/" where)
}
function rect(x1, x2, y1, y2, hex) { box("rects", x1, x2, y1, y2, hex) }
function line(x1, y1, x2, y2, hex) { printf "%.2f %.2f %.2f %.2f %d\n", x1, y1, x2, y2, rgb(hex) > (out "/lines") }
function dot(x, y, hex) { printf "%.2f %.2f %d\n", x, y, rgb(hex) > (out "/dots") }
function text(where, x, y, hex, words) { printf "%.1f %.1f %d \"%s\"\n", x, y, rgb(hex), words > (out "/" where) }
function finish(height) { print int(height) > (out "/height") }

function nice(value,   power) { # not below `value`: 1, 2 or 5 times a power of ten
    power = 10 ^ int(log(value) / log(10) - (value < 1 ? 1 : 0) + 1e-9)
    return value <= power ? power : value <= 2 * power ? 2 * power : value <= 5 * power ? 5 * power : 10 * power
}

function floor(x) { return int(x) - (x < int(x)) }
function ceil(x) { return -floor(-x) }

# An axis around low to high with round marks, in scale_low, scale_high, scale_step. Times are marked in round hours or days.
function scale_over(low, high, kind,   unit) {
    if (high <= low) { unit = low != 0 ? (low < 0 ? -low : low) * 0.05 : 1; low -= unit; high += unit }
    unit = kind == "time" ? unit_of(high) : 1
    scale_step = nice((high - low) / unit / 6) * unit
    scale_low = floor(low / scale_step + 1e-9) * scale_step
    scale_high = ceil(high / scale_step - 1e-9) * scale_step
}

function unit_of(seconds) { return seconds >= 172800 ? 86400 : seconds >= 7200 ? 3600 : seconds >= 120 ? 60 : 1 }
function unit_name(unit) { return unit == 86400 ? "d" : unit == 3600 ? "h" : unit == 60 ? "min" : "s" }
function decimals(step,   d) { for (d = 0; d < 9 && step < 0.9999999; d++) step *= 10; return d }

# A number as people write it, of a fraction, a time in seconds or anything else, so exactly that `step` shows.
function amount(x, kind, step,   unit) {
    if (kind == "fraction") return sprintf("%.*f %%", decimals(100 * step), 100 * x)
    if (kind == "time") { unit = unit_of(x > 0 ? x : 1); return sprintf("%.*f %s", decimals(step / unit), x / unit, unit_name(unit)) }
    if (x >= 1e12) return sprintf("%.*fT", decimals(step / 1e12), x / 1e12)
    if (x >= 1e9) return sprintf("%.*fG", decimals(step / 1e9), x / 1e9)
    if (x >= 1e6) return sprintf("%.*fM", decimals(step / 1e6), x / 1e6)
    if (x >= 1e4) return sprintf("%.*fk", decimals(step / 1e3), x / 1e3)
    return sprintf("%.*f", decimals(step), x)
}
function kind_of(kind, name) { return name ~ /_s$/ ? "time" : kind }

# The marks of the axis of a height, from y_top to y_bottom, over the width from x1 to x2.
function draw_scale(kind, y_top, y_bottom, x1, x2,   v, y, k) {
    for (k = 0; scale_low + k * scale_step <= scale_high + scale_step / 1000; k++) {
        v = scale_low + k * scale_step
        y = y_bottom - (v - scale_low) / (scale_high - scale_low) * (y_bottom - y_top)
        box("grid", x1, x2, y - 0.6, y + 0.6, faint)
        text("right", x1 - 12, y, pale, amount(v, kind, scale_step))
    }
}

# Title and what it shows, cut where the picture ends.
function title(words, below) {
    text("headline", 24, 44, ink, words)
    text("left", 24, 86, pale, substr(below, 1, 130))
}

# Swatches with their names, count of them, in lines as wide as the picture; the next free line.
function swatches(y, names, colours, count,   i, x) {
    x = 24
    for (i = 1; i <= count; i++) {
        if (x > 24 && x + 40 + 11.5 * length(names[i]) > 1580) { x = 24; y += 30 }
        rect(x, x + 18, y - 9, y + 9, colours[i])
        text("left", x + 26, y, ink, names[i])
        x += 60 + 11.5 * length(names[i])
    }
    return y + 34
}
