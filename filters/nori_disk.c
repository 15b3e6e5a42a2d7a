/*
 * nori-disk: what nori-sstable's code wrote until 2025-10-31.
 *
 *     block: num_hashes u32 | num_bits u64 | bits, LSB first; everything little-endian
 *     h1 = XXH64(key, 0), h2 = XXH64(key, 1); bit_i = (h1 + i h2 mod 2^64) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key), at least 1, no upper limit
 *
 * Source: jeffhajewski/nori crates/nori-sstable/src/bloom.rs at f46d4f2. Against the document
 * (nori): another header, no clamp at 30. m = 0 ignores insertions and answers no; a block with
 * k = 0 answers yes.
 * Cost: k cache lines for a present key, about two for an absent one.
 */
#include "filters/core/scattered.h"

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    return fb_scattered_plan(params, n_keys, FB_MAX_BLOCK_PROBES, geom, why);
}

#include "filters/core/internal/wrapped.inc"

static const struct fb_format formats[] = {
    {"nori", "12-byte header of nori's code, then the bits", fb_nori_size, fb_nori_write,
     fb_nori_read},
    {0},
};

const struct fb_design fb_design_nori_disk = {
    .name = "nori-disk",
    .summary = "classic Bloom, wrapped double hashing, as nori's code wrote it until October 2025",
    .source = "jeffhajewski/nori crates/nori-sstable/src/bloom.rs at f46d4f2",
    .caveat = "double hashing raises the FPR of small filters (+9 % at 100 keys, 10 bits/key)",
    .traits = FB_SIZES_BY_BITS | FB_INTEGER_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 and 1",
    .digest_words = 2,
    .digest = fb_xxh64_pair,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fb_scattered_fpr,
    .scheme = FB_SCHEME_WRAPPED,
    .formats = formats,
    .kernels = kernels,
};
