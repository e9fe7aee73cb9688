# faultline export

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >a.yaml <<'YAML'
name: a "quoted", name
method: dp
duration: 2d
seed: 1
fleet: {chips: 5k}
failures:
  chip: {kind: chip, mtbi: 1y}
elastic: {noticed: at_once}
checkpoint: {every: 60min, cost: 5min, restore: 10min}
YAML
    "$FAULTLINE" run a.yaml -n 2 -q -o a.db >/dev/null
}

@test "a table as CSV has every row and column that sqlite3 has" {
    "$FAULTLINE" export a.db --table run >out
    [ "$(wc -l <out)" -eq 3 ]
    [ "$(head -1 out | tr ',' '\n' | wc -l)" -eq "$(sqlite3 a.db 'SELECT count(*) FROM pragma_table_info("run")')" ]
    [ "$("$FAULTLINE" export a.db -t learner --format json | wc -l)" -eq 2 ]
    "$FAULTLINE" export a.db -t scenario | grep -q '"a ""quoted"", name"'
}

@test "ml_goodput: every second of a run under one of Google's names" {
    "$FAULTLINE" export a.db --table ml_goodput >out
    [ "$(head -1 out)" = "run_id,scenario,replica,seed,name,seconds,share" ]
    sqlite3 -batch a.db "SELECT abs(sum(seconds) - 172800) < 1e-3, abs(sum(share) - 1) < 1e-9 FROM ml_goodput GROUP BY run_id" >sums
    [ "$(cat sums)" = "$(printf '1|1\n1|1')" ]
    # restart and restore are one bucket of ours, two of theirs: 10 min against 84 s
    ratio=$(sqlite3 a.db "SELECT round(max(seconds) FILTER (WHERE name = 'UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME')
        / max(seconds) FILTER (WHERE name = 'PROGRAM_STARTUP'), 0) FROM ml_goodput WHERE run_id = 1")
    [ "${ratio%.*}" -ge 4 ] && [ "${ratio%.*}" -le 8 ]
    for name in PRODUCTIVE_STEP WASTED_PROGRESS_FROM_DISRUPTION UNPRODUCTIVE_CHECKPOINT_SAVE_TIME; do
        [ "$(sqlite3 a.db "SELECT min(seconds) > 0 FROM ml_goodput WHERE name = '$name'")" -eq 1 ]
    done
}

@test "what is no table is refused with those that there are" {
    for name in nothing 'run"; DROP TABLE run; --' sqlite_schema ''; do
        run "$FAULTLINE" export a.db --table "$name"
        [ "$status" -eq 2 ]
        [[ "$output" == *"there is no table"*"; there are bucket, "*"ml_goodput"* ]]
    done
    [ "$(sqlite3 a.db 'SELECT count(*) FROM run')" -eq 2 ]
    run "$FAULTLINE" export missing.db --table run
    [ "$status" -eq 2 ]
    run "$FAULTLINE" export a.db
    [ "$status" -eq 64 ]
}

@test "a terminal gets no control characters of a database, a pipe gets its bytes" {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal can be opened here"
    sqlite3 a.db "UPDATE scenario SET name = 'x' || char(27, 91) || '2J' || char(155) || 'é'"
    script -qec "$FAULTLINE export a.db --table scenario --format csv" /dev/null </dev/null >out
    grep -q 'x?\[2J?é' out
    ! grep -q $'\e' out
    "$FAULTLINE" export a.db --table scenario --format csv | grep -q $'x\e\\[2J\xc2\x9bé'
}
