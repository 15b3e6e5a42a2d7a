# What is printed of results: of small documents, whose numbers were worked out by hand, every line. Blanks beside each other
# count as one; how columns stand is test_table's.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

python3 - <<'PYTHON' || fail "documents"
import json
def document(kind, cells, **more):
    json.dump(dict({"schema": {"major": 2, "minor": 1}, "kind": kind, "cells": cells}, **more), open(kind + ".json", "w"))
between = lambda low, high: {"low": low, "high": high}

# 2^-7 is not within a tenth of 1 %, 2^-10 is of 0.1 %: 10 bits are 10/7 of the fewest, 14 bits 14/10.
def timed(design, operation, ns, ratio, low, high, hits=None, isa="avx2", **more):
    return dict({"design": design, "isa": isa, "style": "plain", "operation": operation, "footprint": "L1", "hit_ratio": hits,
                 "time": {"median": ns, "ratio_to": "x", "ratio": ratio, "ratio_ci95": between(low, high)}}, **more)
sized = lambda asked, predicted, bits: {"params": {"fpr": asked}, "predicted_fpr": predicted, "filter": {"bits_per_key": bits}}
built = lambda attempts: {"filter": {"n_keys": 100}, "build": {"attempts": attempts, "temporary_bytes": 1650}}
document("kernels", [timed("nori", "batch", 2.5, 1.25, 1.2, 1.3, 0, **sized(0.01, 2**-7, 10)),
    timed("nori", "batch", 12.25, 3, 2.9, 3.1, 0, **sized(0.001, 2**-10, 14), scaling=[
        {"threads": t, "per_s": 1e6 * t, "speedup": t, "speedup_low": t - 0.25, "speedup_high": t + 0.5} for t in (1, 2)]),
    timed("nori", "chain", 20, 0.5, 0.4, 0.6, 1), timed("sbbf-256", "chain", 40, 0.92, 0.9, 0.95, 1),
    timed("bloom-64", "chain", 50, 0.97, 0.95, 1, 1),
    timed("fuse-8", "build", 100, 4, 3.5, 4.5, **built(2)), timed("xor-8", "build", 200, 8, 7, 9, **built(1)),
    timed("cuckoo-12", "mixed", 30, 2, 1.5, 2.5, mixed={"refused": 7})],
    experiment={"loads": [0.75]}, skipped=[{"id": f"s/{i}", "why": "w"} for i in range(3)],
    warnings=[{"code": "budget", "detail": "late"}, {"code": "quick", "detail": "short"}], timing={
        "clock": "wall", "timer": {"overhead_ns": 21, "quantum_ns": 2}, "processes": 16, "rounds": 4, "stopped": "budget",
        "pinned_cpu": 3, "memory": {"ratio": 0.25}, "footprints": {"filter_bytes": {"L1": 12500, "L2": 1e6}},
        "noise": {"samples": 64, "samples_with_gap": 9, "samples_preempted": 5, "batches_repeated": 8}})

def tree(design, split, size, a, b, **more):
    cost = lambda ns, low, high: dict(cost_ns=ns, **between(low, high))
    return dict({"id": design + split, "design": design, "n": 1000, "keys": "dec6", "tree": {
        "style": "leveled", "order": "arrival", "levels": 2, "runs": 3, "segments": 4}, "filter": {"bytes": size},
        "params": {"hash": None, "bits_per_key": 10, "fpr": None, "prefix": None, "whole_key": True, "absent": 0.25,
                   "absent_kind": "in-gap", "cache_bytes": 2e6, "filter_residency": "partitioned", "allocation": split},
        "memory": {"bits_per_key": 10.5}, "costs": {"a": cost(*a), "b": cost(*b)}}, **more)
document("lsm", [tree("sbbf-256", "uniform", 4000000, (12000, 11000, 13000), (9000, 8500, 9500),
         reads={"by_cause": {"found": 0.5, "false": 0.0005, "index": 12}},
         build={"levels": [{"attempts": 3, "filters": 2, "temporary_bytes": 7000000},
                           {"attempts": 3, "filters": 2, "temporary_bytes": 5000000, "time": {"median": 150}}]},
         building={"rewrites": between(4, 7), "filter_bytes": between(6, 6), "cpu_ns": between(1500, 2500)},
         expectation={"z": -4.5, "data_blocks": 0.5, "simulated": 0.625}),
    tree("sbbf-256", "equal-rate", 5000000, (12500, 12500, 12600), (8000, 7900, 8100), scan_rates=[{
        "prefix": "fixed:3", "files_in_range": 4, "reads": 2, "reads_ci95": between(1.5, 2.5), "runs_pruned": 0.25,
        "skipped": 0.5, "read_in_vain": 0.125, "unread": 0.75}]),
    tree("nori", "uniform", 6000000, (20000, 19000, 21000), (8200, 8150, 8250)),
    tree("fuse-8", "uniform", 100000, (1000, 900, 1100), (1000, 900, 1100),
         per_filter={"ranked": False, "keys": 100, "rate": 0.01, "unscaled_keys": 200, "unscaled_rate": 0.02})],
    experiment={"scale": 2, "scans": 50}, devices=[{"name": "a", "read_ns": 20000, "about": {
        "reads": 500, "block_bytes": 4096, "bytes": 3000000, "path": "/d", "filesystem": "ext4", "page_cache": "kept"},
        "histograms": [{"percentiles": {"p50": 15000000, "p90": 20000000, "p99": None, "p99_9": 40000000}}]},
        {"name": "b", "read_ns": 9e6}],
    resources={"tree_s": 1, "build_s": 4, "keys_built": 8e6, "count_s": 2, "queries_counted": 3e6, "timing_s": 5, "peak_bytes": 6e9},
    timing={"independent": True, "clock": "thread_cpu", "caches": {"l1d_bytes": 2**15, "l2_bytes": 2**20, "l3_bytes": 3 * 2**20}})

def rates(design, n, params, fpr, **more):
    return dict({"design": design, "keys": "random", "n": n, "params": dict(capacity_factor=1, **params), "fpr": fpr}, **more)
some = [rates("nori", 1000, {"bits_per_key": 10}, {
        "bits_per_key": 10.25, "estimate": 0.01, "t95": between(0.009, 0.011), "model": {"kind": "simulated", "value": 0.02},
        "ratio": 0.5, "z": -4.5, "worst": 0.03, "wasted": 0.125}, derived=True, geometry={"probes": 7}),
    rates("exact", 1000, {"bits_per_key": None, "fpr": None}, {"estimate": 0, "upper95": 0.003, "z": 0.04}),
    rates("fuse-8", 1000, {"bits_per_key": None, "fpr": 0.001}, {
        "estimate": 0.005, "t95": None, "wilson95": between(0.0050001, 0.0050002), "model": {"value": 0.004}, "z": 2},
        counts={"builds": {"attempts": 20, "first_failed": 4, "failures": 1}})]
document("fpr", some + [rates("nori", n, {"bits_per_key": 10}, {"t95": between(0, 1)}) for n in range(1, 13)],
         skipped=[{"id": "s", "why": "w"}] * 14)

counted = lambda checks, fpr, reads: {"checks": checks, "fpr": fpr, "reads": reads}
around = lambda ns: dict(between(ns - 100, ns + 200), value=ns)
asked = lambda verdict, gets: {
    "observed": dict(counted(3.5, 0.01, 0.035), fpr_interval=between(0.005, 0.015), reads_interval=between(0.03, 0.04)),
    "predicted": counted(3.25, 0.02, 0.065), "by_table": {"reads": 0.125}, "verdict": verdict, "ns": around(gets)}
document("engine", [{"id": name, "filter": name, "own": name == "builtin", "design": "leveldb", "bits_per_key": 10, "filter_bytes": 1500,
    "tree": [{"level": 0, "tables": 2, "bytes": 1300000, "entries": 400, "filter_bytes": 600000},
             {"level": 1, "tables": 5, "bytes": 9800000, "entries": 800, "filter_bytes": 900000}],
    "rates": {"absent": asked("differs", 5000), "present": asked("within", 4000), "mixed": {"ns": around(4400)}}, "settings": "a = b",
    "costs": {"base": around(400), "check": around(200), "read": around(3000), "cold_read": around(1000), "cold_check": around(50), "found": None},
    "foretold": {"absent": {**around(4500), "p99": 5 * 10**6}, "present": {**around(4500), "p99": 6 * 10**6}, "mixed": around(4250)},
    "rank": {"observed": observed, "predicted": predicted}, "histograms": [
        {"percentiles": {"p50": x * 10**6, "p99": (x + 1) * 10**6, "p99_9": (x + 2) * 10**6}} for x in (1, 4)]}
    for name, observed, predicted in (("builtin", 2, 1), ("nori", 1, 1), ("fuse-8", 2, 3))],
    engine={"name": "leveldb", "version": "1.23", "n": 1200}, experiment={"keys": "pad40", "value_bytes": 100})

attack = lambda design, hash, n, attack, verdict: {
    "design": design, "hash": hash, "n": n, "bits_per_key": 10, "attack": attack, "verdict": verdict, "random": {"rate": 0.0125},
    "attacked": {"rate": 0.5, "interval": between(0.375, 0.625)}, "expected": 0.75, "tries_per_key": 81.5,
    "bits_per_found": 6.25, "counts": {"found": 200, "inserted": 30}}
document("attack", [attack("leveldb", None, 500, "offline", "falls"), attack("leveldb", None, 500, "flood", "holds"),
    attack("leveldb", None, 900, "offline", "undecided"), attack("leveldb", "siphash-2-4", 900, "offline", "holds"),
    attack("fuse-8", None, 500, "offline", "none found")], experiment={"tries": 1000})

count = lambda operation, hits, n, each, **more: dict({
    "design": "nori", "bits_per_key": 10, "filter": {"n_keys": n}, "isa": "avx2", "style": "plain", "operation": operation,
    "hit_ratio": hits, "per_operation": each}, **more)
document("icount", [count("batch", 0, 100, 4.5), count("batch", 1, 100, 6.25), count("insert", None, 100, 7),
                    count("batch", 0.25, 200, None, instructions_reason="no tool")])

# Lookups at two loads, of two kernels at one of them: a figure, whose data a report has as well.
at_load = lambda load, ns, isa: {
    "design": "nori", "footprint": "L1", "operation": "batch", "hit_ratio": 0, "params": {}, "load": load, "isa": isa,
    "filter": {"n_keys": 1000}, "time": {"median": ns, "ci95": between(ns * 0.8, ns * 1.25)}}
json.dump({"schema": {"major": 2, "minor": 1}, "kind": "kernels", "warnings": [{"code": "c", "detail": "d"}], "skipped": [
    {"id": "s", "why": "w"}] * 3, "cells": [at_load(0.75, 8, "avx2"), at_load(0.5, 8, "scalar"), at_load(0.5, 4, "avx2")]},
    open("loads.json", "w"))

# Of three parts one cell is whole, one was skipped.
json.dump({"schema": {"major": 2, "minor": 1}, "kind": "fpr", "cells": [{"id": "a", "n": 9}], "skipped": [{"id": "b", "why": "w"}],
           "merged": {"runs": 2, "machines": 1, "shards": {"of": 3, "there": [1, 2]}},
           "parts": {"x": {"fragments": [{"id": id} for id in "abc"]}}}, open("merged.json", "w"))
PYTHON
fb show --unchecked merged.json 2>stderr | grep -qx 'merged: 2 runs of 1 machine; 2 of 3 shards; 1 cell waits for the others' ||
    fail "what waits: $(fb show --unchecked merged.json | head -1)"
mkdir nothing
command[0]=$(command -v "${command[0]}") # an emulator is found where nothing else is
(PATH=$folder/nothing && fb report --unchecked loads.json -o loads.html 2>stderr)
sed 's/<[^>]*>/ /g; s/  */ /g; s/^ //; s/ $//' loads.html >loads
for row in '2 warnings, 3 not measured' 'nori L1 batch 0.5 2.5e+08 2e+08 3.125e+08 1000 avx2' \
    'nori L1 batch 0.75 1.25e+08 1e+08 1.5625e+08 1000 avx2'; do
    grep -qxF "$row" loads || fail "report: no '$row': $(grep nori loads)"
done
(PATH=$folder/nothing && fb report --unchecked lsm.json -o lsm.html 2>stderr)
sed 's/<[^>]*>/ /g; s/  */ /g' lsm.html | grep -q 'noriuniform nori 20000 19000 21000 nan a ' || fail "report of trees"

for kind in kernels lsm fpr engine attack icount; do
    fb show --unchecked --verbose $kind.json 2>stderr | tr -s ' ' | sed 's/^ //; s/ $//; /^warning: this result was not checked/d' >$kind.said
    { echo "== $kind" && uniq $kind.said; } >>said
done
[ "$(grep -cE '^left out: s: w(; and 2 more)?$' fpr.said)" = 12 ] || fail "what was left out: $(grep -c '^left out' fpr.said) lines"
fb show --unchecked fpr.json 2>stderr | grep -qx 'left out: s: w; and 10 more' || fail "what else was left out"
# Without --verbose the main table alone, which the card speaks of, and how many there are beside it.
more() {
    fb show --unchecked $1.json 2>stderr >main
    grep -q "^--verbose shows $2\. " main || fail "$1: not $2: $(tail -1 main)"
    grep -q "$3" main && grep -q "$4" $1.said && ! grep -q "$4" main || fail "$1: another table than the card's: $(cat main)"
}
more kernels '4 more tables' '^batch: L1, absent keys$' '^chain: present keys$'
more lsm '2 more tables' '^leveled: 1000 keys (dec6)' '^scans of prefixes'
more fpr '1 more table' '^10 bits/key, n = 1000' '^FPR 0.1 %, n = 1000'
more engine '3 more tables' '^Gets of absent keys' '^times, 10 bits/key'
more attack '3 more tables' '^10 bits/key, n = 500, each' '^the attacks that'
fb show --unchecked icount.json 2>stderr | grep -q 'more table' && fail "icount has a second table"
diff "$source_folder/tests/golden/tables.txt" said || fail "tables"

# What stands below tables has no long sentence either. A page of a result says which of its lines are such.
for kind in kernels lsm fpr engine attack icount; do
    (PATH=$folder/nothing && fb report --unchecked --verbose $kind.json -o below-$kind.html 2>stderr) || fail "report $kind"
done
python3 - <<'PYTHON' || fail "long sentences"
import glob, html, re, sys
wrong, n = [], 0
for name in sorted(glob.glob("below-*.html")):
    for footer in re.findall('<p class="quiet">(.*?)</p>', open(name).read(), re.S):
        for sentence in re.split(r"(?<=[.!?:])\s+", html.unescape(footer)):
            n += 1
            if len(sentence.split()) > 20:
                wrong.append(f"{name}: {len(sentence.split())} words: {sentence}")
print("\n".join(wrong))
sys.exit(bool(wrong) or n < 20)
PYTHON
finish
