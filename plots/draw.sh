# shellcheck shell=bash
# plots/draw.sh -- sourced by plots/tables and plots/paper, in strict mode and with OUTDIR in $1. Figures are made in the scratch
# folder $work, which is in OUTDIR so that publish() only renames: OUTDIR never holds half a figure.
out=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export LC_ALL=C.UTF-8
work=$(mktemp -d "$out/.plots-XXXXXX")
trap 'rm -rf "$work"' EXIT

# query FILE.sql: its rows as CSV.
query() { sqlite3 -init /dev/null -batch -bail -readonly -csv "$out/results.db" <"$1"; }

# draw SCRIPT NAME [ARGUMENT...]: NAME.svg and NAME.png in $work.
draw() {
    local kind
    for kind in svg png; do
        # It warns of every method without points, which is no fault.
        gnuplot --default-settings -c "plots/$1.gp" "$kind" "$work/$2.$kind" "$work" "${@:3}" 2>"$work/errors" ||
            { cat "$work/errors" >&2; return 1; }
    done
    # Browsers without the font take the next that is as wide; what they show when the mouse rests on a figure is no gnuplot.
    sed -i "s/font-family=\"DejaVu Sans\"/font-family=\"DejaVu Sans, Verdana, sans-serif\"/g
        s/<title>Gnuplot</<title>$2</
        /id=\"gnuplot_plot_/s/<title>.*<\/title>//" "$work/$2.svg"
}

publish() { mv -- "$work"/*.svg "$work"/*.png "$out/"; }
