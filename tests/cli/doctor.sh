# doctor: every part is there, and nothing unknown without its reason. No measured value is looked at.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

check "doctor" -- fb doctor --budget 0.1 --format json >measured
check "no budget" -- fb doctor --budget 0 --format json >unmeasured
FB_DISABLE_ISA=all check "masked" -- fb doctor --budget 0 --format json >masked
check "table" -- fb doctor --budget 0 >table
python3 - <<'PYTHON' || fail "doctor --format json"
import json

def explained(value, path=""):
    for name, member in value.items() if isinstance(value, dict) else enumerate(value):
        where = f"{path}.{name}"
        if member is None:
            assert value.get(f"{name}_reason"), where
        elif isinstance(member, (dict, list)):
            explained(member, where)

measured, unmeasured, masked = (json.load(open(n)) for n in ("measured", "unmeasured", "masked"))
for document in measured, unmeasured, masked:
    assert list(document)[:3] == ["timer", "noise", "machine"]
    explained(document)
pairs = measured["resolution"]["pairs"]
assert [p["footprint"] for p in pairs] == ["L1", "L3"]
for pair in pairs:
    assert pair["processes"] >= 6 and pair["half_width"] >= 0 and pair["ns"] > 0
    assert pair["resolves_ratio"] >= pair["half_width"] * 0.999, pair
assert measured["verdict"].startswith("can resolve >= ")
assert unmeasured["resolution"] is None and unmeasured["verdict"] is None
machine = unmeasured["machine"]
assert "scalar" in machine["instruction_sets"] and machine["masked_by_FB_DISABLE_ISA"] == []
assert masked["machine"]["instruction_sets"] == machine["instruction_sets"]
assert masked["machine"]["masked_by_FB_DISABLE_ISA"] == machine["instruction_sets"][1:]
assert machine["caches_bytes"] is None or machine["caches_bytes"]["l1d"] > 0
for line in open("table"):
    assert " null" not in line and "_reason" not in line, line
assert "unknown: --budget 0" in open("table").read()
PYTHON

# Ctrl-C says so.
python3 - "${command[@]}" <<'PYTHON' || fail "Ctrl-C"
import signal, subprocess, sys, time
process = subprocess.Popen([*sys.argv[1:], "doctor", "--budget", "600"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
time.sleep(1) # it polls from the start and would go on for ten minutes
process.send_signal(signal.SIGINT)
out, message = process.communicate(timeout=100)
assert process.returncode == 130, (process.returncode, message)
assert not out and message == b"filterbench: doctor: interrupted; nothing written\n", message
PYTHON
# The self-check: every part right, whatever the instruction sets.
check "self-check" -- fb doctor --check >parts
FB_DISABLE_ISA=all check "self-check, scalar" -- fb doctor --check >scalar_parts
cmp parts scalar_parts || fail "answers of the self-check depend on the instruction set"
grep -q '^hash xxh64  *0x[0-9a-f]*  *right' parts || fail "no hash: $(head -3 parts)"
[ "$(grep -c ' right ' parts)" = $(($(wc -l <parts) - 1)) ] || fail "a part is not right: $(grep -v right parts)"
refuses 2 '^filterbench: --budget: ' doctor --budget -1
refuses 2 'unexpected operand' doctor now
finish
