# filterbench engine --engine rocksdb: its own filters say what ours of the same keys say, and every
# Get reads as many data blocks as predicted.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder TMPDIR=$PWD/databases
mkdir databases alone

# A copy of the tool has no drivers beside it.
cp "$executable" alone/filterbench
"${command[@]/#$executable/$PWD/alone/filterbench}" engine smoke --engine rocksdb >stdout 2>stderr
[ $? = 2 ] && grep -q "^filterbench: rocksdb is not built in, as there is no .*/filterbench_engine_rocksdb.so; install librocksdb-dev and g++, then type: cmake " stderr ||
    fail "not built in: $(cat stderr)"

[ -e "$(dirname "$executable")/filterbench_engine_rocksdb.so" ] || {
    [ $failures = 0 ] || exit 1
    echo "skipped: built without RocksDB"
    exit 77
}

refuses 2 "leveldb/bpk=10: the engine takes its own filters only" engine smoke --engine rocksdb -d leveldb

# Without -d the designs are those that RocksDB builds.
small=(fjall-leveled --engine rocksdb -b 8 -n 30k --queries 10k)
fb engine "${small[@]}" -o e.json >table 2>log || fail "engine: $(cat log)"
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
        assert all(counts[name] == predicted[name] for name in predicted if counts[name] is not None)
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
[ -z "$(ls databases)" ] || fail "left behind: $(ls databases)"
finish
