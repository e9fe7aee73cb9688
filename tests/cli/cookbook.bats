# The recipes of README.md print what stands there, and the example of a sweep runs.

@test "README.md: every recipe prints what stands below it" {
    "$FAULTLINE_ROOT/tools/cookbook" "$FAULTLINE" --check
}

@test "README.md: its scenario is scenarios/forty-thousand.yaml" {
    sed -n '/^```yaml$/,/^```$/p' "$FAULTLINE_ROOT/README.md" | sed '1d;$d' | diff - "$FAULTLINE_ROOT/scenarios/forty-thousand.yaml"
}

@test "tools/sweep-example.sh runs, and again reuses everything" {
    cp -r "$FAULTLINE_ROOT/scenarios" "$FAULTLINE_ROOT/tools" "$BATS_TEST_TMPDIR/"
    cd "$BATS_TEST_TMPDIR" || return 1
    sed -i 's/^duration: 90d/duration: 9d/' scenarios/forty-thousand.yaml
    run tools/sweep-example.sh "$FAULTLINE" out
    [ "$status" -eq 0 ]
    [[ "$output" =~ 8\ +learners,\ downscale\ 30s\ +9[0-9.]+\ %\ \+-\ 0\.0[0-5]\ \(n\ =\ [0-9]+\) ]]
    [ "$(wc -l <out/sweep.csv)" -eq 13 ]
    run tools/sweep-example.sh "$FAULTLINE" out
    [[ "$output" == *"faultline: 12 reused, 0 computed"* ]]
}
