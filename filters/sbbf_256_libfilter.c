/*
 * sbbf-256-libfilter: the split block Bloom filter of libfilter.
 *
 *     block: eight words of 32 bits; word i gets bit (lo(h) * salt_j mod 2^32) >> 27, j = i xor 1
 *     h = XXH64(key, 0); block = floor(hi(h) * z / 2^32)
 *     z = ceil(n bits_per_key / 256), at least 1; raw: the words, little-endian
 *
 * Source: jbapple/libfilter c/include/filter/block.h, c/lib/block.c, scalar and AVX2: the salts of
 * Parquet with neighbours exchanged, hence other images and the same rates. libfilter takes digests
 * and leaves the hash to its caller. Flaw: its NEON code has Parquet's order, so that a filter
 * written on x86 denies present keys where NEON reads it. Of the sizes that libfilter is asked for
 * it may round those of huge pages down; these are exact.
 * Cost: that of sbbf-256.
 */
#include "filters/inline/sbbf_256.h"

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    return fb_split_block_plan(params, n_keys, FB_SBBF_256_BITS, geom, why);
}

#define FB_SBBF_256(name) fb_sbbf_256_libfilter_##name
#include "filters/simd/sbbf_256.inc"

static enum fb_err raw_read(const struct fb_design *design, const uint8_t *block, size_t len,
                            struct fb_filter *out, const char **why)
{
    return fb_split_block_read(design, FB_SBBF_256_BITS, block, len, out, why);
}

static const struct fb_format formats[] = {
    {"raw", "the words, little-endian", fb_raw_size, fb_raw_write, raw_read},
    {0},
};

const struct fb_design fb_design_sbbf_256_libfilter = {
    .name = "sbbf-256-libfilter",
    .summary = "libfilter's split block Bloom filter: sbbf-256 with its salts in another order",
    .source = "jbapple/libfilter c/include/filter/block.h, c/lib/block.c (scalar, AVX2)",
    .caveat = "libfilter's NEON build has Parquet's order: blocks of x86 and ARM differ",
    .traits = FB_SIZES_BY_BITS | FB_FIXED_PROBES | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_single,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fb_split_block_fpr,
    .formats = formats,
    .kernels = kernels,
};
