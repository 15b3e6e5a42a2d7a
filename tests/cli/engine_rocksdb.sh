# filterbench engine --engine rocksdb: its own filters say what ours of the same keys say, and every
# Get reads as many data blocks as predicted.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder TMPDIR=$PWD/databases
mkdir databases alone

# A copy of the tool has no drivers beside it.
cp "$executable" alone/filterbench
"${command[@]/#$executable/$PWD/alone/filterbench}" engine smoke --engine rocksdb >stdout 2>stderr
[ $? = 2 ] && grep -q "^filterbench: rocksdb is not built in, as there is no .*/filterbench_engine_rocksdb.so; install filterbench-engines; in a source tree install librocksdb-dev and g++, then type: cmake " stderr ||
    fail "not built in: $(cat stderr)"

[ -e "$(dirname "$executable")/filterbench_engine_rocksdb.so" ] || {
    [ $failures = 0 ] || exit 1
    echo "skipped: built without RocksDB"
    exit 77
}

refuses 2 "bloom/bpk=10: Gets of this engine ask for no compactions; leave seeks=live out" engine smoke --engine rocksdb --set seeks=live
refuses 2 "leveldb/bpk=10: the engine takes its own filters only" engine smoke --engine rocksdb -d leveldb

# Without -d the designs are those that RocksDB builds.
small=(fjall-leveled --engine rocksdb -b 8 -n 30k --queries 10k)
fb engine --verbose "${small[@]}" -o e.json >table 2>log || fail "engine: $(cat log)"
[ "$(grep -c '  equal' table)" = 4 ] || fail "not equal: $(cat table)"
grep -q "^rocksdb [0-9.]*: 30000 keys" table || fail "no version: $(cat table)"
python3 - <<'PYTHON' || fail "what was read"
import json
cells = {c["filter"]: c for c in json.load(open("e.json"))["cells"]}
assert {name: c["design"] for name, c in cells.items()} == {"bloom": "rocksdb-fastlocal", "ribbon": "rocksdb-ribbon"}
for cell in cells.values():
    assert len(cell["tree"]) > 1 and sum(level["entries"] for level in cell["tree"]) == 30000
    for stream, counts in cell["observed"].items():
        predicted = cell["predicted"][stream]
        assert all(counts[name] == predicted[name] for name in predicted if name not in ("cold_checks", "cold_reads", "read_bins") and counts[name] is not None)
        assert cell["differ"][stream] == 0 and counts["gets"] == 10000
    absent = cell["observed"]["absent"]
    rates = cell["rates"]["absent"]
    assert absent["found"] == 0 and absent["checks"] - absent["negatives"] > 400
    # What RocksDB's filters let through, within the interval of ours: it is the same.
    interval = rates["predicted"]["fpr_interval"]
    assert interval["low"] < rates["observed"]["fpr"] < interval["high"]
    assert rates["observed"]["fpr"] == rates["predicted"]["fpr"]
bits = {name: 8 * c["filter_bytes"] / 30000 for name, c in cells.items()}
assert 8 <= bits["bloom"] < 8.1 and bits["ribbon"] < 0.75 * bits["bloom"], bits
assert "filter_policy = ribbonfilter:8:-1; " in cells["ribbon"]["settings"]
assert "no_block_cache = true; " in cells["ribbon"]["settings"]
PYTHON
check "validate" -- fb validate e.json >/dev/null
check "again" -- fb engine "${small[@]}" -o again.json >/dev/null 2>&1
check "the same counts" -- fb compare e.json again.json >/dev/null

# ---- What Gets cost: a profile of one database, and what it foretells of another ----
cost=(cost -n 60k --queries 8k --set file_bytes=1Mi --set write_buffer_bytes=256Ki)
check "engine cost" -- fb engine --verbose "${cost[@]}" -b 6,8 -o cost.json >table 2>log
check "validate" -- fb validate cost.json >/dev/null
grep -q "^  ribbon (rocksdb-ribbon), partitioned  " table || fail "no partitioned filters: $(cat table)"
check "foretold" -- fb engine --verbose "${cost[@]}" -b 7 --set keys=url --set seed=0x9 --io cost.json -o foretold.json >table 2>log
check "validate" -- fb validate foretold.json >/dev/null
grep -q "foretold" table || fail "no column: $(cat table)"
python3 - <<'PYTHON' || fail "costs"
import json
cost, foretold = (json.load(open(name + ".json")) for name in ("cost", "foretold"))
assert len(cost["cells"]) == 12 and all(c["rates"][s]["verdict"] == "equal" for c in cost["cells"] for s in ("absent", "present"))
for cell in cost["cells"]:
    hits, absent = cell["observed"]["absent"], cell["predicted"]["absent"]
    # In the block cache each filter that is asked is looked for, and the index where it says maybe.
    if cell["residency"] != "pinned":
        assert hits["filter_hits"] + hits["filter_reads"] == absent["checks"], cell["id"]
        assert hits["index_hits"] + hits["index_reads"] == absent["checks"] - absent["negatives"], cell["id"]
    # The costs explain the streams that they are fitted to.
    for stream in (cell["rates"][name] for name in ("absent", "present")):
        assert abs(stream["fitted"]["value"] / stream["ns"]["value"] - 1) < 0.01, (cell["id"], stream)
    assert cell["costs"]["read"] and cell["groups"][0]["checks"] == 0
by = {c["id"]: c for c in cost["cells"]}
assert by["bloom/bpk=8/filters=cached"]["database"] == "bloom/bpk=8" # the same files
parts = by["bloom/bpk=8/filters=partitioned"]
assert parts["filters"] > by["bloom/bpk=8"]["filters"] and parts["by_table"]
# Of the same filter in the same place: on the line through both sizes at as many Gets of absent keys that come within 8
# Gets behind a read as there are here, no further out than they are apart; of keys that are found the mean of both.
works = ("check", "checks"), ("cold_check", "cold_checks"), ("read", "data_reads"), ("cold_read", "cold_reads"), ("found", "found")
def work_of(cell, stream):
    counts = cell["predicted"][stream]
    return {count: counts[count] / counts["gets"] for _, count in works}
behind = lambda work: 1 - max(0, 1 - work["data_reads"]) ** 8
def profile(cell, work):
    of = [c for c in cost["cells"] if (c["filter"], c["residency"]) == (cell["filter"], cell["residency"])]
    at = [behind(work_of(c, "absent")) for c in of]
    apart = max(at) - min(at)
    assert len(of) == 2 and apart > 0.01
    wanted = min(max(behind(work), min(at) - apart), max(at) + apart)
    first = (1 - work["found"]) * (wanted - at[1]) / (at[0] - at[1]) + work["found"] / 2
    term = lambda c, name: (c["costs"][name] or {"value": 0})["value"]
    ns = [term(c, "base") + sum(term(c, name) * work[count] for name, count in works) for c in of]
    return first * ns[0] + (1 - first) * ns[1]
for cell in foretold["cells"]:
    absent, present = (work_of(cell, stream) for stream in ("absent", "present"))
    # Of mixed Gets half are for absent keys.
    streams = {"absent": absent, "present": present, "mixed": {count: (absent[count] + present[count]) / 2 for count in absent}}
    for stream, work in streams.items():
        assert abs(profile(cell, work) / cell["foretold"][stream]["value"] - 1) < 1e-9, (cell["id"], stream)
    laps = sorted(cell["times"]["mixed"]["laps_ns"])
    assert laps[(len(laps) - 1) // 2] <= cell["rates"]["mixed"]["ns"]["value"] <= laps[len(laps) // 2]
# Of single Gets: those that read as many blocks take as long as in the profile, but for what the means of the costs tell.
def singly(cell, stream, quantile):
    cells = [c for c in cost["cells"] if (c["filter"], c["residency"]) == (cell["filter"], cell["residency"])]
    mean = lambda of: sum(map(of, cells)) / len(cells)
    counts = lambda c: c["predicted"][stream]
    # A term that a cell does not know is 0 there.
    term = lambda name: mean(lambda c: c["costs"][name]["value"] if c["costs"][name] else 0)
    per_get = lambda c, name: counts(c)[name] / counts(c)["gets"]
    cold_of = lambda c: counts(c)["cold_reads"] / counts(c)["data_reads"]
    checks = sum(term(name) * (per_get(cell, count) - mean(lambda c: per_get(c, count)))
                 for name, count in (("check", "checks"), ("cold_check", "cold_checks")))
    cold = term("cold_read") * (cold_of(cell) - mean(lambda c: per_get(c, "cold_reads")) / mean(lambda c: per_get(c, "data_reads")))
    read = term("read") + term("cold_read") * cold_of(cell)
    bins = lambda kind: [pair for c in cells for h in c["histograms"] if h["kind"] == kind for pair in h["bins"]]
    times = [bins("get_absent_0"), bins(f"get_{stream}_1")]
    few = sum(n for _, n in times[1]) < 100
    all = []
    for k, n in enumerate(counts(cell)["read_bins"]):
        with_read = bool(k) and not few
        of = times[with_read]
        more = checks + cold * with_read + (k - with_read) * read
        all += [(1.0078 * ps + 1e3 * more, n * times / sum(m for _, m in of)) for ps, times in of]
    sum_, total = 0, sum(weight for _, weight in all)
    for ps, weight in sorted(all):
        sum_ += weight
        if sum_ >= quantile * total:
            return ps
for cell in foretold["cells"]:
    for stream in "absent", "present":
        told = cell["foretold"][stream]
        # By ranks: where a busy machine makes two sorts of Gets, the median may lie between them.
        assert 0.97 * singly(cell, stream, 0.46) <= told["p50"] <= 1.03 * singly(cell, stream, 0.54), (cell["id"], stream, singly(cell, stream, 0.5), told)
        # Two quantiles beside it, since few of 8000 draws lie above.
        assert 0.95 * singly(cell, stream, 0.985) < told["p99"] < 1.05 * singly(cell, stream, 0.995), (cell["id"], stream, told)
assert foretold["profile"]["content_xxh3_128"] == cost["content_xxh3_128"]
PYTHON
check "plot" -- fb plot foretold.json -o drawn >/dev/null 2>&1
python3 - <<'PYTHON' || fail "what is drawn"
import json
rows = [line.split("\t") for line in open("drawn/engine-times.dat").read().splitlines()]
column = {name: i for i, name in enumerate(rows[0])}
cells = [(c, s) for c in json.load(open("foretold.json"))["cells"] for s in ("absent", "present", "mixed")]
assert len(rows) == 1 + len(cells) == 19
for row, (cell, stream) in zip(rows[1:], cells):
    assert abs(float(row[column["reference"]]) / (cell["foretold"][stream]["value"] / 1e3) - 1) < 1e-4, (cell["id"], row)
    assert abs(float(row[column["value"]]) / (cell["rates"][stream]["ns"]["value"] / 1e3) - 1) < 1e-4, (cell["id"], row)
PYTHON
check "another kind" -- fb run smoke --ci -o plain.json >/dev/null 2>&1
refuses 2 "plain.json: it says nothing of what Gets cost; 'filterbench engine cost -o FILE' makes a profile" engine "${cost[@]}" --io plain.json
refuses 4 "cost.json: it is a profile of data blocks of 4096 bytes, and these have 8192" engine "${cost[@]}" --io cost.json --set block_bytes=8192
# A cache smaller than its filters reads them again and again, and is no profile.
check "small cache" -- fb engine --verbose "${cost[@]}" -d rocksdb-fastlocal -b 12 --set filter_residency=cached --set cache_bytes=32Ki --set cache_fits=false -o small.json >table 2>log
python3 - <<'PYTHON' || fail "small cache"
import json
reads = lambda name, bits: next(c for c in json.load(open(name))["cells"] if c["residency"] == "cached" and c["filter"] == "bloom" and c["bits_per_key"] == bits)["observed"]["absent"]
few, all = reads("cost.json", 8), reads("small.json", 12)
assert few["filter_reads"] < 100 < 1000 < all["filter_reads"] <= all["checks"], (few, all)
PYTHON
refuses 4 "small.json: its cache is smaller than its filters .cache_fits=false., and such costs are of that size alone" run fjall-leveled -d rocksdb-fastlocal --io small.json --set filter_residency=cached
refuses 4 "cost.json: it is a profile of rocksdb, and this is leveldb" engine smoke --engine leveldb --io cost.json

# advise takes it, and the answer says so.
check "advise" -- fb advise -n 200k -d rocksdb-fastlocal,rocksdb-ribbon,leveldb --io cost.json --filter-residency partitioned --budget 3 --queries 20k -o advice.json >table 2>log
check "validate" -- fb validate advice.json >/dev/null
python3 - <<'PYTHON' || fail "advise --io"
import json
cost, advice = (json.load(open(name + ".json")) for name in ("cost", "advice"))
term = lambda name, design: [c["costs"][name]["value"] for c in cost["cells"] if c["residency"] == "partitioned" and (not design or c["design"] == design)]
mean = lambda x: sum(x) / len(x)
e = advice["experiment"]
cold = lambda c, name: c["costs"][name]["value"] + (c["costs"]["cold_" + name] or {"value": 0})["value"]
reads = [cold(c, "read") for c in cost["cells"] if c["residency"] == "partitioned"]
assert abs(advice["answer"]["read_ns"] / mean(reads) - 1) < 1e-4, (advice["answer"]["read_ns"], reads)
assert {c["design"]: round(c["ns"], 3) for c in e["engine_checks"]} == {
    d: round(mean([cold(c, "check") for c in cost["cells"] if (c["residency"], c["design"]) == ("partitioned", d)]), 3) for d in ("rocksdb-fastlocal", "rocksdb-ribbon")}
assert e["costs_from"].startswith("rocksdb 7") and ", 60000 keys, filters partitioned, reads from page-cache, 20" in e["costs_from"]
# No filter at all: the engine's base, and a read for each run.
none = next(r for r in advice["answer"]["ranking"] if r["design"] is None)
assert abs(none["cpu_ns"]["value"] / mean(term("base", None)) - 1) < 1e-6, none
PYTHON
# run takes it: a query costs base, a check for each filter that is asked, and its reads.
lsm=(fjall-leveled -n 200k --scale 64 --queries 20k --ci --io cost.json)
check "run --io" -- fb run "${lsm[@]}" -d rocksdb-fastlocal,rocksdb-ribbon --set filter_residency=cached -o lsm.json >table 2>log
check "validate" -- fb validate lsm.json >/dev/null
grep -q "us/query is of an engine (rocksdb 7.*, 60000 keys, filters cached, reads from page-cache, " table || fail "no engine: $(cat table)"
python3 - <<'PYTHON' || fail "run --io"
import json
cost, lsm = (json.load(open(name + ".json")) for name in ("cost", "lsm"))
cached = [c for c in cost["cells"] if c["residency"] == "cached"]
mean = lambda name, design: (lambda x: sum(x) / len(x))([(c["costs"][name] or {"value": 0})["value"] for c in cached if design in (None, c["design"])])
for cell in lsm["cells"]:
    counts, paid = cell["counts"], cell["costs"][lsm["devices"][0]["name"]]
    assert counts["asked"] > counts["queries"]
    check = mean("check", cell["design"]) + mean("cold_check", cell["design"])
    wanted = mean("base", None) + check * counts["asked"] / counts["queries"]
    assert abs((paid["cost_ns"] - paid["io_ns"]) / wanted - 1) < 1e-6, (cell["id"], paid, wanted)
PYTHON
fb run "${lsm[@]}" >table 2>log
[ $? = 2 ] && grep -q "^filterbench: fjall-leveled: designs: the profile does not say what asking fjall-1 costs an engine; give designs that it has, -d rocksdb-fastlocal$" log ||
    fail "designs that the profile lacks: $(cat log)"
grep -q "note: cost.json: made with 60000 keys; such small tables stay in the processor's caches" log || fail "a small profile is not noted: $(cat log)"
refuses 4 "cost.json: it is a profile of data blocks of 4096 bytes, and these have 8192" run "${lsm[@]}" -d rocksdb-fastlocal --set block_bytes=8192
refuses 2 "run: --io FILE and --set device= exclude each other; give one of them" run "${lsm[@]}" -d rocksdb-fastlocal --set device=nvme
refuses 2 "run: --io names no device and no file that can be read; give nvme" run fjall-leveled --ci --io nope.json
refuses 2 "cache_fits: there is no cache; give cache_bytes too, 1Mi" engine fjall-leveled --engine rocksdb --set cache_fits=false
refuses 2 "run: --io: a file of 'engine cost' is taken for filters in one place" run "${lsm[@]}" -d rocksdb-fastlocal --set 'filter_residency=["pinned","cached"]'
refuses 2 "run: --reads is for a file of 'engine cost'; give it with --io FILE" run fjall-leveled --reads direct
refuses 2 "cost.json: it does not tell what filters and reads cost with filters pinned and reads from direct; it has filters pinned from page-cache, cached from page-cache, partitioned from page-cache" advise -n 200k --io cost.json --reads direct
refuses 4 "cost.json: it is a profile of rocksdb, and this is leveldb" advise -n 200k --io cost.json --engine leveldb
grep -q "another machine" log && fail "its own machine is another one: $(cat log)"
sed 's/"cpu_model": *"[^"]*"/"cpu_model": "another"/' cost.json >foreign.json
refuses 5 "content_xxh3_128" advise -n 200k --io foreign.json
check "of other reads" -- fb engine --verbose fjall-leveled --engine rocksdb -d rocksdb-fastlocal -n 30k --queries 2k --set reads=direct --io cost.json >table 2>log
grep -q "the profile of --io has no such filters, read in this way" table || fail "nothing is said of what is not foretold: $(cat table)"
[ -z "$(ls databases)" ] || fail "left behind: $(ls databases)"
finish
