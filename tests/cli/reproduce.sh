#!/usr/bin/env bash
# reproduce: verdicts, documents, exit codes.
. "$(dirname "$0")/lib.bash" "$@"

# rows FILE PYTHON-EXPRESSION: true for the claims `c` of a document (a list of rows).
rows() {
    python3 -c 'import json, sys
c = json.load(open(sys.argv[1]))["cells"]
by = {r["id"]: r for r in c}
sys.exit(not eval(sys.argv[2]))' "$1" "$2" || fail "$2 in $1"
}

# ---- abloom's tables: every cell to the printed digit, all of it arithmetic ----
tables='abloom.t?.*' n_cells=142
[ ${#command[@]} = 1 ] || tables='abloom.t1.1.*' n_cells=5 # under an emulator
fb reproduce "$tables" --quick -o tables >table 2>stderr || fail "tables: $(cat stderr)"
rows tables "len(c) == $n_cells and all(r['verdict'] == 'reproduced' for r in c)"
rows tables 'all(r["model"] == "computed" for r in c)'
grep -q "^$n_cells of $n_cells computed claims hold here, 0 do not, and 0 are undecided\.$" table || fail "the card: $(cat table)"
[ $n_cells -le 24 ] || { grep -q "^--verbose shows $n_cells more claims: " table && ! grep -q '^ *abloom' table; } || fail "claims that hold: $(cat table)"
fb show tables --verbose 2>/dev/null | grep -q '^ *abloom.t1.1' || fail "--verbose shows no claims"
rows tables 'all("%.*f" % (len(r["printed"].split(".")[1]), r[k]) == r["printed"].lstrip("+") for r in c for k in ("theory", "measured"))'

# ---- other families; two threads count as one does ----
for threads in 1 2; do
    fb reproduce 'nori.k.*' 'nori.pos.*' 'nori.fmt.*' 'ldbrdb.cmp.*' 'ldbrdb.fn.zero' \
        'course.fpr.5bpk' 'fjall.share.version' --quick --threads $threads -o "out.$threads" \
        >"table.$threads" 2>stderr || fail "families: $(cat stderr)"
    rows "out.$threads" 'by["nori.k.code.12bpk"]["measured"] == 9 and by["nori.k.code.12bpk"]["verdict"] == "not reproduced" and "9" in by["nori.k.code.12bpk"]["why"]'
    rows "out.$threads" 'by["nori.pos.0"]["theory"] == by["nori.pos.0"]["measured"] == 55648'
    rows "out.$threads" 'by["ldbrdb.cmp.rocks_lastbyte"]["measured"] == 0'
    rows "out.$threads" 'by["fjall.share.version"]["verdict"] == "documentary" and by["fjall.share.version"]["source"]'
    rows "out.$threads" 'by["course.fpr.5bpk"]["interval"]["low"] < 9.195 < by["course.fpr.5bpk"]["interval"]["high"]'
    check "validate" -- fb validate "out.$threads" >/dev/null
done
python3 -c 'import json
a, b = (json.load(open(f"out.{t}"))["cells"] for t in "12")
assert a == b' || fail "claims differ with the number of threads"
cmp -s table.1 table.2 || fail "tables differ with the number of threads"
grep -q '^root seed [0-9a-f]\{16\}$' table.1 || fail "the root seed is not printed"
grep -q '^! nori.k.code.12bpk' table.1 || fail "a claim that does not hold is not marked"
fb reproduce 'course.fpr.5bpk' --quick --seed 1 -o other >/dev/null || fail "another root"
rows other 'by["course.fpr.5bpk"]["events"] > 0'
cmp -s other out.1 && fail "the root seed changes nothing"

# ---- a time's interval is of another level, a short simulation is marked: in every form ----
if [ ${#command[@]} = 1 ]; then
    fb reproduce nori.check.and nori.hash.ratio_murmur fjall.dh.effective \
        fjall.share.faster fjall.share.longkeys --quick -o marks >table 2>&1 ||
        fail "marks"
    grep -q '^. nori.check.and .*\] 95 % ' table || fail "no level of nanoseconds: $(cat table)"
    grep -q '^. nori.hash.ratio_murmur .*\] 99 % ' table || fail "no level of a ratio: $(cat table)"
    grep -q '^. fjall.share.faster .*\] 99 % ' table || fail "no level of a walk's ratio: $(cat table)"
    grep -q '^. fjall.share.longkeys .*\] 99 % ' table || fail "no level of a walk's time: $(cat table)"
    grep -q '^. fjall.dh.effective .* ~0\.9' table || fail "a rough theory is not marked: $(cat table)"
    grep -q '^. nori.hash.ratio_murmur .*\] 99 % \*' table || fail "few processes are not marked: $(cat table)"
    grep -q '\*: fewer than 16 processes' table || fail "the mark is not explained: $(cat table)"
    rows marks 'all(by[i]["processes"] == 8 and by[i]["independent"] and by[i]["clock"] for i in ("nori.check.and", "nori.hash.ratio_murmur"))'
    rows marks '"processes" not in by["fjall.dh.effective"]'
    check "validate marks" -- fb validate marks >/dev/null
    fb export marks --to md >md
    grep -q '^|.* nori.hash.ratio_murmur .*\] 99 % \*.*|' md || fail "no level in Markdown: $(cat md)"
    grep -q '^|.* fjall.dh.effective .* ~0\.9.* |' md || fail "no mark in Markdown: $(cat md)"
fi

# ---- another ledger, by its name ----
fb reproduce --ledger beyond 'sbbf.impala.5*' --quick -o beyond.json >printed || fail "--ledger beyond: $(cat printed)"
grep -q '^! sbbf.impala.5bits_10pct .*not reproduced' printed || fail "--ledger beyond: $(cat printed)"
python3 -c 'import json; assert json.load(open("beyond.json"))["experiment"]["ledger"] == "beyond"' || fail "a ledger without its name"
fb validate beyond.json >/dev/null 2>stderr || fail "a document of another ledger: $(cat stderr)"
fb show beyond.json | grep -q '^! sbbf.impala.5bits_10pct ' || fail "a table of another ledger"
refuses 2 "'sbbf.impala.5bits_10pct' stands in the ledger 'beyond', not in 'documents'" reproduce sbbf.impala.5bits_10pct
refuses 2 "there is no ledger 'beyont', did you mean 'beyond'\? \(give one of documents, beyond\)" reproduce --ledger beyont

# ---- a finding of ours is no claim, and an unread source is named ----
fb reproduce ldbrdb.ldb.third_values nori.k.10 -o finding.json >printed || fail "a finding: $(cat printed)"
rows finding.json 'by["ldbrdb.ldb.third_values"]["verdict"] == "finding" and by["ldbrdb.ldb.third_values"]["claimed"] is None'
grep -q '^    Ours: Over all hashes' printed || fail "a finding quotes somebody: $(cat printed)"
grep -q '^1 of 1 [a-z]* claim holds here' printed || fail "a finding is counted as a claim: $(cat printed)"
fb reproduce --ledger beyond cuckoo.bits.semisort -o unread.json >printed || fail "unread"
rows unread.json 'c[0]["unread"] is True'
grep -q '^    Nobody here has read the source' printed || fail "an unread source is not named: $(cat printed)"

# ---- pending rows are said to wait ----
fb reproduce --ledger beyond 'cuckoo.table.blocked13' --format json >pending || fail "pending rows"
rows pending 'all(r["model"] == r["verdict"] == "pending" and r["needs"] and r["theory"] is None for r in c)'

# ---- a ledger whose model is wrong: exit 5, and the claim's verdict is another matter ----
mkdir -p data/results
cp -r "$source_folder/results/claims" data/results/
sed -i 's/"rule": "ceil 0.693 b"/"rule": "floor 0.69 b"/' data/results/claims/nori.json
FILTERBENCH_DATA=$PWD/data fb reproduce nori.k.10 --format json >wrong 2>/dev/null
[ $? = 5 ] || fail "a failed model is not exit code 5"
rows wrong 'c[0]["model"] == "failed" and c[0]["verdict"] == "reproduced" and "model" in c[0]["why"]'

# ---- an id that left the ledger says why ----
python3 - <<'PYTHON'
import json
path = "data/results/claims/nori.json"
document = json.load(open(path))
document["retired"] = [{"id": "nori.k.old", "left": "it meant two things; see nori.k.10"}]
json.dump(document, open(path, "w"))
PYTHON
FILTERBENCH_DATA=$PWD/data refuses 2 "'nori.k.old' is no longer in the ledger: it meant two things; see nori.k.10" reproduce nori.k.old
FILTERBENCH_DATA=$PWD/data fb list claims >listed || fail "list claims"
grep -q '^nori.k.old .*nori .*retired .*it meant two things' listed || fail "a retired id is not listed: $(grep nori.k listed)"

# ---- a sentence that no row tests has its reason; a finding of ours claims no number ----
spoil() {
    python3 - "$1" <<'PYTHON'
import json, sys
path = "data/results/claims/nori.json"
document = json.load(open(path))
kept = json.dumps(document)
exec(sys.argv[1])
json.dump(document, open(path, "w"))
open("kept", "w").write(kept)
PYTHON
}
spoil 'document["unclaimed"] = [{"says": "It is fast."}]'
FILTERBENCH_DATA=$PWD/data refuses 2 'nori.json: an unclaimed sentence needs says and why' reproduce nori.k.10
cp kept data/results/claims/nori.json
spoil 'document["claims"][0]["finding"] = True'
FILTERBENCH_DATA=$PWD/data refuses 2 'a finding of ours claims no number' reproduce nori.k.10
cp kept data/results/claims/nori.json

# ---- bad input ----
refuses 2 "no claim matches 'nori.k.11'.*did you mean 'nori.k.10'" reproduce nori.k.11
refuses 2 'exclude' reproduce --quick --full
refuses 2 'threads' reproduce --threads 0
fb reproduce nori.k.10 -o /dev/full >printed 2>stderr
[ $? = 74 ] && grep -q 'No space' stderr && grep -q nori.k.10 printed || fail "-o /dev/full: $(cat stderr)"
sed -i '0,/"document"/s//"dokument"/; 0,/"id": "nori.hash/s//"id_": "nori.hash/' data/results/claims/nori.json
FILTERBENCH_DATA=$PWD/data refuses 2 'nori.json: claim 0' reproduce nori.k.10
rm data/results/claims/nori.json
FILTERBENCH_DATA=$PWD/data refuses 2 'nori.json' reproduce nori.k.10

# ---- Ctrl-C: exit 130, nothing left ----
python3 - "${command[@]}" <<'PYTHON' || fail "Ctrl-C"
import glob, signal, subprocess, sys, time
# Its output is there unfinished from the start; the full run would take minutes.
process = subprocess.Popen([*sys.argv[1:], "reproduce", "fjall.ex2.fpr", "--full", "-o", "late"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
while not glob.glob("late.tmp-*"):
    assert process.poll() is None, process.stderr.read()
    time.sleep(0.01)
time.sleep(0.1)
process.send_signal(signal.SIGINT)
out, message = process.communicate(timeout=100)
assert process.returncode == 130, (process.returncode, message)
assert not out and not glob.glob("late*"), glob.glob("late*")
assert message.decode().splitlines()[-1] == "filterbench: reproduce: interrupted; nothing written", message
PYTHON
finish
