/*
 * sbbf-512-lanes: sbbf-512 with ideal lanes, to tell the salts from the scheme.
 *
 *     block: eight words of 64 bits; word i gets bit (h2 >> 6 i) mod 64
 *     h1 = XXH64(key, 0), h2 = XXH64(key, 1); block index = hi(h1) mod z
 *     z = ceil(n bits_per_key / 512), at least 1; raw: the words as u64, little-endian
 *
 * Source: none; the eight independent in-block hashes that the formula of split blocks assumes.
 * sbbf-512 derives its eight bits from 32 and should differ by nothing measurable.
 */
#include "filters/inline/sbbf_512.h"

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    for (unsigned i = 0; i < n_words; i++)
        words[i] = fb_xxh64(key, len, i);
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    return fb_split_block_plan(params, n_keys, FB_SBBF_512_BITS, geom, why);
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_sbbf_fpr(n_keys, geom->n_blocks, FB_SBBF_512_BITS, FB_LANES);
}

static inline uint64_t *block_of(const struct fb_filter *f, uint64_t h1)
{
    return (uint64_t *)(void *)(f->bytes + fb_sbbf_512_offset(f, h1));
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const uint64_t *word = block_of(f, digest[0]);
    uint64_t all = 1;
    for (int i = 0; i < FB_LANES; i++)
        all &= word[i] >> (digest[1] >> (i * FB_SBBF_512_WIDTH) & 63);
    return all & 1;
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    uint64_t *word = block_of(f, digest[0]);
    for (int i = 0; i < FB_LANES; i++)
        word[i] |= UINT64_C(1) << (digest[1] >> (i * FB_SBBF_512_WIDTH) & 63);
}

#define FB_LOOPS_LINE(f, digest) fb_sbbf_512_offset(f, (digest)[0])

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 2
#define FB_LOOPS_STYLE "branch-free"
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

static enum fb_err raw_read(const struct fb_design *design, const uint8_t *block, size_t len,
                            struct fb_filter *out, const char **why)
{
    return fb_split_block_read(design, FB_SBBF_512_BITS, block, len, out, why);
}

static const struct fb_format formats[] = {
    {"raw", "the words, little-endian", fb_raw_size, fb_raw_write, raw_read},
    {0},
};

const struct fb_design fb_design_sbbf_512_lanes = {
    .name = "sbbf-512-lanes",
    .summary = "split blocks of 512 bits with eight independent in-block hashes",
    .source = "the assumption of abloom's formula (source document 002)",
    .caveat = "two hashes per key",
    .traits = FB_SIZES_BY_BITS | FB_FIXED_PROBES | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 and 1",
    .digest_words = 2,
    .digest = digest,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .formats = formats,
    .kernels = kernels,
};
