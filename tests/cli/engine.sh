# filterbench engine: what cannot be asked; and LevelDB on disk, with its own filter and with ours,
# reads the data blocks that are predicted, Get by Get.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder TMPDIR=$PWD/databases
mkdir databases

# ---- Refused, whatever is built in ----
refuses 2 "which experiment\? give a preset" engine
refuses 2 "kind fpr; give one of kind lsm" engine fpr-smoke
refuses 2 "engine: 'leveldbb' is not accepted, did you mean 'leveldb'\? \(give leveldb or rocksdb\)" engine smoke --engine leveldbb
refuses 2 "keys-format is for a file of keys" engine smoke --keys-format nul

# A copy of the tool has no drivers beside it.
mkdir alone
cp "$executable" alone/filterbench
"${command[@]/#$executable/$PWD/alone/filterbench}" engine smoke >stdout 2>stderr
[ $? = 2 ] && grep -q "^filterbench: leveldb is not built in, as there is no .*/filterbench_engine_leveldb.so; install filterbench-engines; in a source tree install libleveldb-dev and g++, then type: cmake " stderr ||
    fail "not built in: $(cat stderr)"

[ -e "$(dirname "$executable")/filterbench_engine_leveldb.so" ] || {
    [ $failures = 0 ] || exit 1
    echo "skipped: built without a C++ compiler or LevelDB"
    exit 77
}

# ---- Refused ----
refuses 2 "always/bpk=10: it has no block format" engine smoke -d always
refuses 2 "fuse-16 has only one size" engine smoke -d fuse-16 -b 20
refuses 2 "give it with --keys FILE" engine smoke --set keys=file
refuses 74 "/proc/none: no folder can be made there" engine smoke --folder /proc/none
refuses 74 "take up to 169[0-9] MB, and there is room for [0-9]* MB; give another folder" \
    engine smoke --folder /proc -n 3M

# ---- Own filter, ours in its place, ours in tables of their own ----
small=(fjall-leveled -d leveldb,rocksdb-fastlocal -b 10 -n 30k --queries 3k)
fb engine --verbose "${small[@]}" -o e.json >table 2>log || fail "engine: $(cat log)"
grep -q "note: the databases take up to [0-9]* MB in $TMPDIR/filterbench-......, which is removed" log ||
    fail "no folder is named: $(cat log)"
grep -q "^tree of builtin/bpk=10: level 0: " table || fail "no tree: $(cat table)"
[ "$(grep -c '  equal  ' table)" = 6 ] || fail "not equal: $(cat table)"
python3 - <<'PYTHON' || fail "what was read"
import json
cells = {c["filter"]: c for c in json.load(open("e.json"))["cells"]}
own, ours, other = cells["builtin"], cells["leveldb"], cells["rocksdb-fastlocal"]
assert own["own"] and not ours["own"] and list(cells) == ["builtin", "leveldb", "rocksdb-fastlocal"]
# One database, built once; the other design has its own, of the same keys in the same levels.
assert own["database"] == ours["database"] == own["id"] != other["database"]
assert own["tree"] == ours["tree"] and len(own["tree"]) > 1, own["tree"]
shape = lambda cell: [(l["level"], l["tables"], l["entries"]) for l in cell["tree"]]
assert shape(own) == shape(other) and sum(e for _, _, e in shape(own)) == 30000
# The same blocks in the same order: read_hash is of each read's file and offset.
assert own["observed"] == ours["observed"]
for cell in cells.values():
    for stream, counts in cell["observed"].items():
        assert all(counts[name] == cell["predicted"][stream][name] for name in cell["predicted"][stream] if name not in ("cold_checks", "cold_reads", "read_bins"))
        assert cell["differ"][stream] == 0 and cell["rates"][stream]["verdict"] == "equal"
        assert counts["index_reads"] == counts["filter_reads"] == counts["other_reads"] == 0
        assert counts["data_reads"] == counts["checks"] - counts["negatives"] > 0
    # Gets timed singly, all and by how many blocks they read; those of each number are the ones that were predicted.
    bins = {stream: cell["predicted"][stream]["read_bins"] for stream in ("absent", "present")}
    assert [(h["kind"], h["count"]) for h in cell["histograms"]] == [
        ("get_absent", 3000), ("get_present", 3000), ("get_absent_0", bins["absent"][0]), ("get_absent_1", bins["absent"][1]),
        ("get_present_1", bins["present"][1])]
    for stream, counts in cell["predicted"].items():
        assert [sum(n * k**power for k, n in enumerate(bins[stream])) for power in range(3)] == [
            counts[name] for name in ("gets", "data_reads", "read_squares")]
assert own["observed"]["present"]["data_reads"] > 3000
assert own["rank"] == ours["rank"] == {"observed": 2, "predicted": 2} and other["rank"]["observed"] == 1
# With one filter a table a block-based design lets through ten times as much.
assert other["by_table"]["data_reads"] > 5 * other["predicted"]["absent"]["data_reads"]
assert ours["settings"].startswith("filter_policy = leveldb.BuiltinBloomFilter2; block_size = 4096; ")
PYTHON
grep -q "^settings of builtin/bpk=10: filter_policy = leveldb.BuiltinBloomFilter2; " table || fail "no settings: $(cat table)"
widest=$(TERM=dumb "$(dirname "$executable")/tests/on_terminal" 60 "${command[@]}" show e.json | tr -d '\r' | wc -L)
[ "$widest" -le 60 ] || fail "$widest columns on 60"
check "histograms" -- fb export e.json --to hgrm -o hgrm 2>/dev/null
[ "$(ls hgrm | wc -l)" = 15 ] || fail "histograms: $(ls hgrm)"
check "validate" -- fb validate e.json >/dev/null
python3 - <<'PYTHON'
import json
for i, (path, more) in enumerate([("observed.present.found", -1), ("observed.absent.gets", 1), ("predicted.absent.negatives", 9999),
                                  ("predicted.absent.data_reads", -1), ("differ.absent", 4000), ("rates.absent.observed.reads", 1)]):
    d = json.load(open("e.json"))
    at, (*names, last) = d["cells"][1], path.split(".")
    for name in names:
        at = at[name]
    at[last] += more
    json.dump(d, open(f"forged.{i}.json", "w"))
PYTHON
i=0
for why in "it breaks the rule .observed.present.found = " "observed.absent: it breaks the rule .gets = " \
    "predicted.absent: it breaks the rule .negatives" "predicted.absent: it breaks the rule .checks <= " \
    "it breaks the rule .differ.absent <= " "rates"; do
    refuses 5 "leveldb/bpk=10: $why" validate forged.$i.json
    i=$((i + 1))
done

# Exact facts: the same keys make the same tables, and so the same reads.
check "again" -- fb engine "${small[@]}" -o again.json >/dev/null 2>&1
check "the same counts" -- fb compare e.json again.json >/dev/null
[ -z "$(ls databases)" ] || fail "left behind: $(ls databases)"

# Small blocks: two or three of them share a filter.
check "small blocks" -- fb engine --verbose smoke -d leveldb -b 10 -n 20k --queries 5k --set block_bytes=1024 -o blocks.json >table 2>&1
[ "$(grep -c '  equal' table)" = 4 ] || fail "small blocks: $(cat table)"

# ---- LevelDB compacts tables that Gets look into in vain ----
live=(fjall-leveled -d leveldb -b 6 -n 30k --queries 60k --set seeks=live)
check "seeks=live" -- fb engine --verbose "${live[@]}" -o live.json >table 2>log
check "validate" -- fb validate live.json >/dev/null
grep -q "^seeks of builtin/bpk=6: reads per absent Get as loaded 0\.[0-9]*, flat 0\.[0-9]*, flat after " table || fail "no line of seeks: $(cat table)"
python3 - <<'PYTHON' || fail "seeks"
import json
for cell in json.load(open("live.json"))["cells"]:
    seeks, gets = cell["seeks"], cell["predicted"]["absent"]["gets"]
    loaded, flat = cell["predicted"]["absent"]["data_reads"] / gets, seeks["flat_reads"] / gets
    windows = [w["reads"] / w["gets"] for w in seeks["windows"]]
    above = sum(level["bytes"] for level in cell["tree"][:-1])
    assert seeks["flat_after"] == above // 16384 and len(cell["tree"]) > 1
    # The tree becomes flat, and each window reads as much as a tree between the two.
    assert loaded > 3 * flat and windows[-1] < 0.9 * loaded, (loaded, flat, windows)
    assert all(0.85 * flat < w < 1.15 * loaded for w in windows), (loaded, flat, windows)
    assert sum(w["loaded"] for w in seeks["windows"]) == cell["predicted"]["absent"]["data_reads"]
    # Of the same keys: a table that moves has filters of other keys, and so other reads in vain, a few.
    assert all(0.97 * w["flat"] <= w["reads"] <= 1.03 * w["loaded"] for w in seeks["windows"]), seeks
PYTHON

# ---- A file of keys, merged into one level, and kept ----
seq 10000 30000 >keys
check "keep" -- fb engine smoke -d leveldb --keys keys --queries 500 --set whole=true --keep -o kept.json >/dev/null 2>log
ls databases/filterbench-*/db-1/CURRENT >/dev/null || fail "--keep: $(ls -R databases)"
rm -r databases/*
python3 - <<'PYTHON' || fail "one level"
import json
d = json.load(open("kept.json"))
assert d["engine"]["n"] == 10000 and d["key_file"]["given"] == 20001
assert all(len(c["tree"]) == 1 and c["rates"]["absent"]["verdict"] == "equal" for c in d["cells"])
PYTHON

# ---- Ctrl-C leaves nothing ----
python3 - "${command[@]}" <<'PYTHON' || fail "interrupted"
import glob, os, signal, subprocess, sys, time
for times in 1, 2: # the second signal ends it at once
    process = subprocess.Popen([*sys.argv[1:], "engine", "fjall-leveled", "-n", "3M", "-o", "o"], stderr=subprocess.PIPE)
    while len(glob.glob("databases/*/db-1/*.ldb")) < 4 * times:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    _, message = process.communicate(timeout=300)
    assert process.returncode == 130 and b"interrupted" in message, (process.returncode, message)
    assert not os.listdir("databases"), os.listdir("databases")
PYTHON
finish
