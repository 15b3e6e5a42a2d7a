# compare: what must be equal, and what makes two results incomparable.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
small=(-d nori,sbbf-256,leveldb -b 10 --fpr 0.01 -n 300 --filters 2 --probes 500)

for name in base again; do
    check "run" -- fb run fpr-smoke "${small[@]}" -o $name.json >/dev/null 2>&1
done
fb run fpr-smoke "${small[@]}" --filters 3 -o filters.json >/dev/null 2>&1
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
write("seed", lambda d: d.update(experiment_hash="0" * 32, experiment=d["experiment"] | {"seed": "0x1"}))
write("later", at("schema", "major", 2))
write("file", at("key_file", {"given": 3}))
write("kind", at("kind", "claims"))
write("odd", at("cells", [3, {}, {"id": 4}, {"id": "x", "counts": []}]))
claims = [{"claim": c, "kind": "fpr", "model": "confirmed", "verdict": "reproduced",
           "events": 5, "probes": 100} for c in ("a.b", "a.c")]
claims.append({"claim": "a.ns", "kind": "time-ratio", "model": "confirmed", "verdict": "reproduced"})
def claimed(name, **changes):
    document = json.load(open("base.json"))
    del document["experiment"], document["experiment_hash"]
    document |= {"kind": "claims", "cells": [], "claims": [dict(c) for c in claims]}
    for where, change in changes.items():
        row = {"one": 1, "timed": 2}.get(where)
        (document["claims"][row] if row else document["run"]).update(change)
    json.dump(document, open(name, "w"))
claimed("claims")
claimed("claims-verdict", one={"verdict": "not reproduced"})
claimed("claims-model", one={"model": "failed"})
claimed("claims-events", one={"events": 6})
claimed("claims-probes", one={"probes": 1000})
claimed("claims-time", timed={"verdict": "not reproduced", "model": "failed"})
claimed("claims-root", run={"seed_root": "0x0000000000000001"})
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
check "a new cell" -- fb compare missing base.json >table
grep -qx "new     $cell" table || fail "new: $(cat table)"
check "counts do not depend on the machine" -- fb compare base.json machine >table
check "what is derived is no fact" -- fb compare base.json derived >table
differs "a.c: verdict is reproduced in BASE and not reproduced" claims claims-verdict
differs "a.c: model is confirmed in BASE and failed" claims claims-model
differs "a.c: events is 5" claims claims-events
check "verdicts on times are this machine's" -- fb compare claims claims-time >table
fb compare base.json events --format json >json 2>stderr
python3 - <<'PYTHON' || fail "--format json"
import json
exact = json.load(open("json"))["exact"]
assert exact["equal"] == 17 and exact["differing"] == 1 and not exact["missing"] + exact["new"]
(d,) = exact["differences"]
assert d["fact"] == "counts.events" and d["head"][1] == 499 and d["design"] in d["cell"]
PYTHON

refuses 4 'not the same experiment: experiment.filters is 2 in BASE and 3 in HEAD' \
    compare base.json filters.json
refuses 4 'experiment.seed is 0x5eed in BASE and 0x1' compare base.counts seed
refuses 4 'later: schema version 2.0' compare base.json later
refuses 4 'kind is fpr in BASE and claims' compare base.json kind
refuses 4 'key_file' compare base.json file
refuses 4 'probes of a.c is 100 in BASE and 1000' compare claims claims-probes
refuses 4 'seed_root' compare claims claims-root
refuses 2 'give two files' compare base.json
refuses 2 'unexpected operand' compare base.json base.json base.json
refuses 2 'nofile: ' compare base.json nofile
echo '{}' >empty
refuses 2 'empty: not a result document' compare base.json empty
head -c 1000 base.json >cut
refuses 2 'cut: line .*: not JSON' compare cut base.json
finish
