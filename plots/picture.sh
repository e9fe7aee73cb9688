# shellcheck shell=bash
# plots/picture.sh -- sourced by plots/over, heat, accounts, outages, frontier and timeline, in strict mode and with what they take in $usage.
#
#   args       what was given besides KEY=VALUE and -o OUT, which stand anywhere
#   database   the file, absolute; args[0]
#   work       a scratch folder
#
# Names that users chose go into SQL as bytes in hexadecimal and into gnuplot as data. Status: 2 bad input, 4 nothing to draw, 64 usage.
name=$(basename "$0")
here=$(dirname "$(realpath "$0")")
export LC_ALL=C.UTF-8
command=${FAULTLINE_PLOT:-plots/$name}
usage() { echo "usage: $command $usage" >&2; exit 64; }
fail() { echo "$command: $2" >&2; exit "$1"; }

args=() where=() out=$name
while [[ $# -gt 0 ]]; do
    case $1 in
    -o) [[ $# -ge 2 && -n $2 ]] || usage; out=$2; shift ;;
    -?*) usage ;;
    *=*) where+=("$1") ;;
    *) args+=("$1") ;;
    esac
    shift
done
[[ ${#args[@]} -ge 1 ]] || usage
[[ -e ${args[0]} ]] || fail 2 "${args[0]}: no such file"
database=$(realpath -- "${args[0]}")
out=$(realpath -m -- "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# sql_text TEXT: a literal of SQL that is this text, whatever it holds.
sql_text() { printf "CAST(x'%s' AS TEXT)" "$(printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n')"; }

# ask: runs the SQL on standard input; fields are separated by 0x1f.
ask() {
    sqlite3 -init /dev/null -batch -bail -readonly -list -separator $'\037' "$database" 2>"$work/said" && return
    fail 2 "${args[0]}: $(head -n 1 "$work/said")"
}

# choose [KEY...]: the SQL that all pictures begin with: the scenarios with runs that the settings leave, and what tells them apart besides KEY...
choose() {
    local setting key
    echo "CREATE TEMP TABLE wanted (key TEXT, text TEXT); CREATE TEMP TABLE asked (key TEXT);"
    for setting in "${where[@]}"; do echo "INSERT INTO wanted VALUES ($(sql_text "${setting%%=*}"), $(sql_text "${setting#*=}"));"; done
    for key; do echo "INSERT INTO asked VALUES ($(sql_text "$key"));"; done
    cat "$here/choose.sql"
}

# check_database: that it is one, and that the settings leave something of it.
check_database() {
    local setting count
    count=$(ask <<<"SELECT count(*) FROM sqlite_schema WHERE name IN ('scenario', 'param', 'run', 'metric')")
    [[ $count == 4 ]] || fail 2 "${args[0]}: is no results database of this version of faultline"
    for setting in "${where[@]}"; do
        count=$(ask <<<"SELECT count(*) FROM param WHERE key = $(sql_text "${setting%%=*}") AND text = $(sql_text "${setting#*=}")")
        [[ $count -gt 0 ]] || fail 2 "no scenario has $(plain "$setting"); values of that key: $(values "${setting%%=*}")"
    done
    count=$(ask <<<"SELECT count(*) - count(DISTINCT text) FROM scenario WHERE id IN (SELECT scenario_id FROM run WHERE status = 'done')")
    [[ $count -eq 0 ]] || echo "$command: left out: $count of the scenarios, of which others say the same and have newer runs (another version of the models, or of a log)" >&2
    count=$( (choose && echo "SELECT count(*) FROM chosen;") | ask)
    [[ $count -gt 0 ]] || fail 4 "${args[0]}: there are no finished runs to draw"
}

# values KEY: what is there, for messages.
values() {
    local found
    found=$(ask <<<"SELECT group_concat(text, ', ') FROM (SELECT DISTINCT text FROM param WHERE key = $(sql_text "$1") ORDER BY value, text LIMIT 12)")
    plain "${found:-none}"
}

# plain TEXT: without what moves the cursor of a terminal
plain() { printf '%s' "$1" | tr -d '\000-\037\177'; }

# quantity NAME: sets `kind` to fraction, count, real or key and `column` to the metric of that name, or refuses it. time_to_train is time_to_train_s.
quantity() {
    local found
    found=$(ask <<<"SELECT kind || ' ' || name FROM metric WHERE name = $(sql_text "$1") OR name = $(sql_text "$1_s")
        UNION ALL SELECT DISTINCT 'key ' FROM param WHERE key = $(sql_text "$1") AND value IS NOT NULL LIMIT 1")
    [[ $found =~ ^(fraction|count|real|key)\ ([a-z0-9_]*)$ ]] ||
        fail 2 "$(plain "$1") is no metric, and no key with numbers; keys that differ: $(varied)"
    kind=${BASH_REMATCH[1]} column=${BASH_REMATCH[2]}
}

varied() { plain "$( (choose && echo "SELECT coalesce(group_concat(key, ', '), 'none') FROM varied;") | ask)"; }

# require_key KEY: that scenarios have it.
require_key() {
    local count
    count=$(ask <<<"SELECT count(*) FROM param WHERE key = $(sql_text "$1")")
    [[ $count -gt 0 ]] || fail 2 "no scenario has a key $(plain "$1"); keys that differ: $(varied)"
}

# stat TABLE NAME: the SQL of a temporary table with n, mean and half-width of the 95 % interval of each chosen scenario; after quantity NAME.
stat() {
    if [[ $kind == key ]]; then
        echo "CREATE TEMP TABLE $1 AS SELECT scenario_id, 0 AS n, value AS mean, 0.0 AS ci95 FROM param
            WHERE key = $(sql_text "$2") AND value IS NOT NULL AND scenario_id IN (SELECT id FROM chosen);"
    else
        sed "s/@table@/$1/; s/@metric@/$column/" "$here/stat.sql"
    fi
}

# draw ROWS SCRIPT [NAME=VALUE...]: the rows, laid out by plots/SCRIPT.awk, as $out.svg and $out.png.
draw() {
    local type
    awk -v out="$work" "${@:3}" -f "$here/canvas.awk" -f "$here/$2.awk" "$1" || exit
    for type in svg png; do
        # It warns of every file without points, which is no fault.
        gnuplot --default-settings -c "$here/canvas.gp" "$type" "$work/picture.$type" "$work" "$(cat "$work/height")" "$here" 2>"$work/errors" ||
            { cat "$work/errors" >&2; exit 1; }
    done
    # Browsers without the font take the next that is as wide; what they show when the mouse rests on a figure is no gnuplot.
    sed -i "s/font-family=\"DejaVu Sans\"/font-family=\"DejaVu Sans, Verdana, sans-serif\"/g
        s/<title>Gnuplot</<title>$2</
        /id=\"gnuplot_plot_/s/<title>.*<\/title>//" "$work/picture.svg"
    mkdir -p -- "$(dirname -- "$out")" || exit 3
    mv -- "$work/picture.svg" "$out.svg" && mv -- "$work/picture.png" "$out.png" || exit 3
}
