# The page of `faultline report` in a browser: headless Chromium, which is asked for by `tools/setup pages` and not needed for anything else.

setup_file() {
    command -v chromium >/dev/null || return 0 # each test says so and is skipped
    cd "$BATS_FILE_TMPDIR" || return 1
    export HOME=$BATS_FILE_TMPDIR
    cat >wild.yaml <<'EOT'
# "><img src=http://127.0.0.1:9/q onerror=console.error(1)> </title><script>document.title='run'</script>
name: "<script>document.title='run'</script>"
method: decoupled-diloco
duration: 1h
fleet: {chips: 64, chips_per_slice: 8}
failures:
  "<img onerror>": {kind: chip, mtbi: 10h, return_after: "exponential(mean=2min)"}
learners: {count: 2, step_time: 7.5s}
EOT
    "$FAULTLINE" run wild.yaml --seed 1 -n 3 -q -o wild.db >/dev/null
    "$FAULTLINE" sweep "$FAULTLINE_ROOT/scenarios/forty-thousand.yaml" --seed 1 -n 3 -q -s duration=5d -o sweep.db --vary learners.count=1..8x2 --vary elastic.downscale=30s,2min >/dev/null
    for name in wild sweep; do
        "$FAULTLINE" report $name.db -o $name.html
        browse "file://$BATS_FILE_TMPDIR/$name.html" --dump-dom --enable-logging=stderr --log-net-log=$name.net >$name.dom 2>$name.log
    done
    echo '<!DOCTYPE html><body>' >blank.html
}

setup() {
    command -v chromium >/dev/null || skip "chromium is not installed (tools/setup pages installs it)"
    cd "$BATS_FILE_TMPDIR" || return 1
}

none() { ! "$@"; } # `! COMMAND` alone fails no test

# browse URL OPTION...: without what a browser does on its own account
browse() {
    timeout 100 chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run --disable-background-networking \
        --disable-component-update --disable-default-apps --disable-extensions --disable-sync --user-data-dir="$BATS_FILE_TMPDIR/profile" "${@:2}" "$1"
}

# picture NAME WIDTH OPTION...: how many bytes its screenshot has
picture() {
    browse "file://$BATS_FILE_TMPDIR/$1.html" --screenshot="$BATS_TEST_TMPDIR/$1.png" --window-size="$2,1400" "${@:3}" 2>/dev/null
    stat -c %s "$BATS_TEST_TMPDIR/$1.png"
}

@test "page: no message on the console" {
    none grep -i console wild.log sweep.log
    # that it would be seen
    echo '<!DOCTYPE html><script>console.error("seen")</script>' >noisy.html
    browse "file://$PWD/noisy.html" --dump-dom --enable-logging=stderr 2>&1 | grep -q 'CONSOLE.*seen'
}

# asked_by_page LOG: the requests of the page itself; the browser has some of its own
asked_by_page() { grep '"network_isolation_key":"file:' "$1" | grep -oE '"url":"(https?|wss?|ftp):[^"]*"'; }

@test "page: no request leaves it" {
    for name in wild sweep; do
        [ -s $name.net ]
        none asked_by_page $name.net
    done
    echo '<!DOCTYPE html><img src="http://127.0.0.1:9/seen">' >leak.html
    browse "file://$PWD/leak.html" --dump-dom --log-net-log=leak.net >/dev/null 2>&1
    asked_by_page leak.net | grep -q '^"url":"http://127.0.0.1:9/seen"'
}

@test "page: names from strangers stay text" {
    none grep -qE '<script|<img' wild.dom
    grep -qF '<h1>"&gt;&lt;img src=http://127.0.0.1:9/q onerror=console.error(1)&gt;' wild.dom
    grep -qF "&lt;script&gt;document.title='run'&lt;/script&gt;: decoupled-diloco" wild.dom
    none grep -qF '<title>run</title>' wild.dom
    grep -qF 'failures.&lt;img onerror&gt;.mtbi' wild.dom
}

@test "page: what was written is what the browser sees" {
    for name in wild sweep; do
        for tag in svg circle table tr figure pre footer; do
            [ "$(grep -oE "<$tag[ >]" $name.html | wc -l)" -eq "$(grep -oE "<$tag[ >]" $name.dom | wc -l)" ]
        done
    done
    [ "$(grep -o '<circle ' sweep.dom | wc -l)" -eq 16 ]
}

@test "page: something to look at, light and dark, wide and narrow" {
    blank=$(picture blank 1000)
    light=$(picture sweep 1000)
    dark=$(picture sweep 1000 --blink-settings=preferredColorScheme=0)
    narrow=$(picture sweep 500)
    for bytes in "$light" "$dark" "$narrow"; do [ "$bytes" -gt $((10 * blank)) ]; done
    cp "$BATS_TEST_TMPDIR/sweep.png" narrow.png
    picture sweep 1000 --blink-settings=preferredColorScheme=0 >/dev/null
    cp "$BATS_TEST_TMPDIR/sweep.png" dark.png
    picture sweep 1000 >/dev/null
    none cmp -s dark.png "$BATS_TEST_TMPDIR/sweep.png"
}

@test "page: on a telephone nothing but tables and commands scrolls sideways" {
    cat >phone.html <<EOT
<!DOCTYPE html><iframe src="sweep.html" style="border:0;width:400px;height:3000px"></iframe><p id="answer"></p>
<script>onload = () => { const inside = frames[0].document.documentElement; answer.textContent = inside.scrollWidth + ' of ' + inside.clientWidth }</script>
EOT
    browse "file://$PWD/phone.html" --dump-dom --allow-file-access-from-files 2>/dev/null | grep -q '<p id="answer">400 of 400</p>'
}
