# faultline merge: the union of databases is the database of a single run; duplicates, conflicts, bad files, kills.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOT'
name: tiny
method: decoupled-diloco
duration: 1h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
learners: {count: 2, step_time: 7.5s}
EOT
}

query() { sqlite3 -init /dev/null -batch "$@"; }

# simulate FILE.db OPTION...: stores replicas under seed 1, or what the options say.
simulate() {
    local file=$1
    shift
    "$FAULTLINE" run tiny.yaml --seed 1 -q -o "$file" "$@" >/dev/null
}

# content FILE.db: all there is but numbers of rows and the wall clock, in an order of its own.
content() {
    local of='(SELECT hash FROM scenario WHERE id = scenario_id), replica, seed' columns
    columns=$(query "$1" "SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('run')
        WHERE name NOT IN ('id', 'scenario_id', 'started_at', 'wall_s')")
    query "$1" "SELECT name, method, chips, learners, hash, text, question FROM scenario ORDER BY hash" \
        "SELECT hash, key, param.text, value, source FROM param JOIN scenario ON scenario.id = scenario_id ORDER BY hash, key" \
        "SELECT $of, $columns FROM run ORDER BY 1, 2, 3" \
        "SELECT $of, learner, name, chip_seconds FROM bucket JOIN run ON run.id = run_id ORDER BY 1, 2, 3, 4, 5" \
        "SELECT $of, learner, chips, learner.steps, learner.tokens, stepping_s, learner.interruptions, restoring_chip_s FROM learner JOIN run ON run.id = run_id ORDER BY 1, 2, 3, 4" \
        "SELECT $of, t_ns, entity, transition.id, from_state, to_state, cause FROM transition JOIN run ON run.id = run_id ORDER BY 1, 2, 3, transition.rowid" \
        "SELECT $of, round, opened_ns, quorum_ns, closed_ns, fragment, round.participants, weight, round.effective_learners, round.tokens, round.staleness_max, restarts FROM round JOIN run ON run.id = run_id ORDER BY 1, 2, 3, 4, 14"
}

# is_sound FILE.db: its numbers of rows refer to rows.
is_sound() { [ "$(query "$1" 'PRAGMA quick_check(1); PRAGMA foreign_key_check')" = ok ] ; }

@test "the union is what one run would have stored, in any order and as often as you like" {
    log=(--log transitions)
    simulate whole.db -n 12 "${log[@]}"
    simulate whole.db -n 3 -s elastic.upscale=9s "${log[@]}"
    simulate whole.db -n 4 --seed 7 "${log[@]}"
    simulate a.db -n 12 "${log[@]}"
    simulate b.db -n 3 -s elastic.upscale=9s "${log[@]}"
    simulate b.db -n 5 "${log[@]}"
    simulate "c '%?#;\".db" -n 4 --seed 7 "${log[@]}"
    content whole.db >expected
    "$FAULTLINE" merge a.db b.db "c '%?#;\".db" -o all.db 2>err
    printf 'faultline: %s\n' 'a.db: 12 runs added, 0 already there' 'b.db: 3 runs added, 5 already there' \
        "c '%?#;\".db: 4 runs added, 0 already there" | cmp - err
    content all.db | cmp - expected
    "$FAULTLINE" merge -q "$PWD/c '%?#;\".db" "/$PWD/b.db" ./a.db -o "o 'r;--.db" 2>err
    [ ! -s err ]
    content "o 'r;--.db" | cmp - expected
    "$FAULTLINE" merge -q a.db b.db -o all.db
    content all.db | cmp - expected
    is_sound all.db
    "$FAULTLINE" run tiny.yaml -n 12 --seed 1 -o all.db 2>&1 >/dev/null | grep -qx 'faultline: 12 reused, 0 computed'
}

@test "a run that is there already gets the logs that it lacks" {
    simulate whole.db -n 4 --log rounds --log transitions
    simulate a.db -n 4
    simulate b.db -n 4 --log rounds
    simulate c.db -n 4 --log transitions
    "$FAULTLINE" merge -q a.db b.db c.db whole.db -o all.db
    content all.db >merged
    content whole.db | cmp - merged
}

@test "runs that should be the same but differ are named, and the first stays" {
    simulate a.db -n 12
    simulate b.db -n 12
    simulate b.db -n 12 --log rounds
    query b.db 'UPDATE run SET goodput = goodput + 1e-9 WHERE replica = 3'
    run "$FAULTLINE" merge a.db b.db -o all.db
    [ "$status" -eq 1 ]
    [ "${lines[1]}" = "faultline: b.db: scenario 'tiny', replica 3, seed 1: its numbers differ from those in all.db, which stay" ]
    [ "$(query all.db "ATTACH 'a.db' AS a; SELECT count(*) FROM run JOIN a.run AS o USING (replica) WHERE run.goodput = o.goodput")" -eq 12 ]
    [ "$(query all.db 'SELECT group_concat(replica) FROM run WHERE NOT rounds_logged')" = 3 ]
    [ "$(query all.db 'SELECT count(*) FROM round JOIN run ON run.id = run_id WHERE replica = 3')" -eq 0 ]
    query b.db 'UPDATE run SET failures = NULL'
    run "$FAULTLINE" merge -q b.db -o all.db
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 11 ]
    [ "${lines[10]}" = 'faultline: and 2 more runs with other numbers' ]
}

@test "between kinds of CPU a difference is one note" {
    simulate a.db -n 3
    simulate b.db -n 3
    query b.db 'UPDATE run SET goodput = goodput + 1e-15, fma = 1 - fma'
    run "$FAULTLINE" merge -q a.db b.db -o all.db
    [ "$status" -eq 0 ]
    [ "$output" = 'faultline: note: 3 runs differ from those in all.db, which stay: they come from CPUs with and without fused multiply-add, whose last bits differ' ]
}

@test "a file that cannot be merged is refused before anything is written" {
    simulate a.db -n 2
    simulate old.db -n 1
    query old.db 'PRAGMA user_version = 0'
    simulate new.db -n 1
    query new.db 'PRAGMA user_version = 99'
    query other.db 'CREATE TABLE t(x)'
    : >empty.db
    ln a.db same.db
    while IFS='|' read -r name why; do
        run "$FAULTLINE" merge a.db "$name" -o all.db
        [ "$status" -eq 2 ]
        [ "$output" = "faultline: $name: $why" ]
        [ ! -e all.db ]
    done <<'EOT'
old.db|has schema version 0, this program knows versions 1 to 5; a newer faultline reads it
new.db|has schema version 99, this program knows versions 1 to 5; a newer faultline reads it
other.db|is a database of another program
tiny.yaml|cannot be read as a database: file is not a database
empty.db|is empty
missing.db|cannot be opened: unable to open database file
.|is a folder; results are stored in a file
EOT
    run "$FAULTLINE" merge same.db -o a.db
    [ "$status" -eq 2 ]
    [ "$output" = 'faultline: same.db: is the database to merge into; leave it out' ]
    for name in other.db tiny.yaml missing/all.db; do
        run "$FAULTLINE" merge a.db -o "$name"
        [ "$status" -eq 3 ]
    done
    [ "$(query other.db '.tables')" = t ]
    run "$FAULTLINE" merge a.db
    [ "$status" -eq 64 ]
    run "$FAULTLINE" merge -o all.db
    [ "$status" -eq 64 ]
}

@test "a file that turns out broken adds nothing" {
    simulate a.db -n 2
    simulate b.db -n 2 --seed 2
    query b.db "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'name TEXT NOT NULL', 'name TEXT') WHERE name = 'scenario'"
    query b.db 'UPDATE scenario SET name = NULL'
    query b.db "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'name TEXT,', 'name TEXT NOT NULL,') WHERE name = 'scenario'"
    simulate all.db -n 1 --seed 3
    run "$FAULTLINE" merge a.db b.db -o all.db
    [ "$status" -eq 3 ]
    [ "${lines[1]}" = 'faultline: b.db: cannot be merged into all.db: NOT NULL constraint failed: scenario.name' ]
    [ "$(query all.db 'SELECT group_concat(seed) FROM (SELECT seed FROM run ORDER BY id)')" = 3,1,1 ]
    is_sound all.db
}

@test "kill -9 leaves whole files, and the same command completes" {
    simulate a.db -n 3000
    simulate b.db -n 3000 --seed 2
    "$FAULTLINE" merge -q a.db b.db -o whole.db
    content whole.db >expected
    for after in 0.005 0.02 0.04 0.06 0.08 0.1 0.15; do
        "$FAULTLINE" merge -q a.db b.db -o all.db &
        sleep "$after"
        kill -9 $! 2>/dev/null || true
        wait $! || true
        [ -e all.db ] || continue
        # Inside a transaction nothing is there yet: each file is whole or absent.
        if [ -n "$(query all.db "SELECT 1 FROM sqlite_schema WHERE name = 'run'")" ]; then
            [ -z "$(query all.db 'SELECT seed FROM run GROUP BY seed HAVING count(*) <> 3000')" ]
            [ "$(query all.db 'SELECT count(*) FROM learner')" -eq "$(query all.db 'SELECT 2 * count(*) FROM run')" ]
            is_sound all.db
        fi
    done
    "$FAULTLINE" merge -q a.db b.db -o all.db
    content all.db | cmp - expected
}

@test "two merges into one file, while another process writes into an input" {
    simulate a.db -n 200
    simulate b.db -n 200 --seed 2
    simulate a.db -n 400 &
    writer=$!
    "$FAULTLINE" merge -q a.db -o all.db &
    first=$!
    "$FAULTLINE" merge -q b.db a.db -o all.db
    wait "$first"
    wait "$writer"
    "$FAULTLINE" merge -q a.db -o all.db
    [ "$(query all.db 'SELECT count(*) FROM run')" -eq 600 ]
    is_sound all.db
}
