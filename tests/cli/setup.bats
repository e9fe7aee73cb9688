# tools/setup with a fake dpkg-query and apt-get: nothing missing, something missing as root and as somebody else.

setup() {
    cd "$FAULTLINE_ROOT" || return 1
    fake=$BATS_TEST_TMPDIR/bin
    mkdir "$fake"
    put() { printf '#!/bin/sh\n%s\n' "$2" >"$fake/$1" && chmod +x "$fake/$1"; }
    put apt-get "echo \"\$*\" >>'$BATS_TEST_TMPDIR/asked'"
    put dpkg-query 'shift 3; for name; do [ "$name" = bats ] || echo "installed $name"; done; exit 1'
    put id 'echo 0'
    PATH=$fake:$PATH
}

@test "nothing is said or asked when nothing is missing" {
    put dpkg-query 'shift 3; for name; do echo "installed $name"; done'
    run tools/setup build check clang
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "root gets what is missing, and only that" {
    run tools/setup
    [ "$status" -eq 0 ]
    [ "$output" = "setup: installing bats" ]
    tail -n 1 "$BATS_TEST_TMPDIR/asked" | grep -q -- 'install --yes --no-install-recommends bats$'
}

@test "others are told the one command" {
    put id 'echo 1000'
    run tools/setup
    [ "$status" -eq 1 ]
    [[ "$output" == *"sudo sh -c 'apt-get update && apt-get install --yes --no-install-recommends bats'"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "a package that cannot be installed fails" {
    put apt-get 'case "$*" in *install*) echo "E: Unable to locate package bats"; exit 100;; esac'
    run tools/setup
    [ "$status" -eq 1 ]
    [[ "$output" == *"Unable to locate package bats"*"could not install: bats"* ]]
}

@test "an unknown group is refused" {
    run tools/setup nonsense
    [ "$status" -eq 1 ]
    [[ "$output" == *"there is no group 'nonsense'"* ]]
}
