# plots/heat.awk -- the rows of plots/heat.sql, laid out with plots/canvas.awk.

BEGIN { FS = "\037"; x1 = 190; y1 = 150; shades = split("#F3F7FB #D3E3F2 #A9CBE6 #74AAD6 #4085C0 #1F63A5 #12427C", shade, " ") }

$1 == "about" { name = $3; kind = kind_of($2, name); meaning = $4; right = plain($5); up = plain($6); next }

$1 == "cell" {
    n++; cx[n] = $2 + 0; cy[n] = $3 + 0; mean[n] = $4 + 0
    if (cx[n] > columns) columns = cx[n]
    if (cy[n] > rows) rows = cy[n]
    column_name[cx[n]] = plain($6); row_name[cy[n]] = plain($7)
    if (n == 1 || mean[n] < low) low = mean[n]
    if (n == 1 || mean[n] > high) high = mean[n]
}

function hex_digit(hex, i) { return index("0123456789ABCDEF", substr(hex, i, 1)) - 1 }
function channel(hex, c) { return 16 * hex_digit(hex, 2 + 2 * c) + hex_digit(hex, 3 + 2 * c) }
function colour_of(v,   at, i, c, share, word) { # between the shades, the darker the more
    at = high > low ? (v - low) / (high - low) * (shades - 1) : (shades - 1) / 2
    i = int(at); if (i >= shades - 1) i = shades - 2
    share = at - i
    word = "#"
    for (c = 0; c < 3; c++) word = word sprintf("%02X", int(channel(shade[i + 1], c) * (1 - share) + channel(shade[i + 2], c) * share + 0.5))
    return word
}
function is_dark(v) { return high > low && (v - low) / (high - low) > 0.55 }

END {
    width = (1380 - x1) / columns; if (width > 260) width = 260
    tall = 640 / rows; if (tall > 110) tall = 110
    y2 = y1 + rows * tall
    title(name " over " right " and " up, meaning)
    step = high > low ? nice((high - low) / 100) : 1
    if (kind == "fraction" && step < 0.0001) step = 0.0001
    for (i = 1; i <= n; i++) {
        x = x1 + (cx[i] - 1) * width; y = y2 - cy[i] * tall
        rect(x + 1, x + width - 1, y + 1, y + tall - 1, colour_of(mean[i]))
        word = amount(mean[i], kind, step)
        if (11 * length(word) < width && tall > 22) text("centre", x + width / 2, y + tall / 2, is_dark(mean[i]) ? "#FFFFFF" : ink, word)
    }
    every = int(14 * 6 / width) + 1
    for (i = 1; i <= columns; i++) if (i % every == 0 || every == 1) text("centre", x1 + (i - 0.5) * width, y2 + 24, pale, column_name[i])
    every = int(24 / tall) + 1
    for (i = 1; i <= rows; i++) if (i % every == 0 || every == 1) text("right", x1 - 14, y2 - (i - 0.5) * tall, pale, row_name[i])
    text("centre", x1 + columns * width / 2, y2 + 62, ink, right)
    text("left", 24, y1 - 24, ink, up)
    # the scale of the shades
    x = x1 + columns * width + 40
    for (i = 0; i < 100; i++) rect(x, x + 26, y2 - (i + 1) * (y2 - y1) / 100, y2 - i * (y2 - y1) / 100 + 0.3, colour_of(low + (high - low) * (i + 0.5) / 100))
    text("left", x + 38, y1 + 8, pale, amount(high, kind, step))
    text("left", x + 38, y2 - 8, pale, amount(low, kind, step))
    finish(y2 + 96)
}
