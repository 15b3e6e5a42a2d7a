/*
 * nori: the Bloom filter of the nori-sstable document.
 *
 *     block: num_bits u64 | num_hashes u32 | bits_per_key u32 | bits, LSB first
 *     h1 = XXH64(key, 0), h2 = XXH64(key, 1); bit_i = (h1 + i h2 mod 2^64) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: nori-sstable "Bloom Filter Implementation" (source document 000). Its byte order is not
 * documented; little-endian is our choice, and m = 0 answers no. The code of that time had another
 * header: nori-disk. n is an estimate made before the keys are known (params.capacity).
 * Cost: k cache lines for a present key, about two for an absent one.
 */
#include "filters/core/scattered.h"

#include "filters/core/internal/wrapped.inc"

const struct fb_design fb_design_nori = {
    .name = "nori",
    .summary = "classic Bloom, wrapped double hashing, as the nori document describes it",
    .source = "nori-sstable, Bloom Filter Implementation (source document 000)",
    .caveat = "double hashing raises the FPR of small filters (+9 % at 100 keys, 10 bits/key)",
    .traits = FB_SIZES_BY_BITS | FB_INTEGER_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 and 1",
    .digest_words = 2,
    .digest = fb_xxh64_pair,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = fb_document_plan,
    .fpr = fb_scattered_fpr,
    .scheme = FB_SCHEME_WRAPPED,
    .formats = fb_document_formats,
    .kernels = kernels,
};
