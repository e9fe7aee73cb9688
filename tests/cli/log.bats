# faultline: logs of failures, replayed (kind: log) and fitted (fit).

lanl="$FAULTLINE_ROOT/../shared/data/lanl-1996-2005.csv.xz"

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >replay.yaml <<'EOT'
name: replay
method: elastic-dp
duration: 10d
fleet: {chips: 64, chips_per_slice: 8}
failures:
  real: {kind: log, file: some.csv, columns: {start: started, down: hours, machine: host}, dates: "%F %H:%M", unit: h}
elastic: {downscale: 16s, upscale: 8s, restart: 83s, upscale_every: 0s}
learners: {step_time: 7.5s}
EOT
    printf 'started,hours,host\n2024-01-01 00:00,1,a\n2024-01-03 12:00,2.5,b\n2024-01-03 12:00,0.5,c\n' >some.csv
}

# column NAME FILE: a column of a CSV without quotes
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"; }

@test "a log is replayed, plain or .xz, and named from the folder of the scenario" {
    mkdir sub
    mv replay.yaml some.csv sub
    "$FAULTLINE" run sub/replay.yaml -n 2 --seed 1 -q --format csv >plain
    [ "$(column failures plain | sort -u)" = 3 ]
    xz sub/some.csv
    "$FAULTLINE" run sub/replay.yaml -n 2 --seed 1 -q --format csv -s failures.real.file=some.csv.xz >packed
    [ "$(cut -d, -f8-30 plain)" = "$(cut -d, -f8-30 packed)" ]
    head -c 40 sub/some.csv.xz >sub/cut.xz
    "$FAULTLINE" check sub/replay.yaml -s failures.real.file=cut.xz >out 2>err && return 1 || [ $? -eq 2 ]
    grep -q 'sub/cut.xz: the .xz data is cut off or damaged$' err
}

@test "another content of the log is another scenario in the database" {
    "$FAULTLINE" run replay.yaml -n 1 --seed 1 -o a.db >/dev/null 2>err
    grep -q '0 reused, 1 computed' err
    printf '\r\n' >>some.csv # says the same
    "$FAULTLINE" run replay.yaml -n 1 --seed 1 -o a.db >/dev/null 2>err
    grep -q '1 reused, 0 computed' err
    sed -i 's/2.5/2.6/' some.csv
    "$FAULTLINE" run replay.yaml -n 1 --seed 1 -o a.db >/dev/null 2>err
    grep -q '0 reused, 1 computed' err
    [ "$(sqlite3 -init /dev/null a.db 'SELECT count(DISTINCT hash) || count(DISTINCT text) FROM scenario')" = 21 ]
}

@test "conditions may be given as a setting" {
    "$FAULTLINE" run replay.yaml -n 1 --seed 1 -q --format csv -s 'failures.real.where={host: b}' >out
    [ "$(column failures out)" = 1 ]
}

@test "the 2,478 failures of system 20 of LANL; those of a node that is out already are dropped" {
    [ -e "$lanl" ] || skip "the data of LANL is not here"
    cat >lanl.yaml <<EOT
name: lanl-20
method: elastic-dp
duration: 5y
fleet: {chips: 512, chips_per_slice: 1}
failures:
  real: {kind: log, file: $lanl, columns: {start: "Prob Started", end: "Prob Fixed", machine: nodenum}, dates: "%m/%d/%Y %H:%M", where: {System: 20}}
elastic: {downscale: 0s, upscale: 0s, restart: 0s, upscale_every: 0s}
learners: {step_time: 10s}
EOT
    "$FAULTLINE" check lanl.yaml >out
    grep -Eq '^failures.real.failures +2478 ' out
    grep -Eq '^failures.real.mean_gap +13.167h ' out
    # the same count by other means: rows of a node sorted by start, dropped when the one that counted has not
    # ended, or ends just now: the node rejoins with the next step
    counted=$(xz -dc "$lanl" | TZ=UTC awk -F, 'function t(s, p) { split(s, p, /[\/ :]/); return mktime(p[3] " " p[1] " " p[2] " " p[4] " " p[5] " 0") }
        $1 == 20 { print $6, t($17), t($18), NR }' | sort -k1,1n -k2,2n -k4,4n |
        awk '$1 != node { node = $1; out = -1 } $2 > out { count++; out = $3 } END { print count }')
    "$FAULTLINE" run lanl.yaml -n 1 --seed 1 -q --format csv >out
    [ "$(column failures out)" -eq "$counted" ]
}

@test "a cause is in the log of transitions, is counted, and may be chosen" {
    printf 'started,hours,host,cause\n2024-01-01 00:00,1,a,fan\n2024-01-03 12:00,2.5,b,"link, flap"\n2024-01-03 12:00,0.5,c,\n' >some.csv
    "$FAULTLINE" run replay.yaml -q -n 1 --seed 1 -o plain.db --log transitions --format csv >plain
    "$FAULTLINE" run replay.yaml -q -n 1 --seed 1 -o cause.db --log transitions --tape t.tape --format csv -s failures.real.columns.cause=cause >named
    "$FAULTLINE" replay t.tape 2>&1 >/dev/null | grep -q 'all the same'
    cut -d, -f1-60 named | cmp - <(cut -d, -f1-60 plain)
    query='SELECT t_ns, entity, id, from_state, to_state, cause FROM transition ORDER BY rowid'
    sqlite3 plain.db "$query" >plain.log
    sqlite3 cause.db "$query" >cause.log
    [ "$(diff plain.log cause.log | sed -n 's/^> //p')" = "0|slice|0|active|failed|chip failed: fan
216000000000000|slice|1|active|failed|chip failed: link, flap" ]
    sed 's/: fan$//; s/: link, flap$//' cause.log | cmp - plain.log
    "$FAULTLINE" check replay.yaml -s failures.real.columns.cause=cause >out
    grep -Eq '^failures.real.causes.link, flap +1 ' out
    "$FAULTLINE" check replay.yaml -s failures.real.columns.cause=cause -s 'failures.real.causes=[Fan, "LINK, flap"]' --format csv >out
    [ "$(grep -c '^"*failures.real.causes\.' out)" = 2 ]
    grep -q '^failures.real.failures,2,' out
    # what check writes it reads
    "$FAULTLINE" check replay.yaml -s failures.real.columns.cause=cause -s 'failures.real.causes=[Fan, "LINK, flap"]' --format yaml >again.yaml
    "$FAULTLINE" check again.yaml --format yaml | cmp - again.yaml
}

@test "other causes of the same failures are another scenario" {
    sed -i '1s/$/,cause/; 2,$s/$/,fan/' some.csv
    "$FAULTLINE" run replay.yaml -n 1 --seed 1 -o b.db -s failures.real.columns.cause=cause >/dev/null 2>err
    sed -i '$s/fan$/disk/' some.csv
    "$FAULTLINE" run replay.yaml -n 1 --seed 1 -o b.db -s failures.real.columns.cause=cause >/dev/null 2>err
    grep -q '0 reused, 1 computed' err
}

@test "fit: causes are counted and chosen; without them the output is as it was" {
    printf 'started,hours,host,cause,Net\n2024-01-01 00:00,1,a,fan,\n2024-01-03 12:00,2.5,b,,y\n2024-01-04 12:00,0.5,c,Fan,y\n2024-01-09 00:00,1,c,x,\n2024-01-12 00:00,1,b,x,\n' >some.csv
    fit() { "$FAULTLINE" fit some.csv -q --start started --down hours --unit h --dates '%F %H:%M' --law exponential "$@"; }
    fit >none
    fit --cause cause >out
    [ "$(sed '/^$/,$d' out)" = "$(printf '%s\n' 'cause   failures  mean outage  share of down time' 'fan            2        45min               25.0%' \
        'x              2           1h               33.3%' '(none)         1         2.5h               41.7%')" ]
    sed '1,/^$/d' out | cmp - none
    fit --cause Net,cause --causes CAUSE >out
    [ "$(sed -n 2p out | tr -s ' ')" = 'cause 3 1h 100.0%' ]
    fit --cause Net,cause --causes cause,net >out
    grep -q '^# 4 gaps' out
    fit --causes fan >out 2>err && return 1 || [ $? -eq 64 ]
    grep -q -- '--causes needs --cause COLUMN' err
    fit --cause Net, >out 2>err && return 1 || [ $? -eq 64 ]
    fit --cause cause --causes fun >out 2>err && return 1 || [ $? -eq 2 ]
    grep -q "some.csv: no failure has the cause 'fun'; its causes are: fan, x$" err
}

@test "LANL: the cause of a failure of system 20 is the column that is filled" {
    [ -e "$lanl" ] || skip "the data of LANL is not here"
    columns='Facilities,Hardware,Human Error,Network,Undetermined,Software'
    "$FAULTLINE" fit "$lanl" -q --where System=20 --law exponential --down "Down Time" --cause "$columns" >out
    # the same by other means: none of these rows has a quoted field in front of its cause
    xz -dc "$lanl" | awk -F, 'NR == 1 { for (i = 20; i <= 25; i++) name[i] = $i } $1 == 20 {
        for (i = 20; i <= 25 && $i == ""; i++); count[name[i]]++; down[name[i]] += $19; all += $19 }
        END { for (c in count) printf "%s %d %.1f%%\n", c, count[c], 100 * down[c] / all }' | sort >expected
    sed '1d; /^$/,$d' out | sed -E 's/ {2,}/|/g' | awk -F'|' '{ print $1, $2, $4 }' | sort | cmp - expected
    "$FAULTLINE" fit "$lanl" -q --where System=20 --law exponential --cause "$columns" --causes HARDWARE,network >out
    grep -q '^# 1735 outages' out
}

@test "fit: a table of laws, and a block that check accepts" {
    "$FAULTLINE" fit some.csv --start started --down hours --unit h >out 2>err
    grep -q "^faultline: note: --dates '%F %H:%M' is a guess$" err
    grep -q '^# 2 gaps, mean 1.2604d; 1 of 0 count as 30min$' out
    { printf 'name: x\nmethod: elastic-dp\nduration: 1d\nfleet: {chips: 3, chips_per_slice: 1}\n'; sed -n '/^failures/,$p' out; } >x.yaml
    "$FAULTLINE" check x.yaml >/dev/null
    "$FAULTLINE" fit some.csv -q --start started --end started --machine host --gaps machine --format csv >out 2>err && return 1 || [ $? -eq 4 ]
    grep -q 'no law has a maximum' err
    "$FAULTLINE" fit some.csv -q --law cauchy >out 2>err && return 1 || [ $? -eq 64 ]
    "$FAULTLINE" fit some.csv -q --start begun >out 2>err && return 1 || [ $? -eq 2 ]
    grep -q "^faultline: some.csv:1:1: the header has no column 'begun'$" err
}

@test "fit: LANL's system 20 after its first year and a half has the Weibull shape that Schroeder and Gibson report, 0.7 to 0.8" {
    [ -e "$lanl" ] || skip "the data of LANL is not here"
    xz -dc "$lanl" | awk -F, 'NR == 1 || ($1 == 20 && $17 ~ /\/200[3-5] /)' >late.csv
    "$FAULTLINE" fit late.csv -q --law weibull --format json | head -1 >json
    awk -F'"parameter_2": ' '{ split($2, a, ","); exit !(a[1] > 0.7 && a[1] < 0.8) }' json
    "$FAULTLINE" fit "$lanl" -q --where System=20 >out
    grep -q '^# 2477 gaps, mean 13.167h; 77 of 0 count as 30s$' out
    "$FAULTLINE" fit "$lanl" -q --where System=20 --quantiles q.csv >out
    [ "$(head -1 q.csv)" = of,law,p,observed_s,fitted_s ]
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    gnuplot -c "$FAULTLINE_ROOT/plots/quantiles.gp" svg q.svg q.csv gap
    grep -q '<svg' q.svg
}

@test "the presets are valid, name their source, and have the failures that it reports" {
    for preset in "$FAULTLINE_ROOT"/scenarios/failures/*.yaml; do
        "$FAULTLINE" check "$preset" >/dev/null
        grep -q 'Source: ' "$preset"
    done
    # 419 in 54 days, 100 in 60 days: in expectation
    "$FAULTLINE" check "$FAULTLINE_ROOT/scenarios/failures/llama-3.yaml" | grep -Eq '^failures_expected +419 '
    "$FAULTLINE" check "$FAULTLINE_ROOT/scenarios/failures/opt-175b.yaml" | grep -Eq '^failures_expected +100 '
}

@test "a log that would take too long to fit is refused at once" {
    cd "$BATS_TEST_TMPDIR"
    { echo start,end; seq 200001 | sed 's/.*/&,&/'; } >dense.csv
    run timeout 20 "$FAULTLINE" fit dense.csv --start start --end end --unit s
    [ "$status" -eq 2 ]
    [ "$output" = "faultline: dense.csv: 200001 failures take too long to fit; choose at most 200000 of them (--where)" ]
}
