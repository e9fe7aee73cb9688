# run --trace: a timeline for Perfetto and Chrome, asked with the JSON functions of sqlite3.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOT'
name: "tiny \"<x>\""
method: decoupled-diloco
duration: 2h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 40h, return_after: "exponential(mean=2min)"}
learners: {count: 2, step_time: 7.5s}
EOT
    trace() { "$FAULTLINE" run tiny.yaml --seed 1 -n 2 -q --trace t.json "$@" >run; }
}

query() { sqlite3 -init /dev/null -batch "$@"; }
# ask SQL: over the events of t.json as e(ph, pid, tid, name, cat, ts, dur, cause)
ask() {
    query :memory: "CREATE TABLE e AS SELECT value ->> 'ph' AS ph, value ->> 'pid' AS pid, value ->> 'tid' AS tid, value ->> 'name' AS name, value ->> 'cat' AS cat,
            value ->> 'ts' AS ts, value ->> 'dur' AS dur, value ->> 'id' AS id, value -> 'args' ->> 'cause' AS cause
        FROM json_each(readfile('t.json'), '\$.traceEvents'); $1"
}

@test "trace: valid JSON with what was simulated, and nothing else changes" {
    trace --format csv
    "$FAULTLINE" run tiny.yaml --seed 1 -n 2 -q --format csv | cmp - run
    [ "$(query :memory: "SELECT json_valid(readfile('t.json'))")" = 1 ]
    [ "$(query :memory: "SELECT readfile('t.json') -> 'otherData' ->> 'scenario'")" = 'tiny "<x>"' ]
    [ "$(query :memory: "SELECT readfile('t.json') -> 'otherData' -> 'cut'")" = false ]
    cp t.json first.json
    trace -j 1
    cmp t.json first.json
    [ "$(find . -name '*part*' | wc -l)" -eq 0 ]
}

@test "trace: the states of a learner lie end to end from the beginning to the end" {
    trace
    [ "$(ask "SELECT count(*) FROM (SELECT ts - lag(ts + dur, 1, 0) OVER (PARTITION BY tid ORDER BY ts) AS gap FROM e WHERE cat = 'learner') WHERE abs(gap) > 1e-3")" -eq 0 ]
    [ "$(ask "SELECT group_concat(total) FROM (SELECT round(sum(dur), 3) AS total FROM e WHERE cat = 'learner' GROUP BY tid)")" = 7200000000.0,7200000000.0 ]
    [ "$(ask "SELECT count(*) FROM e WHERE ph = 'M' AND name = 'thread_name'")" -eq 2 ]
}

@test "trace: it says what the database says" {
    trace -o a.db --log transitions --log rounds
    database() { query a.db "$1 AND run_id = (SELECT id FROM run WHERE replica = 0)"; }
    [ "$(ask "SELECT count(*) FROM e WHERE name = 'downscaling'")" -eq "$(database "SELECT count(*) FROM transition WHERE entity = 'learner' AND to_state = 'downscaling'")" ]
    [ "$(ask "SELECT count(*) FROM e WHERE cat = 'slice' AND name = 'away'")" -eq "$(database "SELECT count(*) FROM transition WHERE entity = 'slice' AND to_state = 'away'")" ]
    [ "$(ask "SELECT printf('%d', 1000 * min(ts)) FROM e WHERE name = 'downscaling'")" = "$(database "SELECT min(t_ns) FROM transition WHERE entity = 'learner' AND to_state = 'downscaling'")" ]
    [ "$(ask "SELECT count(*) FROM e WHERE ph = 'b'")" -eq "$(database 'SELECT count(*) FROM round WHERE 1')" ]
    [ "$(ask "SELECT count(*) FROM (SELECT id FROM e WHERE ph IN ('b', 'e') GROUP BY id HAVING count(*) <> 2 OR max(ts) < min(ts))")" -eq 0 ]
    [ "$(ask "SELECT count(*) FROM e WHERE cat = 'slice' AND name = 'active'")" -eq 0 ]
}

@test "trace: what is too long is cut, and says so" {
    run "$FAULTLINE" run tiny.yaml --seed 1 -n 1 --trace t.json -s duration=40d --format csv
    [ "$status" -eq 0 ]
    [[ "$output" == *"faultline: the trace ends at t = "*" s, after 500000 events; a shorter duration shows all of it"* ]]
    [ "$(query :memory: "SELECT readfile('t.json') -> 'otherData' -> 'cut'")" = true ]
    events=$(query :memory: "SELECT json_array_length(readfile('t.json'), '\$.traceEvents')")
    [ "$events" -gt 499990 ]
    [ "$events" -le 500001 ]
    [ "$(stat -c %s t.json)" -lt 100000000 ]
    [ "$(ask "SELECT count(*) FROM e WHERE ph = 'i'")" -eq 1 ]
}

@test "trace: with a tape, into nowhere, onto a device" {
    run "$FAULTLINE" run tiny.yaml -q --tape a.tape --trace t.json
    [ "$status" -eq 64 ]
    run "$FAULTLINE" run tiny.yaml -q --trace nowhere/t.json
    [ "$status" -eq 3 ]
    [[ "$output" == "faultline: nowhere/t.json.part-"*": No such file or directory" ]]
    run "$FAULTLINE" run tiny.yaml -q --trace /dev/null
    [ "$status" -eq 3 ]
    [ "$output" = "faultline: /dev/null: exists and is not a file: a trace would take its place" ]
}
