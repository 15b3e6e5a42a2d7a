# Ctrl-C and a closed pipe: the right status, no file left.
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

for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)):
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
finish
