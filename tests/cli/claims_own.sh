# Ledgers of the user's own: an example, faults of which each gets one line, a run that was cut off, and verdicts that are
# drawn again from the result alone.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

fb reproduce --new-ledger ex.json 2>log || fail "--new-ledger: $(cat log)"
refuses 2 "ex.json: it is there already" reproduce --new-ledger ex.json
fb reproduce --ledger ex.json --quick -o ex.result >table 2>log || fail "the example: $(cat log)"
[ "$(grep -Ec '^[!? ] post\.' table)" = 5 ] || fail "not five rows: $(cat table)"
check "the example is valid" -- fb validate ex.result >/dev/null
sed 's/"take": "fpr.estimate"/"take": "fpr.worst"/' ex.result >other.result
fb validate other.result >/dev/null 2>log && fail "another number is taken, and it is valid"
sed 's/"verdict": "not reproduced"/"verdict": "reproduced"/' ex.result >other.result
fb validate other.result >/dev/null 2>log && fail "another verdict is valid"
python3 - ex.result <<'PYTHON' || fail "an experiment of another row"
import json, sys
document = json.load(open(sys.argv[1]))
names = list(document["results"])
assert len(names) == 5, names
document["results"][names[0]], document["results"][names[1]] = document["results"][names[1]], document["results"][names[0]]
json.dump(document, open("other.result", "w"))
PYTHON
fb validate other.result >/dev/null 2>log && fail "swapped results are valid"
grep -q "another experiment" log || fail "swapped results: $(cat log)"

# Equal experiments run once; a row of one experiment over another's; largest and smallest.
cat >shared.json <<'JSON'
{"claims": [
 {"id": "a", "claim": "A.", "claimed": {"printed": "0.8", "unit": "%"},
  "measure": {"experiment": {"kind": "fpr", "designs": ["nori"], "bits_per_key": [10], "n": [10000]}, "take": "fpr.estimate", "scale": 100}},
 {"id": "b", "claim": "B.", "claimed": {"printed": "0.82", "unit": "%", "tolerance": {"half": 0.02, "whose": "ours", "why": "a test"}},
  "measure": {"experiment": {"kind": "fpr", "designs": ["nori"], "bits_per_key": [10], "n": [10000]}, "take": "fpr.estimate", "scale": 100}},
 {"id": "c", "claim": "C.", "claimed": {"value": 1, "unit": "x", "relation": ">", "tolerance": {"whose": "words"}},
  "measure": {"experiment": {"kind": "fpr", "designs": ["nori"], "bits_per_key": [8], "n": [10000], "filters": 8},
   "take": "fpr.estimate", "over": {"experiment": {"kind": "fpr", "designs": ["leveldb"], "bits_per_key": [10], "n": [10000], "filters": 8}}}},
 {"id": "d", "claim": "D.", "claimed": {"printed": "4.6", "unit": "%"},
  "measure": {"experiment": {"kind": "fpr", "designs": ["nori"], "bits_per_key": [6, 8], "n": [10000], "filters": 8}, "take": "fpr.estimate", "pick": "largest", "scale": 100}},
 {"id": "e", "claim": "E.", "claimed": {"printed": "2", "unit": "%", "relation": "<"},
  "measure": {"experiment": {"kind": "fpr", "designs": ["nori"], "bits_per_key": [6, 8], "n": [10000], "filters": 8}, "take": "fpr.estimate", "pick": "smallest", "scale": 100}}]}
JSON
fb reproduce --ledger ./shared.json -o shared.result >table 2>log || fail "shared: $(cat log)"
python3 - shared.result <<'PYTHON' || fail "rows that share experiments"
import json, sys
document = json.load(open(sys.argv[1]))
cells = {cell["id"]: cell for cell in document["cells"]}
results = document["results"]
assert sorted(results) == ["a", "c", "c/over", "d"], list(results)
def rate(part, i=0):
    counts = results[part]["cells"][i]["counts"]
    return sum(counts["events"]) / counts["filters"] / counts["probes_each"]
def near(a, b): assert abs(a - b) < 1e-9 * abs(b), (a, b)
assert cells["a"]["measured"] == cells["b"]["measured"]
near(cells["a"]["measured"], 100 * rate("a"))
near(cells["c"]["measured"], rate("c") / rate("c/over"))
near(cells["d"]["measured"], 100 * max(rate("d"), rate("d", 1)))
near(cells["e"]["measured"], 100 * min(rate("d"), rate("d", 1)))
# Counted until the interval would be clear of the limits of "b", which "a" shares.
assert results["a"]["cells"][0]["fpr"]["se"] < 0.005 * rate("a"), results["a"]["cells"][0]["fpr"]
PYTHON
fb reproduce --ledger ./shared.json -o again.result >/dev/null 2>log || fail "again"
fb compare shared.result again.result >/dev/null 2>log || fail "two runs differ: $(cat log)"

# A run that was cut off goes on: what was measured is not measured again.
for _ in 1 2 3 4 5 6; do
    timeout -s INT 1 "${command[@]}" reproduce --ledger ./shared.json -o cut.result >/dev/null 2>log --resume && break
    [ -e cut.result ] && break
done
fb reproduce --ledger ./shared.json -o cut.result --resume >/dev/null 2>log || fail "--resume: $(cat log)"
fb compare shared.result cut.result >/dev/null 2>log || fail "the run that was cut off differs: $(cat log)"

# Faults.
python3 - <<'PYTHON'
import copy, json
def row(**changes):
    return dict({"id": "a", "claim": "A sentence.", "claimed": {"printed": "0.9", "unit": "%"},
                 "measure": {"experiment": {"kind": "fpr", "designs": ["nori"], "bits_per_key": [10]},
                             "take": "fpr.estimate", "scale": 100}}, **changes)
def measure(**changes): return row(measure=dict(row()["measure"], **changes))
def claimed(**changes): return row(claimed=dict({"printed": "0.9", "unit": "%"}, **changes))
def experiment(**changes): return measure(experiment=dict(row()["measure"]["experiment"], **changes))
def without(name): return {k: v for k, v in row().items() if k != name}
faults = [
    (without("claim"), r"claims\[0\]: claim is missing"),
    (row(sentence="x"), r"claims\[0\]: sentence is no member of it; it may have id, claim"),
    (row(id=""), r"claims\[0\]\.id: '' does not look like"),
    (claimed(printed="one"), r"\(a\): claimed: printed: it is no number"),
    (claimed(relation="=="), r"claims\[0\]\.claimed\.relation: it is not one of"),
    (claimed(tolerance={"half": -1}), r"tolerance\.half: -1 is not above 0"),
    (claimed(tolerance={"half": 0.1, "about": True}), r"\(a\): claimed: tolerance: one rule, or half"),
    (claimed(value=8), r"\(a\): claimed: the printed digits and the value differ"),
    (row(claimed={"unit": "%"}), r"claimed: it breaks the rule"),
    (row(claimed={"printed": "0.9"}), r"claimed: unit is missing"),
    (measure(take="fpr.estimat"), r"\(a\): measure\.take: cells of kind fpr have no number 'fpr\.estimat'"),
    (measure(take="design"), r"\(a\): measure\.take: cells of kind fpr have no number 'design'"),
    (measure(where={"desing": "nori"}), r"\(a\): measure\.where: cells of kind fpr have no member 'desing'"),
    (measure(where={"design": ["nori"]}), r"\(a\): measure\.where\.design: give a text"),
    (measure(where={"design": "leveldb"}), r"a: measure\.where: no cell of the result is such"),
    (measure(over={"take": "fpr.nothing"}), r"\(a\): measure\.over\.take: cells of kind fpr"),
    (measure(over={"take": "counts.false_negatives"}), r"a: measure\.over: .* is 0, and nothing can be divided"),
    (measure(over={}), r"\(a\): measure\.over: say another member"),
    (measure(scale=0), r"\(a\): measure\.scale: 0 makes every number 0"),
    (measure(pick="middle"), r"measure\.pick: it is not one of"),
    (measure(scale="100"), r"measure\.scale: it is not a number"),
    (experiment(designs=["norri"]), r"\(a\): measure\.experiment: .*did you mean 'nori'"),
    (experiment(designs=["nori", "leveldb"]), r"a: measure\.where: 2 cells of the result are such"),
    (experiment(bits=3), r"\(a\): measure\.experiment: bits: unknown field"),
    (experiment(kind="fprr"), r"\(a\): measure\.experiment: kind: 'fprr' is no kind"),
    (measure(experiment={"kind": "claims"}), r"kind: claims is not measured as a part of a ledger"),
    (experiment(keys=["file"]), r"the experiment needs a file of keys; give --keys FILE"),
]
ledgers = [({"claims": [each]}, why) for each, why in faults]
ledgers += [({"claims": []}, "claims: 0 elements are fewer than 1"), ([1], "no ledger"), ({"rows": []}, "claims is missing"),
            ({"claims": [row(), row()]}, r"claims\[1\] \(a\): id: claims\[0\] has it too")]
with open("faults", "w") as file:
    for i, (ledger, why) in enumerate(ledgers):
        json.dump(ledger, open(f"fault{i}.json", "w"))
        print(f"fault{i}.json\t{why}", file=file)
PYTHON
while IFS=$'\t' read -r file why; do
    refuses 2 "$why" reproduce --ledger "$file"
done <faults
printf '{"claims": [' >torn.json
refuses 2 "torn.json: line 1: not JSON" reproduce --ledger torn.json
refuses 2 "none.json: cannot be opened" reproduce --ledger none.json
refuses 2 "no claim matches 'z'" reproduce --ledger ex.json z
fb reproduce --ledger ex.json post.size --quick 2>/dev/null | grep -qx 'Next: give -o FILE, and ask FILE with show, plot or report' ||
    fail "nothing to type next without a file"
refuses 2 "a ledger of your own is judged by one run" reproduce --ledger ex.json --shard 1/2
refuses 2 "documents, beyond" reproduce --ledger nothing
absent ex.result.partial
finish
