# compare: what must be equal, what may not cost more, and what makes two results incomparable.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
kernels=$source_folder/results/reference/kernels.json
small=(-d nori,sbbf-256,leveldb -b 10 --fpr 0.01 -n 300 --filters 2 --probes 500)

fb run icount -d nori -n 1000 --operations batch --isa scalar -o icount.json >/dev/null 2>&1
for name in base again; do
    check "run" -- fb run fpr-smoke "${small[@]}" -o $name.json >/dev/null 2>&1
done
fb run fpr-smoke "${small[@]}" --set filters=3 -o filters.json >/dev/null 2>&1
fb run fpr-smoke "${small[@]}" --seed 1 -o seed >/dev/null 2>&1
fb export base.json --to counts -o base.counts
check "counts hold the experiment they are of" -- fb run ./base.counts -o third.json >/dev/null 2>&1
check "unchanged code" -- fb compare base.json again.json >table
grep -q '^BASE and HEAD are equal in the exact facts of 18 cells\.$' table || fail "table: $(cat table)"
check "a base of counts" -- fb compare base.counts third.json >table
json "compare --format json" -- fb compare base.counts again.json --format json

python3 - "$kernels" <<'PYTHON'
import json, sys
KERNELS = sys.argv[1]

def write(name, change, source="base.json"):
    document = json.load(open(source))
    change(document)
    json.dump(document, open(name, "w"))

def at(*path):
    def change(document):
        for step in path[:-2]:
            document = document[step]
        document[path[-2]] = path[-1]
    return change

def fact(name, *change):
    write(name, at("cells", 3, *change), "base.counts")

fact("events", "counts", "events", 1, 499)
fact("checksum", "counts", "checksum", "0x0000000000000000")
fact("blocks", "counts", "block_checksum", "0x0000000000000000")
fact("lost", "counts", "false_negatives", 1)
fact("block", "counts", "block_bytes", 1)
fact("probes", "geometry", "probes", 5)
fact("extra", "geometry", "more", 5)
write("missing", lambda d: d["cells"].pop(3), "base.counts")
write("odd", at("cells", [{}, {"id": 4}, {"id": "x", "counts": []}]), "base.counts")
write("file", at("key_file", {"given": 3}), "base.counts")
write("counted", at("cells", 3, "counts", "events", 1, 499))
write("machine", at("machine", "cpu_model", "another"))
write("derived", at("cells", 3, "fpr", "z", 0.0))
write("shapeless", at("cells", 3, "fpr", "z", "x"))
write("gone", lambda d: d["cells"].pop(3))
write("hash", lambda d: d.update(experiment_hash="0" * 32))
write("edited", lambda d: d["experiment"].update(seed="0x1"))
write("unknown", lambda d: d["experiment"].update(seeds=1))
write("later", at("schema", "major", 3))
write("kind", at("kind", "claims"))
write("listless", at("cells", "x"))
write("number", at("cells", [3]))
claims = [{"id": c, "kind": "fpr", "model": "confirmed", "verdict": "reproduced",
           "claimed": 5, "theory": 4.9, "measured": 5.1, "events": 5, "probes": 100,
           "false_negatives": 0, "repeat": {"measured": 5.2}} for c in ("a.b", "a.c")]
claims.append({"id": "a.ns", "kind": "cost-model", "model": "none", "verdict": "reproduced",
               "claimed": 7, "measured": 7.5})
def claimed(name, **changes):
    document = json.load(open("base.json"))
    del document["experiment"], document["experiment_hash"]
    document |= {"kind": "claims", "cells": [dict(c) for c in claims],
                 "schema": {"major": 1, "minor": 2}} # of which nothing is derived again
    for where, change in changes.items():
        row = {"one": 1, "timed": 2}.get(where)
        (document["cells"][row] if row else document["run"]).update(change)
    json.dump(document, open(name, "w"))
claimed("claims")
claimed("claims-verdict", one={"verdict": "not reproduced"})
claimed("claims-model", one={"model": "failed"})
claimed("claims-events", one={"events": 6})
claimed("claims-claimed", one={"claimed": 6})
claimed("claims-theory", one={"theory": 4.8})
claimed("claims-measured", one={"measured": 5.2})
claimed("claims-bits", one={"measured": 5.1 * (1 + 1e-13)})
claimed("claims-lost", one={"false_negatives": 1})
claimed("claims-repeat", one={"repeat": {"measured": 5.3}})
claimed("claims-limit", timed={"claimed": 8})
claimed("claims-probes", one={"probes": 1000})
claimed("claims-time", timed={"verdict": "not reproduced", "measured": 7.6})
claimed("claims-root", run={"seed_root": "0x0000000000000001"})
old = json.load(open("claims")) | {"schema": {"major": 1, "minor": 2}, "cells": []}
old["claims"] = [{"claim": c.pop("id"), **c} for c in map(dict, claims)]
json.dump(old, open("claims-1.2", "w"))
write("fpr-1.0", at("schema", {"major": 1, "minor": 0}))

# Instructions of an architecture that no kernel here is of: 20 an operation.
def counted(name, per_operation=20, change=lambda document: None):
    def cell(isa, n):
        known = {"instructions": int(2048 * n), "per_operation": n} if n else {
            "instructions": None, "instructions_reason": "so", "per_operation": None,
            "per_operation_reason": "so"}
        return {"id": "nori/bpk=10/n=1000/batch/absent/" + isa, "design": "nori", "isa": isa, "style": "ring",
                "operation": "batch", "hit_ratio": 0, "bits_per_key": 10, "operations": 2048,
                "filter": {"bytes": 5, "n_keys": 4, "probes": 7, "checksum": "0x0000000000000001"}} | known
    document = json.load(open("icount.json"))
    document["machine"]["arch"] = "another"
    document.pop("counter_reason", None)
    document |= {"cells": [cell("scalar", per_operation), cell("neon", 30), cell("avx2", 0)], "warnings": [],
                 "skipped": [], "counter": {"tool": "callgrind", "version": "3.19.0"}}
    change(document)
    json.dump(document, open(name, "w"))
counted("counted-base")
counted("counted-equal", 20.0)
counted("counted-slower", 20.25)
counted("counted-slightly", 20.1875) # 0.94 %
counted("counted-faster", 15)
counted("counted-compiler", 30, at("build", "compiler", "another"))
counted("counted-flags", 30, at("build", "flags", "-O0"))
def uncounted(document):
    reason = "valgrind is not here"
    document |= {"counter": None, "counter_reason": reason, "warnings": [
        {"code": "not-counted", "cell": None, "detail": "no instructions: " + reason}]}
    for cell in document["cells"]:
        for name in "instructions", "per_operation":
            cell |= {name: None, name + "_reason": reason}
counted("counted-none", 30, uncounted)
counted("counted-checksum", 30, at("cells", 0, "filter", "checksum", "0x0000000000000002"))
write("times-elsewhere", at("machine", "cpu_model", "another"), KERNELS)
write("times-caches", at("timing", "footprints", "filter_bytes", "L1", 1), KERNELS)
write("times-changed", at("cells", 1, "filter", "checksum", "0x0000000000000002"), KERNELS)
PYTHON

# What was changed on purpose gets the hash of its content, which the refusal names.
for name in machine derived shapeless gone counted-* times-*; do
    fb compare "$name" "$name" 2>&1 | sed -n "s/.*: content_xxh3_128 .* (\([0-9a-f]\{32\}\)).*/$name \1/p"
done >hashes
python3 - <<'PYTHON'
import json
for line in open("hashes"):
    name, content = line.split()
    document = json.load(open(name))
    document["content_xxh3_128"] = content
    json.dump(document, open(name, "w"))
PYTHON

# differs FACT BASE HEAD: exit 5, the fact on stderr and in the table.
differs() {
    local fact=$1 got=0
    shift
    fb compare "$@" >table 2>stderr || got=$?
    [ "$got" = 5 ] || fail "exit code $got, not 5: compare $*"
    [ "$(wc -l <stderr)" = 1 ] || fail "not one line on stderr: compare $*: $(cat stderr)"
    grep -Eq -- "$fact" stderr || fail "no '$fact' on stderr: compare $*: $(cat stderr)"
}
cell=$(python3 -c 'import json; print(json.load(open("base.json"))["cells"][3]["id"])')
differs "1 cells differ, first $cell: counts.events is [0-9]+ in 2 filters in BASE" base.json events
grep -q "^$cell  *counts.events " table || fail "events: $(cat table)"
differs "first $cell: counts.block_checksum is 0x" base.json blocks
differs "first $cell: counts.checksum is 0x" base.counts checksum
differs "first $cell: counts.false_negatives is 0 in BASE and 1 in HEAD" base.json lost
differs "counts.block_bytes" base.json block
differs "geometry.probes is 7 in BASE and 5 in HEAD|geometry.probes is" base.json probes
differs "geometry.more is null in BASE and 5 in HEAD" base.json extra
differs "geometry.more is 5 in BASE and null in HEAD" extra base.json
differs "1 cells of BASE are missing in HEAD, first $cell" base.json missing
differs "missing in HEAD" base.json odd
refuses 2 'cells: give a list' compare base.json listless
refuses 2 'cells.0: give an object' compare number base.json
check "a new cell" -- fb compare missing base.json >table
grep -qx "new     $cell" table || fail "new: $(cat table)"
check "counts do not depend on the machine" -- fb compare base.json machine >table
refuses 5 "derived: $cell: fpr.z is not what the facts give" validate derived
refuses 5 "shapeless: $cell: fpr.z: it is not a number" compare base.json shapeless
refuses 5 "gone: $cell: the cell is missing" validate gone
refuses 5 'counted: content_xxh3_128 is not that of the document' compare base.json counted
differs "a.c: verdict is reproduced in BASE and not reproduced" claims claims-verdict
differs "a.c: model is confirmed in BASE and failed" claims claims-model
differs "a.c: events is 5" claims claims-events
for fact in claimed theory measured; do
    differs "a.c: $fact is [0-9.]+ in BASE and [0-9.]+ in HEAD" claims claims-$fact
done
differs 'a.c: false_negatives is 0 in BASE and 1 in HEAD' claims claims-lost
differs 'a.c: repeat.measured is 5.2 in BASE and 5.3 in HEAD' claims claims-repeat
differs 'a.ns: claimed is 7 in BASE and 8 in HEAD' claims claims-limit
check "the last bits of a library" -- fb compare claims claims-bits >table
check "verdicts on times are this machine's" -- fb compare claims claims-time >table
fb compare base.json events --format json >json 2>stderr
python3 - <<'PYTHON' || fail "--format json"
import json
exact = json.load(open("json"))["exact"]
assert exact["equal"] == 17 and exact["differing"] == 1 and not exact["missing"] + exact["new"]
(d,) = exact["differences"]
assert d["fact"] == "counts.events" and d["head"][1] == 499 and d["design"] in d["cell"]
PYTHON

# Instructions judge, of one compiler; more of them, beyond 1 %, is exit 1.
for head in equal slightly faster; do
    check "icount: $head" -- fb compare counted-base counted-$head >table
    grep -q '^icount  2 cells compared: 0 take more instructions, [01] fewer, by more than 1 %$' table ||
        fail "icount: $head: $(cat table)"
done
fb compare counted-base counted-slower >table 2>stderr
[ $? = 1 ] || fail "more instructions: not exit 1"
grep -q ': 1 cells take over 1 % more instructions, first nori/bpk=10/n=1000/batch/absent/scalar: 20.00 an operation in BASE and 20.25 in HEAD, +1.2 %$' \
    stderr || fail "more instructions: $(cat stderr)"
grep -Eq '^! nori/.*/scalar +20.00 +20.25 +\+1.25$' table || fail "more instructions: $(cat table)"
! grep -q '/two' table || fail "a cell that did not change is listed"
for head in compiler flags; do
    check "another $head" -- fb compare counted-base counted-$head >table
    grep -q "^icount  not compared: build.$head is .* in BASE and " table || fail "$head: $(cat table)"
done
check "none counted" -- fb compare counted-base counted-none >table
grep -q '^icount  not compared: HEAD counts none: valgrind is not here$' table || fail "none: $(cat table)"
differs 'scalar: filter.checksum is 0x0000000000000001 in BASE' counted-base counted-checksum

# Stored times judge nothing, and are left out between machines.
json "times as JSON" -- fb compare "$kernels" "$kernels" --format json
check "against a design" -- fb compare "$kernels" "$kernels" --against nori >table
grep -Eq '^times   advice: ' table && grep -q ' 0 are slower and 0 faster relative to nori: ' table || fail "times: $(cat table)"
grep -Eq '^cell .* relative +95 % of it +repeats$' table || fail "times: $(head -9 table)"
check "times of another machine" -- fb compare "$kernels" times-elsewhere >table
grep -q '^times   not compared: machine.cpu_model is AMD EPYC in BASE and another in HEAD$' table ||
    fail "another machine: $(cat table)"
check "a merged result" -- fb merge "$kernels" -o times-merged.json 2>/dev/null
check "times of runs side by side" -- fb compare "$kernels" times-merged.json >table
grep -q '^times   not compared: times-merged.json: runs side by side; costs are of one run: give its own result$' table ||
    fail "side by side: $(cat table)"
fb export "$kernels" --to counts -o times.counts
check "counts have no times" -- fb compare times.counts times-elsewhere >table
! grep -q '^times' table || fail "times against counts"
differs "filter.checksum is 0x[0-9a-f]* in BASE and 0x0000000000000002" "$kernels" times-changed
refuses 4 'footprints is' compare "$kernels" times-caches
refuses 2 'against is for times: .* of one machine' compare "$kernels" times-elsewhere --against nori
refuses 2 'against is for times' compare times.counts "$kernels" --against nori
refuses 2 'against is for times' compare counted-base counted-equal --against nori
refuses 2 'against exact: no cell of it in both' compare "$kernels" "$kernels" --against exact

# The committed counts are of x86-64: whatever machine this is, exact facts are equal, of trees as well.
reference=$source_folder/results/reference/fpr-smoke.counts.json
fb run "$reference" -o here.json >/dev/null 2>&1 || fail "run of the reference's experiment"
check "another architecture" -- fb compare "$reference" here.json >table
grep -q '^BASE and HEAD are equal in the exact facts of [0-9]* cells\.$' table || fail "another architecture: $(cat table)"
python3 - "$source_folder/results/reference/lsm-ci.counts.json" >trees.counts <<'PYTHON'
import json, sys
json.dump(json.load(open(sys.argv[1]))["fjall-leveled"], sys.stdout)
PYTHON
fb run fjall-leveled --ci -o trees.json >/dev/null 2>&1 || fail "run of trees"
check "trees of another architecture" -- fb compare trees.counts trees.json >table

refuses 4 'not the same experiment: experiment.filters is 2 in BASE and 3 in HEAD' \
    compare base.json filters.json
refuses 4 'experiment.seed is 0x5eed in BASE and 0x1' compare base.counts seed
refuses 5 'hash: experiment_hash is not that of the experiment' compare base.json hash
refuses 5 'edited: experiment_hash is not that of the experiment' compare edited edited
refuses 2 "unknown: experiment: seeds: unknown field, did you mean 'seed'" compare base.json unknown
refuses 4 'later: it has schema version 3\.' compare base.json later
refuses 4 'fpr-1.0: it has schema version 1.0, and this filterbench reads 2.x; measure it again: .filterbench run fpr-1.0 -o NEW.json.$' validate fpr-1.0
refuses 4 'claims-1.2: it has schema version 1.2, .*; measure it again: .filterbench reproduce.' validate claims-1.2
check "claims of version 1" -- fb compare claims-1.2 claims >table
check "rates of version 1" -- fb compare fpr-1.0 base.json >table
check "counts of version 1" -- fb export fpr-1.0 --to counts >counts-1.0
cmp -s counts-1.0 base.counts || fail "counts of version 1 differ"
refuses 4 'kind is fpr in BASE and claims' compare base.json claims
refuses 5 'kind: kind is not that of the experiment' compare base.json kind
refuses 4 'key_file' compare base.json file
refuses 4 'probes of a.c is 100 in BASE and 1000' compare claims claims-probes
refuses 4 'seed_root' compare claims claims-root
refuses 2 'give two files' compare base.json
refuses 2 'unexpected operand' compare base.json base.json base.json
refuses 2 'nofile: ' compare base.json nofile
echo '{}' >empty
refuses 2 'empty: not a result:' compare base.json empty
head -c 1000 base.json >cut
refuses 2 'cut: line .*: not JSON' compare cut base.json
finish
