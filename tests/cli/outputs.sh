# Outputs: never a file that is read, whole or not there, and no leftovers of a killed run.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

seq 20000 >keys
tiny() { fb run fpr-smoke --set filters=2 --set probes=1000 --set precision=0 "$@"; }
tiny -b 8,10,12 -o r.json >/dev/null 2>&1 || fail "no result to read"
cp r.json before.json
cp keys before

# ---- What is read is not written: by its name, a symbolic link, a hard link ----
same='it would be read and written; give another file'
ln -s keys soft.keys
ln keys hard.keys
ln -s r.json soft.json
ln r.json hard.json
for output in keys soft.keys hard.keys; do
    refuses 2 "$same" build -d nori -b 10 -k keys -o $output
    refuses 2 "$same" build -d nori -b 10 -k hard.keys -o $output
    refuses 2 "$same" run fpr-smoke --keys keys -o $output
done
cp keys kept.partial
refuses 2 "kept.partial: $same" run fpr-smoke --keys kept.partial -o kept
printf 'p a 10\ng a\n' >trace
refuses 2 "$same" run fjall-leveled --ci --trace trace -o trace
for output in r.json soft.json hard.json; do
    for to in counts csv md; do
        refuses 2 "$same" export r.json --to $to -o $output
    done
    refuses 2 "$same" run r.json -o $output
done
mkdir drawn named
for name in dat svg png; do
    rm -f drawn/*
    ln r.json drawn/fpr-bits.$name
    refuses 2 "drawn/fpr-bits.$name: $same|gnuplot: not found" plot r.json -o drawn
done
ln keys named/Makefile
refuses 2 "named/Makefile: it is there already" plugin new mine -o named
[ "$(ls named)" = Makefile ] || fail "half a plugin: $(ls named)"
# What was there keeps who may read it; what was not is for all that umask lets.
fb show r.json >private && chmod 604 private
(umask 027 && fb export r.json --to csv -o private && fb export r.json --to csv -o fresh)
[ "$(stat -c %a private) $(stat -c %a fresh)" = "604 640" ] || fail "modes: $(stat -c %a private fresh)"
# Standard input and output are files too.
fb build -d nori -b 10 -k - -o keys <keys 2>stderr && fail "stdin is the output"
grep -Eq "stdin: $same" stderr || fail "stdin is the output: $(cat stderr)"
for words in "build -d nori -b 10 -k keys -o -" "query -d nori --block keys -k keys" \
    "inspect -d nori --block keys"; do
    fb $words >>keys 2>stderr && fail "$words >>keys"
    grep -Eq "keys: $same" stderr || fail "$words >>keys: $(cat stderr)"
done
for words in "show r.json" "export r.json --to md" "validate r.json" \
    "compare r.json r.json" "compare before.json r.json"; do
    fb $words >>r.json 2>stderr && fail "$words >>r.json"
    grep -Eq "r.json: $same" stderr || fail "$words >>r.json: $(cat stderr)"
done
cmp -s keys before && cmp -s r.json before.json || fail "what was read was written"
check "other names" -- fb export r.json --to md -o r.md
check "an input of before" -- fb build -d nori -b 10 -k keys -o r.md 2>/dev/null

# ---- A result without a name of its own replaces none ----
for n in 100 200 300; do
    fb run fpr-smoke -d nori -b 10 --filters 2 --probes 1000 -n $n 2>note.$n >/dev/null || fail "run $n"
done
of() { grep -o "n=[0-9]*/random" "results/runs/$1" | sort -u | tr '\n' ' '; }
[ "$(of fpr-smoke-1.json)$(of fpr-smoke-2.json)$(of fpr-smoke.json)" = "n=100/random n=200/random n=300/random " ] ||
    fail "results: $(ls results/runs)"
grep -q 'wrote results/runs/fpr-smoke.json$' note.100 || fail "the first: $(cat note.100)"
grep -q 'wrote results/runs/fpr-smoke.json; the older result is now results/runs/fpr-smoke-2.json$' note.300 ||
    fail "the third: $(cat note.300)"
# One that ends early, or has no room, moves nothing.
cksum results/runs/* >sums
(ulimit -f 1 && tiny -b 8,10,12 2>/dev/null) && fail "a limit of 1 KiB"
rm -f results/runs/*.journal
cksum results/runs/* | cmp -s - sums || fail "no room: $(ls results/runs)"
tiny -b 8 -o results/runs/fpr-smoke-2.json >/dev/null 2>&1
[ "$(ls results/runs | wc -l)" = 3 ] || fail "a name that was given: $(ls results/runs)"

# ---- A killed run leaves a file beside its output; the next one to that output removes it ----
mkfifo pipe
python3 - "${command[@]}" <<'PYTHON' || fail "leftovers"
import glob, os, subprocess, sys, time

def build(output):
    """A build that waits for more keys with its output file open."""
    before = set(glob.glob("*.tmp-*"))
    process = subprocess.Popen([*sys.argv[1:], "build", "-d", "nori", "-b", "10", "-k", "pipe", "-o",
                                output], stderr=subprocess.PIPE)
    feed = open("pipe", "w")
    feed.write("key\n")
    feed.flush()
    while not set(glob.glob("*.tmp-*")) - before:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    return process, feed, (set(glob.glob("*.tmp-*")) - before).pop()

def kill(output):
    process, feed, name = build(output)
    process.kill()
    process.wait()
    feed.close()
    assert os.path.exists(name)
    return name

def fb(*words):
    return subprocess.run([*sys.argv[1:], *words], capture_output=True, timeout=60)

killed, other = kill("out"), kill("out2")
strange = ["out.tmp-", "out.tmp-12x", "xout.tmp-12", "out.tmp-5.json"]
for name in strange:
    open(name, "w").close()
os.symlink("keys", "out.tmp-77")
live, feed, lives = build("out")
assert not os.path.exists(killed), "left by the next run"
again = fb("build", "-d", "nori", "-b", "10", "-k", "keys", "-o", "out")
assert again.returncode == 0, again.stderr
assert os.path.exists(lives), "of a run that still goes on"
assert os.path.exists(other) and all(map(os.path.lexists, [*strange, "out.tmp-77"])), "another's"
feed.close()
assert live.wait(60) == 0 and not os.path.exists(lives)
# A process of another container may have the number of the killed one.
os.close(os.open("out.tmp-1", os.O_CREAT | os.O_WRONLY, 0o200))
open("out.tmp-2", "w").close()
assert fb("export", "r.json", "--to", "md", "-o", "out").returncode == 0
assert not os.path.exists("out.tmp-1") and os.path.exists("out.tmp-2"), "a file of the user's"
os.unlink("out.tmp-2")
assert fb("export", "r.json", "--to", "md", "-o", "out2").returncode == 0
assert not os.path.exists(other)
for name in [*strange, "out.tmp-77"]:
    os.unlink(name)

# The folder goes while the run goes on.
os.mkdir("gone")
process, feed, name = None, None, None
process = subprocess.Popen([*sys.argv[1:], "build", "-d", "nori", "-b", "10", "-k", "pipe", "-o",
                            "gone/out"], stderr=subprocess.PIPE)
feed = open("pipe", "w")
while not glob.glob("gone/out.tmp-*"):
    time.sleep(0.01)
for name in glob.glob("gone/*"):
    os.unlink(name)
os.rmdir("gone")
feed.write("key\n")
feed.close()
_, message = process.communicate(timeout=60)
assert process.returncode == 74, process.returncode
assert message == b"filterbench: gone/out: not written: No such file or directory\n", message
PYTHON

# ---- A full disk: exit 74, the reason, nothing left ----
full() {
    local got=0
    (ulimit -f 1 && fb "$@" 2>&1 >/dev/null | head -c 500 >stderr
        exit "${PIPESTATUS[0]}") || got=$?
    [ $got = 74 ] || fail "no space: exit code $got: $*"
    grep -Eqx "filterbench: $reason" stderr || fail "no space: $*: $(cat stderr)"
}
reason='big: not written: File too large'
full build -d nori -b 10 -k keys -o big
full export r.json --to counts -o big
full export r.json --to csv -o big
reason='big.journal: not written: File too large'
full run r.json -o big
reason='new/my_filter.c: not written: File too large'
full plugin new my-filter -o new
absent big big.partial big.journal new
reason='/dev/full: not written: No space left on device; free some space, then try again'
for words in "build -d nori -b 10 -k keys" "export r.json --to counts" "export r.json --to csv" \
    "export r.json --to md"; do
    full $words -o /dev/full
done
# gnuplot does not tell of a full disk.
mkdir -p bin
printf '#!/bin/sh\nfor f; do :; done\nprintf "<svg>" >$f.svg\nprintf x >$f.png\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH fb plot r.json --only fpr-bits -o cut >stdout 2>stderr
[ $? = 74 ] || fail "pictures cut short"
grep -q '^filterbench: cut/fpr-bits.svg: not written to its end' stderr || fail "cut: $(cat stderr)"
[ ! -e cut ] || fail "cut pictures stay: $(ls -a cut)"
finish
