# tools/sweep-parallel on two machines, which are this one behind an ssh server of our own on loopback.
bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    each=2
    source "$FAULTLINE_ROOT/tests/slurm/common.bash"
    for name in parallel ssh ssh-keygen /usr/sbin/sshd rsync; do
        command -v "$name" >/dev/null || { echo "$name is not installed (tools/setup slurm)" >lacks && return; }
    done
    [ "$(id -u)" -eq 0 ] || { echo 'an ssh server needs root' >lacks && return; }
    mkdir home
    ssh-keygen -q -t ed25519 -N '' -f server
    ssh-keygen -q -t ed25519 -N '' -f user
    printf '%s\n' 'Port 27822' 'ListenAddress 127.0.0.1' "HostKey $PWD/server" "AuthorizedKeysFile $PWD/user.pub" 'StrictModes no' 'UsePAM no' \
        "PidFile $PWD/sshd.pid" "ForceCommand cd '$PWD/home' && eval \"\$SSH_ORIGINAL_COMMAND\"" >sshd.conf
    printf '%s\n' 'Host one two' 'HostName 127.0.0.1' 'Port 27822' 'User root' "IdentityFile $PWD/user" "UserKnownHostsFile $PWD/known" \
        'StrictHostKeyChecking accept-new' 'LogLevel ERROR' >ssh.conf
    mkdir -p /run/sshd
    /usr/sbin/sshd -f "$PWD/sshd.conf" 3>&-
    simulate_whole
}

teardown_file() { [ ! -s "$BATS_FILE_TMPDIR/sshd.pid" ] || kill "$(cat "$BATS_FILE_TMPDIR/sshd.pid")"; }

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    [ ! -s lacks ] || skip "$(cat lacks)"
    each=2
    source "$FAULTLINE_ROOT/tests/slurm/common.bash"
    export PARALLEL_SSH="ssh -F $PWD/ssh.conf" HOME=$PWD/home
    sweep_parallel=$FAULTLINE_ROOT/tools/sweep-parallel
}

teardown() { [ -z "${running-}" ] || kill -TERM "$running" 2>/dev/null || true; }

# is_remote: a part that is computed has replicas on the other side
is_remote() {
    local file
    for file in home/.faultline/*/part-*/part.db; do
        [ ! -s "$file" ] || [ "$(query "$file" 'SELECT count(*) FROM run' 2>/dev/null || echo 0)" -eq 0 ] || return 0
    done
    return 1
}
none_runs() { ! pgrep -f "faultline sweep .*$BATS_FILE_TMPDIR|faultline sweep input/" >/dev/null; }

@test "two machines without a common folder: the rows of a single run, byte by byte" {
    "$sweep_parallel" --shards 8 --jobs 1 --sshlogin one,two "it's {2} \$a" "$scenario" "${whole_options[@]}" | cmp - whole.csv
    is_whole "it's {2} \$a"
    [ "$(cut -f 2 "it's {2} \$a/log/parallel" | sort -u | grep -cxE 'one|two')" -eq 2 ]
    # Nothing is left there.
    [ -d home/.faultline ]
    [ -z "$(ls -A home/.faultline)" ]
}

@test "a signal reaches the other machines, and what was finished there is not lost" {
    "$sweep_parallel" --shards 4 --jobs 1 --sshlogin one,two stopped "$scenario" "${whole_options[@]}" 3>&- &
    running=$!
    within 100 is_remote
    kill -TERM $running
    status=0
    wait $running || status=$?
    [ "$status" -eq 143 ]
    within 15 none_runs
    # Even when what is at home is none of it.
    rm -f stopped/shard-*.db
    part=$(ls -d home/.faultline/*/part-*/part.db | head -n 1)
    [ "$(query "$part" 'SELECT count(*) FROM run')" -gt 0 ]
    "$sweep_parallel" --jobs 1 --sshlogin one,two stopped | cmp - whole.csv
    is_whole stopped
}

@test "with a common folder; a database deleted" {
    "$sweep_parallel" --shards 8 --jobs 1 --sshlogin one,two --shared shared "$scenario" "${whole_options[@]}" | cmp - whole.csv
    [ ! -e home/.faultline ] || [ -z "$(ls -A home/.faultline)" ]
    rm shared/shard-5.db shared/all.db
    run -4 "$sweep_parallel" status shared
    [[ "$output" == *"350 of 400 replicas"* ]]
    "$sweep_parallel" --jobs 1 --sshlogin one,two --shared shared | cmp - whole.csv
    [ "$(wc -l <shared/log/parallel)" -eq 2 ]
    is_whole shared
}

@test "a machine that is not there: its parts are reported and done by the next call" {
    run -1 "$sweep_parallel" --shards 4 --jobs 1 --sshlogin one,nowhere gone "$scenario" "${cells[@]}" -n 1 --format csv
    [[ "$output" == *"parts are not finished; the same command does what is missing"* ]]
    replicas 1 >expected
    "$sweep_parallel" --jobs 1 --sshlogin one gone | cmp - expected
}
