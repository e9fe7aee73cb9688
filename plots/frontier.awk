# plots/frontier.awk -- the rows of plots/frontier.sql, laid out with plots/canvas.awk.

BEGIN { FS = "\037"; x1 = 150; x2 = 1560; y1 = 140; y2 = 800 }

$1 == "about" { x_name = plain($6); y_name = plain($7); x_kind = kind_of($2, x_name); y_kind = kind_of($3, y_name); x_sign = $4 == "max:" ? 1 : -1; y_sign = $5 == "max:" ? 1 : -1; next }

$1 == "point" {
    n++; x[n] = $2 + 0; xh[n] = $3 + 0; y[n] = $4 + 0; yh[n] = $5 + 0; label[n] = plain($6)
    spread("x", x[n], xh[n], x_kind); spread("y", y[n], yh[n], y_kind)
}

function spread(which, mean, half, kind,   l, h) {
    l = mean - half; h = mean + half
    if (kind == "fraction") { if (l < 0) l = 0; if (h > 1) h = 1 }
    if (n == 1 || l < low[which]) low[which] = l
    if (n == 1 || h > high[which]) high[which] = h
}
function clip(v, which) { return v < low[which] ? low[which] : v > high[which] ? high[which] : v }
function x_of(v) { return x1 + (v - x_low) / (x_high - x_low) * (x2 - x1) }
function y_of(v) { return y2 - (v - scale_low) / (scale_high - scale_low) * (y2 - y1) }

# No other is better in one and as good in the other.
function is_best(i,   j) {
    for (j = 1; j <= n; j++)
        if (x_sign * (x[j] - x[i]) >= 0 && y_sign * (y[j] - y[i]) >= 0 && (x[j] != x[i] || y[j] != y[i])) return 0
    return 1
}

function draw_x(   k, v) {
    scale_over(low["x"], high["x"], x_kind)
    x_low = scale_low; x_high = scale_high
    for (k = 0; x_low + k * scale_step <= x_high + scale_step / 1000; k++) {
        v = x_low + k * scale_step
        box("grid", x_of(v) - 0.6, x_of(v) + 0.6, y1, y2 + 6, faint)
        text("centre", x_of(v), y2 + 26, pale, amount(v, x_kind, scale_step))
    }
    text("centre", (x1 + x2) / 2, y2 + 64, ink, x_name)
}

function draw_point(i, hex) {
    if (xh[i] > 0) line(x_of(clip(x[i] - xh[i], "x")), y_of(y[i]), x_of(clip(x[i] + xh[i], "x")), y_of(y[i]), hex)
    if (yh[i] > 0) line(x_of(x[i]), y_of(clip(y[i] - yh[i], "y")), x_of(x[i]), y_of(clip(y[i] + yh[i], "y")), hex)
    dot(x_of(x[i]), y_of(y[i]), hex)
}

# Where a label would touch another one, a point or an upright of the steps.
function touches(left, right, y_at,   j) {
    if (left < x1 + 4 || right > x2 + 20) return 1
    for (j = 1; j <= labels; j++)
        if (left < label_right[j] && right > label_left[j] && y_at - label_y[j] < 24 && label_y[j] - y_at < 24) return 1
    for (j = 1; j <= n; j++)
        if (left < x_of(x[j]) + 8 && right > x_of(x[j]) - 8 && y_of(y[j]) - y_at < 18 && y_at - y_of(y[j]) < 18) return 1
    for (j = 1; j <= uprights; j++)
        if (left < up_x[j] + 4 && right > up_x[j] - 4 && y_at > up_low[j] - 14 && y_at < up_high[j] + 14) return 1
    return 0
}

# A label beside its point: on the better side if there is room, to the right if there is; none rather than one on top of something.
function draw_label(i,   w, k, left, y_at) {
    w = 11 * length(label[i])
    for (k = 0; k < 4; k++) {
        left = k % 2 ? x_of(x[i]) - 16 - w : x_of(x[i]) + 16
        y_at = y_of(y[i]) + ((y_sign > 0) == (k < 2) ? -24 : 24)
        if (!touches(left, left + w, y_at)) break
    }
    if (k == 4) return
    labels++; label_left[labels] = left; label_right[labels] = left + w; label_y[labels] = y_at
    text("left", left, y_at, ink, label[i])
}

# A step: between two that nothing beats nothing better is known.
function draw_step(i, j,   is_flat_first, at, from, to) {
    is_flat_first = x_sign * y_sign < 0
    at = x_of(is_flat_first ? x[j] : x[i]); from = y_of(y[i]); to = y_of(y[j])
    line(x_of(x[i]), is_flat_first ? from : to, x_of(x[j]), is_flat_first ? from : to, "#1F6FB2")
    line(at, from, at, to, "#1F6FB2")
    uprights++; up_x[uprights] = at; up_low[uprights] = from < to ? from : to; up_high[uprights] = from < to ? to : from
}

END {
    title(y_name " against " x_name, (x_sign < 0 ? "less" : "more") " of " x_name " and " (y_sign > 0 ? "more" : "less") " of " y_name " is better; blue: no other is better in both; lines: 95 % intervals")
    draw_x()
    scale_over(low["y"], high["y"], y_kind)
    draw_scale(y_kind, y1, y2, x1, x2)
    for (i = 1; i <= n; i++) if (!(best[i] = is_best(i))) draw_point(i, "#A6A6A6")
    for (i = 1; i <= n; i++) if (best[i]) { if (last) draw_step(last, i); last = i }
    for (i = 1; i <= n; i++) if (best[i]) { draw_point(i, "#1F6FB2"); draw_label(i) }
    finish(y2 + 96)
}
