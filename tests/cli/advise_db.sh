# advise --db: a database answers what it can, by its own files; it stays as it is. Witnesses: db_bench and LevelDB's
# library make the databases, sst_dump reads them.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder TMPDIR=$PWD/temporary
mkdir temporary nothing broken
built=$(dirname "$executable")

refuses 2 "which keys\? give --db DIR" advise
refuses 2 "column-family is of a database; give it with --db" advise -n 1000 --column-family x
refuses 2 "leave --tree, --sst-sizes and -n out" advise --db nothing -n 1000
refuses 2 "none: cannot be opened: No such file or directory; give the folder of a database with --db" advise --db none
refuses 2 "nothing: no database of RocksDB or LevelDB, as it has no file CURRENT" advise --db nothing

# survey FOLDER [OPTION...]: what it says, into survey.json; the folder and the temporary one are as they were.
state() { (cd "$1" && find . -type f -exec md5sum {} + | sort && find . -printf '%p %T@ %C@\n' | sort); }
survey() {
    state "$1" >before
    fb advise --db "$@" --dry-run --format json >survey.json 2>log || fail "advise --db $*: $(cat log)"
    state "$1" >after
    diff before after >changed || fail "$1 is another: $(cat changed)"
    [ -z "$(ls temporary)" ] || fail "left behind: $(ls temporary)"
}

# ---- LevelDB, with Snappy ----
if [ -x "$built/tests/make_leveldb" ]; then
    "$built/tests/make_leveldb" level 120000 || fail "make_leveldb"
    # Left by a compaction that was cut short: LevelDB would give these numbers again.
    for ((i = 0; i < 60; i++)); do
        orphan=level/$(printf %06d $i).ldb
        [ -e "$orphan" ] || echo orphan >"$orphan"
    done
    survey level
    python3 - <<'PYTHON' || fail "LevelDB: $(cat survey.json)"
import json
d = json.load(open("survey.json"))["database"]
files = d["files"]
assert d["engine"] == "leveldb" and len(files) > 3 and not any(f["estimated"] for f in files)
# 120,000 keys are put and every tenth is deleted.
assert sum(f["entries"] for f in files) == 108000 and not any(f["deletions"] for f in files)
assert all(f["key_bytes"] == 14 * f["entries"] and f["value_bytes"] == 100 * (f["entries"] - f["deletions"]) for f in files)
for f in files:
    assert f["design"] == "leveldb" and f["compression"] == "snappy" and f["filter_keys"] == f["entries"]
    # 10 bits a key, whole bytes, and one for the number of probes.
    assert 10 <= 8 * f["filter_bytes"] / f["filter_keys"] < 11, f
    assert 1 < f["entries"] / f["filters"] < 80, f
PYTHON
    refuses 2 "level: a database of leveldb has no column families" advise --db level --column-family x
    cp level/CURRENT broken/
    refuses 74 "broken: .*broken/MANIFEST-[0-9]*: No such file" advise --db broken
fi

# ---- RocksDB ----
if ! [ -e "$built/filterbench_engine_rocksdb.so" ] || ! command -v db_bench sst_dump >/dev/null; then
    [ $failures = 0 ] || exit 1
    echo "skipped: built without RocksDB, or without rocksdb-tools"
    exit 77
fi
# make NAME BENCHMARKS OPTION...
make() {
    local name=$1 benchmarks=$2
    shift 2
    timeout 100 db_bench --db="$PWD/$name" --benchmarks="$benchmarks" --num=60000 --key_size=16 --value_size=100 --bloom_bits=10 \
        --write_buffer_size=1048576 --target_file_size_base=1048576 --max_bytes_for_level_base=4194304 --disable_wal=true \
        --compression_type=none --seed=1 "$@" >bench.log 2>&1 || fail "db_bench: $(tail -3 bench.log)"
}
# agrees FOLDER: each file is as sst_dump has it.
agrees() {
    sst_dump --file="$1" --show_properties --command=none >dump 2>&1
    python3 - "$1" <<'PYTHON' || fail "$1: $(cat survey.json)"
import json, re, sys
dumped = {}
for part in open("dump").read().split("Process ")[1:]:
    number = int(re.search(r"(\d+)\.sst", part).group(1))
    has = lambda name: int(re.search(rf"^ *{re.escape(name)}: (\d+)", part, re.M).group(1))
    dumped[number] = {"entries": has("# entries"), "filter_keys": has("# entries for filter"), "filter_bytes": has("filter block size"),
                      "deletions": has("# deletions"), "data_blocks": has("# data blocks"), "data_bytes": has("data block size"),
                      "value_bytes": has("raw value size")}
files = json.load(open("survey.json"))["database"]["files"]
assert files and len({f["number"] for f in files}) == len(files)
for f in files:
    theirs = dumped[f["number"]]
    if f["filters"] > 1: # they count the index of the parts as well
        assert theirs.pop("filter_bytes") * 0.9 < f["filter_bytes"] <= 1 + theirs.get("filter_bytes", 1e18)
    assert {name: f[name] for name in theirs} == theirs, (f, theirs)
    if f["filters"] == 1:
        # Lines of 64 bytes, and five bytes that tell what it is; Ribbon takes 0.7 of that.
        bits = 8 * (f["filter_bytes"] - 69) / f["filter_keys"]
        assert (6 if sys.argv[1] == "ribbon" else 9) < bits + 1 < 11.1 or f["filter_keys"] < 1000, f
PYTHON
}
make leveled fillrandom,overwrite
survey leveled
agrees leveled
python3 - <<'PYTHON' || fail "settings: $(cat survey.json)"
import json
d = json.load(open("survey.json"))["database"]
assert d["settings"]["filter_policy"].startswith("bloomfilter:10") and d["settings"]["compaction_style"] == "kCompactionStyleLevel"
assert all(f["design"] == "rocksdb-fastlocal" and f["key_bytes"] == 16 * f["entries"] for f in d["files"])
PYTHON
# Another process has it open.
python3 - <<'PYTHON' &
import fcntl, time
with open("leveled/LOCK", "r+") as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    open("locked", "w").close()
    time.sleep(60)
PYTHON
holder=$!
for _ in $(seq 100); do [ -e locked ] && break; sleep 0.1; done
survey leveled
kill $holder
fb advise --db leveled --dry-run >table 2>log || fail "table: $(cat log)"
grep -q "^rocksdb database leveled, read by version " table || fail "no table: $(cat table)"

make universal fillrandom,overwrite --compaction_style=1
survey universal
agrees universal
make parts fillrandom,overwrite,compact --partition_index_and_filters=true --metadata_block_size=1024
survey parts
agrees parts
python3 -c 'import json
files = json.load(open("survey.json"))["database"]["files"]
assert all(50 < f["filter_keys"] / f["filters"] < 1024 * 8 / 9.5 for f in files) and max(f["filters"] for f in files) > 5' || fail "no parts: $(cat survey.json)"
make ribbon fillrandom,compact --use_ribbon_filter=true
survey ribbon
agrees ribbon
grep -q '"design": "rocksdb-ribbon"' survey.json || fail "no Ribbon: $(cat survey.json)"
make deleted fillrandom,flush,deleterandom,flush --deletes=20000
survey deleted
agrees deleted
make families fillrandom,flush --num_column_families=2
survey families
agrees families
cp survey.json first.json
survey families --column-family column_family_name_000001
agrees families
cmp -s first.json survey.json && fail "the same files in two column families"
refuses 74 "no column family 'x'; it has default, column_family_name_000001" advise --db families --column-family x

# ---- Damaged, empty, closed ----
cp -r leveled damaged
for table in damaged/*.sst; do truncate -s -20 "$table"; done
refuses 74 "damaged: " advise --db damaged
cp -r leveled newer
python3 - <<'PYTHON'
import glob
for path in glob.glob("newer/*.sst"): # the version stands before the magic number
    with open(path, "r+b") as f:
        f.seek(-12, 2)
        f.write(bytes([9]))
PYTHON
refuses 74 "newer: " advise --db newer
cp -r leveled gone
rm "$(ls gone/*.sst | head -1)"
refuses 74 "gone: " advise --db gone

# Files that may not be read, by a user who is not root.
cp -r leveled secret && chmod 000 secret/*.sst && chmod 755 "$folder" && chmod 777 temporary
if nobody=$(command -v setpriv) && "$nobody" --reuid 65534 --clear-groups "$executable" --version >/dev/null 2>&1; then
    fb() { "$nobody" --reuid 65534 --clear-groups "${command[@]}" "$@"; }
    refuses 74 "secret: .*[Pp]ermission denied" advise --db secret
    fb() { "${command[@]}" "$@"; }
fi

# ---- The answer ----
check "advise --db" -- fb advise --db leveled --absent 0.7 --io nvme --budget 2 --queries 20k --prove --verbose -o a.json >table 2>log
check "validate" -- fb validate a.json >/dev/null
python3 - <<'PYTHON' || fail "the question: $(cat table log)"
import json
d = json.load(open("a.json"))
e, files = d["experiment"], d["database"]["files"]
assert e["engine"] == "rocksdb" and e["from"] == "rocksdb-fastlocal" and e["keys"] == "file"
assert sum(r["keys"] for r in e["run_bytes"]) == sum(f["filter_keys"] for f in files) == d["answer"]["n"]
assert sum(r["files"] for r in e["run_bytes"]) == len(files)
# Today's setting, as db_bench was told: 10 bits. It stands in the ranking.
assert (e["from_bits"], e["from_split"]) == (10, "uniform"), e["from_bits"]
today = [r for r in d["answer"]["ranking"] if r["present"]]
assert d["answer"]["proof"]["verdict"] in ("proved", "not told apart", "refuted") and d["answer"]["proof"]["engine"] == "rocksdb"
assert len(today) == 1 and (today[0]["design"], today[0]["bits_per_key"], today[0]["saves"]) == ("rocksdb-fastlocal", 10, 0), today
assert abs(today[0]["bytes"] / sum(f["filter_bytes"] for f in files) - 1) < 0.01, (today[0]["bytes"], files)
assert d["key_file"]["name"].endswith("a.json.keys") and d["key_file"]["format"] == "len32" and d["key_file"]["dropped"] == 0
PYTHON
check "numbers" -- python3 "$source_folder/tests/cli/advise_numbers.py" a.json
grep -q "^rocksdb database leveled, read by version " table || fail "no table: $(cat table)"
[ $failures = 0 ]
