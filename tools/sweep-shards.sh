#!/usr/bin/env bash
# tools/sweep-shards.sh -- what sweep-parallel and sweep-slurm share: a sweep in parts, each with a database of its own in one folder.
#
# Sourced, it is a library. Copied into the folder of a sweep as `task.sh` and run as `task.sh PART`, it computes one part, wherever that is.
# The folder: sweep (what is asked, as assignments of bash), inputs (checksums of what is read), shard-I.db, log/, all.db, and, when it is to be copied to other
# machines, input/ with the scenario. The databases are the state: nothing else says what is finished.
# shellcheck disable=SC2034,SC2154 # variables are set by one of the three and read by another
set -uo pipefail

fail() { # STATUS MESSAGE...
    printf '%s: %s\n' "$me" "${*:2}" >&2
    exit "$1"
}

# ---------------------------------------------------------------- arguments

# The header of a script, from its second line to the first empty comment, is its help.
usage() { # SCRIPT
    sed -n '2,/^set/{/^# /!{/^#$/!d;};s/^# \{0,1\}//;p;}' "$1"
}

whole_number() { # OPTION VALUE MOST
    [[ $2 =~ ^[1-9][0-9]{0,8}$ && $2 -le $3 ]] || fail 64 "$1: '$2' is not a whole number from 1 to $3"
}

# Splits SCENARIO SWEEP-OPTION... [-- OTHER...] into scenario, options and others; finds the file of --cells.
read_sweep() {
    scenario=$1 options=() others=() cells=''
    shift
    case $scenario in
        -) fail 64 'the scenario is read by many processes, so it cannot come from standard input (-); give a file' ;;
        -*) fail 64 "the scenario comes before the options of the sweep, not '$scenario'" ;;
    esac
    while [[ $# -gt 0 ]]; do
        case $1 in
            --) shift && others=("$@") && break ;;
            -o* | -qo* | --o*) fail 64 "$1: every part has its own database in the folder" ;;
            --sha*) fail 64 "$1: the parts are dealt out here; say how many with --shards before the folder" ;;
            -j* | -qj* | --job*) fail 64 "$1: say before the folder how many cores a part has, with --cores" ;;
            --dr*) fail 64 "$1: goes before the folder" ;;
            --ce*=*) cells=${1#*=} && shift ;;
            --ce*) [[ $# -gt 1 ]] || fail 64 "$1: needs a file" && cells=$2 && shift 2 ;;
            *) options+=("$1") && shift ;;
        esac
    done
    [[ $cells != - ]] || fail 64 'the cells are read by many processes, so they cannot come from standard input (-); give a file'
    for file in "$scenario" ${cells:+"$cells"} "${files[@]}"; do
        [[ -f $file && -r $file ]] || fail 2 "$file: is not a file that can be read"
    done
    scenario=$(realpath -- "$scenario") cells=${cells:+$(realpath -- "$cells")}
    for i in "${!files[@]}"; do files[i]=$(realpath -- "${files[i]}"); done
}

program() {
    faultline=$(command -v -- "${FAULTLINE:-faultline}") || fail 2 "${FAULTLINE:-faultline}: is not in the PATH; FAULTLINE=... names the program"
    faultline=$(realpath -s -- "$faultline")
}

# ---------------------------------------------------------------- the folder

# What is asked, to be read back by bash whatever the names.
settings() {
    local name
    for name in shards cores scratch save scenario cells faultline; do printf '%s=%q\n' "$name" "${!name}"; done
    printf 'options=(%s)\n' "${options[*]@Q}"
    printf 'files=(%s)\n' "${files[*]@Q}"
}

checksums() { cksum -- "$scenario" ${cells:+"$cells"} "${files[@]}"; }

# Creates the folder, or finds that it holds the same sweep. What is wrong with the sweep is found before anything is there.
create_folder() {
    local there=$folder/sweep
    if [[ -e $there ]]; then
        [[ $(settings) == "$(<"$there")" ]] || fail 2 "$folder: holds another sweep ($there says which); use another folder"
        folder=$(realpath -- "$folder")
        check_inputs
        return
    fi
    [[ ! -e $folder || (-d $folder && -z $(ls -A -- "$folder")) ]] || fail 2 "$folder: is there, and holds no sweep"
    outline >/dev/null || exit
    { mkdir -p -- "$folder/log" && checksums >"$folder/inputs" && cp -- "$library" "$folder/task.sh" && settings >"$folder/sweep.new" &&
        mv -- "$folder/sweep.new" "$there"; } || fail 3 "$folder: cannot be written"
    folder=$(realpath -- "$folder")
}

open_folder() {
    [[ -e $folder/sweep ]] || fail 2 "$folder: holds no sweep"
    folder=$(realpath -- "$folder")
    # shellcheck disable=SC1091 # written by settings
    source "$folder/sweep"
}

check_inputs() {
    [[ $(checksums 2>&1) == "$(<"$folder/inputs")" ]] ||
        fail 2 "$(diff <(checksums 2>&1) "$folder/inputs" | sed -n 's/^> [0-9]* [0-9]* //p' | head -n 1): has changed since the sweep in $folder began; use another folder"
}

# The sweep as faultline takes it.
sweep() { "$faultline" sweep "$scenario" "${options[@]}" ${cells:+--cells "$cells"} "$@"; }

# Rows of what there is to do and what is done: part, cells, replicas, stored, predicted_s, left_s, measured_s.
outline() {
    local rows
    rows=$(sweep --shard "*/$shards" -o "$folder/shard-*.db" --dry-run --format csv -q) || return
    tail -n +2 <<<"$rows" | tr ',' ' '
}

# Rows of outline that are not finished.
unfinished() { awk '$4 < $3' <<<"$rows"; }

# The databases of the parts that hold something.
stored_parts() {
    local part
    for ((part = 1; part <= shards; part++)); do
        [[ ! -s $folder/shard-$part.db ]] || printf '%s\0' "$folder/shard-$part.db"
    done
}

# print_status STATES: a table from $rows; STATES has lines `PART STATE` for parts that are not finished and something is known of.
print_status() {
    awk -v cores="$cores" '
        function span(s) {
            return s < 90 ? sprintf("%.0f s", s) : s < 5400 ? sprintf("%.0f min", s / 60) : s < 172800 ? sprintf("%.1f h", s / 3600) : sprintf("%.1f d", s / 86400)
        }
        FILENAME == ARGV[1] { state[$1] = substr($0, index($0, " ") + 1); next }
        { row[++n] = $0; cells += $2; replicas += $3; stored += $4; predicted += $5; left += $6; measured += $7 }
        END {
            ratio = predicted > left && measured > 0 ? measured / (predicted - left) : 1
            printf "%5s %8s %9s %9s %9s  %s\n", "part", "cells", "replicas", "stored", "left", "state"
            for (i = 1; i <= n; i++) {
                split(row[i], f, " ")
                takes = "-"; is = "done"
                if (f[4] < f[3]) {
                    if (f[6] * ratio / cores > longest) longest = f[6] * ratio / cores
                    takes = span(f[6] * ratio / cores)
                    is = (f[1] in state) ? state[f[1]] : "not done"
                }
                printf "%5d %8d %9d %9d %9s  %s\n", f[1], f[2], f[3], f[4], takes, is
            }
            printf "\n%d of %d replicas of %d cells are stored.", stored, replicas, cells
            if (stored < replicas)
                printf(" Left, %s: %.3g core-hours; the longest part takes %s on %d core%s.", measured > 0 ? "from what the stored ones took" : "as predicted",
                    left * ratio / 3600, span(longest), cores, cores > 1 ? "s" : "")
            print ""
        }' "$1" - <<<"$rows"
}

# A folder of its own where SQLite may work, in $work, which is gone when the shell ends; nothing when the folder of the sweep will do.
work_folder() {
    work=''
    [[ -n $scratch ]] || return 0
    local on=$scratch
    [[ $on != default ]] || on=${TMPDIR:-/tmp}
    work=$(mktemp -d "$on/faultline.XXXXXX") || fail 3 "$on: cannot be written"
    trap 'rm -rf -- "$work"' EXIT
}

# finish OPTION...: joins the parts and prints the sweep as a single run would, with the options.
finish() {
    local all=$folder/all.db parts status
    mapfile -d '' -t parts < <(stored_parts)
    work_folder
    [[ -z $work ]] || all=$work/all.db
    "$faultline" merge -q "${parts[@]}" -o "$all" && sweep -o "$all" -q "$@"
    status=$?
    [[ -z $work || ($status -ne 0 && $status -ne 4) ]] || put "$all" "$folder/all.db" || status=3
    return "$status"
}

# ---------------------------------------------------------------- one part

# put FROM TO: TO is the old file or the new one, whole, whoever else writes or reads it. TO may lie on a network file system.
put() {
    local to
    to=$(mktemp "${2%/*}/.put.XXXXXX") && cp -- "$1" "$to" && chmod 644 -- "$to" && sync -- "$to" && mv -f -- "$to" "$2" && return
    rm -f -- "$to"
    return 1
}

# Brings home what is finished. Somebody else may have done so meanwhile: a task that was given up for lost, and runs on. A signal does not end it: who
# sends one means the simulation.
publish() (
    trap '' TERM INT USR1
    home=$folder/shard-$part.db from=()
    [[ -n $work && -s $work/part.db ]] || return 0
    rm -f -- "$work"/{home,new}.db*
    if [[ -s $home ]]; then { cp -- "$home" "$work/home.db" && from=("$work/home.db"); } || return; fi
    "$faultline" merge -q "${from[@]}" "$work/part.db" -o "$work/new.db" && put "$work/new.db" "$home"
)

# The other way: SQLite works on copies alone where the folder may lie on a network file system.
bring_out() { cp -- "$folder/shard-$part.db" "$work/home.db" && "$faultline" merge -q "$work/home.db" -o "$db" && rm -f "$work/home.db"; }

# Ends the simulation, which keeps what is finished. Who stops a job signals all of its processes, and a second signal would end the simulation in the
# middle: so it ignores the usual ones, and is told here, once.
stop() {
    stopped=${stopped:-$1}
    if [[ -n $child && -z $is_told ]]; then
        is_told=yes
        kill -HUP "$child" 2>/dev/null
    fi
}
simulate() { # in the background: the shell becomes the simulation
    trap '' TERM INT USR1
    exec "$faultline" sweep "$scenario" "${options[@]}" ${cells:+--cells "$cells"} "$@"
}

# The number of replicas that are stored here.
finished() (
    trap '' TERM INT USR1
    sweep --shard "$part/$shards" -o "$db" --dry-run --format csv -q | awk -F, 'NR == 2 { print $4 }'
)

# A signal to all processes would end it with a word of bash in the log.
nap() {
    trap '' TERM
    exec sleep "$save"
}

# Waits for the simulation; every now and then brings home what is finished.
attend() {
    local timer code
    while true; do
        timer=''
        [[ -z $work ]] || { nap & timer=$!; }
        wait -n -p ended "$child" ${timer:+"$timer"}
        code=$?
        if [[ -n $timer && ${ended-} != "$timer" ]]; then kill -PIPE "$timer" 2>/dev/null; fi
        if [[ ${ended-} == "$child" ]]; then return "$code"; fi
        if [[ ${ended-} == "$timer" && -n $timer ]]; then publish; fi
        # Interrupted by a signal: the trap has told the simulation.
        kill -0 "$child" 2>/dev/null || { wait "$child"; return; }
    done
}

compute_part() {
    local status before=''
    child='' stopped='' is_told='' work='' db=$folder/shard-$part.db
    trap 'stop TERM' TERM INT
    trap : HUP # of a terminal that closes: the simulation gets it, too
    trap 'stop USR1' USR1
    if [[ $scratch == beside ]]; then # stays, in case that the part comes back here
        work=$folder/part-$part
        mkdir -p "$work" || fail 3 "$folder: cannot be written"
    else
        work_folder
    fi
    if [[ -n $work ]]; then
        db=$work/part.db
        [[ ! -s $folder/shard-$part.db ]] || bring_out || fail 3 "$work: cannot be written"
    fi
    [[ -z ${SLURM_JOB_ID-} ]] || before=$(finished)
    [[ -z $stopped ]] || return 143
    simulate --shard "$part/$shards" -o "$db" -j "$cores" ${quiet:+-q} --format csv >/dev/null &
    child=$!
    [[ -z $stopped ]] || stop "$stopped"
    attend
    status=$?
    child=''
    publish || status=3
    [[ $scratch != beside || ($status -ne 0 && $status -ne 4) ]] || rm -rf -- "$work"
    # A sweep that has an answer for no cell (4) is finished all the same; whoever prints it will say so.
    [[ $status -ne 4 ]] || status=0
    [[ -z $stopped || $status -ne 129 ]] || status=143
    [[ $status -eq 0 ]] || echo "part $part ended with status $status on ${SLURMD_NODENAME:-$HOSTNAME}${stopped:+, stopped by SIG$stopped}" >&2
    [[ $stopped != USR1 || $status -ne 143 ]] || go_on "$before"
    return "$status"
}

# The time of the job is nearly over, or it is about to be preempted: it waits in the queue again, if it got on at all.
go_on() {
    if [[ $(finished) -gt ${1:-0} ]]; then
        # By element: one of them has the number of the whole array.
        scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && echo "part $part is back in the queue" >&2
    else
        echo "part $part finished no replica in its time, so it is not put into the queue again: ask for more time" >&2
    fi
}

# What the job after the parts does.
merge_parts() {
    local status
    rows=$(outline) || return
    [[ -z $(unfinished) ]] || fail 1 "parts are not finished: $(unfinished | awk '{ print $1 }' | xargs); sweep-slurm status $folder says more"
    finish --format csv >"$folder/sweep.csv.new"
    status=$?
    [[ $status -ne 0 && $status -ne 4 ]] || mv -- "$folder/sweep.csv.new" "$folder/sweep.csv" || status=3
    return "$status"
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    me=task.sh part=${1:?part} quiet=${2-}
    folder=$(dirname -- "$(realpath -- "$0")")
    # shellcheck disable=SC1091 # written by settings
    cd -- "$folder" && source ./sweep || exit 2
    if [[ -d input ]]; then
        # A copy: the scenario lies beside, and this folder is the only place to be.
        scratch=beside scenario=input/${scenario##*/} cells=${cells:+input/cells}
        [[ -x $faultline ]] || faultline=faultline
    else
        check_inputs
    fi
    if [[ $part == merge ]]; then merge_parts; else compute_part; fi
    exit
fi
library=$(realpath -- "${BASH_SOURCE[0]}")
