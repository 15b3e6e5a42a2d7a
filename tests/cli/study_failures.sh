#!/usr/bin/env bash
# A study to which everything happens: a shard is killed, its keys are gone or changed, its disk is full,
# its result is cut off, another program runs it, and the scheduler is stopped. The status says of each
# shard what happened, one command repairs the study, and its counts are those of one run.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command -v parallel >/dev/null || {
    echo "SKIPPED: GNU parallel is not installed: scripts/setup cluster"
    exit 77
}
printf '#!/bin/sh\nexec %s "$@"\n' "${command[*]@Q}" >filterbench
chmod +x filterbench
export FILTERBENCH=$PWD/filterbench
seq 100000 >keys
run=(run fpr -d 'nori,leveldb,sbbf-256,fuse-8' -b '8,10,12' --filters 120 -k keys)
fb "${run[@]}" -o whole.json >/dev/null 2>&1 || fail "the whole run"
fb study new st --shards 8 -- "${run[@]}" 2>/dev/null || fail "study new"

# happens SHARD CODE: it ends with that exit code.
happens() {
    local got=0
    fb study shard st "$1" >/dev/null 2>&1 || got=$?
    [ $got = "$2" ] || fail "shard $1: exit code $got, not $2"
}
# The scheduler is stopped while it runs two.
"$source_folder/scripts/cluster/parallel" st -j 2 >/dev/null 2>&1 &
until [ -s st/shard-1.json.journal ] && [ -s st/shard-2.json.journal ] || ! kill -0 $!; do :; done 2>/dev/null
kill -TERM $!
wait $! && fail "a script that was stopped ends well"
# Killed: its watcher, with which the run dies.
"${command[@]}" study shard st 3 2>/dev/null &
until [ "$(wc -l <st/shard-3.json.journal)" -ge 2 ] || ! kill -0 $!; do :; done 2>/dev/null
kill -KILL $! && wait $! 2>/dev/null
until flock -n st/shard-3.log true && flock -n st/shard-3.json.journal true; do sleep 0.02; done
mv keys gone
happens 4 4
seq 100001 >keys
happens 5 4
mv gone keys
(ulimit -f 8 && happens 6 74) # the disk is full
happens 7 0
truncate -s -100 st/shard-7.json
cp st/study.json kept
sed -i 's/"version": "/&0/' st/study.json
fb study shard st 8 --trust >/dev/null 2>&1 && fail "another program"
mv kept st/study.json

fb study status st >said 2>/dev/null && fail "the status of shards that have failed"
says() { grep -Eq "^shard $1: $2" said || fail "shard $1: $(cat said)"; }
says '[12]' 'exit code 1(30|43) on .*: interrupted'
says 3 '.*: it was killed, and left no exit code$'
says 4 'exit code 4 on .*keys'
says 5 'exit code 4 on .*: st: keys has changed'
says 6 'exit code 74 on .*: not written: File too large'
says 7 'its result is damaged'
says 8 'exit code 4 on .*: st: filterbench 0[0-9.]* .* made this study'

fb study status st --watch >watched 2>/dev/null && fail "shards that failed are watched well"
cmp -s said watched || fail "nothing runs, and it is watched on: $(cat watched)"
cp -r st waiting && fb study reset waiting 8
"${command[@]}" study status waiting --watch >watched 2>/dev/null &
until grep -q '7 failed, 1 waiting' watched; do sleep 0.02; done
cp st/shard-3.json.journal waiting/shard-8.json.journal
wait $! && fail "shards that failed are watched well"
grep -q '8 failed, 0 waiting' watched || fail "watched: $(cat watched)"
"$source_folder/scripts/cluster/parallel" st -j 2 >log 2>&1 || fail "the repair: $(cat log)"
cmp -s <(fb export st/result.json --to counts) <(fb export whole.json --to counts) || fail "other counts"
finish
