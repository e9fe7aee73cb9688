# faultline calibrate: finds again what the simulator itself was told, and says what it cannot do.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOT'
name: tiny
method: dp
duration: 1d
seed: 3
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
elastic: {downscale: 16s, upscale: 8s, restart: 90s}
learners: {count: 1, step_time: 7.5s}
EOT
    header=method,learners,chips,metric,percent
    printf '%s\n' $header dp,1,64,goodput,80 >published.csv
    fit() { "$FAULTLINE" calibrate tiny.yaml --against published.csv -n 2 "$@"; }
}

# published METHOD LEARNERS METRIC...: rows with what the simulator makes of it, as if a paper had printed all its digits
published() {
    local method=$1 learners=$2 metric
    shift 2
    for metric; do
        "$FAULTLINE" run tiny.yaml -s "method=$method" -s "learners.count=$learners" -n 2 -q --format csv |
            awk -F, -v row="$method,$learners,64,$metric" -v name="$metric" '
                NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
                { sum += $c } END { printf "%s,%.12f\n", row, 100 * sum / (NR - 1) }'
    done
}

# refused STATUS MESSAGE ARGUMENT...: the fit ends with that status and that one message
refused() {
    local expected=$1 message=$2
    shift 2
    run fit -q "$@"
    [ "$status" -eq "$expected" ]
    [ "${lines[0]}" = "$message" ]
}

@test "a restart time is found again from the numbers it gave" {
    { echo $header; published dp 1 goodput uptime; } >published.csv
    fit -q -s elastic.restart=200s --free elastic.restart --format csv >out
    [ "$(head -1 out)" = elastic.restart,rms_points,worst_points,within_1_5,numbers ]
    awk -F, 'NR == 2 { s = $1; sub("s$", "", s); exit !(s > 89 && s < 91 && $2 < 0.05 && $4 == 2 && $5 == 2) }' out
}

@test "a choice is found again, too" {
    { echo $header; published decoupled-diloco 4 goodput quorum_uptime; } >published.csv
    sed -i 's/restart: 90s/overlap: queue/' tiny.yaml
    fit -q --keep 8 --free elastic.overlap,elastic.both --format json >out
    [ "$(wc -l <out)" -eq 8 ]
    head -1 out | grep -q '"elastic.overlap": "next_step", "elastic.both": "sum", "rms_points": [0-9.]*\(e-1[0-9]\)\?, '
}

@test "for people: the best in short numbers, ready for -s" {
    run fit --free elastic.restart
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "faultline: fitted 1 of 1: RMS "* ]]
    [[ "$output" == *$'\nThe best, rounded to 3 digits:\n  -s \'elastic.restart='* ]]
    [[ "${lines[-1]}" =~ ^RMS\ [0-9.]+\ points\;\ worst\ [-+0-9.]+\ \(goodput\ of\ dp\ with\ 1\ learner\ and\ 64\ chips\) ]]
}

@test "neither threads nor the format change a fit" {
    fit -q --free elastic.restart -j 1 --format csv >one
    fit -q --free elastic.restart -j 5 --format csv >five
    cmp one five
}

@test "a scenario from standard input serves all of its numbers" {
    cp published.csv more.csv
    run "$FAULTLINE" calibrate - --against published.csv --against more.csv --free elastic.restart -n 1 -q --format csv <tiny.yaml
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *,2 ]]
}

@test "numbers that are none are refused with line and column" {
    against() { printf "$1" >published.csv; refused 2 "faultline: published.csv$2" --free elastic.restart; }
    against '' ': is empty; a header line is needed'
    against "$header\n" ': holds no published numbers'
    against 'a,b\n1,2\n' ":1:1: the header has no column 'method'"
    against "$header,percent\n" ":1:38: the header has the column 'percent' twice"
    against "$header\ndp,1,64,goodput\n" ':2:1: 4 fields, but the header has 5'
    for percent in -5 100.5 nan 0x10 90%% '' ' 9' 1e-400; do
        against "$header\ndp,1,64,goodput,$percent\n" ":2:17: percent: '${percent//%%/%}' is not a number from 0 to 100"
    done
    against "$header\ndp,1,64,failures,9\n" ":2:9: 'failures' is no metric between 0 and 1"
    against "$header\ndp,2,64,goodput,9\n" ':2:1: -s learners.count=2: learners.count: the method dp has one learner, not 2; set learners.count to 1'
    rm published.csv
    refused 2 'faultline: published.csv: cannot be opened: No such file or directory' --free elastic.restart
}

@test "keys that cannot be fitted are refused" {
    free() { refused 2 "faultline: --free: $2" --free "$1"; }
    free elastic.restrat "'elastic.restrat': there is no such key; did you mean elastic.restart?"
    free elastic.restart, "'': there is no such key; \`faultline keys\` lists them"
    free elastic.restart,elastic.restart 'elastic.restart: stands twice'
    free name 'name: a text cannot be fitted; only choices, durations, shares and laws can'
    free learners.tokens_per_step 'learners.tokens_per_step: a count cannot be fitted; only choices, durations, shares and laws can'
    for key in method duration warmup fleet.chips learners.count; do
        free $key "$key: says what was measured; that cannot be fitted"
    done
    free failures.rack.mtbi "failures.rack.mtbi: the scenario has no failure source 'rack'"
    free elastic.overlap=fold..queue 'elastic.overlap: is a choice and takes no range'
    free elastic.restart=5s "elastic.restart: '5s' is no range; write LOW..HIGH"
    for range in 9s..5s 5s..5s 0s..5s; do
        free elastic.restart=$range 'elastic.restart: needs a range above 0, LOW..HIGH'
    done
    free elastic.restart=1s..20y "elastic.restart: '20y': out of range; allowed: 0s to 10y"
    sed -i '/^failures:/d; /^  chip:/d' tiny.yaml
    free failures.chip.mtbi "failures.chip.mtbi: the scenario has no failure source 'chip'"
}

@test "a search that comes to a run without progress has no answer" {
    refused 4 'faultline: a run made no progress at the parameters that were tried' --free elastic.restart \
        -s failures.chip.mtbi=1us -n 1
}

@test "wrong usage is status 64, a full disk 3" {
    for arguments in '' '--free elastic.restart -n 0' '--free elastic.restart --keep 0' '--free elastic.restart -o a.db' \
        '--free elastic.restart --format markdown' '--free elastic.restart tiny.yaml'; do
        # shellcheck disable=SC2086
        run fit $arguments
        [ "$status" -eq 64 ]
    done
    run bash -c '"$FAULTLINE" calibrate tiny.yaml --against published.csv --free elastic.restart -n 1 -q >/dev/full'
    [ "$status" -eq 3 ]
}

@test "an interrupt ends a fit and says so" {
    env --default-signal=INT "$FAULTLINE" calibrate tiny.yaml --against published.csv --free elastic.restart -s duration=20y -n 1000 >out 2>err &
    sleep 0.5
    kill -INT $!
    wait $! && return 1 || [ $? -eq 130 ]
    [ ! -s out ]
    [ "$(cat err)" = 'faultline: interrupted: the fit is not finished' ]
}
