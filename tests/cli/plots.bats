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
