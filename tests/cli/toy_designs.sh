# The designs of tests/designs through the tool: described, counted, built, written and asked again,
# timed, in a tree; what they refuse. Each is one file, and the tool knows nothing of it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command[${#command[@]}-1]=$(dirname "$executable")/tests/filterbench_toys
toys="xor-toy cuckoo-8 key-set"

fb list designs >table
for toy in $toys; do
    grep -q "^$toy " table || fail "list designs: no $toy"
    json "describe $toy" -- fb describe $toy --format json
    fb describe $toy >$toy.text
done
grep -q '^filled  *all keys at once$' xor-toy.text || fail "xor-toy is filled at once"
grep -q '^own words  *seed, segment$' xor-toy.text || fail "xor-toy has words of its own"
grep -q '^filled  *key by key, which can be taken out$' cuckoo-8.text || fail "cuckoo-8 removes"
grep -q '^when full  *500 moves' cuckoo-8.text || fail "cuckoo-8 says when it is full"
grep -q '^grows  *yes$' key-set.text || fail "key-set grows"
grep -q '^traits.*hashes keys itself' key-set.text || fail "key-set takes keys"

fb list designs --format json >list.json
for toy in "xor-toy false false false true" "cuckoo-8 true true false true" "key-set true false true true"; do
    read -r name adds removes grows full <<<"$toy"
    tr -d ' \n' <list.json | grep -q "\"name\":\"$name\"[^}]*\"adds\":$adds,\"removes\":$removes,\"grows\":$grows,\"may_be_full\":$full" ||
        fail "list designs: what $name offers"
done

# Built, written, asked again.
seq 1 2000 >keys
seq 5001 7000 >others
for toy in $toys; do
    size=$([ $toy = key-set ] || echo --bits-per-key 10)
    fb build -d $toy $size -k keys -o $toy.block --format json >$toy.json 2>/dev/null ||
        fail "build $toy"
    [ "$(fb query -d $toy -b $toy.block -k keys 2>/dev/null | grep -c 1)" = 2000 ] ||
        fail "$toy denies keys"
    [ "$(fb query -d $toy -b $toy.block -k others 2>/dev/null | grep -c 1)" -lt 120 ] ||
        fail "$toy admits too many"
    json "inspect $toy" -- fb inspect -d $toy -b $toy.block --format json
done
grep -q '"segment": "0x' xor-toy.json || fail "build: no words of the design's own"
grep -q '"attempts": [1-9]' xor-toy.json || fail "build: no attempts"
grep -q '"temporary_bytes": [1-9]' xor-toy.json || fail "build: no temporary bytes"

# Refused: repeats of one key, too many keys, sizes, long keys, another hash.
yes key | head -100 >repeats
refuses 2 "these 100 keys found no place.*: 500 moves" build -d cuckoo-8 --bits-per-key 10 -k repeats -o no
refuses 2 "sized for 1000: 500 moves" build -d cuckoo-8 --bits-per-key 10 --capacity 1000 -k keys -o no
refuses 2 "9.84 bits per key" build -d xor-toy --bits-per-key 9 -k keys -o no
refuses 2 "hashes keys itself" build -d key-set --hash xxh64 -k keys -o no
printf '%065d\n' 1 >long
refuses 2 "hashes keys itself" build -d key-set -k long -o no
absent no

# Counted, timed, in a tree; and derived again from what was counted.
names=${toys// /,}
fb run fpr-smoke -d $names -o fpr.json >/dev/null 2>&1 || fail "run fpr-smoke"
cat >kernels.json <<'JSON'
{"name": "toys", "kind": "kernels", "designs": ["xor-toy", "cuckoo-8", "key-set"],
 "footprints": ["L1"], "most_bytes": 12500, "operations": ["all"], "hit_ratios": [0, 1],
 "rounds": 1, "min_processes": 6, "max_processes": 6, "budget": 1, "cpu": "none", "histograms": true}
JSON
fb run kernels.json -o timed.json --verbose >table 2>/dev/null || fail "run kernels"
fb run smoke --ci -d $names -o tree.json >/dev/null 2>&1 || fail "run smoke"
for result in fpr timed tree; do
    fb validate $result.json >/dev/null || fail "validate $result.json"
    for toy in $toys; do
        grep -q "\"design\": \"$toy\"" $result.json || fail "$result.json: no $toy"
    done
done
for cell in xor-toy/L1/build cuckoo-8/L1/insert cuckoo-8/L1/remove key-set/L1/build; do
    grep -q "\"id\": \"$cell/" timed.json || fail "kernels: no $cell"
done
grep -q '^remove: keys that are in$' table || fail "kernels: no table of removals"
grep -q '"seed": "0x[0-9a-f]\{16\}"' fpr.json || fail "fpr: no words of the design's own"
finish
