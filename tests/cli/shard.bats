# faultline sweep --shard I/N: the same rows as the whole sweep, evenly dealt, and what is refused.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOF'
name: tiny
method: decoupled-diloco
duration: 1h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
elastic: {downscale: 16s, upscale: 8s, restart: 83s}
learners: {count: 2, step_time: 7.5s}
EOF
    # 12 cells; the last ones cost some 1000 times as much as the first.
    varied=(--vary duration=1h,10h,4d,40d --vary learners.count=1,4,8)
}

query() { sqlite3 -init /dev/null -batch "$@"; }

# shards N OPTION...: each part into part.I and part.I.db, what they say into said
shards() {
    local count=$1
    shift
    rm -f part.* said
    for ((i = 1; i <= count; i++)); do
        "$FAULTLINE" sweep tiny.yaml --shard "$i/$count" -o "part.$i.db" --format csv "$@" >"part.$i" 2>>said
    done
}

# All rows of the parts, once the header.
rows() { head -1 part.1 && for part in part.*[0-9]; do tail -n +2 "$part"; done | LC_ALL=C sort; }

# What is stored, whatever the numbers of rows and the clock.
stored() {
    for db in "$@"; do
        query "$db" 'SELECT hash, seed, replica, status, goodput, uptime, failures, steps FROM run JOIN scenario s ON s.id = scenario_id'
    done | LC_ALL=C sort
}

@test "the parts together are the whole sweep, rows and database" {
    "$FAULTLINE" sweep tiny.yaml "${varied[@]}" --seed 3 -n 3 -q -o all.db --format csv >all
    (head -1 all && tail -n +2 all | LC_ALL=C sort) >expected
    [ "$(wc -l <expected)" -eq 13 ]
    for count in 1 3 8; do
        shards $count "${varied[@]}" --seed 3 -n 3 -j 2
        rows >together
        cmp expected together
        [ "$(stored all.db)" = "$(stored part.*.db)" ]
    done
    [ "$(stored all.db | wc -l)" -eq 36 ]
    shards 1 "${varied[@]}" --seed 3 -n 3
    cmp all part.1
}

@test "also with precision, zipped keys and cells from a file; the seed may be in the scenario" {
    echo 'seed: 5' >>tiny.yaml
    "$FAULTLINE" sweep tiny.yaml --zip duration=1h,5h,9h --zip learners.count=1,2,4 --precision goodput=1% -q --format csv >all
    (head -1 all && tail -n +2 all | LC_ALL=C sort) >expected
    [ "$(cut -d, -f3 all | sort -u | wc -l)" -gt 2 ]
    shards 2 --zip duration=1h,5h,9h --zip learners.count=1,2,4 --precision goodput=1%
    rows >together
    cmp expected together
    printf 'duration=%s learners.count=%s\n' 1h 1 5h 2 9h 4 >cells
    shards 2 --cells cells --precision goodput=1%
    rows >together
    cmp expected together
}

@test "a part says what it has; the work is evenly dealt" {
    shards 3 "${varied[@]}" --seed 3 -n 1
    grep -q '^faultline: shard 2/3: [0-9]* of 12 cells, [0-9.]* % of the predicted work$' said
    [ "$(awk '/ shard / { sum += $4 } END { print sum }' said)" -eq 12 ]
    # Cells of 40 days are nearly all of it, with 1, 4 and 8 learners: no split is better than 8 of 13.
    sed -n 's/.* cells, \([0-9.]*\) % .*/\1/p' said | awk '{ sum += $1; if ($1 > most) most = $1 }
        END { exit !(sum > 99.8 && sum < 100.2 && most < 62) }'
    # The dearest cell goes first, to the first part.
    tail -n +2 part.1 | grep -q '^40d,8,'
}

@test "what a part finished is not computed again" {
    shards 3 "${varied[@]}" --seed 3 -n 2
    "$FAULTLINE" sweep tiny.yaml --shard 2/3 "${varied[@]}" --seed 3 -n 2 -o part.2.db --format csv >again 2>err
    cmp again part.2
    grep -q '^faultline: [1-9][0-9]* reused, 0 computed$' err
}

@test "an empty part is a header and an empty database" {
    "$FAULTLINE" sweep tiny.yaml --shard 3/3 --vary learners.count=1,2 --seed 3 -o empty.db --format csv >out 2>err
    [ "$(wc -l <out)" -eq 1 ]
    [[ "$(cat out)" == learners.count,n,goodput,* ]]
    grep -q '^faultline: shard 3/3: 0 of 2 cells, 0.0 % of the predicted work$' err
    [ "$(query empty.db 'SELECT count(*) FROM run')" = 0 ]
    "$FAULTLINE" sweep tiny.yaml --shard 3/3 --vary learners.count=1,2 --seed 3 -q >out 2>err
    [ "$(wc -l <out)" -eq 1 ]
    [ ! -s err ]
}

@test "what is no part is refused" {
    for shard in 0/4 5/4 a/b 1/0 4 1/ /4 -1/4 1/4x 1/10001; do
        run "$FAULTLINE" sweep tiny.yaml "--shard=$shard" --vary learners.count=1,2 --seed 3
        [ "$status" -eq 64 ]
        [[ "$output" == *"--shard: '$shard' is not I/N, as in 3/8, with I from 1 to N and N from 1 to 10000"* ]]
    done
}

@test "without a seed a part is refused, before anything is stored" {
    run "$FAULTLINE" sweep tiny.yaml --shard 1/2 --vary learners.count=1,2 -o no.db
    [ "$status" -eq 2 ]
    [ "$output" = "faultline: --shard: there is no seed, and each shard would draw its own; give --seed, or seed in the scenario" ]
    [ ! -e no.db ]
}

@test "a bad cell is refused by every part, whoever has it" {
    for shard in 1 2 3; do
        run "$FAULTLINE" sweep tiny.yaml --shard $shard/3 --vary learners.count=1,2,3 --vary syncer.quorum=1,3 --seed 3
        [ "$status" -eq 2 ]
        [[ "$output" == "faultline: cell 2, 'learners.count=1 syncer.quorum=3': "* ]]
    done
}

@test "--dry-run: what there is to do, and what of it is stored, of all parts at once" {
    shards 3 "${varied[@]}" --seed 3 -n 4
    rm part.2.db
    dry=("${varied[@]}" --seed 3 -n 4 --dry-run --format csv -q)
    "$FAULTLINE" sweep tiny.yaml "${dry[@]}" --shard '*/3' -o 'part.*.db' >left
    [ "$(head -1 left)" = shard,cells,replicas,stored,predicted_s,left_s,measured_s ]
    [ "$(tail -n +2 left | cut -d, -f1 | xargs)" = "1 2 3" ]
    awk -F, 'NR > 1 { cells += $2; replicas += $3; stored += $4; all += $3 * ($1 != 2)
        if ($1 == 2 ? $4 != 0 || $6 != $5 || $7 != 0 : $4 != $3 || $6 != 0 || $7 <= 0) exit 1 }
        END { exit !(cells == 12 && replicas == 48 && stored == all) }' left
    # One part alone says the same; nothing was created.
    "$FAULTLINE" sweep tiny.yaml "${dry[@]}" --shard 3/3 -o part.3.db | cmp - <(sed -n '1p;4p' left)
    [ ! -e part.2.db ]
    # Part of a part: other replicas, the scenario of another seed, and a file that is just being created hold nothing of it.
    "$FAULTLINE" sweep tiny.yaml "${varied[@]}" --seed 3 -n 1 --shard 2/3 -o part.2.db -q >/dev/null
    "$FAULTLINE" sweep tiny.yaml "${varied[@]}" --seed 4 -n 9 --shard 2/3 -o part.2.db -q >/dev/null
    "$FAULTLINE" sweep tiny.yaml "${dry[@]}" --shard '*/3' -o 'part.*.db' | awk -F, '$1 == 2 { exit !($4 == $2 && $6 > 0.7 * $5 && $6 < 0.8 * $5) }'
    : >part.2.db
    "$FAULTLINE" sweep tiny.yaml "${dry[@]}" --shard 2/3 -o part.2.db | grep -q '^2,[0-9]*,[0-9]*,0,'
    [ ! -s part.2.db ]
    # The whole sweep, without a database and without a seed.
    "$FAULTLINE" sweep tiny.yaml "${varied[@]}" -n 4 --dry-run --format csv -q | awk -F, 'NR == 2 { exit !($2 == 12 && $3 == 48 && $4 == 0) }'
}

@test "--dry-run with a precision counts the replicas that are known to be wanted" {
    options=(--vary learners.count=1,2,4 --precision goodput=1% --seed 5 --format csv -q)
    "$FAULTLINE" sweep tiny.yaml "${options[@]}" --dry-run -o a.db | grep -q '^1,3,30,0,'
    "$FAULTLINE" sweep tiny.yaml "${options[@]}" -o a.db >rows
    n=$(awk -F, 'NR > 1 { n += $2 } END { print n }' rows)
    [ "$n" -gt 30 ]
    "$FAULTLINE" sweep tiny.yaml "${options[@]}" --dry-run -o a.db | grep -q "^1,3,$n,$n,"
}

@test "--dry-run refuses what cannot be read; every part at once is for it alone" {
    echo junk >bad.db
    run "$FAULTLINE" sweep tiny.yaml "${varied[@]}" --seed 3 --dry-run -o bad.db
    [ "$status" -eq 2 ]
    [[ "$output" == *"faultline: bad.db: cannot be read as a database: file is not a database"* ]]
    run "$FAULTLINE" sweep tiny.yaml "${varied[@]}" --seed 3 --shard '*/3'
    [ "$status" -eq 64 ]
    [[ "$output" == *"--shard: every part at once is for --dry-run"* ]]
    run "$FAULTLINE" sweep tiny.yaml "${varied[@]}" --shard '*/3' --dry-run
    [ "$status" -eq 2 ]
    [[ "$output" == *"there is no seed"* ]]
}
