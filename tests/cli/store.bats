# faultline run -o: many writers, kills, reuse, places that cannot be written.

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

teardown() {
    ! mountpoint -q "$BATS_TEST_TMPDIR/small" || umount "$BATS_TEST_TMPDIR/small"
}

query() { sqlite3 -init /dev/null -batch "$@"; }

# nobody COMMAND...: without the rights of root
nobody() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}

@test "16 writers at once on a file that does not exist yet" {
    seq 200 | xargs -P 16 -I{} "$FAULTLINE" run tiny.yaml -n 1 -q --format csv --seed {} -o one.db >/dev/null
    [ "$(query one.db 'SELECT count(*), count(DISTINCT seed) FROM run')" = '200|200' ]
    [ "$(query one.db 'SELECT count(*) FROM scenario')" -eq 1 ]
    [ "$(query one.db 'SELECT count(*) FROM learner')" -eq 400 ]
    [ "$(query one.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ]
}

@test "writers of the same replicas double nothing" {
    seq 8 | xargs -P 8 -I{} "$FAULTLINE" run tiny.yaml -n 20 -q --format csv --seed 1 -o one.db >/dev/null
    [ "$(query one.db 'SELECT count(*) FROM run')" -eq 20 ]
    [ "$(query one.db 'SELECT count(*) FROM bucket')" -eq "$(query one.db 'SELECT 20 * 2 * count(DISTINCT name) FROM bucket')" ]
}

@test "what is stored is read back, byte for byte" {
    "$FAULTLINE" run tiny.yaml -n 5 --seed 1 --format csv -o a.db >first 2>err
    grep -qx 'faultline: 0 reused, 5 computed' err
    "$FAULTLINE" run tiny.yaml -n 5 --seed 1 --format csv -o a.db >second 2>err
    grep -qx 'faultline: 5 reused, 0 computed' err
    "$FAULTLINE" run tiny.yaml -n 8 --seed 1 --format csv -o a.db >third 2>err
    grep -qx 'faultline: 5 reused, 3 computed' err
    "$FAULTLINE" run tiny.yaml -n 8 --seed 1 --format csv >fresh
    cmp first second
    cmp third fresh
}

@test "another parameter or seed reuses nothing" {
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -q -o a.db >/dev/null
    "$FAULTLINE" run tiny.yaml -n 2 --seed 2 -o a.db 2>&1 >/dev/null | grep -qx 'faultline: 0 reused, 2 computed'
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -s elastic.upscale=9s -o a.db 2>&1 >/dev/null |
        grep -qx 'faultline: 0 reused, 2 computed'
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -o a.db 2>&1 >/dev/null | grep -qx 'faultline: 2 reused, 0 computed'
}

@test "kill -9 leaves a valid database that the same command completes" {
    sed -i 's/^duration:.*/duration: 100d/' tiny.yaml
    "$FAULTLINE" run tiny.yaml -n 20 --seed 1 --format csv >reference
    for after in 0.01 0.1 0.2 0.4; do
        "$FAULTLINE" run tiny.yaml -n 20 --seed 1 -q -o a.db >/dev/null &
        sleep "$after"
        kill -9 $! 2>/dev/null || true
        wait $! || true
        [ ! -e a.db ] || [ "$(query a.db 'PRAGMA integrity_check')" = ok ]
    done
    kept=$(query a.db 'SELECT count(*) FROM run')
    "$FAULTLINE" run tiny.yaml -n 20 --seed 1 --format csv -o a.db >out 2>err
    grep -qx "faultline: $kept reused, $((20 - kept)) computed" err
    cmp reference out
    [ "$(query a.db 'SELECT count(*) FROM run')" -eq 20 ]
    [ "$(query a.db 'SELECT count(*) FROM learner')" -eq 40 ]
}

@test "a folder that cannot be written is refused before anything runs" {
    open=$(mktemp -d) # the folders of a test are closed to nobody
    cp tiny.yaml "$FAULTLINE" "$open"
    mkdir "$open/locked"
    "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o "$open/locked/old.db" >/dev/null
    chmod 755 "$open"
    chmod 555 "$open/locked"
    run nobody "$open/faultline" run "$open/tiny.yaml" -n 1 --seed 1 -o "$open/locked/new.db"
    new=$status$output
    run nobody "$open/faultline" table "$open/locked/old.db"
    chmod 755 "$open/locked"
    rm -r "$open"
    [[ "$new" == "3faultline: $open/locked/new.db: "* ]]
    [ "$status" -eq 4 ]
    [[ "$output" == *"has no runs of the cells"* ]]
}

@test "what is no database of ours is refused and left alone" {
    for name in - . /dev/null missing/a.db tiny.yaml :memory: 'file:a.db?mode=memory'; do
        run "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -o "$name"
        [ "$status" -eq 3 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ "$output" == *"$name"* ]]
    done
    query other.db 'CREATE TABLE t(x)'
    before=$(cksum <other.db)
    run "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -o other.db
    [ "$status" -eq 3 ]
    [ "$output" = "faultline: other.db: is a database of another program" ]
    [ "$(cksum <other.db)" = "$before" ]
    "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o a.db >/dev/null
    query a.db 'PRAGMA user_version = 99'
    run "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -o a.db
    [ "$status" -eq 3 ]
    [ "$output" = "faultline: a.db: has schema version 99, this program knows versions 1 to 5; a newer faultline reads it" ]
}

@test "the database is not where the output goes" {
    for name in /dev/stdout a.db; do
        "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o "$name" >a.db 2>err && return 1 || [ $? -eq 3 ]
        [ "$(cat err)" = "faultline: $name: is where the output goes; results are stored in a file of their own" ]
        [ ! -s a.db ]
    done
}

@test "a database that lacks a metric is not read as if it were 0: it is computed again" {
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --format csv -q -o a.db >reference
    query a.db 'ALTER TABLE run DROP COLUMN grace_s'
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --format csv -o a.db 2>err >out
    grep -qx 'faultline: 0 reused, 2 computed' err
    cmp reference out
    [ "$(query a.db 'SELECT count(*), count(grace_s), sum(complete) FROM run')" = '2|2|2' ]
}

@test "a file that may not grow is a failed write" {
    run bash -c 'ulimit -f 20; "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q -o a.db'
    [ "$status" -eq 3 ]
    [[ "$output" == "faultline: a.db: "* ]]
}

@test "a disk that fills up keeps the finished rows" {
    mkdir small
    mount -t tmpfs -o size=2m none small 2>/dev/null || skip "mounting needs root"
    run "$FAULTLINE" run tiny.yaml -s learners.count=8 -n 5000 --seed 1 -q --format csv -o small/a.db
    check=$(query small/a.db 'PRAGMA integrity_check')
    rows=$(query small/a.db 'SELECT count(*) FROM run')
    [ "$status" -eq 3 ]
    [[ "$output" == *"faultline: small/a.db: replica "*" cannot be stored: database or disk is full"* ]]
    [ "$check" = ok ]
    [ "$rows" -gt 0 ]
}

@test "logs are stored with their run, also afterwards" {
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -q -o a.db >/dev/null
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --log rounds -q -o a.db >/dev/null
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --log rounds --log transitions -q -o a.db >/dev/null
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 --log transitions -o a.db 2>&1 >/dev/null |
        grep -qx 'faultline: 2 reused, 0 computed'
    [ "$(query a.db 'SELECT count(*) FROM run')" -eq 2 ]
    [ "$(query a.db 'SELECT count(*) FROM round')" = "$(query a.db 'SELECT sum(rounds) FROM run')" ]
    [ "$(query a.db "SELECT count(DISTINCT run_id) FROM transition WHERE entity = 'learner'")" -eq 2 ]
}

@test "a planner can join it: effective keys, text that runs again, the account of time" {
    "$FAULTLINE" run tiny.yaml -n 3 --seed 1 --format csv -o a.db >out
    [ "$(query a.db "SELECT value FROM param WHERE key = 'learners.step_time'")" = 7.5 ]
    [ "$(query a.db 'SELECT round(sum(chip_seconds)) FROM bucket GROUP BY run_id LIMIT 1')" = 230400.0 ]
    query a.db 'SELECT text FROM scenario' >again.yaml
    "$FAULTLINE" run again.yaml -n 3 --seed 1 --format csv -o a.db 2>err >again
    grep -qx 'faultline: 3 reused, 0 computed' err
    cmp out again
}
