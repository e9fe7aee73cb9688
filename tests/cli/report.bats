# faultline report: the page of a database. That browsers like it too is in report_page.bats.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tiny.yaml <<'EOT'
# Does a tiny fleet get on?
# Numbers of nobody & <b>nothing</b>.
name: tiny
method: decoupled-diloco
duration: 1h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  chip: {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
learners: {count: 2, step_time: 7.5s}
EOT
    PATH=$(dirname "$FAULTLINE"):$PATH
}

none() { ! "$@"; } # `! COMMAND` alone fails no test
query() { sqlite3 -init /dev/null -batch "$@"; }
few() { "$FAULTLINE" run tiny.yaml --seed 1 -n 3 -q -o a.db "$@"; }
some() { "$FAULTLINE" sweep tiny.yaml --seed 1 -n 3 -q -o a.db --vary learners.count=1,2 --vary elastic.downscale=5s,20s "$@"; }
# page: the page of a.db, one tag a line, without its style
page() { "$FAULTLINE" report a.db | sed '/^<style>$/,/^<\/style>$/d'; }
# commands: what the page says to run
commands() { page | sed -n '/<h2>To repeat/,/<\/pre>/p' | sed -n '/<pre>/,/<\/pre>/p' | sed "s/.*<pre>//; s/<\/pre>.*//; s/&#39;/'/g; s/&quot;/\"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g"; }

@test "report: question, answer, figures, tables and keys of one scenario" {
    few >table
    goodput=$(awk '$1 == "goodput" { print $2, $3 }' table)
    page >out
    grep -qx '<title>Does a tiny fleet get on?</title>' out
    grep -q '<h1>Does a tiny fleet get on?</h1>' out
    grep -qF 'Numbers of nobody &amp; &lt;b&gt;nothing&lt;/b&gt;.' out
    grep -qF "<b>$goodput</b><span><strong>goodput</strong>" out
    grep -qE '95 % interval [0-9.]+ % to [0-9.]+ %' out
    grep -qF 'tiny: decoupled-diloco, 64 chips in 2 learners, 3 replicas' out
    [ "$(grep -c '<svg ' out)" -eq 2 ]
    [ "$(grep -c '<svg ' out)" -eq "$(grep -c '</svg>' out)" ]
    [ "$(grep -o '<circle ' out | wc -l)" -eq 3 ]
}

@test "report: every key with its source: user, paper, fitted, assumed, and the default it replaces" {
    few -s elastic.downscale=12s -s elastic.upscale=1min >/dev/null
    page >out
    row() { grep -F "<td class=\"text\">$1</td>" out; }
    [[ "$(row elastic.downscale)" == *'<td class="text">12s</td><td class="text">user; the default, too (fitted)</td>'* ]]
    [[ "$(row elastic.upscale)" == *'<td class="text">1min</td><td class="text">user; default 16s (fitted)</td>'* ]]
    [[ "$(row elastic.restart)" == *'>fitted</td>'* ]]
    [[ "$(row warmup)" == *'>0s</td><td class="text">assumed</td>'* ]]
    [[ "$(row syncer.overlap)" == *'>2</td><td class="text">paper</td>'* ]]
    [[ "$(row fleet.chips)" == *'>64</td><td class="text">user</td>'* ]]
    [ "$(query a.db "SELECT count(*) FROM param WHERE source NOT IN ('user', 'paper', 'fitted', 'assumed', 'method')")" -eq 0 ]
}

@test "report: its commands repeat the very numbers" {
    few >before
    commands >again
    grep -q '^sqlite3 a.db ' again
    bash -eu ./again >after 2>/dev/null
    cmp before after
    rm a.db
    some >/dev/null
    commands >again
    bash -eu ./again >/dev/null
    columns='SELECT text, replica, seed, goodput, uptime, failures FROM run JOIN scenario ON scenario.id = scenario_id ORDER BY text, seed, replica'
    [ "$(query a.db "$columns")" = "$(query again.db "$columns")" ]
    [ "$(query again.db 'SELECT count(*) FROM run')" -eq 12 ]
}

@test "report: a sweep is compared over the keys that differ" {
    some --format csv >sweep.csv
    page >out
    grep -qF 'tiny: 4 scenarios, 12 replicas' out
    grep -q 'goodput over elastic.downscale' out
    grep -qF '</i>learners.count = 1</li>' out
    grep -qF '<td class="text">5s, 20s</td><td class="text">user; default 12s (fitted)</td>' out
    [ "$(grep -cE '^<tr><td>[1-4]</td>' out)" -eq 4 ]
    best=$(awk -F, 'NR > 1 && $4 > most { most = $4; with = "elastic.downscale = " $2 ", learners.count = " $1 } END { print with }' sweep.csv)
    grep -qF "<strong>highest goodput</strong>, with $best" out
}

@test "report: scenarios of another question, and more than lines can be told apart" {
    few >/dev/null
    sed 's/^name: tiny/name: other/; s/^# Does/# Would/' tiny.yaml >other.yaml
    "$FAULTLINE" sweep other.yaml --seed 1 -n 2 -q -o a.db --vary elastic.downscale=1..4s+1s --vary elastic.upscale=1s,2s,3s --vary learners.step_time=5s,6s,7s >/dev/null
    page >out
    grep -q '<h1>37 scenarios</h1>' out
    grep -q 'scenarios are not drawn: 8 lines' out
    grep -qF '<td class="text">other</td>' out
}

@test "report: published beside simulated, where scenarios answer a table of the paper" {
    "$FAULTLINE" run "$FAULTLINE_ROOT/scenarios/table-1.yaml" -s method=dp -s learners.count=1 -s fleet.chips=150k -s duration=2h -n 2 --seed 1 -q -o a.db >/dev/null
    page >out
    grep -q '<h3>Table 1a</h3>' out
    grep -q '<tr><td class="text">dp</td><td>1</td><td>150000</td><td>72.0</td><td>[0-9.]*</td>' out
    none grep -q '<h3>Table 5</h3>' out
}

@test "report: what was not seen is not called impossible" {
    sed -i 's/mtbi: 10h/mtbi: 100000h/' tiny.yaml
    few >/dev/null
    page | grep -F '<b>none seen</b>' | grep -qF 'in 3 hours of simulated time at least one learner was always stepping; with 95 % confidence there is less than one in 60 minutes'
}

@test "report: nothing to fetch, nothing to run, the same bytes every time" {
    some >/dev/null
    "$FAULTLINE" report a.db >first
    sleep 1.1
    "$FAULTLINE" report a.db -o second.html
    "$FAULTLINE" report -o - a.db >third
    cmp first second.html
    cmp first third
    none grep -qiE '<script|<link [^>]*href="[^d]|src=|@import|url\(|https?:|<iframe|<object| on[a-z]+=' first
    [ "$(stat -c %a second.html)" = "$(printf '%o' $((0666 & ~$(umask))))" ]
    [ "$(find . -name '*.html*' | wc -l)" -eq 1 ]
}

@test "report: names are text" {
    for name in '<script>alert(1)</script>' "x\\\"; \`touch pwned\`" "\$(touch pwned)' onload='x"; do
        sed "s|^name: .*|name: \"$(sed 's/[&|\\]/\\&/g' <<<"$name")\"|" tiny.yaml >named.yaml
        "$FAULTLINE" run named.yaml --seed 1 -n 2 -q -o a.db >/dev/null
    done
    sed -i 's/chip: {kind/"<i>\&amp;rack": {kind/' tiny.yaml
    few >/dev/null
    cp a.db "\$(touch pwned) <x>'.db"
    "$FAULTLINE" report "\$(touch pwned) <x>'.db" -o "\$(touch pwned)'.html"
    page=$(cat "\$(touch pwned)'.html")
    [[ "$page" == *'&lt;script&gt;alert(1)&lt;/script&gt;'* ]]
    [[ "$page" == *'x&quot;; `touch pwned`'* ]]
    [[ "$page" == *'failures.&lt;i&gt;&amp;amp;rack.mtbi'* ]]
    [[ "$page" != *'<script'* ]]
    [[ "$page" != *"' onload='"* ]]
    cp "\$(touch pwned) <x>'.db" a.db
    commands >again
    sed -n '/^sqlite3/p; /^    sqlite3/p' again | head -1 >first
    bash -eu ./again >/dev/null
    [ ! -e pwned ]
}

@test "report: what it cannot read it says, and writes nothing" {
    refuses() { # STATUS MESSAGE FILE
        run "$FAULTLINE" report "$3" -o page.html
        [ "$status" -eq "$1" ]
        [ "$output" = "faultline: $2" ]
        [ ! -e page.html ]
    }
    refuses 2 "none.db: cannot be opened: unable to open database file" none.db
    [ ! -e none.db ]
    : >empty.db
    refuses 2 "empty.db: is empty" empty.db
    seq 9999 >text.db
    refuses 2 "text.db: cannot be read as a database: file is not a database" text.db
    query foreign.db 'CREATE TABLE t (x)'
    refuses 2 "foreign.db: is a database of another program" foreign.db
    few >/dev/null
    query a.db 'PRAGMA user_version = 99' >/dev/null
    refuses 2 "a.db: has schema version 99, this program knows versions 1 to 5; a newer faultline reads it" a.db
    query a.db 'PRAGMA user_version = 5; DELETE FROM bucket; DELETE FROM learner; DELETE FROM run' >/dev/null
    refuses 4 'a.db: holds no finished runs; `faultline run SCENARIO -o a.db` adds some' a.db
    query a.db 'DROP TABLE param' >/dev/null
    run "$FAULTLINE" report a.db
    [ "$status" -eq 2 ]
    [ "$output" = "faultline: a.db: says it is a database of faultline, but has no table param" ]
}

@test "report: where it cannot write it says so, and leaves nothing behind" {
    few >/dev/null
    run "$FAULTLINE" report a.db -o nowhere/page.html
    [ "$status" -eq 3 ]
    [[ "$output" == "faultline: nowhere/page.html.part-"*": No such file or directory" ]]
    run "$FAULTLINE" report a.db -o .
    [ "$status" -eq 3 ]
    [ "$output" = "faultline: .: exists and is not a file: a page would take its place" ]
    run "$FAULTLINE" report a.db -o /dev/full
    [ "$status" -eq 3 ]
    [ "$output" = "faultline: /dev/full: exists and is not a file: a page would take its place" ]
    ln a.db same.db
    cp a.db before
    run "$FAULTLINE" report a.db -o same.db
    [ "$status" -eq 2 ]
    [[ "$output" == *"is the database itself"* ]]
    cmp a.db before
    run bash -c '"$FAULTLINE" report a.db >/dev/full'
    [ "$status" -eq 3 ]
    "$FAULTLINE" sweep tiny.yaml --seed 1 -n 1 -q -o a.db --vary elastic.downscale=1..100s+1s >/dev/null
    [ "$("$FAULTLINE" report a.db | wc -c)" -gt 41000 ]
    ulimit -f 40
    run "$FAULTLINE" report a.db -o cut.html
    [ "$status" -eq 3 ]
    [[ "$output" == *"File too large" ]]
    [ -z "$(find . -name 'cut*')" ]
}

@test "report: replicas that stalled are counted apart; one replica has no interval" {
    "$FAULTLINE" run tiny.yaml --seed 1 -n 1 -q -o a.db >/dev/null
    page | grep -q '1 replica; one replica has no interval'
    rm a.db
    # a few of these get their work done in time, the others do not
    "$FAULTLINE" run tiny.yaml --seed 1 -n 12 -q -o a.db -s until.work=3400s -s until.within=1h >/dev/null || true
    stalled=$(query a.db "SELECT count(*) FROM run WHERE status = 'stalled'")
    [ "$stalled" -gt 0 ]
    [ "$stalled" -lt 12 ]
    page >out
    grep -qF "$((12 - stalled)) replica" out
    grep -qF "$stalled more stalled or made no progress and have no part in a mean" out
    grep -q '<strong>time to train</strong>' out
}
