# Documents that no run can have written are refused by validate, with the member named, whatever
# their hash says: what limits and rules of the tables of members are for.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
tiny=(run kernels --budget 1 --footprints L1 --set min_processes=2 --set max_processes=2 --set rounds=1)
check fpr -- fb run fpr-smoke -d nori,fuse-8 -b 10 -n 500 --filters 2 --probes 500 -o fpr.json >/dev/null 2>&1
check shard -- fb run fpr-smoke -d nori -b 10 -n 500 --filters 2 --probes 500 --shard 1/2 -o shard.json >/dev/null 2>&1
check kernels -- fb "${tiny[@]}" -d cuckoo-12 -b 15 --histograms --operations each,mixed,build -o kernels.json >/dev/null 2>&1
check lsm -- fb run smoke --ci -d sbbf-256,leveldb -o lsm.json >/dev/null 2>&1
check attack -- fb run adversary --quick -d bloom-double --set attacks=degenerate --set tries=512 -o attack.json >/dev/null 2>&1
cp "$source_folder/tests/fuzz/results/icount.json" "$source_folder/tests/fuzz/results/ab.json" .

cat >forge.py <<'PYTHON'
import copy, json
n = 0
def forge(name, member, change):
    """The document with a change, made to every cell that has the member."""
    global n
    n += 1
    document = json.load(open(name + ".json"))
    change(document)
    json.dump(document, open(f"forged.{n}", "w"))
    print(f"forged.{n}\t{member}")

def at(path, value):
    """Sets a path; * stands for the first element that has the rest."""
    def put(value_at, steps):
        step, rest = steps[0], steps[1:]
        if step == "*":
            return any(put(one, rest) for one in value_at)
        if isinstance(value_at, list):
            step = int(step)
        elif step not in value_at or value_at[step] is None:
            return False
        if rest:
            return put(value_at[step], rest)
        value_at[step] = value(value_at[step]) if callable(value) else value
        return True
    def change(document):
        assert put(document, path.split(".")), path
    return change

for name, member, path, value in (
        # A histogram whose mean is outside of its range; whose shortest is its longest.
        ("kernels", "mean", "cells.*.histograms.0.mean", 1e13),
        ("kernels", "m(in|ax)", "cells.*.histograms.0.min", 10**14),
        ("kernels", "p(50|90)", "cells.*.histograms.0.percentiles.p50", 10**14),
        # Samples whose sums overflow.
        ("kernels", "samples_ns", "cells.*.time.samples_ns.0.0", 1e308),
        ("ab", "samples_ns", "cells.*.base.samples_ns.0.0", 1e308),
        # Counts above what they are counted out of, or that wrap.
        ("fpr", "most.events. <= probes_each", "cells.0.counts.events.0", 501),
        ("fpr", "n_entries", "cells.0.counts.n_entries", 10**9),
        ("fpr", "attempts", "cells.*.counts.builds.attempts", 10**6),
        ("fpr", "temporary_bytes", "cells.*.counts.builds.temporary_bytes", 10**12),
        ("kernels", "temporary_bytes", "cells.*.build.temporary_bytes", 10**12),
        ("kernels", "removals", "cells.*.mixed.removals", 3),
        ("kernels", "fewest_in", "cells.*.mixed.fewest_in", 10**9),
        ("fpr", "false_negatives", "cells.0.counts.false_negatives", 2**32 + 1),
        ("fpr", "probes_each", "cells.0.counts.probes_each", 2**62),
        ("fpr", "n_keys", "cells.0.counts.n_keys", 1),
        ("fpr", "n_bits", "cells.0.geometry.n_bits", 2**40),
        ("fpr", "(filters|events)", "cells.0.counts.filters", 0),
        ("fpr", "filter_bytes", "cells.0.counts.filter_bytes", 1),
        ("shard", "(events|end)", "fragments.0.filters.0.events", 10**6),
        ("shard", "(first|end|events)", "fragments.0.filters.0.end", 0),
        ("kernels", "present", "cells.*.mixed.present", 2**32 + 5),
        ("kernels", "refused", "cells.*.mixed.refused", 2**40),
        ("lsm", "run_false", "cells.0.counts.run_false.0", 2**32),
        ("lsm", "(false_negatives|present)", "cells.0.counts.false_negatives", 2**32),
        ("attack", "set_bits", "cells.0.filter.set_bits", 2**40),
        ("attack", "found", "cells.0.counts.found", 2**40),
        # Built in no attempt.
        ("fpr", "attempts", "cells.*.counts.builds.attempts", 0),
        ("kernels", "attempts", "cells.*.build.attempts", 0),
        # Memory below one filter; a filter of one byte; a key built where there are more.
        ("lsm", "peak_bytes", "resources.peak_bytes", 1),
        ("lsm", "(bytes|sizes)", "cells.0.filter.bytes", 1),
        ("lsm", "keys_built", "resources.keys_built", 1),
        # An instruction for thousands of operations.
        ("icount", "(instructions|per_operation)", "cells.0.instructions", 1),
        # A clock that cannot be.
        ("kernels", "overhead_ns", "timing.timer.overhead_ns", 1e9),
        ("kernels", "quantum_ns", "timing.timer.quantum_ns", 0),
        ("fpr", "started", "run.started", "2199-01-01T00:00:00Z"),
        ("fpr", "elapsed_s", "run.elapsed_s", 1e300),
        # A checksum of nothing.
        ("fpr", "checksum", "cells.0.counts.checksum", "0x" + 16 * "0"),
        ("kernels", "checksum", "cells.*.filter.checksum", "0x" + 16 * "0"),
        ("lsm", "checksum", "cells.0.filter.checksum", "0x" + 16 * "0"),
        ("icount", "checksum", "cells.0.filter.checksum", "0x" + 16 * "0"),
        # A null without a reason; a share above 1.
        ("fpr", "rate|estimate", "cells.0.fpr.estimate", 1.5),
        ("lsm", "shard|run|index", "run.complete", "yes"),
):
    forge(name, member, at(path, value))
PYTHON
python3 forge.py >forged || fail "forge.py"
[ "$(wc -l <forged)" -gt 30 ] || fail "forgeries"
while IFS=$'\t' read -r file member; do
    refuses 5 "$member" validate "$file"
done <forged
for honest in fpr shard kernels lsm attack icount ab; do
    check "validate $honest" -- fb validate $honest.json >/dev/null
done
finish
