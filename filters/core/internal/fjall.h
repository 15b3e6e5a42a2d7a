/*
 * What the three generations of fjall's lsm-tree filter share. Sizes are computed in single
 * precision. Bits count from the most significant one. A block is magic, zeros, m, k and the bits.
 */
#ifndef FILTERBENCH_FILTERS_CORE_INTERNAL_FJALL_H
#define FILTERBENCH_FILTERS_CORE_INTERNAL_FJALL_H

#include "filters/inline/walk.h"
#include "filters/simd/column_steps.h"

/* Rust's std::f32::consts::LN_2. */
#define FB_FJALL_LN2 0.6931472f

/* m for a rate p: -n ln p / ln^2 2 rounded up to whole bytes, every step in single precision. */
uint64_t fb_fjall_bits_for_rate(uint64_t n_keys, float p);

/*
 * Sizing of lsm-tree 2 and 3, by bits per key or by a rate of at least min_rate:
 *     bits: m = 8 ceil(n trunc(bits) / 8), k = trunc(bits ln 2)
 *     rate: m as above, k = trunc((m / n as integers) ln 2)
 * k at least 1. A filter of 0 bits, which the real code would divide by, is refused.
 */
enum fb_err fb_fjall_plan(const struct fb_params *, uint64_t n_keys, float min_rate,
                          struct fb_geometry *out, const char **why);

/* n_bits and n_bytes from m; refuses m = 0. */
enum fb_err fb_fjall_set_bits(uint64_t m, struct fb_geometry *out, const char **why);

/* A design's layout: magic, n_zero zero bytes, m u64, k u64, bits. */
struct fb_fjall_layout {
    const char *magic;
    uint8_t n_magic, n_zero;
    bool little_endian; /* m and k */
};

uint64_t fb_fjall_size(const struct fb_filter *);
void fb_fjall_write(const struct fb_filter *, uint8_t *block);
/* Refuses what makes the real reader fail or index beyond its bits (it would panic). */
enum fb_err fb_fjall_read(const struct fb_design *, const uint8_t *block, size_t len,
                          struct fb_filter *out, const char **why);

/* lsm-tree 1 and 2: the step grows by t, hence bit_t = h1 + t h2 + t (t-1) (t-2) / 6 mod m. */
static inline struct fb_walk fb_fjall_next(const struct fb_filter *f, struct fb_walk w, uint32_t t)
{
    (void)f;
    return (struct fb_walk){w.h + w.step, w.step + t};
}

#if defined(__x86_64__)

FB_AVX512_INLINE struct fb_column fb_fjall_next_x8(const struct fb_filter *f,
                                                   struct fb_column state, uint32_t t)
{
    (void)f;
    return (struct fb_column){_mm512_add_epi64(state.h, state.step),
                              _mm512_add_epi64(state.step, _mm512_set1_epi64(t))};
}

#endif

#endif
