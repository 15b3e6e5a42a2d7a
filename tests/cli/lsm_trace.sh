# run on a trace: hits, misses and deletions against a model in Python, formats, refusals. No clock
# value is looked at.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder
small=(--set designs=sbbf-512 --bits-per-key 10 --set style=leveled --set l0=2
    --set ratio=3 --set timed=false)

# A few thousand operations on some thousand keys, the same in three formats; what the last write to
# each key says is what its gets find.
python3 - <<'PYTHON' || fail "traces"
import json, random
draw = random.Random(5)
last, gets, ops = {}, [], []
for i in range(8000):
    key, kind = f"key {draw.randrange(2500):04d}", draw.choices("gpd", (5, 4, 1))[0]
    size = draw.randrange(50, 200)
    ops.append((kind, key, size))
    if kind == "g":
        gets.append(key)
    else:
        last[key] = kind
with open("ops", "w") as f:
    f.write("# made up\n\n")
    for kind, key, size in ops:
        f.write(f"{kind} {key.replace(' ', '%20')}{f' {size}' if kind == 'p' else ''}\n")
    f.write("s key%200000 key%200100 10\n")
with open("twitter", "w") as f:
    for kind, key, size in ops:
        op = {"g": "get", "p": "set", "d": "delete"}[kind]
        f.write(f"0,{key},{len(key)},{size if kind == 'p' else 0},1,{op},0\n")
with open("kvgen", "w") as f:
    for kind, key, size in ops:
        f.write({"g": "Q", "p": "I", "d": "D"}[kind] + " " + key.replace(" ", "_"))
        f.write((" " + "v" * size if kind == "p" else "") + "\n")
json.dump({"gets": len(gets), "present": sum(last.get(k) == "p" for k in gets),
           "puts": sum(o[0] == "p" for o in ops), "deletes": sum(o[0] == "d" for o in ops),
           "keys": len({o[1] for o in ops}), "live": sum(v == "p" for v in last.values()),
           "not_found": sum(last.get(k) != "p" for k in gets),
           "distinct_absent": len({k for k in gets if k not in last})}, open("model.json", "w"))
PYTHON

trace=(run fjall-leveled "${small[@]}" --set trace_memtable_bytes=8000)
for format in ops twitter kvgen; do
    fb "${trace[@]}" --trace $format --trace-format $format -o $format.json >$format.table \
        2>notes || fail "$format: $(cat notes)"
    fb validate $format.json >/dev/null 2>stderr || fail "validate $format: $(cat stderr)"
    fb validate $format.json >/dev/null || fail "validate $format"
done
fb "${trace[@]}" --trace ops -o again.json --threads 1 >/dev/null 2>notes || fail "one thread"
grep -q '^filterbench: note: ops: 1 scans are left out' notes || fail "scans: $(cat notes)"
for name in ops again; do fb export $name.json --to counts -o $name.counts; done
cmp ops.counts again.counts || fail "counts depend on threads or format"
fb "${trace[@]}" --set style=tiered --cache 0,64Ki --trace ops -o tiered.json >/dev/null 2>&1 ||
    fail "tiered"
fb validate tiered.json >/dev/null || fail "validate tiered"
fb "${trace[@]}" --trace ops --set timed=true --set rounds=1 --set min_processes=1 \
    --set max_processes=1 --set budget=1 --set cpu=none -o timed.json >/dev/null 2>notes ||
    fail "timed: $(cat notes)"
fb validate timed.json >/dev/null || fail "validate timed"

python3 - <<'PYTHON' || fail "counts"
import json
model = json.load(open("model.json"))
for name in ("ops", "twitter", "kvgen", "tiered", "timed"):
    document = json.load(open(name + ".json"))
    about = document["key_file"]
    assert about["trace"]["gets"] == model["gets"] and about["trace"]["puts"] == model["puts"]
    assert about["trace"]["deletes"] == model["deletes"]
    assert about["given"] - about["dropped"] == model["keys"], about
    for cell in document["cells"]:
        counts, traced = cell["counts"], cell["tree"]["trace"]
        assert counts["queries"] == model["gets"]
        assert counts["present"] == model["present"], (name, counts["present"], model["present"])
        assert counts["absent"] + counts["deleted"] == model["not_found"]
        assert counts["deleted"] > 0 and counts["false_negatives"] == 0
        assert abs(cell["params"]["absent"] - counts["absent"] / counts["queries"]) < 1e-12
        assert sum(run["keys"] for run in cell["runs"]) == cell["n"] >= model["live"]
        assert traced["entries_put"] == model["puts"] + model["deletes"]
        assert traced["flushes"] > 10 and traced["merges"] > 2
        rewrites = cell["building"]["rewrites"]
        assert rewrites["low"] == rewrites["high"]
        assert abs(rewrites["low"] * traced["entries_put"] - traced["entries_written"]) < 1e-6
        assert len(cell["runs"]) > 2 and abs(cell["expectation"]["z"]) < 5
        assert abs(sum(run["holder_share"] for run in cell["runs"]) - 1) < 1e-9
        memtables = [n for run, n in zip(cell["runs"], counts["run_held"]) if run["memtable"]]
        assert len(memtables) == 1 and counts["memtable_found"] == memtables[0] > 0
        assert counts["memtable_comparisons"] > counts["memtable_searches"] == counts["queries"]
        held = sum(counts["run_held"])
        assert held == counts["present"] + counts["deleted"]
        for run, n in zip(cell["runs"], counts["run_held"]):
            assert abs(run["holder_share"] - n / held) < 1e-9
assert len(json.load(open("tiered.json"))["cells"]) == 2
PYTHON
grep -q '^leveled: .* keys (trace), ' ops.table || fail "heading: $(head -1 ops.table)"
grep -q 'gets$' <(fb "${trace[@]}" --trace ops --dry-run 2>/dev/null | awk '{print $1}') ||
    fail "no dry run"

fb "${trace[@]}" --trace ops --set trace_memtable_bytes=1e9 -o one.json >table 2>&1 || fail "one"
grep -q '^warning: .* the memtable holds all of the trace' table || fail "nothing said: $(cat table)"

# What is wrong is told, with its line.
refuse() {
    local words=$1
    shift
    refuses 2 "$words" "${trace[@]}" -o none.json "$@"
}
printf 'g a\np a 1\nq a\n' >bad
refuse 'bad: line 3: accepted are g KEY, p KEY VLEN' --trace bad
printf 'g a\np a\n' >bad
refuse 'bad: line 2: p takes a key and the bytes of its value' --trace bad
refuse 'twitter: line 1: accepted are g KEY' --trace twitter
refuse 'ops: line 1: seven fields are accepted' --trace ops --trace-format twitter
refuse "trace-format: 'twiter': give ops, twitter or kvgen, did you mean 'twitter'" --trace ops \
    --trace-format twiter
printf 'p a 1\n' >bad
refuse 'bad: 0 gets and 1 puts' --trace bad
printf 'g a\n' >bad
refuse 'bad: 1 gets and 0 puts' --trace bad
refuse 'nowhere: ' --trace nowhere
refuse 'needs a trace; give --trace FILE' --set keys=trace --set absent=0
refuse 'exclude each other' --trace ops --keys ops
refuse 'absent: a trace says' --trace ops --absent 0.5
refuse "style: 'flat': a trace is compacted as leveled or tiered" --trace ops --set style=flat
refuse 'n: a trace says how many' --trace ops -n 5
refuse 'l0: a trace needs' --trace ops --set l0=0
refuses 2 'trace is for experiments of kind lsm' run kernels --trace ops
absent none.json results
finish
