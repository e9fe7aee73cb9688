# plots/tables.awk -- the cells of plots/cells.sql, laid out for gnuplot as files in the folder `out`.
#
#   METRIC.lines   a block per method: chips published simulated low high ("?" where there is none)
#   METRIC.labels  per method: chips and value of its last point, height of its label, label (quoted)
#   colours        a colour per method, in the order of the blocks
#   map.cells      column row difference chips ("?" where there is none); map.gaps: column row of these
#   map.rows       row label;   map.notes  metric: RMS and worst cell
#   chips          chips and how people write them
# Labels come from the database: all but plain characters are dropped, and gnuplot only ever reads them as data.

BEGIN {
    FS = ","
    printf "" > (out "/map.gaps")
    split("goodput uptime", metric_name, " ")
    palette[1] = "#4D4D4D"; palette[2] = "#D55E00"; palette[3] = "#CC79A7"; palette[4] = "#009E73"; palette[6] = "#9A7D0A"
    shades = split("#3F95C6 #1F6FB2 #17498C #0A2254", shade, " ") # of the decoupled method, darker with more learners
}

function number(text) { return text ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ ? text + 0 : "?" }

function rgb(hex,   i, n) { # "#D55E00" as the number that gnuplot reads
    for (i = 2; i <= length(hex); i++) n = 16 * n + index("0123456789ABCDEF", substr(hex, i, 1)) - 1
    return n
}

function people(chips) {
    if (chips >= 1000000) return (chips / 1000000) "M"
    return chips >= 1000 ? (chips / 1000) "k" : chips ""
}

function remember_chips(value,   i) { # ascending, each once
    for (i = ++chip_count; i > 1 && chip[i - 1] > value; i--) chip[i] = chip[i - 1]
    chip[i] = value
}

NF >= 9 && ($1 == "goodput" || $1 == "uptime") {
    label = $9
    for (i = 10; i <= NF; i++) label = label "," $i
    gsub(/[^A-Za-z0-9 =.,()_-]/, "", label)
    label = substr(label, 1, 24)
    key = $2 "," $3 "," label
    if (!(key in row)) {
        row[key] = ++rows
        name[rows] = label
        if ($2 == 5 && decoupled < shades) decoupled++
        colour[rows] = $2 == 5 ? shade[decoupled] : palette[$2]
    }
    if (!($4 in seen)) { seen[$4] = 1; remember_chips($4 + 0) }
    at = $1 SUBSEP row[key] SUBSEP ($4 + 0)
    published[at] = number($5); simulated[at] = number($6); half[at] = number($7)
}

function value(table, at) { return at in table ? table[at] : "?" }
function clip(percent) { return percent < 0 ? 0 : percent > 100 ? 100 : percent }

function write_lines(metric,   r, c, at, s, h, file) {
    file = out "/" metric ".lines"
    for (r = 1; r <= rows; r++) {
        for (c = 1; c <= chip_count; c++) {
            at = metric SUBSEP r SUBSEP chip[c]
            s = value(simulated, at); h = value(half, at)
            if (h == "?") h = 0
            print chip[c], value(published, at), s, s == "?" ? s : clip(s - h), s == "?" ? s : clip(s + h) > file
        }
        printf "\n\n" > file
    }
    close(file)
}

# Labels sit beside the last point of their line, moved apart where they would touch.
function write_labels(metric,   r, c, at, n, i, j, y, order, place, file) {
    for (r = 1; r <= rows; r++) {
        for (c = chip_count; c >= 1; c--) {
            at = metric SUBSEP r SUBSEP chip[c]
            y = value(simulated, at) != "?" ? simulated[at] : value(published, at)
            if (y != "?") break
        }
        if (c < 1) continue
        end_chips[r] = chip[c]; end_value[r] = y
        for (j = ++n; j > 1 && end_value[order[j - 1]] > y; j--) order[j] = order[j - 1]
        order[j] = r
    }
    for (i = 1; i <= n; i++) {
        place[i] = end_value[order[i]]
        if (i > 1 && place[i] < place[i - 1] + gap) place[i] = place[i - 1] + gap
    }
    for (i = n; i >= 1; i--) {
        y = i == n ? 101 : place[i + 1] - gap
        if (place[i] > y) place[i] = y
    }
    file = out "/" metric ".labels"
    printf "" > file
    for (i = 1; i <= n; i++) {
        r = order[i]
        printf "%d %.4f %.4f %d \"%s\"\n", end_chips[r], end_value[r], place[i], r - 1, name[r] > file
    }
    close(file)
}

function write_map(m,   metric, r, c, at, d, n, sum, worst, column) {
    metric = metric_name[m]
    for (r = 1; r <= rows; r++)
        for (c = 1; c <= chip_count; c++) {
            at = metric SUBSEP r SUBSEP chip[c]
            d = value(simulated, at) == "?" || value(published, at) == "?" ? "?" : simulated[at] - published[at]
            column = c - 1 + (m - 1) * (chip_count + 0.35)
            print column, r - 1, d, people(chip[c]) > (out "/map.cells")
            if (d == "?") { print column, r - 1 > (out "/map.gaps"); continue }
            n++; sum += d * d
            if (d * d > worst * worst) worst = d
        }
    if (n) printf "\"%s: RMS %.2f points, worst cell %+.1f\"\n", metric, sqrt(sum / n), worst > (out "/map.notes")
    else printf "\"%s: nothing to compare\"\n", metric > (out "/map.notes")
}

END {
    if (!rows) { print "the tables in the database are empty" > "/dev/stderr"; exit 1 }
    for (m = 1; m <= 2; m++) {
        write_lines(metric_name[m])
        write_labels(metric_name[m])
        write_map(m)
    }
    for (r = 1; r <= rows; r++) {
        print rgb(colour[r]) > (out "/colours")
        printf "%d \"%s\"\n", r - 1, name[r] > (out "/map.rows")
    }
    for (c = 1; c <= chip_count; c++) print chip[c], people(chip[c]) > (out "/chips")
}
