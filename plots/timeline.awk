# plots/timeline.awk -- the rows of plots/timeline.sql, laid out with plots/canvas.awk.
# Time is cut into columns; a learner's band is filled in each column in proportion to the time it spent in each state, so that what
# is shorter than a pixel shows as its share.

BEGIN {
    FS = "\037"
    left = 150; width = 1408; columns = 704 # 2 pixels each
    bands_max = 24
    states = split("stepping blocked downscaling upscaling restarting recovering checkpointing restoring away parked preempted", state_name, " ")
    split("#BFE3CF #CC79A7 #E69F00 #56B4E9 #D55E00 #0072B2 #B8A800 #8C510A #4D4D4D #80B1D3 #A6A6A6", shade, " ")
    for (s = 1; s <= states; s++) colour[state_name[s]] = shade[s]
    outs = split("away maintained ready", out_name, " ")
    colour["out away"] = "#4D4D4D"; colour["out maintained"] = "#A6761D"; colour["out ready"] = "#56B4E9"
    what["away"] = "in repair"; what["maintained"] = "in maintenance"; what["ready"] = "back, waiting to rejoin"
    syncs = split("collecting grace merging down", sync_name, " ")
    colour["sync collecting"] = "#D9D9D9"; colour["sync grace"] = "#7FB8D6"; colour["sync merging"] = "#1F6FB2"; colour["sync down"] = "#D55E00"
}

function x_of(column) { return left + column * width / columns }

# Adds the time from `from` to `to` to the columns that it covers.
function spend(key, from, to,   c, last, begin, stop) {
    if (to <= from) return
    last = int(to / column_ns)
    for (c = int(from / column_ns); c <= last && c < columns; c++) {
        begin = c * column_ns; stop = begin + column_ns
        spent[key, c] += ((to < stop ? to : stop) - (from > begin ? from : begin)) / column_ns
    }
    seen[key] = 1
}

$1 == "run" && !end_ns {
    replica = $2 + 0; end_ns = $4 + 0; learners = $5 + 0; chips = $6 + 0; step_ns = $7 + 0; method = plain($9)
    name = plain($10)
    split_slices($8 + 0)
    column_ns = end_ns / columns
    next
}

# As models/fleet.c does: the first learners have a chip more, the last slice of a learner may be smaller.
function split_slices(chips_per_slice,   i, own, slice) {
    for (i = 0; i < learners && i < bands_max; i++) {
        own = int(chips / learners) + (i < chips % learners)
        for (own = int((own + chips_per_slice - 1) / chips_per_slice); own > 0; own--) learner_of[slice++ + 0] = i
    }
}

# A slice counts while it is out of its learner; the others are always in some state.
function leave(entity, id, t,   key) {
    key = entity SUBSEP id
    if (entity == "slice") { if (state[key] in what) spend("out " state[key], since[key], t) }
    else if (entity == "syncer") spend("sync " (key in state ? state[key] : "collecting"), since[key], t)
    else if (entity == "learner") { if (id < bands_max) spend("learner " id " " (key in state ? state[key] : "stepping"), since[key], t) }
    else if (entity == "pace") { if (key in state && state[key] != "full" && id in learner_of) spend("pace " learner_of[id] " slowed", since[key], t) }
    else if (id < bands_max && key in state && state[key] != "up") spend(entity " " id " " state[key], since[key], t)
    since[key] = t
}

NF >= 4 && end_ns && $4 ~ /^[a-z ]+$/ {
    leave($1, $2 + 0, $3 + 0)
    key = $1 SUBSEP ($2 + 0)
    state[key] = $4
    known[key] = 1
    if ($1 == "syncer") { has_syncer = 1; if ($4 == "merging") closed[int(($3 + 0) / (4 * column_ns))]++ }
}

function share_of(key, c, full) { return int(1e6 * spent[key, c] / full + 0.5) / 1e6 }

# One state on top of the other in every column, `full` of them as high as the band, equal neighbours as one rectangle.
function band(prefix, names, count, y, height, full,   s, c, at, share, from, top, key) {
    for (c = 0; c < columns; c++) used[c] = 0
    for (s = 1; s <= count; s++) {
        key = prefix names[s]
        from = 0; top = used[0]; share = share_of(key, 0, full)
        for (c = 0; c < columns; c++) {
            at = share_of(key, c, full)
            if (at != share || used[c] != top) {
                draw_share(from, c, y, height, top, share, prefix, names[s])
                from = c; share = at; top = used[c]
            }
        }
        draw_share(from, columns, y, height, top, share, prefix, names[s])
        for (c = 0; c < columns; c++) used[c] += share_of(key, c, full)
    }
}

function draw_share(from, to, y, height, top, share, prefix, name,   hex) {
    hex = prefix ~ /^learner/ ? (name in colour ? colour[name] : "#BBBBBB") : colour[prefix name]
    if (share > 0.0005) rect(x_of(from), x_of(to), y + height * (1 - top - share), y + height * (1 - top), hex)
}

# A scale with its lines, from 0 at the bottom to `top` at y.
function scale(y, height, top, i) {
    for (i = 0; i <= 2; i++) {
        box("grid", left, left + width, y + height * (1 - i / 2) - 0.5, y + height * (1 - i / 2) + 0.5, i ? "#E3E3E3" : "#999999")
        text("right", left - 10, y + height * (1 - i / 2), "#666666", top * i / 2 "")
    }
}

function draw_slices(y, height,   s, c, most, sum, top) {
    most = 0
    for (c = 0; c < columns; c++) {
        sum = 0
        for (s = 1; s <= outs; s++) sum += spent["out " out_name[s], c]
        if (sum > most) most = sum
    }
    top = nice(most > 1 ? most : 1)
    scale(y, height, top)
    band("out ", out_name, outs, y, height, top)
}

function draw_rounds(y, height,   c, most, rate, top) {
    most = 0
    for (c = 0; c < columns / 4; c++) if (closed[c] > most) most = closed[c]
    rate = step_ns / (4 * column_ns)
    top = nice(most * rate > 0 ? most * rate : 1)
    scale(y, height, top)
    for (c = 0; c < columns / 4; c++)
        rect(x_of(4 * c), x_of(4 * (c + 1)), y + height - closed[c] * rate / top * height, y + height, "#1F6FB2")
}

# Swatches with their names, in lines as wide as the picture; the next free line.
function legend(y, prefix, names, count, labels,   s, x, word) {
    x = left
    for (s = 1; s <= count; s++) {
        if (!(names[s] in shown)) continue
        word = names[s] in labels ? labels[names[s]] : names[s]
        if (x + 40 + 11.5 * length(word) > left + width) { x = left; y += 28 }
        rect(x, x + 18, y - 9, y + 9, prefix == "" ? (names[s] in colour ? colour[names[s]] : "#BBBBBB") : colour[prefix names[s]])
        text("left", x + 26, y, "#222222", word)
        x += 60 + 11.5 * length(word)
    }
    return y + 34
}

function show(prefix_pattern,   key, word) { # which states occur
    split("", shown)
    for (key in seen) if (key ~ prefix_pattern) { word = key; sub(prefix_pattern, "", word); shown[word] = 1 }
}

function draw_time(y,   unit, step, t, i, names, sizes, n) {
    n = split("s min h d", names, " ")
    split("1e9 6e10 3.6e12 8.64e13", sizes, " ")
    for (unit = n; unit > 1 && end_ns / sizes[unit] < 3; unit--) continue
    step = nice(end_ns / sizes[unit] / 12)
    for (t = 0; t * sizes[unit] <= end_ns * 1.0001; t += step) {
        i = left + width * t * sizes[unit] / end_ns
        box("grid", i - 0.5, i + 0.5, axis_top, y, "#E6E6E6")
        text("centre", i, y + 16, "#666666", t " " names[unit])
    }
}

END {
    if (!end_ns) { print "the run is empty" > "/dev/stderr"; exit 1 }
    split("learner slice syncer pace link", entity, " ")
    for (i = 0; i < learners && i < bands_max; i++) if (!(("learner" SUBSEP i) in known)) leave("learner", i, end_ns)
    for (key in known) { split(key, part, SUBSEP); leave(part[1], part[2], end_ns) }
    bands = learners < bands_max ? learners : bands_max
    for (key in seen) if (key ~ /^learner /) { word = key; sub(/^learner [0-9]+ /, "", word); if (!(word in colour)) { state_name[++states] = word; colour[word] = "#BBBBBB" } }

    text("headline", 24, 40, "#222222", name)
    text("left", 24, 78, "#666666", method ", " people(chips) " chips in " learners (learners == 1 ? " learner" : " learners") ", replica " replica)
    y = 130; axis_top = y + 26
    text("left", left, y, "#222222", "Slices out of their learners, by column of time")
    show("^out "); slices_y = y + 26; y = slices_y + 150 + 28
    y = legend(y, "out ", out_name, outs, what)

    text("left", left, y + 12, "#222222", learners > bands ? "The first " bands " of " learners " learners" : learners == 1 ? "The learner" : "Learners")
    y += 34; learners_y = y
    height = bands > 12 ? 22 : bands > 1 ? 30 : 48
    y += bands * (height + 5) + 18
    show("^learner [0-9]+ "); y = legend(y, "", state_name, states, what_learner)
    if (has_syncer) {
        text("left", left, y + 12, "#222222", "The syncer: its state, and rounds closed per step time")
        syncer_y = y + 34; y = syncer_y + 24 + 12 + 90 + 24
        show("^sync "); y = legend(y, "sync ", sync_name, syncs, what_sync)
    }
    draw_time(y - 10)
    draw_slices(slices_y, 150)
    for (i = 0; i < bands; i++) {
        top = learners_y + i * (height + 5)
        band("learner " i " ", state_name, states, top, height, 1)
        for (c = 0; c < columns; c++) {
            if (spent["pace " i " slowed", c] > 0) rect(x_of(c), x_of(c + 1), top + height, top + height + 3, "#D55E00")
            if (spent["link " i " degraded", c] + spent["link " i " cut", c] > 0) rect(x_of(c), x_of(c + 1), top - 3, top, "#7B3294")
        }
        text("right", left - 10, top + height / 2, "#666666", i "")
    }
    if (has_syncer) { band("sync ", sync_name, syncs, syncer_y, 24, 1); draw_rounds(syncer_y + 36, 90) }
    for (key in seen) {
        if (key ~ /^pace .* slowed$/) has_slow = 1
        if (key ~ /^link /) has_link = 1
    }
    note = (has_slow ? "Orange below a band: slowed." : "") (has_slow && has_link ? " " : "") (has_link ? "Purple above a band: link degraded or cut." : "")
    if (note != "") text("left", left, y + 44, "#666666", note)
    finish(y + 44 + (note != "" ? 26 : 0))
}
