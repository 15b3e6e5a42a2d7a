# ab: two revisions of the designs: what is refused, and what a short run says. Exact facts: ab_facts.sh.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder
plugins=$(dirname "$executable")/tests/plugins
base=$plugins/revision_same.so
cp "$base" copy.so
export XDG_CACHE_HOME=$PWD/cache # nobody's profile
# Few processes and rounds: what is asked here is what is said, not what is found.
short=(--set first=2 --set second=8 --set rounds=3 --set plain=2 --set 'footprints=["L1"]' --set operations=batch --set designs=sbbf-256)

# ---- Refused ----
refuses 2 'give two plugins, BASE.so and HEAD.so' ab "$base"
refuses 7 'none.so: No such file' ab "$base" none.so
refuses 7 'wrong_magic.so: its fb_plugin_v1 does not start' ab "$base" "$plugins/wrong_magic.so"
refuses 4 'wrong_major.so: its interface is 2.2' ab "$base" "$plugins/wrong_major.so"
refuses 2 "no preset 'nothing'" ab "$base" copy.so nothing
refuses 2 "fpr-smoke: an experiment of kind fpr; give one of kind ab" ab "$base" copy.so fpr-smoke
refuses 2 "delta: '7' is not a number from" ab "$base" copy.so --delta 7
refuses 2 "designs: no design 'leveldb' in BASE" ab "$base" copy.so --set designs=leveldb
refuses 2 "designs: no design 'nori' in HEAD" ab "$base" "$plugins/revision_missing.so" --set designs=nori
mkdir empty
refuses 7 'plugin empty: a folder of links has a plain.so' ab "$base" empty
echo '{"kind": "ab"}' >one.json
refuses 2 'it compares two plugins: filterbench ab BASE HEAD' run ./one.json
echo '{"kind": "ab", "designs": ["nori", "sbbf-256"], "operations": ["chain"]}' >two.json
fb ab "$base" copy.so ./two.json --dry-run >plan || fail "--dry-run"
[ "$(grep -c '/chain' plan)" = 6 ] && grep -q '^nori/L2/chain' plan || fail "plan: $(cat plan)"
# All designs that both have, one footprint of each operation before the others.
fb ab "$base" copy.so --dry-run >plan || fail "--dry-run"
grep -q '^nori/L2/batch' plan && grep -q '^sbbf-256/DRAM/batch' plan && grep -q '^nori/L3/batch' plan && ! grep -q '/L3/insert' plan || fail "plan: $(cat plan)"
[ "$(sed -n '2,3p' plan | cut -d/ -f2,3 | cut -d' ' -f1 | sort -u)" = L2/batch ] || fail "order: $(cat plan)"

# ---- Times: a document that holds together, and a code that says what it says ----
# run NAME CODES ARGUMENTS...: the exit code is one of these.
runs() {
    local name=$1 codes=$2 got=0
    shift 2
    fb ab "$@" -o "$name.json" >"$name.table" 2>stderr </dev/null || got=$?
    grep -qw "$got" <<<"$codes" || fail "$name: exit code $got, not $codes: $(cat stderr)"
    fb validate "$name.json" >valid || fail "validate $name"
}
runs same "0 1 3 6" "$base" copy.so --strict "${short[@]}"
grep -Eq '^exact facts: [0-9]+ cells of the designs equal, 0 differ, 0 new$' same.table || fail "$(cat same.table)"
grep -q '^machine: uncalibrated$' same.table && grep -q "^rule: delta 3 %, alpha 1 %$" same.table || fail "$(cat same.table)"
grep -Eq '^90 % of slowdowns this large are found: L1 [0-9.]+ %\.$' same.table || fail "$(cat same.table)"
grep -q '^tuning: that of each revision$' same.table || fail "tuning: $(cat same.table)"
! grep -q "FB_TUNING" same.table || fail "tuning: $(cat same.table)"
FB_TUNING=amd-zen-4 runs tuned "0 1 3 6" "$base" copy.so "${short[@]}"
grep -q '^tuning: amd-zen-4$' tuned.table || fail "tuning: $(cat tuned.table)"
for side in BASE HEAD; do # they say no .tune
    grep -q "$side does not take the tuning of FB_TUNING" tuned.table || fail "$side: $(cat tuned.table)"
done
grep -q 'no profile of this machine; `filterbench calibrate` makes one' same.table || fail "$(cat same.table)"
grep -q 'warning: each side has one link' same.table || fail "one link: $(cat same.table)"
runs percent "0 1 3 6" "$base" copy.so --strict --delta 5% "${short[@]}"
grep -q "^rule: delta 5 %, alpha 1 %$" percent.table || fail "--delta 5%: $(cat percent.table)"
got=0
fb ab "$base" copy.so --set operations=remove >left.table 2>stderr || got=$?
[ "$got" = 6 ] && grep -q 'nothing was timed: every cell is left out' stderr || fail "nothing timed: $got, $(cat stderr)"
# Exact facts alone.
check "--exact" -- fb ab "$base" copy.so --exact -o exact.json >exact.table
grep -q '^Nothing was timed\. HEAD has the exact facts of BASE, in 6 cells\.$' exact.table && fb validate exact.json >valid || fail "--exact: $(cat exact.table)"
# A budget that has no time for half of the cells: they are named, and a strict run cannot tell.
runs budget "3 6" "$base" copy.so --strict --budget 1ms "${short[@]}" --set rounds=1000 --set 'designs=["sbbf-256","nori"]'
python3 - <<'PYTHON' || fail "budget: $(cat budget.table stderr)"
import json
budget = json.load(open("budget.json"))
assert not budget["cells"] and budget["verdict"] is None and len(budget["skipped"]) == 2, budget["verdict"]
PYTHON
grep -q 'there is no time for it in the budget of 0.001 s' budget.table || fail "left out: $(cat budget.table)"
# Eight times the work is found, however busy the machine is.
slow=("${short[@]}" --set first=4 --set rounds=9 --set second=16)
runs slow "1" "$base" "$plugins/revision_slow.so" "${slow[@]}"
grep -Eq 'ab: HEAD is slower in 1 of 1 cells, first sbbf-256/L1/batch: \+[0-9.]+ % \(BASE takes [0-9.]+ ns\)$' \
    stderr || fail "slow: $(cat stderr)"
grep -Eq '^sbbf-256/L1/batch .* 16 +slower$' slow.table || fail "slow: $(cat slow.table)"
grep -q '^HEAD is slower in 1 of 1 cell\.$' slow.table || fail "slow: $(cat slow.table)"
json "document on stdout" -- fb ab "$base" copy.so "${short[@]}" --format json
fb export slow.json --to csv | grep -q '^id,.*change.verdict' || fail "csv"
fb export slow.json --to md | grep -q '^| sbbf-256/L1/batch |' || fail "md"
check "its exact facts" -- fb compare slow.json slow.json >table

# ---- Folders of links: each process loads its own, base and its control others ----
for side in base head; do
    mkdir $side
    for link in plain 000 001 002; do cp "$base" $side/$link.so; done
done
cp "$plugins/revision_slow.so" head/001.so # of head, the second link alone is slower; of base, the third
cp "$plugins/revision_slow.so" base/002.so
runs links "0 1 3 6" base head "${short[@]}" --set first=6 --set again=all --set rounds=9
! grep -q 'each side has one link' links.table || fail "links: $(cat links.table)"
python3 - <<'PYTHON' || fail "documents"
import json, math
links = json.load(open("links.json"))
assert links["links"] and [p["path"] for p in links["run"]["plugins"]] == ["base", "head", "base", "base"]
(cell,) = links["cells"]
assert len(links["controls"]) == 1 and links["controls"][0]["id"] == cell["id"]
# Other work does not count in processor time; 2.5 lies in the middle between equal and eight times the work.
median = lambda side, p: sorted(side["samples_cpu_ns"][p])[4]
# Processes 0 to 5 of the first set have links 0 1 2 0 1 2; those of the second go on with 0 1 2 ... Plain ones are equal.
ratio = [median(cell["head"], p) / median(cell["base"], p) for p in range(6)]
assert min(ratio[1], ratio[4]) > 2.5 > max(ratio[p] for p in (0, 2, 3, 5)), ratio
again = [median(cell["again"]["head"], p) / median(cell["again"]["base"], p) for p in range(8)]
assert [r > 2.5 for r in again] == [p % 3 == 1 for p in range(8)], again
# The control has links of base that the cell does not run in that process: one and two further on.
(control,) = links["controls"]
moved = [median(control["head"], p) / median(control["base"], p) for p in range(8)]
assert [(r > 2.5, r < 1 / 2.5) for r in moved] == [(p % 3 == 0, p % 3 == 1) for p in range(8)], moved
slow = json.load(open("slow.json"))
assert [(p["prefix"], p["name"]) for p in slow["run"]["plugins"]] == [(side, "revision") for side in ("base", "head", "same", "twin")]
(cell,) = slow["cells"]
change = cell["change"]
assert change["ratio"] > 2 and change["verdict"] == "slower" and change["p"] == 2.0**-16 and change["gate"] == 0.1
assert len(cell["base"]["samples_ns"]) == 4 and len(cell["again"]["base"]["samples_ns"]) == 16
assert slow["exact"]["base"] == slow["exact"]["head"]
same = json.load(open("same.json"))
assert same["cells"][0]["kernels"] == {"base": "scalar-branch-free", "head": "scalar-branch-free"}
def write(name, change):
    document = json.load(open("slow.json"))
    change(document, document["cells"][0])
    json.dump(document, open(name + ".json", "w"))
write("verdict", lambda d, c: c["change"].update(verdict="none seen"))
write("whole", lambda d, c: d["verdict"].update(slower=0))
write("sample", lambda d, c: [
    c["again"]["head"][clock][3].__setitem__(0, 1.0) for clock in ("samples_ns", "samples_cpu_ns")])
write("facts", lambda d, c: d["exact"]["head"]["cells"][1].update(id="another"))
write("place", lambda d, c: c.update(footprint="L2"))
write("control", lambda d, c: d["controls"][0]["change"].update(moved=not d["controls"][0]["change"]["moved"]))
PYTHON
refuses 5 'sbbf-256/L1/batch: change.verdict is not what the facts give' validate verdict.json
refuses 5 'verdict.slower is not what the facts give' validate whole.json
refuses 5 'sbbf-256/L1/batch: .* is not what the facts give' validate sample.json
refuses 5 'exact.* is not what the facts give' validate facts.json
refuses 5 'footprint: its id says L1' validate place.json
refuses 5 'controls.*moved is not what the facts give' validate control.json

# ---- A machine's profile: made by calibrate, gone on with, and judged by ----
[ ${#command[@]} = 1 ] || finish # an emulator cannot be started anew
profile=cache/filterbench/machine-*.json
mkdir plants
for plant in designs batch_40 batch_160 each_1 insert_160 some_160 chunk_8; do ln -s "$PWD/base" plants/$plant; done
check "calibrate" -- fb calibrate plants --comparisons 1 --slower 0 --format json >first.report
check "once more" -- fb calibrate plants --comparisons 1 --slower 0 >second
grep -Eq '^equal designs: 1 comparisons of [48] cells, [01] false alarms \(at most ' second || fail "calibrate: $(cat second)"
grep -q 'too few comparisons' second || fail "calibrate: $(cat second)"
runs begun "0 1 6" "$base" copy.so "${short[@]}"
grep -Eq 'its profile has [48] of 1200 cells' begun.table || fail "begun: $(cat begun.table)"
exec 8>$(ls $profile).lock && flock 8
refuses 2 'another calibrate is at it' calibrate
exec 8>&-
check "nothing to do" -- fb calibrate --comparisons 2 --slower 0 --dry-run >third
cmp -s second third || fail "not the same: $(cat third)"
python3 - $profile <<'PYTHON' || fail "profiles"
import json, sys
profile = json.load(open(sys.argv[1]))
(row,) = profile["comparisons"]
assert row["links"] and row["plant"] == "" and set(row["seen"]) == {"L1", "L2"}, row
def write(name, **other):
    json.dump({**profile, **other}, open(name + ".json", "w"))
def seen(largest, q):
    return {**row, "exit": 0, "seen": {"L1": {"cells": 100, "largest": largest, "q": q, "low": 1, "high": 1}}}
write("quiet", comparisons=[seen(0.004, 3)] * 20)
write("loud", comparisons=[seen(0.004, 3)] * 19 + [seen(0.08, 6)])
write("one", comparisons=[{**seen(0.04, 3), "links": False}] * 20)
write("other", key="0123456789abcdef")
write("nothing", comparisons=[seen(-1, 0)])
plant = lambda found: {**row, "exit": 1, "plant": "batch_40", "cells": {"sbbf-256/L1/batch": {"ratio": 1.05, "found": found}}}
write("power", comparisons=[seen(0.004, 3)] * 20 + [plant(True), plant(True), plant(False)])
PYTHON
refuses 2 'none.json: there is no such file' ab "$base" copy.so --profile none.json
refuses 2 'nothing.json: no machine profile' ab "$base" copy.so --profile nothing.json
refuses 2 'same.json: no machine profile' ab "$base" copy.so --profile same.json
refuses 4 'other.json: the profile of another machine' ab "$base" copy.so --profile other.json
refuses 4 'other.json: the profile of another machine' calibrate -o other.json --dry-run
# gate PROFILE GATE BASE HEAD: what the cell is judged by.
gate() {
    runs gate "0 1 3 6" "$3" "$4" --profile "$1.json" "${short[@]}"
    python3 -c 'import json, sys; gate = json.load(open("gate.json"))["cells"][0]["change"]["gate"]
assert abs(gate - float(sys.argv[1])) < 1e-9, gate' "$2" || fail "gate of $1"
    ! grep -q uncalibrated gate.table || fail "$1: $(cat gate.table)"
}
gate quiet 0.02 base head
gate loud 0.1 base head
gate one 0.05 "$base" copy.so
gate quiet 0.1 "$base" copy.so # nobody measured one link a side
runs fine "0 1 3 6" base head --profile power.json "${short[@]}"
grep -q '^machine: 0 of 20 comparisons of equal designs were false alarms (at most 13.9 %, 95 % sure); 5 % slower was found in 2 of 3$' fine.table ||
    fail "power: $(cat fine.table)"
fb calibrate -o power.json --dry-run >power.report
grep -Eq '^batch_40 +sbbf-256/L1/batch +\+5.0 % +2 of 3$' power.report || fail "power: $(cat power.report)"
python3 - <<'PYTHON' || fail "calibrations"
import json
fine = json.load(open("gate.json"))
fine["calibration"]["one_link_floors"]["L1"] = 0.2
json.dump(fine, open("floor.json", "w"))
fine["calibration"] = "good"
json.dump(fine, open("text.json", "w"))
PYTHON
refuses 5 'change\.[a-z_]+ is not what the facts give' validate floor.json
refuses 5 'calibration: it is not an object' validate text.json
refuses 2 'comparisons' calibrate --comparisons x
finish
