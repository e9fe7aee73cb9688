# faultline compare: paired differences, what pairing is worth, what is refused.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >a.yaml <<'EOT'
name: a
method: decoupled-diloco
duration: 2h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
elastic: {downscale: 16s, upscale: 8s, restart: 83s}
learners: {count: 2, step_time: 7.5s}
EOT
    sed 's/^name:.*/name: b/; s/downscale: 16s/downscale: 5s/' a.yaml >b.yaml
}

# column NAME FILE: a column of a CSV without quotes
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"; }

# row METRIC FILE
row() { grep "^$1," "$2"; }

@test "the difference is that of replica i of both, with Student's interval" {
    "$FAULTLINE" compare a.yaml b.yaml -n 8 --seed 3 --format csv >out 2>err
    [ ! -s err ]
    [ "$(head -1 out)" = metric,a,b,difference,ci95,n,times_fewer ]
    "$FAULTLINE" run a.yaml -n 8 --seed 3 --format csv >a
    "$FAULTLINE" run b.yaml -n 8 --seed 3 --format csv >b
    paste <(column goodput a) <(column goodput b) | awk -v row="$(row goodput out)" '
        function same(a, b) { return (a - b) ^ 2 < 1e-16 * b ^ 2 }
        { a[NR] = $1; b[NR] = $2; d[NR] = $2 - $1; sa += $1; sb += $2; sd += $2 - $1 }
        END { n = NR; for (i in d) { va += (a[i] - sa / n) ^ 2; vb += (b[i] - sb / n) ^ 2; vd += (d[i] - sd / n) ^ 2 }
              split(row, f, ",")
              exit !(same(f[2], sa / n) && same(f[3], sb / n) && same(f[4], sd / n) && f[6] == n &&
                     (f[5] / (2.364624 * sqrt(vd / (n - 1) / n)) - 1) ^ 2 < 1e-12 && same(f[7], (va + vb) / vd)) }'
}

@test "--with sets a key in B alone, -s in both" {
    "$FAULTLINE" compare a.yaml b.yaml -n 4 --seed 3 --format csv >two
    "$FAULTLINE" compare a.yaml --with elastic.downscale=5s -n 4 --seed 3 --format csv >one
    "$FAULTLINE" compare - --with elastic.downscale=5s -n 4 --seed 3 --format csv <a.yaml >stdin
    cmp two one
    cmp two stdin
    "$FAULTLINE" compare a.yaml b.yaml -s elastic.downscale=7s -n 4 --seed 3 --format csv >same
    [[ "$(row goodput same)" == goodput,*,0,0,4, ]]
}

@test "the table shows what differs" {
    run "$FAULTLINE" compare a.yaml b.yaml -n 4 --seed 3
    [ "${lines[0]}" = "A and B under the same chaos, mean of 4 pairs of replicas" ]
    [[ "$output" =~ goodput\ +9[0-9.]+\ %\ +9[0-9.]+\ %\ +[0-9.]+\ %\ +[0-9.]+\ %\ +[0-9.]+ ]]
    [[ "$output" != *failures* ]]
}

@test "the same chaos makes the resize time of the largest cell of table 1 known with a fifth of the replicas and less" {
    "$FAULTLINE" compare "$FAULTLINE_ROOT/scenarios/table-1.yaml" -s elastic.downscale=16s --with elastic.downscale=12s -s duration=2d -n 12 -q \
        --format csv >out
    row goodput out | awk -F, '{ exit !($7 >= 5 && $4 > 10 * $5) }'
}

@test "both sides are stored, and reused" {
    "$FAULTLINE" compare a.yaml b.yaml -n 4 --seed 3 -o a.db --format csv >first 2>err
    grep -qx 'faultline: 0 reused, 8 computed' err
    "$FAULTLINE" compare b.yaml a.yaml -n 5 --seed 3 -o a.db --format csv >second 2>err
    grep -qx 'faultline: 8 reused, 2 computed' err
}

@test "fleets of different size are noted; bad input names the side" {
    "$FAULTLINE" compare a.yaml --with fleet.chips=128 -n 2 --seed 3 2>&1 >/dev/null |
        grep -qx 'faultline: note: A and B differ in fleet.chips: they do not meet the same failures'
    run "$FAULTLINE" compare a.yaml --with fleet.chip=128
    [ "$status" -eq 2 ]
    [[ "$output" == *"faultline: B: -s fleet.chip=128: fleet.chip: there is no such key; did you mean fleet.chips?" ]]
    for arguments in '' 'a.yaml' 'a.yaml b.yaml a.yaml' '- -'; do
        # shellcheck disable=SC2086
        run "$FAULTLINE" compare $arguments
        [ "$status" -eq 64 ]
    done
}

@test "break-even: a price is where two straight lines meet" {
    cat >priced.yaml <<'YAML'
name: priced
method: elastic-dp
duration: 5d
seed: 3
fleet: {chips: 40k}
failures:
  chip: {kind: chip, mtbi: 1y, return_after: "exponential(mean=6h)"}
prices: {chip_hour: 2.5}
YAML
    "$FAULTLINE" compare priced.yaml --with fleet.spares=8 --break-even prices.spare_hour=0..20 -n 4 --format csv >even
    [ "$(head -1 even)" = "prices.spare_hour,ci95,metric,a,b,n" ]
    per_hour() { # A or B, a price: the cost of a useful chip-hour
        "$FAULTLINE" compare priced.yaml --with fleet.spares=8 -s "prices.spare_hour=$2" -n 4 --format csv |
            awk -F, -v column="$1" '$1 == "cost_per_useful_chip_hour" { print $column }'
    }
    awk -F, -v a="$(per_hour 2 0)" -v free="$(per_hour 3 0)" -v one="$(per_hour 3 1)" '
        NR == 2 { expected = (a - free) / (one - free); d = $1 - expected; exit !(d < 1e-3 && d > -1e-3 && $2 > 0 && $6 == 4) }' even
    run "$FAULTLINE" compare priced.yaml --with fleet.spares=8 --break-even prices.spare_hour=0..20 -n 4 -q
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" =~ ^prices\.spare_hour\ =\ [0-9.]+\ \+-\ [0-9.]+\ \(95\ %,\ 4\ pairs ]]
    [[ "$output" == *"above it B has more." ]]
}

@test "break-even: none, no range, no number, no key" {
    run "$FAULTLINE" compare a.yaml --with elastic.upscale=9s --break-even failures.chip.mtbi=5h..10h --metric goodput -q -n 2 --seed 1
    [ "$status" -eq 4 ]
    [[ "$output" == *"no break-even: B - A of goodput is "*" at the lower end of failures.chip.mtbi and "* ]]
    for wrong in fleet.chips fleet.chips=2k..1k fleet.chipss=1k..2k method=dp..dp; do
        run "$FAULTLINE" compare a.yaml --with elastic.upscale=9s --break-even "$wrong" -q -n 2
        [ "$status" -eq 2 ]
        [[ "$output" == "faultline: --break-even"* ]]
    done
    run "$FAULTLINE" compare a.yaml --with elastic.upscale=9s --metric goodput
    [ "$status" -eq 64 ]
}

@test "--control: the surplus of failures takes noise out of the difference; what has no control is refused" {
    "$FAULTLINE" compare a.yaml b.yaml -n 40 --seed 3 --format csv >plain
    "$FAULTLINE" compare a.yaml b.yaml -n 40 --seed 3 --control --format csv >controlled
    paste -d, <(row goodput plain) <(row goodput controlled) | awk -F, '
        { exit !($6 == 40 && $13 == 40 && $12 < $5 && $14 > $7 && ($4 - $11) ^ 2 < (2 * $5) ^ 2) }'
    run -2 --separate-stderr "$FAULTLINE" compare a.yaml b.yaml --seed 3 --control -s 'failures.chip.lemons.share=5%' -s failures.chip.lemons.factor=3
    [[ "$stderr" == *"--control: lemons fail more often than other chips"* ]]
    run -64 "$FAULTLINE" compare a.yaml b.yaml --control -n 3
    run -64 "$FAULTLINE" compare a.yaml b.yaml --control --break-even prices.chip_hour=1..2
}

@test "--break-even at 0 is a number: spares that cost nothing cost nothing more" {
    run --separate-stderr "$FAULTLINE" compare a.yaml --seed 3 -q -n 4 -s prices.chip_hour=2 -s fleet.swap_time=1min --with fleet.spares=2 --metric cost --break-even prices.spare_hour=0..10
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "prices.spare_hour = 0 +- 0 (95 %, 4 pairs of replicas)" ]]
}
