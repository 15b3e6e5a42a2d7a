# run kernels: documents, tables, refusals. No clock value is looked at.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

tiny=(run kernels --quick -d sbbf-256,exact --budget 1s --set min_processes=2 --set max_processes=2
    --set rounds=1 --set cpu=none)

fb "${tiny[@]}" --footprints L1 --histograms -o one.json >table 2>notes || fail "quick: $(cat notes)"
grep -q '^batch: absent keys$' table || fail "no table"
grep -q 'not for publication' table || fail "--quick is not marked"
fb show one.json --verbose | grep -q '^left out: exact/L1/insert: ' || fail "exact's inserts are not left out"
grep -Eq '^filterbench: note: (no hardware counters: .+|wrote one.json)$' notes || fail "notes"
fb show one.json | grep -Eq '^ *Filters[^:]*: L1 [0-9.]+ MB\.$' || fail "filters of other footprints"
grep -q 'in brackets' table && fail "intervals of two processes are explained"
fb "${tiny[@]}" --footprints L1,L2 --operations each,chain --hit-ratios 0,0.5,1 --verbose -o hits.json \
    >table 2>/dev/null || fail "hit ratios"
grep -q '^chain: L2$' table || fail "no block per footprint"
grep -q 'absent keys.*50 % present.*present keys' table || fail "hit ratios are not side by side"

fb "${tiny[@]}" --footprints L1 --fpr 0.01,0.001 --set threads=[1,2] --verbose -o rates.json \
    >table 2>/dev/null || fail "rates"
grep -q '^batch: L1, absent keys$' table || fail "no block of sizes"
grep -q 'bits .* 1 % ns  *ratio .*bits .* 0.1 % ns  *ratio' table || fail "sizes are not side by side"
grep -Eq '^design  *kernel  *1 thread  *2 threads  speedup' table || fail "no table of threads"
fb run kernels --quick -d sbbf-256,fuse-8 --budget 1s --set min_processes=2 --set max_processes=2 --set rounds=1 --set cpu=none \
    --footprints L1 --operations inline,insert-inline,build-peer --verbose -o peers.json >table 2>/dev/null || fail "peers"
for line in '^inline: absent keys$' '^insert-inline: keys that are in already$' '^build-peer: all keys$' \
    '^sbbf-256 .* peer .* yardstick$' '^fuse-8 .* header ' '^fuse-8 .* library ' 'ratio: to the row that says yardstick'; do
    tr -s '\n' ' ' <table | cat table - | grep -q -- "$line" || fail "peers: no $line: $(cat table)"
done
for file in one.json hits.json rates.json peers.json; do
    fb validate "$file" >/dev/null 2>stderr || fail "validate $file: $(cat stderr)"
done

python3 - "$source_folder" <<'PYTHON' || fail "document"
import json, sys
one, hits, rates = (json.load(open(name)) for name in ("one.json", "hits.json", "rates.json"))
assert one["kind"] == "kernels" and one["run"]["complete"]
assert [w["code"] for w in one["warnings"]][0] == "quick"
ids = [cell["id"] for cell in one["cells"]]
assert len(ids) == len(set(ids))
for document in one, hits:
    by_id = {cell["id"]: cell for cell in document["cells"]}
    for cell in document["cells"]:
        time = cell["time"]
        assert len(time["samples_ns"]) == 2 and all(len(p) == 1 for p in time["samples_ns"])
        assert time["ratio_to"] is None or by_id[time["ratio_to"]]["time"]["ratio"] is None
        assert (cell["counters"] is None) == ("counters_reason" in cell)
for prefix in ("touch-32/L1/batch/absent/fastest", "fetch/L1/batch/absent/fastest", "null/L1/insert/",
               "sbbf-256/L1/batch/absent/", "sbbf-256/L1/insert/"):
    assert any(i.startswith(prefix) for i in ids), prefix
assert not any("/plain/" in i for i in ids)
for y in one["timing"]["yardsticks"]:
    assert y["ns"] == min(m["ns"] for m in y["members"]) and len(y["members"]) <= 24
assert [(y["design"], y["operation"]) for y in one["timing"]["yardsticks"]] == [
    (design, operation) for design in ("touch-32", "touch-64", "fetch") for operation in ("batch", "insert")]
kinds = [[h["kind"] for h in cell["histograms"]] for cell in one["cells"]]
assert all(k == ["batch64_mean", "single_op_gross", "timer_empty"] for k in kinds)
assert hits["cells"][0]["histograms"] is None
sbbf = [c for c in hits["cells"] if c["design"] == "sbbf-256" and c["operation"] == "chain"]
assert sorted({c["hit_ratio"] for c in sbbf}) == [0, 0.5, 1]
# At equal rates: as many keys, the fewest bits. sbbf-256 takes 10.53 for 1 %.
sized = [c for c in rates["cells"] if c["design"] == "sbbf-256" and c["operation"] == "batch"]
assert [c["params"]["fpr"] for c in sized] == [0.01, 0.001]
assert all("/L1/fpr=%g/" % c["params"]["fpr"] in c["id"] for c in sized)
assert all(0.98 < c["predicted_fpr"] / c["params"]["fpr"] <= 1 for c in sized)
assert 10.4 < sized[0]["filter"]["bits_per_key"] < 10.7
assert sized[0]["filter"]["n_keys"] == int(12500 * 8 / 9.5850583)
# Threads, of batches of absent keys; the yardsticks' too.
for cell in rates["cells"]:
    measured = cell["operation"] == "batch" and cell["design"] != "null"
    assert (cell["scaling"] is not None) == measured, cell["id"]
    if measured:
        assert [p["threads"] for p in cell["scaling"]] == [1, 2]
        assert cell["scaling"][0]["speedup"] == 1
assert one["cells"][0]["scaling"] is None and one["cells"][0]["scaling_reason"]
rates["cells"][0]["scaling"][1]["samples_per_s"][0] *= 9
rates["cells"][0]["scaling"][1]["samples_per_s"][7] *= 9
rates["cells"][0]["scaling"][1]["speedup"] *= 1.1
json.dump(rates, open("rates_altered.json", "w"))
peers = json.load(open("peers.json"))
headers = [c for c in peers["cells"] if c["style"] in ("header", "library")]
assert sorted(c["operation"] for c in headers) == ["build-peer"] + 4 * ["inline"] + 2 * ["insert-inline"], headers
for c in headers:
    assert c["time"]["ratio_to"] == c["id"].replace(c["style"], "peer") != c["id"], c["time"]["ratio_to"]
headers[0]["style"] = "peer"
json.dump(peers, open("peers_altered.json", "w"))

# A sample that was changed is found.
for samples in "samples_ns", "samples_cpu_ns":
    one["cells"][0]["time"][samples][0][0] *= 1.5
json.dump(one, open("altered.json", "w"))

def write(name, change):
    document = json.load(open("one.json"))
    sbbf = next(i for i, c in enumerate(document["cells"]) if c["design"] == "sbbf-256")
    change(document, document["cells"], sbbf)
    json.dump(document, open(name + ".json", "w"))

write("hit_ratio", lambda d, cells, i: cells[i].update(hit_ratio=0.5))
for member, value in (("n_keys", 1), ("bytes", 1), ("probes", 1), ("bits_per_key", 9.0),
                      ("synthetic_fill", True), ("checksum", "0x0000000000000001")):
    write(member, lambda d, cells, i: cells[i]["filter"].update({member: value}))
write("deleted", lambda d, cells, i: cells.pop(i))
write("twice", lambda d, cells, i: cells.append(cells[i]))
for member, value in (("processes", 3), ("rounds", 2), ("clock", "none"), ("precision", 0.5),
                      ("huge_pages_asked", True), ("memory", {"ratio": 0.5, "time": 0.5})):
    write("timing_" + member, lambda d, cells, i: d["timing"].update({member: value}))
write("timing_yardsticks", lambda d, cells, i: d["timing"]["yardsticks"][0].update(ahead=8))
write("caches", lambda d, cells, i: d["timing"]["footprints"].update(l2_bytes=4096))
# What the verdict does not read, changed to what could be: no time of the thread is above that of the wall.
other, factor = ("samples_cpu_ns", 0.95) if one["timing"]["clock"] == "wall" else ("samples_ns", 1.05)
write("samples", lambda d, cells, i: cells[i]["time"].update(
    {other: [[x * factor for x in process] for process in cells[i]["time"][other]]}))
PYTHON
fb validate "$source_folder/results/reference/kernels.json" >/dev/null || fail "reference"
refuses 5 'is not what the facts give' validate altered.json
refuses 5 'inline.*style: this filterbench has it otherwise' validate peers_altered.json
refuses 5 'scaling.*is not what the facts give' validate rates_altered.json
refuses 5 'sbbf-256/L1/.*hit_ratio: this filterbench has it otherwise' validate hit_ratio.json
for member in n_keys bytes probes bits_per_key synthetic_fill; do
    refuses 5 "sbbf-256/L1/.*filter.$member: " validate $member.json
done
for member in processes rounds clock precision huge_pages_asked memory yardsticks; do
    refuses 5 "timing_$member.json: timing.$member.*(is not (that|what)|it is not)" validate timing_$member.json
done
refuses 5 'filter.checksum is not that' validate checksum.json
refuses 5 'sbbf-256/L1/.*the cell is missing' validate deleted.json
refuses 5 'sbbf-256/L1/.*there twice' validate twice.json
refuses 5 'timing.footprints.filter_bytes.*is not what the facts give' validate caches.json
refuses 5 'content_xxh3_128 is not' validate samples.json

# Loads, and operations mixed at a steady one: a table of loads, inserts of new keys apart.
fb run kernels --quick -d cuckoo-12,quotient,nori --footprints L1 --budget 1s -b 20 --set loads=[0.75,0.95] \
    --operations insert,mixed --set min_processes=2 --set max_processes=2 --set rounds=1 --set cpu=none --verbose -o loads.json \
    >table 2>notes || fail "loads: $(cat notes)"
for heading in 'insert: L1, keys that are in already' 'insert of new keys: L1, up to as many as it is to hold' \
    'mixed: L1, a third each goes, is looked up and comes'; do
    grep -A1 -Fx "$heading" table | grep -Eq 'load 0.75 .*load 0.95' || fail "no '$heading': $(cat table)"
done
sed -n '/^insert of new/,/^mixed/p' table | grep -Eq '^(nori|null) .*-' && fail "inserts of keys that are in among new ones"
tr '\n' ' ' <table | grep -q 'ratio: to the row that says yardstick' || fail "what inserts are held to"
fb validate loads.json >/dev/null || fail "validate loads"
fb export loads.json --to csv | head -1 | grep -q 'mixed.refused' || fail "no counts of mixed operations in the csv"
python3 - "$source_folder" <<'PYTHON' || fail "loads"
import json, sys
loads = json.load(open("loads.json"))
cells = {c["id"].rsplit("/", 1)[0]: c for c in loads["cells"]}
mixed = cells["cuckoo-12/L1/load=0.95/mixed"]
assert mixed["load"] == 0.95 and mixed["mixed"]["fewest_in"] <= mixed["filter"]["n_keys"]
assert mixed["mixed"]["inserts"] >= mixed["filter"]["n_keys"]
assert cells["cuckoo-12/L1/load=0.75/mixed"]["mixed"]["fewest_in"] == cells["cuckoo-12/L1/load=0.75/insert"]["filter"]["n_keys"] + 2048
why = {row["id"]: row["why"] for row in loads["skipped"]}
assert "slots" in why["quotient/L1/load=0.95"] and "removes" in why["nori/L1/load=0.75/mixed"]
mixed["mixed"]["denied"] = 1
json.dump(loads, open("loads_denied.json", "w"))
mixed["mixed"]["denied"] = 0
mixed["load"] = 0.9
json.dump(loads, open("loads_load.json", "w"))
PYTHON
refuses 5 'mixed.denied: it is not 0' validate loads_denied.json
refuses 5 'load: this filterbench has it otherwise' validate loads_load.json

# Facts of the filters: equal in every run, and in any other selection of designs.
for file in one again; do
    [ $file = one ] || fb "${tiny[@]}" --footprints L1 -o again.json >/dev/null 2>&1 || fail again
    fb export $file.json --to counts -o $file.counts || fail "export counts"
done
python3 - <<'PYTHON' || fail "counts"
import json
one, again = (json.load(open(f)) for f in ("one.counts", "again.counts"))
assert one["cells"] == again["cells"] and one["cells"][0]["filter"]["checksum"]
assert not any("time" in cell for cell in one["cells"])
PYTHON
fb export one.json --to csv -o one.csv || fail "csv"
[ "$(wc -l <one.csv)" = $(($(grep -c '"id": ".*/.*/.*/' one.json) + 1)) ] || fail "lines of the csv"
fb export one.json --to md | grep -q '^| sbbf-256 |' || fail "md"
mkdir hgrm
fb export one.json --to hgrm -o hgrm 2>/dev/null || fail "hgrm"
awk '$1 + 0 > 0 && NF == 4 { n++; d = $4 * (1 - $2); bad += d < 0.98 || d > 1.02 } END { exit !n || bad }' \
    hgrm/*.single_op_gross.hgrm || fail "the last column is not 1 / (1 - percentile)"
grep -q '^#\[Mean' hgrm/sbbf-256_L1_insert_*.single_op_gross.hgrm || fail "no histogram of inserts"
refuses 2 'no histograms' export hits.json --to hgrm -o hgrm
refuses 2 'give a folder' export one.json --to hgrm

# The whole grid, without measuring it.
json "dry run" -- fb run kernels --full --dry-run --format json
json "experiment" -- fb run kernels --show-experiment --format json
fb run kernels --dry-run --isa all >cells || fail "--isa all"
grep -q '^sbbf-256/L1/batch/absent/scalar-' cells || fail "no scalar kernel"

refuses 2 "--isa: there is no instruction set 'avx9', did you mean 'avx2'\? \(give one of best, all, scalar" run kernels --isa avx9
refuses 2 "--operations: there is no operation 'guess' \(give all or some of batch" run kernels --operations guess
refuses 2 'threads: 1024 threads on [0-9]+ cores would wait for each other; give counts up to' run kernels --set threads=[1,1024]
refuses 2 'max_processes: below min_processes' run kernels --set max_processes=1
for kind in kernels fjall-leveled; do
    refuses 2 "^filterbench: $kind: cpu: this process may not run on processor 4095; give auto, none, or one of [0-9][-0-9,]*\$" \
        run $kind --set cpu=4095 --dry-run
done
some=$(python3 -c "import os; print(*sorted(os.sched_getaffinity(0))[:2])")
taskset -c "${some/ /,}" "${command[@]}" run kernels --set cpu=4095 --dry-run 2>said
told=$(sed 's/.*one of //; s/-/ /; s/,/ /' said)
[ "$told" = "$some" ] || fail "processors: $(cat said)"
refuses 2 'styles: there is no style' run kernels --set styles=ugly
refuses 2 '\-\-n is for experiments of kind fpr.*, and kernels is of kind kernels; .filterbench run kernels --help. shows' run kernels -n 10
refuses 2 '\-\-keys is for experiments of kind fpr.*, and kernels is of kind kernels; .filterbench run kernels --help. shows' run kernels --keys table
refuses 2 '\-\-threads is for experiments of kind fpr.*, and kernels is of kind kernels; .filterbench run kernels --help. shows' run kernels --threads 1
refuses 2 '\-\-quick is for experiments of kind kernels.*, and fpr-smoke is of kind fpr; .filterbench run fpr-smoke --help. shows' run fpr-smoke --quick
refuses 2 '\-\-isa is for experiments of kind kernels.*, and fpr-smoke is of kind fpr; .filterbench run fpr-smoke --help. shows' run fpr-smoke --isa x
refuses 2 '\-\-quick and --full exclude each other' run kernels --full --quick
FB_DISABLE_ISA=all refuses 2 'this machine has no avx2, .*; give best, all, scalar' run kernels --isa avx2
finish
