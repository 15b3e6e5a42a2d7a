/*
 * bloom-enhanced: enhanced double hashing, both hashes reduced by a product.
 *
 *     block: num_hashes u32, 1..30 | num_bits u64, at least 64 or 0 | bits, LSB first
 *     x = floor(XXH64(key, 0) m / 2^64), y = floor(XXH64(key, 1) m / 2^64)
 *     bit_0 = x, then for i = 1, 2, ...: x = (x + y) mod m, y = (y + i) mod m, bit_i = x
 *     m = n * bits_per_key, at least 64, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: Dillinger & Manolios, "Bloom Filters in Probabilistic Verification", FMCAD 2004, section
 * 5.2. bit_i = x + i y + (i^3 - i) / 6: no step repeats a bit k times, as y = 0 does in
 * bloom-double, and two keys that share two bits seldom share a third. A product reduces where the
 * paper has a remainder. m = 64 is more than any i: one subtraction keeps y below m. The block's
 * header is that of nori's code.
 * Cost: two products per key; each further probe is two additions and two comparisons.
 */
#include "filters/core/scattered.h"
#include "filters/inline/walk.h"
#include "filters/simd/column_steps.h"

enum { LEAST_BITS = 64 };

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *out,
                        const char **why)
{
    enum fb_err err = fb_document_plan(params, n_keys, out, why);
    if (!err && n_keys && out->n_bits < LEAST_BITS) {
        out->n_bits = LEAST_BITS;
        out->n_bytes = LEAST_BITS / 8;
    }
    return err;
}

static inline uint64_t less_than(uint64_t m, uint64_t x)
{
    return x >= m ? x - m : x;
}

static inline struct fb_walk start(const struct fb_filter *f, const uint64_t *digest)
{
    const uint64_t m = f->geom.n_bits;
    return (struct fb_walk){fb_mulhi64(digest[0], m), fb_mulhi64(digest[1], m)};
}

static inline uint64_t position(const struct fb_filter *f, struct fb_walk w, const uint64_t *digest,
                                uint32_t t)
{
    (void)f, (void)digest, (void)t;
    return w.h;
}

static inline struct fb_walk next(const struct fb_filter *f, struct fb_walk w, uint32_t t)
{
    const uint64_t m = f->geom.n_bits;
    return (struct fb_walk){less_than(m, w.h + w.step), less_than(m, w.step + t + 1)};
}

#if defined(__x86_64__)

FB_AVX512_INLINE __m512i less_than_x8(__m512i m, __m512i x)
{
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, m));
}

FB_AVX512_INLINE struct fb_column start_x8(const struct fb_filter *f, const uint64_t *digests,
                                           size_t i)
{
    const __m512i m = _mm512_set1_epi64((int64_t)f->geom.n_bits);
    struct fb_column state = fb_start_pair(f, digests, i);
    return (struct fb_column){fb_mulhi_x8(state.h, m), fb_mulhi_x8(state.step, m)};
}

FB_AVX512_INLINE __m512i position_x8(const struct fb_filter *f, struct fb_column state,
                                     const uint64_t *digests, uint32_t t)
{
    (void)f, (void)digests, (void)t;
    return state.h;
}

FB_AVX512_INLINE struct fb_column next_x8(const struct fb_filter *f, struct fb_column state,
                                          uint32_t t)
{
    const __m512i m = _mm512_set1_epi64((int64_t)f->geom.n_bits);
    __m512i grown = _mm512_add_epi64(state.step, _mm512_set1_epi64(t + INT64_C(1)));
    return (struct fb_column){less_than_x8(m, _mm512_add_epi64(state.h, state.step)),
                              less_than_x8(m, grown)};
}

#endif

#define FB_WALK_WORDS      2
#define FB_WALK_START      start
#define FB_WALK_POSITION   position
#define FB_WALK_NEXT       next
#define FB_COLUMN_WORDS    2
#define FB_COLUMN_START    start_x8
#define FB_COLUMN_POSITION position_x8
#define FB_COLUMN_NEXT     next_x8
#include "filters/core/internal/scattered.inc"

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    enum { HEADER = 12 };
    if (len < HEADER)
        return fb_corrupt(why, "shorter than its 12-byte header");
    const uint32_t k = fb_le32(block);
    const uint64_t m = fb_le64(block + 4);
    if (k < 1 || k > FB_DOCUMENT_MAX_PROBES)
        return fb_corrupt(why, "num_hashes is outside 1..30");
    if (m && m < LEAST_BITS)
        return fb_corrupt(why, "num_bits is 1 to 63");
    if (m / 8 + (m % 8 != 0) != len - HEADER)
        return fb_corrupt(why, "num_bits does not match the length of the block");
    return fb_scattered_load(design, m, k, block + HEADER, out);
}

static const struct fb_format formats[] = {
    {"enhanced", "num_hashes u32, num_bits u64, then the bits", fb_nori_size, fb_nori_write,
     block_read},
    {0},
};

const struct fb_design fb_design_bloom_enhanced = {
    .name = "bloom-enhanced",
    .summary = "classic Bloom with enhanced double hashing: the step grows, products reduce",
    .source = "Dillinger & Manolios, Bloom Filters in Probabilistic Verification, FMCAD 2004, 5.2",
    .caveat = "excess FPR of order 1/n, a small part of bloom-double's",
    .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 and 1",
    .digest_words = 2,
    .digest = fb_xxh64_pair,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fb_scattered_fpr,
    .scheme = FB_SCHEME_ENHANCED_REDUCED,
    .formats = formats,
    .kernels = kernels,
};
