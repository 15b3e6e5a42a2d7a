#!/usr/bin/env bash
# Runs that end early, by kill -9 at any moment or for want of room, go on with --resume and count
# what a run that was not interrupted counts.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

run=(run fpr-smoke -d nori,leveldb,sbbf-256,cuckoo-12 --filters 24 --probes 1000)
fb "${run[@]}" -o whole.json >whole.table 2>/dev/null || fail "the whole run"
counts() { fb export "$1" --to counts; }
counts whole.json >whole.counts
[ ! -e whole.json.journal ] || fail "a finished run left its journal"

# went_on WORDS: r.json has the counts of the whole run, and nothing else is left.
went_on() {
    local words=$1
    cmp -s <(counts r.json) whole.counts || fail "$words: other counts"
    check "$words: validate" -- fb validate r.json >/dev/null
    [ "$(echo r.json*)" = r.json ] || fail "$words: left $(echo r.json*)"
    rm -f r.json*
}
resume() { fb "${run[@]}" -o r.json --resume "$@"; }

# ---- Killed: some moments at random, then between any two steps ----
for signal in KILL KILL KILL TERM HUP; do # the last two leave r.json.partial, until it is finished
    "${command[@]}" "${run[@]}" -o r.json >/dev/null 2>&1 & # no function: its shell would be killed
    sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
    kill -$signal $! 2>/dev/null
    wait $! 2>/dev/null
    resume >/dev/null 2>&1 || fail "resume after $signal"
    went_on "$signal"
done

# A long journal, of a machine that has one processor only: counts go on with it all the same.
one=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
python3 - taskset -c "$one" "${command[@]}" "${run[@]}" <<'PYTHON' || fail "a journal"
import os, shutil, signal, subprocess, sys, time
run = subprocess.Popen([*sys.argv[1:], "-o", "r.json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
lines = 0
while lines < 12:
    assert run.poll() is None, "it ended before it was killed"
    # Whole lines: a kill may cut the one being written.
    lines = open("r.json.journal", "rb").read().count(b"\n") if os.path.exists("r.json.journal") else 0
run.send_signal(signal.SIGKILL)
run.wait()
PYTHON
mv r.json.journal journal
[ "$(wc -l <journal)" -ge 12 ] || fail "a journal of $(wc -l <journal) lines"
# The first line says what it is of, the second how many steps there are.
for lines in 1 3 7; do
    { head -$lines journal && sed -n "$((lines + 1))p" journal | head -c 40; } >r.json.journal
    resume >table 2>note || fail "resume after $lines lines"
    [ $lines -lt 3 ] || grep -q "r.json: continuing after $((lines - 2)) finished steps\?" note ||
        fail "resume after $lines lines: $(cat note)"
    cmp -s <(sed 's/r\.json/whole.json/' table) whole.table || fail "resume after $lines lines: another table"
    went_on "$lines lines"
done

# ---- What a journal is not taken for ----
cp journal r.json.journal
sed -i '4s/[0-9]/&1/' r.json.journal
refuses 5 'r\.json\.journal: line 4 is damaged' "${run[@]}" -o r.json --resume
cp journal r.json.journal
refuses 4 'r\.json\.journal: --resume cannot continue it, because its experiment_hash is that of another run' "${run[@]}" -n 500 -o r.json --resume
refuses 4 'r\.json\.journal: --resume cannot continue it, because its shard is that of another run' "${run[@]}" --shard 1/2 -o r.json --resume
cmp -s journal r.json.journal || fail "a refused journal was changed"
refuses 2 'give -o FILE' "${run[@]}" --resume -o -
# A damaged first line too; and what is no journal at all, which no run writes over.
cp journal r.json.journal
sed -i '1s/[0-9]/&1/' r.json.journal
cp r.json.journal before
refuses 5 'r\.json\.journal: line 1 is damaged' "${run[@]}" -o r.json --resume
cmp -s before r.json.journal || fail "a damaged journal was changed"
fb "${run[@]}" -o r.json >/dev/null 2>note || fail "anew, over a damaged journal"
cmp -s before r.json.journal.old || fail "a damaged journal was not kept: $(cat note)"
rm r.json*
printf 'my notes' >r.json.journal
for how in "" --resume; do
    refuses 2 'r\.json\.journal: it is no journal; move it' "${run[@]}" -o r.json $how
    [ "$(cat r.json.journal)" = 'my notes' ] || fail "a file that is no journal was changed"
done
rm r.json.journal
mkfifo r.json.journal
refuses 2 'r\.json\.journal: it is a link, no file, or longer than 1 GiB; move it' "${run[@]}" -o r.json
rm r.json.journal
# What begins like a journal, and has no whole line, may be anybody's: it is kept, whatever is there already.
for kept in old old-2; do
    printf '{"kind":"my notes"}' >r.json.journal
    fb "${run[@]}" -o r.json >/dev/null 2>note || fail "over a torn line"
    grep -q "r.json.journal: what stood there is kept in r.json.journal.$kept\$" note || fail "torn: $(cat note)"
    [ "$(cat r.json.journal.$kept)" = '{"kind":"my notes"}' ] || fail "a torn line is lost"
done
rm r.json*
cp journal r.json.journal
flock r.json.journal -c "$(printf '%q ' "${command[@]}" "${run[@]}" -o r.json --resume) >busy 2>&1"
grep -q 'r.json.journal: another run writes there' busy || fail "a busy journal: $(cat busy)"

# Records of a stranger's making.
python3 "$source_folder/tests/cli/resume_forged.py" journal r.json 80 "${command[@]}" "${run[@]}" -o r.json --resume || fail "a forged journal"
cp journal r.json.journal

# Anew, what was finished is kept beside.
fb "${run[@]}" -o r.json >/dev/null 2>note || fail "anew"
grep -q 'are kept in r.json.journal.old' note || fail "anew: $(cat note)"
cmp -s journal r.json.journal.old || fail "the old journal"
rm r.json.journal.old
# A finished run has nothing to resume.
touch -d @0 r.json
resume >table 2>note || fail "finished"
grep -q 'r.json: this run is finished' note || fail "finished: $(cat note)"
cmp -s table <(fb show r.json) || fail "finished: another table"
[ "$(stat -c %Y r.json)" = 0 ] || fail "a finished result was written again"
went_on "finished"
# What is finished there is not taken for another run's, nor written over.
seq 3000 >a.keys
seq 4000 >b.keys
keys() { echo run fpr-smoke -d nori --filters 4 -o r.json --resume -k "$1"; }
fb $(keys a.keys) >/dev/null 2>&1 || fail "own keys"
cp a.keys c.keys
fb $(keys c.keys) 2>&1 >/dev/null | grep -q 'r.json: this run is finished' || fail "the same keys elsewhere"
cp r.json before.json
refuses 4 'r\.json: --resume cannot continue it, because its key_file is that of another run' $(keys b.keys)
refuses 4 'r\.json: --resume cannot continue it, because its experiment_hash is that of another run' $(keys a.keys) -n 500
refuses 4 'r\.json: --resume cannot continue it, because its run.shard is that of another run' $(keys a.keys) --shard 1/2
cmp -s r.json before.json || fail "a refused result was changed"
echo '{' >r.json
refuses 2 'r\.json: ' $(keys a.keys)
rm r.json

# ---- No room: at every size the journal stays whole ----
for blocks in 1 9; do
    got=0
    (ulimit -f $blocks && fb "${run[@]}" -o r.json >/dev/null 2>note) || got=$?
    [ $got = 74 ] || fail "$blocks blocks: exit code $got"
    grep -q 'not written: File too large' note || fail "$blocks blocks: $(cat note)"
    [ ! -s r.json.journal ] || [ -z "$(tail -c 1 r.json.journal)" ] || fail "$blocks blocks: a torn line"
    resume >/dev/null 2>&1 || fail "resume after $blocks blocks"
    went_on "$blocks blocks"
done
# A disk that is full, of as many KiB as the journal fills and as only the result does not fit in.
on_small_disk() {
    mount -t tmpfs -o size="$1"k none . && cd "$PWD" || return 99
    fb "${run[@]}" -o r.json >/dev/null 2>../note && return 1
    grep -q 'r.json.*: not written: No space left on device' ../note || return 2
    mount -o remount,size=10m . || return 3
    fb "${run[@]}" -o r.json --resume >/dev/null 2>&1 || return 4
    fb export r.json --to counts
}
mkdir disk
for kib in 8 48; do
    got=0
    (cd disk && unshare -rm bash -c "$(declare -p run command); $(declare -f fb on_small_disk)
        on_small_disk $kib" 2>/dev/null) >disk.counts || got=$?
    if [ $got = 99 ] || ! unshare -rm true 2>/dev/null; then
        echo "a full disk of $kib KiB is not tried: no file system can be mounted here"
    else
        [ $got = 0 ] || fail "a disk of $kib KiB: step $got"
        cmp -s disk.counts whole.counts || fail "a disk of $kib KiB: other counts"
    fi
done
finish
