# compare: what must be equal, and what makes two results incomparable.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
small=(-d nori,sbbf-256,leveldb -b 10 --fpr 0.01 -n 300 --filters 2 --probes 500)

for name in base again; do
    check "run" -- fb run fpr-smoke "${small[@]}" -o $name.json >/dev/null 2>&1
done
fb run fpr-smoke "${small[@]}" --filters 3 -o filters.json >/dev/null 2>&1
fb run fpr-smoke "${small[@]}" --seed 1 -o seed >/dev/null 2>&1
fb export base.json --to counts -o base.counts
check "counts hold the experiment they are of" -- fb run ./base.counts -o third.json >/dev/null 2>&1
check "unchanged code" -- fb compare base.json again.json >table
grep -q '^exact   18 cells equal, 0 differ, 0 missing, 0 new$' table || fail "table: $(cat table)"
check "a base of counts" -- fb compare base.counts third.json >table
json "compare --format json" -- fb compare base.counts again.json --format json

python3 - <<'PYTHON'
import json

def write(name, change):
    document = json.load(open("base.json"))
    change(document)
    json.dump(document, open(name, "w"))

def at(*path):
    def change(document):
        for step in path[:-2]:
            document = document[step]
        document[path[-2]] = path[-1]
    return change

write("events", at("cells", 3, "counts", "events", 1, 499))
write("checksum", at("cells", 3, "counts", "checksum", "0x0000000000000000"))
write("lost", at("cells", 3, "counts", "false_negatives", 1))
write("block", at("cells", 3, "counts", "block_bytes", 1))
write("probes", at("cells", 3, "geometry", "probes", 5))
write("extra", at("cells", 3, "geometry", "more", 5))
write("machine", at("machine", "cpu_model", "another"))
write("derived", at("cells", 3, "fpr", "z", 0.0))
write("missing", lambda d: d["cells"].pop(3))
write("hash", lambda d: d.update(experiment_hash="0" * 32))
write("edited", lambda d: d["experiment"].update(seed="0x1"))
write("unknown", lambda d: d["experiment"].update(seeds=1))
write("later", at("schema", "major", 3))
write("file", at("key_file", {"given": 3}))
write("kind", at("kind", "claims"))
write("odd", at("cells", [{}, {"id": 4}, {"id": "x", "counts": []}]))
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
    document |= {"kind": "claims", "cells": [dict(c) for c in claims]}
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

# Times: eight processes of three rounds, a yardstick of 1 ns and a filter of 10.
def timed(name, ns, yardstick=1.0, clock="wall", change=lambda document: None, processes=8,
          memory=0):
    def samples(x):
        return [[x * (1 + 0.01 * (p % 4 - 1.5)) * spread for spread in (1, 0.5, 3)] for p in range(processes)]
    def cell(name, x, to):
        good, bad = samples(x), samples(x * 7)
        cpu = clock == "thread_cpu" # which so many repeated batches lead to
        def each(value):
            return [[value] * 3 for _ in range(processes)]
        return {"id": name, "design": name.split("/")[0], "footprint": "L1", "operation": "batch",
                "hit_ratio": 0, "isa": "scalar", "filter": {"bytes": 5, "checksum": "0x1"},
                "time": {"clock": clock, "samples_ns": bad if cpu else good,
                         "samples_cpu_ns": good if cpu else bad, "ratio_to": to,
                         "sample_retries": each(int(cpu)), "sample_flags": each(0)}}
    document = json.load(open("base.json"))
    document |= {"kind": "kernels", "cells": [cell("touch-32/L1", yardstick, None),
                                              cell("nori/L1", ns, "touch-32/L1")]}
    document["timing"] = {"footprints": {"filter_bytes": {"L1": 12500}},
                          "memory": {"ratio": memory, "time": memory}}
    del document["experiment"], document["experiment_hash"] # of kind fpr
    change(document)
    json.dump(document, open(name, "w"))
timed("times", 10)
timed("times-slower", 11)
timed("times-machine-slower", 11, 1.1)
timed("times-cpu", 11, clock="thread_cpu")
timed("times-few", 11, processes=5)
timed("times-remembering", 11, memory=2 / 3)
timed("times-elsewhere", 10, change=at("machine", "cpu_model", "another"))
timed("times-caches", 10, change=at("timing", "footprints", "filter_bytes", "L1", 1))
timed("times-checksum", 10, change=at("cells", 1, "filter", "checksum", "0x2"))
timed("times-odd", 10, change=at("cells", 1, "time", "samples_ns", [[1, "x"], 3]))
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
check "what is derived is no fact" -- fb compare base.json derived >table
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

# Stored times decide nothing; their ratios and intervals are those of the samples.
for head in times times-slower times-machine-slower times-cpu times-few times-odd \
    times-remembering; do
    check "$head" -- fb compare times $head --format json >"$head.json"
done
check "against a design" -- fb compare times times-slower --against nori --format json >nori.json
check "table of times" -- fb compare times times-slower >table
grep -q '^times   advice' table && grep -q '^nori/L1 .* 1.100 ' table || fail "times: $(cat table)"
fb export times --to counts -o times.counts
check "counts have no times" -- fb compare times.counts times-elsewhere >table
! grep -q advice table || fail "times against counts"
python3 - <<'PYTHON' || fail "times"
import json, math
def row(name):
    times = json.load(open(f"{name}.json"))["times"]
    return times, times["cells"][1]
for name in "times-slower", "times-cpu":
    times, nori = row(name)
    assert times["advice"] and times["slower"] == 1 and times["faster"] == 0
    low, high = (nori["ratio_ci95"][end] for end in ("low", "high"))
    assert 0.98 < low / 1.1 < 0.995 and abs(low * high / 1.21 - 1) < 1e-3, (low, high)
    # yardstick and filter move together from process to process, so their ratio is exact
    for value in nori["ratio"], nori["relative"], *nori["relative_ci95"].values():
        assert abs(value / 1.1 - 1) < 1e-9
    assert times["compared"] == 1 and times["against"] is None and times["against_reason"]
def width(nori):
    return math.log(nori["ratio_ci95"]["high"] / nori["ratio"])
_, nori = row("times-slower")
_, remembering = row("times-remembering")  # one of the two runs sqrt(7) times as wide
assert abs(width(remembering) / width(nori) - math.sqrt((1 + 7) / 2)) < 0.02, width(nori)
times = json.load(open("nori.json"))["times"]
assert times["against"] == "nori" and times["compared"] == 1 and times["faster"] == 1
touch, nori = times["cells"]
assert abs(touch["relative"] * 1.1 - 1) < 1e-9 and nori["relative"] is None
times, nori = row("times-machine-slower")
assert abs(nori["ratio"] / 1.1 - 1) < 1e-9 and abs(nori["relative"] - 1) < 1e-9
assert times["cells"][0]["relative"] is None and times["cells"][0]["relative_reason"]
_, nori = row("times-few")
assert nori["ratio"] and nori["ratio_ci95"] is None and "processes" in nori["ratio_ci95_reason"]
assert [c["cell"] for c in row("times")[0]["cells"]] == ["touch-32/L1", "nori/L1"]
assert json.load(open("times-odd.json"))["times"]["cells"] == []
PYTHON
differs "nori/L1: filter.checksum is 0x1 in BASE and 0x2" times times-checksum
refuses 4 'another machine.*machine.cpu_model is .* and another in HEAD' compare times times-elsewhere
refuses 4 'footprints is' compare times times-caches

# The committed result is valid, and of the committed counts.
reference=$source_folder/results/reference/fpr-smoke
check "reference" -- fb compare "$reference.counts.json" "$reference.json" >table
check "reference is valid" -- fb validate "$reference.json" >table

refuses 4 'not the same experiment: experiment.filters is 2 in BASE and 3 in HEAD' \
    compare base.json filters.json
refuses 4 'experiment.seed is 0x5eed in BASE and 0x1' compare base.counts seed
refuses 5 'hash: experiment_hash is not that of the experiment' compare base.json hash
refuses 5 'edited: experiment_hash is not that of the experiment' compare edited edited
refuses 2 "unknown: experiment: seeds: unknown field, did you mean 'seed'" compare base.json unknown
refuses 4 'later: schema version 3\.' compare base.json later
refuses 4 'fpr-1.0: schema version 1.0; measure it again: filterbench run fpr-1.0' validate fpr-1.0
refuses 4 'claims-1.2: schema version 1.2; measure it again: filterbench reproduce' validate claims-1.2
check "claims of version 1" -- fb compare claims-1.2 claims >table
check "rates of version 1" -- fb compare fpr-1.0 base.json >table
check "counts of version 1" -- fb export fpr-1.0 --to counts >counts-1.0
cmp -s counts-1.0 base.counts || fail "counts of version 1 differ"
refuses 4 'kind is fpr in BASE and claims' compare base.json claims
refuses 5 'kind: kind is not that of the experiment' compare base.json kind
refuses 4 'key_file' compare base.json file
refuses 4 'probes of a.c is 100 in BASE and 1000' compare claims claims-probes
refuses 4 'seed_root' compare claims claims-root
refuses 2 'against sbbf-512: no cell of it in both' compare times times --against sbbf-512
refuses 2 'against is for times' compare times.counts times --against nori
check "against a control" -- fb compare times times --against touch-32 >table
refuses 2 'give two files' compare base.json
refuses 2 'unexpected operand' compare base.json base.json base.json
refuses 2 'nofile: ' compare base.json nofile
echo '{}' >empty
refuses 2 'empty: not a result document' compare base.json empty
head -c 1000 base.json >cut
refuses 2 'cut: line .*: not JSON' compare cut base.json
finish
