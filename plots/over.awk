# plots/over.awk -- the rows of plots/over.sql, laid out with plots/canvas.awk.

BEGIN { FS = "\037"; x1 = 150; x2 = 1560; y1 = 150; height = 960; is_number = 1; least = 0 }

$1 == "about" { name = $3; kind = kind_of($2, name); is_share = $2 == "fraction"; meaning = $4; key = plain($5); next }

$1 == "point" {
    p++
    x[p] = $2; mean[p] = $3 + 0; half[p] = $4 + 0; label = plain($6)
    if ($2 == "") is_number = 0
    if (!(label in place)) { place[label] = ++places; place_label[places] = label; place_x[places] = $2 }
    at[p] = place[label]
    series = plain($7)
    if (!(series in known)) { known[series] = ++lines; line_label[lines] = series }
    of[p] = known[series]
    l = mean[p] - half[p]; h = mean[p] + half[p]
    if (is_share) { if (l < 0) l = 0; if (h > 1) h = 1 }
    lower[p] = l; upper[p] = h
    if (p == 1 || l < low) low = l
    if (p == 1 || h > high) high = h
    n = $5 + 0
    if (p == 1 || n < least) least = n
    if (n > most) most = n
}

# Numbers stand where they belong, by their logarithm when they are far apart; names side by side.
function prepare(   i) {
    if (!is_number || places < 2) { is_number = 0; return }
    x_low = x_high = place_x[1] + 0
    for (i = 2; i <= places; i++) { if (place_x[i] + 0 < x_low) x_low = place_x[i] + 0; if (place_x[i] + 0 > x_high) x_high = place_x[i] + 0 }
    if (x_high <= x_low) is_number = 0
    is_log = x_low > 0 && x_high / x_low >= 7
}
function x_of(i,   share) {
    if (is_number) share = is_log ? log(place_x[i] / x_low) / log(x_high / x_low) : (place_x[i] - x_low) / (x_high - x_low)
    else share = places > 1 ? (i - 1) / (places - 1) : 0.5
    return x1 + 40 + share * (x2 - x1 - 80)
}
function y_of(v) { return y2 - (v - scale_low) / (scale_high - scale_low) * (y2 - y1) }

# The values of the key below, those that have room.
function draw_x(   i, j, order, last) {
    for (i = 1; i <= places; i++) { for (j = i; j > 1 && x_of(order[j - 1]) > x_of(i); j--) order[j] = order[j - 1]; order[j] = i }
    last = -1000
    for (i = 1; i <= places; i++) {
        j = order[i]
        line(x_of(j), y2, x_of(j), y2 + 6, "#999999")
        if (x_of(j) - 6 * length(place_label[j]) < last + 12) continue
        text("centre", x_of(j), y2 + 26, pale, place_label[j])
        last = x_of(j) + 6 * length(place_label[j])
    }
    text("centre", (x1 + x2) / 2, y2 + 64, ink, key)
}

END {
    prepare()
    title(name " over " key, meaning)
    text("left", 24, 118, pale, "mean of " (least == most ? most : least " to " most) " replicas; vertical lines: 95 % interval")
    if (lines > 1) for (i = 1; i <= lines; i++) colours[i] = palette[i]
    y1 = (lines > 1 ? swatches(158, line_label, colours, lines) : 150) + 10
    y2 = y1 + 640
    scale_over(low, high, kind)
    draw_scale(kind, y1, y2, x1, x2)
    box("grid", x1, x2, y2 - 0.8, y2 + 0.8, "#999999")
    for (i = 1; i <= p; i++) {
        if (i > 1 && of[i] == of[i - 1]) line(x_of(at[i - 1]), y_of(mean[i - 1]), x_of(at[i]), y_of(mean[i]), palette[of[i]])
        if (half[i] > 0) {
            line(x_of(at[i]), y_of(lower[i]), x_of(at[i]), y_of(upper[i]), palette[of[i]])
            line(x_of(at[i]) - 6, y_of(lower[i]), x_of(at[i]) + 6, y_of(lower[i]), palette[of[i]])
            line(x_of(at[i]) - 6, y_of(upper[i]), x_of(at[i]) + 6, y_of(upper[i]), palette[of[i]])
        }
        dot(x_of(at[i]), y_of(mean[i]), palette[of[i]])
    }
    draw_x()
    finish(y2 + 96)
}
