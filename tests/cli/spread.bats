# tools/sweep-parallel and tools/sweep-slurm as far as one machine without Slurm can tell; tests/slurm has the rest.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    sweep_parallel=$FAULTLINE_ROOT/tools/sweep-parallel sweep_slurm=$FAULTLINE_ROOT/tools/sweep-slurm
    cat >tiny.yaml <<'EOT'
name: tiny
method: decoupled-diloco
duration: 1h
seed: 4
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
elastic: {downscale: 16s, upscale: 8s, restart: 83s}
learners: {count: 2, step_time: 7.5s}
EOT
    varied=(--vary duration=1h,10h,4d --vary learners.count=1,4,8)
}

teardown() { [ -z "${running-}" ] || kill -TERM "$running" 2>/dev/null || true; }
needs_parallel() { command -v parallel >/dev/null || skip "GNU parallel is not installed (tools/setup slurm)"; }
query() { sqlite3 -init /dev/null -batch "$@"; }

@test "parallel: what the single run prints, in every format, whatever the names; nothing is computed twice" {
    needs_parallel
    name="a 'b' \$(touch ran) {1} {} \`touch ran\`;"
    mkdir "$name"
    cp tiny.yaml "$name/$name.yaml"
    sed -i "s/^name: .*/name: \"\$(touch ran)\"/" "$name/$name.yaml"
    options=("${varied[@]}" -s 'elastic.downscale=20s' -n 3)
    for format in csv table json; do
        "$FAULTLINE" sweep "$name/$name.yaml" "${options[@]}" --format $format -q >expected
        "$sweep_parallel" --shards 4 --jobs 2 "$name/f$format" "$name/$name.yaml" "${options[@]}" --format $format >out 2>err
        cmp out expected
        [ ! -s err ]
    done
    [ "$(query "$name/fcsv/all.db" 'SELECT count(*) FROM run')" -eq 27 ]
    "$sweep_parallel" "$name/fjson" | cmp - expected
    [ "$(stat -c %Y "$name/fjson/shard-1.db")" -le "$(stat -c %Y out)" ]
    [ ! -e ran ]
    [ ! -e "$name/ran" ]
}

@test "parallel: parts that failed are reported; the same command does only what is missing" {
    needs_parallel
    "$FAULTLINE" sweep tiny.yaml "${varied[@]}" -n 2 --format csv -q >expected
    # A program that dies in part 2, and in part 3 without a word.
    printf '#!/bin/sh\ncase " $* " in *" --dry-run "*) ;; *" --shard 2/4 "*) exit 3;; *" --shard 3/4 "*) kill -9 $$;; esac\nexec "%s" "$@"\n' "$FAULTLINE" >broken
    chmod +x broken
    FAULTLINE=$PWD/broken run "$sweep_parallel" --shards 4 f tiny.yaml "${varied[@]}" -n 2 --format csv
    [ "$status" -eq 1 ]
    [[ "$output" == *"sweep-parallel: part 2 failed with status 3"* ]]
    [[ "$output" == *"sweep-parallel: part 3 failed with status 137"* ]]
    [[ "$output" == *"sweep-parallel: 2 of 4 parts are not finished; the same command does what is missing" ]]
    run "$sweep_parallel" status f
    [ "$status" -eq 4 ]
    [[ "$output" == *"failed with status 3"* ]]
    cp "$FAULTLINE" broken
    "$sweep_parallel" f | cmp - expected
    [ "$(wc -l <f/log/parallel)" -eq 3 ]
    "$sweep_parallel" status f | grep -qx '18 of 18 replicas of 9 cells are stored.'
    # A database that is broken is named, and may be deleted.
    seq 999 >f/shard-1.db
    run "$sweep_parallel" f
    [ "$status" -eq 2 ]
    [[ "$output" == *"f/shard-1.db: cannot be read as a database: file is not a database"* ]]
    rm f/shard-1.db
    "$sweep_parallel" f | cmp - expected
}

@test "parallel: a signal ends all parts; what is finished is kept" {
    needs_parallel
    "$sweep_parallel" --shards 3 --jobs 3 f tiny.yaml --vary learners.count=1,4,8 -s duration=30d -n 50 --format csv >out 2>err 3>&- &
    running=$!
    for ((i = 0; i < 300; i++)); do
        sleep 0.2
        [ "$("$sweep_parallel" status f 2>/dev/null | awk '$4 > 0' | wc -l)" -lt 4 ] || break
    done
    kill -TERM $running
    status=0
    wait $running || status=$?
    [ "$status" -eq 143 ]
    [ ! -s out ]
    grep -q '^sweep-parallel: interrupted; what is finished is kept in ' err
    [ "$("$sweep_parallel" status f | awk '$1 ~ /^[0-9]+$/ && $4 > 0' | wc -l)" -ge 3 ]
    ! pgrep -f "faultline sweep $PWD" >/dev/null || return 1
    "$sweep_parallel" f >out
    "$FAULTLINE" sweep tiny.yaml --vary learners.count=1,4,8 -s duration=30d -n 50 --format csv -q | cmp - out
}

@test "a precision, and the status of the sweep" {
    needs_parallel
    options=(--vary learners.count=1,2,4 --precision goodput=1% --max-replicas 12 --format csv)
    status=0
    "$FAULTLINE" sweep tiny.yaml "${options[@]}" -q >expected || status=$?
    [ "$status" -eq 4 ]
    "$sweep_parallel" --shards 2 f tiny.yaml "${options[@]}" >out || status=$?
    [ "$status" -eq 4 ]
    cmp out expected
    "$sweep_parallel" status f | grep -q '^3[0-9] of 3[0-9] replicas of 3 cells are stored[.]$'
}

@test "what cannot be is refused before anything is there" {
    refuses() { # STATUS MESSAGE ARGUMENT...
        for script in "$sweep_parallel" "$sweep_slurm"; do
            run "$script" "${@:3}"
            [ "$status" -eq "$1" ]
            [[ "$output" == *"$2"* ]]
        done
        [ ! -e f ]
    }
    refuses 64 'the scenario is read by many processes, so it cannot come from standard input (-); give a file' f - "${varied[@]}"
    refuses 64 'the cells are read by many processes' f tiny.yaml --cells -
    refuses 64 'the cells are read by many processes' f tiny.yaml --cells=-
    refuses 64 'every part has its own database' f tiny.yaml "${varied[@]}" -o a.db
    refuses 64 'how many with --shards' f tiny.yaml "${varied[@]}" --shard 1/2
    refuses 64 'with --cores' f tiny.yaml "${varied[@]}" -j4
    refuses 64 "the scenario comes before" f --vary a=1 tiny.yaml
    refuses 64 "--shards: '0' is not a whole number from 1 to 10000" --shards 0 f tiny.yaml "${varied[@]}"
    refuses 64 "--shards: '1e3' is not a whole number" --shards=1e3 f tiny.yaml "${varied[@]}"
    refuses 64 'there is no option --nonsense' --nonsense f tiny.yaml
    refuses 2 'none.yaml: is not a file that can be read' f none.yaml "${varied[@]}"
    sed -i /seed/d tiny.yaml
    PATH=$PWD:$PATH # for a sbatch that must not be asked
    printf '#!/bin/sh\ntouch asked\n' >sbatch && cp sbatch parallel && chmod +x sbatch parallel
    refuses 2 'there is no seed, and each shard would draw its own' f tiny.yaml "${varied[@]}"
    refuses 2 "faultline: cell 2, 'learners.count=1 syncer.quorum=3': " f tiny.yaml --vary learners.count=1,2 --vary syncer.quorum=1,3 --seed 1
    mkdir full && touch full/x
    for script in "$sweep_parallel" "$sweep_slurm"; do
        run "$script" full tiny.yaml "${varied[@]}" --seed 1
        [ "$status" -eq 2 ]
        [[ "$output" == *'full: is there, and holds no sweep' ]]
        run "$script" status full
        [ "$status" -eq 2 ]
        [[ "$output" == *'full: holds no sweep' ]]
    done
    [ ! -e asked ]
}

@test "slurm: --dry-run prints jobs that are as asked for, and submits nothing" {
    mkdir bin
    printf '#!/bin/sh\ntouch asked\n' >bin/sbatch && chmod +x bin/sbatch
    PATH=$PWD/bin:$PATH "$sweep_slurm" --dry-run --shards 9 --cores 2 --grace 90 --sbatch=--account=me "f 'g'" tiny.yaml "${varied[@]}" -- --time=20 --comment 'a b' >out
    [ ! -e asked ]
    [ ! -e "f 'g'" ]
    grep -q '^ *9  .* not done$' out
    grep -q -- 'exec bash ./task.sh "$SLURM_ARRAY_TASK_ID"' out
    grep '^sbatch' out | head -n 1 >parts
    for option in '--array 1-9' '--requeue' '--open-mode append' '--signal B:USR1@90' '--cpus-per-task 2' '--account=me' '--time=20' '--comment a\ b' "/f\\ \\'g\\'"; do
        grep -qF -- " $option" parts || grep -qF -- "$option" parts
    done
    grep '^sbatch' out | tail -n 1 | grep -q -- '--dependency afterany:'
}

@test "slurm: the commands are what a shell reads them as" {
    # A Slurm that knows nothing and takes everything.
    mkdir bin
    printf '#!/bin/bash\nprintf "%%s\\n" "$@" END >>"%s"\necho 17\n' "$PWD/asked" >bin/sbatch
    printf '#!/bin/sh\necho "slurm_load_jobs error: Invalid job id specified" >&2; exit 1\n' >bin/squeue
    printf '#!/bin/sh\necho "$*" >>cancelled\n' >bin/scancel
    chmod +x bin/*
    PATH=$PWD/bin:$PATH
    name="f 'g' \$(touch ran)"
    "$sweep_slurm" --shards 3 "$name" tiny.yaml "${varied[@]}" -- --comment "it's \$(touch ran)"
    grep -qx "it's \$(touch ran)" asked
    grep -qx "$PWD/$name" asked
    grep -qx 'afterany:17' asked
    [ ! -e ran ]
    run "$sweep_slurm" status "$name"
    [ "$status" -eq 1 ]
    [[ "$output" == *"parts failed: 1 2 3;"* ]]
    bash "$name/task.sh" 2 quiet
    : >asked
    "$sweep_slurm" resubmit "$name"
    grep -qx 1,3 asked
    # The site's options are remembered; only a job of ours is cancelled.
    [ "$(grep -cx "it's \$(touch ran)" asked)" -eq 2 ]
    [ "$(cat cancelled)" = '--name faultline-merge --state PENDING 17' ]
    printf '#!/bin/sh\necho "squeue: error: Unable to contact slurm controller" >&2; exit 1\n' >bin/squeue
    run "$sweep_slurm" status "$name"
    [ "$status" -eq 2 ]
    [[ "$output" == *"Unable to contact slurm controller"* ]]
    run "$sweep_slurm" "$name" tiny.yaml "${varied[@]}"
    [ "$status" -eq 2 ]
    [[ "$output" == *"resubmit goes on with it"* ]]
}

@test "help, and where they are installed" {
    for script in "$sweep_parallel" "$sweep_slurm"; do
        run "$script" --help
        [ "$status" -eq 0 ]
        for option in $(sed -n 's/^            \(--[a-z-]*\)).*/\1/p' "$script" | grep -v help); do [[ "$output" == *"$option"* ]]; done
        run "$script"
        [ "$status" -eq 64 ]
    done
    needs_parallel
    mkdir -p root/bin root/share/faultline
    cp "$sweep_parallel" "$sweep_slurm" root/bin/
    cp "$FAULTLINE_ROOT/tools/sweep-shards.sh" root/share/faultline/
    root/bin/sweep-parallel --shards 2 f tiny.yaml --vary learners.count=1,2 --format csv | cmp - <("$FAULTLINE" sweep tiny.yaml --vary learners.count=1,2 --format csv -q)
    root/bin/sweep-slurm --dry-run g tiny.yaml --vary learners.count=1,2 | grep -q '^sbatch '
}

@test "shellcheck has nothing to say" {
    command -v shellcheck >/dev/null || skip "shellcheck is not installed"
    cd "$FAULTLINE_ROOT"
    shellcheck -x tools/sweep-parallel tools/sweep-slurm tools/sweep-shards.sh tests/slurm/cluster
}
