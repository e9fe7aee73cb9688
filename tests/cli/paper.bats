# faultline table 4, 5, 12 and 13, and tools/reproduce-paper.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    simulate() { # SCENARIO SETTING...
        local name=$1 settings=()
        shift
        for setting; do settings+=(-s "$setting"); done
        "$FAULTLINE" run "$FAULTLINE_ROOT/scenarios/$name.yaml" "${settings[@]}" -n 2 -q --format csv -o a.db >/dev/null
    }
    # column NAME: that column of the CSV in `out`
    column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { print $at }' out; }
}

@test "table 5: every row says what it rests on" {
    simulate table-5 duration=30min
    simulate table-5 duration=30min syncer.quorum=1 syncer.grace=adaptive syncer.overlap=2
    run "$FAULTLINE" table 5 a.db
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "Table 5: goodput in percent"* ]]
    [[ "${lines[1]}" =~ ^quorum\ +grace\ +overlap\ +basis\ +published\ +simulated\ +interval\ +difference\ +participants\ +rounds_per_step_time\ +n$ ]]
    [[ "${lines[2]}" =~ ^\ +8\ +off\ +0\ +assumed\ +84\.0\ +8[34]\.[0-9]\ +[0-9.]+\ +[-+.0-9]+\ +8\ +0\.7[0-9]*\ +2$ ]]
    [[ "${lines[3]}" =~ ^\ +8\ +off\ +1\ +assumed\ +84\.0\ +missing\ +-\ +-\ +-\ +-\ +0$ ]]
    [[ "$output" == *"missing: 3 of 5 rows have no runs"* ]]
}

@test "table 5: CSV and JSON hold fractions, Markdown is a table, SQL says the same" {
    simulate table-5 duration=10min
    "$FAULTLINE" table 5 a.db --format csv >out
    [ "$(column published | paste -sd ' ')" = "0.84 0.84 0.84 1 1" ]
    [ "$(sed -n 3p out)" = "8,off,1,assumed,0.84,,,,,,0" ]
    [ "$(column simulated | head -1 | cut -c1-12)" = "$(sqlite3 -init /dev/null a.db 'SELECT substr(simulated, 1, 12) FROM table_5 LIMIT 1')" ]
    "$FAULTLINE" table 5 a.db --format json | sed -n 2p |
        grep -qx '{"quorum": 8, "grace": "off", "overlap": 1, "basis": "assumed", "published": 0.84, "simulated": null, .*, "n": 0}'
    "$FAULTLINE" table 5 a.db --format markdown | grep -q '^|-*:|'
    "$FAULTLINE" table 5 a.db --format markdown | head -1 | grep -q '^### Table 5: '
}

@test "runs with other speeds are not of table 5: status 4" {
    simulate table-5 duration=10min learners.step_jitter=0%
    run "$FAULTLINE" table 5 a.db
    [ "$status" -eq 4 ]
    [[ "$output" == *"faultline: a.db: has no runs of the cells of table 5 by a scenario called table-5; "* ]]
}

@test "of several scenarios the newest is shown, and a note says so" {
    simulate table-5 duration=10min
    simulate table-5 duration=20min
    "$FAULTLINE" table 5 a.db --format csv 2>err >out
    grep -qx 'faultline: a.db: several scenarios fit 1 of 5 cells; the one with the newest run is shown' err
}

@test "table 4: time with scavenged chips over time without" {
    short=(duration=6h fleet.chips_per_slice=8)
    scavenged=("${short[@]}" failures.scavenged.kind=preemption failures.scavenged.calendar.every=1h)
    simulate table-4 "${scavenged[@]}" learners.count=8 fleet.chips=64 'failures.scavenged.learners=[4..7]' failures.scavenged.calendar.lasts=40min
    "$FAULTLINE" table 4 a.db --format csv >out # without the base there is nothing to compare with
    grep -qx 'decoupled-diloco,1,derived,0.75,,,0.75,2' out
    simulate table-4 "${short[@]}"
    # there for another share of the time than equal FLOPs ask for
    simulate table-4 "${scavenged[@]}" learners.count=6 fleet.chips=48 'failures.scavenged.learners=[4, 5]' failures.scavenged.calendar.lasts=40min
    "$FAULTLINE" table 4 a.db --format csv >out
    [ "$(head -1 out)" = method,extra,basis,published,simulated,difference,ideal,n ]
    grep -q '^decoupled-diloco,1,derived,0.75,0.75[0-9]*,0.00[0-9]*,0.75,2$' out
    grep -q '^decoupled-diloco,0.5,derived,0.83,,,0.8333[0-9]*,0$' out
    grep -q '^decoupled-diloco,0,derived,1,1,0,1,2$' out
    grep -q '^elastic-dp,3,fitted,0.8,0.825[0-9]*,0.025[0-9]*,0.625,0$' out
    run "$FAULTLINE" table 4 a.db
    [ "$status" -eq 0 ]
    [[ "$output" == *"elastic-dp, not simulated: "*"a = 2.14 fitted to these cells, RMS 0.016, worst +0.025"* ]]
    [[ "$output" == *"missing: 3 of 5 cells of decoupled-diloco have no runs"* ]]
}

@test "figure 12: a copy of the state costs decoupled learners nothing while 3 copies fit in 24 steps" {
    for link in 10 5; do # a copy of 80 Gbit takes 8 and 16 steps of 1 s
        simulate table-12 "network.link=${link}Gbit/s"
        [ $link = 5 ] || "$FAULTLINE" table 12 a.db --format csv >alone || [ $? -eq 4 ]
        simulate table-12 "network.link=${link}Gbit/s" method=elastic-dp learners.count=1 'failures.absent.learners=[0]'
    done
    grep -qx '8,derived,,,,0,,0' alone
    simulate table-12 network.link=20Gbit/s 'failures.absent.learners=[6]' # not the learner that the view leaves out
    "$FAULTLINE" table 12 a.db --format csv >out
    [ "$(head -1 out)" = copy_steps,basis,published,simulated,difference,lost_decoupled,lost_elastic_dp,n ]
    grep -qx '8,derived,,0,,0,24,2' out
    # 48 steps of copying, 24 of them free, and 2 that they may run ahead; the last fragment is still on its way
    grep -q '^16,derived,,0\.4[0-9]*,,22\.[0-9]*,48,2$' out
    grep -qx '4,derived,0,,,,,0' out
    run "$FAULTLINE" table 12 a.db
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "Figure 12: "* ]]
    [[ "$output" == *"lose nothing until a copy of the model takes 8 steps; published: 6"* ]]
    [[ "$output" == *"missing: 8 of 10 rows have no runs"* ]]
}

@test "a table without runs of its own is status 4" {
    simulate table-5 duration=10min
    for name in 4 12 13; do
        run "$FAULTLINE" table $name a.db
        [ "$status" -eq 4 ]
        [[ "$output" == *"has no runs of the cells of table $name by a scenario called table-$name; "* ]]
    done
}

@test "table 13: the smallest link of the grid that reaches the utilisation" {
    for link in 1467799268 1615598098 1778279410; do simulate table-13 duration=200s warmup=20s "network.link=${link}bit/s"; done
    for link in 90851757562 100000000000 110069417125; do
        simulate table-13 method=elastic-dp learners.count=1 duration=200s warmup=20s "network.link=${link}bit/s"
    done
    simulate table-13 duration=200s warmup=20s network.link=1.2Gbit/s learners.step_jitter=10%
    "$FAULTLINE" table 13 a.db --format csv >out
    [ "$(wc -l <out)" -eq 61 ]
    # 0.9 x (5 G x 16 bits / 24) / 2 s = 1.5 Gbit/s, and 105 for data-parallel; 0.95 and 0.99: 1.58 and 1.65
    [ "$(grep -c 'yes,3$\|no,3$' out)" -eq 4 ]
    grep -q '^1,2,decoupled-diloco,16,0.9,assumed,1.7,1.615598098,1.0522[0-9]*,yes,3$' out
    grep -q '^1,2,decoupled-diloco,16,0.95,assumed,1.9,1.615598098,1.1760[0-9]*,no,3$' out
    grep -q '^1,2,decoupled-diloco,16,0.99,assumed,2.2,1.77827941,1.2371[0-9]*,no,3$' out
    grep -q '^1,2,elastic-dp,16,0.9,derived,104,110.069417125,0.944[0-9]*,yes,3$' out
    grep -q '^5,8,decoupled-diloco,4,0.99,assumed,0.19,,,,0$' out
    run "$FAULTLINE" table 13 a.db
    [ "$status" -eq 0 ]
    [[ "$output" == *"besides the rounding of what is published: 1 of 3 cells of decoupled-diloco"* ]]
    [[ "$output" == *"not explained: 1 of 1 cells of decoupled-diloco at 95 %; published / simulated from 1.18 to 1.18"* ]]
    [[ "$output" == *"link of data-parallel over that of decoupled at 90 %, 16 bits: 61 published, 68 simulated"* ]]
    [[ "$output" == *"1.5 + 4 (1 / u - 1) steps at utilisation u; 40 of 40 published links within 7 % of that"* ]]
    [[ "$output" == *"missing: 56 of 60 cells have no runs"* ]]
}

@test "reproduce-paper runs every cell and keeps what it has" {
    run "$FAULTLINE_ROOT/tools/reproduce-paper" "$FAULTLINE" out -n 1 -s duration=10min -s warmup=1min
    [ "$status" -eq 0 ]
    [[ "$output" == *"missing: 0 of 5 rows have no runs"* ]]
    [[ "$output" == *"missing: 0 of 60 cells have no runs"* ]]
    [[ "$output" == *"missing: 0 of 5 cells of decoupled-diloco have no runs"* ]]
    [[ "$output" == *"missing: 0 of 10 rows have no runs"* ]]
    before=$(cksum out/*.csv)
    runs=$(sqlite3 -init /dev/null out/results.db 'SELECT count(*) FROM run')
    "$FAULTLINE_ROOT/tools/reproduce-paper" "$FAULTLINE" out -n 1 -s duration=10min -s warmup=1min >/dev/null
    [ "$(cksum out/*.csv)" = "$before" ]
    [ "$(sqlite3 -init /dev/null out/results.db 'SELECT count(*) FROM run')" = "$runs" ]
    run "$FAULTLINE_ROOT/tools/reproduce-paper"
    [ "$status" -eq 64 ]
}
