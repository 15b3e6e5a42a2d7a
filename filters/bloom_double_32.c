/*
 * bloom-double-32: double hashing from 32 bits that are mixed well.
 *
 *     block: num_bits u64 | num_hashes u32 | bits_per_key u32 | bits, LSB first
 *     h = low half of XXH64(key, 0), step = mix32(h); bit_i = (h + i step mod 2^32) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: ours, to tell the width of LevelDB's hash from its step: the same 32 bits, but a step
 * that is not a rotation. Header as nori's. Flaw: two keys of equal h are one key to the filter, so
 * n / 2^32 is added to the rate: nothing at 1e5 keys, a quarter of the rate at 1e7 and 10 bits/key.
 * Bits beyond 2^32 are never set.
 */
#include "filters/core/scattered.h"

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_either(fb_bloom_fpr(n_keys, geom->n_bits, geom->probes),
                     fb_hash_collision(n_keys, 32));
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    uint32_t h = fb_lo32(digest[0]), step = fb_mix32(h);
    for (uint32_t i = 0; i < f->geom.probes; i++, h += step)
        if (!fb_bit_lsb(f->bytes, fb_mod(h, f->geom.range)))
            return false;
    return true;
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    uint32_t h = fb_lo32(digest[0]), step = fb_mix32(h);
    for (uint32_t i = 0; i < f->geom.probes; i++, h += step)
        fb_set_bit_lsb(f->bytes, fb_mod(h, f->geom.range));
}

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 1
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

const struct fb_design fb_design_bloom_double_32 = {
    .name = "bloom-double-32",
    .summary = "classic Bloom with double hashing from one well-mixed 32-bit hash",
    .source = "filters/bloom_double_32.c: LevelDB's hash width without its step",
    .caveat = "a 32-bit hash adds n / 2^32 to the FPR",
    .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,
    .hash = "low half of xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .plan = fb_document_plan,
    .fpr = fpr,
    .scheme = FB_SCHEME_WRAPPED_32,
    .formats = fb_document_formats,
    .kernels = kernels,
};
