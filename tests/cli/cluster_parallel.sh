#!/usr/bin/env bash
# scripts/cluster/parallel with GNU parallel: eight shards of an experiment of each kind, one of which is
# killed. Only that one is run again, and the result has the counts of one run.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command -v parallel >/dev/null || {
    echo "SKIPPED: GNU parallel is not installed: scripts/setup cluster"
    exit 77
}
source "$source_folder/tests/cli/victim.bash"
distribute() { "$source_folder/scripts/cluster/parallel" "$@"; }

# try NAME RUN...: of one experiment.
try() {
    local name=$1
    shift
    fb "$@" -o "$name.json" >/dev/null 2>&1 || fail "$name: the whole run"
    fb study new "$name" --shards 8 -- "$@" 2>/dev/null || fail "$name: study new"
    touch victim
    distribute "$name" -j 2 >/dev/null 2>log && fail "$name: nobody noticed the kill"
    fb study status "$name" | head -1 |
        grep -q '^8 shards: 7 done, 0 running, 1 failed, 0 waiting' || fail "$name: $(fb study status "$name")"
    grep -q 'parallel: 1 shards failed; the same command' log || fail "$name: $(cat log)"
    [ ! -e "$name/result.json" ] || fail "$name: merged without shard 5"
    stat -c '%n %i' "$name"/shard-[1-46-8].json >before
    distribute "$name" -j 2 >/dev/null 2>log || fail "$name: again: $(cat log)"
    stat -c '%n %i' "$name"/shard-[1-46-8].json | cmp -s - before || fail "$name: other shards were run again"
    grep -q 'continuing after' log || fail "$name: shard 5 began anew: $(cat log)"
    cmp -s <(fb export "$name/result.json" --to counts) <(fb export "$name.json" --to counts) ||
        fail "$name: other counts"
    check "$name: validate" -- fb validate "$name/result.json" >/dev/null
}
try fpr run fpr-smoke -d nori,leveldb --filters 100
try lsm run course-prefix --ci --set queries=100000
try attack run adversary --quick
try claims reproduce --quick 'nori.*'
# Whoever stops the script stops its shards.
fb study new stopped --shards 3 -- run fpr-smoke -d nori,leveldb,sbbf-256,fuse-8 --filters 400 --probes 1M 2>/dev/null
"$source_folder/scripts/cluster/parallel" stopped -j 2 >/dev/null 2>log &
until [ -s stopped/shard-1.json.journal ] && [ -s stopped/shard-2.json.journal ] || ! kill -0 $!; do sleep 0.05; done
kill -TERM $!
wait $! && fail "a script that was stopped ends well"
grep -q 'stopped; the same command goes on' log || fail "stopped: $(cat log)"
until fb study status stopped | head -1 | grep -q ', 0 running'; do sleep 0.05; done
fb study status stopped | head -1 | grep -q '^3 shards: 0 done, 0 running, 2 failed, 1 waiting' || fail "$(fb study status stopped)"
grep -c . fpr/joblog.tsv | grep -qx 9 || fail "joblog: $(cat fpr/joblog.tsv)"
finish
