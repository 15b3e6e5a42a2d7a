# ab: two revisions of the designs: what differs exactly, what is refused, and what a short run says.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder
plugins=$(dirname "$executable")/tests/plugins
base=$plugins/revision_same.so
cp "$base" copy.so
export XDG_CACHE_HOME=$PWD/cache # nobody's profile
# Nine rounds, so that a median drops what a busy machine does to some of them.
short=(--set processes=4 --set looks=1 --set rounds=9 --set 'footprints=["L1"]')

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
echo '{"kind": "ab"}' >one.json
refuses 2 'it compares two plugins: filterbench ab BASE.so HEAD.so' run ./one.json
echo '{"kind": "ab", "designs": ["nori", "sbbf-256"], "operations": ["chain"]}' >two.json
fb ab "$base" copy.so ./two.json --dry-run >plan || fail "--dry-run"
[ "$(grep -c '/chain' plan)" = 4 ] && grep -q '^nori/L2/chain' plan || fail "plan: $(cat plan)"

# ---- Exact facts: one line that names design and fact, whatever the times ----
# differs REVISION PATTERN
differs() {
    local got=0
    fb ab "$base" "$plugins/revision_$1.so" "${short[@]}" >stdout 2>stderr || got=$?
    [ "$got" = 5 ] || fail "$1: exit code $got, not 5: $(cat stderr)"
    [ "$(wc -l <stderr)" = 1 ] || fail "$1: not one line: $(cat stderr)"
    grep -Eq "^filterbench: ab: [0-9]+ cells of exact facts $2" stderr || fail "$1: $(cat stderr)"
}
differs probes 'differ, first sbbf-256/bpk=10/n=2000: probes is 8 in BASE and 7 in HEAD$'
differs twice 'differ, first sbbf-256/.*: filter_bytes is [0-9]+ in BASE and [0-9]+ in HEAD$'
differs block 'differ, first sbbf-256/.*: block_checksum is 0x[0-9a-f]+ in BASE and 0x[0-9a-f]+ in HEAD$'
differs forgets 'differ, first sbbf-256/.*: false_negatives is 0 in BASE and 8000 in HEAD$'
differs missing 'of BASE are missing in HEAD, first nori/bpk=10/n=2000$'

# ---- Times: a document that holds together, and a code that says what it says ----
# run NAME CODES ARGUMENTS...: the exit code is one of these.
runs() {
    local name=$1 codes=$2 got=0
    shift 2
    fb ab "$@" -o "$name.json" >"$name.table" 2>stderr </dev/null || got=$?
    grep -qw "$got" <<<"$codes" || fail "$name: exit code $got, not $codes: $(cat stderr)"
    fb validate "$name.json" >valid || fail "validate $name"
}
runs same "0 3" "$base" copy.so --strict "${short[@]}" --set processes=16
grep -Eq '^exact facts: [0-9]+ cells of the designs equal, 0 differ, 0 new$' same.table || fail "$(cat same.table)"
grep -Eq '^sbbf-256/L1/batch .* (unchanged|inconclusive)' same.table || fail "$(cat same.table)"
grep -q '^machine: uncalibrated$' same.table && grep -q '; delta 5 %, alpha 1 %$' same.table ||
    fail "$(cat same.table)"
grep -q '^tuning: ' same.table || fail "no tuning: $(cat same.table)"
for side in BASE HEAD; do # they say no .tune
    grep -q "$side does not take this program's tuning" same.table || fail "$side: $(cat same.table)"
done
grep -q 'no profile of this machine; `filterbench calibrate` makes one' same.table || fail "$(cat same.table)"
runs few "0" "$base" copy.so "${short[@]}"
fb validate few.json >valid 2>stderr || fail "few: $(cat stderr)"
grep -q 'advisory' few.table || fail "few processes: $(cat few.table)"
# A millionth is below what 64 processes show on any machine.
runs fine "6" "$base" copy.so --delta 0.000001 "${short[@]}" --set processes=16
grep -q 'cannot resolve the delta of 0.0001 %' stderr || fail "resolution: $(cat stderr)"
got=0
fb ab "$base" copy.so --set operations=remove >left.table 2>stderr || got=$?
[ "$got" = 6 ] && grep -q 'nothing was timed: every cell is left out' stderr || fail "nothing timed: $got, $(cat stderr)"
# Eight times the work is found, however busy the machine is.
runs slow "1" "$base" "$plugins/revision_slow.so" "${short[@]}" --set processes=16
grep -Eq 'ab: 1 cells regressed \(confirmed\), first sbbf-256/L1/batch: .* ns in BASE and .* ns in HEAD, \+[0-9.]+ %$' \
    stderr || fail "slow: $(cat stderr)"
grep -Eq ' regressed .*confirmed by 32 fresh processes' slow.table || fail "slow: $(cat slow.table)"
json "document on stdout" -- fb ab "$base" copy.so "${short[@]}" --format json
fb validate slow.json >valid 2>stderr || fail "schema: $(cat stderr)"
fb export slow.json --to csv | grep -q '^id,.*change.verdict' || fail "csv"
fb export slow.json --to md | grep -q '^| sbbf-256/L1/batch |' || fail "md"
check "its exact facts" -- fb compare slow.json slow.json >table

python3 - <<'PYTHON' || fail "documents"
import json
slow = json.load(open("slow.json"))
assert [(p["prefix"], p["name"]) for p in slow["run"]["plugins"]] == [("base", "revision"), ("head", "revision")]
(cell,) = slow["cells"]
assert cell["change"]["ratio"] > 2 and cell["change"]["confirmed"] and cell["again"]["head"]
assert len(cell["base"]["samples_ns"]) == 16 and len(cell["again"]["base"]["samples_ns"]) == 32
assert slow["exact"]["base"] == slow["exact"]["head"] and slow["exact"]["equal"] == 4
same = json.load(open("same.json"))
assert same["cells"][0]["kernels"] == {"base": "scalar-branch-free", "head": "scalar-branch-free"}
def write(name, change):
    document = json.load(open("slow.json"))
    change(document, document["cells"][0])
    json.dump(document, open(name + ".json", "w"))
write("verdict", lambda d, c: c["change"].update(verdict="unchanged"))
write("whole", lambda d, c: d["verdict"].update(regressed=0))
write("sample", lambda d, c: [
    c["again"]["head"][clock][3].__setitem__(0, 1.0) for clock in ("samples_ns", "samples_cpu_ns")])
write("facts", lambda d, c: d["exact"]["head"]["cells"][1].update(probes=3))
write("place", lambda d, c: c.update(footprint="L2"))
PYTHON
refuses 5 'sbbf-256/L1/batch: change.verdict is not what the facts give' validate verdict.json
refuses 5 'verdict.regressed is not what the facts give' validate whole.json
refuses 5 'sbbf-256/L1/batch: .* is not what the facts give' validate sample.json
refuses 5 'exact.* is not what the facts give' validate facts.json
refuses 5 'footprint: its id says L1' validate place.json

# ---- A machine's profile: made by calibrate, gone on with, and judged by ----
[ ${#command[@]} = 1 ] || finish # an emulator cannot be started anew
profile=cache/filterbench/machine-*.json
check "calibrate" -- fb calibrate --comparisons 1 --slower 0 --format json >first.report
check "once more" -- fb calibrate --comparisons 2 --slower 0 >second
grep -Eq '^equal +2 +[01] +[0-2] +at most ' second || fail "calibrate: $(cat second)"
grep -q 'too few comparisons' second || fail "calibrate: $(cat second)"
runs begun "0" "$base" copy.so "${short[@]}"
grep -q 'its profile has 2 of 300 comparisons' begun.table || fail "begun: $(cat begun.table)"
exec 8>$(ls $profile).lock && flock 8
refuses 2 'another calibrate is at it' calibrate
exec 8>&-
check "nothing to do" -- fb calibrate --comparisons 2 --slower 0 --dry-run >third
cmp -s second third || fail "not the same: $(cat third)"
python3 - $profile <<'PYTHON' || fail "profiles"
import json, sys
profile = json.load(open(sys.argv[1]))
rows = profile["comparisons"]
assert [row["load"] for row in rows][:1] == [False] and len(rows) == 2, rows
assert all(row["exit"] in (0, 1, 3, 6) and set(row["ratios"]) == {"L1", "L2"} for row in rows), rows
def write(name, **other):
    json.dump({**profile, **other}, open(name + ".json", "w"))
row = {**rows[0], "exit": 0}
write("noisy", comparisons=[{**row, "ratios": {"L1": 1.08 if i % 50 == 0 else 1.001}} for i in range(300)])
write("quiet", comparisons=[{**row, "ratios": {"L1": 1.001}} for i in range(300)])
write("other", key="0123456789abcdef")
write("nothing", comparisons=[{**row, "ratios": {"L1": -1}}])
PYTHON
refuses 2 'none.json: there is no such file' ab "$base" copy.so --profile none.json
refuses 2 'nothing.json: no machine profile' ab "$base" copy.so --profile nothing.json
refuses 2 'same.json: no machine profile' ab "$base" copy.so --profile same.json
refuses 4 'other.json: the profile of another machine' ab "$base" copy.so --profile other.json
refuses 4 'other.json: the profile of another machine' calibrate -o other.json --dry-run
runs fine "0" "$base" copy.so --profile quiet.json "${short[@]}" --set processes=16
grep -q '^machine: 0 of 300 comparisons of equal designs were false alarms (at most 0.994 %, 95 % sure)$' fine.table &&
    grep -q '; delta 3 %, alpha 1 %$' fine.table || fail "fine: $(cat fine.table)"
! grep -q uncalibrated fine.table || fail "fine: $(cat fine.table)"
runs loud "0" "$base" copy.so --profile noisy.json "${short[@]}" --set processes=16
grep -q '; delta 8 %, alpha 1 %$' loud.table || fail "loud: $(cat loud.table)"
runs asked "6" "$base" copy.so --profile noisy.json --delta 0.04 "${short[@]}" --set processes=16
grep -q 'of equal designs it has shown changes of 8 % in L1' stderr || fail "floor: $(cat stderr)"
grep -q 'smaller changes than 8 % are not told' loud.table || fail "floor: $(cat loud.table)"
python3 - <<'PYTHON' || fail "calibrations"
import json
fine = json.load(open("loud.json"))
fine["calibration"]["floors"]["L1"] = 0.001
json.dump(fine, open("floor.json", "w"))
fine["calibration"] = "good"
json.dump(fine, open("text.json", "w"))
PYTHON
refuses 5 'change\.[a-z_]+ is not what the facts give' validate floor.json
refuses 5 'calibration: it is not an object' validate text.json
refuses 2 'comparisons' calibrate --comparisons x
finish
