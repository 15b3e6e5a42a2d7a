# Ctrl-C, a hang-up and a closed pipe: the right status, what was finished kept, no other file left.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
mkfifo pipe

python3 - "${command[@]}" <<'PYTHON' || fail "interrupted build"
import glob, os, signal, subprocess, sys, time

def build():
    """A build that waits for more keys with its output file open."""
    process = subprocess.Popen([*sys.argv[1:], "build", "--design", "nori", "--bits-per-key", "10",
                                "--keys", "pipe", "-o", "out"], stderr=subprocess.PIPE)
    feed = open("pipe", "w")
    feed.write("key\n")
    feed.flush()
    while not glob.glob("out.tmp-*"):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    return process, feed

for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGHUP, -1)):
    process, feed = build()
    process.send_signal(number)
    _, message = process.communicate(timeout=60)
    feed.close()
    assert process.returncode == status, (process.returncode, message)
    assert not glob.glob("out*"), glob.glob("out*")

process, feed = build()
feed.close()
assert process.wait(60) == 0 and os.path.exists("out") and not glob.glob("out.tmp-*")
PYTHON

seq 100000 >keys
fb build -d leveldb -b 10 -k keys -o block 2>/dev/null
{ fb query -d leveldb --block block -k keys 2>stderr; echo $? >status; } | head -1 >/dev/null
# 141: ended by SIGPIPE; 74 where the shell's parent made everyone ignore it.
grep -Eqx '141|74' status || fail "a closed pipe gave status $(cat status)"
! grep -q . <(grep -v '^leveldb: ' stderr) || [ "$(cat status)" = 74 ] || fail "noise: $(cat stderr)"
# ---- Runs: the finished cells in FILE.partial and on stdout, exit 130 ----
cat >interrupted.py <<'PYTHON'
"""interrupted(): a program that gets a signal once it has finished something, and what is then there."""
import glob, os, signal, subprocess, time
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

def interrupted(number, command, wait, group=False, **more):
    """Exit code, stdout, stderr."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True, **more)
    time.sleep(wait)
    (os.killpg if group else os.kill)(process.pid, number)
    out, message = process.communicate(timeout=120)
    return process.returncode, out.decode(), message.decode()

def kept(number, command, path, **more):
    """The same of a program that has kept something at `path`: it may need more time for that."""
    for wait in (0.3, 1, 3, 9, 27):
        found = interrupted(number, command, wait, **more)
        assert found[0] == 130, found
        if os.path.exists(path):
            return found
        assert "nothing written" in found[2] and not found[1], found
    raise AssertionError(f"nothing at {path}: {found}")
PYTHON
python3 - "${command[@]}" <<'PYTHON' || fail "interrupted runs"
import glob, json, os, re, signal, subprocess, sys, time
sys.path.insert(0, ".")
from interrupted import *
fb = sys.argv[1:]
# The first cell takes milliseconds, the second would take minutes.
def run(sizes, *more):
    return [*fb, "run", "fpr-smoke", "-d", "nori", "-b", "10", "--set", "fpr=[]", "--set", "keys=random",
            "-n", sizes, "--filters", "2000", "--probes", "1000", "--precision", "0", *more]
for number in SIGNALS:
    code, out, message = kept(number, run("100,1000000", "-o", "long"), "long.partial")
    assert "the cells so far are in long.partial" in message, message
    assert [line for line in out.splitlines() if line.startswith("nori")], out
    assert out.startswith("INCOMPLETE: "), out
    document = json.load(open("long.partial"))
    assert document["run"]["complete"] is False and len(document["cells"]) == 1
    valid = subprocess.run([*fb, "validate", "long.partial"], capture_output=True)
    assert b"did not finish" in valid.stdout, valid
    assert "run it again with --resume to continue" in message, message
    os.unlink("long.partial")
    os.unlink("long.journal")
    assert not glob.glob("long*"), glob.glob("long*")

# advise in its last part: no answer from half of the counts, and it says so first.
ask = [*fb, "advise", "-n", "100k", "-d", "nori,sbbf-256", "-b", "10", "--budget", "0.1", "--queries", "10G", "-o", "ask"]
for wait in (4, 30):
    code, out, message = interrupted(signal.SIGINT, ask, wait)
    found = os.path.exists("ask.partial") and json.load(open("ask.partial"))["parts"]
    for left in glob.glob("ask*"):
        os.unlink(left)
    if found and "final" in found:
        break
assert found and "final" in found and code == 130, (code, message)
assert out.startswith("INCOMPLETE: ") and "Use " not in out, (out, message)

# In the middle of a step that never ends: it ends all the same, and keeps the journal.
stuck = os.path.join(os.path.dirname(fb[-1]), "tests", "plugins", "wrong_stuck.so")
command = run("100", "--plugin", stuck, "-d", "nori,yes", "-o", "stuck")
for number, ended in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130), (signal.SIGINT, "130"),
                      (signal.SIGTERM, "-15")) if os.path.exists(stuck) and len(fb) == 1 else ():
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr.readline() == b"stuck\n"
    process.send_signal(number)
    if isinstance(ended, str): # a second one ends it at once
        time.sleep(0.1)
        process.send_signal(number)
    try:
        out, message = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == int(ended), (process.returncode, message)
    assert message.endswith(b"filterbench: stuck: interrupted; run it again with --resume to continue\n"), message
    assert len(open("stuck.journal").readlines()) == 3 # of which the third is what was finished
    assert glob.glob("stuck*") == ["stuck.journal"], glob.glob("stuck*")
    os.unlink("stuck.journal")

# Before the first cell nothing is said to be kept.
code, out, message = interrupted(signal.SIGINT, run("1000000", "-o", "long"), 0.3)
assert code == 130 and not out and not glob.glob("long*"), (code, out)
assert message == "filterbench: fpr-smoke: interrupted; nothing written\n", message

# The reader of its output ends with it, as in `... | tee log`: what is finished is kept nevertheless.
command = "exec 3>&1; { %s 2>&1; echo $? >&3; } | sleep 600 >/dev/null" % " ".join(
    f"'{word}'" for word in run("100,1000000", "-o", "long"))
for wait in (1, 3, 9, 27):
    process = subprocess.Popen(["bash", "-c", "trap : INT; " + command],
                               stdout=subprocess.PIPE, start_new_session=True)
    time.sleep(wait)
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    if os.path.exists("long.partial"):
        break
assert out == b"130\n", out
assert sorted(glob.glob("long*")) == ["long.journal", "long.partial"], glob.glob("long*")

# reproduce: the claims judged so far are printed, and kept where there is a file for them.
judge = [*fb, "reproduce", "nori.k.10", "abloom.rate.sbbf512", "--full"]
for number in (signal.SIGINT, signal.SIGHUP):
    code, out, message = kept(number, [*judge, "-o", "claims"], "claims.partial")
    assert "the claims so far are in claims.partial" in message, message
    assert re.search(" (measured|computed) claims? ", out), out
    os.unlink("claims.partial")
    for left in glob.glob("claims*"):
        assert left == "claims.journal", left
        os.unlink(left)
PYTHON

# scripts/reproduce: whoever gets the signal, the step that runs keeps what it has; exit 130.
mkdir -p tree/scripts tree/build/release tree/bin
cp "$source_folder/scripts/reproduce" tree/scripts
touch tree/build/release/build.ninja
for program in scripts/setup bin/cmake; do
    printf '#!/bin/sh\n' >tree/$program
done
printf '#!/bin/sh\nexec %s "$@"\n' "${command[*]@Q}" >tree/build/release/filterbench
chmod +x tree/scripts/setup tree/bin/cmake tree/build/release/filterbench
PATH=$PWD/tree/bin:$PATH python3 - <<'PYTHON' || fail "interrupted script"
import os, re, sys
sys.path.insert(0, ".")
from interrupted import *
command = ["tree/scripts/reproduce", "nori.k.10", "abloom.rate.sbbf512", "--full"]
partial = "tree/results/runs/claims.json.partial"
for number, group in ((signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, True)):
    code, out, message = kept(number, command, partial, group=group)
    assert "the claims so far are in results/runs/claims.json.partial" in message, message
    assert message.endswith("reproduce: interrupted; finished: nothing\n"), message
    assert re.search(" (measured|computed) claims? ", out), out
    os.unlink(partial)
PYTHON
finish
