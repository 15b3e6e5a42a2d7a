# run adversary: counts equal everywhere, verdicts, forged documents, refusals.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

# The committed counts, whatever machine this is and however many threads.
reference=$source_folder/results/reference/adversary.counts.json
fb run "$reference" -o here.json --threads 2 --verbose >table 2>/dev/null || fail "run of the reference's experiment"
check "reference" -- fb compare "$reference" here.json >compared
grep -q '^BASE and HEAD are equal in the exact facts of 62 attacks\.$' compared || fail "counts: $(cat compared)"
check "valid" -- fb validate here.json >valid
fb validate here.json >/dev/null 2>stderr || fail "validate: $(cat stderr)"
grep -Eq '^leveldb +[0-9.]+ +falls 100 % +falls 100 % ' table || fail "leveldb: $(cat table)"
grep -Eq '^fuse-8 +[0-9.]+ +falls 100 % +none found .* -$' table || fail "fuse-8: $(cat table)"
grep -q ' -: the attack means nothing to the design\.' table || fail "no word of '-'"
grep -q 'none found: no key was found in 262144 tries\.' table || fail "no word of the tries"
grep -q 'cannot tell' table && fail "two words for undecided"
grep -q 'siphash-2-4, whose seed the attacker does not know$' table || fail "no group of another hash"

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
        assert cell["verdict"] == "none found" and counts["tries"] == 262144, cell["id"]
    attacked = cell["attacked"]["interval"]
    if own and cell["expected"] is not None:
        assert attacked["low"] <= cell["expected"] <= attacked["high"], cell["id"]
for name, of in (("rocksdb-legacy", "degenerate"), ("bloom-64", "degenerate"), ("sbbf-512", "flood")):
    assert cells[f"{name}/bpk=10/n=5000/{of}"]["expected"] is None, (name, of)
assert 0.45 < cells["bloom-double/bpk=10/n=5000/degenerate"]["expected"] < 0.55
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
edited("few_bits", lambda cells: cells[flood]["filter"].update(bits=1))
edited("set", lambda cells: cells[flood]["filter"].update(set_bits=cells[flood]["filter"]["bits"] + 1))
edited("attempts", counts(at, attempts=2))
edited("no_attempt", counts("fuse-8/n=5000/offline", attempts=0))
edited("reason", lambda cells: cells[at].update(hash_reason="secret"))
edited("design", lambda cells: cells[at].update(design="nori"))
edited("verdict", lambda cells: cells[at].update(verdict="holds"))
edited("nothing", lambda cells: cells[at].pop("counts"))
PYTHON
refuses 5 'counts.passed: each of these keys passes its filter' validate passed
refuses 5 'counts.asked, counts.passed: not of keys that were found' validate asked
refuses 5 'counts.passed: (give one count for each filter|0 elements are fewer)' validate lists
refuses 5 'counts.found, counts.tries: not what the experiment asks for' validate tries
refuses 5 'counts.inserted: more than a flood may insert' validate inserted
refuses 5 'counts.failed: not what the other counts say' validate failed
refuses 5 'counts.bits: not of the first keys found' validate bits
refuses 5 'counts.random_asked: not what the experiment asks for' validate random
refuses 5 'filter.bytes: this filterbench sizes that filter otherwise' validate bytes
refuses 5 'filter.(bits: this filterbench sizes that filter otherwise|set_bits <= filter.bits)' validate few_bits
refuses 5 'filter.set_bits <= filter.bits' validate set
refuses 5 "counts.attempts: 2; the design's builds make 1 to 1" validate attempts
refuses 5 "counts.attempts: 0; the design's builds make 1 to 256" validate no_attempt
refuses 5 'hash_reason: this filterbench has it otherwise' validate reason
refuses 5 'design: this filterbench has it otherwise' validate design
refuses 5 'verdict is not what the facts give' validate verdict
refuses 5 'counts' validate nothing

# Theory where it holds: a block that 500 keys fill, and no degenerate keys of as many bits as others.
fb run adversary --quick -d sbbf-256 --set attacks=flood --set insert=0.1 -o full.json >/dev/null 2>&1
fb run adversary --quick -d leveldb --set attacks=degenerate --set n=50000 -o six.json >/dev/null 2>&1
python3 - <<'PYTHON' || fail "theory"
import json
full, six = (json.load(open(name))["cells"][0] for name in ("full.json", "six.json"))
assert full["counts"]["inserted"] == 500 and full["expected"] > 0.9999, full
assert six["counts"]["found"] and len(six["counts"]["bits"]) == 7 and six["expected"] is None, six
PYTHON

# What cannot be attacked.
fb run adversary --dry-run -d exact,fuse-8 >plan
grep -q '^exact/bpk=10/n=50000/offline .*a control is no filter' plan || fail "plan: $(cat plan)"
grep -q '^fuse-8/n=50000/flood .*a static design' plan || fail "plan: $(cat plan)"
refuses 2 'no cell can be measured: exact.*a control is no filter' run adversary --quick -d exact -o nothing.json
refuses 2 'hash: fnv1a has no seed that could be secret; give .* siphash-2-4' run adversary --hash fnv1a
fb run adversary --dry-run -d sbbf-512,leveldb --hash xxh64 >plan
grep -q "^sbbf-512+xxh64/.*it is the design's own hash" plan || fail "own hash: $(cat plan)"
grep "^leveldb+xxh64/" plan | grep -q "own hash" && fail "another's hash: $(cat plan)"
refuses 2 "no cell can be measured: bloom-double-32[+]xxh64.*it is the design's own hash.*siphash-2-4" \
    run adversary --quick -d bloom-double-32 --hash xxh64 -o nothing.json

# Nothing is found, and one attack is asked for.
fb run adversary --quick -d bloom-double,fuse-8 --set attacks=degenerate --set tries=512 >few 2>/dev/null
grep -Eq '^bloom-double +[0-9.]+ +none found$' few && grep -q '^fuse-8 ' few || fail "none found: $(cat few)"
grep -Eq 'holds$|offline|flood' few && fail "more than was asked for: $(cat few)"
finish
