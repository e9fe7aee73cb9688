# faultline sweep: cells, rows, threads, precision, reuse, interrupts.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOT'
name: tiny
method: decoupled-diloco
duration: 1h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
elastic: {downscale: 16s, upscale: 8s, restart: 83s}
learners: {count: 2, step_time: 7.5s}
EOT
    sed 's/^name:.*/name: slow/; s/chips: 64/chips: 2.4M/; s/10h/1y/; s/^duration:.*/duration: 60d/' tiny.yaml >slow.yaml
}

# column NAME FILE: a column of a CSV without quotes
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"; }

query() { sqlite3 -init /dev/null -batch "$@"; }

@test "CSV has a row per cell: varied keys, n, and mean, sd and ci95 of each metric, as run has them" {
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1,4 --vary elastic.downscale=5s,10s -n 7 --seed 3 --format csv >out 2>err
    [ ! -s err ]
    [[ "$(head -1 out)" == learners.count,elastic.downscale,n,goodput,goodput_sd,goodput_ci95,uptime,uptime_sd,* ]]
    [ "$(cut -d, -f1-3 out | tail -n +2 | tr '\n' ' ')" = "1,5s,7 1,10s,7 4,5s,7 4,10s,7 " ]
    "$FAULTLINE" run tiny.yaml -s learners.count=4 -s elastic.downscale=5s -n 7 --seed 3 --format csv >run
    column goodput run | awk -v mean="$(column goodput out | sed -n 3p)" -v sd="$(column goodput_sd out | sed -n 3p)" \
        -v half="$(column goodput_ci95 out | sed -n 3p)" '
        function same(a, b) { return (a - b) ^ 2 < 1e-24 * b ^ 2 }
        { sum += $1; x[NR] = $1 }
        END { m = sum / NR; for (i in x) s += (x[i] - m) ^ 2; s = sqrt(s / (NR - 1))
              exit !(same(m, mean) && same(s, sd) && (half / (2.446912 * s / sqrt(NR)) - 1) ^ 2 < 1e-12) }'
}

@test "JSON has an object a cell, the table shows what is asked for" {
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1,2 --seed 3 --format json >json
    [ "$(wc -l <json)" -eq 2 ]
    [[ "$(head -1 json)" == '{"learners.count": "1", "n": 10, "goodput": 0.'*'"goodput_sd": '* ]]
    run "$FAULTLINE" sweep tiny.yaml --vary learners.count=1,2 --seed 3 --show failures
    [[ "${lines[0]}" =~ ^learners.count\ +n\ +failures\ +\+-\ 95\ %$ ]]
    [[ "${lines[1]}" =~ ^1\ +10\ +[0-9.]+\ +[0-9.]+$ ]]
}

@test "-j does not change a byte; the order is that of the command line" {
    for j in 1 2 4 7; do
        "$FAULTLINE" sweep tiny.yaml --vary learners.count=8,1,2 --vary duration=5h,1h,3h -n 5 --seed 3 -j $j --format csv >out.$j
        "$FAULTLINE" sweep tiny.yaml --vary learners.count=8,1,2 --precision goodput=1% --seed 3 -j $j --format csv >precise.$j
        cmp out.1 out.$j
        cmp precise.1 precise.$j
    done
    [ "$(cut -d, -f1,2 out.1 | tail -n +2 | tr '\n' ' ')" = "8,5h 8,1h 8,3h 1,5h 1,1h 1,3h 2,5h 2,1h 2,3h " ]
}

@test "all cells meet the same failures" {
    "$FAULTLINE" sweep tiny.yaml --vary elastic.downscale=1s,1s,1000ms --vary elastic.upscale=8s --seed 3 --format csv >out
    [ "$(cut -d, -f3- out | tail -n +2 | sort -u | wc -l)" -eq 1 ]
    "$FAULTLINE" sweep tiny.yaml --vary elastic.downscale=1s,1s --format csv >out 2>err # a drawn seed, too
    [ "$(grep -c 'faultline: seed [0-9]* (drawn' err)" -eq 1 ]
    [ "$(tail -n +2 out | sort -u | wc -l)" -eq 1 ]
}

@test "zipped keys move in step; cells come from a file or from standard input" {
    "$FAULTLINE" sweep tiny.yaml --zip learners.count=1..4x2 --zip fleet.chips=64..256x2 -n 1 --seed 3 --format csv >zip
    [ "$(cut -d, -f1,2 zip | tail -n +2 | tr '\n' ' ')" = "1,64 2,128 4,256 " ]
    printf 'learners.count=%s fleet.chips=%s\n' 1 64 2 128 4 256 >cells
    "$FAULTLINE" sweep tiny.yaml --cells cells -n 1 --seed 3 --format csv >file
    "$FAULTLINE" sweep tiny.yaml --cells - -n 1 --seed 3 --format csv <cells >stdin
    "$FAULTLINE" sweep - --cells cells -n 1 --seed 3 --format csv <tiny.yaml >scenario
    cmp zip stdin
    cmp zip scenario
    sed 's/^fleet/# fleet/' cells >bad
    echo 'learners.count=8' >>bad
    run "$FAULTLINE" sweep tiny.yaml --cells bad --seed 3
    [ "$status" -eq 2 ]
    [ "$output" = "faultline: bad:4: fleet.chips is missing: every line has the same keys" ]
}

@test "a key that the file lacks may be varied" {
    grep -v ^method tiny.yaml >without.yaml
    "$FAULTLINE" sweep without.yaml --vary method=decoupled-diloco,elastic-dp -s learners.count=1 -n 1 --seed 3 --format csv >out
    [ "$(wc -l <out)" -eq 3 ]
}

@test "a cell that is no valid scenario is refused before anything runs" {
    run "$FAULTLINE" sweep tiny.yaml --vary learners.count=2,65 --seed 3 -o a.db
    [ "$status" -eq 2 ]
    [ "$output" = "faultline: cell 2, 'learners.count=65': -s learners.count=65: learners.count: 65 learners cannot share 64 chips; each needs at least one" ]
    [ ! -e a.db ]
    run "$FAULTLINE" sweep tiny.yaml --vary learners.cuont=2 --seed 3
    [ "$status" -eq 2 ]
    [ "$output" = "faultline: --vary 'learners.cuont': there is no such key; did you mean learners.count?" ]
    run "$FAULTLINE" sweep tiny.yaml --vary fleet.chips=1..200 --vary learners.count=1..300 -n 100 -s fleet.chips=400 --seed 3
    [ "$status" -eq 2 ]
    [ "$output" = "faultline: 60000 cells of 100 replicas are more than 1000000 replicas" ]
}

@test "wrong usage is status 64" {
    for arguments in 'tiny.yaml' '--vary learners.count=1' 'tiny.yaml slow.yaml --vary learners.count=1' '- --cells -' \
        'tiny.yaml --vary learners.count=1 --precision goodput' 'tiny.yaml --vary learners.count=1 --precision goodness=1%' \
        'tiny.yaml --vary learners.count=1 --precision goodput=0%' 'tiny.yaml --vary learners.count=1 --precision goodput=101%' \
        'tiny.yaml --vary learners.count=1 --max-replicas 9' 'tiny.yaml --vary learners.count=1 --show x'; do
        # shellcheck disable=SC2086
        run "$FAULTLINE" sweep $arguments
        [ "$status" -eq 64 ]
    done
}

@test "finished cells are reused and said so" {
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1..4 --seed 3 -o a.db --format csv >first 2>err
    grep -qx 'faultline: 0 reused, 4 computed' err
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1..8 --seed 3 -o a.db --format csv >second 2>err
    grep -qx 'faultline: 4 reused, 4 computed' err
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1..8 --seed 3 -o a.db --format csv >third 2>err
    grep -qx 'faultline: 8 reused, 0 computed' err
    cmp second third
    [ "$(head -5 second)" = "$(cat first)" ]
    "$FAULTLINE" run tiny.yaml -s learners.count=3 --seed 3 -o a.db 2>&1 >/dev/null | grep -qx 'faultline: 10 reused, 0 computed'
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1..8 -s elastic.upscale=9s --seed 3 -o a.db 2>&1 >/dev/null |
        grep -qx 'faultline: 0 reused, 8 computed'
    [ "$(query a.db 'SELECT count(*), count(DISTINCT scenario_id) FROM run')" = '160|16' ]
}

@test "kill -9, then the same command again: every cell, none twice" {
    sed -i 's/^duration:.*/duration: 4d/' tiny.yaml
    sweep=(sweep tiny.yaml --vary learners.count=1..8 --vary elastic.upscale=1..8s+1s -n 2 --seed 3 -q --format csv)
    "$FAULTLINE" "${sweep[@]}" >reference
    "$FAULTLINE" "${sweep[@]}" -o a.db >/dev/null &
    sleep 0.5
    kill -9 $! 2>/dev/null || true
    wait $! || true
    "$FAULTLINE" "${sweep[@]}" -o a.db >out
    cmp reference out
    [ "$(query a.db 'SELECT count(*), count(DISTINCT scenario_id) FROM run')" = '128|64' ]
    [ "$(query a.db 'PRAGMA integrity_check')" = ok ]
}

@test "an interrupted sweep keeps what is finished, and says how much" {
    for signal in INT:130 TERM:143; do
        env --default-signal=INT,TERM "$FAULTLINE" sweep slow.yaml --vary learners.count=1..8 -n 100 -j 2 --seed 1 \
            --format csv -o "${signal%:*}.db" >out 2>err &
        sleep 1.5
        kill "-${signal%:*}" $!
        wait $! && return 1 || [ $? -eq "${signal#*:}" ]
        grep -q "^faultline: interrupted: [0-9]* of 800 replicas are finished and kept in ${signal%:*}.db, the rest is not done" err
        [ "$(wc -l <out)" -eq 9 ]
        [ "$(column n out | tail -1)" -eq 0 ]
        [ "$(column goodput out | tail -1)" = '' ]
        [ "$(query "${signal%:*}.db" 'SELECT count(*) FROM run')" -eq "$(column n out | awk '{ n += $1 } END { print n }')" ]
    done
}

@test "--precision adds replicas to each cell until its interval is that narrow" {
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1,2,4 --precision goodput=0.5% --seed 3 --format csv -o a.db >out 2>err
    column goodput_ci95 out | awk '$1 > 0.005 { bad++ } END { exit bad > 0 }'
    column n out | awk '$1 < 20 { bad++ } $1 >= last && NR > 1 { bad++ } { last = $1 } END { exit bad > 0 }'
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1,2,4 --precision goodput=0.5% --seed 3 --format csv -o a.db >again 2>err
    grep -qx 'faultline: 3 reused, 0 computed' err
    cmp out again
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=2 --precision goodput=20% -n 2 --seed 3 --format csv >out
    [ "$(column n out)" -eq 10 ]
}

@test "a precision that is not reached is said and is status 4" {
    run "$FAULTLINE" sweep tiny.yaml --vary learners.count=1,2 --precision goodput=0.05% --max-replicas 30 --seed 3 -q --format csv
    [ "$status" -eq 4 ]
    [[ "$output" == *"faultline: 2 of 2 cells are not as precise as asked for after 30 replicas (--max-replicas); the worst is learners.count=1: goodput +- "*" instead of 0.0005"* ]]
}

@test "a cell that makes no progress is named, and is status 4" {
    "$FAULTLINE" sweep tiny.yaml --vary failures.chip.mtbi=10h,1us -s 'failures.chip.return_after=constant(0s)' -n 2 --seed 1 \
        --format csv >out 2>err && return 1 || [ $? -eq 4 ]
    grep -q '^faultline: failures.chip.mtbi=1us: replica 0: no progress at t = 0\.[0-9]* s; 2 of 4 replicas ended so$' err
    [ "$(column n out | tr '\n' ' ')" = "2 0 " ]
}

@test "the line of progress counts cells and replicas" {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal can be opened here"
    TERM=xterm run script -qec "$FAULTLINE sweep slow.yaml --vary learners.count=1..4 -n 3 --seed 1 -j 1 >/dev/null" /dev/null </dev/null
    [[ "$output" == *'/4 cells, '*'/12 replicas, '*' left'* ]]
}

@test "--control: fewer replicas for the same precision, the same mean" {
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1,2 --precision goodput=0.5% --seed 3 --format csv >plain
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1,2 --precision goodput=0.5% --seed 3 --control --format csv >controlled
    paste <(column n plain) <(column n controlled) <(column goodput plain) <(column goodput controlled) <(column goodput_ci95 controlled) |
        awk '{ if (!($2 >= 10 && $2 < $1 / 2 && ($3 - $4) ^ 2 < 0.01 ^ 2 && $5 <= 0.005)) exit 1 }'
}
