# LevelDB's own filter policy as a plugin: it keeps the contract, writes the blocks of our leveldb
# byte for byte, answers as ours does, is in every table, and says what it cannot do.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
library=$(dirname "$executable")/leveldb_library.so
[ -e "$library" ] || { echo "skipped: built without a C++ compiler or LevelDB"; exit 77; }

fb plugin check "$library" >table 2>errors || fail "plugin check: $(cat errors)"
grep -q '^leveldb-library  \([0-9]*\) of \1 ' table || fail "plugin check: $(cat table)"
fb describe leveldb-library --plugin "$library" >table || fail describe
for line in "^caveat .*no batches; all keys at once; keys of at most 64" "^filled  *all keys at once$" \
    "^traits .*hashes keys itself" "^own words  *bits_per_key$"; do
    grep -q -- "$line" table || fail "describe: no '$line'"
done

# Blocks: few keys and many, of all sizes, repeated ones, and a capacity above their number.
seq 1 3000 >decimal
seq -f 'key%09.0f' 1 700 >named
yes again | head -40 >repeated
: >none
for keys in decimal named repeated none; do
    for bits in 1 4 10 13 50; do
        for capacity in "" "--capacity 5000"; do
            [ "$keys$capacity" != "none--capacity 5000" ] || continue
            # shellcheck disable=SC2086
            for design in leveldb leveldb-library; do
                fb build -d $design --bits-per-key $bits $capacity -k $keys -o $design.block \
                    --plugin "$library" >log 2>&1 || fail "build $design: $(cat log)"
            done
            cmp leveldb.block leveldb-library.block ||
                fail "another block: $keys, $bits bits per key $capacity"
        done
    done
done
fb build -d leveldb --bits-per-key 10 -k named -o block >/dev/null 2>&1
fb query -d leveldb -b block -k decimal >ours 2>/dev/null || fail "query leveldb"
fb query -d leveldb-library -b block -k decimal --plugin "$library" >theirs 2>/dev/null ||
    fail "query leveldb-library"
cmp ours theirs || fail "other answers to the same block"

# Refused: what the library does not offer.
refuses 2 "hashes keys itself" build -d leveldb-library --bits-per-key 10 \
    --hash xxh64 -k named -o no --plugin "$library"
refuses 2 "the library chooses the number of probes" build -d leveldb-library --bits-per-key 10 \
    --probes 3 -k named -o no --plugin "$library"

# Beside ours in every table; and the same rates.
cat >kernels.json <<'JSON'
{"name": "library", "kind": "kernels", "designs": ["leveldb", "leveldb-library"],
 "footprints": ["L1"], "most_bytes": 12500, "operations": ["batch", "build"], "hit_ratios": [0],
 "rounds": 1, "min_processes": 6, "max_processes": 6, "budget": 1, "cpu": "none"}
JSON
both="leveldb,leveldb-library"
fb run fpr-smoke -d $both -o fpr.json --plugin "$library" >fpr 2>/dev/null || fail "run fpr-smoke"
fb run kernels.json -o timed.json --plugin "$library" >timed 2>/dev/null || fail "run kernels"
fb run smoke --ci -d $both -o tree.json --plugin "$library" >tree 2>/dev/null || fail "run smoke"
for result in fpr timed tree; do
    grep -q 'leveldb-library' $result || fail "$result: not in the table"
    fb validate $result.json --plugin "$library" >/dev/null || fail "validate $result.json"
done
awk '$2 == "has" {next} $1 == "leveldb" {rate = $4 $5} # not the card
    $1 == "leveldb-library" && $4 $5 != rate {bad = 1} END {exit bad}' \
    fpr || fail "another rate than ours: $(grep leveldb fpr | head -4)"
finish
