# Documents that no run can have written are refused by validate, with the member named, whatever
# their hash says: what limits and rules of the tables of members are for.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
tiny=(--budget 1 --footprints L1 --set min_processes=2 --set max_processes=2 --set rounds=1)
# make NAME WORDS...: the document of a run, NAME.json.
make() {
    check "$1" -- fb "${@:2}" -o "$1.json" >/dev/null 2>&1
}
make fpr run fpr-smoke -d nori,fuse-8,cuckoo-12 -b 10 -n 500 --filters 2 --probes 500
make shard run fpr-smoke -d nori,fuse-8 -b 10 -n 500 --filters 2 --probes 500 --shard 1/2
make shard2 run fpr-smoke -d nori,fuse-8 -b 10 -n 500 --filters 2 --probes 500 --shard 2/2
make merged merge shard.json shard2.json
make kernels run kernels "${tiny[@]}" -d cuckoo-12 -b 15 --histograms --operations each,mixed,build
make scaling run scaling "${tiny[@]}" --set threads=1 -d sbbf-256
make lsm run smoke --ci -d sbbf-256,leveldb --set keys=random
make tree run fjall-leveled --ci -n 800 -d sbbf-256 --shard 1/2
make scans run course-prefix --ci -n 600 -d sbbf-256
make timed run nori-tuning --ci -d sbbf-256 -b 10 --set timed=true --set rounds=1 --set budget=1 --histograms
make attack run adversary --quick -d bloom-double,fuse-8 --set attacks=degenerate --set tries=512
make claims reproduce --quick nori.fpr.expected_1M
seq 2000 >keys && make keys run fpr -d nori -b 10 --filters 2 --probes 200 -k keys
documents=(fpr shard merged kernels scaling lsm tree scans timed attack keys icount ab claims)
for of in icount ab; do
    cp "$source_folder/tests/fuzz/results/$of.json" .
done
if fb engine smoke -n 3k --queries 200 -d leveldb -o engine.json >/dev/null 2>&1; then
    documents+=(engine) # its driver is built where its library is
fi

cat >forge.py <<'PYTHON'
import json, os

def at(document, path, value):
    """Sets a path; * stands for the first element or member that has the rest."""
    def put(x, steps):
        step, rest = steps[0], steps[1:]
        if step == "*":
            return any(put(one, rest) for one in (x.values() if isinstance(x, dict) else x))
        step = int(step) if isinstance(x, list) else step
        there = isinstance(x, list) or step in x
        if rest:
            return there and x[step] is not None and put(x[step], rest)
        if not there and "*" in path or callable(value) and x[step] is None:
            return False
        if value is GONE:
            del x[step]
        else:
            x[step] = value(x[step]) if callable(value) else value
        return True
    assert put(document, path.split(".")), path

GONE = object()
times = lambda factor: lambda x: x * factor
more = lambda n: lambda x: x + n
swapped = lambda x: x[::-1]
short = lambda x: x[:-1]
twice = lambda x: x + x[-1:]
zero, none, word = "0x" + 16 * "0", 32 * "0", "0x" + 15 * "0" + "7"
histogram = "cells.*.histograms.0."

# A document, what its refusal names, and one or more changes: a path and what stands there then.
FORGERIES = (
    # The document: when, with what and where it was written.
    ("fpr", "started", "run.started", "2199-01-01T00:00:00Z"),
    ("fpr", "started", "run.started", "2026-02-30T00:00:00Z"),
    ("fpr", "started", "run.started", "2026-11-22T25:00:00Z"),
    ("fpr", "elapsed_s", "run.elapsed_s", 1e300),
    ("fpr", "elapsed_s", "run.elapsed_s", -1.0),
    ("fpr", "argv", "run.argv", []),
    ("fpr", "argv.*\\(filterbench 0000000 wrote it, and this is .*\\)", "run.argv", [], "tool.git", "0000000"),
    ("fpr", "argv", "run.argv.0", "forged"),
    ("fpr", "version", "tool.version", "0.0.0"),
    ("fpr", "xxhash", "build.xxhash", "0.0.0"),
    ("fpr", "tool", "tool", None, "tool_reason", "forged"),
    ("fpr", "machine", "machine", None, "machine_reason", "forged"),
    ("fpr", "minor", "schema.minor", 2**53),
    ("fpr", "memory_bytes", "machine.memory_bytes", 1),
    ("fpr", "cores", "machine.cores", 0),
    ("fpr", "cores", "machine.cores", 10**9),
    ("fpr", "isa", "machine.isa", []),
    ("fpr", "isa", "machine.isa.0", "sse9"),
    ("kernels", "isa", "machine.isa", ["scalar"], "cells.*.isa", "avx512"),
    ("kernels", "l1d_bytes", "timing.footprints.l1d_bytes", 2**30),
    ("kernels", "l3_bytes", "timing.footprints.l3_bytes", 2**50),
    ("timed", "l1d_bytes", "timing.caches.l1d_bytes", 2**34),
    ("fpr", "parts", "merged", {"runs": 1, "machines": 1, "side_by_side": False, "shards": None, "shards_reason": "-"}),
    ("merged", "parts|merged", "merged", GONE),
    ("merged", "argv", "run.argv.1", "run"),
    ("keys", "dropped", "key_file.dropped", 10**6),
    ("keys", "bytes", "key_file.bytes", 10**12),
    ("keys", "xxh3_128", "key_file.xxh3_128", none),
    ("fpr", "_reason", "cells.0.fpr.ratio_reason", "forged"),
    # A histogram that contradicts itself.
    ("kernels", "mean", histogram + "mean", 1e13),
    ("kernels", "mean", histogram + "mean", times(1.5)),
    ("kernels", "mean", histogram + "mean", 1.0),
    ("kernels", "m(in|ax)", histogram + "min", 10**14),
    ("kernels", "min", histogram + "min", 0),
    ("kernels", "max", histogram + "max", times(1000)),
    ("kernels", "count", histogram + "count", times(2)),
    ("kernels", "count", histogram + "count", 0),
    ("kernels", "count", histogram + "count", more(2**32)),
    ("kernels", "p50|p90", histogram + "percentiles.p50", 10**14),
    ("kernels", "p50", histogram + "percentiles.p50", 1),
    ("kernels", "p90", histogram + "percentiles.p90", times(1000)),
    ("kernels", "bins", histogram + "bins", []),
    ("kernels", "bins", histogram + "bins", short),
    ("kernels", "bins", histogram + "bins", twice),
    ("kernels", "bins", histogram + "bins", swapped),
    ("kernels", "bins", histogram + "bins.0.1", more(5)),
    ("kernels", "bins", histogram + "bins.0.0", times(1000)),
    ("kernels", "histograms", "cells.*.histograms", short),
    ("timed", "mean", "cells.0.lookups.0.histograms.1.mean", times(100)),
    # Samples of times.
    ("kernels", "samples_ns", "cells.*.time.samples_ns.0.0", 1e308),
    ("ab", "samples_ns", "cells.*.base.samples_ns.0.0", 1e308),
    ("kernels", "samples_ns", "cells.*.time.samples_ns.0.0", 1e-300),
    ("kernels", "samples_cpu_ns", "cells.*.time.samples_cpu_ns.0.0", times(1000)),
    ("kernels", "processes|samples", "cells.*.time.samples_ns", twice),
    ("kernels", "retries|rounds", "cells.*.time.sample_retries", short),
    ("kernels", "samples cannot be read", "cells.*.time.sample_flags.0.0", 1, "cells.*.time.sample_retries.0.0", 0),
    ("ab", "samples cannot be read", "cells.0.base.sample_flags.0.0", 1, "cells.0.base.sample_retries.0.0", 0),
    ("timed", "samples_cpu_ns", "cells.0.control.samples_cpu_ns.0.0", times(1000)),
    # Clocks and what else a time depends on.
    ("kernels", "overhead_ns", "timing.timer.overhead_ns", 1e9),
    ("kernels", "quantum_ns", "timing.timer.quantum_ns", 0),
    ("kernels", "quantum_ns", "timing.timer.quantum_ns", 1e-300),
    ("kernels", "memory_bytes", "timing.memory_bytes", 2**60),
    ("kernels", "isas?", "timing.isas", short),
    ("kernels", "yardsticks|design", "timing.yardsticks", []),
    ("kernels", "ns", "timing.yardsticks.0.members.0.ns", 1e-300),
    ("kernels", "pinned_cpu", "timing.pinned_cpu", 2**40),
    ("kernels", "noise", "timing.noise.samples", times(2)),
    # Counts above what they are counted out of, or that wrap.
    ("fpr", "breaks the rule 'most.events. <= probes_each'", "cells.0.counts.events.0", 501),
    ("fpr", "false_negatives", "cells.0.counts.false_negatives", 2**32 + 1),
    ("fpr", "probes_each", "cells.0.counts.probes_each", 2**62),
    ("fpr", "n_keys", "cells.0.counts.n_keys", 1),
    ("fpr", "n_entries", "cells.0.counts.n_entries", 501),
    ("fpr", "n_bits", "cells.0.geometry.n_bits", 2**40),
    ("fpr", "filters|events", "cells.0.counts.filters", 0),
    ("fpr", "filter_bytes", "cells.0.counts.filter_bytes", 1),
    ("fpr", "attempts", "cells.*.counts.builds.attempts", 0),
    ("fpr", "checksum", "cells.0.counts.checksum", zero),
    ("shard", "events|end", "fragments.0.filters.0.events", 10**6),
    ("shard", "first|end|events", "fragments.0.filters.0.end", 0),
    ("shard", "filter", "fragments.0.filters.0.filter", 1),
    ("shard", "filters", "fragments.0.filters", []),
    ("shard", "block_checksum", "fragments.0.filters.0.block_checksum", zero),
    ("shard", "checksum", "fragments.0.filters.0.checksum", zero),
    ("shard", "events", "fragments.0.filters.0.events", GONE),
    ("shard", "geometry", "fragments.0.filters.0.geometry", GONE),
    ("shard", "attempts", "fragments.0.filters.0.attempts", 0),
    ("shard", "attempts", "fragments.0.filters.0.attempts", more(1)),
    ("shard", "n_entries", "fragments.0.filters.0.n_entries", 1),
    ("shard", "false_negatives", "fragments.0.filters.0.false_negatives", 1),
    ("shard", "block_bytes", "fragments.0.filters.0.block_bytes", more(1)),
    ("shard", "n_bits", "fragments.0.filters.0.geometry.n_bits", times(2)),
    ("shard", "probes", "fragments.0.filters.0.geometry.probes", more(1)),
    ("shard", "is missing", "fragments", []),
    ("shard", "is missing", "fragments", short),
    ("shard", "fragments: one is there twice", "fragments", twice),
    ("shard", "filters", "fragments.0.filters", twice),
    ("shard", "no part of it|not what the shard has", "run.shard.index", 2),
    ("shard", "missing|no such cell", "fragments.0.id", "forged"),
    ("kernels", "present", "cells.*.mixed.present", 2**32 + 5),
    ("kernels", "present", "cells.*.mixed.present", 0),
    ("kernels", "refused", "cells.*.mixed.refused", 2**40),
    ("kernels", "attempts", "cells.*.build.attempts", 0),
    ("kernels", "checksum", "cells.*.filter.checksum", zero),
    ("kernels", "probes", "cells.*.filter.probes", 2**32),
    ("icount", "instructions|per_operation", "cells.0.instructions", 1),
    ("icount", "instructions|per_operation", "cells.0.instructions", 2**62),
    ("icount", "operations", "cells.0.operations", 1),
    ("icount", "checksum", "cells.0.filter.checksum", zero),
    ("icount", "counter", "counter", None, "counter_reason", "forged"),
    ("attack", "set_bits", "cells.0.filter.set_bits", 2**40),
    ("attack", "set_bits", "cells.0.filter.set_bits", 0),
    ("attack", "found", "cells.0.counts.found", 2**40),
    ("attack", "bytes", "cells.1.filter.bytes", 2**40),
    # Trees.
    ("lsm", "run_false", "cells.0.counts.run_false.0", 2**32),
    ("lsm", "false_negatives|present", "cells.0.counts.false_negatives", 2**32),
    ("lsm", "bytes|sizes", "cells.0.filter.bytes", 1),
    ("lsm", "checksum", "cells.0.filter.checksum", zero),
    ("lsm", "effective", "cells.0.effective.absent", 1e300),
    ("lsm", "key_bytes", "cells.0.build.key_bytes", 0.0),
    ("lsm", "peak_bytes", "resources.peak_bytes", 1),
    ("lsm", "peak_bytes", "resources.peak_bytes", 2**60),
    ("lsm", "keys_built", "resources.keys_built", 1),
    ("lsm", "keys_built", "resources.keys_built", 2**50),
    ("lsm", "queries_counted", "resources.queries_counted", 1),
    ("lsm", "queries_counted", "resources.queries_counted", 2**50),
    ("lsm", "windows", "resources.windows", 7),
    ("lsm", "timing_s", "resources.timing_s", 1e-3),
    ("tree", "first|end", "fragments.0.first", 1),
    ("tree", "is missing", "fragments", short),
    ("tree", "design", "fragments.0.cell.design", "forged"),
    ("tree", "fpr", "fragments.0.cell.params.fpr", times(2)),
    ("tree", "bytes", "fragments.0.cell.runs.0.bytes", times(2)),
    ("tree", "segment_keys", "fragments.0.cell.tree.segment_keys", times(2)),
    ("tree", "build", "fragments.0.cell.build.levels", []),
    ("tree", "build", "fragments.0.cell.build.levels.0.filters", times(2)),
    ("tree", "filter.bytes", "fragments.0.cell.filter.bytes", more(1)),
    ("tree", "run_reached|range_checks", "fragments.0.cell.counts.run_reached.0", more(1)),
    ("tree", "data_found", "fragments.0.cell.counts.data_found", more(2**32)),
    ("tree", "effective", "fragments.0.cell.effective.absent", 1e300),
    ("tree", "count_s", "resources.count_s", 1e6),
    ("timed", "lookup", "cells.0.lookups.0.lookup", "forged"),
    ("timed", "l2_bytes", "timing.tuning.l2_bytes", 0),
    ("timed", "steal_ticks", "timing.noise.steal_ticks", 2**52),
    ("tree", "keys_built", "resources.keys_built", 0),
    ("scans", "scans", "cells.*.scans.0.held", 2**32),
    ("scans", "scans", "cells.*.scans.0.pruned", 2**32),
    ("timed", "lookups", "cells.0.lookups", []),
    ("timed", "asked", "cells.0.lookups.0.asked", 100.0),
    ("timed", "isa", "cells.0.lookups.0.isa", "neon"),
    ("timed", "digests", "cells.0.lookups.0.digests", 100.0),
    ("claims", "false_negatives", "cells.*.false_negatives", 2**40),
    # Two revisions.
    ("ab", "verdict", "verdict", None, "verdict_reason", "forged"),
    ("ab", "bytes", "cells.0.filter.bytes", 1),
    ("ab", "bytes", "cells.0.filter.bytes", 2**40),
    ("ab", "n_keys", "cells.0.filter.n_keys", 2),
    ("ab", "n_keys", "cells.0.filter.n_keys", 2**30, "cells.0.filter.bytes", 2**31),
    ("ab", "checksum", "controls.0.filter.checksum", GONE),
    ("ab", "checksum", "controls.0.filter.checksum", zero),
    ("ab", "design", "controls.0.design", "forged"),
    ("ab", "id", "controls.0.id", "forged/L1/batch", "controls.0.design", "forged"),
    ("ab", "controls: one is there twice", "controls", twice),
    ("ab", "base.cells", "exact.base.cells", twice),
    ("ab", "pinned_cpu", "timing.pinned_cpu", 2**32),
    # Engines.
    ("engine", "spent_ns|mean", "cells.0.times.absent.spent_ns", 1),
    ("engine", "count|bins", "cells.0.histograms.0.count", times(2)),
    ("engine", "data_reads", "cells.0.observed.absent.data_reads", 10**9),
    ("engine", "found", "cells.0.observed.present.found", 1),
    ("engine", "checks", "cells.0.observed.absent.checks", 2**40),
    ("engine", "read_squares", "cells.0.observed.present.read_squares", 2**40),
    ("engine", "differ", "cells.0.differ.absent", 7),
    ("engine", "entries", "cells.0.tree.0.entries", 1),
    ("engine", "filter_bytes|bytes", "cells.0.tree.0.filter_bytes", 2**40),
    ("engine", "filters", "cells.0.filters", 0),
    ("engine", "cells", "cells", []),
    ("engine", "engine", "engine.n", 1),
    ("engine", "id", "cells.0.filter", "forged"),
    ("engine", "id", "cells.0.id", "forged"),
    ("engine", "id|bits_per_key", "cells.0.bits_per_key", times(2)),
    ("engine", "own", "cells.0.own", False),
)
for n, (name, member, *changes) in enumerate(FORGERIES):
    if not os.path.exists(name + ".json"):
        continue
    document = json.load(open(name + ".json"))
    for path, value in zip(changes[::2], changes[1::2]):
        at(document, path, value)
    json.dump(document, open(f"forged.{n}", "w"))
    print(f"forged.{n}\t{member}")
PYTHON
python3 forge.py >forged || fail "forge.py"
[ "$(wc -l <forged)" -gt 160 ] || fail "forgeries"
while IFS=$'\t' read -r file member; do
    refuses 5 "$member" validate "$file"
done <forged
for honest in "${documents[@]}"; do
    check "validate $honest" -- fb validate "$honest.json" >/dev/null
done
finish
