# plots/tables against small databases: with gaps, with names that try to be commands, twice with the same bytes.

setup() {
    cd "$FAULTLINE_ROOT" || return 1
    out=$BATS_TEST_TMPDIR
    database() { sqlite3 -init /dev/null -batch -bail "$out/results.db"; }
    database <<<'CREATE TABLE cell (method TEXT, learners INTEGER, chips INTEGER, published REAL, simulated REAL,
                     ci95 REAL, difference REAL, n INTEGER);
                 CREATE VIEW table_1a AS SELECT * FROM cell;
                 CREATE VIEW table_1b AS SELECT * FROM cell WHERE learners <> 16;'
}

@test "draws three plots, as SVG and as PNG" {
    database <<<"INSERT INTO cell VALUES ('dp', 1, 150000, 0.72, 0.71, 0.004, -0.01, 10), ('dp', 1, 2400000, 0.18, 0.2, 0.01, 0.02, 10),
                 ('decoupled-diloco', 16, 150000, 0.99, 0.985, 0.001, -0.005, 10)"
    run plots/tables "$out"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    for name in table-1a table-1b residuals; do
        grep -q "^</svg>" "$out/$name.svg"
        [ "$(od -An -tu4 --endian=big -j16 -N4 "$out/$name.png" | tr -d ' ')" = 1600 ]
    done
    grep -q 'Decoupled DiLoCo, M = 16' "$out/table-1a.svg"
    grep -q '+2.0' "$out/residuals.svg"
}

@test "the same database gives the same bytes" {
    database <<<"INSERT INTO cell VALUES ('dp', 1, 150000, 0.72, 0.71, 0.004, -0.01, 10)"
    plots/tables "$out"
    before=$(cd "$out" && cksum ./*.svg ./*.png)
    plots/tables "$out"
    [ "$before" = "$(cd "$out" && cksum ./*.svg ./*.png)" ]
}

@test "cells without a number leave gaps" {
    database <<<"INSERT INTO cell VALUES ('dp', 1, 150000, 0.72, NULL, NULL, NULL, 0), ('dp', 1, 300000, NULL, 0.6, 0.1, NULL, 2),
                 ('streaming-diloco', 4, 300000, NULL, 0.6, NULL, NULL, 1)"
    run plots/tables "$out"
    [ "$status" -eq 0 ]
    grep -q '–' "$out/residuals.svg"
}

@test "names from the database cannot run anything" {
    database <<EOT
INSERT INTO cell VALUES ('\`touch $out/ran\`"; system("touch $out/ran"); {/=40 x}' || char(10) || 'dp,1,1,1', 1, 150000, 0.5, 0.6, 0.1, 0.1, 3),
    ('< touch $out/ran', 2, 150000, 0.5, 0.6, 0.1, 0.1, 3), ('%\$', 3, 150000, 0.5, 0.6, 0.1, 0.1, 3);
EOT
    run plots/tables "$out"
    [ "$status" -eq 0 ]
    [ ! -e "$out/ran" ]
}

@test "an empty database says what is wrong" {
    run plots/tables "$out"
    [ "$status" -ne 0 ]
    [ "$output" = "the tables in the database are empty" ]
    rm "$out/results.db"
    run plots/tables "$out"
    [ "$status" -ne 0 ]
    [[ "$output" == *"unable to open database"* ]]
}

# One learner of two slices and a syncer over 100 s: what plots/timeline reads, without the program.
timeline_database() { # NAME
    rm -f "$out/results.db"
    database <<EOT
CREATE TABLE scenario (id INTEGER PRIMARY KEY, name TEXT, method TEXT, chips INTEGER, learners INTEGER);
CREATE TABLE param (scenario_id INTEGER, key TEXT, text TEXT, value REAL);
CREATE TABLE run (id INTEGER PRIMARY KEY, scenario_id INTEGER, replica INTEGER, seed INTEGER, duration_s REAL, transitions_logged INTEGER);
CREATE TABLE transition (run_id INTEGER, t_ns INTEGER, entity TEXT, id INTEGER, from_state TEXT, to_state TEXT, cause TEXT);
INSERT INTO scenario VALUES (1, $1, 'decoupled-diloco', 8, 1);
INSERT INTO param VALUES (1, 'learners.step_time', '10s', 10), (1, 'warmup', '0s', 0), (1, 'fleet.chips_per_slice', '4', 4);
INSERT INTO run VALUES (1, 1, 0, 1, 100.0, 1);
INSERT INTO transition VALUES (1, 20000000000, 'slice', 1, 'failed', 'away', 'learner lets go'),
    (1, 20000000000, 'learner', 0, 'stepping', 'downscaling', 'slices lost'),
    (1, 30000000000, 'learner', 0, 'downscaling', 'stepping', 'ready to step'),
    (1, 50000000000, 'syncer', 0, 'collecting', 'merging', 'nobody left to wait for'),
    (1, 60000000000, 'pace', 1, 'full', 'slow', 'slowdown'),
    (1, 70000000000, 'link', 0, 'up', 'degraded', 'link'),
    (1, 80000000000, 'syncer', 0, 'merging', 'down', 'everything is to be restarted');
EOT
}

@test "timeline: slices, learners and the syncer of a run, as SVG and as PNG" {
    timeline_database "'one day'"
    run plots/timeline "$out/results.db" 0 "$out/sub/picture"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    grep -q "^</svg>" "$out/sub/picture.svg"
    [ "$(od -An -tu4 --endian=big -j16 -N4 "$out/sub/picture.png" | tr -d ' ')" = 1600 ]
    for word in 'one day' 'in repair' downscaling merging down 'Orange below a band: slowed. Purple above a band'; do grep -q "$word" "$out/sub/picture.svg"; done
    ! grep -q -e preempted -e 'in maintenance' "$out/sub/picture.svg"
}

@test "timeline: a state is as wide as it was long" {
    timeline_database "'x'"
    mkdir "$out/drawn"
    (echo 'CREATE TEMP TABLE asked AS SELECT 0 AS replica;' && cat plots/timeline.sql) |
        sqlite3 -init /dev/null -batch -readonly -list -separator $'\037' "$out/results.db" >"$out/rows"
    awk -v out="$out/drawn" -f plots/canvas.awk -f plots/timeline.awk "$out/rows"
    # of 100 s in 704 columns of 2 pixels from 150: downscaling (#E69F00) from 20 s to 30 s fills columns 141 to 210
    widths=$(awk '$5 == 15113984 && $4 - $3 > 30 { if (!l || $1 < l) l = $1; if ($2 > r) r = $2 } END { print l, r }' "$out/drawn/rects")
    [ "$widths" = "432.00 572.00" ]
}

@test "timeline: names from the database cannot run anything" {
    timeline_database "'\`touch $out/ran\`\"; system(\"touch $out/ran\"); {/=40 x} %d \$(touch $out/ran)' || char(10) || 'slice,0,0,away'"
    run plots/timeline "$out/results.db" 0 "$out/\$(touch ran) x"
    [ "$status" -eq 0 ]
    [ -e "$out/\$(touch ran) x.svg" ]
    [ ! -e "$out/ran" ]
    [ ! -e ran ]
}

@test "timeline: what it cannot draw it says" {
    timeline_database "'x'"
    run plots/timeline "$out/results.db" "0; DROP TABLE run"
    [ "$status" -eq 64 ]
    run plots/timeline "$out/results.db" 7
    [ "$status" -eq 4 ]
    [[ "$output" == *"no run of replica 7 has its transitions stored"* ]]
    run plots/timeline "$out/none.db"
    [ "$status" -eq 2 ]
    [ ! -e "$out/none.db" ]
}

@test "timeline: the run of a real scenario" {
    cd "$out"
    "$FAULTLINE" run "$FAULTLINE_ROOT/scenarios/day-and-night.yaml" -s duration=9h -n 1 --seed 1 -q -o real.db --log transitions >/dev/null
    run "$FAULTLINE_ROOT/plots/timeline" real.db
    [ "$status" -eq 0 ]
    grep -q preempted timeline.svg
}
