# plots/accounts.awk -- the rows of plots/accounts.sql, laid out with plots/canvas.awk.

BEGIN {
    FS = "\037"
    buckets = split("lost checkpoint downscale upscale restart blocked recovering away standby", bucket, " ")
    split("#A03030 #B8A800 #E69F00 #56B4E9 #D55E00 #CC79A7 #0072B2 #4D4D4D #A6A6A6", shade, " ")
    for (b = 1; b <= buckets; b++) colour[bucket[b]] = shade[b]
}

$1 == "share" {
    if (!($2 in known)) { known[$2] = ++bars; label[bars] = plain($5); if (length(label[bars]) > longest) longest = length(label[bars]) }
    share[known[$2], $3] = $4 + 0
    if ($3 == "useful") useful[known[$2]] = $4 + 0
    else if ($4 > 0) { lost[known[$2]] += $4; if (!($3 in colour)) { bucket[++buckets] = $3; colour[$3] = "#BBBBBB" }; shown[$3] = 1 }
}

END {
    title("Where the chip-time went that was not useful", "shares of all chip-time, spares included, means of the replicas")
    for (b = 1; b <= buckets; b++) if (bucket[b] in shown) { name[++names] = bucket[b]; hue[names] = colour[bucket[b]] }
    y1 = (names ? swatches(128, name, hue, names) : 120) + 6
    left = 40 + 11.3 * longest; if (left < 150) left = 150
    right = 1400
    tall = bars > 30 ? 24 : bars > 12 ? 34 : 52
    y2 = y1 + bars * tall
    most = 0
    for (i = 1; i <= bars; i++) if (lost[i] > most) most = lost[i]
    scale_over(0, most > 0 ? most : 0.01, "fraction")
    for (k = 0; k * scale_step <= scale_high * 1.001; k++) {
        x = left + k * scale_step / scale_high * (right - left)
        box("grid", x - 0.6, x + 0.6, y1, y2 + 6, k ? faint : "#999999")
        text("centre", x, y2 + 24, pale, amount(k * scale_step, "fraction", scale_step))
    }
    for (i = 1; i <= bars; i++) {
        y = y1 + (i - 1) * tall; x = left
        for (b = 1; b <= names; b++) {
            width = share[i, name[b]] / scale_high * (right - left)
            rect(x, x + width, y + tall * 0.15, y + tall * 0.85, hue[b])
            x += width
        }
        text("right", left - 14, y + tall / 2, ink, label[i])
        text("left", x + 12, y + tall / 2, pale, amount(useful[i], "fraction", 0.0001) " useful")
    }
    finish(y2 + 52)
}
