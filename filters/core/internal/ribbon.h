/*
 * What ribbon filters share (Dillinger and Walzer 2021): equations of 128 slots in a row, one for
 * each key, and solutions in columns.
 *
 * A key has a start, 128 coefficients of which the first is 1, and a result of as many bits as
 * there are columns. In every column the bits of the solution at slots start .. start + 127 where
 * the coefficients are 1 xor to the key's bit of the result. Another key passes a column by chance
 * with 1/2.
 *
 * Slots stand in blocks of 128. A block is a segment of 16 bytes, slot 0 lowest, for each of its
 * columns; segments of a block follow one another, and so do blocks. The first `short_blocks`
 * blocks have a column less than the others.
 *
 * Example: 3 blocks, 2 columns, one short block: 5 segments, of blocks 0, 1, 1, 2, 2. A probe reads
 * its start's block and the next one, and tests the columns of the first.
 */
#ifndef FILTERBENCH_FILTERS_CORE_INTERNAL_RIBBON_H
#define FILTERBENCH_FILTERS_CORE_INTERNAL_RIBBON_H

#include "filters/core/filter.h"
#include "filters/core/target.h"
#include "filters/simd/prefetch.h"

enum {
    FB_RIBBON_WIDTH = 128, /* slots of a block, coefficients of a key */
    FB_RIBBON_SEGMENT = 16,
    FB_RIBBON_MOST_COLUMNS = 64,
};

/* Words of geom.own; the columns of blocks that are not short are geom.probes. */
enum { FB_RIBBON_BLOCKS, FB_RIBBON_SHORT, FB_RIBBON_SEED };

/* Fills in the shape of n_segments segments in n_blocks >= 1 blocks; segments beyond `most`
 * columns, up to 64, are not used. */
void fb_ribbon_geometry(uint64_t n_blocks, uint64_t n_segments, uint32_t most,
                        struct fb_geometry *out);

/* Starts of keys: 0 .. this - 1. */
static inline uint64_t fb_ribbon_starts(const struct fb_geometry *geom)
{
    return geom->own[FB_RIBBON_BLOCKS] * FB_RIBBON_WIDTH - (FB_RIBBON_WIDTH - 1);
}

/* 2^-columns, averaged over starts. */
double fb_ribbon_fpr(const struct fb_geometry *);

/* ---- Builds ---- */

struct fb_ribbon_key {
    fb_u128 coefficients;
    uint64_t start, result;
};

/* The equations, one for each slot that is the first of one. */
struct fb_band {
    fb_u128 *coefficients; /* [n_slots], 0: none */
    uint64_t *results;     /* [n_slots]; where there is no equation, the solution's bits */
    uint64_t n_slots;
    struct fb_heap *heap; /* that both are taken from */
};

/* Zeroed, FB_ENOMEM. Closed in any case. */
enum fb_err fb_band_open(struct fb_band *, const struct fb_geometry *,
                         struct fb_heap *) FB_MUST_USE;
void fb_band_close(struct fb_band *);
/*
 * Brings keys whose starts are near each other together, in place: by the highest 12 bits of
 * order(geom, digest), which grows with the start. Equations that are added in that order find
 * those that they meet in the nearest caches: 96 ns of a processor a key, at 3e6 keys, and 227
 * without. No solution depends on the order: equations have the same first slots in any.
 */
void fb_ribbon_gather(const struct fb_geometry *, uint64_t *digests, size_t n,
                      uint64_t (*order)(const struct fb_geometry *, uint64_t digest));
/* False: the equation contradicts those that are there. */
bool fb_band_add(struct fb_band *, const struct fb_ribbon_key *);
/* Into the segments, from the last slot to the first. */
void fb_band_solve(const struct fb_band *, struct fb_filter *out);

/* ---- Probes ---- */

struct fb_ribbon_place {
    const uint64_t *first; /* segment of the first column, two words each */
    uint32_t columns;
    uint32_t shift; /* of the start in its block */
};

static inline struct fb_ribbon_place fb_ribbon_place(const struct fb_filter *f, uint64_t start)
{
    const uint64_t block = start / FB_RIBBON_WIDTH, n_short = f->geom.own[FB_RIBBON_SHORT];
    const uint64_t segment = block * f->geom.probes - fb_min_u64(block, n_short);
    return (struct fb_ribbon_place){
        (const uint64_t *)(const void *)(f->bytes + segment * FB_RIBBON_SEGMENT),
        f->geom.probes - (block < n_short), start % FB_RIBBON_WIDTH};
}

/* The lines that a probe may read are on their way. */
__attribute__((always_inline)) static inline void fb_ribbon_fetch(const struct fb_filter *f,
                                                                  uint64_t start, enum fb_hint hint)
{
    const struct fb_ribbon_place p = fb_ribbon_place(f, start);
    const uint8_t *line = (const uint8_t *)p.first;
    const uint8_t *end = line + (uint64_t)p.columns * 2 * FB_RIBBON_SEGMENT;
    for (; line < end; line += FB_CACHE_LINE)
        fb_prefetch(line, hint);
    fb_prefetch(end - 1, hint);
}

/* Column by column, until one denies. */
static inline bool fb_ribbon_passes(const struct fb_filter *f, const struct fb_ribbon_key *key)
{
    const struct fb_ribbon_place p = fb_ribbon_place(f, key->start);
    const uint64_t *here = p.first, *next = here + 2 * (size_t)p.columns;
    const fb_u128 low = key->coefficients << p.shift;
    const fb_u128 high = p.shift ? key->coefficients >> (FB_RIBBON_WIDTH - p.shift) : 0;
    for (uint32_t j = 0; j < p.columns; j++, here += 2) {
        uint64_t x = (here[0] & (uint64_t)low) ^ (here[1] & (uint64_t)(low >> 64));
        if (p.shift) { /* the last block has no next one, and starts at its first slot only */
            x ^= (next[0] & (uint64_t)high) ^ (next[1] & (uint64_t)(high >> 64));
            next += 2;
        }
        if (((uint64_t)__builtin_parityll(x) ^ key->result >> j) & 1)
            return false;
    }
    return true;
}

#if defined(__x86_64__)

/* Four segments, words beyond the columns zero, and 128 coefficients for each. */
FB_AVX512_INLINE __m512i fb_ribbon_and_avx512(const uint64_t *segment, uint32_t columns,
                                              fb_u128 coefficients)
{
    const __mmask8 words = (__mmask8)(columns >= 4 ? 0xFF : (1u << 2 * columns) - 1);
    const __m128i one =
        _mm_set_epi64x((int64_t)(coefficients >> 64), (int64_t)(uint64_t)coefficients);
    return _mm512_and_si512(_mm512_maskz_loadu_epi64(words, segment), _mm512_broadcast_i64x2(one));
}

/* Eight columns at a time. Their products fold to a word each, in the order of columns 0, 4, 1, 5,
 * 2, 6, 3, 7. Each word folds to its parity: by halves to four bits, then by a table of 16 bits. */
FB_AVX512_INLINE bool fb_ribbon_passes_avx512(const struct fb_filter *f,
                                              const struct fb_ribbon_key *key)
{
    const struct fb_ribbon_place p = fb_ribbon_place(f, key->start);
    const fb_u128 low = key->coefficients << p.shift;
    const fb_u128 high = p.shift ? key->coefficients >> (FB_RIBBON_WIDTH - p.shift) : 0;
    const uint64_t *here = p.first, *next = here + 2 * (size_t)p.columns;
    uint64_t result = key->result;
    for (uint32_t left = p.columns; left; here += 16, next += 16, result >>= 8) {
        const uint32_t now = left < 8 ? left : 8, first = now < 4 ? now : 4, second = now - first;
        __m512i a = fb_ribbon_and_avx512(here, first, low);
        __m512i b = fb_ribbon_and_avx512(here + 8, second, low);
        if (p.shift) { /* the last block has no next one, and starts at its first slot only */
            a = _mm512_xor_si512(a, fb_ribbon_and_avx512(next, first, high));
            b = _mm512_xor_si512(b, fb_ribbon_and_avx512(next + 8, second, high));
        }
        __m512i x = _mm512_xor_si512(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
        x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 16));
        x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 8));
        x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 4));
        x = _mm512_srlv_epi64(_mm512_set1_epi64(0x6996),
                              _mm512_and_si512(x, _mm512_set1_epi64(15)));
        const uint32_t parity = _mm512_test_epi64_mask(x, _mm512_set1_epi64(1));
        const uint32_t columns = (1u << now) - 1, odd = 0xAA, even = 0x55;
        const uint32_t wrong = _pext_u32(parity, even) | _pext_u32(parity, odd) << 4;
        if ((wrong ^ result) & columns)
            return false;
        left -= now;
    }
    return true;
}

#endif

#endif
