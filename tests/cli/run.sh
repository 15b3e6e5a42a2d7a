# run, export and validate, by running them.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
reference=$source_folder/results/reference/fpr-smoke.counts.json
quick=(-d nori -b 10 -n 500 --filters 2 --probes 500)

# The same counts on every compiler, machine and number of threads. The reference holds its own
# experiment, so that a new design does not change it.
python3 - "$reference" >smoke.json <<'PYTHON'
import json, sys
print(json.dumps(json.load(open(sys.argv[1]))["experiment"]))
PYTHON
for threads in 1 2; do
    check "run with $threads threads" -- fb run ./smoke.json --threads $threads -o smoke-$threads \
        >/dev/null 2>&1
    fb export smoke-$threads --to counts >counts-$threads
done
cmp -s counts-1 counts-2 || fail "counts depend on threads"
cmp counts-1 "$reference" || fail "counts are not those of results/reference"

# A result against its schema and against itself; and what is wrong is found.
check "validate" -- fb validate smoke-2 >/dev/null
python3 - smoke-2 <<'PYTHON'
import json, sys
good = open(sys.argv[1]).read()

def write(name, change):
    document = json.loads(good)
    change(document)
    json.dump(document, open(name, "w"))

def set_at(*path):
    def change(document):
        for step in path[:-2]:
            document = document[step]
        document[path[-2]] = path[-1]
    return change

write("later", set_at("schema", "major", 3))
write("event", set_at("cells", 3, "counts", "events", 0, 7))
write("ratio", set_at("cells", 3, "fpr", "ratio", 1.0))
write("size", set_at("cells", 3, "geometry", "n_bits", 64))
write("hash", set_at("experiment", "seed", "0x1"))
write("extra", set_at("cells", 3, "counts", "extra", 1))
write("missing", lambda document: document["run"].pop("argv"))
write("lost", set_at("cells", 3, "counts", "false_negatives", 1))
write("design", set_at("cells", 3, "design", "nori9"))
write("n", set_at("cells", 3, "n", 301))
write("entries", set_at("cells", 3, "counts", "n_entries", 299))
write("block", set_at("cells", 3, "counts", "block_bytes", 7))
write("capacity", set_at("cells", 3, "params", "capacity_factor", 2))
write("probed", set_at("cells", 3, "params", "k", 3))
write("asked", set_at("cells", 3, "counts", "probes_each", 4095))
simulated = next(i for i, c in enumerate(json.loads(good)["cells"]) if c["counts"]["model"])
write("squares", lambda document: document["cells"][simulated]["counts"]["model"].update(
    squares=document["cells"][simulated]["counts"]["model"]["squares"] + 1))
write("deleted", lambda document: document["cells"].pop(3))
write("twice", lambda document: document["cells"].append(document["cells"][3]))
write("moved", lambda document: document["skipped"].append(
    {"id": document["cells"].pop(3)["id"], "why": "so"}))
write("unasked", lambda document: document["skipped"].append({"id": "x/n=1", "why": "so"}))
write("negative", set_at("cells", 3, "counts", "events", 0, -1))
write("schema", set_at("schema", {"major": 4294967298, "minor": 0}))
write("deep", set_at("cells", 3, "params", json.loads("[" * 900 + "]" * 900)))
write("checksum", set_at("cells", 3, "counts", "checksum", "0x0000000000000001"))
write("unhashed", lambda document: document.pop("content_xxh3_128"))
def unfinished(document):
    document["cells"].pop(3)
    document["run"]["complete"] = False
write("unfinished", unfinished)
open("cut", "w").write(good[:len(good) // 2])
open("none", "w").write("{}")
PYTHON
refuses 4 'schema version 3\.' validate later
refuses 4 'schema version 3\.' export later --to csv
refuses 5 'fpr\..* is not what the facts give' validate event
refuses 5 'fpr.ratio is not what the facts give' validate ratio
refuses 5 'geometry' validate size
refuses 5 'experiment_hash' validate hash
refuses 5 'extra' validate extra
refuses 5 'argv' validate missing
refuses 5 'false negatives' validate lost
refuses 5 'design: this filterbench has it otherwise' validate design
cell=$(python3 -c 'import json; print(json.load(open("smoke-2"))["cells"][3]["id"])')
refuses 5 "$cell: (counts.n_keys is not n|it breaks the rule .counts.n_keys = n)|$cell: n is not" validate n
refuses 5 "$cell: counts.n_entries" validate entries
refuses 5 "$cell: counts.block_bytes" validate block
refuses 5 "$cell: params.capacity_factor: this filterbench" validate capacity
refuses 5 "$cell: params.k" validate probed
refuses 5 "$cell: counts.probes_each" validate asked
refuses 5 'counts.model.squares: this filterbench has it otherwise' validate squares
refuses 5 "$cell: the cell is missing" validate deleted
refuses 5 "$cell: it is there twice" validate twice
refuses 5 "$cell: skipped, though it can be measured" validate moved
refuses 5 'x/n=1: the experiment has no such cell' validate unasked
refuses 5 'counts\.events\[0\]' validate negative
refuses 4 'schema version 4294967298\.0' validate schema
refuses 5 '^filterbench: deep: ' validate deep
refuses 5 'content_xxh3_128' validate unhashed
refuses 5 'content_xxh3_128 is missing' validate unhashed
for name in checksum unfinished; do
    refuses 5 'content_xxh3_128 is not that of the document' validate $name
done
python3 -c 'import json; d = json.load(open("smoke-2")); del d["experiment"]; json.dump(d, open("bare", "w"))'
refuses 5 "bare: .*experiment is missing" validate bare
refuses 2 'not JSON' validate cut
refuses 2 'not a result: it has no schema version; give a file that .filterbench run. wrote' export none --to md
refuses 2 "did you mean 'counts'" export smoke-2 --to count
refuses 2 '--to' export smoke-2

# Exports.
fb export smoke-2 --to csv >csv
fb export smoke-2 --to md >md
python3 - smoke-2 csv md <<'PYTHON' || fail "exports"
import csv, json, sys
document = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open(sys.argv[2])))
assert [r["id"] for r in rows] == [c["id"] for c in document["cells"]]
for row, cell in zip(rows, document["cells"]):
    assert int(row["fpr.events"]) == sum(cell["counts"]["events"]), row["id"]
    assert abs(float(row["fpr.estimate"]) - cell["fpr"]["estimate"]) < 1e-12, row["id"]
lines = [l for l in open(sys.argv[3]) if l.startswith("| ") and not l.startswith("| design")]
assert len(lines) == len(rows), (len(lines), len(rows))
PYTHON

# Where results go.
check "run fpr-smoke" -- fb run fpr-smoke "${quick[@]}" >table 2>note
[ -s results/runs/fpr-smoke.json ] || fail "no results/runs/fpr-smoke.json"
grep -q '^nori ' table && grep -q 'wrote results/runs/fpr-smoke.json' note || fail "table or note"
json "run --format json" -- fb run fpr-smoke "${quick[@]}" --format json
json "run -o -" -- fb run fpr-smoke "${quick[@]}" -o -
json "dry run" -- fb run fpr-smoke --dry-run --format json
refuses 74 'nowhere' run fpr-smoke "${quick[@]}" -o nowhere/result.json
# A measurement that cannot be written is printed all the same.
if [ -e /dev/full ]; then
    fb run fpr-smoke "${quick[@]}" -o /dev/full >printed 2>stderr
    [ $? = 74 ] && grep -q space stderr && grep -q '^nori' printed || fail "-o /dev/full: $(cat stderr)"
fi

# An experiment printed by --show-experiment is the experiment.
fb run fpr-smoke "${quick[@]}" --set keys=dec6 --set n=600 --show-experiment --format json >shown.json
fb run ./shown.json -o again >/dev/null 2>&1
python3 - shown.json again <<'PYTHON' || fail "--show-experiment"
import json, sys
shown, again = (json.load(open(path)) for path in sys.argv[1:])
assert again["experiment"] == shown
assert {c["id"].split("/", 2)[2] for c in again["cells"]} == {"n=600/dec6"}, again["cells"]
PYTHON

# Bad experiments and options.
refuses 2 "no preset 'fpr-smok', did you mean 'fpr-smoke'" run fpr-smok
refuses 2 'which experiment' run
refuses 2 'No such file' run nofile.json
echo '{"bits_per_key": [10], "filter": 3}' >typo.json
refuses 2 "typo.json: filter: unknown field, did you mean 'filters'" run ./typo.json
echo '{"bits_per_key": [10]' >cut.json
refuses 2 'cut.json: line [0-9]+: not JSON' run ./cut.json
refuses 2 '^filterbench: fpr-smoke: --bits-per-key: -1 is not accepted; give a number above 0' run fpr-smoke --bits-per-key=-1
echo '{"kind": "fpx", "bits_per_key": [10]}' >kind.json
refuses 2 "kind.json: kind: 'fpx' is no kind of experiment; give one of fpr, kernels" run ./kind.json
refuses 2 'kind: "kernels" is not accepted; give "fpr"' run fpr-smoke --set kind=kernels
refuses 2 '\-\-designs: not UTF-8' run fpr-smoke -d "$(printf 'nori,\377')"
refuses 2 'no cell can be measured: .* integer' run fpr-smoke -d nori -b 10.5
refuses 2 'not FIELD=VALUE' run fpr-smoke --set filters
refuses 2 'fpr-smoke: the experiment needs a file of keys; give --keys FILE' run fpr-smoke --set 'keys=["file"]'

# The user's own keys: repeats dropped, half held out.
{ seq 1 1000; seq 1 7; } >keys
check "--keys" -- fb run fpr-smoke -d leveldb -b 10 --set 'keys=["file"]' -k keys --filters 3 -o own \
    >/dev/null 2>note
grep -q '7 of 1007 keys are repeats' note || fail "no note about repeats"
check "validate --keys" -- fb validate own >/dev/null
python3 - own <<'PYTHON' || fail "--keys"
import json, sys
document = json.load(open(sys.argv[1]))
assert document["key_file"]["given"] == 1007 and document["key_file"]["dropped"] == 7
assert not [w for w in document["warnings"] if w["code"] == "few-keys"]
cell, = document["cells"]
assert cell["id"] == "leveldb/bpk=10/n=500/file" and cell["counts"]["probes_each"] == 500
PYTHON
# They are measured alone, unless others are asked for beside them.
for words in "=" "-n 100=" "-n 100,200=" "--set keys=random,file=random "; do
    fb run fpr-smoke -d leveldb -b 10 --filters 2 -k keys ${words%=*} -o own >/dev/null 2>&1
    [ "$(grep -o '"keys": "[a-z]*' own | cut -d'"' -f4 | sort -ru | tr '\n' ' ')" = "${words##*=}file " ] ||
        fail "--keys ${words%=*}: $(grep '"id"' own)"
done
: >empty
echo one >one
refuses 2 '0 distinct keys; give at least 2, because half' run fpr-smoke -k empty
refuses 2 '1 distinct key; give at least 2, because half' run fpr-smoke -k one
refuses 2 'nokeys' run fpr-smoke -k nokeys
printf 'one\ntwo\n' >two
check "two keys" -- fb run fpr-smoke "${quick[@]}" -k two -o two.json >/dev/null 2>&1
check "validate two keys" -- fb validate two.json >/dev/null
grep -q '"detail": "two: 2 distinct keys are few' two.json || fail "no warning about two keys"
printf 'i:1\ns:one\n' >typed
check "typed keys" -- fb run fpr-smoke "${quick[@]}" -k typed --keys-format typed --set keys=random,file -o typed.json \
    >/dev/null 2>&1
grep -q '"why"' typed.json || fail "nori takes typed keys?"

# Designs of one size take neither bits per key nor a rate: alone they refuse them and say their size and rate, beside
# others they are measured once, at that size, and marked; no output says what was asked for.
for asked in {fpr,icount,adversary,kernels,fjall-leveled}:-b:20 {fpr,kernels,smoke}:--fpr:0.01; do
    IFS=: read -r kind option value <<<"$asked"
    refuses 2 "^filterbench: $kind: xor-16 has only one size, [0-9.]+ bits per key for [0-9]+ keys, and so .* rate, 0.00153 %; leave out $option" \
        run $kind -d 'fuse-16,xor-*' $option $value
done
refuses 2 "fuse-16 has only one size" run fpr -d fuse-16 --set bits_per_key=20
check "its own size" -- fb run fpr -d fuse-16 -n 1000 --probes 100 --filters 2 -o own.json >own.table 2>/dev/null
check "beside others" -- fb run fpr -d nori,fuse-16,xor-8 -b 12,20,37 -n 1000 --probes 1000 --filters 2 -o beside.json \
    >beside.table 2>/dev/null
check "by rate" -- fb run fpr -d nori,fuse-8 --fpr 0.01,0.005 -n 1000 --probes 100 --filters 2 -o rate.json >rate.table 2>/dev/null
check "trees by rate" -- fb run smoke --ci -d nori,fuse-8 --fpr 0.01,0.005 --set keys=random --allocations uniform,monkey -o rates.json >rates.table 2>/dev/null
check "an older result" -- fb show "$source_folder/tests/golden/older_one_size.json" --verbose >older.table
grep -q '^fuse-8 ' older.table || fail "an older result: $(cat older.table)"
check "in trees" -- fb run smoke --ci -d nori,fuse-16 -b 12,37 --allocations uniform,drop-last -o trees.json >trees.table 2>/dev/null
check "attacks" -- fb run adversary --quick -d nori,fuse-16 -b 12,37 -n 500 --set attacks=colliding -o attacks.json >attacks.table 2>&1
for name in own beside rate rates trees attacks; do
    fb validate $name.json >/dev/null || fail "validate $name.json"
done
for table in own beside trees attacks; do
    grep -E 'fuse-16|xor-8' $table.table | grep -E '(^|[ =])(12|37)(\.0+)?( |$|/)' && fail "$table: what was asked of fuse-16"
done
grep -q '^fuse-16 ^ ' beside.table && grep -q '^xor-8 ^ ' beside.table && grep -q ' [\^]: the design has one size' beside.table || fail "not marked: $(cat beside.table)"
grep -q '^fuse-8 ^ ' rate.table || fail "not marked: $(cat rate.table)"
grep -q 'fuse-8 *own' rates.table && ! grep -q 'fuse-8.* %  *[0-9.]* *monkey' rates.table || fail "trees by rate: $(cat rates.table)"
python3 - <<'PYTHON' || fail "designs of one size"
import json
cells = lambda name: json.load(open(name + ".json"))["cells"]
ids = lambda name: [c["id"] for c in cells(name)]
assert ids("own") == ["fuse-16/n=1000/random"]
assert sorted(ids("beside")) == ["fuse-16/n=1000/random"] + [f"nori/bpk={b}/n=1000/random" for b in (12, 20, 37)] + ["xor-8/n=1000/random"]
assert sorted(ids("rate")) == ["fuse-8/n=1000/random"] + [f"nori/fpr={p}/n=1000/random" for p in (0.005, 0.01)]
assert not any(c["derived"] for c in cells("rate") if c["design"] == "fuse-8")
assert len([i for i in ids("rates") if "fuse-8" in i]) == 2 and not any("fuse-8/fpr" in i for i in ids("rates")), ids("rates")
for c in cells("beside"):
    if not c["design"] == "nori":
        assert c["params"]["bits_per_key"] is None and c["params"]["bits_per_key_reason"] == "its size is its own"
        assert c["fpr"]["bits_per_key"] == c["geometry"]["n_bytes"] * 8 / 1000 not in (12, 20, 37)
trees = [i for i in ids("trees") if "fuse-16" in i]
assert trees and len(trees) == len(set(trees)) and not any("bpk" in i for i in trees) and any("/drop-last/" in i for i in trees), trees
assert len([i for i in ids("trees") if "nori" in i]) == 2 * len(trees)
attacks = [c for c in cells("attacks") if c["design"] == "fuse-16"]
assert len(attacks) == 2 and len({c["bits_per_key"] for c in attacks}) == 1 and attacks[0]["bits_per_key"] not in (12, 37)
PYTHON
# Numbers of probes: where a design chooses them they are not asked for.
fb run fpr -d bloom-independent,sbbf-256,null -b 8,10 -n 500 --filters 2 --probes 500 --set k=3,7 -o probes >/dev/null 2>&1 || fail "k"
python3 - <<'PYTHON' || fail "numbers of probes"
import json
probes = json.load(open("probes"))
found = {c["id"]: (c["geometry"]["probes"], c["params"].get("k")) for c in probes["cells"]}
assert found == {"null/n=500/random": (0, None)} | {
    f"bloom-independent/bpk={b}/k={k}/n=500/random": (k, k) for b in (8, 10) for k in (3, 7)}, found
assert len(probes["skipped"]) == 4 and all("fixed by this design" in s["why"] for s in probes["skipped"])
PYTHON
check "validate probes" -- fb validate probes >/dev/null
refuses 2 "k: 0 is not accepted; give a number of probes" run fpr "${quick[@]}" --set k=0
# Memory that is lacking is no wrong usage.
got=0
(ulimit -v 400000 && fb run fpr -d fuse-8 -n 100M --filters 1 --probes 1000 -o oom.json 2>note) || got=$?
[ $got = 71 ] && grep -q 'out of memory' note || fail "out of memory: exit code $got: $(cat note)"
absent oom.json
finish
