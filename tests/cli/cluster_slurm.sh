#!/usr/bin/env bash
# scripts/cluster/slurm against a real Slurm: one node, this machine, on ports and in a folder of its own.
# Eight shards, one of which is killed: only that one is run again, and the result has the counts of one run.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
one_node=$source_folder/scripts/cluster/one_node
trap '"$one_node" slurm stop 2>/dev/null; rm -rf "$folder"' EXIT
chmod 711 .
set_up=$("$one_node" slurm 2>log) || {
    echo "SKIPPED: $(cat log)"
    exit 77
}
eval "$set_up"
PATH=$PATH:/usr/sbin

# ended JOB: waits until Slurm has it no more.
ended() {
    for ((i = 0; i < 600; i++)); do
        [ -n "$(squeue -h -j "$1" 2>/dev/null)" ] || return 0
        sleep 0.2
    done
    fail "job $1 does not end: $(squeue)"
}

source "$source_folder/tests/cli/victim.bash"
submit() { "$source_folder/scripts/cluster/slurm" "$@"; }

# try NAME RUN...: of one experiment.
try() {
    local name=$1 array merge
    shift
    fb "$@" -o "$name.json" >/dev/null 2>&1 || fail "$name: the whole run"
    fb study new "$name" --shards 8 -- "$@" 2>/dev/null || fail "$name: study new"
    touch victim
    AT_ONCE=2 submit "$name" >jobs 2>log || fail "$name: submit: $(cat log)"
    { read -r array && read -r merge; } <jobs
    submit "$name" 2>log && fail "$name: submitted twice"
    grep -q 'its jobs are queued' log || fail "$name: submitted twice: $(cat log)"
    # Slurm counts shard 5 as failed, so nothing is merged.
    ended "$array"
    ended "$merge"
    fb study status "$name" >status
    head -1 status | grep -q '^8 shards: 7 done, 0 running, 1 failed, 0 waiting' || fail "$name: $(cat status)"
    grep -Eq '^ *5 +failed' status || fail "$name: $(cat status)"
    [ ! -e "$name/result.json" ] || fail "$name: merged without shard 5"
    refuses 2 "$name: 1 of 8 shards are not there yet: 5;" study merge "$name"

    # The same command again: shard 5 alone.
    stat -c '%n %i %Y' "$name"/shard-[1-46-8].json >before
    submit "$name" >jobs 2>log || fail "$name: submit again: $(cat log)"
    { read -r array && read -r merge; } <jobs
    ended "$array"
    ended "$merge"
    stat -c '%n %i %Y' "$name"/shard-[1-46-8].json | cmp -s - before || fail "$name: other shards were run again"
    grep -q 'continuing after' "$name/slurm-$array-5.log" || fail "$name: $(cat "$name/slurm-$array-5.log")"
    [ -e "$name/result.json" ] || fail "$name: no result: $(cat "$name/slurm-merge.log")"
    cmp -s <(fb export "$name/result.json" --to counts) <(fb export "$name.json" --to counts) ||
        fail "$name: other counts"
}
try fpr run fpr-smoke -d nori,leveldb --filters 200 --probes 2000
if [ -n "${FB_CLUSTER_ALL:-}" ]; then # half a minute each, and more
    try lsm run course-prefix --ci --set queries=100000
    try attack run adversary --quick
    try claims reproduce --quick 'nori.*'
    try kernels run kernels --quick -d nori,leveldb,fuse-8,sbbf-512,cuckoo-12,fjall-1,fuse-16,counting \
        --footprints L1 --operations batch --isa best --budget 2s
fi
finish
