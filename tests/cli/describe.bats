# The manual page and the completion of bash, which the program writes from its own tables.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    PATH=$(dirname "$FAULTLINE"):$PATH
    cat >mine.yaml <<'EOT'
name: mine
method: elastic-dp
duration: 1h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  rack: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
EOT
    commands=$(faultline --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
}

none() { ! "$@"; } # `! COMMAND` alone fails no test

# complete LINE: what may stand in place of its last word, as a terminal would ask for it
complete_line() {
    faultline describe bash >completion
    # shellcheck disable=SC2016
    bash --norc -c '
        source ./completion
        COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDBREAKS=${2-}
        read -ra COMP_WORDS <<<"$1"
        [[ $1 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _faultline
        printf "%s\n" "${COMPREPLY[@]}"' _ "$1" "${2-}"
}

@test "man: every command, option, key and metric is in it" {
    faultline describe man >page
    for command in $commands; do
        grep -qx ".SS $command" page
        for option in $(faultline "$command" --help | grep -oE -- '--[a-z][a-z-]*' | grep -vE -- '--(help|usage|version)$' | sort -u); do
            grep -qF -- "$(sed 's/-/\\-/g' <<<"$option")" page
        done
    done
    faultline keys --format csv | tail -n +2 | cut -d, -f1 | while read -r key; do grep -qxF ".B $(sed 's/-/\\-/g' <<<"$key")" page; done
    faultline keys --metrics --format csv | tail -n +2 | grep -v chip-seconds | cut -d, -f1 | while read -r metric; do grep -qxF ".B $metric" page; done
    [ "$(grep -c '^\.SS ' page)" -eq "$(wc -w <<<"$commands")" ]
}

@test "man: what reads manual pages has nothing to say against it" {
    command -v man >/dev/null || command -v mandoc >/dev/null || skip "neither man nor mandoc is installed"
    faultline describe man >faultline.1
    if command -v mandoc >/dev/null; then
        # but that there is no date, which would not be the same tomorrow
        [ -z "$(mandoc -T lint -W warning faultline.1 | grep -v 'missing date')" ]
    fi
    if command -v groff >/dev/null; then
        run groff -man -Tutf8 -ww -z faultline.1
        [ "$status" -eq 0 ]
        [ -z "$output" ]
        groff -man -Tutf8 -P-cbou faultline.1 | grep -q -- "-s, --set=KEY=VALUE"
    fi
}

@test "man: what it says is the same every time, and not for a terminal" {
    faultline describe man >first
    faultline describe man >second
    cmp first second
    none grep -q "$(printf '\033')" first
    run faultline describe nonsense
    [ "$status" -eq 64 ]
    run bash -c 'faultline describe man >/dev/full'
    [ "$status" -eq 3 ]
}

@test "completion: commands, and the options of each" {
    [ "$(complete_line 'faultline ' | grep -v ^- | sort | xargs)" = "$(tr ' ' '\n' <<<"$commands" | sort | xargs)" ]
    [ "$(complete_line 'faultline sw')" = sweep ]
    for command in $commands; do
        [ "$(complete_line "faultline $command --" | sort)" = "$(faultline "$command" --help | grep -oE -- '^ .* --[a-z][a-z-]*' | grep -oE -- '--[a-z][a-z-]*' | sort -u)" ]
    done
    [ "$(complete_line 'faultline run mine.yaml --ta')" = --tape ]
    touch trace.json
    [ "$(complete_line 'faultline run mine.yaml --trace tr')" = trace.json ]
    [ -z "$(complete_line 'faultline nonsense --')" ]
}

@test "completion: keys, also those with names of the scenario on the line, and what they may be" {
    [ "$(complete_line 'faultline run mine.yaml -s fleet.chips' | xargs)" = "fleet.chips= fleet.chips_per_slice=" ]
    [ "$(complete_line 'faultline run mine.yaml -s failures.rack.m')" = failures.rack.mtbi= ]
    [ "$(complete_line 'faultline sweep --vary learners.c')" = learners.count= ]
    [ "$(complete_line 'faultline sweep --vary=learners.c')" = learners.count= ]
    [ "$(complete_line 'faultline run -s method=d' | xargs)" = "method=decoupled-diloco method=diloco method=dp" ]
    [ "$(complete_line 'faultline run -s method=d' ' =')" = "$(printf '%s\n' decoupled-diloco diloco dp)" ]
    [ "$(complete_line 'faultline plan mine.yaml --solve elastic.down')" = elastic.downscale= ]
    [ "$(complete_line 'faultline keys elastic.down')" = elastic.downscale ]
    [ "$(complete_line 'faultline plan mine.yaml --maximize goo')" = goodput ]
    [ "$(complete_line 'faultline sweep --precision upt')" = uptime= ]
}

@test "completion: files by what a command reads" {
    touch a.db 'b c.db' log.csv tape
    mkdir folder
    [ "$(complete_line 'faultline run ' | xargs)" = "folder mine.yaml" ]
    [ "$(complete_line 'faultline report ' | sort)" = "$(printf '%s\n' a.db 'b c.db' folder)" ]
    [ "$(complete_line 'faultline table ' | xargs)" = "12 13 1a 1b 4 5 a.db b c.db folder" ]
    [ "$(complete_line 'faultline fsm s' | xargs)" = "slice syncer" ]
    [ "$(complete_line 'faultline fit l')" = log.csv ]
    [ "$(complete_line 'faultline replay ta')" = tape ]
    [ "$(complete_line 'faultline run mine.yaml -o a')" = a.db ]
}

@test "completion: the formats it offers are those that a command takes" {
    offered() { complete_line "faultline $1 --format " | xargs; }
    [ "$(offered run)" = "csv json table" ]
    [ "$(offered check)" = "csv json table yaml" ]
    [ "$(offered keys)" = "csv json markdown table" ]
    [ "$(offered table)" = "csv json markdown table" ]
    [ "$(offered fsm)" = "dot markdown" ]
    for format in csv json table yaml; do faultline check mine.yaml --format "$format" >/dev/null; done
    for format in csv json markdown table; do faultline keys --format "$format" >/dev/null; done
    for format in dot markdown; do faultline fsm slice --format "$format" >/dev/null; done
}

@test "completion: a name cannot run anything" {
    for name in '$(touch ran)' '`touch ran`' '";touch ran;"' "';touch ran;'"; do
        complete_line "faultline run $name" >/dev/null
        complete_line "faultline run mine.yaml -s $name=" >/dev/null
        complete_line "faultline run $name.yaml -s fleet." >/dev/null
    done
    touch '$(touch ran).yaml'
    complete_line 'faultline run $(touch ran).yaml -s fleet.' >/dev/null
    complete_line 'faultline run ' >/dev/null
    [ ! -e ran ]
}

@test "--version works behind a command, too" {
    [ "$(faultline run --version)" = "$(faultline --version)" ]
}
