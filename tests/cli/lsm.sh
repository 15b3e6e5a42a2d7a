# run on trees: counts equal everywhere, documents, refusals, a user's own keys. No clock value is
# looked at.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

# Every preset's short form against the committed counts, byte for byte; each is a valid document.
bash "$source_folder/scripts/lsm_counts" counts.json "${command[@]}" || fail "short forms"
cmp counts.json "$source_folder/results/reference/lsm-ci.counts.json" ||
    fail "counts of the presets: where a change is meant, scripts/lsm_counts writes them again"

# The same whatever the threads and instruction sets.
fb run fjall-leveled --ci -o one.json --threads 1 --verbose >table 2>/dev/null || fail "one thread"
fb run fjall-leveled --ci -o two.json --threads 2 >/dev/null 2>&1 || fail "two threads"
FB_DISABLE_ISA=all fb run fjall-leveled --ci -o scalar.json >/dev/null 2>&1 || fail "scalar"
for file in one two scalar; do
    fb export $file.json --to counts -o $file.counts || fail "counts of $file"
    cmp one.counts $file.counts || fail "counts of $file differ"
done
grep -q '^leveled: .* 4 levels, 7 runs' table || fail "no heading"
grep -q '^No filter is best here: none has the false-positive rate that it has at scale 1' table || fail "a best of filters of 45 keys"
grep -Eq '^ *- +fjall-1 +1 % +9\.6 .* 45 +1\.[0-9]+ +1\.[0-9]+ ' table || fail "no delivered bits per key"
grep -q 'us/query: CPU time' table && grep -q '=: the difference from the first row is within the noise' table || fail "legend"
[ "$(wc -L <table)" -le 160 ] || fail "a table $(wc -L <table) wide"

# Splits of the same memory: the best one spends it.
fb run monkey --ci --set levels=4 --design rocksdb-fastlocal -o split.json \
    >table 2>/dev/null || fail "splits"
grep -Eq ' optimal .* (9[789]\.[0-9]|100\.0) %$' table || fail "memory unspent"
grep -Eq ' drop-last .* [0-9.]+ %$' table || fail "no share of the last level dropped"

# Times: two lookups, two processes; validated, and found out where edited.
fb run smoke --ci --set keys=dec6 --set timed=true --set rounds=1 --set min_processes=2 \
    --set max_processes=2 --set budget=1 --set cpu=none -o timed.json >table 2>notes ||
    fail "timed: $(cat notes)"
grep -q 'shared-digest' table || fail "no lookup in the table"
grep -q 'Fewer than 16 processes measured the times. Their intervals' table || fail "no note of few processes"
grep -q '^= *2 ' table || fail "told apart without an interval"
for file in one.json timed.json; do
    fb validate "$file" >/dev/null 2>stderr || fail "validate $file: $(cat stderr)"
    fb validate "$file" >/dev/null || fail "validate $file"
done
fb export timed.json --to csv -o timed.csv || fail "csv"
fb export timed.json --to md | grep -q '^| 1 | leveldb |' || fail "md"
python3 - <<'PYTHON' || fail "documents"
import csv, json
timed = json.load(open("timed.json"))
rows = list(csv.DictReader(open("timed.csv")))
lookups = [l for cell in timed["cells"] for l in cell["lookups"]]
assert [r["lookup"] for r in rows] == [l["lookup"] for l in lookups]
assert len({l["id"] for l in lookups}) == len(lookups) == 2 * len(timed["cells"])
for cell in timed["cells"]:
    assert sum(r["bytes"] for r in cell["runs"]) == cell["filter"]["bytes"]
    rehash, shared = cell["lookups"]
    assert cell["timed"] == {"batch": 0, "pages": "own"} and cell["control"]["ratio"] is None
    for time in cell["control"], rehash["time"], shared["time"]:
        assert time["independent"] and time["clock"] == timed["timing"]["clock"]
        assert all(len(p) == 1 for p in time["samples_ns"]) and time["processes"] == 2
    assert rehash["digests"] > 1.5 and shared["digests"] == 1
    assert rehash["time"]["ratio"] is None and shared["time"]["ratio_to"] == "rehash-each"
    for level in cell["build"]["levels"]:
        build = level["time"]
        assert build["unit"] == "ns_per_key" and 1 <= build["processes"] <= 2 and build["ratio"] is None
        assert level["filter_keys"] > 0
    assert cell["building"]["cpu_ns"]["low"] > 0 and cell["building"]["cpu_ns_ci95"] is None
    parts = rehash["parts"]
    assert abs(sum(parts[k] for k in ("walk_ns", "hash_ns", "probe_ns")) - rehash["time"]["median"]) < 1e-6
def edited(name, change):
    copy = json.loads(json.dumps(timed))
    copy.pop("content_xxh3_128", None)
    change(copy["cells"][0])
    json.dump(copy, open(name, "w"))
edited("counts-edited.json", lambda c: c["counts"].update(read_false=c["counts"]["read_false"] + 1))
edited("runs-edited.json", lambda c: c["counts"]["run_false"].__setitem__(0, 9999))
edited("model-edited.json", lambda c: c["expectation"].update(z=0.5))
def slower(cell):
    for clock in "samples_ns", "samples_cpu_ns":
        cell["lookups"][1]["time"][clock][0][0] = 1e6
edited("times-edited.json", slower)
edited("build-edited.json", lambda c: c["build"]["levels"][0]["time"]["samples_ns"].append([1.5]))
edited("built-edited.json", lambda c: c["building"]["cpu_ns"].update(low=1))
edited("clock-edited.json", lambda c: c["control"].update(clock="other"))
edited("known-edited.json", lambda c: c["lookups"][0]["time"].pop("independent"))
edited("batch-edited.json", lambda c: c["timed"].update(batch=-1))
edited("bound-edited.json", lambda c: c["lookups"][1].update(bound="walk"))
def moved(document, number):
    cell = document["cells"].pop(number)
    document["skipped"].append({"id": cell["id"], "why": "no time"})
    document.pop("content_xxh3_128", None)
    json.dump(document, open("skipped-edited.json", "w"))
moved(json.load(open("one.json")), 1)
edited("missed-edited.json", lambda c: c["counts"].update(false_negatives=3))
PYTHON
refuses 5 'skipped, though it can be measured' validate skipped-edited.json
refuses 5 "breaks the rule '.*read_false" validate counts-edited.json
refuses 5 "breaks the rule '.*run_false" validate runs-edited.json
refuses 5 '(is not what the facts give|z_reason says why it is null)' validate model-edited.json
refuses 5 'is not what the facts give' validate times-edited.json
refuses 5 'time: it breaks the rule .processes = length' validate build-edited.json
refuses 5 'building.* is not what the facts give' validate built-edited.json
refuses 5 'clock: it is not one of' validate clock-edited.json
refuses 5 'is not what the facts give' validate known-edited.json
refuses 5 'timed.batch: -1 is below 0' validate batch-edited.json
refuses 5 'bound is not what' validate bound-edited.json
refuses 5 "breaks the rule '.*false_negatives" validate missed-edited.json

# What is known from the experiment, or from other facts, and then what only the hash can tell.
python3 - <<'PYTHON' || fail "edits of facts"
import json
one = json.load(open("one.json"))
del one["content_xxh3_128"]
cell = one["cells"][0]
def edited(name, path):
    *names, last = path.split(".")
    at = cell
    for each in names:
        at = at[int(each) if each.isdigit() else each]
    before = at[last]
    at[last] = not before if isinstance(before, bool) else \
        "none" if isinstance(before, str) else (before or 0) + 1
    json.dump(one, open(f"fact-{name}.json", "w"))
    at[last] = before
for path in """tree.levels tree.runs tree.segments tree.units tree.unit_keys tree.order n keys
        runs.2.level runs.2.bits_asked runs.2.rate_asked params.bits_per_key params.cache_bytes
        params.whole_key params.absent counts.range_checks counts.pruned counts.io_squares
        counts.memtable_searches counts.read_bytes""".split():
    edited(path.split(".")[-1] + "-" + path.split(".")[0], path)
json.dump(one, open("no-hash.json", "w"))
one["kind"] = "fpr"
json.dump(one, open("kind-edited.json", "w"))
PYTHON
[ "$(ls fact-*.json | wc -l)" = 20 ] || fail "edits of facts: $(ls fact-*)"
for file in fact-*.json; do
    name=${file#fact-}
    refuses 5 "[.: ]${name%-*}( does not fit|: )|breaks the rule '.*${name%-*}" validate "$file"
done
refuses 5 'content_xxh3_128 is missing' validate no-hash.json
refuses 5 '^filterbench: kind-edited.json: kind is not that of the experiment .lsm.; the file was changed' validate kind-edited.json

# Notes stand behind what was printed before them.
fb run smoke --ci -o noted.json >both 2>&1 || fail "noted"
tail -1 both | grep -q 'wrote noted.json' || fail "a note amid the table: $(grep -n 'wrote noted' both)"
fb compare one.json scalar.json >/dev/null || fail "compare"

# Memtables are searched, and what they find is what the tree holds: with updates and deletions.
fb run fjall-leveled --ci --set memtables=2 --set memtable_keys=50 --set updates=0.3 \
    --set tombstones=0.5 --absent 0.5 --set holder=popularity -o memtables.json >/dev/null 2>&1 || fail "memtables"
fb validate memtables.json >/dev/null || fail "validate memtables"
python3 - <<'PYTHON' || fail "comparisons"
import json
document = json.load(open("memtables.json"))
for cell in document["cells"]:
    counts = cell["counts"]
    assert counts["deleted"] and counts["memtable_found"]
    assert 3 * counts["memtable_searches"] < counts["memtable_comparisons"]
    assert counts["memtable_comparisons"] < 30 * counts["memtable_searches"]
document.pop("content_xxh3_128")
document["cells"][0]["counts"]["memtable_found"] += 1
json.dump(document, open("found-edited.json", "w"))
PYTHON
refuses 5 "breaks the rule '.*memtable_found" validate found-edited.json

# A user's own keys, half of them held out; and what is wrong with files.
seq 1 3000 | sed 's/^/user-/' >keys
seq 1 500 | sed 's/^/user-/' >>keys
fb run fjall-leveled --keys keys --set timed=false --queries 2000 -o own.json >table 2>notes ||
    fail "own keys: $(cat notes)"
grep -q '500 of 3500 keys are repeats' notes || fail "repeats are not told"
grep -q '^leveled: 1500 keys (file), 1 levels, 1 runs, 1 segments' table || fail "own keys: $(head -1 table)"
fb validate own.json >/dev/null || fail "validate own keys"
: >none
refuses 2 '^filterbench: none: 0 distinct keys' run fjall-leveled --keys none
refuses 2 '^filterbench: nowhere: ' run fjall-leveled --keys nowhere
echo one >single
refuses 2 'single: 1 distinct key; give at least 2' run fjall-leveled --keys single
seq 1 10 >few
refuses 2 'few: n: of 10 distinct keys 5 are left for the runs, .* 7 runs need one each' \
    run fjall-leveled --keys few --set levels=4
seq -f "%0300000.0f" 1 20 >long
refuses 2 'long: segment_bytes, scale: .*mean length 3e.05.* less than 1; give segment_bytes of [0-9]+' \
    run fjall-leveled --keys long --scale 1000
refuses 2 'segment_bytes, scale: 1 bytes hold 0 keys .mean length 16,.* give segment_bytes of' run smoke --set segment_bytes=1
refuses 2 'len32' run fjall-leveled --keys keys --keys-format len33
refuses 2 'keys: the experiment needs a file of keys; give --keys FILE' run fjall-leveled --set keys=file
refuses 2 'ci: null is not accepted' run <(echo '{"kind": "lsm", "bits_per_key": 10}') --ci
refuses 2 'give a larger --scale' run fjall-leveled --scale 0.01
refuses 2 'ci is for experiments of kind lsm' run kernels --ci
refuses 2 'keys: the experiment does not ask for the file of --keys' run smoke --keys keys --set keys=url
refuses 2 'keys-format is for a file of keys; give --keys FILE too' run smoke --keys-format lines
refuses 2 'trace-format is for a trace; give --trace FILE too' run smoke --trace-format ops
refuses 2 'histograms: nothing is timed; leave out --histograms or --ci' run smoke --ci --histograms
refuses 2 'memtables: they are empty; give memtable_keys' run smoke --set memtables=2
refuses 2 'memtable_keys: no memtable; give memtables' run smoke --set memtable_keys=2
refuses 2 'evict_every: no cache to evict from' run smoke --set cache_bytes=0 --set evict_every=9
refuses 2 'latest:THETA .0 to 100' run smoke --set popularity=latest:1000
fb run smoke --set cache_bytes=1Ki --show-experiment --format json >set.json || fail "cache_bytes=1Ki"
fb run smoke --cache 1024 --show-experiment --format json | cmp -s - set.json || fail "--cache and cache_bytes"
check "-d null" -- fb run fjall-leveled -d null,always --dry-run >plan
grep -q '/null/' plan && grep -q '/always/' plan || fail "-d null,always: $(cat plan)"

# Scans of a prefix: what filters hold and which order keys came in decide what is read.
fb run course-prefix --ci -o scans.json --threads 1 --verbose >table 2>/dev/null || fail "scans"
grep -q '^scans of prefixes, 1000 each' table || fail "no table of scans"
grep -q '^   flat 10000 norad arrival .* key+fixed:3 fixed:3 ' table || fail "lines of scans"
fb run course-prefix --ci -o scans-two.json --threads 2 >/dev/null 2>&1 || fail "scans, two threads"
fb compare scans.json scans-two.json >/dev/null || fail "scans differ by threads"
fb export scans.json --to md | grep -q '^| flat 10000 norad | shuffle ' || fail "scans as md"
fb validate scans.json >/dev/null || fail "validate scans"
fb export scans.json --to csv -o scans.csv || fail "scans as csv"
python3 - <<'PYTHON' || fail "scans"
import csv, json
document = json.load(open("scans.json"))
rows = list(csv.DictReader(open("scans.csv")))
assert len(rows) == len(document["cells"])
for cell, row in zip(document["cells"], rows):
    for prefix in ("fixed:3", "fixed:5"):
        scan = [s for s in cell["scans"] if s["prefix"] == prefix]
        assert row[f"scans.{prefix}.skipped"] == (str(scan[0]["skipped"]) if scan else "")
    files, held = cell["tree"]["segments"], cell["params"]["prefix"]
    assert [s["prefix"] for s in cell["scans"]] == ([held] if held else ["fixed:3", "fixed:5"])
    for s, r in zip(cell["scans"], cell["scan_rates"]):
        read = s["read_true"] + s["read_false"]
        in_range = read + s["skipped"]
        assert s["false_negatives"] == 0 and s["scans"] == 1000
        assert in_range + s["pruned"] == s["range_checks"] == 1000 * files
        assert s["asked"] == (in_range if held else 0)
        assert abs(r["unread"] - (s["pruned"] + s["skipped"]) / s["range_checks"]) < 1e-12
        assert r["reads_ci95"]["low"] <= r["reads"] <= r["reads_ci95"]["high"]
        assert held or r["skipped"] == 0
        if held == "fixed:5" and cell["tree"]["order"] == "shuffle":
            assert r["skipped"] > 0.9 and 0.001 < r["read_in_vain"] < 0.02
def edited(name, change, cell=3):
    copy = json.loads(json.dumps(document))
    copy.pop("content_xxh3_128", None)
    change(copy["cells"][cell])
    json.dump(copy, open(name, "w"))
edited("scan-reads.json", lambda c: c["scans"][0].update(read_false=c["scans"][0]["read_false"] + 1))
edited("scan-skips.json", lambda c: c["scans"][0].update(skipped=10**6))
edited("scan-rates.json", lambda c: c["scan_rates"][0].update(skipped=0.5))
edited("scan-missed.json", lambda c: c["scans"][0].update(false_negatives=2))
for name in "range_squares", "range_reads", "io_squares", "range_checks", "memtable_searches":
    edited(f"scan-{name}.json",
           lambda c: c["scans"][0].update({name: c["scans"][0][name] + 1}), 0)
edited("scan-less.json", lambda c: c.pop("scan_rates"))
PYTHON
refuses 5 "breaks the rule '.*read_true" validate scan-reads.json
refuses 5 "breaks the rule 'asked" validate scan-skips.json
for name in range_squares range_reads io_squares range_checks memtable_searches; do
    refuses 5 "breaks the rule '.*$name" validate scan-$name.json
done
refuses 5 'skipped is not what' validate scan-rates.json
refuses 5 'false negatives' validate scan-missed.json
refuses 5 'is not what the facts give' validate scan-less.json
refuses 2 'scans: no prefix to scan for; give scan_prefix' run smoke --set scans=5
refuses 2 "scan_prefix: 'none' is not accepted \\(a scan needs a prefix" run smoke --set scans=5 --set scan_prefix=none
refuses 2 "prefixes: 'fixd:3' is not accepted, did you mean 'fixed:N'" run smoke --set prefixes=fixd:3

# Every design as a tree's filters: of files and of LevelDB's blocks, of keys and with prefixes, of
# a size of its own by level, rebuilt by compaction.
designs=$(fb list designs --format json | python3 -c 'import json, sys
print(json.dumps([d["name"] for d in json.load(sys.stdin)["designs"] if not d["control"]]))')
tree='"kind": "lsm", "style": "leveled", "l0": 2, "ratio": 3, "levels": 3, "value_bytes": 100, "segment_bytes": 40000,
      "keys": "dec6", "queries": 300, "absent": 0.5, "timed": false, "designs": '$designs
echo "{$tree, \"fpr\": 0.01, \"prefixes\": [\"none\", \"fixed:4\"]}" >files-tree.json
echo "{$tree, \"bits_per_key\": 20, \"filter_unit\": \"block\", \"scan_prefix\": \"fixed:4\", \"scans\": 50}" >blocks-tree.json
echo "{$tree, \"run_bits\": [16, 10, -1]}" >by-level-tree.json
for kind in files blocks by-level; do
    fb run $kind-tree.json --verbose -o $kind.json >$kind.table 2>stderr || fail "designs, $kind: $(cat stderr)"
    fb validate $kind.json >/dev/null || fail "validate designs, $kind"
done
python3 - "$designs" <<'PYTHON' || fail "designs in trees"
import json, sys
designs = json.loads(sys.argv[1])
assert len(designs) >= 31
for name, each, skipped in ("files", 2, []), ("blocks", 1, []), ("by-level", 1, ["fuse-16", "xor-16"]):
    document = json.load(open(name + ".json"))
    assert [s["id"].split("/")[2] for s in document["skipped"]] == skipped
    assert all("needs at least" in s["why"] for s in document["skipped"])
    built = [c["design"] for c in document["cells"]]
    assert sorted(built) == sorted([d for d in designs if d not in skipped] * each)
    for cell in document["cells"]:
        levels, building = cell["build"]["levels"], cell["building"]
        assert [l["level"] for l in levels] == [l["level"] for l in building["levels"]] == [0, 1, 2]
        assert all(l["attempts"] >= l["filters"] for l in levels)
        # Level 2 takes three portions: (3 + 1) / 2 to 3 + 1 rewrites.
        assert [(round(l["rewrites"]["low"], 2), round(l["rewrites"]["high"], 2))
                for l in building["levels"]] == [(1, 1), (1, 2), (2, 4)]
        assert building["rewrites"] == {"low": 4, "high": 7}
        assert (building["hashed_bytes"] is None) == bool(cell["params"]["prefix"])
        for low in "low", "high":
            wanted = sum(l["rewrites"][low] * sum(r["bytes"] for r in cell["runs"] if r["level"] == l["level"]) /
                         sum(r["keys"] for r in cell["runs"] if r["level"] == l["level"])
                         for l in building["levels"])
            assert abs(building["filter_bytes"][low] - wanted) < 1e-9
        if name == "by-level":
            assert levels[2]["filters"] == 0 and building["levels"][2]["filter_bytes"]["high"] == 0
attempts = {c["design"]: sum(l["attempts"] - l["filters"] for l in c["build"]["levels"])
            for c in json.load(open("blocks.json"))["cells"]}
assert attempts["fuse-8"] > 0 and attempts["sbbf-256"] == attempts["cuckoo-12"] == 0
# A filter more than there are files; more attempts than each of its filters may take; fewer bytes than the keys' digests.
document = json.load(open("files.json"))
del document["content_xxh3_128"]
level = next(c for c in document["cells"] if c["design"] == "fuse-8")["build"]["levels"][1]
for member, value in ("filters", level["filters"] + 1), ("attempts", level["filters"] * level["most_attempts"] + 1), (
        "temporary_bytes", 8 * level["filter_keys"] - 1):
    before, level[member] = level[member], value
    json.dump(document, open(f"level-{member}.json", "w"))
    level[member] = before
PYTHON
for member in filters attempts temporary_bytes; do
    refuses 5 "/fuse-8/.*build.$member" validate level-$member.json
done
grep -q '^what building filters costs a key' files.table || fail "no table of builds"
grep -Eq '^ *leveled [0-9]+ dec6 .* bloom-64 1 % .* 4-7 +6\.1-10\.7 ' files.table || fail "builds of bloom-64"

# Nothing is run.
fb run fjall-leveled --dry-run | grep -q 'leveled/pad40/sbbf-512/fpr=0.01/uniform/absent=1 ' ||
    fail "no dry run"
json "dry run" -- fb run monkey --dry-run --format json
json "shown" -- fb run monkey --show-experiment --format json
fb describe fjall-tiered-24 | grep -q '^runtime  *[0-9a-z]' || fail "describe"
absent results
finish
