# plots/paper against small databases: with gaps, with text where numbers belong, twice with the same bytes, cut off half-way.
bats_require_minimum_version 1.5.0

setup() {
    cd "$FAULTLINE_ROOT" || return 1
    out=$BATS_TEST_TMPDIR
    figures=(table-4 table-5 figure-12 table-13)
    database() { sqlite3 -init /dev/null -batch -bail "$out/results.db"; }
    # Without types, as a hostile file may hold anything; in place of the views of the same names.
    tables() {
        database <<<'CREATE TABLE table_4 (method, extra, published, simulated, n, a);
                     CREATE TABLE table_5 (quorum, grace, overlap, basis, published, simulated, ci95, participants, rounds_per_step_time, n);
                     CREATE TABLE table_12 (copy_steps, published, lost_decoupled, lost_elastic_dp);
                     CREATE TABLE table_13 (step_time_s, datacentres, method, bits, compute_utilisation, published, simulated, within_one_step);'
    }
    sums() { (cd "$out" && cksum ./*.svg ./*.png); }
}

@test "a database of ours in which most cells are missing: four figures, SVG and PNG" {
    "$FAULTLINE" run scenarios/table-5.yaml -s duration=10min -n 2 -q --format csv -o "$out/results.db" >/dev/null
    run plots/paper "$out"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    for name in "${figures[@]}"; do
        grep -q "^</svg>" "$out/$name.svg"
        [ "$(od -An -tu4 --endian=big -j16 -N4 "$out/$name.png" | tr -d ' ')" = 1600 ]
    done
    grep -q 'K = 8, grace off, overlap 0' "$out/table-5.svg"
    grep -q 'K = 1, grace on, overlap 2' "$out/table-5.svg"
    [ "$(grep -c '>missing<' "$out/table-5.svg")" -eq 4 ]
    [ -z "$(find "$out" -name '.plots-*')" ]
}

@test "numbers, and what they claim" {
    tables
    database <<<"INSERT INTO table_5 VALUES (8, 'off', 0, 'assumed', 0.84, 0.83668, 0.00018, 8, 0.767, 5), (1, 'on', 2, 'paper', 1, 0.9991, 0.00004, 7.356, 1.003, 5);
                 INSERT INTO table_12 VALUES (6, 0, 0, 18), (8, NULL, 0, 24), (9, NULL, 1.7, 27), (24, 1, 50, 72);
                 INSERT INTO table_13 VALUES (1, 2, 'elastic-dp', 16, 0.5, 49, 50, 'yes'), (1, 2, 'decoupled-diloco', 16, 0.5, 0.6, 0.9, 'no'),
                     (5, 8, 'decoupled-diloco', 4, 0.99, 0.2, 0.16, 'no');"
    plots/paper "$out"
    for text in '84 %' '83.67' '± 0.02' '± &lt; 0.01' '0.77' '7.4' 'overlap assumed' 'as in the paper'; do grep -qF ">$text<" "$out/table-5.svg"; done
    grep -q '>published: as much as data-parallel<' "$out/figure-12.svg"
    grep -q '>simulated: nothing until 8, where three copies take 24<' "$out/figure-12.svg"
    [ "$(grep -oE '>[0-9]+[.][0-9]{2}<' "$out/table-13.svg" | tr -d '<>\n')" = 0.671.25 ]
}

@test "no claim where the next copy is missing" {
    tables
    database <<<"INSERT INTO table_12 VALUES (6, 0, 0, 18), (8, NULL, NULL, 24), (9, NULL, 1.7, 27);"
    plots/paper "$out"
    grep -q '>published: nothing until 6<' "$out/figure-12.svg"
    run ! grep -q 'simulated: nothing' "$out/figure-12.svg"
}

@test "a single replica, without an interval, is drawn" {
    tables
    database <<<"INSERT INTO table_5 VALUES (8, 'off', 0, 'assumed', 0.84, NULL, NULL, NULL, NULL, 0);
                 INSERT INTO table_12 VALUES (6, 0, 0, 18);"
    plots/paper "$out"
    dots() { grep -c 'href=.#gpPt6' "$out/table-5.svg"; }
    before=$(dots || true)
    database <<<"UPDATE table_5 SET simulated = 0.9, n = 1"
    plots/paper "$out"
    [ "$(dots)" -eq $((before + 1)) ]
    grep -q '>90.00<' "$out/table-5.svg"
    run ! grep -q '>± [0-9&].*[.]' "$out/table-5.svg"
}

@test "the same database gives the same bytes" {
    tables
    database <<<"INSERT INTO table_4 VALUES ('elastic-dp', 1, 1.02, 1.017, 0, 2.1), ('decoupled-diloco', 1, 0.75, 0.75, 1, 2.1)"
    plots/paper "$out"
    before=$(sums)
    plots/paper "$out"
    [ "$before" = "$(sums)" ]
}

@test "text from the database, and the name of the folder, cannot run anything" {
    out="$BATS_TEST_TMPDIR/a 'b\" \`touch ran\` \$(touch ran) {x}"
    mkdir "$out"
    tables
    database <<'EOT'
INSERT INTO table_4 SELECT method, t, t, t, 1, t FROM
    (SELECT '`touch ran`"; system("touch ran")' || char(10) || '13,1,2,1,50,< touch ran,1,0' AS t), (SELECT 'elastic-dp' AS method UNION SELECT '< touch ran');
INSERT INTO table_5 SELECT t, t, t, t, t, t, t, t, t, t FROM (SELECT '`touch ran`"; system("touch ran"); {/=40 x}' || char(10) || '5,1,1,1,1,%s%n,1,1,1' AS t);
INSERT INTO table_5 VALUES (8, 'off', 0, 'assumed', 0.84, 0.8, 0.1, 8, 0.7, 5);
INSERT INTO table_12 SELECT t, t, t, t FROM (SELECT '< touch ran' || char(10) || '12,1,`touch ran`,"$(touch ran)"' AS t);
INSERT INTO table_13 SELECT t, t, 'elastic-dp', 16, t, t, t, t FROM (SELECT '../../ran' AS t);
EOT
    run plots/paper "$out"
    [ "$status" -eq 0 ]
    [ -e "$out/table-13.png" ]
    [ ! -e ran ]
    [ -z "$(find "$BATS_TEST_TMPDIR" -name '*ran*' -type f)" ]
    run ! grep -qE 'touch|system' "$out"/*.svg
}

@test "what fails half-way leaves the figures as they were" {
    tables
    database <<<"INSERT INTO table_12 VALUES (6, 0, 0, 18)"
    plots/paper "$out"
    before=$(sums)
    database <<<"UPDATE table_12 SET lost_decoupled = 9"
    mkdir "$out/bin"
    printf '%s\n' '#!/bin/sh' 'case "$*" in *table-13.gp*) echo "no more" >&2; exit 1 ;; esac' "exec $(command -v gnuplot) \"\$@\"" >"$out/bin/gnuplot"
    chmod +x "$out/bin/gnuplot"
    PATH="$out/bin:$PATH" run plots/paper "$out"
    [ "$status" -ne 0 ]
    [ "$output" = 'no more' ]
    [ "$before" = "$(sums)" ]
    [ -z "$(find "$out" -name '.plots-*')" ]
}

@test "an empty database says what is wrong" {
    run plots/paper "$out"
    [ "$status" -ne 0 ]
    [[ "$output" == *"unable to open database"* ]]
    tables
    run plots/paper "$out"
    [ "$status" -ne 0 ]
    [ "$output" = "nothing of tables 4, 5, 12 and 13 is simulated in the database" ]
    database <<<'DROP TABLE table_13'
    run plots/paper "$out"
    [ "$status" -ne 0 ]
    [[ "$output" == *"no such table: table_13"* ]]
}

@test "a method has the same colour as in table 1a" {
    tables
    database <<<"INSERT INTO table_12 VALUES (6, 0, 0, 18), (24, 1, 50, 72);
                 CREATE TABLE table_1a (method, learners, chips, published, simulated, ci95, n);
                 CREATE TABLE table_1b AS SELECT * FROM table_1a;
                 INSERT INTO table_1a SELECT 'decoupled-diloco', value, 150000, 0.9, 0.9, 0.01, 9 FROM json_each('[2, 4, 8]');
                 INSERT INTO table_1a VALUES ('elastic-dp', 1, 150000, 0.9, 0.9, 0.01, 9);"
    plots/paper "$out"
    plots/tables "$out"
    # colour NAME LABEL: of that text
    colour() { grep -B 1 ">$2<" "$out/$1.svg" | grep -oE 'fill="[^"]*"'; }
    [ -n "$(colour figure-12 'Elastic data-parallel')" ]
    [ "$(colour figure-12 'Elastic data-parallel')" = "$(colour table-1a 'Elastic data-parallel')" ]
    [ -n "$(colour figure-12 'Decoupled DiLoCo')" ]
    [ "$(colour figure-12 'Decoupled DiLoCo')" = "$(colour table-1a 'Decoupled DiLoCo, M = 8')" ]
}
