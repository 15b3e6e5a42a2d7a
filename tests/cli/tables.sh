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
document("kernels", [
    timed("nori", "batch", 2.5, 1.25, 1.2, 1.3, 0, **sized(0.01, 2**-7, 10)),
    timed("nori", "batch", 12.25, 3, 2.9, 3.1, 0, **sized(0.001, 2**-10, 14), scaling=[
        {"threads": t, "per_s": 1e6 * t, "speedup": t, "speedup_low": t - 0.25, "speedup_high": t + 0.5} for t in (1, 2)]),
    timed("nori", "chain", 20, 0.5, 0.4, 0.6, 1), timed("sbbf-256", "chain", 40, 1.5, 0.9, 1.6, 1),
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
document("lsm", [
    tree("sbbf-256", "uniform", 4000000, (12000, 11000, 13000), (9000, 8500, 9500),
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
some = [
    rates("nori", 1000, {"bits_per_key": 10}, {
        "bits_per_key": 10.25, "estimate": 0.01, "t95": between(0.009, 0.011), "model": {"kind": "simulated", "value": 0.02},
        "ratio": 0.5, "z": -4.5, "worst": 0.03, "wasted": 0.125}, derived=True, geometry={"probes": 7}),
    rates("exact", 1000, {"bits_per_key": None, "fpr": None}, {"estimate": 0, "upper95": 0.003, "z": 0.04}),
    rates("fuse-8", 1000, {"bits_per_key": None, "fpr": 0.001}, {
        "estimate": 0.005, "t95": None, "wilson95": between(0.0050001, 0.0050002), "model": {"value": 0.004}, "z": 2},
        counts={"builds": {"attempts": 20, "first_failed": 4, "failures": 1}})]
document("fpr", some + [rates("nori", n, {"bits_per_key": 10}, {"t95": between(0, 1)}) for n in range(1, 13)],
         skipped=[{"id": "s", "why": "w"}] * 14)

counted = lambda checks, fpr, reads: {"checks": checks, "fpr": fpr, "reads": reads}
asked = lambda verdict, gets: {
    "observed": dict(counted(3.5, 0.01, 0.035), fpr_interval=between(0.005, 0.015), reads_interval=between(0.03, 0.04)),
    "predicted": counted(3.25, 0.02, 0.065), "by_table": {"reads": 0.125}, "verdict": verdict, "gets_per_s": gets}
document("engine", [{
    "id": name, "filter": name, "own": name == "builtin", "design": "leveldb", "bits_per_key": 10, "filter_bytes": 1500,
    "tree": [{"level": 0, "tables": 2, "bytes": 1300000, "entries": 400, "filter_bytes": 600000},
             {"level": 1, "tables": 5, "bytes": 9800000, "entries": 800, "filter_bytes": 900000}],
    "rates": {"absent": asked("differs", 5000), "present": asked("within", 4000)}, "settings": "a = b",
    "rank": {"observed": observed, "predicted": predicted}, "histograms": [
        {"percentiles": {"p50": x * 10**6, "p99": (x + 1) * 10**6, "p99_9": (x + 2) * 10**6}} for x in (1, 4)]}
    for name, observed, predicted in (("builtin", 2, 1), ("nori", 1, 1), ("fuse-8", 2, 3))],
    engine={"name": "leveldb", "version": "1.23", "n": 1200}, experiment={"keys": "pad40", "value_bytes": 100})

attack = lambda design, hash, n, attack, verdict: {
    "design": design, "hash": hash, "n": n, "bits_per_key": 10, "attack": attack, "verdict": verdict, "random": {"rate": 0.0125},
    "attacked": {"rate": 0.5, "interval": between(0.375, 0.625)}, "expected": 0.75, "tries_per_key": 81.5,
    "bits_per_found": 6.25, "counts": {"found": 200, "inserted": 30}}
document("attack", [
    attack("leveldb", None, 500, "offline", "falls"), attack("leveldb", None, 500, "flood", "holds"),
    attack("fuse-8", None, 500, "offline", "none found"), attack("leveldb", None, 900, "offline", "undecided"),
    attack("leveldb", "siphash-2-4", 900, "offline", "holds")], experiment={"tries": 1000})

count = lambda operation, hits, n, each, **more: dict({
    "design": "nori", "bits_per_key": 10, "filter": {"n_keys": n}, "isa": "avx2", "style": "plain", "operation": operation,
    "hit_ratio": hits, "per_operation": each}, **more)
document("icount", [count("batch", 0, 100, 4.5), count("batch", 1, 100, 6.25), count("insert", None, 100, 7),
                    count("batch", 0.25, 200, None, instructions_reason="no tool")])
PYTHON

for kind in kernels lsm fpr engine attack icount; do
    fb show --unchecked --verbose $kind.json 2>stderr | tr -s ' ' | sed 's/^ //; s/ $//; /^warning: this result was not checked/d' >$kind.said
    { echo "== $kind" && uniq $kind.said; } >>said
done
[ "$(grep -cx 'left out: s: w' fpr.said)" = 12 ] || fail "what was left out: $(grep -c '^left out' fpr.said) lines"
fb show --unchecked kernels.json 2>stderr | grep -qx '6 more: --verbose tells them' || fail "lines below the table of times"
cat >expected <<'EXPECTED'
== kernels
batch: L1, absent keys
design kernel bits rate, over 1 % ns ratio bits rate, over 0.1 % ns ratio
nori avx2 plain 10.00! 0.781 %, 1.43 2.500 1.25 [1.20 1.30] 14.00 0.0977 %, 1.40 12.25 3.00 [2.90 3.10]

chain: present keys
design kernel L1 ratio
nori avx2 plain 20.00 0.50 [0.40 0.60]
sbbf-256 avx2 plain 40.00 1.50 [0.90 1.60]

mixed: a third each goes, is looked up and comes
design kernel L1 ratio
cuckoo-12 avx2 plain 30.00 2.00 [1.50 2.50]

build: all keys
design kernel what L1 ratio held
fuse-8 avx2 plain build 100.00 4.00 [3.50 4.50] 16.5 x2
xor-8 avx2 plain build 200.00 8.00 [7.00 9.00] 16.5

threads: million lookups a second of all together, batches of absent keys; [middle half of the rounds]
design kernel 1 thread 2 threads speedup
nori avx2 plain L1 1.0 2.0 2.00 [1.75 2.50]

ns: median time of one operation. ratio: to touch-32, touch-64 or fetch in the same rounds, which
only load 32 or 64 bytes, or a word; removals, mixed operations, builds and their parts: to lookups
of theirs; in brackets its 95 % interval. bits: per key, the fewest that reach the rate. !: not at
the rate of its column: the design predicts one over a tenth off, or none; all of its row is at its
own. rate, over: the rate predicted at those bits, and the bits over the fewest that any filter of
that rate has, log2(1 / rate). held: bytes a key beside the filter when the build holds most; x2: of
two attempts.
warning: short
refused: 7 inserts of 1 cells of mixed operations found no place.
load: filters hold 0.75 of their slots, or of the keys that they are sized for.
left out: s/0: w; and 2 more
warning: late
1 chains are no latencies: the processor guesses the answer and starts the next lookup without it.
filters of L1: 0.0125 MB
clock: wall; timer 21 ns, quantum 2 ns; 16 processes of 4 rounds, stopped by budget; pinned to processor 3
noise: 9 of 64 samples with a gap, 5 still pre-empted, 8 batches repeated
memory of the noise: 0.25 (0: every process draws anew; 1: measuring longer does not help);
intervals are widened for it
== lsm
leveled: 1000 keys (dec6), 2 levels, 3 runs, 4 segments; 25 % absent, in-gap; order of keys: arrival; cache 2 MB; filters partitioned; a read takes 20 us (a)
# design bits got split keys/filter rate % at scale 1 % us/query +- found false index MB of uniform
1 sbbf-256 10 10.5 uniform - - - 12.00 1.00 0.5000 0.0005 12.00 4.00 -
= 2 sbbf-256 10 10.5 equal-rate - - - 12.50 0.05 - - - 5.00 125.0 %
3 nori 10 10.5 uniform - - - 20.00 1.00 - - - 6.00 -
- fuse-8 10 10.5 uniform 100 1 2 1.000 0.100 - - - 0.1000 -
-: not ranked, as its rate depends on the number of keys per filter: rate %: with 100, as here; at scale 1 %: with 200
best on a: sbbf-256 10 uniform (1 other indistinguishable)
best on b: sbbf-256 10 equal-rate
data blocks read per query: where the formula and the count differ most (sbbf-256 10 uniform), the formula says 0.50000
and the count 0.62500: 4.5 standard errors apart

scans of prefixes, 50 each
tree order absent filter keys/filter holds scan in range reads +- pruned % skipped % in vain % unread %
leveled 1000 dec6 arrival 25 % sbbf-256 10 - key fixed:3 4.000 2.000 0.500 25.00 50.00 12.50 75.00
in range, reads: files per scan; pruned: runs left by key range;
skipped: files in range that a filter kept from being read;
in vain: read, of those in range without the prefix; unread: of all files.

what building filters costs a key from flush to last level
tree order filter split rewrites written B attempts beside MB ns/key CPU ns
leveled 1000 dec6 arrival sbbf-256 10 uniform 4-7 6 1.5 7 150 1500-2500
leveled 1000 dec6 arrival sbbf-256 10 equal-rate - - - - - -
leveled 1000 dec6 arrival nori 10 uniform - - - - - -
leveled 1000 dec6 arrival fuse-8 10 uniform - - - - - -
rewrites: how often compaction builds a key's filter on its way to the last level, least and most;
written B: bytes of filters per key ingested; attempts: per filter, where more than 1;
beside MB: the most held by a build besides its filter; ns/key: of one build, last level;
CPU ns: of all builds per key ingested.

us/query: CPU + reads x time of one; +-: half of the 95 % interval;
=: not told apart from the first row; got: bits per key delivered, where not those asked for;
MB: filters only; found, false, index: reads from the device per query, by cause.
trees 1.0 s, filters 4.0 s (2.0 M keys/s), counting 2.0 s (1.50 M queries/s), timing 5.0 s; peak memory 6.00 GB
fewer than 16 processes: intervals take them for independent
caches: L1 32 KiB, L2 1 MiB, L3 3 MiB; keys, places and holders are made outside the clock
times are of the thread's CPU, as other work took the processor from over a tenth of the batches, which were measured again
device: 500 reads of 4096 bytes, 3 MB on /d (ext4); page cache kept; us: p50 15 p90 20 p99_9 40
== fpr
10 bits/key, n = 1000, random keys
design bits/key k attempts failed first no filter FPR % 95 % theory % ratio z worst % wasted %
nori * 10.250 7 - - - 1 0.9 .. 1.1 ~2 0.5000 ! -4.5 3 12.5
exact - - - - - 0 <= 0.3 - - 0.0 - -

FPR 0.1 %, n = 1000, random keys
design bits/key k attempts failed first no filter FPR % 95 % theory % ratio z worst % wasted %
fuse-8 - - 20 4 1 0.5 0.50001 .. 0.50002 p 0.4 - +2.0 - -

The largest of 13 numbers of keys; all are in the document and in 'export --to csv', and 'plot' draws them.

* the real system sizes the other way: solved from the design's own FPR function
~ no formula fits: predicted by a simulation of the scheme over ideal hashes
p the filters are too few, or too alike, for an interval over them: it is that of their pooled probes
attempts, failed first: of the filters that were built; no filter: those for which no attempt sufficed
left out: s: w
left out: 2 more
== engine
leveldb 1.23: 1200 keys (pad40), values of 100 bytes
tree of builtin: level 0: 2 tables, 1.3 MB, level 1: 5 tables, 9.8 MB

Gets of absent keys, 10 bits/key
filter bits checks predicted FPR % 95 % predicted reads 95 % predicted one a table
! builtin (leveldb) 10.00 3.5000 3.2500 1 0.5 .. 1.5 2 0.03500 0.03 .. 0.04 0.06500 differs 0.12500
! nori 10.00 3.5000 3.2500 1 0.5 .. 1.5 2 0.03500 0.03 .. 0.04 0.06500 differs 0.12500
! fuse-8 10.00 3.5000 3.2500 1 0.5 .. 1.5 2 0.03500 0.03 .. 0.04 0.06500 differs 0.12500

Gets of present keys, 10 bits/key
filter bits checks predicted FPR % 95 % predicted reads 95 % predicted one a table
builtin (leveldb) 10.00 3.5000 3.2500 1 0.5 .. 1.5 2 0.03500 0.03 .. 0.04 0.06500 within 0.12500
nori 10.00 3.5000 3.2500 1 0.5 .. 1.5 2 0.03500 0.03 .. 0.04 0.06500 within 0.12500
fuse-8 10.00 3.5000 3.2500 1 0.5 .. 1.5 2 0.03500 0.03 .. 0.04 0.06500 within 0.12500

times, from the page cache, 10 bits/key
filter filters MB absent/s p50 us p99 p99.9 present/s p50 us p99 p99.9
! builtin (leveldb) 1.500 5000 1.00 2.00 3.00 4000 4.00 5.00 6.00
! nori 1.500 5000 1.00 2.00 3.00 4000 4.00 5.00 6.00
! fuse-8 1.500 5000 1.00 2.00 3.00 4000 4.00 5.00 6.00

data blocks read per absent Get, 10 bits/key
observed: nori < builtin = fuse-8
predicted: builtin = nori < fuse-8

bits: of filters, for each key; checks: filters asked, per Get;
FPR: of those asked for a key that their table does not have, the share that said maybe;
reads: data blocks read from files, per Get; equal: every Get read as many as predicted;
within: the intervals have the prediction;
differs, with !: they do not, and workloads/README.md says what may be why;
one a table: reads as predicted if a table had one filter of all its keys.
settings of builtin: a = b
== attack
10 bits/key, n = 500, each design's own hash, which the attacker knows
design random % offline flood
leveldb 1.25 falls 50 % holds
fuse-8 1.25 none found -

10 bits/key, n = 900, each design's own hash, which the attacker knows
design random % offline flood
leveldb 1.25 undecided -

10 bits/key, n = 900, siphash-2-4, whose seed the attacker does not know
design random % offline flood
leveldb 1.25 holds -

the attacks that a design falls to, or may fall to
design hash attack tries/key found inserted bits passed % 99.9 % theory % random % verdict
leveldb own offline 81.5 200 30 6.25 50 37.5 .. 62.5 75 1.25 falls
leveldb own offline 81.5 200 30 6.25 50 37.5 .. 62.5 75 1.25 undecided

falls: the keys found pass over twice as often as random ones; holds: less; undecided: too few passed or were asked for to tell; none found: no key in 1000 tries; -: the attack means nothing to the design. bits: what a key found sets in an empty filter.
== icount
instructions an operation
design bits/key keys kernel style batch, absent batch, present insert batch, 25 %
nori 10 100 avx2 plain 4.50 6.25 7.00 -
nori 10 200 avx2 plain - - - -
-: no tool
EXPECTED
diff expected said || fail "tables"
finish
