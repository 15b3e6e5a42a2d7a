#!/usr/bin/env bash
# study: a folder of shards, how far it is, and what it refuses.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

run=(run fpr-smoke -d nori --filters 8)
fb study new st --shards 3 -- "${run[@]}" 2>note || fail "new"
grep -q 'st: 3 shards; run each with' note || fail "new: $(cat note)"
check "the same again" -- fb study new st --shards 3 -- "${run[@]}" 2>/dev/null
line() { fb study status st | head -1; }
[ "$(line)" = "3 shards: 0 done, 0 running, 0 failed, 3 waiting; time left unknown" ] || fail "$(line)"
(mkdir other && cd other && fb study shard ../st 2 >out 2>/dev/null) || fail "shard 2"
[ ! -s other/out ] || fail "a table of a shard"
line | grep -q '^3 shards: 1 done, 0 running, 0 failed, 2 waiting; [0-9]* s left$' || fail "$(line)"
json "status" -- fb study status st --format json
refuses 2 "st: 2 of 3 shards are not there yet: 1, 3; run each with 'filterbench study shard st I'" study merge st
fb study new many --shards 40 -- "${run[@]}" 2>/dev/null || fail "new of 40"
refuses 2 'many: 40 of 40 shards .*: 1, 2, .*, 12, \.\.\.; run' study merge many

# Shards that are done say how long one takes that waits; of one that stopped its steps do, of which a small file has some.
fb study shard st 1 2>/dev/null
cp -r st waiting && cp -r st stopped
(ulimit -f 4 && fb study shard stopped 3 >/dev/null 2>&1)
sed -i 's/"elapsed_s": .*,/"elapsed_s": 10,/' {waiting,stopped}/shard-1.json
sed -i 's/"elapsed_s": .*,/"elapsed_s": 30,/' {waiting,stopped}/shard-2.json
for at in waiting stopped; do fb study status $at --format json >$at.json || [ $? = 1 ] || fail "status of $at"; done
python3 - <<'PYTHON' || fail "time left: $(cat waiting.json stopped.json)"
import json
waiting, stopped = (json.load(open(name + ".json")) for name in ("waiting", "stopped"))
assert [r["left_s"] for r in waiting["rows"]] == [0, 0, 20] and waiting["left_s"] == 20, waiting
third = stopped["rows"][2]
assert third["state"] == "failed" and 0 < third["steps"] < third["of_steps"], third
wanted = third["elapsed_s"] * (third["of_steps"] / third["steps"] - 1)
assert all(abs(of["left_s"] - wanted) <= 1e-9 * wanted for of in (third, stopped)), stopped
PYTHON

# What some shards have counted: of each filter that they have whole, summed here from their files.
fb study new some --shards 6 -- run fpr -d nori -b 10 -n 1000 --filters 8 --probes 20000 2>/dev/null || fail "new of 6"
refuses 2 '6 of 6 shards are not there yet' study merge some --partial
for i in 1 2 4 5 6; do fb study shard some $i 2>/dev/null || fail "shard $i of 6"; done
fb study merge some --partial >table 2>note || fail "partial"
grep -q 'some: what 5 of 6 shards have counted; missing: 3' note || fail "partial: $(cat note)"
[ ! -e some/result.json ] || fail "a partial merge wrote a result"
python3 - <<'PYTHON' || fail "partial: $(cat table)"
import collections, json
asked, events = collections.Counter(), collections.Counter()
for shard in (1, 2, 4, 5, 6):
    for fragment in json.load(open(f"some/shard-{shard}.json"))["fragments"]:
        for part in fragment["filters"]:
            asked[part["filter"]] += part["end"] - part["first"]
            events[part["filter"]] += part["events"]
whole = [f for f in asked if asked[f] == max(asked.values())]
assert 0 < len(whole) < 8, asked
rate = 100 * sum(events[f] for f in whole) / (len(whole) * max(asked.values()))
row = next(line.split() for line in open("table") if line.startswith("nori "))
assert abs(float(row[3]) - rate) <= 5e-4 * rate, (row, rate)
PYTHON

# What happened to a shard that failed: why, where, with which exit code. The status fails then.
got=0
fb study status stopped >said || got=$?
[ $got = 1 ] || fail "status of a failed shard: exit code $got"
grep -Eq '^shard 3: exit code 74 on .+ at 20[-0-9T:]+Z: .*shard-3.json.journal: not written: File too large$' said || fail "why it failed: $(cat said)"
grep -q 'not written: File too large' stopped/shard-3.log || fail "the log of a shard: $(cat stopped/shard-3.log)"
# A shard that is killed with its watcher; the run dies with it.
fb study new killed --shards 2 -- run fpr-smoke -d nori,leveldb,sbbf-256,fuse-8 --filters 200 --probes 1M 2>/dev/null
"${command[@]}" study shard killed 1 2>/dev/null &
until [ "$(wc -l <killed/shard-1.json.journal)" -ge 3 ] || ! kill -0 $!; do sleep 0.01; done 2>/dev/null
refuses 2 'shard-1.log: this shard runs already' study shard killed 1
refuses 2 'shard 1 runs; stop it first: filterbench study cancel killed' study reset killed 1
fb study status killed | grep -Eq "^shard 1: process $! on .+ since 20[-0-9T:]+Z$" || fail "who runs it: $(fb study status killed)"
kill -KILL $! && wait $! 2>/dev/null
until flock -n killed/shard-1.json.journal true; do sleep 0.02; done # the run ends a moment later
fb study status killed >said && fail "a killed shard is no failure"
grep -q '^shard 1: .*: it was killed, and left no exit code$' said || fail "killed: $(cat said)"
# One that is asked to stop keeps what it has; then it goes on, and a reset begins anew.
"${command[@]}" study shard killed 1 2>going &
until grep -q continuing going || ! kill -0 $!; do sleep 0.01; done 2>/dev/null
fb study cancel killed 2>said || fail "cancel"
grep -q "killed: asked 1 shard on this host to stop;" said || fail "cancel: $(cat said)"
got=0
wait $! || got=$?
[ $got = 130 ] || fail "a shard that was cancelled: exit code $got"
fb study reset killed 1 || fail "reset"
[ "$(ls killed)" = study.json ] || fail "reset left $(ls killed)"
# A damaged result is named, and the others are shown.
cp -r st damaged && printf '{"a' >damaged/shard-2.json
fb study status damaged >said 2>/dev/null && fail "a damaged result"
grep -q '^shard 2: its result is damaged$' said && grep -q '^ *1  done' said || fail "damaged: $(cat said)"
cp -r st gone && rm gone/shard-2.json
fb study status gone | grep -q '^shard 2: .*: it ended well, and its result is gone$' || fail "gone: $(fb study status gone)"
# All shards are of the same keys and the same program.
seq 1000 >keys
fb study new pinned --shards 2 -- run fpr -d nori -k keys 2>/dev/null || fail "new with keys"
echo 1001 >>keys
refuses 4 'pinned: keys has changed since this study was made' study shard pinned 1
grep -q '^shard 1: exit code 4 on .*: pinned: keys has changed' <(fb study status pinned) || fail "why: $(fb study status pinned)"
seq 1000 >keys
fb study shard pinned 1 2>/dev/null || fail "the keys are back"
sed -i 's/"version": "/&0/' pinned/study.json
fb study shard pinned 2 --trust 2>said && fail "another program"
grep -q 'pinned: filterbench 0[0-9.]* .* made this study, and this is [1-9]' said || fail "another program: $(cat said)"

# Killed: its journal has what is done. Running: somebody has the journal locked.
printf '{"kind' >st/shard-3.json.journal
line | grep -q ': 2 done, 0 running, 1 failed, 0 waiting' || fail "failed: $(line)"
flock st/shard-3.json.journal -c "$(printf '%q ' "${command[@]}" study status st) | head -1 >busy"
grep -q ': 2 done, 1 running, 0 failed, 0 waiting' busy || fail "running: $(cat busy)"
fb study shard st 3 2>/dev/null
fb study shard st 3 2>note
grep -q 'this run is finished; nothing is left to do' note || fail "finished: $(cat note)"
fb study merge st 2>/dev/null || fail "merge"
fb "${run[@]}" -o whole.json >/dev/null 2>&1
cmp -s <(fb export st/result.json --to counts) <(fb export whole.json --to counts) || fail "counts"

refuses 2 'another study; give an empty folder' study new st --shards 4 -- "${run[@]}"
refuses 2 'give --shards N and a command' study new new --shards 4
refuses 2 'give --shards N and a command' study new new -- "${run[@]}"
refuses 2 'give --shards N and a command' study new new --shards 4 -- show x.json
refuses 2 "no preset 'fpr-smok', did you mean 'fpr-smoke'" study new new --shards 4 -- run fpr-smok
refuses 2 'with a precision the number of probes' study new new --shards 4 -- "${run[@]}" --precision 0.1
refuses 2 '8 shards save little: each builds all filters, 100 % of the work; run it whole, or with more queries' study new new --shards 8 -- run billion --set timed=false --set n=100000000 --set queries=1000
refuses 2 'study new: --dry-run: a shard with it would measure nothing' study new new --shards 4 -- "${run[@]}" --dry
refuses 2 'study new: -o: leave it out; each shard writes new/shard-I.json' study new new --shards 4 -- "${run[@]}" -o x.json
refuses 2 "there is no shard '4'; give a number from 1 to 3" study shard st 4
refuses 2 'give a folder and the number of a shard' study shard st
refuses 2 "there is no action 'stats', did you mean 'status'\? \(give new" study stats st
refuses 2 'new/study.json: ' study status new
mkdir empty && echo '{"study": 1, "shards": -1, "command": ["run"]}' >empty/study.json
refuses 2 'empty/study.json: no study' study status empty
absent new
finish
