# Databases of older versions: tests/cli/old/vN.sql are dumps of what faultline of schema version N wrote.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    old=$FAULTLINE_ROOT/tests/cli/old
    cat >tiny.yaml <<'EOS'
name: tiny
method: decoupled-diloco
duration: 2min
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 4h, return_after: "exponential(mean=2min)"}
learners: {count: 2, step_time: 7.5s}
EOS
}

query() { sqlite3 -init /dev/null -batch "$@"; }

# content FILE.db: what every version of the schema has.
content() {
    query "$1" 'SELECT name, method, chips, learners, hash, text FROM scenario' \
        'SELECT key, text, value FROM param ORDER BY key' \
        'SELECT id, replica, seed, status, duration_s, goodput, uptime, failures, rounds, tokens_merged, started_at FROM run' \
        'SELECT * FROM bucket ORDER BY 1, 2, 3' 'SELECT * FROM transition ORDER BY rowid' \
        'SELECT run_id, round, opened_ns, quorum_ns, closed_ns, fragment, participants, weight, tokens FROM round ORDER BY 1, 2'
}

# as_of_today FILE.db: its scenario counts as one of this version of the models, whose hash is another.
as_of_today() {
    "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o today.db >/dev/null
    query "$1" "UPDATE scenario SET hash = '$(query today.db 'SELECT hash FROM scenario')'"
    rm today.db
}

is_sound() { [ "$(query "$1" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ]; }

@test "reading commands read every version and leave the file as it is" {
    for version in 1 2 3 4; do
        rm -f a.db
        query a.db <"$old/v$version.sql"
        before=$(cksum <a.db)
        "$FAULTLINE" export a.db --table run --format csv >rows
        [ "$(wc -l <rows)" -eq 3 ]
        grep -q '^1,1,0,1,done,,120,0.946875,' rows
        "$FAULTLINE" export a.db --table goodput_summary >/dev/null
        "$FAULTLINE" report a.db -o page.html
        grep -q '97[.]34' page.html
        run "$FAULTLINE" table 1a a.db
        [ "$status" -eq 4 ]
        [ "$(cksum <a.db)" = "$before" ]
    done
}

@test "a command that stores brings the file to this version, with every row" {
    for version in 1 2 3 4; do
        rm -f a.db b.db
        query a.db <"$old/v$version.sql"
        content a.db >before
        "$FAULTLINE" run tiny.yaml -n 1 --seed 5 -o a.db 2>err >/dev/null
        grep -qx "faultline: a.db: its tables were those of schema version $version, now they are of 5" err
        query a.db 'PRAGMA foreign_keys = ON; DELETE FROM bucket WHERE run_id > 2; DELETE FROM learner WHERE run_id > 2;
            DELETE FROM run WHERE id > 2; DELETE FROM param WHERE scenario_id > 1; DELETE FROM scenario WHERE id > 1'
        content a.db | cmp - before
        is_sound a.db
        "$FAULTLINE" run tiny.yaml -n 1 --seed 5 -q -o b.db >/dev/null
        [ "$(query a.db .schema)" = "$(query b.db .schema)" ]
        [ "$(query a.db 'SELECT count(*) FROM student')" -eq 1000 ]
        [ "$(query a.db 'SELECT sum(complete), count(*) FROM run')" = '0|2' ]
    done
}

@test "runs of another version of the models are not taken for those of today, and stay" {
    query a.db <"$old/v4.sql"
    content a.db >before
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --format csv >fresh
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --format csv -o a.db 2>err >out
    grep -qx 'faultline: 0 reused, 2 computed' err
    cmp fresh out
    [ "$(query a.db 'SELECT count(*), count(DISTINCT hash) FROM scenario; SELECT count(*) FROM run')" = $'2|2\n4' ]
    query a.db 'PRAGMA foreign_keys = ON; DELETE FROM bucket WHERE run_id > 2; DELETE FROM learner WHERE run_id > 2;
        DELETE FROM run WHERE id > 2; DELETE FROM param WHERE scenario_id > 1; DELETE FROM scenario WHERE id > 1'
    content a.db | cmp - before
}

@test "of two versions of the models pictures and reports take the newer runs, and say so" {
    query a.db <"$old/v4.sql"
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -q -s fleet.chips_per_slice=4 -o a.db >/dev/null
    "$FAULTLINE" report a.db -o both.html 2>err
    [ ! -s err ]
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -q -o a.db >/dev/null
    cp a.db b.db
    query b.db 'PRAGMA foreign_keys = ON; DELETE FROM round; DELETE FROM transition; DELETE FROM bucket WHERE run_id < 3;
        DELETE FROM learner WHERE run_id < 3; DELETE FROM run WHERE id < 3; DELETE FROM param WHERE scenario_id = 1; DELETE FROM scenario WHERE id = 1'
    left='left out: 1 of the scenarios, of which others say the same and have newer runs (another version of the models, or of a log)'
    for plot in accounts 'over fleet.chips_per_slice'; do
        read -r name arguments <<<"$plot"
        # shellcheck disable=SC2086 # none, or one word
        "$FAULTLINE_ROOT/plots/$name" a.db $arguments -o a 2>err
        [[ $(cat err) == *": $left" ]]
        # shellcheck disable=SC2086
        "$FAULTLINE_ROOT/plots/$name" b.db $arguments -o b 2>err
        [ ! -s err ]
        cmp a.svg b.svg
    done
    "$FAULTLINE" report a.db -o a.html 2>err
    grep -qx "faultline: note: $left" err
    "$FAULTLINE" report b.db -o b.html
    sed 's/b[.]db/a.db/g' b.html | cmp a.html -
}

@test "a run without metrics of today is computed again, and keeps its logs" {
    query a.db <"$old/v4.sql"
    as_of_today a.db
    rounds=$(query a.db 'SELECT * FROM round ORDER BY 1, 2' | wc -l)
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --format csv >fresh
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --format csv -o a.db 2>err >out
    grep -qx 'faultline: 0 reused, 2 computed' err
    cmp fresh out
    [ "$(query a.db 'SELECT count(*), sum(complete), sum(rounds_logged), count(cuts) FROM run')" = '2|2|2|2' ]
    [ "$(query a.db 'SELECT count(*) FROM round')" -eq "$rounds" ]
    is_sound a.db
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --log rounds -o a.db 2>&1 >/dev/null | grep -qx 'faultline: 2 reused, 0 computed'
}

@test "merge takes files of every version; what says more wins, in either order" {
    for version in 1 2 3 4; do
        rm -f a.db all.db
        query a.db <"$old/v$version.sql"
        before=$(cksum <a.db)
        "$FAULTLINE" merge -q a.db -o all.db
        [ "$(cksum <a.db)" = "$before" ]
        content a.db >expected
        content all.db | cmp - expected
        is_sound all.db
    done
    as_of_today a.db
    "$FAULTLINE" run tiny.yaml -n 3 --seed 1 -q -o new.db >/dev/null
    "$FAULTLINE" merge -q a.db new.db -o one.db
    "$FAULTLINE" merge -q new.db a.db -o two.db
    for file in one.db two.db; do
        is_sound $file
        [ "$(query $file 'SELECT count(*), sum(complete), count(DISTINCT replica) FROM run')" = '3|3|3' ]
    done
    [ "$(query one.db 'SELECT sum(rounds_logged) FROM run')" -eq 2 ]
    [ "$(query one.db 'SELECT count(*) FROM round')" -eq "$(query a.db 'SELECT count(*) FROM round')" ]
    "$FAULTLINE" run tiny.yaml -n 3 --seed 1 --format csv -o one.db 2>/dev/null >out
    "$FAULTLINE" run tiny.yaml -n 3 --seed 1 --format csv >fresh
    cmp fresh out
}

@test "a planner's own view outlives the change of version; a column of their own is not thrown away" {
    query a.db <"$old/v4.sql"
    query a.db 'CREATE VIEW mine AS SELECT replica, goodput FROM run; CREATE TABLE notes(x); INSERT INTO notes VALUES (7)'
    "$FAULTLINE" run tiny.yaml -n 1 --seed 5 -q -o a.db >/dev/null
    [ "$(query a.db 'SELECT count(*) FROM mine; SELECT x FROM notes')" = $'3\n7' ]
    query a.db 'ALTER TABLE run ADD COLUMN remark TEXT'
    before=$(query a.db .dump | cksum)
    run "$FAULTLINE" run tiny.yaml -n 1 --seed 5 -q -o a.db
    [ "$status" -eq 3 ]
    [ "$output" = "faultline: a.db: its table run has a column remark, which this program does not know; name another file" ]
    [ "$(query a.db .dump | cksum)" = "$before" ]
    "$FAULTLINE" export a.db --table run >/dev/null
}

@test "a file that only says it is ours is refused and left alone" {
    query a.db <"$old/v1.sql"
    query a.db 'ALTER TABLE learner DROP COLUMN tokens'
    query b.db <"$old/v1.sql"
    query b.db 'PRAGMA legacy_alter_table = ON; ALTER TABLE run RENAME TO rows; CREATE VIEW run AS SELECT * FROM rows'
    query c.db 'PRAGMA application_id = 1179407438; PRAGMA user_version = 5; CREATE TABLE run(x)'
    while IFS='|' read -r name why; do
        before=$(cksum <"$name")
        run "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o "$name"
        [ "$status" -eq 3 ]
        [ "$output" = "faultline: $name: $why" ]
        for command in 'export --table run' report 'table 1a'; do
            # shellcheck disable=SC2086
            run "$FAULTLINE" $command "$name"
            [ "$status" -eq 2 ]
            [ "$output" = "faultline: $name: $why" ]
        done
        [ "$(query "$name" .dump | wc -l)" -gt 0 ]
        [ "$(cksum <"$name")" = "$before" ]
    done <<'EOS'
a.db|its table learner lacks the column tokens
b.db|says it is a database of faultline, but has no table run
c.db|says it is a database of faultline, but has no table scenario
EOS
}
