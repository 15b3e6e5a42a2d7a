#!/usr/bin/env bash
# The gate closes: a salt, a number of probes and a hash seed changed in a copy of the tree are each
# found by compare and named by their design; a design without a change is not.
set -euo pipefail
filterbench=$1
source=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

tar -C "$source" --exclude=./.git --exclude='./build*' --exclude=./results/runs --exclude=./plots/out \
    -cf - . | tar -C "$tree" -xf -
# change FILE PATTERN BY: the pattern must be there, once.
change() {
    [ "$(grep -c -- "$2" "$tree/$1")" = 1 ] || { echo "no single '$2' in $1"; exit 1; }
    sed -i "s/$2/$3/" "$tree/$1"
}
change filters/core/split_block.h 0x9EFC4947 0x9EFC4949
change filters/leveldb.c '(uint32_t)(params->bits_per_key \* 0.69)' '& + 1'
change filters/core/scattered.c 'fb_xxh64(key, len, 1)' 'fb_xxh64(key, len, 2)'
change filters/hash/batch.c 'some, word, hashes' 'some, 2 * word, hashes'

cmake -S "$tree" -B "$tree/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 \
    -DBUILD_TESTING=OFF >/dev/null
cmake --build "$tree/build" --target filterbench >"$tree/log" || { cat "$tree/log"; exit 1; }

# Every design on its own, so that each change must be found.
status=0
while read -r design expected fact; do
    for run in "$filterbench" "$tree/build/filterbench"; do
        "$run" run fpr-smoke -d "$design" -o "$tree/${run//\//_}.json" >/dev/null 2>"$tree/log" ||
            { cat "$tree/log"; exit 1; }
    done
    got=0
    "$filterbench" compare "$tree/${filterbench//\//_}.json" "$tree/${run//\//_}.json" \
        >"$tree/table" 2>"$tree/stderr" || got=$?
    if [ $got != "$expected" ] || { [ "$expected" = 5 ] && ! grep -q "first $design/.*: $fact" "$tree/stderr"; }; then
        echo "FAILED: $design: exit $got, not $expected"
        cat "$tree/table" "$tree/stderr"
        status=1
    fi
done <<'CASES'
sbbf-256 5 counts.
sbbf-512 5 counts.
leveldb 5 geometry.probes
nori 5 counts.
course 0
rocksdb-fastlocal 0
CASES
exit $status
