# Where a database may lie: many writers at once, with and without shared memory, file systems of a network.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOS'
name: tiny
method: decoupled-diloco
duration: 1h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
learners: {count: 2, step_time: 7.5s}
EOS
}

query() { sqlite3 -init /dev/null -batch "$@"; }

needs_library() { [ -e "${DISK_LIBRARY-}" ] || skip "not under a sanitizer"; }

# expect_all FILE.db N: N runs of one scenario with their two learners, each once, in a sound file.
expect_all() {
    [ "$(query "$1" 'SELECT count(*), count(DISTINCT seed), (SELECT count(*) FROM learner), (SELECT count(*) FROM scenario) FROM run')" = "$2|$2|$((2 * $2))|1" ]
    [ "$(query "$1" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ]
}

@test "64 writers at once on a file that does not exist yet: none lost, none doubled, with either journal" {
    for journal in wal delete; do
        seq 192 | xargs -P 64 -I{} "$FAULTLINE" run tiny.yaml -n 1 -q --format csv --seed {} --journal $journal -o $journal.db >/dev/null
        expect_all $journal.db 192
        [ "$(query $journal.db 'PRAGMA journal_mode')" = $journal ]
        seq 64 | xargs -P 64 -I{} "$FAULTLINE" run tiny.yaml -n 3 -q --format csv --seed 1 -o $journal.db >/dev/null
        [ "$(query $journal.db 'SELECT count(*), count(DISTINCT seed), (SELECT count(*) FROM learner) FROM run')" = '194|192|388' ]
    done
}

@test "the journal is what was asked for, or what the file has" {
    "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o a.db >/dev/null
    [ "$(query a.db 'PRAGMA journal_mode')" = wal ]
    "$FAULTLINE" run tiny.yaml -n 1 --seed 2 -q --journal delete -o a.db >/dev/null
    [ "$(query a.db 'PRAGMA journal_mode')" = delete ]
    "$FAULTLINE" run tiny.yaml -n 1 --seed 3 -q -o a.db >/dev/null
    [ "$(query a.db 'PRAGMA journal_mode')" = delete ]
    "$FAULTLINE" merge a.db --journal delete -q -o b.db
    [ "$(query b.db 'PRAGMA journal_mode')" = delete ]
    "$FAULTLINE" run tiny.yaml -n 1 --seed 4 -q --journal wal -o a.db >/dev/null
    [ "$(query a.db 'PRAGMA journal_mode')" = wal ]
    expect_all a.db 4
    run "$FAULTLINE" run tiny.yaml --journal truncate -o a.db
    [ "$status" -eq 64 ]
    [[ "$output" == *"--journal: 'truncate' is not one of auto, wal, delete"* ]]
}

@test "many who change the journal of one file at once do not wait for each other for ever" {
    "$FAULTLINE" run tiny.yaml -n 1 --seed 1000 -q -o a.db >/dev/null
    seq 24 | xargs -P 12 -I{} timeout 100 "$FAULTLINE" run tiny.yaml -n 1 -q --format csv --seed {} --journal delete -o a.db >/dev/null
    expect_all a.db 25
    [ "$(query a.db 'PRAGMA journal_mode')" = delete ]
}

@test "without shared memory a file is written and read all the same, by many at once" {
    needs_library
    "$FAULTLINE" run tiny.yaml -n 1 --seed 1000 -q -o wal.db >/dev/null # brought from elsewhere
    export DISK_UNSHARED=1
    for name in new.db wal.db; do
        seq 32 | LD_PRELOAD=$DISK_LIBRARY xargs -P 16 -I{} "$FAULTLINE" run tiny.yaml -n 1 -q --format csv --seed {} -o $name >/dev/null
    done
    expect_all new.db 32
    expect_all wal.db 33
    for name in new.db wal.db; do
        [ "$(query $name 'PRAGMA journal_mode')" = delete ]
    done
    "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o again.db >/dev/null
    LD_PRELOAD=$DISK_LIBRARY "$FAULTLINE" export again.db --table run --format csv >rows
    [ "$(wc -l <rows)" -eq 2 ]
    LD_PRELOAD=$DISK_LIBRARY run "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q --journal wal -o b.db
    [ "$status" -eq 3 ]
    [ "$output" = 'faultline: b.db: --journal wal needs shared memory, and there is none here; delete works' ]
}

@test "on a file system of a network the journal is one that needs no shared memory" {
    needs_library
    "$FAULTLINE" run tiny.yaml -n 1 --seed 9 -q -o wal.db >/dev/null
    for name in new.db wal.db; do
        DISK_NETWORK=1 LD_PRELOAD=$DISK_LIBRARY "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o $name >/dev/null
        [ "$(query $name 'PRAGMA journal_mode; PRAGMA integrity_check')" = $'delete\nok' ]
    done
    DISK_NETWORK=1 LD_PRELOAD=$DISK_LIBRARY "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q --journal wal -o mine.db >/dev/null
    [ "$(query mine.db 'PRAGMA journal_mode')" = wal ]
}
