#!/usr/bin/env bash
# tools/sweep-example.sh [FAULTLINE [DIR]] -- a sweep as planners do them, to be copied and changed: learners against the time of a downscale, kept
# in a database, asked in SQL, and drawn when gnuplot is there. Stop it and start it again: what is finished is not computed twice.
set -euo pipefail
faultline=${1:-faultline}
dir=${2:-sweep-example}
cd "$(dirname "$0")/.."
mkdir -p "$dir"

# Every combination under the same failures, until each goodput is known to 0.05 points.
"$faultline" sweep scenarios/forty-thousand.yaml --seed 1 -o "$dir/sweep.db" --format csv \
    --vary learners.count=1..8x2 --vary 'elastic.downscale=30..120s +45s' --precision goodput=0.05% >"$dir/sweep.csv"

# The CSV for other programs; the table for people.
awk -F, 'NR > 1 { printf "%-2s learners, downscale %-5s %6.2f %% +- %.2f (n = %d)\n", $1, $2, 100 * $4, 100 * $6, $3 }' "$dir/sweep.csv"

# The database for questions that the CSV does not answer.
sqlite3 -init /dev/null -batch -box "$dir/sweep.db" "
    SELECT learners, p.text AS downscale, round(100 * goodput, 2) AS goodput, n
    FROM goodput_summary JOIN param p USING (scenario_id) WHERE p.key = 'elastic.downscale' ORDER BY goodput DESC LIMIT 3"

if command -v gnuplot >/dev/null; then
    # A series for each downscale, separated by two empty lines.
    awk -F, 'NR > 1 { row[$2] = row[$2] $1 " " 100 * $4 " " 100 * $6 "\n"; if (!seen[$2]++) order[++n] = $2 }
             END { for (i = 1; i <= n; i++) printf "\"%s\"\n%s\n\n", order[i], row[order[i]] }' "$dir/sweep.csv" >"$dir/sweep.dat"
    gnuplot -e "set terminal svg size 640,400; set output '$dir/sweep.svg'; set logscale x 2; set key bottom right title 'downscale';
        set xlabel 'learners'; set ylabel 'goodput (%)'; set key autotitle columnhead;
        plot for [i = 0:2] '$dir/sweep.dat' index i using 1:2:3 with yerrorlines"
    echo "$dir/sweep.svg"
fi
