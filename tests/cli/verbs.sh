# Help, list and describe of every verb and design; every JSON output parses.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

fb --version | grep -Eq '^filterbench [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version"
check "--help" -- fb --help >overview
fb >/dev/null 2>stderr
[ $? = 2 ] && cmp -s stderr overview || fail "no verb: the overview on stderr, exit 2"
verbs=$(sed -n 's/^  filterbench \([a-z]*\) .*/\1/p' overview)
for verb in list describe build query inspect; do
    echo "$verbs" | grep -qx "$verb" || fail "--help does not name $verb"
done
for verb in $verbs; do
    check "help $verb" -- fb help "$verb" >help
    grep -q "^Usage: filterbench $verb" help || fail "help $verb: no usage line"
    fb "$verb" --help | cmp -s - help || fail "$verb --help differs from help $verb"
done

for topic in designs hashes formats popularities absent attacks lookups allocations devices kinds presets members claims; do
    json "list $topic" -- fb list $topic --format json
    check "list $topic" -- fb list $topic >table
done
fb list --format json | python3 -c '
import json, sys
lists = json.load(sys.stdin)
assert list(lists) == ["designs", "hashes", "formats", "popularities", "absent", "attacks", "lookups",
    "allocations", "devices", "kinds", "presets", "members", "claims"]
with open("designs", "w") as out:
    for d in lists["designs"]:
        print(d["name"], d["control"], "bits" in d["sizes_by"], "rate" in d["sizes_by"], "keys" in d["sizes_by"], file=out)
with open("presets", "w") as out:
    out.writelines(p["name"] + "\n" for p in lists["presets"])
with open("words", "w") as out: # a parameter stands for itself in formats alone
    for topic in "formats", "popularities", "absent", "attacks", "lookups", "allocations", "devices":
        out.writelines(w["name"] + "\n" for w in lists[topic] if topic == "formats" or ":" not in w["name"])' || fail "list --format json"
[ -s designs ] || fail "list names no designs"
fb list designs >table
while read -r design _; do
    grep -q "^$design " table || fail "list designs: no $design"
    fb describe "$design" >text
    grep -q "^design  *$design$" text || fail "describe $design"
    json "describe $design" -- fb describe "$design" --format json
done <designs
while read -r preset; do
    fb describe "$preset" >text
    grep -q "^$preset: ." text || fail "describe $preset"
    json "describe $preset" -- fb describe "$preset" --format json
done <presets

[ "$(wc -l <words)" -ge 40 ] || fail "list names too few formats, popularities, lookups, ..."
fb describe uniform | grep -q '^allocation  *uniform' || fail "describe uniform: no allocation"
fb describe 8ms | grep -q '^read ns  *8e+06' || fail "describe 8ms"
echo zipf:0.99 >>words
echo hotspot:0.2,0.8 >>words
echo len:9..30 >>words
while read -r word; do
    json "describe $word" -- fb describe "$word" --format json
done <words
check "describe bin:100" -- fb describe bin:100 >text
grep -q "^max bytes  *100$" text || fail "describe bin:100"
refuses 2 "did you mean 'uuid4'" describe uuid5
refuses 2 "did you mean 'drop-last'" describe droplast
refuses 2 "did you mean 'zipf:THETA'" describe zipf
refuses 2 "did you mean 'popularity'" describe popularitie

printf 'one\ntwo\nthree\n' >keys
json "build" -- fb build -d nori -b 10 --keys keys -o block --format json 2>stderr
fb query --design nori --block block --keys keys --format json >query 2>stderr
fb inspect --design nori --block block --keys-count 3 --format json >inspect
python3 - <<'PYTHON' || fail "query or inspect --format json"
import json
q, i = json.load(open("query")), json.load(open("inspect"))
assert q["answers"] == [1, 1, 1] and q["maybe"] == 3 and q["no"] == 0
assert i["reader"] == "probes" and i["geometry"]["bits"] == 30 and 7 <= i["ones"] <= 21
assert sum(r["ones"] for r in i["regions"]) == i["ones"]
assert i["fill"] ** 7 / 2 < i["predicted_fpr"] < 2 * i["fill"] ** 7
assert [(r["first_bit"], r["bits"]) for r in i["regions"]] == [(0, 8), (8, 8), (16, 8), (24, 6)]  # 30 bits
assert all(r["fill"] == r["ones"] / r["bits"] for r in i["regions"])
PYTHON

# Blocks: of 8 lanes few differ by 16 bits, and each number of set bits has a bin; of 512 bits the bins are wider.
seq 2000 >many
for design in sbbf-256 sbbf-512; do
    fb build -d $design -b 10 -k many -o blocks 2>/dev/null && fb inspect -d $design -b blocks --format json >$design.json
done
fb query -d nori -b block -k keys --prefix fixed:9 --format json >short 2>/dev/null # shorter than the prefix: may be in
for what in "list hashes" "list designs" describe\ {sbbf-512,fuse-8,cuckoo-12,fjall-3,hit_ratios,cpu}; do fb $what --format json >"$what"; done
printf 'a\na\nb\n' >twice # the same digest once more is not counted
fb build -d rocksdb-fastlocal -b 10 -k twice -o block --format json >built 2>/dev/null
printf '0 1\n4000 2\n9000 0\n' >offsets
fb build -d leveldb -b 10 -k twice --data-blocks offsets -o block --format json >tabled 2>/dev/null
python3 - <<'PYTHON' || fail "what is told in JSON"
import json
load = lambda name: json.load(open(name))
assert (load("short")["maybe"], load("short")["no"], load("short")["answers"]) == (3, 0, [1, 1, 1])
for design, blocks in ("sbbf-256", 79), ("sbbf-512", 40):  # 20000 bits
    i = load(design + ".json")
    o, ones = i["set_bits_per_block"], i["ones"]
    bins = o["histogram"]
    assert len({b["to"] - b["from"] for b in bins}) == 1 and bins[0]["from"] == o["least"] <= o["most"] <= bins[-1]["to"]
    assert all(b["from"] == a["to"] + 1 for a, b in zip(bins, bins[1:])) and len(bins) <= 16
    assert sum(b["blocks"] for b in bins) == blocks == i["geometry"]["blocks"] and abs(o["mean"] * blocks - ones) < 1e-6
    middle = [((b["from"] + b["to"]) / 2, b["share"]) for b in bins]
    spread = sum(share * (at - o["mean"]) ** 2 for at, share in middle) ** 0.5
    assert abs(o["sd"] - spread) < (1e-9 if bins[0]["from"] == bins[0]["to"] else 0.2), (o["sd"], spread)
assert (load("built")["keys"], load("built")["keys_counted"], load("tabled")["data_blocks"]) == (3, 2, 2)
assert ["several" in load("describe " + f)["readings"][0] for f in ("hit_ratios", "cpu")] == [True, False]
hashes = {h["name"]: (h["bits"], h["seed_bits"]) for h in load("list hashes")["hashes"]}
assert hashes["murmur3-128"] == (64, 32) and hashes["fnv1a"] == (64, 0) and hashes["leveldb-hash"] == (32, 32)
assert not any(d["grows"] for d in load("list designs")["designs"])
assert {d: load("describe " + d)["filled"] for d in ("fuse-8", "cuckoo-12", "fjall-3")} == {
    "fuse-8": "all keys at once", "cuckoo-12": "key by key, which can be taken out", "fjall-3": "key by key"}
assert all(s["delivered"] == s["bytes"] * 8 / 100000 for s in load("describe sbbf-512")["example_sizes"])
PYTHON

# Size derived in either direction is said on stderr; stdout stays empty. Every design takes 20 bits per key, but
# those that have one size: they need none, and say theirs where one, or a rate, is asked for.
asked=0
while read -r design control by_bits by_rate by_keys; do
    [ "$control" = False ] || continue
    for way in "bits-per-key 20 $by_bits" "fpr 0.01 $by_rate" "capacity 3 True"; do
        read -r option value direct <<<"$way"
        if [ "$by_keys" = True ] && [ $option != capacity ]; then
            refuses 2 "^filterbench: build: $design has only one size, [0-9.]+ bits per key for 3 keys, and so .*; leave out -[bp]" \
                build -d $design --$option $value -k keys -o refused
            absent refused
            asked=$((asked + 1))
            continue
        fi
        [ "$by_keys:$option" != False:capacity ] || continue
        fb build --design "$design" "--$option" "$value" --keys keys -o block >stdout 2>stderr ||
            fail "build $design --$option: $(cat stderr)"
        [ ! -s stdout ] || fail "build $design: something on stdout"
        told=False
        ! grep -q 'derived from' stderr || told=True
        [ "$told" != "$direct" ] || fail "build $design --$option: derived $told, direct $direct"
        fb query --design "$design" --block block --keys keys >answers 2>stderr
        [ "$(tr -d '\n' <answers)" = 111 ] || fail "query $design: $(cat answers stderr)"
        check "inspect $design" -- fb inspect -d "$design" --block block --keys-count 3 >text
    done
done <designs
[ $asked = 8 ] || fail "$asked designs of one size"
fb build -d fuse-16 -k many -o block --format json >built 2>/dev/null
python3 -c '
import json
built = json.load(open("built"))
assert built["bits_per_key"] == built["geometry"]["bytes"] * 8 / 2000 and built["derived"] is None, built' ||
    fail "fuse-16: its size"
fb describe fuse-16 >text
grep -Eq '(^| )20( |$)' text && fail "describe fuse-16 says 20: $(cat text)"

# The rate that inspect predicts is the one that is counted of 100,000 absent keys, of blocks of ours and of LevelDB.
python3 - "$source_folder" <<'PYTHON'
import json, random, sys
draw = random.Random(29)
with open("strange", "w") as out:
    out.writelines("%032x\n" % draw.getrandbits(128) for _ in range(100000))
golden = json.load(open(sys.argv[1] + "/tests/golden/leveldb_bloom.json"))["vectors"]
golden.sort(key=lambda v: v["n"])
for i, v in enumerate([v for v in golden if v["n"] >= 1000 and v.get("filter_hex")][-3:]):
    open("leveldb.%d" % i, "wb").write(bytes.fromhex(v["filter_hex"]))
PYTHON
for size in 500:10 20000:5 100000:10 100000:14; do
    seq "${size%:*}" >dense # their hashes are no random ones: the bits do not tell the rate
    fb build -d leveldb -b "${size#*:}" -k dense -o "leveldb.${size%:*}-${size#*:}" --format json \
        >"leveldb.${size%:*}-${size#*:}.built" 2>/dev/null
done
refuses 2 '^filterbench: --keys-count 20: .* at most 6 bits, .* it holds at least [0-9]+ keys' inspect -d leveldb -b leveldb.100000-10 -n 20
for design in fuse-8 cuckoo-12 rocksdb-fastlocal sbbf-256 fjall-3; do
    fb build -d $design $([ $design = fuse-8 ] || echo -p 0.02) -k dense -o $design.0 2>/dev/null
done
for block in leveldb.*[0-9] {fuse-8,cuckoo-12,rocksdb-fastlocal,sbbf-256,fjall-3}.0; do
    fb query -d "${block%.*}" -b "$block" -k strange 2>"$block.counted" >/dev/null
    fb inspect -d "${block%.*}" -b "$block" --format json >"$block.inspected"
done
python3 - <<'PYTHON' || fail "inspect predicts another rate than that of the block"
import glob, json, os, re, sys
bad, blocks = 0, glob.glob("*.inspected")
for name in blocks:
    i = json.load(open(name))
    built = name[:-9] + "built"
    assert not os.path.exists(built) or json.load(open(built))["predicted_fpr"] == i["predicted_fpr"], name
    maybe = int(re.search(r": (\d+) maybe", open(name[:-9] + "counted").read()).group(1))
    p, q = maybe / 1e5, i["predicted_fpr"]
    off = abs(p - q) / (max(p, 1e-5) / 1e5 + q / i["random_keys_asked"]) ** 0.5
    if not off <= 4:
        bad += 1
        print(name, "predicted", q, "counted", p, off, "standard errors off")
sys.exit(bad > 0 or len(blocks) != 12)
PYTHON

# Another hash gives other bits, and answers only to those who say it.
fb build -d nori -b 12 --hash wyhash -k keys -o other 2>/dev/null
fb build -d nori -b 12 -k keys -o own 2>/dev/null
cmp -s own other && fail "--hash changes nothing"
[ "$(fb query -d nori -b other --hash wyhash -k keys 2>/dev/null | tr -d '\n')" = 111 ] ||
    fail "query --hash"
[ "$(FB_DISABLE_ISA=all fb query -d nori -b own -k keys 2>/dev/null | tr -d '\n')" = 111 ] ||
    fail "query without instruction sets"

# stdin and stdout.
fb build -d nori -b 12 -k - -o - <keys 2>/dev/null | cmp -s - own || fail "keys from stdin, block to stdout"
finish
