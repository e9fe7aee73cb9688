# What stands above comes from the tables of the program; from here on it is the same for all.

# The file of the scenario on the line, for its names: failures.rack.mtbi.
_faultline_scenario() {
    local word
    for word in "${COMP_WORDS[@]}"; do
        [[ $word != *.yaml && $word != *.yml ]] || { printf '%s\n' "${word/#\~/$HOME}"; return; }
    done
}

# Candidates for what is being written, by the word that the help has for it.
_faultline_candidates() { # WHAT TYPED
    local scenario key
    case $1 in
    KEY=VALUE | KEY=LIST | KEY\[=*)
        if [[ $2 == *=* ]]; then
            key=${2%%=*}
            printf "$key=%s\n" $(_faultline_choices "$(sed -E 's/^(failures|fleet\.classes|network\.links|repair\.stages)\.[^.]+\./\1.*./' <<<"$key")")
            return
        fi
        printf '%s=\n' $_faultline_keys
        scenario=$(_faultline_scenario)
        [[ -z $scenario ]] || "${COMP_WORDS[0]}" check "$scenario" --format csv 2>/dev/null | sed -n '/,derived$/d; 2,$s/^\([^,"]*\),.*/\1=/p'
        ;;
    METRIC=*) printf '%s=\n' $_faultline_metrics ;;
    METRIC\>*) printf '%s\n' $_faultline_metrics ;;
    METRIC*) printf '%s\n' $_faultline_metrics ;;
    \[PATTERN\]) printf '%s\n' $_faultline_keys ;;
    *FILE.db*) printf '%s\n' ${1//[^a-z0-9|]/ } | tr '|' '\n' | grep -vx db; _faultline_files "$2" db ;;
    FILE.json | FILE.html | FILE.csv) _faultline_files "$2" "${1#FILE.}" ;;
    FILE | TAPE*) compgen -f -- "$2" ;;
    *SCENARIO* | *.yaml*) _faultline_files "$2" yaml yml ;;
    *.csv* | CSV) _faultline_files "$2" csv xz ;;
    *[a-z0-9]\|[a-z0-9]*) tr '|' '\n' <<<"$1" ;;
    esac
}

# Files with these endings, and folders to look into.
_faultline_files() { # TYPED ENDING...
    local ending
    compgen -d -- "$1"
    for ending in "${@:2}"; do compgen -f -X "!*.$ending" -- "$1"; done
}

_faultline() {
    local line=${COMP_LINE:0:COMP_POINT} typed command=${COMP_WORDS[1]} before what option
    typed=${line##*[[:blank:]]}
    COMPREPLY=()
    if [[ $COMP_CWORD -le 1 ]]; then
        COMPREPLY=($(compgen -W "$_faultline_commands --help --version" -- "$typed"))
        return
    fi
    [[ " $_faultline_commands " == *" $command "* ]] || return
    before=${line%"$typed"}
    before=${before%"${before##*[![:blank:]]}"}
    before=${before##*[[:blank:]]}
    if [[ $typed == --*=* ]]; then # --vary=fleet.chips=
        option=${typed%%=*}
        typed=${typed#*=}
        what=$("_faultline_$command" "$option")
    elif [[ $typed == -* ]]; then
        COMPREPLY=($(compgen -W "$("_faultline_$command" options)" -- "$typed"))
        return
    else
        what=
        [[ $before != -* ]] || what=$("_faultline_$command" "$before")
        [[ -n $what ]] || what=$("_faultline_$command" arguments)
    fi
    mapfile -t COMPREPLY < <(_faultline_candidates "$what" "$typed" | sort -u | while IFS= read -r word; do
        [[ $word != "$typed"* ]] || printf '%s\n' "$word"
    done)
    # A name that goes on after its = gets no blank behind it; of files readline knows what to do.
    case $what in
    KEY* | METRIC*) [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null ;;
    *FILE* | *SCENARIO* | *.yaml* | *.csv* | CSV | TAPE*) compopt -o filenames 2>/dev/null ;;
    esac
    # Readline cuts words at = when it is among its breaks, and replaces what is behind it alone.
    if [[ $COMP_WORDBREAKS == *=* && $typed == *=* ]]; then
        local cut=${typed%=*}=
        COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    fi
}
complete -F _faultline faultline
