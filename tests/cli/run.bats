# faultline run: what it prints, its exit status, seeds, threads, interrupts.

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
    # A tenth of a second per replica and more.
    sed 's/^name:.*/name: slow/; s/chips: 64/chips: 2.4M/; s/10h/1y/; s/^duration:.*/duration: 60d/' tiny.yaml >slow.yaml
}

# column NAME FILE: a column of a CSV without quotes
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"; }

# interrupted SIGNAL SECONDS ARGUMENT...: the exit status of a run that gets a signal (and does not ignore it as background jobs do)
interrupted() {
    local signal=$1 after=$2 pid
    shift 2
    env --default-signal=INT,TERM,HUP "$FAULTLINE" run "$@" >out 2>err &
    pid=$!
    sleep "$after"
    kill "-$signal" "$pid"
    wait "$pid"
}

@test "CSV has a row per replica; the columns the contract names come first" {
    "$FAULTLINE" run tiny.yaml -n 3 --seed 5 --format csv >out 2>err
    [ ! -s err ]
    [ "$(wc -l <out)" -eq 4 ]
    [[ "$(head -1 out)" == scenario,method,chips,learners,replica,seed,duration_s,goodput,uptime,failures,* ]]
    [[ "$(sed -n 3p out)" == tiny,decoupled-diloco,64,2,1,5,3600,0.*,done ]]
}

@test "no column stands twice" {
    "$FAULTLINE" run tiny.yaml -s method=elastic-dp -s learners.count=2 -s learners.count=1 -s seed=4 -n 1 --format csv >out
    [ "$(head -1 out | tr , '\n' | sort | uniq -d)" = '' ]
    [ "$(column method out),$(column learners.count out),$(column seed out)" = elastic-dp,1,4 ]
}

@test "JSON has an object a line with the same values" {
    "$FAULTLINE" run tiny.yaml -n 2 --seed 5 --format csv >csv
    "$FAULTLINE" run tiny.yaml -n 2 --seed 5 --format json >json
    [ "$(wc -l <json)" -eq 2 ]
    [[ "$(head -1 json)" == '{"scenario": "tiny", "method": "decoupled-diloco", "chips": 64, '* ]]
    [[ "$(head -1 json)" == *"\"goodput\": $(column goodput csv | head -1), "* ]]
}

@test "the table shows percent with an interval and where the time went" {
    run "$FAULTLINE" run tiny.yaml --seed 5
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "tiny: decoupled-diloco, 64 chips in 2 learners, seed 5" ]
    [ "${lines[1]}" = "mean of 10 replicas of 1 h" ]
    [[ "$output" =~ goodput\ +9[0-9]\.[0-9]{2}\ %\ +[0-9.]+\ % ]]
    [[ "$output" =~ useful\ +9[0-9]\.[0-9]{2}\ % ]]
}

@test "the table shows large counts with a suffix and no syncer where there is none" {
    "$FAULTLINE" run tiny.yaml --seed 5 >with
    "$FAULTLINE" run tiny.yaml -s method=elastic-dp -s learners.count=1 --seed 5 >without
    [[ "$(grep "^tokens " with)" =~ ^tokens\ +3\.[0-9]{3}G\ +[0-9.]+M$ ]]
    for metric in quorum_uptime syncer_progress rounds participants quorum_wait_s grace_s; do
        grep -q "^$metric " with
        run grep "^$metric " without
        [ "$status" -eq 1 ]
    done
}

@test "a share that is below 100 % or above 0 does not look like it" {
    rarely=(-s method=dp -s learners.count=1 -n 3 --seed 1)
    "$FAULTLINE" run tiny.yaml "${rarely[@]}" -s elastic.restart=1us >out
    [[ "$(grep ^uptime out)" =~ ^uptime\ +\>\ 99\.999999\ %\ +\<\ 0\.000001\ %$ ]]
    [[ "$(grep ^restart out)" =~ ^restart\ +\<\ 0\.01\ %\ +\<\ 0\.01\ %$ ]]
    "$FAULTLINE" run tiny.yaml "${rarely[@]}" -s elastic.restart=1ms >out
    [[ "$(grep ^uptime out)" =~ ^uptime\ +99\.999[0-9]+\ % ]]
    "$FAULTLINE" run tiny.yaml "${rarely[@]}" -s elastic.restart=0s >out
    [[ "$(grep ^uptime out)" =~ ^uptime\ +100\.00\ %\ +0\.00\ %$ ]]
}

@test "the buckets of a replica sum to its chip-time" {
    "$FAULTLINE" run tiny.yaml -n 5 --seed 5 --format csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /_chip_s$/) is[i] = 1; next }
                 { sum = 0; for (i in is) sum += $i; if (sum < 230399.999 || sum > 230400.001) bad++ } END { exit bad }'
}

@test "-j does not change a byte" {
    "$FAULTLINE" run tiny.yaml -n 40 --seed 5 -j 1 --format csv -o one.db >one
    "$FAULTLINE" run tiny.yaml -n 40 --seed 5 -j 2 --format csv -o two.db >two
    "$FAULTLINE" run tiny.yaml -n 40 --seed 5 -j 7 --format csv >seven
    cmp one two
    cmp one seven
    dump() { sqlite3 "$1" 'SELECT * FROM bucket; SELECT * FROM learner; SELECT id, replica, goodput FROM run'; }
    [ "$(dump one.db)" = "$(dump two.db)" ]
}

@test "--every-step gives the same results" {
    "$FAULTLINE" run tiny.yaml -s method=elastic-dp -s learners.count=1 -n 5 --seed 5 --format csv >jump
    "$FAULTLINE" run tiny.yaml -s method=elastic-dp -s learners.count=1 -n 5 --seed 5 --format csv --every-step >walk
    cmp jump walk
}

@test "settings change the run; a scenario comes from standard input too" {
    "$FAULTLINE" run - -s fleet.chips=128 -s learners.count=4 -n 1 --seed 1 --format csv <tiny.yaml >out
    [ "$(column chips out)" = 128 ]
    [ "$(column learners out)" = 4 ]
}

@test "without a seed one is drawn, shown and repeats the run" {
    "$FAULTLINE" run tiny.yaml -n 2 --format csv >first 2>err
    seed=$(column seed first | head -1)
    grep -qx "faultline: seed $seed (drawn; --seed $seed repeats this)" err
    "$FAULTLINE" run tiny.yaml -n 2 --format csv --seed "$seed" >second
    cmp first second
}

@test "the seed of the file counts, the option counts more" {
    sed -i '1a seed: 42' tiny.yaml
    "$FAULTLINE" run tiny.yaml -n 1 --format csv >out
    [ "$(column seed out)" = 42 ]
    "$FAULTLINE" run tiny.yaml -n 1 --format csv --seed 43 >out
    [ "$(column seed out)" = 43 ]
}

@test "32 runs at once without a seed have 32 seeds" {
    seq 32 | xargs -P 8 -I{} sh -c '"$FAULTLINE" run tiny.yaml -n 1 -q --format csv >out.{}'
    for i in $(seq 32); do column seed "out.$i"; done | sort -u | wc -l | grep -qx 32
}

@test "wrong usage is status 64 and says what is allowed" {
    for arguments in '' '-n 0 tiny.yaml' '-n 1e3 tiny.yaml' '-n -1 tiny.yaml' '-j 0 tiny.yaml' '--seed 1x tiny.yaml' \
        '--seed 9223372036854775808 tiny.yaml' '--format xml tiny.yaml' '--log all -o a.db tiny.yaml' '--log rounds tiny.yaml' \
        'tiny.yaml slow.yaml' '--nonsense tiny.yaml'; do
        # shellcheck disable=SC2086
        run "$FAULTLINE" run $arguments
        [ "$status" -eq 64 ]
    done
    run "$FAULTLINE" run -n 0 tiny.yaml
    [[ "${lines[0]}" == *"'0' is not a whole number from 1 to 1000000" ]]
}

@test "bad input is status 2, on stderr only" {
    "$FAULTLINE" run missing.yaml >out 2>err && return 1 || [ $? -eq 2 ]
    [ ! -s out ]
    grep -q '^faultline: missing.yaml' err
    run "$FAULTLINE" run tiny.yaml -s fleet.chip=3
    [ "$status" -eq 2 ]
}

@test "results that cannot be written are status 3" {
    run sh -c '"$FAULTLINE" run tiny.yaml --seed 1 >/dev/full'
    [ "$status" -eq 3 ]
    [ "$output" = "faultline: standard output: No space left on device" ]
    for arguments in 'fsm slice' keys 'check tiny.yaml' --version --help 'fsm --help' 'keys --version'; do
        run sh -c "\"\$FAULTLINE\" $arguments >/dev/full"
        [ "$status" -eq 3 ]
        [ "$output" = "faultline: standard output: No space left on device" ]
    done
    run bash -c '"$FAULTLINE" describe man >/dev/full' # more than a buffer: the reason is gone when it is asked for
    [ "$status" -eq 3 ]
    [[ "$output" == "faultline: standard output: "* ]]
    run bash -c '"$FAULTLINE" run tiny.yaml --seed 1 -n 2000 --format csv | head -1 >/dev/null; exit ${PIPESTATUS[0]}'
    [ "$status" -eq 3 ]
    [ -z "$output" ]
}

@test "JSON is an object a line, whatever the command" {
    json() { # LINES COMMAND...
        "$FAULTLINE" "${@:2}" --format json >out
        [ "$(wc -l <out)" -eq "$1" ]
        while IFS= read -r line; do [ "$(sqlite3 -init /dev/null -batch :memory: "SELECT json_type('${line//\'/\'\'}')")" = object ]; done <out
    }
    json 2 run tiny.yaml -n 2 --seed 1 -q
    json 2 sweep tiny.yaml -n 2 --seed 1 -q --vary elastic.downscale=5s,6s
    json 1 check tiny.yaml
    json 1 keys fleet.chips_per_slice
    json "$("$FAULTLINE" keys --metrics --format csv | tail -n +2 | wc -l)" keys --metrics
}

@test "nothing is drawn on a stderr that is no terminal" {
    "$FAULTLINE" run slow.yaml -n 8 --seed 1 >out 2>err
    [ ! -s err ]
}

@test "SIGINT, SIGTERM and SIGHUP keep what is finished" {
    for signal in INT:130 TERM:143 HUP:129; do
        run interrupted "${signal%:*}" 1.5 slow.yaml -n 2000 -j 2 --seed 1 --format csv -o "$signal.db"
        [ "$status" -eq "${signal#*:}" ]
        grep -q '^faultline: interrupted: [0-9]* of 2000 replicas are finished and kept in ' err
        rows=$(($(wc -l <out) - 1))
        [ "$rows" -lt 2000 ]
        [ "$(sqlite3 "$signal.db" 'SELECT count(*) FROM run')" -eq "$rows" ]
        [ "$(sqlite3 "$signal.db" 'PRAGMA integrity_check')" = ok ]
    done
}

@test "an interrupt inside the first replica ends at once" {
    SECONDS=0
    run interrupted INT 0.5 slow.yaml -s duration=20y -n 1 --seed 1
    [ "$status" -eq 130 ]
    grep -q '^faultline: interrupted: 0 of 1 replicas' err
    [ "$SECONDS" -lt 20 ]
}

# Millions of rounds lie between two events, and each asks a thousand learners.
@test "an interrupt between two rounds ends at once" {
    cat >rounds.yaml <<'EOT'
name: rounds
method: decoupled-diloco
duration: 200y
fleet: {chips: 16k, chips_per_slice: 4}
failures: {chip: {kind: chip, mtbi: 1000000y, return_after: constant(1h)}}
learners: {count: 1000, step_time: 1ms, speed_spread: 10%}
syncer: {quorum: 1, grace: off, fragments: 24, sync_every: 24, overlap: 2}
EOT
    SECONDS=0
    run interrupted INT 0.5 rounds.yaml -n 1 --seed 1
    [ "$status" -eq 130 ]
    [ "$SECONDS" -lt 10 ]
}

@test "a run that makes no progress says when and is status 4" {
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -s failures.chip.mtbi=1us -s 'failures.chip.return_after=constant(0s)' \
        --format csv -o a.db -q >out 2>err && return 1 || [ $? -eq 4 ]
    grep -q '^faultline: replica 0: no progress at t = 0\.[0-9]* s; 2 of 2 replicas ended so$' err
    [ "$(column status out | sort -u)" = no_progress ]
    [ "$(sqlite3 -init /dev/null a.db "SELECT count(*) FROM run WHERE status = 'no_progress' AND no_progress_at_ns > 0")" -eq 2 ]
}

@test "until: the run ends with the step that completes the work" {
    worked() { "$FAULTLINE" run tiny.yaml -n 1 --seed 1 -q --format csv -s failures.chip.mtbi=1000y "$@" | sed -n "1p;2p"; }
    worked -s until.work=1h >out
    [ "$(column duration_s out),$(column time_to_train_s out),$(column status out)" = 3600,3600,done ]
    worked -s until.tokens=800M >out # two learners, 4M a step of 7.5 s: 100 steps
    [ "$(column duration_s out),$(column tokens out)" = 750,800000000 ]
    worked >out
    [ "$(column duration_s out),$(column time_to_train_s out)" = 3600, ]
    "$FAULTLINE" run tiny.yaml --seed 1 -s until.work=1h >out
    [[ "$(sed -n 2p out)" == "mean of 10 replicas of 1 h of work" ]]
    grep -Eq '^time_to_train_s +[0-9.k]+ +[0-9.]+$' out
    "$FAULTLINE" run tiny.yaml --seed 1 >out
    [ "$(grep -c time_to_train out)" -eq 0 ]
}

@test "-s duration replaces until, and the reverse; the last one wins" {
    sed 's/^duration:.*/until: {work: 2h, within: 3d}/' tiny.yaml >until.yaml
    effective() { "$FAULTLINE" check "$@" --format yaml 2>err | sed -n '/^duration/p; /^until/,/^warmup/p' | tr -d '\n'; }
    [ "$(effective until.yaml)" = 'until:  work: 2h  within: 3dwarmup: 0s' ]
    [ "$(effective until.yaml -s duration=5h)" = 'duration: 5h' ]
    [ "$(effective until.yaml -s until.tokens=1T)" = 'until:  tokens: 1T  within: 3dwarmup: 0s' ]
    [ "$(effective tiny.yaml -s until.work=1d)" = 'until:  work: 1d  within: 10ywarmup: 0s' ]
    [ "$(effective tiny.yaml -s until.work=1d -s duration=5h)" = 'duration: 5h' ]
    [ "$(effective tiny.yaml -s duration=5h -s until.work=1d)" = 'until:  work: 1d  within: 10ywarmup: 0s' ]
    "$FAULTLINE" check until.yaml | grep -q '^until.work  *2h  *file$'
    "$FAULTLINE" check until.yaml -s duration=5h | grep -q '^duration  *5h  *-s$'
}

@test "a run that will never be done is stalled and status 4; its time to train is NULL" {
    stalled() { "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -s until.work=1h -s until.within=90min -o a.db -q "$@" -s 'failures.chip.return_after=constant(10y)'; }
    stalled --format csv >out 2>err && return 1 || [ $? -eq 4 ]
    grep -q '^faultline: replica 0: stalled: its work is not done after 5400 s (until.within); 2 of 2 replicas ended so$' err
    [ "$(column status out | sort -u),$(column duration_s out | sort -u),$(column time_to_train_s out | sort -u)" = stalled,5400, ]
    [ "$(sqlite3 -init /dev/null a.db "SELECT count(*) FROM run WHERE status = 'stalled' AND time_to_train_s IS NULL AND no_progress_at_ns IS NULL")" -eq 2 ]
    stalled --format csv >again 2>err && return 1 || [ $? -eq 4 ]
    cmp out again
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -s until.work=1h -o a.db -q --format csv >out
    "$FAULTLINE" run tiny.yaml -n 2 --seed 1 -s until.work=1h -o a.db -q --format csv >again
    cmp out again
}

@test "on a terminal there is a line of progress, without colours when NO_COLOR is set, none with -q" {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal can be opened here"
    on_terminal() { script -qec "$FAULTLINE run slow.yaml -n 8 --seed 1 -j 1 $1 >/dev/null" /dev/null </dev/null; }
    export TERM=xterm
    NO_COLOR='' run on_terminal ''
    [[ "$output" == *$'\e[2m'*'/8 replicas, '*' left'* ]]
    NO_COLOR=1 run on_terminal ''
    [[ "$output" == *'/8 replicas, '*' left'* ]]
    [[ "$output" != *$'\e'* ]]
    run on_terminal -q
    [ -z "$output" ]
}

@test "--control: a narrower interval, and what it is worth" {
    "$FAULTLINE" run tiny.yaml --seed 3 -n 40 --control >controlled
    grep -q '^metric .* mean  *+- 95 %  *times fewer$' controlled
    awk '/^goodput/ { exit !($NF > 1.5) }' controlled
    run -64 --separate-stderr "$FAULTLINE" run tiny.yaml --control --format csv
    [[ "$stderr" == *"--control is for the table: other formats have a row per replica"* ]]
    run -64 --separate-stderr "$FAULTLINE" run tiny.yaml --control -n 3
    [[ "$stderr" == *"--control takes 4 replicas and more"* ]]
    run -2 --separate-stderr "$FAULTLINE" run tiny.yaml --seed 1 --control -s 'failures.chip.lemons.share=5%' -s failures.chip.lemons.factor=3
    [[ "$stderr" == *"--control: lemons fail more often than other chips"* ]]
}
