#!/usr/bin/env bash
# The gate closes: seven faults, each in a copy of the tree, are found by compare, with the exit code
# of their kind and the design in its line: a number of probes off by one, a salt, a hash seed, a
# block written big-endian, twice the size (exact facts, 5); an inlining that was lost, a division too
# many (instructions, 1). A design without a change is not flagged.
filterbench=$1
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
configure -DBUILD_TESTING=OFF
build filterbench
cp "$built/filterbench" "$tree/before" # instructions are held against the same compiler's

# change FILE PATTERN BY: the pattern must be there, once.
change() {
    [ "$(grep -c -- "$2" "$tree/$1")" = 1 ] || { echo "no single '$2' in $1"; exit 1; }
    sed -i "s/$2/$3/" "$tree/$1"
}
change filters/core/split_block.h 0x9EFC4947 0x9EFC4949
change filters/leveldb.c '(uint32_t)(params->bits_per_key \* 0.69)' '& + 1'
change filters/core/scattered.c 'fb_xxh64(key, len, 1)' 'fb_xxh64(key, len, 2)'
change filters/hash/batch.c 'some, word, hashes' 'some, 2 * word, hashes'
change filters/course.c 'fb_put_le32(block, (uint32_t)f->geom.n_bits)' 'fb_put_le32(block, __builtin_bswap32((uint32_t)f->geom.n_bits))'
change filters/bloom_independent.c '\.plan = fb_document_plan' '.plan = twice'
change filters/bloom_independent.c '^const struct fb_design fb_design_bloom_independent = {' \
    'static enum fb_err twice(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom, const char **why)\n{\n    struct fb_params more = *params;\n    more.bits_per_key *= 2;\n    return fb_document_plan(\&more, n_keys, geom, why);\n}\n&'
change filters/fjall_3.c '^static inline struct fb_walk next(' '__attribute__((noinline)) static struct fb_walk next('
change filters/core/internal/fjall.h 'w.h + w.step' 'w.h + w.step + (uint64_t)t \/ f->geom.n_bits'
build filterbench

# Every design on its own, so that each change must be found.
status=0
# judged DESIGN CODE PATTERN BASE HEAD: what compare says of two results.
judged() {
    local got=0
    "$filterbench" compare "$4" "$5" >"$tree/table" 2>"$tree/stderr" || got=$?
    if [ $got != "$2" ] || ! grep -Eq "$3" "$tree/stderr" "$tree/table"; then
        echo "FAILED: $1: exit $got, not $2 with '$3'"
        cat "$tree/table" "$tree/stderr"
        status=1
    fi
}
while read -r design expected fact; do
    for run in "$filterbench" "$built/filterbench"; do
        "$run" run fpr-smoke -d "$design" -o "$tree/${run//\//_}.json" >/dev/null 2>"$tree/log" ||
            { cat "$tree/log"; exit 1; }
    done
    [ "$expected" = 0 ] || fact="first $design/.*: $fact"
    judged "$design" "$expected" "$fact" "$tree/${filterbench//\//_}.json" "$tree/${run//\//_}.json"
done <<'CASES'
sbbf-256 5 counts.
sbbf-512 5 counts.
leveldb 5 geometry.probes
nori 5 counts.
course 5 counts.block_checksum
bloom-independent 5 geometry.n_bits|counts.|geometry.n_bytes
fjall-1 0
fjall-3 0
rocksdb-fastlocal 0
CASES

while read -r design expected line; do
    for run in "$tree/before" "$built/filterbench"; do
        "$run" run icount -d "$design" --isa scalar --operations batch -n 500 \
            -o "$tree/icount_${run##*/}.json" >/dev/null 2>"$tree/log" || { cat "$tree/log"; exit 1; }
    done
    if grep -q '"counter": *null' "$tree/icount_before.json"; then
        echo "instructions are not counted here"
        break
    fi
    judged "$design" "$expected" "$line" "$tree/icount_before.json" "$tree/icount_filterbench.json"
done <<'CASES'
fjall-3 1 1 % more instructions, first fjall-3/.* an operation in BASE and .* in HEAD, \+[0-9.]+ %
fjall-1 1 1 % more instructions, first fjall-1/.* an operation in BASE and .* in HEAD, \+[0-9.]+ %
rocksdb-fastlocal 0 icount .* 0 take more instructions
CASES
exit $status
