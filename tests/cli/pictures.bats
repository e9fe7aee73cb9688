# plots/over, heat, accounts, frontier and outages on databases of the program, with what they cannot draw and names that try to be commands.

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cat >tiny.yaml <<'EOT'
name: tiny
method: decoupled-diloco
duration: 6h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 40h, return_after: "exponential(mean=2min)"}
learners: {count: 2, step_time: 7.5s}
EOT
    "$FAULTLINE" sweep tiny.yaml --seed 1 -n 3 -q -o a.db --vary learners.count=1,2,4 --vary elastic.downscale=5s,20s >/dev/null
    "$FAULTLINE" run tiny.yaml --seed 1 -n 2 -q -o log.db --log transitions >/dev/null
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    plots=$FAULTLINE_ROOT/plots
    db=$BATS_FILE_TMPDIR/a.db
}

none() { ! "$@"; } # `! COMMAND` alone fails no test
query() { sqlite3 -init /dev/null -batch "$@"; }

# is_picture NAME: a whole SVG, and a PNG as wide as all and with something on it
is_picture() {
    grep -q '^</svg>' "$1.svg"
    [ "$(od -An -tu4 --endian=big -j16 -N4 "$1.png" | tr -d ' ')" = 1600 ]
    [ "$(stat -c %s "$1.png")" -gt 8000 ]
}

# words NAME: what stands in a picture
words() { sed -n 's/<tspan[^>]*>//g; s/<\/tspan>//g; s/.*<text>\(.*\)<\/text>.*/\1/p' "$1.svg"; }

@test "over: a metric over a key, a line for each of the others" {
    run "$plots/over" "$db" elastic.downscale
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    is_picture over
    words over >said
    for word in 'goodput over elastic.downscale' 'learners.count = 1' 'learners.count = 4' 5s 20s 'mean of 3 replicas; vertical lines: 95 % interval'; do grep -qxF "$word" said; done
    "$plots/over" "$db" learners.count uptime elastic.downscale=5s -o sub/one
    is_picture sub/one
    words sub/one >said
    grep -qxF 'uptime over learners.count' said
    none grep -q 'elastic.downscale = ' said
}

@test "over: points stand where their numbers are" {
    mkdir drawn
    (printf 'about\037fraction\037goodput\037meaning\037key\n'
        for x in 1 10 100; do printf 'point\037%s\0370.9\0370.01\0373\037%s\037\n' $x $x; done) >rows
    awk -v out=drawn -f "$plots/canvas.awk" -f "$plots/over.awk" rows
    # far apart: by their logarithm, so the second in the middle of 190 and 1520, all as high
    [ "$(awk '{ print $1 }' drawn/dots | xargs)" = "190.00 855.00 1520.00" ]
    [ "$(awk '{ print $2 }' drawn/dots | sort -u | wc -l)" -eq 1 ]
}

@test "heat: two keys, the number in every cell" {
    "$plots/heat" "$db" learners.count elastic.downscale
    is_picture heat
    words heat >said
    grep -qxF 'goodput over learners.count and elastic.downscale' said
    [ "$(grep -cE '^[0-9]+\.[0-9]+ %$' said)" -eq 8 ]
    best=$(query "$db" "SELECT printf('%.1f', 100 * max(goodput)) FROM goodput_summary")
    grep -qF "$best" said
}

@test "accounts: bars of what was lost, as long as it was" {
    "$plots/accounts" "$db"
    is_picture accounts
    words accounts >said
    [ "$(grep -c 'useful$' said)" -eq 7 ]
    grep -qxF 'elastic.downscale = 20s, learners.count = 1' said
    share=$(query "$db" "SELECT printf('%.2f %% useful', 100 * min(goodput)) FROM goodput_summary")
    grep -qxF "$share" said
}

@test "frontier: who is beaten is grey, who is not has a name" {
    "$plots/frontier" "$db" learners.count goodput
    is_picture frontier
    mkdir drawn
    (printf 'about\037key\037fraction\037min:\037max:\037cost\037goodput\n'
        printf 'point\0371\0370\0370.5\0370\037a\n' && printf 'point\0372\0370\0370.4\0370\037beaten\n'
        printf 'point\0373\0370\0370.9\0370\037b\n' && printf 'point\0373\0370\0370.8\0370\037c\n') >rows
    awk -v out=drawn -f "$plots/canvas.awk" -f "$plots/frontier.awk" rows
    [ "$(sed -n 's/.*"\(a\|b\|c\|beaten\)"$/\1/p' drawn/left | xargs)" = "a b" ]
    [ "$(grep -c ' 10921638$' drawn/dots)" -eq 2 ]
    "$plots/frontier" "$db" max:learners.count min:failures -o other
    words other | grep -q 'more of learners.count and less of failures is better'
}

@test "outages: the lengths are those of the transitions" {
    "$plots/outages" "$BATS_FILE_TMPDIR/log.db"
    is_picture outages
    # by hand: learner 0 stands from 10 to 30 s and from 50 s to the end, learner 1 from 20 to 60 s; slice 3 is away, then ready, from 5 to 25 s
    (printf 'run\0372\037\037100000000000\037\037tiny\n'
        for row in slice:3:5:away learner:0:10:downscaling learner:1:20:blocked slice:3:20:ready slice:3:25:active learner:0:30:stepping \
            learner:0:50:away learner:0:55:upscaling learner:1:60:stepping; do
            IFS=: read -r entity id t state <<<"$row"
            printf 'at\037%s\037%s\037%s000000000\037%s\037\n' "$id" "$entity" "$t" "$state"
        done) >rows
    awk -f "$plots/outages_of.awk" rows | tr '\037' ' ' | sort >lengths
    [ "$(grep -v about lengths | xargs)" = "learner 20 learner 40 learner 50 slice 20 training 10 training 10" ]
    grep -q '^0about 0.00115741 1 2 tiny$' lengths
}

@test "the same database gives the same bytes" {
    for picture in "over $db learners.count" "heat $db learners.count elastic.downscale" "accounts $db" "frontier $db failures goodput" "outages $BATS_FILE_TMPDIR/log.db"; do
        read -ra command <<<"$picture"
        "$plots/${command[0]}" "${command[@]:1}" -o first
        "$plots/${command[0]}" "${command[@]:1}" -o second
        cmp first.svg second.svg
        cmp first.png second.png
    done
}

@test "what cannot be drawn is said, with what there is" {
    refuses() { # STATUS MESSAGE COMMAND...
        run "$plots/$3" "${@:4}"
        [ "$status" -eq "$1" ]
        [[ "$output" == "plots/$3: "$2 ]]
        [ "$(find . -name '*.svg' -o -name '*.png' | wc -l)" -eq 0 ]
    }
    refuses 2 'no scenario has a key learners.cuont; keys that differ: elastic.downscale, learners.count' over "$db" learners.cuont
    refuses 2 'godput is no metric, and no key with numbers; keys that differ: *' over "$db" learners.count godput
    refuses 2 'warmup is a key; *' over "$db" learners.count warmup
    refuses 2 'no scenario has learners.count=3; values of that key: 1, 2, 4' accounts "$db" learners.count=3
    refuses 2 'the two keys are the same, learners.count' heat "$db" learners.count learners.count
    refuses 2 'several scenarios fit a cell, they differ in elastic.downscale; choose with KEY=VALUE' heat "$db" learners.count fleet.chips
    refuses 4 '*: no run has a time_to_train' over "$db" learners.count time_to_train
    refuses 4 'no run has its transitions stored: *' outages "$db"
    refuses 2 'none.db: no such file' accounts none.db
    seq 999 >text.db
    refuses 2 'text.db: *file is not a database*' accounts text.db
    query other.db 'CREATE TABLE scenario (x)'
    refuses 2 'other.db: is no results database of this version of faultline' accounts other.db
    cp "$db" empty.db
    query empty.db 'PRAGMA foreign_keys = OFF; DELETE FROM run'
    refuses 4 'empty.db: there are no finished runs to draw' over empty.db learners.count
    for command in "over $db" "heat $db x" "accounts $db x" "frontier $db x" "outages" "over $db x -o" "over $db x -z"; do
        read -ra word <<<"$command"
        run "$plots/${word[0]}" "${word[@]:1}"
        [ "$status" -eq 64 ]
        [[ "$output" == "usage: plots/${word[0]} FILE.db "* ]]
    done
}

@test "names cannot run anything: keys, values, metrics, files, and what stands in the database" {
    evil="x'); SELECT writefile('ran', 'x'); --"
    sed "s/chip: {kind/\"\`touch ran\`\\\\\"; system(\\\\\"touch ran\\\\\");\": {kind/; s/^name: .*/name: \"\$(touch ran) \`touch ran\`\\\\\"\"/" "$BATS_FILE_TMPDIR/tiny.yaml" >evil.yaml
    "$FAULTLINE" sweep evil.yaml --seed 1 -n 2 -q -o "\$(touch ran) '.db" --vary learners.count=1,2 >/dev/null
    "$FAULTLINE" run evil.yaml --seed 1 -n 1 -q -o log.db --log transitions >/dev/null
    "$plots/over" "\$(touch ran) '.db" learners.count -o "\$(touch ran) \`touch ran\`"
    "$plots/accounts" "\$(touch ran) '.db"
    "$plots/outages" log.db
    for name in "$evil" '$(touch ran)' '"; touch ran; "' '-'; do
        run "$plots/over" "$db" "$name"
        [ "$status" -eq 2 ] || [ "$status" -eq 64 ]
        run "$plots/over" "$db" learners.count "$name"
        [ "$status" -eq 2 ] || [ "$status" -eq 64 ]
        run "$plots/accounts" "$db" "learners.count=$name"
        [ "$status" -eq 2 ]
        run "$plots/accounts" "$db" "$name=1"
        [ "$status" -eq 2 ] || [ "$status" -eq 64 ]
        run "$plots/frontier" "$db" "min:$name" goodput
        [ "$status" -eq 2 ]
    done
    [ -e "\$(touch ran) \`touch ran\`.svg" ]
    [ ! -e ran ]
}

@test "faultline-plot: one command for all of them, also where it is installed" {
    run "$FAULTLINE_ROOT/tools/faultline-plot"
    [ "$status" -eq 64 ]
    [[ "$output" == *"over FILE.db KEY [METRIC]"*"heat FILE.db KEY1 KEY2"*"accounts FILE.db"*"frontier FILE.db X Y"*"outages FILE.db"*"timeline FILE.db"* ]]
    run "$FAULTLINE_ROOT/tools/faultline-plot" nonsense
    [ "$status" -eq 64 ]
    [[ "$output" == "faultline-plot: there is no picture nonsense; there are: over "* ]]
    mkdir -p root/bin root/share/faultline
    cp "$FAULTLINE_ROOT/tools/faultline-plot" root/bin/
    mkdir root/share/faultline/plots
    for file in $(grep -oE "plots / '[a-z_.]+'" "$FAULTLINE_ROOT/tools/meson.build" | sed "s/.*'\(.*\)'/\1/"); do cp "$plots/$file" root/share/faultline/plots/; done
    for picture in "over $db learners.count" "heat $db learners.count elastic.downscale" "accounts $db" "frontier $db failures goodput" "outages $BATS_FILE_TMPDIR/log.db" "timeline $BATS_FILE_TMPDIR/log.db"; do
        read -ra command <<<"$picture"
        root/bin/faultline-plot "${command[@]}"
        is_picture "${command[0]}"
    done
    run root/bin/faultline-plot over none.db x
    [ "$output" = "faultline-plot over: none.db: no such file" ]
}
