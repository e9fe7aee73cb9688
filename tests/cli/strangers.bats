# Databases of strangers: whatever is in them, and whatever is there in their place, is read as rows or refused.

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
    "$FAULTLINE" run tiny.yaml -n 3 --seed 1 -q -o a.db >/dev/null
}

teardown() {
    ! mountpoint -q "$BATS_TEST_TMPDIR/small" || umount "$BATS_TEST_TMPDIR/small"
}

query() { sqlite3 -init /dev/null -batch "$@"; }

# forge FILE.db TABLE FROM TO STATEMENT: rows that the table would not take, under the very words of our schema.
forge() {
    query "$1" "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '$3', '$4') WHERE name = '$2'"
    query "$1" "$5"
    query "$1" "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '$4', '$3') WHERE name = '$2'"
}

# readers FILE.db: every command that reads it, each within a minute and without a crash; prints what they say on stderr.
readers() {
    local command status
    for command in "export $1 --table run" "export $1 --table goodput_summary --format csv" "table 1a $1" "table 13 $1" \
        "report $1 -o page.html" "merge -q $1 -o merged-$1"; do
        status=0
        # shellcheck disable=SC2086
        timeout 60 "$FAULTLINE" $command >out 2>err || status=$?
        sed "s/^/$status /" err
        [ "$status" -lt 5 ]
    done
}

@test "triggers do not fire, neither for who writes nor for who reads" {
    query a.db 'CREATE TABLE loot(x); CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM bucket; INSERT INTO loot VALUES (1); END;
        CREATE TRIGGER u AFTER INSERT ON learner BEGIN SELECT RAISE(FAIL, "no"); END'
    "$FAULTLINE" run tiny.yaml -n 5 --seed 1 --format csv -q -o a.db >out
    "$FAULTLINE" run tiny.yaml -n 5 --seed 1 --format csv | cmp - out
    [ "$(query a.db 'SELECT (SELECT count(*) FROM run), (SELECT count(DISTINCT run_id) FROM bucket), (SELECT count(*) FROM loot)')" = '5|5|0' ]
}

@test "views under our names are not asked: ours are" {
    query a.db 'DROP VIEW goodput_summary; CREATE VIEW goodput_summary AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT 1 AS scenario_id, count(*) AS n FROM n'
    query a.db 'DROP VIEW table_1a; CREATE VIEW table_1a AS SELECT writefile("loot", "x"), load_extension("evil") FROM run' || true
    before=$(cksum <a.db)
    readers a.db >said
    [ ! -s said ] || ! grep -v '^4 .*has no runs of the cells' said
    [ "$(cksum <a.db)" = "$before" ]
    [ ! -e loot ]
    "$FAULTLINE" export a.db --table goodput_summary --format csv >out
    [ "$(wc -l <out)" -eq 2 ]
}

@test "rows that our tables would not take neither crash nor count as good" {
    cp a.db b.db
    forge a.db run 'status TEXT NOT NULL CHECK' 'status TEXT CHECK' 'UPDATE run SET status = NULL'
    readers a.db >said
    grep -q '^4 .*holds no finished runs' said
    "$FAULTLINE" run tiny.yaml -n 3 --seed 1 -q -o a.db >/dev/null 2>err || [ $? -le 4 ]
    forge b.db bucket 'name TEXT NOT NULL' 'name TEXT' 'PRAGMA ignore_check_constraints = ON; UPDATE OR IGNORE bucket SET chip_seconds = 1e308'
    readers b.db >/dev/null
    cp b.db c.db
    forge c.db scenario 'name TEXT NOT NULL' 'name TEXT' 'UPDATE scenario SET name = NULL, method = CAST(x'"'ff00ff'"' AS TEXT)'
    readers c.db >/dev/null
}

@test "texts with zero bytes, and bytes that are no text, are named" {
    query a.db "UPDATE scenario SET name = 'tiny' || char(0) || 'rest'; CREATE TABLE bytes(x); INSERT INTO bytes VALUES (x'00ff')"
    run "$FAULTLINE" export a.db --table scenario
    [ "$status" -eq 2 ]
    [[ "$output" == *'faultline: a.db: the table cannot be read: a value of name holds bytes that are no text'* ]]
    run "$FAULTLINE" report a.db
    [ "$status" -eq 2 ]
    run "$FAULTLINE" export a.db --table bytes
    [ "$status" -eq 2 ]
    [[ "$output" == *'faultline: a.db: the table cannot be read: a value of x holds bytes that are no text'* ]]
}

@test "a text of 100 MB is refused" {
    query a.db "UPDATE scenario SET text = replace(hex(zeroblob(50000000)), '00', 'ab')"
    for command in 'export a.db --table scenario' 'report a.db'; do
        # shellcheck disable=SC2086
        run "$FAULTLINE" $command
        [ "$status" -eq 2 ]
        [[ "$output" == *'faultline: a.db: '*'too big'* ]]
    done
}

@test "a damaged file is a message, wherever the damage is" {
    size=$(stat -c %s a.db)
    for ((i = 0; i < 40; i++)); do
        cp a.db "b$i.db"
        printf '\xff\x00\x7f\xff\xff\xff\xff\x80' | dd of="b$i.db" bs=1 seek=$((i * 7919 % size)) conv=notrunc status=none
        readers "b$i.db" >/dev/null
        timeout 60 "$FAULTLINE" run tiny.yaml -n 4 --seed 1 -q -o "b$i.db" >/dev/null 2>err || [ $? -eq 3 ]
    done
    head -c 5000 a.db >short.db
    [ "$(readers short.db | grep -c malformed)" -ge 4 ]
}

@test "what is no file of results is refused with its name: status 3 to store, 2 to read" {
    mkfifo fifo
    ln -s loop loop
    mkdir folder
    printf x >one
    head -c 100000 /dev/urandom >noise
    for name in fifo loop folder one noise /dev/zero nowhere/a.db; do
        run timeout 20 "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -o "$name"
        [ "$status" -eq 3 ]
        [[ "$output" == "faultline: $name: "* ]]
        for command in 'export --table run' report 'table 1a' "merge -o m.db"; do
            # shellcheck disable=SC2086
            run timeout 20 "$FAULTLINE" $command "$name"
            [ "$status" -eq 2 ]
            [[ "$output" == "faultline: $name: "* ]]
        done
    done
}

@test "a file that may only be read is read, and not written" {
    open=$(mktemp -d)
    cp a.db tiny.yaml "$FAULTLINE" "$open"
    chmod 755 "$open"
    chmod 444 "$open/a.db"
    as_nobody() {
        if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
    }
    run as_nobody "$open/faultline" run "$open/tiny.yaml" -n 9 --seed 1 -q -o "$open/a.db"
    stored=$status$output
    run as_nobody "$open/faultline" export "$open/a.db" --table metric
    chmod 755 "$open"
    expected="3faultline: $open/a.db: cannot be written"
    rm -rf "$open"
    [ "$stored" = "$expected" ]
    [ "$status" -eq 0 ]
}

@test "changes that wait beside a file in a folder that cannot be written are not overlooked" {
    open=$(mktemp -d)
    "$FAULTLINE" run tiny.yaml -n 3 --seed 1 -q --journal delete -o "$open/a.db" >/dev/null
    cp "$FAULTLINE" "$open"
    printf '\xd9\xd5\x05\xf9\x20\xa1\x63\xd7' >"$open/a.db-journal" # as a commit that was cut off leaves it
    head -c 9000 /dev/zero >>"$open/a.db-journal"
    chmod 555 "$open"
    chmod 644 "$open"/a.db*
    if [ "$(id -u)" -eq 0 ]; then
        run setpriv --reuid=65534 --regid=65534 --clear-groups "$open/faultline" export "$open/a.db" --table metric
    else
        run "$open/faultline" export "$open/a.db" --table metric
    fi
    chmod 755 "$open"
    rm -rf "$open"
    [ "$status" -eq 2 ] || [ "$status" -eq 0 ]
    [ "$status" -eq 0 ] || [[ "$output" == *"a.db: cannot be read as a database: "* ]]
}

@test "a full disk of 2 MB: every command that stores says so, and what was finished is there" {
    mkdir small
    mount -t tmpfs -o size=2m none small 2>/dev/null || skip "mounting needs root"
    for journal in wal delete; do
        rm -f small/*
        run "$FAULTLINE" run tiny.yaml -s learners.count=8 -n 5000 --seed 1 -q --format csv --journal $journal -o small/a.db
        [ "$status" -eq 3 ]
        [[ "$output" == *'small/a.db: '*'disk is full'* ]]
        [ "$(query small/a.db 'PRAGMA integrity_check')" = ok ]
        kept=$(query small/a.db 'SELECT count(*) FROM run')
        [ "$kept" -gt 0 ]
        [ "$(query small/a.db 'SELECT count(*) FROM learner')" -eq $((8 * kept)) ]
    done
    run "$FAULTLINE" merge -q a.db -o small/b.db
    [ "$status" -eq 3 ]
    [[ "$output" == *'small/b.db: '* ]]
    run "$FAULTLINE" report a.db -o small/page.html
    [ "$status" -eq 3 ] || [ "$(tail -c 8 small/page.html)" = '</html>' ]
    [ ! -e small/page.html.part-* ]
}
