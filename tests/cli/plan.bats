# faultline plan: answers against brute force, targets, sensitivities, what is refused.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOT'
name: tiny
method: decoupled-diloco
duration: 2h
seed: 3
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
elastic: {downscale: 16s, upscale: 8s, restart: 83s, upscale_every: 0s}
learners: {count: 2, step_time: 7.5s}
EOT
    elastic=(-s method=elastic-dp -s learners.count=1)
}

# answer ARGUMENT...: the value that plan finds
answer() { "$FAULTLINE" plan tiny.yaml --format csv -q "$@" | tail -1 | cut -d, -f1; }

# sweep KEY=RANGE METRIC ARGUMENT...: value, mean, sd and n of every cell, without quotes
sweep() {
    local vary=$1 metric=$2
    shift 2
    "$FAULTLINE" sweep tiny.yaml --vary "$vary" --format csv -q "$@" | awk -F, -v m="$metric" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == m) c = i; next } { print $1, $c, $(c + 1), $2 }'
}

# met OPERATOR TARGET <SWEEP: values whose one-sided 95 % bound meets the target; n = 10: t(0.95, 9) = 1.833113
met() { awk -v op="$1" -v target="$2" '{ m = 1.833113 * $3 / sqrt($4); if (op == ">=" ? $2 - m >= target : $2 + m <= target) print $1 }'; }

@test "1: fewest learners for a goodput, as all of them tried say" {
    [ "$(answer --solve learners.count=1..16 --target 'goodput>=95%')" = "$(sweep learners.count=1..16 goodput | met '>=' 0.95 | head -1)" ]
}

@test "2: longest downscale for an uptime, to three digits" {
    brute=$(sweep 'elastic.downscale=10..60s +0.1s' uptime "${elastic[@]}" | met '>=' 0.93 | tail -1)
    [ -n "$brute" ]
    [ "$(answer --solve elastic.downscale=10..60s --target 'uptime>=93%' "${elastic[@]}")" = "$brute" ]
}

@test "3: most chips per slice under a number of reconfigurations" {
    brute=$(sweep fleet.chips_per_slice=1..64 uptime | met '>=' 0.999 | tail -1)
    [ -n "$brute" ]
    [ "$(answer --solve fleet.chips_per_slice=1..64 --target 'uptime>=99.9%' --max)" = "$brute" ]
}

@test "4: least time between failures that keeps interruptions low" {
    brute=$(sweep 'failures.chip.mtbi=10..99h +1h' interruptions | met '<=' 5 | head -1)
    found=$(answer --solve failures.chip.mtbi=10..99h --target 'interruptions<=5' --min)
    awk -v brute="${brute%h}" -v found="$found" 'BEGIN {
        unit = found ~ /min$/ ? 1 / 60 : found ~ /d$/ ? 24 : found ~ /s$/ ? 1 / 3600 : 1
        exit !(found * unit > brute - 1 && found * unit <= brute) }'
}

# Over 40 s around the top, goodput goes up and down by 0.3 points from one second to the next with 10 replicas.
@test "5: best gathering of returns, as good as the best of 1,000 tried" {
    problem=("${elastic[@]}" -s fleet.chips=512 -s elastic.upscale=20s)
    best=$(sweep 'elastic.upscale_every=1..1000s +1s' goodput "${problem[@]}" | sort -k2,2g | tail -1 | cut -d' ' -f2)
    first=$(sweep 'elastic.upscale_every=1s,1000s' goodput "${problem[@]}" | sort -k2,2g | tail -1 | cut -d' ' -f2)
    "$FAULTLINE" plan tiny.yaml --solve elastic.upscale_every=1..1000s --maximize goodput --format csv -q "${problem[@]}" >out
    tail -1 out | awk -F, -v best="$best" -v first="$first" '{ exit !(best > first + 0.005 && $4 > best - 0.004) }'
}

@test "CSV has the key as a column, then what it is about" {
    "$FAULTLINE" plan tiny.yaml --solve learners.count=1..16 --target 'goodput>=95%' --confidence 90% --format csv >out 2>err
    [ ! -s err ]
    [ "$(head -1 out)" = learners.count,metric,target,mean,ci95,n,confidence ]
    [[ "$(tail -1 out)" =~ ^[0-9]+,goodput,\>=95%,0\.9[0-9]+,0\.[0-9]+,10,0\.9$ ]]
    "$FAULTLINE" plan tiny.yaml --solve learners.count=1..16 --target 'goodput>=95%' --confidence 90% --format csv -j 1 >one
    cmp out one
}

@test "no value is status 4, and says which came closest" {
    run "$FAULTLINE" plan tiny.yaml --solve learners.count=1..8 --target 'goodput>=99%' --format csv
    [ "$status" -eq 4 ]
    [[ "$output" == "faultline: no value of learners.count from 1 to 8 meets goodput>=99% with 95 % confidence; the best of 8 tried is "[5-8]", with 9"*" % +- "*" %" ]]
}

@test "the side is that on which the target ends, unless one is asked for" {
    limit=$(answer --solve elastic.downscale=1..60s --target 'goodput>=94%')
    [ "$limit" != 1s ]
    [ "$(answer --solve elastic.downscale=1..60s --target 'goodput>=94%' --max)" = "$limit" ]
    [ "$(answer --solve elastic.downscale=1..60s --target 'goodput>=94%' --min)" = 1s ]
    run "$FAULTLINE" plan tiny.yaml --solve elastic.downscale=1..60s --target 'goodput>=94%' --min
    [[ "$output" == *"It is the lower end of the range."* ]]
}

@test "a best value at the end of the range is said to be there, one within it is not" {
    "$FAULTLINE" plan tiny.yaml --solve elastic.downscale=10s..5min --maximize goodput -q -s duration=40h >out
    [[ "$(head -1 out)" == "elastic.downscale = 10s: the most goodput, "* ]]
    grep -qx 'It is at the end of the range that was searched\.' out
    "$FAULTLINE" plan tiny.yaml --solve elastic.upscale_every=1..1000s --maximize goodput -q "${elastic[@]}" >out
    ! grep -q 'end of the range' out
}

@test "without a range it looks around the present value, as far as the scenario is valid" {
    "$FAULTLINE" plan tiny.yaml --solve learners.count --maximize goodput -n 2 >out
    [[ "$(sed -n 1p out)" == "learners.count = "*": the most goodput, "* ]]
    [ "$(awk '/^learners.count +goodput/ { t = 1; next } t { print $1 }' out | sed -n '1p;$p' | tr '\n' ' ')" = '1 40 ' ]
    run "$FAULTLINE" plan tiny.yaml --solve elastic.upscale_every --maximize goodput
    [ "$status" -eq 2 ]
    [ "$output" = "faultline: --solve elastic.upscale_every: the scenario has no value above 0 to start from; give a range: elastic.upscale_every=LOW..HIGH" ]
}

@test "sensitivity: more time between failures is good, slower resizing is not, and the strongest comes first" {
    "$FAULTLINE" plan tiny.yaml --solve learners.count=1..4 --target 'goodput>=90%' --sensitivity --format csv -n 20 >out
    [ "$(head -1 out)" = key,value,metric,elasticity,ci95,n ]
    awk -F, '/^failures.chip.mtbi,/ { ok += $4 > $5 } /^elastic.downscale,/ { ok += -$4 > $5 } /^elastic.restart,/ { ok += $4 == 0 }
             NR > 2 && ($4 < 0 ? -$4 : $4) > last { bad++ } { last = $4 < 0 ? -$4 : $4 } END { exit !(ok == 3 && bad == 0) }' out
    run "$FAULTLINE" plan tiny.yaml --solve learners.count=1..4 --target 'goodput>=90%' --sensitivity
    [[ "$output" =~ failures.chip.mtbi\ +10h\ +\+0\.[0-9]+\ +0\.[0-9]+ ]]
}

# For small x of lost time, goodput is about 1 - x, and x is proportional to the downscale when all else is nothing: so
# the elasticity of goodput to it is about -(1 - goodput) / goodput.
@test "sensitivity: elasticity in closed form" {
    "$FAULTLINE" plan tiny.yaml "${elastic[@]}" -s elastic.upscale=0s -s 'failures.chip.return_after=constant(0s)' -s duration=20h \
        -s learners.step_time=1s -s failures.chip.mtbi=100h --solve elastic.downscale=16..17s --target 'goodput>=0%' --min --sensitivity --format csv >rows
    goodput=$("$FAULTLINE" sweep tiny.yaml "${elastic[@]}" -s elastic.upscale=0s -s 'failures.chip.return_after=constant(0s)' -s duration=20h \
        -s learners.step_time=1s -s failures.chip.mtbi=100h --vary elastic.downscale=16s --format csv | tail -1 | cut -d, -f3)
    awk -F, -v g="$goodput" '/^elastic.downscale,/ { e = -(1 - g) / g; exit !($4 < 0.9 * e && $4 > 1.1 * e) }' rows
}

@test "what was tried is stored, and reused" {
    "$FAULTLINE" plan tiny.yaml --solve learners.count=1..16 --target 'goodput>=95%' -o a.db --format csv >first 2>err
    grep -q '^faultline: 0 reused, [0-9]* computed$' err
    "$FAULTLINE" plan tiny.yaml --solve learners.count=1..16 --target 'goodput>=95%' -o a.db --format csv >second 2>err
    grep -q '^faultline: [0-9]* reused, 0 computed$' err
    cmp first second
}

@test "bad input is status 2, wrong usage 64" {
    for spec in learners.cuont elastic method learners.count=5 learners.count=8..2 learners.count=0..4 learners.count=1..100; do
        run "$FAULTLINE" plan tiny.yaml --solve "$spec" --maximize goodput
        [ "$status" -eq 2 ]
        [[ "$output" == "faultline: --solve "* ]]
    done
    for arguments in 'tiny.yaml' 'tiny.yaml --solve learners.count' '--solve learners.count --maximize goodput' \
        'tiny.yaml --solve learners.count --target goodput' 'tiny.yaml --solve learners.count --target goodput>90%' \
        'tiny.yaml --solve learners.count --target goodness>=90%' 'tiny.yaml --solve learners.count --target goodput>=90' \
        'tiny.yaml --solve learners.count --maximize goodput --min' 'tiny.yaml --solve learners.count --maximize goodput --minimize uptime' \
        'tiny.yaml --solve learners.count --target goodput>=1% --min --max' 'tiny.yaml --solve learners.count --maximize goodput -n 1' \
        'tiny.yaml --solve learners.count --maximize goodput --confidence 40%'; do
        # shellcheck disable=SC2086
        run "$FAULTLINE" plan $arguments
        [ "$status" -eq 64 ]
    done
}

@test "an interrupted search keeps what it has" {
    env --default-signal=INT "$FAULTLINE" plan tiny.yaml --solve learners.count=1..32 --maximize goodput -s duration=300d -n 50 -o a.db >out 2>err &
    sleep 1
    kill -INT $!
    wait $! && return 1 || [ $? -eq 130 ]
    grep -q '^faultline: interrupted: [0-9]* of [0-9]* replicas are finished and kept in a.db' err
    [ ! -s out ]
}
