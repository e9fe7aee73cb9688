# faultline table, and tools/reproduce-tables.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    small=(-s duration=2h -n 2 -q --format csv -o a.db)
    cell() { "$FAULTLINE" run "$FAULTLINE_ROOT/scenarios/table-1.yaml" -s "method=$1" -s "learners.count=$2" -s "fleet.chips=$3" "${small[@]}" >/dev/null; }
}

@test "published, simulated, interval and difference side by side" {
    cell dp 1 150k
    cell decoupled-diloco 16 2.4M
    run "$FAULTLINE" table 1a a.db
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "Table 1a: goodput in percent"* ]]
    [[ "${lines[1]}" =~ ^method\ +learners\ +chips\ +published\ +simulated\ +interval\ +difference\ +n$ ]]
    [[ "${lines[2]}" =~ ^dp\ +1\ +150000\ +72\ +[0-9.]+\ +[0-9.]+\ +[-+0-9.]+\ +2$ ]]
    [[ "${lines[3]}" =~ ^dp\ +1\ +300000\ +57\ +missing\ +-\ +-\ +0$ ]]
    [[ "$output" =~ RMS\ difference:\ [0-9.]+\ points\ over\ 2\ cells ]]
    [[ "$output" =~ worst\ cell: ]]
    [[ "$output" =~ within\ 1.5\ points:\ [0-2]\ of\ 2\ cells ]]
    [[ "$output" == *"missing: 28 of 30 cells have no runs"* ]]
    [[ "$output" == *"floor: 1.01 points RMS, 2.3 in the worst of 25 cells"* ]]
}

@test "CSV and JSON hold fractions, Markdown is a table" {
    cell dp 1 150k
    "$FAULTLINE" table 1b a.db --format csv >out
    [ "$(head -1 out)" = "method,learners,chips,published,simulated,ci95,difference,n" ]
    [[ "$(sed -n 2p out)" == dp,1,150000,0.72,0.* ]]
    [ "$(sed -n 3p out)" = "dp,1,300000,0.57,,,,0" ]
    [ "$(wc -l <out)" -eq 31 ]
    "$FAULTLINE" table 1b a.db --format json | sed -n 2p |
        grep -qx '{"method": "dp", "learners": 1, "chips": 300000, "published": 0.57, "simulated": null, "ci95": null, "difference": null, "n": 0}'
    "$FAULTLINE" table 1b a.db --format markdown | grep -q '^|-*|-*:|'
}

@test "plain sqlite3 answers the same" {
    cell dp 1 150k
    expected=$("$FAULTLINE" table 1a a.db --format csv | awk -F, 'NR == 2 { printf "%.9f %.9f", $5, $6 }')
    [ "$(sqlite3 -init /dev/null a.db "SELECT printf('%.9f %.9f', simulated, ci95) FROM table_1a LIMIT 1")" = "$expected" ]
}

@test "a database without runs says so with status 4" {
    "$FAULTLINE" run "$FAULTLINE_ROOT/scenarios/table-1.yaml" -s fleet.chips=64 -s duration=1h -s fleet.chips_per_slice=2 -n 1 -q -o a.db >/dev/null
    for arguments in a.db '1a a.db'; do
        # shellcheck disable=SC2086
        run "$FAULTLINE" table $arguments
        [ "$status" -eq 4 ]
        [[ "$output" == *"faultline: a.db: has no runs of the cells of "* ]]
    done
}

@test "without a table: how many cells have runs" {
    cell dp 1 150k
    [ "$("$FAULTLINE" table a.db --format csv)" = $'table,metric,cells,with_runs\n1a,goodput,30,1\n1b,uptime,30,1\n4,train_time,10,0\n5,goodput,5,0\n12,upscale_loss,10,0\n13,link,60,0' ]
}

@test "of several scenarios the newest is shown, and a note says so" {
    cell dp 1 150k
    small+=(-s elastic.restart=500s)
    cell dp 1 150k
    "$FAULTLINE" table 1a a.db --format csv >out 2>err
    grep -qx 'faultline: a.db: several scenarios fit 1 of 30 cells; the one with the newest run is shown' err
    [ "$(sed -n 2p out | cut -d, -f5 | cut -c1-3)" != 0.7 ]
}

@test "wrong usage is 64, no database is 2, a full disk is 3" {
    run "$FAULTLINE" table
    [ "$status" -eq 64 ]
    run "$FAULTLINE" table 1c a.db
    [ "$status" -eq 64 ]
    run "$FAULTLINE" table 1a missing.db
    [ "$status" -eq 2 ]
    [ ! -e missing.db ]
    cell dp 1 150k
    run sh -c '"$FAULTLINE" table 1a a.db >/dev/full'
    [ "$status" -eq 3 ]
}

@test "reproduce-tables runs every cell and keeps what it has" {
    run "$FAULTLINE_ROOT/tools/reproduce-tables" "$FAULTLINE" out -s duration=10min -n 2 -s method=elastic-dp -s learners.count=1
    [ "$status" -eq 0 ]
    [ "$(sqlite3 -init /dev/null out/results.db 'SELECT count(DISTINCT chips) FROM scenario')" -eq 5 ]
    run "$FAULTLINE_ROOT/tools/reproduce-tables" "$FAULTLINE" out -s duration=10min -n 2
    [ "$status" -eq 0 ]
    [[ "$output" == *"missing: 0 of 30 cells have no runs"* ]]
    [[ "$output" == *"Table 1b: uptime"* ]]
    # The last paragraph, against the numbers in the CSV files.
    expected=$(awk -F, 'FNR > 1 { n++; s += $7 * $7; within += $7 >= -0.015 && $7 <= 0.015
                            if ($7 * $7 > worst * worst) worst = $7 }
                        END { printf "%.2f %+.1f %d %d\n", 100 * sqrt(s / n), 100 * worst, within, n }' out/table-1[ab].csv)
    actual=$(printf '%s\n' "${lines[@]: -3}" | sed -nE 's/^RMS difference: ([0-9.]+) points over 60 cells$/\1/p
        s/^worst cell: ([-+0-9.]+) points \(.*, .*, [0-9]+ learners?, [0-9]+ chips\)$/\1/p
        s/^within 1\.5 points: ([0-9]+) of ([0-9]+) cells$/\1 \2/p' | paste -sd ' ')
    [ "${lines[-4]}" = "Both tables" ]
    [ "$actual" = "$expected" ]
    [ "$(wc -l <out/table-1a.csv)" -eq 31 ]
    [ "$(wc -l <out/table-1b.csv)" -eq 31 ]
    before=$(cksum out/*.csv)
    "$FAULTLINE_ROOT/tools/reproduce-tables" "$FAULTLINE" out -s duration=10min -n 2 >/dev/null
    [ "$(cksum out/*.csv)" = "$before" ]
    run "$FAULTLINE_ROOT/tools/reproduce-tables"
    [ "$status" -eq 64 ]
}
