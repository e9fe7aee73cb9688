# --timeout: a replica that takes too long is stopped, says where it was, and is computed again by a rerun.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOS'
name: tiny
method: decoupled-diloco
duration: 2h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
learners: {count: 2, step_time: 7.5s}
EOS
    sed 's/^duration:.*/duration: 200y/' tiny.yaml >slow.yaml
}

query() { sqlite3 -init /dev/null -batch "$@"; }

@test "a replica over its time is stopped: where, status 4, nothing but that in the database" {
    run "$FAULTLINE" run slow.yaml -n 2 --seed 1 --timeout 300ms --format csv -o a.db
    [ "$status" -eq 4 ]
    [[ "$output" =~ 'faultline: replica 0: stopped at t = '[0-9.e+]+' s after 0.3 s of wall time (--timeout): the same command computes it again; 2 of 2 replicas ended so' ]]
    [ "$(grep -c '^tiny,.*,1,0,,,,.*,,,,timeout$' <<<"$output")" -eq 2 ]
    [ "$(query a.db "SELECT count(*), sum(status = 'timeout'), sum(no_progress_at_ns > 0), count(goodput), max(wall_s) BETWEEN 0.3 AND 60 FROM run")" = '2|2|2|0|1' ]
    [ "$(query a.db 'SELECT (SELECT count(*) FROM learner) + (SELECT count(*) FROM bucket)')" -eq 0 ]
    [ "$(query a.db 'SELECT count(*) FROM goodput_summary')" -eq 0 ]
}

@test "a rerun computes it again, and its row takes the place" {
    "$FAULTLINE" run slow.yaml -s duration=3y -n 2 --seed 1 --timeout 1ms -q -o a.db >/dev/null || [ $? -eq 4 ]
    "$FAULTLINE" run slow.yaml -s duration=3y -n 2 --seed 1 --format csv >fresh
    "$FAULTLINE" run slow.yaml -s duration=3y -n 2 --seed 1 --format csv --timeout 10min -o a.db 2>err >out
    cmp fresh out
    [ "$(query a.db "SELECT count(*), sum(status = 'done'), count(no_progress_at_ns) FROM run")" = '2|2|0' ]
    [ "$(query a.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ]
    "$FAULTLINE" run slow.yaml -s duration=3y -n 2 --seed 1 -o a.db 2>&1 >/dev/null | grep -qx 'faultline: 2 reused, 0 computed'
}

@test "a replica that is stored is kept when another process runs out of time" {
    "$FAULTLINE" run slow.yaml -s duration=3y -n 1 --seed 1 -q -o a.db >/dev/null
    "$FAULTLINE" run slow.yaml -s duration=3y -n 1 --seed 1 -q -o b.db >/dev/null
    query b.db "DELETE FROM bucket; DELETE FROM learner; UPDATE run SET status = 'timeout', no_progress_at_ns = 5, goodput = NULL"
    cp b.db c.db
    "$FAULTLINE" merge -q a.db b.db -o all.db # ours is whole
    "$FAULTLINE" merge -q a.db -o b.db        # theirs is whole
    for file in all.db b.db; do
        [ "$(query $file 'SELECT count(*), min(status), count(goodput) FROM run')" = '1|done|1' ]
        [ "$(query $file 'SELECT count(*) FROM learner')" -eq 2 ]
    done
    "$FAULTLINE" merge -q c.db c.db -o two.db
    [ "$(query two.db 'SELECT count(*), status FROM run')" = '1|timeout' ]
}

@test "those that are in time are kept; a sweep, a comparison and a plan say what is missing" {
    run "$FAULTLINE" sweep tiny.yaml --vary duration=2h,200y -n 2 --seed 1 --timeout 2s --format csv -o a.db
    [ "$status" -eq 4 ]
    [[ "$output" == *'faultline: duration=200y: replica 0: stopped at t = '*'; 2 of 4 replicas ended so'* ]]
    [ "$(query a.db "SELECT group_concat(status) FROM (SELECT status FROM run ORDER BY scenario_id, replica)")" = done,done,timeout,timeout ]
    run "$FAULTLINE" compare tiny.yaml slow.yaml -n 2 --seed 1 --timeout 2s
    [ "$status" -eq 4 ]
    [[ "$output" == *'stopped at t = '* ]]
    run "$FAULTLINE" plan slow.yaml --solve learners.count=1..4 --maximize goodput -n 2 --seed 1 --timeout 100ms
    [ "$status" -eq 4 ]
    [[ "$output" == *'stopped at t = '* ]]
    [[ "$output" != *'learners.count  '* ]]
}

@test "what is no time is refused" {
    for bad in 5 0s -1s never 1e99s; do
        run "$FAULTLINE" run tiny.yaml --timeout "$bad"
        [ "$status" -eq 64 ]
        [[ "$output" == *--timeout:* ]]
    done
}

@test "without a database a run that times out writes no tape" {
    run "$FAULTLINE" run slow.yaml -n 1 --seed 1 --timeout 200ms --tape tape
    [ "$status" -eq 3 ]
    [[ "$output" == *'no tape: replica 0 ended as timeout'* ]]
    [ ! -e tape ]
}

@test "signals: inside the first replica, a second one, while a file is busy" {
    for signal in INT:130 TERM:143; do
        env --default-signal=INT,TERM "$FAULTLINE" run slow.yaml -s duration=200y -n 3 -j 2 --seed 1 -o a.db >out 2>err &
        sleep 0.5
        kill "-${signal%:*}" $!
        status=0
        wait $! || status=$?
        [ "$status" -eq "${signal#*:}" ]
        grep -qx 'faultline: interrupted: 0 of 3 replicas are finished and kept in a.db, the rest is not done' err
        [ "$(query a.db 'PRAGMA integrity_check; SELECT count(*) FROM run')" = $'ok\n0' ]
    done
    "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o b.db >/dev/null
    (echo 'BEGIN IMMEDIATE;'; sleep 5) | sqlite3 b.db &
    holder=$!
    sleep 0.3
    env --default-signal=TERM "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -o b.db >out 2>err &
    sleep 0.7
    kill -TERM $!
    status=0
    wait $! || status=$?
    [ "$status" -eq 143 ]
    wait $holder || true
    [ "$(query b.db 'PRAGMA integrity_check; SELECT count(*) FROM run')" = $'ok\n1' ]
}

@test "output that cannot be written is a failure of every command, help included" {
    "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o a.db >/dev/null
    for command in --help --version 'run --help' 'check tiny.yaml' 'run tiny.yaml -n 1 --seed 1' 'export a.db --table run' \
        'keys' 'fsm slice' 'sweep tiny.yaml --vary seed=1 --help'; do
        # shellcheck disable=SC2086
        run bash -c '"$FAULTLINE" '"$command"' >/dev/full'
        [ "$status" -eq 3 ]
        [[ "$output" == *'standard output: No space left on device'* ]]
        run bash -c '"$FAULTLINE" '"$command"' >&-'
        [ "$status" -eq 3 ]
        [[ "$output" == *'standard output: Bad file descriptor'* ]]
        run bash -c 'set -o pipefail; "$FAULTLINE" '"$command"' | true; exit "${PIPESTATUS[0]}"'
        [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
        [ -z "$output" ] || [[ "$output" != *Broken* ]]
    done
}
