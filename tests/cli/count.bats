# tests/run counts cases from meson's log: a fake meson writes the log.

setup() {
    cd "$FAULTLINE_ROOT" || return 1
    build=$BATS_TEST_TMPDIR
    mkdir -p "$build/bin" "$build/meson-logs"
    printf '#!/bin/sh\n' >"$build/bin/ninja"
    printf '#!/bin/sh\ncp "%s/log" "%s/meson-logs/testlog.json"\nexit "${MESON_STATUS:-0}"\n' "$build" "$build" >"$build/bin/meson"
    chmod +x "$build"/bin/*
    PATH=$build/bin:$PATH
    program() { printf '{"name": "%s", "stdout": "%s", "result": "%s", "command": ["x"]}\n' "$1" "$2" "$3" >>"$build/log"; }
}

last() { printf '%s\n' "${lines[-1]}"; }

@test "cases are summed over programs" {
    program one 'ok 1 - a\n# ok 9 - comment\nok 2 - \"quoted\" \\n ok\n1..2\n' OK
    program two '1..2\nok 1 - c\nok 2 - d # SKIP no data' OK
    run tests/run "$build"
    [ "$status" -eq 0 ]
    [ "$(last)" = "3 passed, 0 failed, 1 skipped" ]
}

@test "a failed case fails the run" {
    program one 'ok 1 - a\nnot ok 2 - b\n' FAIL
    MESON_STATUS=1 run tests/run "$build"
    [ "$status" -eq 1 ]
    [ "$(last)" = "1 passed, 1 failed" ]
}

@test "a program that died or timed out is one failed case" {
    program one 'ok 1 - a\n' ERROR
    program two '' TIMEOUT
    MESON_STATUS=2 run tests/run "$build"
    [ "$status" -eq 1 ]
    [ "$(last)" = "1 passed, 2 failed" ]
}

@test "a program without cases counts as one, skipped or passed" {
    program one 'hello\n' OK
    program two '1..0 # SKIP not here\n' SKIP
    run tests/run "$build"
    [ "$status" -eq 0 ]
    [ "$(last)" = "1 passed, 0 failed, 1 skipped" ]
}

@test "no test at all is a failure, and so is a failure that the log does not hold" {
    : >"$build/log"
    run tests/run "$build"
    [ "$status" -eq 1 ]
    [ "$(last)" = "0 passed, 0 failed" ]
    program one 'ok 1 - a\n' OK
    MESON_STATUS=1 run tests/run "$build"
    [ "$status" -eq 1 ]
    [ "$(last)" = "1 passed, 1 failed" ]
}
