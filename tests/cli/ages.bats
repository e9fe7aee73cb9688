# Chips that age, from the command line: files, settings, threads, tapes.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >old.yaml <<'EOT'
name: old
method: decoupled-diloco
duration: 6h
fleet: {chips: 256, chips_per_slice: 8, classes: {a: {share: 50%}, b: {share: 50%}}}
failures:
  old: {kind: chip, life: empirical(file=lives.csv), lemons: {share: 10%, factor: 3}, return_after: "exponential(mean=2min)"}
  rest: {kind: chip, rate: 2 per 100 per d, only: {class: b}, return_after: constant(3min)}
elastic: {downscale: 16s, upscale: 8s}
learners: {count: 2, step_time: 7.5s}
EOT
    { echo duration; for i in {1..50}; do echo "$((i * 37 % 53)).5h"; done; } >lives.csv
}

@test "steps one by one, and threads, change nothing" {
    "$FAULTLINE" run old.yaml -n 4 --seed 5 --format csv -j 1 >one
    "$FAULTLINE" run old.yaml -n 4 --seed 5 --format csv -j 4 >four
    "$FAULTLINE" run old.yaml -n 4 --seed 5 --format csv --every-step >each
    cmp one four
    cmp one each
    [ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "failures") c = i; next } $c > 20' one | wc -l)" -eq 4 ]
}

@test "a database holds the lives themselves: without the file the run is the same" {
    "$FAULTLINE" run old.yaml -n 2 --seed 5 -o r.db --format csv >first
    sqlite3 r.db 'SELECT text FROM scenario' >text.yaml
    rm lives.csv
    run "$FAULTLINE" run text.yaml -n 2 --seed 5 -o r.db --format csv
    [[ "$output" == *'2 reused, 0 computed'* ]]
    "$FAULTLINE" run text.yaml -n 2 --seed 5 --format csv 2>/dev/null | cmp - first
}

@test "another file is another scenario" {
    "$FAULTLINE" run old.yaml -n 1 --seed 5 -o r.db -q >/dev/null
    sed -i 's/^36.5h/136.5h/' lives.csv
    "$FAULTLINE" run old.yaml -n 1 --seed 5 -o r.db -q >/dev/null
    [ "$(sqlite3 r.db 'SELECT count(*) FROM scenario')" -eq 2 ]
}

@test "ages can be switched off by a setting" {
    "$FAULTLINE" check old.yaml -s failures.old.mtbi=1d --format csv >out
    grep -q '^failures.old.mtbi,1d,' out
    ! grep -q '^failures.old.life,' out
}

@test "a tape of ages plays back" {
    "$FAULTLINE" run old.yaml -n 1 --seed 5 --tape tape --format csv -q | tail -1 >drawn
    "$FAULTLINE" replay tape --format csv -q | tail -1 >played
    cmp drawn played
}
