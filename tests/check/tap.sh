# tests/check/tap.sh -- sourced by the checks: cases in TAP, and the files to look at.
# shellcheck shell=bash
cases=0

# tap_case NAME FINDINGS: passes when FINDINGS is empty; otherwise its lines say what is wrong and where.
tap_case() {
    cases=$((cases + 1))
    if [[ -z $2 ]]; then
        printf 'ok %d - %s\n' "$cases" "$1"
    else
        printf 'not ok %d - %s\n' "$cases" "$1"
        sed 's/^/#   /' <<<"$2"
        while IFS= read -r line; do printf '%s: %s\n' "$1" "$line"; done <<<"$2" >&2
    fi
}

tap_done() {
    printf '1..%d\n' "$cases"
}

# tap_needs COMMAND: skips the whole check when it is not installed.
tap_needs() {
    command -v "$1" >/dev/null || { printf '1..0 # SKIP %s is not installed (make check installs it)\n' "$1"; exit 0; }
}

# sources [PATTERN...]: the tracked and new files of the tree that match; a release without git lists what is there.
sources() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
            [[ ! -f $file ]] || printf '%s\n' "$file"
        done
    else
        local names=() pattern
        for pattern in "$@"; do names+=(-o -path "./$pattern"); done
        find . -path './build*' -prune -o -type f \( "${names[@]:1}" \) -print | sed 's,^\./,,'
    fi | LC_ALL=C sort
}
