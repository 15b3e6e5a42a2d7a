# run adversary: counts equal everywhere, verdicts, forged documents, refusals.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

# The committed counts, whatever machine this is and however many threads.
reference=$source_folder/results/reference/adversary.counts.json
fb run "$reference" -o here.json --threads 2 >table 2>/dev/null || fail "run of the reference's experiment"
check "reference" -- fb compare "$reference" here.json >compared
grep -q ' 62 attacks equal, 0 differ, 0 missing, 0 new$' compared || fail "counts: $(cat compared)"
check "valid" -- fb validate --no-schema here.json >valid
fb validate here.json >/dev/null 2>stderr || grep -q 'needs Python 3 with jsonschema' stderr ||
    fail "validate: $(cat stderr)"
grep -Eq '^leveldb +[0-9.]+ +falls 100 % +falls 100 % ' table || fail "leveldb: $(cat table)"
grep -Eq '^fuse-8 +[0-9.]+ +falls 100 % +holds .* -$' table || fail "fuse-8: $(cat table)"
grep -q 'siphash-2-4, which the attacker does not know$' table || fail "no group of another hash"

python3 - <<'PYTHON' || fail "documents"
import json
document = json.load(open("here.json"))
cells = {c["id"]: c for c in document["cells"]}
for cell in cells.values():
    counts = cell["counts"]
    own = cell["hash"] is None
    if own and cell["attack"] in ("offline", "colliding"):
        assert counts["passed"] == counts["asked"] and sum(counts["asked"]) == counts["found"], cell["id"]
    if cell["attack"] == "offline":
        assert counts["found"] == 200 and (cell["verdict"] == "falls") == own, cell["id"]
    if not counts["found"]:
        assert cell["verdict"] == "holds" and counts["tries"] == 262144, cell["id"]
def edited(name, change):
    copy = json.loads(json.dumps(document))
    copy.pop("content_xxh3_128", None)
    change({c["id"]: c for c in copy["cells"]})
    json.dump(copy, open(name, "w"))
at, flood = "leveldb/bpk=10/n=5000/offline", "sbbf-512/bpk=10/n=5000/flood"
def counts(where, **of):
    return lambda cells: cells[where]["counts"].update(of)
edited("passed", counts(at, passed=[0] + cells[at]["counts"]["passed"][1:]))
edited("asked", counts(at, asked=[201, 0, 0, 0], passed=[201, 0, 0, 0]))
edited("lists", counts(at, passed=[]))
edited("tries", counts(at, tries=300000))
edited("inserted", counts(at, inserted=1))
edited("failed", counts(flood, failed=1))
edited("bits", counts(flood, bits=[0, 3]))
edited("random", counts(flood, random_asked=[5000, 5000, 5000, 4999]))
edited("bytes", lambda cells: cells[flood]["filter"].update(bytes=8000))
edited("design", lambda cells: cells[at].update(design="nori"))
edited("verdict", lambda cells: cells[at].update(verdict="holds"))
edited("nothing", lambda cells: cells[at].pop("counts"))
PYTHON
refuses 5 'counts.passed: each of these keys passes its filter' validate --no-schema passed
refuses 5 'counts.asked, counts.passed: not of keys that were found' validate --no-schema asked
refuses 5 'counts.passed: give one count for each filter' validate --no-schema lists
refuses 5 'counts.found, counts.tries: not what the experiment asks for' validate --no-schema tries
refuses 5 'counts.inserted: more than a flood may insert' validate --no-schema inserted
refuses 5 'counts.failed: not what the other counts say' validate --no-schema failed
refuses 5 'counts.bits: not of the first keys found' validate --no-schema bits
refuses 5 'counts.random_asked: not what the experiment asks for' validate --no-schema random
refuses 5 'filter.bytes: this filterbench sizes that filter otherwise' validate --no-schema bytes
refuses 5 'design: this filterbench has it otherwise' validate --no-schema design
refuses 5 'verdict is not what the facts give' validate --no-schema verdict
refuses 5 'counts' validate --no-schema nothing

# What cannot be attacked.
fb run adversary --dry-run -d exact,fuse-8 >plan
grep -q '^exact/bpk=10/n=50000/offline .*a control is no filter' plan || fail "plan: $(cat plan)"
grep -q '^fuse-8/bpk=10/n=50000/flood .*a static design' plan || fail "plan: $(cat plan)"
refuses 2 'no cell can be attacked: exact.*a control is no filter' run adversary --quick -d exact -o nothing.json
refuses 2 "attacks.*no attack 'floods'; .*did you mean 'flood'" run adversary --set attacks=floods
refuses 2 "keys: .*'randon'" run adversary --set keys=randon
finish
