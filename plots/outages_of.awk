# plots/outages_of.awk -- the rows of plots/outages.sql as lengths of outages in seconds: kind 0x1f length, and sums as 0about rows. What lasts to the
# end of a run counts as long as it was seen.
#
# A slice is out while it is away, in maintenance or waiting to rejoin; a learner while it does not step; training while no learner steps.

BEGIN { FS = OFS = "\037"; out["away"] = out["maintained"] = out["ready"] = 1 }

function over(kind, since, t) { if (t > since) { printf "%s\037%.9g\n", kind, (t - since) / 1e9 } }

function end_run(   k) {
    if (!runs) return
    for (k in slice_since) over("slice", slice_since[k], end)
    for (k in learner_since) over("learner", learner_since[k], end)
    if (standing == learners) over("training", all_since, end)
    split("", slice_since); split("", learner_since)
    standing = 0
    total += end
}

$1 == "run" { end_run(); runs++; learners = $2 + 0; end = $4 + 0; name = $6; next }

$3 == "slice" {
    if ($5 in out) { if (!($2 in slice_since)) slice_since[$2] = $4 + 0 }
    else if ($2 in slice_since) { over("slice", slice_since[$2], $4 + 0); delete slice_since[$2] }
}

$3 == "learner" {
    if ($5 != "stepping") {
        if ($2 in learner_since) next
        learner_since[$2] = $4 + 0
        if (++standing == learners) all_since = $4 + 0
    } else if ($2 in learner_since) {
        over("learner", learner_since[$2], $4 + 0); delete learner_since[$2]
        if (standing-- == learners) over("training", all_since, $4 + 0)
    }
}

END { end_run(); print "0about", total / 8.64e13, runs, learners, name }
