# export --to gbench: the fields that Google Benchmark's compare.py reads, held against the samples.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

kernels=$source_folder/results/reference/kernels.json
json "kernels" -- fb export "$kernels" --to gbench
fb export "$kernels" --to gbench -o kernels.gbench || fail "kernels"
fb run smoke --ci --set keys=dec6 --set timed=true --set rounds=3 --set min_processes=2 \
    --set max_processes=2 --set budget=1 --set cpu=none -o tree.json >/dev/null 2>&1 || fail "a timed tree"
fb export tree.json --to gbench -o tree.gbench || fail "tree"

python3 - "$kernels" <<'PYTHON' || fail "fields"
import json, statistics, sys

def times(document):
    for cell in document["cells"]:
        if cell.get("time"):
            yield cell["id"], cell["time"]
        if cell.get("control"):
            yield cell["id"] + "/control", cell["control"]
        for lookup in cell.get("lookups", []):
            yield cell["id"] + "/" + lookup["lookup"], lookup["time"]

def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))

def check(result, exported):
    result, exported = json.load(open(result)), json.load(open(exported))
    context = exported["context"]
    assert context["date"] == result["run"]["started"] and context["num_cpus"] == result["machine"]["cores"]
    assert context["library_build_type"] == result["build"]["type"].lower()
    assert {(c["level"], c["size"]) for c in context["caches"]} == {
        (int(name[1]), size) for name, size in (result["machine"]["caches_bytes"] or {}).items() if size}
    entries = exported["benchmarks"]
    expected = dict(times(result))
    assert list(dict.fromkeys(e["run_name"] for e in entries)) == list(expected)
    for family, (name, time) in enumerate(expected.items()):
        own = [e for e in entries if e["run_name"] == name]
        n = len(time["samples_ns"])
        assert all(e["family_index"] == family and e["repetitions"] == n and e["threads"] == 1 and
                   e["time_unit"] == "ns" and e["per_family_instance_index"] == 0 for e in own)
        single = [e for e in own if e["run_type"] == "iteration"]
        assert [e["repetition_index"] for e in single] == list(range(n))
        assert all(e["name"] == name and e["iterations"] == time["rounds"] for e in single)
        whole = {e["aggregate_name"]: e for e in own if e["run_type"] == "aggregate"}
        assert list(whole) == ["mean", "median", "stddev", "cv"] and len(own) == n + 4
        for field, samples in ("real_time", "samples_ns"), ("cpu_time", "samples_cpu_ns"):
            ns = [statistics.median(process) for process in time[samples]]
            assert all(near(e[field], x) for e, x in zip(single, ns)), name
            sd = statistics.stdev(ns)
            for aggregate, x in (("mean", statistics.mean(ns)), ("median", statistics.median(ns)),
                                 ("stddev", sd), ("cv", sd / statistics.mean(ns))):
                assert near(whole[aggregate][field], x), (name, aggregate)
                assert whole[aggregate]["name"] == name + "_" + aggregate
                assert whole[aggregate]["aggregate_unit"] == ("percentage" if aggregate == "cv" else "time")
    return list(expected)

assert "null/L1/batch/absent" in " ".join(check(sys.argv[1], "kernels.gbench"))
names = check("tree.json", "tree.gbench")
assert any(n.endswith("/control") for n in names) and any("shared-digest" in n for n in names), names
document = json.load(open("tree.json"))
del document["content_xxh3_128"]
del document["cells"][0]["lookups"][0]["time"]["samples_ns"][0][0]
json.dump(document, open("short.json", "w"))
for governor in "powersave", "performance":
    document = json.load(open(sys.argv[1]))
    document["timing"]["settings"] = {"governor": governor}
    json.dump(document, open(governor + ".json", "w"))
PYTHON
for scaled in powersave:true performance:false; do
    fb export --unchecked ${scaled%:*}.json --to gbench 2>stderr | grep -q "\"cpu_scaling_enabled\": ${scaled#*:}" || fail "$scaled"
done
fb export --unchecked short.json --to gbench 2>&1 | grep -q 'its samples cannot be read' || fail 'short'
fb run fpr-smoke -d nori -b 10 -n 300 -o rates.json >/dev/null 2>&1 || fail "rates"
refuses 2 'no times in the result' export rates.json --to gbench
finish
