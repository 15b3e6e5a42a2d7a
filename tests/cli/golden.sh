# Golden vectors of the real systems through build and query: the block's bytes and every answer.
# A spread of vectors per file; all of them with FB_GOLDEN_ALL=1 (some minutes).
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

python3 - "$source_folder/tests/golden" "${command[@]}" <<'PYTHON' || fail "golden vectors"
import hashlib, json, os, subprocess, sys

golden, command = sys.argv[1], sys.argv[2:]
MASK = 2**64 - 1
PER_FILE = 6 if len(command) > 1 else 10 # an emulator takes its time
FILES = {
    "independent_xxh64": "bloom-independent", "nori_seed_document": "nori",
    "nori_modulo": "nori-disk", "nori_pow2": "nori-pow2", "lsmtree112_bloom": "fjall-1",
    "lsmtree2_bloom": "fjall-2", "lsmtree3_standard_bloom": "fjall-3",
    "leveldb_bloom": "leveldb", "rocksdb_fastlocalbloom": "rocksdb-fastlocal",
    "rocksdb_fastlocalbloom_prefix3_only": "rocksdb-fastlocal",
    "rocksdb_fastlocalbloom_prefix3_whole": "rocksdb-fastlocal",
    "rocksdb_legacybloom": "rocksdb-legacy", "rocksdb_ribbon128": "rocksdb-ribbon",
    "parquet_sbbf": "sbbf-256", "parquet_sbbf_arrow_sized": "sbbf-256",
    "abloom_sbbf512": "sbbf-512", "sbbf512_pow2": "sbbf-512-pow2",
    "seed4_course_bloom": "course", "binary_fuse8": "fuse-8", "binary_fuse16": "fuse-16",
    "libfilter_block": "sbbf-256-libfilter", "lsmtree3_blocked_bloom_disabled": "fjall-blocked",
}
# Prefixes of three bytes: what build has in the filter, and what query asks for.
PREFIXES = {"rocksdb_fastlocalbloom_prefix3_only": (["--prefix", "fixed:3"], ["--prefix", "fixed:3"]),
            "rocksdb_fastlocalbloom_prefix3_whole": (["--prefix", "fixed:3", "--whole-keys"], [])}
OPTIONS = {"bpk": "--bits-per-key", "fpr": "--fpr", "fpp": "--fpr", "fp_rate": "--fpr",
           "capacity": "--capacity"}
OWN_SIZE = ["--bits-per-key", "20"] # where the vector has none, enough for all


def splitmix(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        yield z ^ z >> 31


def binary(words, n, least, spread):
    for _ in range(n):
        length = least + next(words) % spread
        yield b"".join(next(words).to_bytes(8, "little") for _ in range(-(-length // 8)))[:length]


def keys_of(family, base, n):
    other = splitmix(base ^ 0x5555555555555555)
    if family in ("seq", "dup"):
        step = 3 if family == "dup" else 1
        return ([b"key%06d" % (base + i // step) for i in range(n)],
                [b"key%06d" % (base + 500000 + j) for j in range(1000)])
    if family == "bin":
        return list(binary(splitmix(base), n, 0, 65)), list(binary(other, 1000, 16, 49))
    words = splitmix(base)
    return ([next(words).to_bytes(8, "big") for _ in range(n)],
            [next(other).to_bytes(8, "big") for _ in range(1000)])


def write_keys(path, keys):
    with open(path, "w") as f:
        f.writelines(key.hex() + "\n" for key in keys)


def run(*arguments):
    done = subprocess.run([*command, *arguments], capture_output=True)
    if done.returncode:
        raise SystemExit(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def check(name, design, vector):
    held, asked = PREFIXES.get(name, ([], []))
    present, absent = keys_of(vector["family"], int(vector["base"]), int(vector["n"]))
    what = f"{design} {vector['family']} n={vector['n']} {vector['params']}"
    sizing = [word for name, value in vector["params"].items() if name != "digest"
              for word in (OPTIONS[name], value)] or ([] if design.startswith(("fuse-", "xor-")) else OWN_SIZE)
    write_keys("present", present)
    write_keys("both", present + absent)
    run("build", "--design", design, *sizing, *held, "--keys", "present", "--keys-format", "hex",
        "-o", "block")
    block = open("block", "rb").read()
    assert len(block) == int(vector["filter_len"]), f"{what}: {len(block)} bytes"
    assert hashlib.sha256(block).hexdigest() == vector["filter_sha256"], f"{what}: other bytes"
    answers = run("query", "--design", design, "--block", "block", *asked, "--keys", "both",
                  "--keys-format", "hex").split()
    bitmap = bytes.fromhex(vector["absent_bitmap_hex"])
    expected = [b"1"] * len(present) + [b"%d" % (bitmap[j // 8] >> j % 8 & 1) for j in range(1000)]
    assert answers == expected, f"{what}: other answers"


count = 0
for name, design in FILES.items():
    vectors = json.load(open(f"{golden}/{name}.json"))["vectors"]
    if not os.environ.get("FB_GOLDEN_ALL"):
        vectors = [v for v in vectors if int(v["n"]) <= 1000]
        vectors = vectors[:: max(1, len(vectors) // PER_FILE)][:PER_FILE] + [vectors[-1]]
    for vector in vectors:
        check(name, design, vector)
        count += 1

# Parquet columns as DuckDB writes them: thrift header, plain encoding of typed values.
COLUMNS = {"k": "lines", "b": "i64", "i4": "i32", "d": "f64", "f4": "f32"}
vectors = json.load(open(f"{golden}/parquet_duckdb.json"))["vectors"]
if not os.environ.get("FB_GOLDEN_ALL"):
    vectors = vectors[:: len(vectors) // 10]
for vector in vectors:
    base, n = int(vector["base"]), int(vector["n"])
    values = ["key%06d" % (base + i) if vector["column"] == "k" else str(base + i) for i in range(n)]
    open("column", "w").write("".join(value + "\n" for value in values))
    run("build", "--design", "sbbf-256", "--fpr", str(vector["fpp"]), "--format-block", "parquet",
        "--keys", "column", "--keys-format", COLUMNS[vector["column"]], "-o", "block")
    header = bytes.fromhex(vector["header_hex"])
    block = open("block", "rb").read()
    what = f"parquet {vector['column']} base={base} n={n} {vector['fpp']}"
    assert block[: len(header)] == header, f"{what}: other header"
    assert hashlib.sha256(block[len(header) :]).hexdigest() == vector["bitset_sha256"], what
    count += 1

# The filter block of a LevelDB table: a filter for each 2 KiB of data.
table = json.load(open(f"{golden}/leveldb_table_filter_block.json"))
first, last = table["data_blocks"][0], table["data_blocks"][-1]
keys = ["key%06d" % (table["base"] + i) for i in range(table["n"])]
open("keys", "w").write("".join(key + "\n" for key in keys))
open("data", "w").write("".join("%(offset)d %(keys)d\n" % block for block in table["data_blocks"]))
run("build", "--design", "leveldb", "--bits-per-key", str(table["bits_per_key"]), "--keys", "keys",
    "--data-blocks", "data", "-o", "block")
assert open("block", "rb").read().hex() == table["filter_block_hex"], "leveldb table: other bytes"
for offset, found in ((first["offset"], keys[: first["keys"]]), (last["offset"], keys[-last["keys"]:])):
    answers = run("query", "--design", "leveldb", "--block", "block", "--data-block", str(offset),
                  "--keys", "keys").split()
    in_it = [answer for key, answer in zip(keys, answers) if key in found]
    assert set(in_it) == {b"1"}, f"leveldb table: a key is not in the filter at {offset}"
    assert answers.count(b"1") < len(found) + 50, f"leveldb table: no filter of {offset} alone"
assert set(run("query", "--design", "leveldb", "--block", "block", "--data-block", "2048", "--keys",
               "keys").split()) == {b"0"}, "leveldb table: a window without keys"
count += 1

# abloom's typed keys.
typed = json.load(open(f"{golden}/abloom_typed.json"))
PREFIX = {"int": "i", "float": "f", "str": "s", "bytes": "b"}
lines = [f"{PREFIX[item['type']]}:{item['value']}\n" for item in typed["items"]]
open("typed", "w").write("".join(lines))
run("build", "--design", "sbbf-512", "--fpr", str(typed["fp_rate"]), "--capacity",
    str(typed["capacity"]), "--keys", "typed", "--keys-format", "typed", "-o", "block")
assert open("block", "rb").read().hex() == typed["all_hex"], "typed keys: other bytes"
print(count + 1, "vectors")
PYTHON
finish
