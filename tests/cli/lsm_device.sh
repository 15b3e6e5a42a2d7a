# run on trees with a measured device: the document, the folder, refusals, Ctrl-C. No clock value is
# looked at.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder
mkdir disk
small=(--ci --set keys=dec6 --set device_bytes=262144)

fb run smoke "${small[@]}" --device measured:disk --verbose -o one.json >table 2>notes ||
    fail "measured: $(cat notes)"
grep -Eq '^device: 256 reads of 4096 bytes, 0.26.* MB on disk \(.*\); page cache ' table ||
    fail "no line about the device: $(cat table)"
grep -q '^flat: .* a read takes .* us (measured)' table || fail "not in the heading"
[ -z "$(ls disk)" ] || fail "left in the folder: $(ls disk)"
fb validate one.json >/dev/null 2>stderr || fail "validate: $(cat stderr)"
fb validate one.json >/dev/null || fail "validate"
fb run smoke --ci --device measured:disk --show-experiment | grep -q 'device_bytes = 16777216' ||
    fail "the short form's file is not smaller"

# Times of single queries with reads drawn from the histogram; all histograms go to files.
fb run smoke "${small[@]}" --device measured:disk --histograms --set timed=true --set rounds=1 \
    --set min_processes=1 --set max_processes=1 --set budget=1 --set cpu=none -o timed.json \
    >/dev/null 2>notes || fail "timed: $(cat notes)"
fb export timed.json --to hgrm -o hgrm 2>/dev/null || fail "hgrm"
[ "$(ls hgrm | grep -c '^measured.device_read.hgrm$')" = 1 ] || fail "no file: $(ls hgrm)"

python3 - <<'PYTHON' || fail "documents"
import json
one, timed = (json.load(open(name)) for name in ("one.json", "timed.json"))
device = one["devices"][0]
about, (histogram,) = device["about"], device["histograms"]
assert device["name"] == "measured" and one["devices"][1]["name"] == "default"
assert about["path"] == "disk" and about["bytes"] <= 262144 and about["checksum_errors"] == 0
assert about["direct"] == ("direct_reason" not in about)
assert about["direct"] or any(w["code"] == "device" for w in one["warnings"])
assert sum(count for _, count in histogram["bins"]) == histogram["count"] == about["reads"] == 256
assert abs(device["read_ns"] - histogram["mean"] / 1000) < 1e-6 * device["read_ns"]
for cell in one["cells"]:
    cost = cell["costs"]["measured"]
    assert abs(cost["cost_ns"] - cell["reads"]["io"] * device["read_ns"]) < 1e-6 * cost["cost_ns"]
lookup = timed["cells"][0]["lookups"][0]
kinds = {h["kind"]: h for h in lookup["histograms"]}
assert kinds["query_total"]["max"] > timed["devices"][0]["histograms"][0]["min"]
def edited(name, change):
    copy = json.loads(json.dumps(one))
    copy.pop("content_xxh3_128", None)
    change(copy["devices"][0], copy["devices"][0]["histograms"][0])
    json.dump(copy, open(name, "w"))
edited("cost-edited.json", lambda d, h: d.update(read_ns=d["read_ns"] / 2))
edited("bins-edited.json", lambda d, h: h["bins"][0].__setitem__(1, h["bins"][0][1] + 1))
edited("mean-edited.json", lambda d, h: (d.update(read_ns=2 * d["read_ns"]), h.update(mean=2 * h["mean"])))
edited("none-edited.json", lambda d, h: d.pop("histograms"))
PYTHON
for name in cost bins mean none; do
    refuses 5 'devices(: not those of the experiment|.* is not what the facts give|.*histograms is missing|.*it breaks the rule)' validate $name-edited.json
done

refuses 74 'device: nowhere: this folder does not exist' run smoke "${small[@]}" \
    --device measured:nowhere -o none.json
refuses 74 'device: one.json: this is no folder' run smoke "${small[@]}" \
    --device measured:one.json -o none.json
if [ "$(id -u)" != 0 ]; then
    mkdir -m 500 closed
    refuses 74 'device: closed: its folder may not be written' run smoke "${small[@]}" \
        --device measured:closed -o none.json
fi
refuses 2 'device: disk: a block is a power of two' run smoke "${small[@]}" --device measured:disk \
    --set block_bytes=5000 -o none.json
refuses 2 'measured:FOLDER' run smoke --device measured: -o none.json

# Ctrl-C while the file is written: it has no name, and is open in the process alone.
python3 - "${command[@]}" <<'PYTHON' || fail "interrupted"
import glob, os, signal, subprocess, sys, time

process = subprocess.Popen([*sys.argv[1:], "run", "smoke", "--ci", "--device", "measured:disk",
                            "--set", "device_bytes=2e9", "-o", "none.json"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
def writing():
    for link in glob.glob(f"/proc/{process.pid}/fd/*"):
        try:
            if "disk/filterbench-" in os.readlink(link):
                return True
        except OSError:
            pass
while not writing():
    assert process.poll() is None, process.stderr.read()
    time.sleep(0.01)
process.send_signal(signal.SIGINT)
out, message = process.communicate(timeout=60)
assert process.returncode == 130 and not out, (process.returncode, out)
# Of a run that has not ended within 0.8 s, as on a busy machine, the last words are the signal's.
assert message in (b"filterbench: smoke: interrupted; nothing written\n",
                   b"filterbench: none.json: interrupted; run it again with --resume to continue\n"), message
PYTHON
[ -z "$(ls disk)" ] || fail "left in the folder: $(ls disk)"
absent none.json none.json.partial results
finish
