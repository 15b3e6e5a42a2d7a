# advise: what it says of questions whose answers are known, forged answers, refusals.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

python3 - <<'PYTHON'
with open("keys", "w") as file:
    for i in range(40000):
        file.write(f"pool/main/{i * 2654435761 % 2**32:08x}/{i}.deb\n")
# 8-byte keys in groups of 20 whose 32-bit hash of LevelDB is the same: the second word makes up for
# what the first one did.
import struct
m = 0xc6a4a793
with open("colliding", "wb") as file:
    for group in range(500):
        for i in range(20):
            first = group * 1000 + i
            h = (0xbc9f1d34 ^ 8 * m) & 0xffffffff
            h = (h + first) * m & 0xffffffff
            h ^= h >> 16
            file.write(struct.pack("<II", first, (group * 7919 - h) & 0xffffffff))
PYTHON

# ask NAME ARGUMENTS...: an answer in NAME.json.
ask() {
    local name=$1
    shift
    fb advise --keys keys --tree leveled,T=10,L=3,l0=2,file=1Mi --queries 20k --budget 0.2 -o "$name.json" "$@" >"$name.table" 2>"$name.err" ||
        fail "$name: $(head -3 "$name.err")"
}

three="-d rocksdb-fastlocal,sbbf-256,rocksdb-ribbon" one="-d rocksdb-fastlocal --all-designs"
ask present --absent 0 -b 10 $one
ask pagecache --absent 0.7 --io pagecache $one
ask default --absent 0.7 $three
ask alike --absent 1 -b 10 -d sbbf-256,sbbf-256-libfilter
ask more --absent 0.5 --n 300k --memory 200Ki --engine rocksdb $three
grep -q '^ *block_based_table_factory={filter_policy=.*}$' more.table || fail "no words of RocksDB: $(cat more.table)"
# What is to be pasted stands whole in a line of its own, also on a terminal.
"$(dirname "$executable")/tests/on_terminal" 80 "${command[@]}" show more.json >more.80
python3 - <<'PYTHON' || fail "a setting is wrapped: $(grep -A3 '^rocksdb' more.80)"
import json
lines = {line.strip() for line in open("more.80")}
settings = [e["text"] for e in json.load(open("more.json"))["answer"]["engines"] if e["text"]]
assert settings and max(map(len, settings)) > 80 and set(settings) <= lines, settings
PYTHON
fb advise -n 20k -d sbbf-256 -b 10 --queries 2k --budget 0.1 --io 100us -o given.json >/dev/null 2>stderr || fail "given: $(cat stderr)"
# --dollars tells dollars.
fb advise -n 20k -d sbbf-256 -b 10 --queries 2k --budget 0.1 --dollars 2.5,4e-7,1000 -o dollars.json >dollars.table 2>stderr ||
    fail "dollars: $(cat stderr)"
python3 - <<'PYTHON' || fail "--dollars: $(cat dollars.table)"
import json, re
row = json.load(open("dollars.json"))["answer"]["ranking"][0]
told = [float(x) for x in re.search(r"dollars a month: (\S+) for memory \+ (\S+) for reads = (\S+)", open("dollars.table").read()).groups()]
month = 365.25 / 12 * 86400
meant = [2.5e-9 * row["bytes"], 4e-7 * 1000 * month * row["reads"]["value"]]
assert all(abs(a / b - 1) < 1e-3 for a, b in zip(told, meant + [sum(meant)])), (told, meant)
PYTHON
grep -q dollars more.table && fail "dollars that nobody asked for"
refuses 2 'bits_per_key: "6..20" is not accepted; give one' advise -n 1M -b 6..20
refuses 2 'fuse-8 has only one size, [0-9.]+ bits per key for 20000 keys, and so .*; leave out -b' advise -n 20k -d fuse-8 -b 8
grep -Eq '^(Use|Keep) ' default.table || fail "no sentence first: $(head -3 default.table)"
grep -q 'assumed, as it is not given: --io 100us' default.err || fail "nothing is said of what was assumed"

# A hash that does not tell the keys apart is found out, and nothing else is.
fb advise --keys colliding --keys-format fixed:8 -d leveldb,sbbf-256 -b 8 --queries 5k --budget 0.2 \
    -o colliding.json >colliding.table 2>stderr || fail "colliding: $(cat stderr)"

printf '%s\n' '1048576 0' '1048576 0' '9000000 1' '1048576 00001.sst' >sizes
# Files have a filter each, of their own keys: 1.5 million keys in 31 files of 8.6 MB are 48387 to a file.
for i in $(seq 31); do echo 8600000 2; done >files
fb advise --n 1500k --sst-sizes files -d sbbf-256 -b 10 --queries 5k --budget 0.2 -o files.json >/dev/null 2>stderr || fail "files: $(cat stderr)"
fb advise --sst-sizes files -d sbbf-256 -b 10 --queries 5k --budget 0.2 -o guessed.json >/dev/null 2>stderr || fail "guessed: $(cat stderr)"
grep -q "keys are guessed from the sizes of the files; give their number with -n" stderr || fail "nothing is said of a guess: $(cat stderr)"
fb advise --n 50k --sst-sizes sizes --value-bytes 1000 -d sbbf-256 -b 10 --queries 5k --budget 0.2 \
    -o sizes.json >/dev/null 2>stderr || fail "sizes: $(cat stderr)"

again() { fb advise --again "$@" 2>stderr || fail "again $*: $(cat stderr)"; }
again pagecache.json --io 5ns -o cheap.json >/dev/null
again pagecache.json --io 10ms -o slow.json >/dev/null
again pagecache.json --io 100us --memory-price 1 -o priced.json >/dev/null
again default.json -b 2 -o tiny.json >/dev/null
check "numbers" -- python3 "$source_folder/tests/cli/advise_numbers.py" {present,default,tiny,priced,alike,more,dollars,sizes}.json
refuses 2 "a design and its bits per key" advise -n 1M --from rocksdb-fastlocal,x
absent results/runs/advise.json

python3 - <<'PYTHON' || fail "answers"
import json
def answer(name):
    return json.load(open(name + ".json"))["answer"]
pick = lambda name: next(r for r in answer(name)["ranking"] if r["pick"])
assert answer("files")["unit_keys"] == -(-1500000 // 31), answer("files")["unit_keys"]
final = json.load(open("files.json"))["parts"]["final"]["cells"][0]
assert final["tree"]["segments"] == 31 and final["tree"]["segment_keys"] == 48388, final["tree"]
last_bits = pick("present")["level_bits"]
assert last_bits is None or last_bits[-1] == -1, last_bits
bits = [pick(name)["memory_bits"] for name in ("cheap", "pagecache", "slow")]
assert bits[0] < min(bits[1:]), bits
assert pick("tiny")["memory_bits"] <= 2 and pick("tiny")["allocation"] != "uniform", pick("tiny")
assert pick("priced")["memory_bits"] < bits[2]
both = [r for r in answer("alike")["ranking"] if r["bytes"] == pick("alike")["bytes"]]
assert sum(r["like_pick"] for r in both) == 1, answer("alike")["ranking"]
# The time of a read that nobody measured or gave is no ground for HIGH.
assert {"MEDIUM", "LOW"} >= {answer(n)["confidence"] for n in ("present", "pagecache", "default", "more")}
assert answer("dollars")["confidence"] == "MEDIUM" and "assumed" in answer("dollars")["why"], answer("dollars")
assert answer("given")["confidence"] == "HIGH", answer("given")["card"]
more = answer("more")
assert more["n"] == more["measured"] == 300000 and pick("more")["bytes"] <= 200 * 1024
cells = {c["id"]: c for c in json.load(open("colliding.json"))["cells"]}
assert "its hash does not tell these keys apart" in cells["leveldb"]["left_out"]
assert cells["leveldb"]["screen"]["ratio"] > 10 and cells["sbbf-256"]["left_out"] is None
sizes = json.load(open("sizes.json"))
assert answer("sizes")["runs"] == 4 and answer("sizes")["levels"] == 2
assert [r["level"] for r in sizes["parts"]["final"]["experiment"]["run_sizes"]] == [0, 0, 0, 1]

document = json.load(open("default.json"))
def edited(name, change):
    copy = json.loads(json.dumps(document))
    change(copy)
    json.dump(copy, open(name + ".json", "w"))
edited("card", lambda d: d["answer"]["card"].__setitem__(0, "Use nothing."))
edited("rank", lambda d: d["answer"]["ranking"].reverse())
edited("part", lambda d: d["parts"]["final"]["experiment"]["filters"].pop())
edited("count", lambda d: d["parts"]["screen"]["cells"][0]["counts"]["events"].__setitem__(0, 0))
edited("gone", lambda d: d["parts"].pop("final"))
edited("other", lambda d: d["parts"].update(survey=d["parts"]["final"]))
PYTHON
check "valid" -- fb validate default.json >valid
check "valid with more keys" -- fb validate more.json >valid
# forged NAME PATTERN
forged() {
    fb validate "$1.json" >stdout 2>stderr && fail "forged $1 passes"
    grep -Eq "$2" stderr || fail "forged $1: $(cat stderr)"
}
forged card 'answer\.card.* is not what the facts give'
forged rank 'answer\.ranking.* is not what the facts give'
forged part 'parts\.final: experiment_hash is not that of the experiment'
forged count 'parts\.screen: .* is not what the facts give'
forged gone 'answer is not what the facts give'
forged other 'parts\.survey: its experiment is not the one that follows'
check "show" -- fb show default.json >shown
[ "$(head -1 shown)" = "$(head -1 default.table)" ] || fail "show says otherwise than advise"

quick="--n 10k -d sbbf-256"
refuses 2 'advise: which keys\? ' advise
refuses 2 'memory: 50 bytes are less than a block' advise $quick --memory 50
refuses 2 'exclude each other' advise $quick -b 4 --memory 1Mi
refuses 2 "tree: 'leveled,X=3'" advise $quick --tree leveled,X=3
refuses 2 'style: flat' advise $quick --tree flat
refuses 2 'ascending order' advise $quick --absent 0.9..0.3
refuses 2 'nowhere: cannot be opened' advise $quick --from-rocksdb-stats nowhere
refuses 2 'keys: ' advise $quick --from-rocksdb-stats keys
echo '2MB 0' >wrong-sizes
refuses 2 "line 1: '2MB 0' is no size of a file" advise $quick --sst-sizes wrong-sizes
refuses 2 "--io names no device and no file that can be read; give nvme, " advise -n 1M --io missing.json
refuses 2 "--filter-residency is for a file of 'engine cost'" advise -n 1M --io nvme --filter-residency cached
refuses 2 "--reads is for a file of 'engine cost'" advise -n 1M --reads direct
refuses 2 'line 1: .* is no size of a file' advise $quick --sst-sizes keys
refuses 2 'none is left: sbbf-256: it cannot take keys out again' advise $quick --removal
refuses 2 'none is left: sbbf-256: the engine does not have it' advise $quick --engine leveldb
refuses 2 'no design has filters of at most 0\.001 bits' advise $quick -b 0.001
refuses 2 'give a file in place of -' advise --keys - -d sbbf-256
refuses 2 '2\.5,4e-7,1000' advise $quick --dollars 1,2
absent results/runs/advise.json
# What is left out is not counted.
fb advise --n 1M --removal --dry-run >plan 2>/dev/null
[ "$(tail -1 plan | grep -o '^[0-9]* of [0-9]* designs')" = \
    "$(grep -c ' -$' plan) of $(grep -c '^[a-z].* ' plan | awk '{print $1 - 1}') designs" ] || fail "dry run: $(cat plan)"

finish
