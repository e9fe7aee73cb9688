# faultline run --tape and faultline replay.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOT'
name: tiny
method: decoupled-diloco
duration: 6h
seed: 5
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
  night: {kind: preemption, learners: [3], mtbi: 1h, lasts: "exponential(mean=10min)"}
learners: {count: 4, step_time: 7.5s, step_jitter: 10%}
syncer: {quorum: 2, fragments: 3, sync_every: 3}
network: {parameters: 1G, link: 10Gbit/s, links: {far: {learners: [1], link: 2Gbit/s}}}
EOT
}

teardown() {
    ! mountpoint -q "$BATS_TEST_TMPDIR/small" || umount "$BATS_TEST_TMPDIR/small"
}

@test "a replayed tape gives the numbers of the run, and says how many records" {
    "$FAULTLINE" run tiny.yaml -q -n 3 --tape t.tape --format csv >run.csv
    "$FAULTLINE" replay t.tape --format csv >replay.csv 2>said
    cmp <(head -2 run.csv) replay.csv
    [ "$(cat said)" = "faultline: $(grep -c '^[dsurxmb] ' t.tape) records, all the same" ]
    "$FAULTLINE" run tiny.yaml -q -n 1 --format csv | cmp - replay.csv
    "$FAULTLINE" replay t.tape tiny.yaml -q >/dev/null
    [ -z "$(ls | grep part)" ]
}

@test "a tape holds a record of each step, and of each round" {
    "$FAULTLINE" run tiny.yaml -q -n 1 --tape t.tape --format csv >run.csv
    column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == 2 { print $c }' run.csv; }
    [ "$(grep -c '^s ' t.tape)" -eq "$(column steps)" ]
    [ "$(grep -c '^r ' t.tape)" -eq "$(column rounds)" ]
    [ "$(grep -c '^x .* slice .* active failed ' t.tape)" -eq "$(column failures)" ]
    [ "$(grep -c '^x .* learner .* recovering stepping ' t.tape)" -eq "$(column recoveries)" ]
    # each learner's steps are numbered without a gap
    awk '$1 == "s" && $4 != ++n[$3] { exit 1 }' t.tape
}

@test "the vector clocks on a tape add up to what a learner knows of the others" {
    "$FAULTLINE" run tiny.yaml -q -n 1 --tape t.tape >/dev/null
    # own entry = own step; of others never more than they have done so far
    awk '$1 == "s" { for (i = 8; i <= NF; i++) known[$3, i - 8] += $i
                     done[$3] = $4
                     if (known[$3, $3] != $4) exit 1
                     for (m = 0; m < 4; m++) if (known[$3, m] > done[m]) exit 2
                     if (known[$3, 4] > rounds) exit 3 }
         $1 == "r" { rounds++ }' t.tape
}

@test "another quorum on the same tape stops where the tape does, and says so" {
    "$FAULTLINE" run tiny.yaml -q -n 1 -s syncer.quorum=4 --tape t.tape >/dev/null
    run --separate-stderr "$FAULTLINE" replay t.tape -s syncer.quorum=1 --format csv
    [ "$status" -eq 0 ]
    [[ "$stderr" == "faultline: the tape ends at t = "*" s: what comes next needs a step or a random number that it does not hold" ]]
    [[ "$output" == *",tape_ended,1" ]]
    [[ "${lines[0]}" == *",status,syncer.quorum" ]]
}

@test "what changes nothing on the tape runs to its end" {
    "$FAULTLINE" run tiny.yaml -q -n 1 --tape t.tape --format csv >run.csv
    run --separate-stderr "$FAULTLINE" replay t.tape -s duration=3h --format csv
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    "$FAULTLINE" run tiny.yaml -q -n 1 -s duration=3h --format csv >half.csv
    [ "$output" = "$(cat half.csv)" ]
    "$FAULTLINE" replay t.tape -q -s learners.tokens_per_step=8M >/dev/null
}

@test "a design that the tape knows nothing of is no answer" {
    "$FAULTLINE" run tiny.yaml -q -n 1 --tape t.tape >/dev/null
    run "$FAULTLINE" replay t.tape -s learners.count=8
    [ "$status" -eq 4 ]
    [ "$output" = "faultline: t.tape: the tape holds nothing of this: it is over at once" ]
}

@test "what is no tape, or not of the scenario, is refused" {
    "$FAULTLINE" run tiny.yaml -q -n 1 --tape t.tape >/dev/null
    sed 's/jitter: 10%/jitter: 20%/' tiny.yaml >other.yaml
    run "$FAULTLINE" replay t.tape other.yaml
    [ "$status" -eq 2 ]
    [ "$output" = 'faultline: t.tape: the tape is not of this scenario: it has `  step_jitter: 10%`, other.yaml has `  step_jitter: 20%`' ]
    run "$FAULTLINE" replay tiny.yaml
    [ "$status" -eq 2 ]
    [ "$output" = 'faultline: tiny.yaml:1: this is no event tape: its first line is not `faultline-tape` and a version' ]
    head -c -1 t.tape >cut.tape
    run "$FAULTLINE" replay cut.tape
    [ "$status" -eq 2 ]
    [ "$output" = 'faultline: cut.tape: the tape was cut: its last line is not `end`' ]
    sed '100s/ /  /' t.tape >changed.tape
    run "$FAULTLINE" replay changed.tape
    [ "$status" -eq 2 ]
    [ "$output" = "faultline: changed.tape: the tape was changed: its bytes do not give the hash of its last line" ]
    sed '1s/1/2/' t.tape >later.tape
    run "$FAULTLINE" replay later.tape
    [ "$output" = "faultline: later.tape: a tape of version 2; this program reads version 1" ]
    sed '3s/.*/model 0/' t.tape >older.tape
    run "$FAULTLINE" replay older.tape
    [[ "$output" == "faultline: older.tape:3: the tape is of another version of the model; "* ]]
    : >empty.tape
    run "$FAULTLINE" replay empty.tape
    [ "$output" = "faultline: empty.tape: not a file, or an empty one" ]
    run "$FAULTLINE" replay missing.tape
    [ "$output" = "faultline: missing.tape: No such file or directory" ]
    run "$FAULTLINE" replay
    [ "$status" -eq 64 ]
}

@test "a pipe that nobody writes to is no tape, and is not waited for" {
    mkfifo pipe
    run -2 --separate-stderr timeout 10 "$FAULTLINE" replay pipe
    [ "$stderr" = 'faultline: pipe: not a file, or an empty one' ]
}

@test "a stored replica is computed again for its tape, and stored once" {
    "$FAULTLINE" run tiny.yaml -q -n 2 -o r.db >/dev/null
    "$FAULTLINE" run tiny.yaml -n 2 -o r.db --tape t.tape --log rounds --log transitions >/dev/null 2>said
    grep -q "computed" said
    [ "$(sqlite3 r.db 'SELECT count(*) FROM run')" -eq 2 ]
    [ "$(sqlite3 r.db 'SELECT count(*) FROM round JOIN run ON run.id = run_id WHERE replica = 0')" -eq "$(grep -c '^r ' t.tape)" ]
    [ "$(sqlite3 r.db 'SELECT count(*) FROM transition JOIN run ON run.id = run_id WHERE replica = 0')" -eq "$(grep -c '^x ' t.tape)" ]
    "$FAULTLINE" replay t.tape -q >/dev/null
}

@test "a tape that cannot be written is no file, and status 3" {
    run "$FAULTLINE" run tiny.yaml -q -n 1 --tape nowhere/t.tape
    [ "$status" -eq 3 ]
    [[ "$output" == "faultline: nowhere/t.tape.part-"*": No such file or directory" ]]
    [ "$(id -u)" -eq 0 ] || skip "a small disk needs root"
    mkdir small
    mount -t tmpfs -o size=64k none small || skip "cannot mount a small disk here"
    run "$FAULTLINE" run tiny.yaml -q -n 1 --tape small/t.tape
    [ "$status" -eq 3 ]
    [[ "$output" == *"faultline: small/t.tape: the tape cannot be written: No space left on device"* ]]
    [ -z "$(ls small)" ]
}

@test "an interrupted run leaves no tape" {
    "$FAULTLINE" run tiny.yaml -q -n 1 -s duration=20y --tape t.tape >/dev/null 2>&1 &
    sleep 0.5
    kill -TERM $!
    wait $! || status=$?
    [ "$status" -eq 143 ]
    [ -z "$(ls | grep tape)" ]
}

@test "a tape takes the place of a file, never that of a device, a pipe or a folder" {
    mkfifo pipe
    mkdir folder
    for name in pipe folder; do
        run "$FAULTLINE" run tiny.yaml -q -n 1 --tape $name
        [ "$status" -eq 3 ]
        [ "$output" = "faultline: $name: exists and is not a file: a tape would take its place" ]
    done
    [ -p pipe ]
    touch old.tape
    "$FAULTLINE" run tiny.yaml -q -n 1 --tape old.tape >/dev/null
    "$FAULTLINE" replay old.tape -q >/dev/null
}
