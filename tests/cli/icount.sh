# run icount: instructions, equal in every run; and what is said where nothing counts them.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

tiny=(run icount -d sbbf-256,bloom-double,null,exact -n 1000)
fb "${tiny[@]}" -o one.json >table 2>notes || fail "run: $(cat notes)"
grep -q '^instructions an operation$' table || fail "no table: $(cat table)"
grep -Eq '^design +bits/key +keys +kernel +style +batch, absent +batch, present +insert$' table ||
    fail "columns: $(cat table)"
fb "${tiny[@]}" -o two.json >again 2>/dev/null || fail "again"
sed -i 's/ two\.json/ one.json/' again
cmp -s table again || fail "two tables"
fb "${tiny[@]}" --operations each,chain --hit-ratios 0.25 --isa scalar -b 8,12 -n 1000,500 -o each.json >/dev/null 2>&1 ||
    fail "sizes"
command[0]=$(command -v "${command[0]}") # an emulator is found where nothing else is
PATH=/nonexistent fb "${tiny[@]}" -o none.json >table 2>&1 || fail "without valgrind"
grep -q '^-: ' table || fail "no reason below the table: $(cat table)"
for file in one each none; do
    fb validate $file.json >/dev/null 2>stderr || fail "validate $file: $(cat stderr)"
    fb validate $file.json >/dev/null || fail "validate $file"
    fb export $file.json --to counts -o $file.counts || fail "counts"
done
cmp -s one.counts none.counts || fail "the exact facts are not those of a run that counts nothing"
fb compare one.json none.json >/dev/null || fail "compare"
fb export one.json --to csv | grep -q '^id,.*filter.bytes' || fail "csv"
fb export one.json --to md | grep -q '^| sbbf-256 |' || fail "md"
fb run icount --dry-run -d sbbf-256 | grep -q '^sbbf-256/bpk=10/n=10000/batch/absent/scalar-branch-free' || fail "plan"
refuses 2 "^filterbench: icount: --isa: there is no instruction set 'best' \(give all or some of scalar" run icount --isa best
refuses 2 'exact/n=10000/insert: not every kernel adds' run icount -d exact --operations insert -o nothing.json

python3 - <<'PYTHON' || fail "documents"
import json, sys
one, two, each, none = (json.load(open(name + ".json")) for name in ("one", "two", "each", "none"))
for document in one, two:
    for member in "run", "content_xxh3_128":
        del document[member]
assert one == two
by_id = {cell["id"]: cell for cell in one["cells"]}
assert none["counter"] is None and none["counter_reason"] and none["warnings"][-1]["code"] == "not-counted"
assert all(c["instructions"] is None and c["instructions_reason"] == none["counter_reason"] for c in none["cells"])
assert [c["id"] for c in none["cells"]] == list(by_id)
scalar = by_id["sbbf-256/bpk=10/n=1000/batch/absent/scalar-branch-free"]
if one["counter"] is None:
    print("not counted here:", one["counter_reason"])
else:
    assert one["counter"]["tool"] == "callgrind" and one["counter"]["version"][0].isdigit()
    for cell in one["cells"]:
        counted = cell["isa"] == "scalar" or cell["instructions"] is not None
        assert counted or cell["instructions_reason"] in (
            "callgrind does not run " + cell["isa"], "this machine does not run " + cell["isa"]), cell
        if counted:
            assert cell["operations"] % 8 == 0 and cell["operations"] > 8000
            assert abs(cell["per_operation"] * cell["operations"] - cell["instructions"]) < 1
    # Eight probes and no branch: as many for keys that are there, and more than for no filter at all.
    present = by_id["sbbf-256/bpk=10/n=1000/batch/present/scalar-branch-free"]
    assert scalar["instructions"] == present["instructions"]
    null = next(c for c in one["cells"] if c["design"] == "null" and c["operation"] == "batch")
    assert 0 < null["per_operation"] < 1 < scalar["per_operation"] < 2000, (null, scalar)
    early = [by_id["bloom-double/bpk=10/n=1000/batch/%s/scalar-early-exit" % keys]["per_operation"]
             for keys in ("absent", "present")]
    assert early[0] < 0.8 * early[1]  # three probes at once, then one by one
    assert all(c["instructions"] for c in each["cells"])
ids = [cell["id"] for cell in each["cells"]]
assert "bloom-double/bpk=12/n=500/chain/hits=0.25/scalar-early-exit" in ids and "null/n=500/each/hits=0.25/scalar-constant" in ids, ids
assert "exact/n=500/each/hits=0.25/scalar-early-exit" in ids and not each["skipped"], each["skipped"]
assert [row["id"] for row in one["skipped"]] == ["exact/n=1000/insert"], one["skipped"]

def write(name, change):
    document = json.load(open("one.json"))
    document.pop("content_xxh3_128")
    change(document, document["cells"])
    json.dump(document, open(name + ".json", "w"))
write("deleted", lambda d, cells: cells.pop(0))
write("probes", lambda d, cells: cells[0]["filter"].update(probes=1))
write("isa", lambda d, cells: cells[0].update(isa="avx2"))
write("derived", lambda d, cells: cells[0].update(per_operation=1.5))
PYTHON
refuses 5 'the cell is missing' validate deleted.json
refuses 5 'filter.probes: this filterbench has it otherwise' validate probes.json
refuses 5 'isa: this filterbench has it otherwise' validate isa.json
refuses 5 'per_operation is not what the facts give' validate derived.json

# Shards skip cells each on their own: merged, all that were skipped are told.
designs=(-d cuckoo-12,quotient,fuse-8)
fb run icount "${designs[@]}" -o whole.json >/dev/null 2>&1 || fail "whole"
for i in 1 2 3 4; do # one has no design
    fb run icount "${designs[@]}" --shard $i/4 -o shard-$i.json >/dev/null 2>&1 || fail "shard $i"
done
fb merge shard-?.json -o merged.json 2>/dev/null || fail "merge"
fb export whole.json --to counts | grep -q '"skipped":\[{.*{.*{' || fail "nothing is skipped"
cmp -s <(fb export merged.json --to counts) <(fb export whole.json --to counts) || fail "merged counts"
finish
