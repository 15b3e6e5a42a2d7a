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
#include "filters/inline/walk.h"
#include "filters/simd/column_steps.h"
#include "filters/simd/lane_steps.h"

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    enum fb_err err = fb_scattered_plan(params, n_keys, FB_MAX_BLOCK_PROBES, geom, why);
    if (geom->n_bits > 1)
        geom->n_bits = UINT64_C(1) << (64 - __builtin_clzll(geom->n_bits - 1));
    geom->n_bytes = (geom->n_bits + 7) / 8;
    return err;
}

static inline uint64_t position(const struct fb_filter *f, struct fb_walk w, const uint64_t *digest,
                                uint32_t t)
{
    (void)digest, (void)t;
    return w.h & (f->geom.n_bits - 1);
}

#if defined(__x86_64__)

FB_AVX512_INLINE __m512i position_x8(const struct fb_filter *f, struct fb_column state,
                                     const uint64_t *digests, uint32_t t)
{
    (void)digests, (void)t;
    return _mm512_and_si512(state.h, _mm512_set1_epi64((int64_t)(f->geom.n_bits - 1)));
}

/* The mask leaves low bits alone, so that halves are enough. */
FB_AVX2_INLINE __m256i position_lanes(const struct fb_filter *f, struct fb_lanes state)
{
    return _mm256_and_si256(state.h, _mm256_set1_epi32((int)(uint32_t)(f->geom.n_bits - 1)));
}

#endif

#define FB_WALK_WORDS      2
#define FB_WALK_START      fb_walk_pair
#define FB_WALK_POSITION   position
#define FB_WALK_NEXT       fb_walk_add
#define FB_COLUMN_WORDS    2
#define FB_COLUMN_START    fb_start_pair
#define FB_COLUMN_POSITION position_x8
#define FB_COLUMN_NEXT     fb_next_add
#define FB_LANES_MOST_BITS (UINT64_C(1) << 32)
#define FB_LANES_WIDE      0
#define FB_LANES_START     fb_lanes_pair
#define FB_LANES_POSITION  position_lanes
#define FB_LANES_NEXT      fb_lanes_add
#include "filters/core/internal/scattered.inc"

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
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fb_scattered_fpr,
    .scheme = FB_SCHEME_WRAPPED_POW2,
    .formats = formats,
    .kernels = kernels,
};
