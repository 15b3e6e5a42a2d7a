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
    head -1 help | grep -q "^usage: filterbench $verb" || fail "help $verb: no usage line"
    fb "$verb" --help | cmp -s - help || fail "$verb --help differs from help $verb"
done

for topic in designs hashes formats popularities absent attacks lookups allocations devices kinds presets claims; do
    json "list $topic" -- fb list $topic --format json
    check "list $topic" -- fb list $topic >table
done
fb list --format json | python3 -c '
import json, sys
lists = json.load(sys.stdin)
assert list(lists) == ["designs", "hashes", "formats", "popularities", "absent", "attacks", "lookups",
    "allocations", "devices", "kinds", "presets", "claims"]
with open("designs", "w") as out:
    for d in lists["designs"]:
        print(d["name"], d["control"], "bits" in d["sizes_by"], "rate" in d["sizes_by"], file=out)
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
assert abs(i["predicted_fpr_from_fill"] - i["fill"] ** 7) < 1e-12
PYTHON

# Size derived in either direction is said on stderr; stdout stays empty. Every design takes 20 bits per key.
while read -r design control by_bits by_rate; do
    [ "$control" = False ] || continue
    for way in "bits-per-key 20 $by_bits" "fpr 0.01 $by_rate"; do
        read -r option value direct <<<"$way"
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
