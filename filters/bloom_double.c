/*
 * bloom-double: double hashing as the textbook writes it.
 *
 *     block: num_bits u64 | num_hashes u32 | bits_per_key u32 | bits, LSB first
 *     x = XXH64(key, 0) mod m, y = XXH64(key, 1) mod m; bit_i = (x + i y) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: Kirsch & Mitzenmacher, "Less Hashing, Same Performance", 2006: the same performance as k
 * independent hashes in the limit of large m. At finite m two terms of order 1/n remain: keys whose
 * progressions share several places, and steps whose order modulo m is below k (y = 0 sets one
 * bit). nori and the course lesson reduce each sum instead, which is another scheme. Header as
 * nori's. Cost: two reductions per key; each further probe is an addition and a comparison.
 */
#include "filters/core/scattered.h"

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    double rate = fb_bloom_fpr(n_keys, geom->n_bits, geom->probes) +
                  fb_double_hashing_excess(n_keys, geom->n_bits, geom->probes);
    return rate < 1 ? rate : 1;
}

static inline uint64_t advance(uint64_t x, uint64_t y, uint64_t m)
{
    x += y;
    return x >= m ? x - m : x;
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const uint64_t m = f->geom.n_bits, y = fb_mod(digest[1], f->geom.range);
    uint64_t x = fb_mod(digest[0], f->geom.range);
    for (uint32_t i = 0; i < f->geom.probes; i++, x = advance(x, y, m))
        if (!fb_bit_lsb(f->bytes, x))
            return false;
    return true;
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    const uint64_t m = f->geom.n_bits, y = fb_mod(digest[1], f->geom.range);
    uint64_t x = fb_mod(digest[0], f->geom.range);
    for (uint32_t i = 0; i < f->geom.probes; i++, x = advance(x, y, m))
        fb_set_bit_lsb(f->bytes, x);
}

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 2
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

const struct fb_design fb_design_bloom_double = {
    .name = "bloom-double",
    .summary = "classic Bloom with textbook double hashing: both hashes reduced first",
    .source = "Kirsch & Mitzenmacher, Less Hashing, Same Performance, ESA 2006",
    .caveat = "excess FPR of order 1/n: +17 % at 100 keys, tenfold at 100 keys and 20 bits/key",
    .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 and 1",
    .digest_words = 2,
    .digest = fb_xxh64_pair,
    .plan = fb_document_plan,
    .fpr = fpr,
    .formats = fb_document_formats,
    .kernels = kernels,
};
