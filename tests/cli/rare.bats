# faultline rare: outages that are too rare to be seen, what is printed of them, what is refused.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >a.yaml <<'EOT'
name: a
method: decoupled-diloco
duration: 20d
fleet: {chips: 4, chips_per_slice: 1}
failures:
  chip: {kind: chip, mtbi: 50h, return_after: "exponential(mean=1h)"}
elastic: {downscale: 0s, upscale: 0s, restart: 0s, noticed: at_once, overlap: next_step, both: sum, upscale_every: 0s}
learners: {count: 4, step_time: 10min}
syncer: {recover_after: 1M, quorum: 1}
EOT
}

@test "an outage that nobody has seen has a share, with its interval: (1/51)^4 = 1.48e-7 and a little less at the start" {
    "$FAULTLINE" rare a.yaml --seed 4 -q --format csv >out
    [ "$(head -1 out)" = metric,method,downtime,low,high,outages_per_year,n ]
    [ "$(wc -l <out)" -eq 4 ]
    awk -F, '$2 == "splitting" { exit !($1 == "uptime" && $4 < 1.48e-7 && 1.48e-7 < $5 && $5 < 6 * $4 && $6 > 0 && $7 == 10) }' out
    awk -F, '$2 == "seen" { exit !($3 == 0 && $4 == 0 && $5 > 1e-6 && $6 == "") }' out
    awk -F, '$2 == "independent" { exit !($4 < 1.48e-7 && 1.48e-7 < $5) }' out
}

@test "one learner is one learner" {
    "$FAULTLINE" rare a.yaml --seed 4 -q -n 3 -s learners.count=1 >out || [ $? -eq 4 ] # no pause, no outage
    [[ "$(head -1 out)" =~ ^3\ replicas\ of\ [0-9.]+\ (d|h),\ 1\ learner\;\ down\ is\ when\ none\ steps$ ]]
}

@test "the same bytes for any number of processes" {
    "$FAULTLINE" rare a.yaml --seed 4 -q -n 4 -j 1 --format json >one
    "$FAULTLINE" rare a.yaml --seed 4 -q -n 4 -j 3 --format json >three
    cmp one three
}

@test "the replicas are stored and reused, the copies are not" {
    "$FAULTLINE" rare a.yaml --seed 4 -q -n 3 -o r.db --format csv >first
    [ "$(sqlite3 r.db 'SELECT count(*) FROM run')" -eq 3 ]
    "$FAULTLINE" rare a.yaml --seed 4 -q -n 3 -o r.db --format csv >second
    cmp first second
    [ "$(sqlite3 r.db 'SELECT count(*) FROM run')" -eq 3 ]
}

@test "a quorum that is lost, and what ties learners together" {
    "$FAULTLINE" rare a.yaml --seed 4 -q -n 4 -s syncer.quorum=2 --metric quorum_uptime >out
    [[ "$(head -1 out)" == "4 replicas of 20 d, 4 learners; down is when fewer than 2 step" ]]
    grep -q '^quorum_uptime is 1 - .* nines' out
    grep -q '^Learners are not independent: learners may wait for each other or for the syncer\.$' out
    ! grep -q 'if learners are independent' out
}

@test "what cannot be reached has no share, and status 4" {
    run -4 --separate-stderr "$FAULTLINE" rare a.yaml --seed 4 -q -n 2 -s duration=1h -s failures.chip.mtbi=1000y
    [[ "$output" == *"No copy of a replica came to an outage: the pilot got as far as 1 of 4 learners"* ]]
    [[ "$output" != *"100"*"%"* ]]
}

@test "that there is no answer, but nowhere to write so, is status 3" {
    run -3 bash -c '"$FAULTLINE" rare a.yaml --seed 4 -q -n 2 -s duration=1h -s failures.chip.mtbi=1000y >/dev/full'
    [ "$output" = "faultline: standard output: No space left on device" ]
}

@test "what is refused" {
    run -2 --separate-stderr "$FAULTLINE" rare a.yaml --seed 4 -q -s until.work=5h
    [[ "$stderr" == *"until: a share of the time is of a time that is given"* ]]
    run -64 --separate-stderr "$FAULTLINE" rare a.yaml --metric goodput
    [[ "$stderr" == *"--metric: 'goodput' is not one of uptime, quorum_uptime"* ]]
    run -64 --separate-stderr "$FAULTLINE" rare a.yaml -n 1
    [[ "$stderr" == *"an interval takes 2 replicas and more"* ]]
    run -64 "$FAULTLINE" rare
}
