/*
 * fjall-3: lsm-tree 3.x, today.
 *
 *     block: 4C 53 4D 03 | filter type u8 0 | hash type u8 0 | m u64 | k u64, little-endian |
 *            bits, MSB first
 *     h1 = XXH3-64(key), h2 = (h1 >> 32) * 517CC1B727220A95
 *     bit_i = h1 mod m, then h1 += h2, h2 *= i, for i = 1..k
 *     bits: m = n * trunc(bits_per_key) in whole bytes, k = trunc(bits_per_key ln 2)
 *     rate: m = -n ln p / ln^2 2 in single precision, k = trunc((m / n) ln 2), p at least 1e-7
 *
 * Source: fjall-rs/lsm-tree src/table/filter/standard_bloom at 3.1.9. No keys, no filter.
 * Flaws: k is cut, not rounded; the fraction of bits_per_key counts for k alone. The step follows
 * from the hash and is multiplied, so it soon is even many times over: bit_i = h1 + h2 (0! + 1! +
 * ... + (i-2)!), which costs up to 10 % more false positives at 100 keys.
 * Cost: k cache lines for a present key, about two for an absent one.
 */
#include "filters/core/internal/fjall.h"
#include "filters/core/scattered.h"

#define MIN_RATE 1e-7f

static const struct fb_fjall_layout layout = {
    .magic = "LSM\x03", .n_magic = 4, .n_zero = 2, .little_endian = true};

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    words[0] = fb_xxh3_64(key, len, 0);
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    return fb_fjall_plan(params, n_keys, MIN_RATE, geom, why);
}

#define FB_STEP_FACTOR UINT64_C(0x517CC1B727220A95)

static inline struct fb_walk start(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f;
    return (struct fb_walk){digest[0], (digest[0] >> 32) * FB_STEP_FACTOR};
}

static inline struct fb_walk next(const struct fb_filter *f, struct fb_walk w, uint32_t t)
{
    (void)f;
    return (struct fb_walk){w.h + w.step, w.step * (t + 1)};
}

#if defined(__x86_64__)

FB_AVX512_INLINE struct fb_column start_x8(const struct fb_filter *f, const uint64_t *digests,
                                           size_t i)
{
    (void)f;
    const __m512i factor = _mm512_set1_epi64((int64_t)FB_STEP_FACTOR);
    __m512i h = _mm512_loadu_si512(digests + i);
    return (struct fb_column){h, _mm512_mullo_epi64(_mm512_srli_epi64(h, 32), factor)};
}

FB_AVX512_INLINE struct fb_column next_x8(const struct fb_filter *f, struct fb_column state,
                                          uint32_t t)
{
    (void)f;
    return (struct fb_column){_mm512_add_epi64(state.h, state.step),
                              _mm512_mullo_epi64(state.step, _mm512_set1_epi64(t + INT64_C(1)))};
}

#endif

#define FB_WALK_WORDS      1
#define FB_WALK_START      start
#define FB_WALK_POSITION   fb_walk_mod_msb
#define FB_WALK_NEXT       next
#define FB_COLUMN_WORDS    2
#define FB_COLUMN_START    start_x8
#define FB_COLUMN_POSITION fb_position_mod_msb
#define FB_COLUMN_NEXT     next_x8
#include "filters/core/internal/scattered.inc"

static const struct fb_format formats[] = {
    {"fjall-3", "lsm-tree 3.x: magic LSM 3, 22-byte header, then the bits", fb_fjall_size,
     fb_fjall_write, fb_fjall_read},
    {0},
};

const struct fb_design fb_design_fjall_3 = {
    .name = "fjall-3",
    .summary = "lsm-tree 3.x: one XXH3-64, the step multiplied at each probe",
    .source = "fjall-rs/lsm-tree src/table/filter/standard_bloom at 3.1.9",
    .caveat =
        "the multiplied step raises the FPR of small filters (+10 % at 100 keys, 10 bits/key)",
    .traits = FB_SIZES_BY_BITS | FB_SIZES_BY_RATE | FB_COUNTS_DUPLICATES,
    .hash = "XXH3-64",
    .digest_words = 1,
    .digest = digest,
    .plan = plan,
    .fpr = fb_scattered_fpr,
    .scheme = FB_SCHEME_MULTIPLIED_STEP,
    .formats = formats,
    .layout = &layout,
    .kernels = kernels,
};
