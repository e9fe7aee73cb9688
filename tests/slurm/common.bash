# tests/slurm/common.bash -- the sweep of 200 cells that all of these tests spread over machines, and what they compare.

cells=(--vary duration=2..40d+2d --vary elastic.downscale=4..40s+4s)
: "${each:=4}" # replicas of a cell
whole_options=("${cells[@]}" -n "$each" --format csv)

# The scenario has blanks and quotes in its name, as folders do below: names are nothing but names.
scenario="a 'fleet' {1} \$x.yaml"

# simulate_whole: the sweep as one run computes it, in whole.db and whole.csv.
simulate_whole() {
    cat >"$scenario" <<'EOT'
name: fleet
method: decoupled-diloco
duration: 1d
seed: 4
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 2h, return_after: "exponential(mean=2min)"}
elastic: {downscale: 16s, upscale: 8s, restart: 83s}
learners: {count: 2, step_time: 7.5s}
EOT
    "$FAULTLINE" sweep "$scenario" "${whole_options[@]}" -q -o whole.db >whole.csv
    [ "$(wc -l <whole.csv)" -eq 201 ]
}

query() { sqlite3 -init /dev/null -batch "$@"; }

# stored FILE.db: the runs and their buckets, whatever the numbers of rows and the clock.
stored() {
    query "$1" 'SELECT hash, seed, replica, status, goodput, uptime, failures, run.steps FROM run JOIN scenario s ON s.id = scenario_id ORDER BY 1, 2, 3' \
        'SELECT hash, replica, b.learner, b.name, chip_seconds FROM bucket b JOIN run ON run.id = run_id JOIN scenario s ON s.id = scenario_id ORDER BY 1, 2, 3, 4' | md5sum
}

# is_whole FOLDER: its parts together are what one run stored.
is_whole() {
    [ "$(query "$1/all.db" 'SELECT count(*) FROM run')" -eq $((200 * each)) ]
    [ "$(query "$1/all.db" 'PRAGMA quick_check(1); PRAGMA foreign_key_check')" = ok ]
    [ "$(stored "$1/all.db")" = "$(stored "$BATS_FILE_TMPDIR/whole.db")" ]
}

# replicas N: what a single run with so many replicas prints, from what is stored of the whole one.
replicas() { "$FAULTLINE" sweep "$scenario" "${cells[@]}" -n "$1" --format csv -q -o whole.db; }

# within SECONDS COMMAND...: waits until it is true, and fails when the time is over.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        if [ "$SECONDS" -ge "$end" ]; then
            echo "not in time: $*" >&2
            return 1
        fi
        sleep 0.2
    done
}
