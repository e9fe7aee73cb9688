# Everything that breaks a fleet, in whole runs of the program: step by step, on several threads and from a tape the same bytes; in the log,
# in the timeline; noted beforehand when it comes absurdly often.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# A day of a scenario with one source.
scenario() { # METHOD LEARNERS SOURCE
    cat >one.yaml <<EOT
name: one
method: $1
duration: 1d
seed: 5
fleet: {chips: 64, chips_per_slice: 4}
failures:
  chip: {kind: chip, mtbi: 60h, return_after: "exponential(mean=5min)"}
  one: {$3}
learners: {count: $2, step_time: 7.5s}
checkpoint: {every: 30min, cost: 45s, restore: 60s}
network: {parameters: 1G, link: 2Gbit/s, latency: 20ms}
EOT
}

same_bytes() { # METHOD LEARNERS SOURCE
    scenario "$@"
    "$FAULTLINE" run one.yaml -q -n 4 -j 1 --tape one.tape --format csv >one.csv
    "$FAULTLINE" run one.yaml -q -n 4 -j 4 --format csv | cmp one.csv -
    "$FAULTLINE" run one.yaml -q -n 4 --every-step --format csv | cmp one.csv -
    "$FAULTLINE" replay one.tape -q --format csv | cmp <(head -2 one.csv) -
}

# The sum of a column over the replicas.
column() { # NAME
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR > 1 { sum += $c } END { print sum }' one.csv
}

@test "links that are cut" {
    same_bytes decoupled-diloco 4 'kind: link, learners: [0, 2], mtbi: 2h, lasts: "exponential(mean=10min)", together: yes'
    [ "$(column cuts)" -gt 20 ]
}

@test "links that are slower" {
    same_bytes decoupled-diloco 4 'kind: link, learners: [0, 2], mtbi: 1h, lasts: "exponential(mean=10min)", factor: "lognormal(median=200, sigma=1)"'
    [ "$(column degradations)" -gt 40 ]
    [ "$(column blocked_chip_s)" != 0 ]
}

@test "chips that are slow" {
    for method in 'elastic-dp 1' 'decoupled-diloco 4'; do
        # shellcheck disable=SC2086 # two words
        same_bytes $method 'kind: slowdown, mtbi: 20h, factor: 2, lasts: "exponential(mean=10min)"'
        [ "$(column slowdowns)" -gt 40 ]
    done
}

@test "maintenance" {
    for method in 'dp 1' 'elastic-dp 1' 'decoupled-diloco 4'; do
        # shellcheck disable=SC2086
        same_bytes $method 'kind: maintenance, domain: {chips: 16}, rolling: 1h, calendar: {every: 6h, from: 1h, lasts: 20min}'
        [ "$(column maintenances)" -gt 40 ]
    done
}

@test "preemption with a notice" {
    for method in 'dp 1' 'elastic-dp 1' 'decoupled-diloco 4'; do
        # shellcheck disable=SC2086
        same_bytes $method 'kind: preemption, learners: [0], mtbi: 2h, lasts: "exponential(mean=10min)", notice: 2min'
        [ "$(column interruptions)" -gt 20 ]
    done
}

@test "a notice is worth the work since the last checkpoint, and moves no preemption" {
    scenario elastic-dp 1 'kind: preemption, learners: [0], mtbi: 2h, lasts: "exponential(mean=10min)", notice: 2min'
    sed -i '/^  chip:/d' one.yaml
    "$FAULTLINE" run one.yaml -q -n 8 --format csv >one.csv
    told=$(column goodput) lost=$(column steps_lost) times=$(column interruptions)
    "$FAULTLINE" run one.yaml -q -n 8 -s failures.one.notice=0s --format csv >one.csv
    [ "$(column interruptions)" = "$times" ]
    awk "BEGIN { exit !($(column goodput) + 0.3 < $told && $lost == 0 && $(column steps_lost) > 0) }"
    # no time to save: as without
    untold=$(column goodput)
    "$FAULTLINE" run one.yaml -q -n 8 -s failures.one.notice=30s --format csv >one.csv
    awk "BEGIN { d = $(column goodput) - $untold; exit !(d < 0.01 && d > -0.01) }"
}

@test "the log has links, parked learners and maintenance, and the timeline draws them" {
    cat >all.yaml <<EOT
name: all
method: decoupled-diloco
duration: 1d
seed: 5
fleet: {chips: 64, chips_per_slice: 4}
failures:
  wan: {kind: link, learners: [0], mtbi: 2h, lasts: constant(10min), factor: 10}
  cut: {kind: link, learners: [1], mtbi: 2h, lasts: constant(10min)}
  slow: {kind: slowdown, mtbi: 20h, factor: 2, lasts: constant(10min)}
  rack: {kind: domain, domain: {chips: 8}, mtbi: 2d, return_after: constant(30min)}
  patch: {kind: maintenance, domain: {chips: 16}, calendar: {every: 12h, lasts: 1h}}
  spot: {kind: preemption, learners: [3], mtbi: 2h, lasts: constant(10min), notice: 2min}
  syncer: {kind: syncer, mtbi: 8h, return_after: constant(10min)}
learners: {count: 4, step_time: 7.5s}
checkpoint: {every: 30min, cost: 45s, restore: 60s}
network: {parameters: 1G, link: 2Gbit/s}
EOT
    "$FAULTLINE" run all.yaml -q -n 1 -o all.db --log transitions >/dev/null
    for change in 'link up degraded' 'link degraded up' 'link up cut' 'link cut up' 'learner stepping parked' 'learner parked preempted' \
        'slice leaving maintained' 'pace full slow' 'syncer down collecting'; do
        sqlite3 -separator ' ' all.db "SELECT DISTINCT entity, from_state, to_state FROM transition" | grep -qx "$change"
    done
    sqlite3 all.db "SELECT count(*) FROM transition WHERE cause = 'domain failed'" | grep -qvx 0
    "$FAULTLINE_ROOT/plots/timeline" all.db
    for word in 'in maintenance' 'in repair' parked preempted down 'Orange below a band: slowed. Purple above a band: link degraded or cut.'; do
        grep -q "$word" timeline.svg
    done
}

@test "what happens every microsecond is said before it takes hours" {
    for source in 'kind: link, learners: [0], mtbi: 1us, lasts: constant(1us)' 'kind: preemption, learners: [0], mtbi: 1us, lasts: constant(1us)' \
        'kind: maintenance, calendar: {every: 2us, lasts: 1us}' 'kind: syncer, mtbi: 1us, return_after: constant(1us)' \
        'kind: silent, mtbi: 1us, found_after: constant(1us), return_after: constant(1us)' \
        'kind: slowdown, mtbi: 1us, factor: 2, lasts: constant(1us)' 'kind: domain, domain: {chips: 8}, mtbi: 1us, return_after: constant(1us)'; do
        scenario decoupled-diloco 4 "$source"
        "$FAULTLINE" check one.yaml -s checkpoint.restore=0s 2>&1 >/dev/null | grep -q 'meant so short'
        run --separate-stderr timeout 1 "$FAULTLINE" run one.yaml -s checkpoint.restore=0s -n 1
        # status 4 when a fast machine finds out within the second that it gets nowhere
        [ "$status" -eq 124 ] || { [ "$status" -eq 4 ] && grep -q '^faultline: replica 0: no progress at t = ' <<<"$stderr"; }
        grep -q 'meant so short' <<<"$stderr"
    done
}
