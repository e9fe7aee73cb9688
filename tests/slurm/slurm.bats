# tools/sweep-slurm on a real Slurm: three nodes of two cores on this machine, which tests/slurm/cluster starts and stops.
bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    source "$FAULTLINE_ROOT/tests/slurm/common.bash"
    export CLUSTER=$BATS_FILE_TMPDIR/cluster TMPDIR=$BATS_FILE_TMPDIR/scratch # jobs inherit it
    mkdir scratch
    if ! "$FAULTLINE_ROOT/tests/slurm/cluster" start "$CLUSTER" >lacks; then
        [ -s lacks ] # else it failed
        return
    fi
    simulate_whole
}

teardown_file() { [ -s "$BATS_FILE_TMPDIR/lacks" ] || "$FAULTLINE_ROOT/tests/slurm/cluster" stop "$CLUSTER"; }

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    [ ! -s lacks ] || skip "$(cat lacks)"
    source "$FAULTLINE_ROOT/tests/slurm/common.bash"
    export SLURM_CONF=$CLUSTER/slurm.conf
    sweep_slurm=$FAULTLINE_ROOT/tools/sweep-slurm
}

teardown() { [ -s lacks ] || scancel --full --signal=KILL --user=root; }

cluster() { "$FAULTLINE_ROOT/tests/slurm/cluster" "$1" "$CLUSTER" "${@:2}"; }
queue_is_empty() { [ -z "$(squeue --noheader)" ]; }

# job FOLDER: the array of the last submission
job() { awk '$1 == "parts" { job = $2 } END { print job }' "$1/jobs"; }

# busy FOLDER NODE: the first part that runs there and has replicas at home, but less than half
busy() {
    local part
    part=$("$sweep_slurm" status "$1" | awk -v node="$2" '$NF == node && $4 > 0 && 2 * $4 < $3 { print $1; exit }')
    [ -n "$part" ] && echo "$part"
}
is_out() { ! squeue --noheader --array --jobs "$1" --format %K | grep -qx "$2"; }

@test "200 cells in 8 parts: the rows of a single run, byte by byte; also after a database was deleted" {
    "$sweep_slurm" --shards 8 "it's {2} \$a" "$scenario" "${whole_options[@]}" -- --time=10
    within 200 queue_is_empty
    cd "it's {2} \$a"
    cmp sweep.csv ../whole.csv
    is_whole .
    "$sweep_slurm" status . >out
    [ "$(grep -c 'done$' out)" -eq 8 ]
    grep -qx '800 of 800 replicas of 200 cells are stored.' out
    [ -z "$(ls -A ../scratch)" ]
    rm shard-3.db all.db sweep.csv
    run -1 "$sweep_slurm" status .
    [[ "$output" == *"700 of 800 replicas"*"parts failed: 3;"* ]]
    run -0 "$sweep_slurm" resubmit .
    [[ "$output" == *"submitted parts 3 as job "* ]]
    within 100 queue_is_empty
    cmp sweep.csv ../whole.csv
    is_whole .
}

@test "a part preempted, a node killed, a part requeued and one cancelled" {
    "$sweep_slurm" --shards 8 --save 1 --sbatch=--time=10 chaos "$scenario" "${whole_options[@]}"
    array=$(job chaos)
    # Two cores at once for somebody else.
    preempted=$(within 60 busy chaos green)
    sbatch --partition urgent --nodelist green --cpus-per-task 2 --output /dev/null --wrap 'sleep 2'
    # The node goes with all that runs on it, without a word; Slurm would find out in half a minute.
    lost=$(within 60 busy chaos red)
    cluster down red
    scontrol update NodeName=red State=DOWN Reason=killed
    requeued=$(within 60 busy chaos blue)
    scontrol requeue "${array}_$requeued"
    within 30 grep -q "part $preempted is back in the queue" "chaos/log/shard-$preempted.txt"
    # What was finished until then is at home.
    for part in "$preempted" "$requeued"; do
        within 30 grep -q '^faultline: interrupted: [1-9][0-9]* of 100 replicas are finished' "chaos/log/shard-$part.txt"
    done
    cluster node red
    # What failed is found while the rest runs or waits, and goes into the queue again.
    cancelled=$(squeue --noheader --array --jobs "$array" --format %K | sort -n | tail -n 1)
    scancel "${array}_$cancelled"
    within 30 is_out "$array" "$cancelled"
    run -1 "$sweep_slurm" status chaos
    echo "$output"
    [[ "$output" == *" FAILED: "*"parts failed: $cancelled;"* ]]
    run -0 "$sweep_slurm" resubmit chaos
    [[ "$output" == *"submitted parts $cancelled as job "* ]]
    within 240 queue_is_empty
    for part in "$preempted" "$lost" "$requeued"; do
        grep -q '^faultline: [1-9][0-9]* reused, ' "chaos/log/shard-$part.txt"
    done
    cmp chaos/sweep.csv whole.csv
    is_whole chaos
}

@test "a part that its time limit ends goes on by itself, as long as it gets on" {
    "$sweep_slurm" --shards 1 --grace 56 limit "$scenario" "${cells[@]}" -n 2 -- --time=1
    within 200 queue_is_empty
    grep -q '^part 1 is back in the queue' limit/log/shard-1.txt
    replicas 2 | cmp - limit/sweep.csv
}

@test "the same part twice at once" {
    "$sweep_slurm" --shards 1 --save 1 twice "$scenario" "${cells[@]}" -n 1 -- --time=10
    # As when a node that was given up for lost runs on.
    bash twice/task.sh 1 quiet 3>&-
    within 100 queue_is_empty
    replicas 1 | cmp - twice/sweep.csv
    [ "$(query twice/all.db 'SELECT count(*) FROM run')" -eq 200 ]
    [ "$(ls -A twice | grep -c '^[.]')" -eq 0 ]
}

@test "a bad sweep is refused before anything is submitted; a changed scenario by every part" {
    run -2 "$sweep_slurm" bad "$scenario" --vary learners.count=1,2,3 --vary syncer.quorum=1,3
    [[ "$output" == *"faultline: cell 2, 'learners.count=1 syncer.quorum=3': "* ]]
    [ ! -e bad ]
    queue_is_empty
    cp "$scenario" changing.yaml
    "$sweep_slurm" --shards 2 changed changing.yaml --vary learners.count=1,2 -- --time=1 --begin=now+3
    echo '# new' >>changing.yaml
    within 60 queue_is_empty
    grep -q "changing.yaml: has changed since the sweep" changed/log/shard-1.txt
    run -1 "$sweep_slurm" status changed
    [[ "$output" == *"parts failed: 1 2;"* ]]
    run -2 "$sweep_slurm" resubmit changed
    [[ "$output" == *"has changed since the sweep"* ]]
}
