/*
 * nori-pow2: what nori-sstable's code writes today.
 *
 *     block: num_hashes u32 | num_bits u64 | bits, LSB first; everything little-endian
 *     h1 = XXH64(key, 0), h2 = XXH64(key, 1); bit_i = (h1 + i h2) & (m - 1), i < k
 *     m = n * bits_per_key rounded up to a power of two, k = ceil(0.693 bits_per_key), at least 1
 *
 * Source: jeffhajewski/nori crates/nori-sstable/src/bloom.rs, 6e024d5 to 390efcee. k still follows
 * bits_per_key and not the bits that the rounding adds. m = 0 answers no.
 * Flaw: an even h2 has a small order modulo a power of two: step 0 (chance 1/m) sets one bit, step
 * m/2 two. Cost: the rounding, 1.39 times the bits on average.
 */
#include "filters/core/scattered.h"

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    enum fb_err err = fb_scattered_plan(params, n_keys, FB_MAX_BLOCK_PROBES, geom, why);
    if (geom->n_bits > 1)
        geom->n_bits = UINT64_C(1) << (64 - __builtin_clzll(geom->n_bits - 1));
    geom->n_bytes = (geom->n_bits + 7) / 8;
    return err;
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const uint64_t mask = f->geom.n_bits - 1;
    uint64_t h = digest[0];
    for (uint32_t i = 0; i < f->geom.probes; i++, h += digest[1])
        if (!fb_bit_lsb(f->bytes, h & mask))
            return false;
    return true;
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    const uint64_t mask = f->geom.n_bits - 1;
    uint64_t h = digest[0];
    for (uint32_t i = 0; i < f->geom.probes; i++, h += digest[1])
        fb_set_bit_lsb(f->bytes, h & mask);
}

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 2
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

/* A block of nori-disk looks the same but for a num_bits that the mask cannot address. */
static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    enum fb_err err = fb_nori_read(design, block, len, out, why);
    if (!err && out->geom.n_bits & (out->geom.n_bits - 1))
        return fb_corrupt(why, "num_bits is not a power of two (a block of nori-disk?)");
    return err;
}

static const struct fb_format formats[] = {
    {"nori", "12-byte header of nori's code, then the bits", fb_nori_size, fb_nori_write,
     block_read},
    {0},
};

const struct fb_design fb_design_nori_pow2 = {
    .name = "nori-pow2",
    .summary = "classic Bloom of a power-of-two size, as nori's code writes it today",
    .source = "jeffhajewski/nori crates/nori-sstable/src/bloom.rs at 390efcee",
    .caveat = "up to twice the bits asked for; short cycles of the step when it is even",
    .traits = FB_SIZES_BY_BITS | FB_INTEGER_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 and 1",
    .digest_words = 2,
    .digest = fb_xxh64_pair,
    .plan = plan,
    .fpr = fb_scattered_fpr,
    .scheme = FB_SCHEME_WRAPPED_POW2,
    .formats = formats,
    .kernels = kernels,
};
