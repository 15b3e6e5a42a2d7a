/*
 * AVX-512 (F, BW, DQ, VL) helpers: eight 64-bit lanes at a time. Everything here is inlined into
 * functions compiled for that instruction set and called only where fb_cpu_has(FB_ISA_AVX512).
 */
#ifndef FILTERBENCH_FILTERS_SIMD_AVX512_H
#define FILTERBENCH_FILTERS_SIMD_AVX512_H

#include "filters/core/target.h"

#if defined(__x86_64__)

#include "filters/core/filter.h"

/* One or two bytes from a mask register straight to memory. Compilers merge neighbouring stores by
 * way of general registers, which costs more than a probe. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the assembly writes to it */
FB_AVX512_INLINE void fb_store_mask8(uint8_t *to, __mmask8 mask)
{
    __asm__("kmovb %1, %0" : "=m"(*to) : "k"(mask));
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the assembly writes to it */
FB_AVX512_INLINE void fb_store_mask16(uint8_t *to, __mmask16 mask)
{
    __asm__("kmovw %1, %0" : "=m"(*(uint8_t(*)[2])to) : "k"(mask));
}

/* For a permutation of 32-bit lanes: lane a eight times, lane b eight times. */
FB_AVX512_INLINE __m512i fb_pair_lanes_avx512(int a, int b)
{
    return _mm512_setr_epi32(a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b);
}

/* Two blocks of 32 bytes, the first one lowest. */
FB_AVX512_INLINE __m512i fb_two_blocks_avx512(const uint8_t *first, const uint8_t *second)
{
    __m256i low = _mm256_load_si256((const __m256i *)(const void *)first);
    __m256i high = _mm256_load_si256((const __m256i *)(const void *)second);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/*
 * x mod m in each lane, exactly as fb_mod, the quotient taken from doubles.
 *
 * Let q = trunc(x * inverse), inverse = (1 - 2^-50) / m. Four roundings (x, m, the division, the
 * product) move the real product by less than 4.1 * 2^-53 of itself, hence q <= x / m, and q misses
 * x / m by less than 1 + x / m * 2^-49. For m >= 2^15 that is less than 2, the rest lies in
 * [0, 2m) and one conditional subtraction, an unsigned minimum, finishes. Below, the rest is less
 * than 2^15 + m, and once more of the same leaves [0, 2m).
 */
FB_AVX512_INLINE __m512i fb_mod_x8(__m512i x, struct fb_divisor d)
{
    const __m512i m = _mm512_set1_epi64((int64_t)d.m);
    const __m512d inverse = _mm512_set1_pd(d.inverse);
    __m512i q = _mm512_cvttpd_epu64(_mm512_mul_pd(_mm512_cvtepu64_pd(x), inverse));
    x = _mm512_sub_epi64(x, _mm512_mullo_epi64(q, m));
    if (d.m < 1u << 15) {
        q = _mm512_cvttpd_epu64(_mm512_mul_pd(_mm512_cvtepu64_pd(x), inverse));
        x = _mm512_sub_epi64(x, _mm512_mullo_epi64(q, m));
    }
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, m));
}

/*
 * The low half of each lane mod m, as fb_mod32. Let r be the high half of the reciprocal: as
 * 2^32 / m - r <= 1, the argument of fb_divisor holds at 32 bits. r = 0 for m >= 2^32, where the
 * lane is the rest already.
 */
FB_AVX512_INLINE __m512i fb_mod32_x8(__m512i x, struct fb_divisor d)
{
    const __m512i m = _mm512_set1_epi64((int64_t)d.m);
    const __m512i r = _mm512_set1_epi64((int64_t)(d.reciprocal >> 32));
    __m512i h = _mm512_and_si512(x, _mm512_set1_epi64(UINT32_MAX));
    __m512i q = _mm512_srli_epi64(_mm512_mul_epu32(x, r), 32);
    __m512i rest = _mm512_sub_epi64(h, _mm512_mul_epu32(q, m));
    return _mm512_min_epu64(rest, _mm512_sub_epi64(rest, m));
}

/* floor(x * m / 2^64) in each lane, from four products of halves. */
FB_AVX512_INLINE __m512i fb_mulhi_x8(__m512i x, __m512i m)
{
    const __m512i low = _mm512_set1_epi64(UINT32_MAX);
    __m512i x_high = _mm512_srli_epi64(x, 32), m_high = _mm512_srli_epi64(m, 32);
    __m512i a = _mm512_mul_epu32(x_high, m), b = _mm512_mul_epu32(x, m_high);
    __m512i carried = _mm512_srli_epi64(_mm512_mul_epu32(x, m), 32);
    carried = _mm512_add_epi64(carried, _mm512_and_si512(a, low));
    carried = _mm512_add_epi64(carried, _mm512_and_si512(b, low));
    __m512i high = _mm512_mul_epu32(x_high, m_high);
    high = _mm512_add_epi64(high, _mm512_srli_epi64(carried, 32));
    high = _mm512_add_epi64(high, _mm512_srli_epi64(a, 32));
    return _mm512_add_epi64(high, _mm512_srli_epi64(b, 32));
}

/* Byte offsets of eight keys' blocks of 2^shift bytes: block = floor(h * n_blocks / 2^32), h the
 * high or the low half of the digest (high_half a constant). */
FB_AVX512_INLINE __m512i fb_offsets_mul_avx512(const struct fb_filter *f, const uint64_t *digests,
                                               bool high_half, unsigned shift)
{
    __m512i h = _mm512_loadu_si512(digests);
    if (high_half)
        h = _mm512_srli_epi64(h, 32);
    h = _mm512_mul_epu32(h, _mm512_set1_epi64((int64_t)f->geom.n_blocks));
    return _mm512_slli_epi64(_mm512_srli_epi64(h, 32), shift);
}

/* The same with block = hi(h) mod n_blocks, exactly. */
FB_AVX512_INLINE __m512i fb_offsets_mod_avx512(const struct fb_filter *f, const uint64_t *digests,
                                               unsigned shift)
{
    __m512i h = _mm512_srli_epi64(_mm512_loadu_si512(digests), 32);
    return _mm512_slli_epi64(fb_mod32_x8(h, f->geom.range), shift);
}

/* words[at] in each lane. */
FB_AVX512_INLINE __m512i fb_load_x8(const uint64_t *words, __m512i at)
{
    uint64_t i[8] __attribute__((aligned(64)));
    _mm512_store_si512(i, at);
    return _mm512_setr_epi64((int64_t)words[i[0]], (int64_t)words[i[1]], (int64_t)words[i[2]],
                             (int64_t)words[i[3]], (int64_t)words[i[4]], (int64_t)words[i[5]],
                             (int64_t)words[i[6]], (int64_t)words[i[7]]);
}

/* Four words bits[at >> 5] of 32 bits. */
FB_AVX512_INLINE __m128i fb_words_x4(const uint32_t *words, const uint64_t *at)
{
    __m128i a = _mm_set1_epi32((int)words[at[0] >> 5]), b = _mm_set1_epi32((int)words[at[1] >> 5]);
    __m128i c = _mm_set1_epi32((int)words[at[2] >> 5]), d = _mm_set1_epi32((int)words[at[3] >> 5]);
    return _mm_blend_epi32(_mm_blend_epi32(a, b, 2), _mm_blend_epi32(c, d, 8), 12);
}

/* Which of the bits at at[0..7] of an LSB-first array are set. Reads whole aligned 4-byte words,
 * hence up to 3 bytes past the last bit: arrays end on a cache line. */
FB_AVX512_INLINE __mmask8 fb_bits_x8(const uint8_t *bits, const uint64_t *at)
{
    const uint32_t *words = (const uint32_t *)(const void *)bits;
    __m256i word = _mm256_set_m128i(fb_words_x4(words, at + 4), fb_words_x4(words, at));
    __m256i shift = _mm512_cvtepi64_epi32(_mm512_loadu_si512(at));
    shift = _mm256_and_si256(shift, _mm256_set1_epi32(31));
    return _mm256_test_epi32_mask(_mm256_srlv_epi32(word, shift), _mm256_set1_epi32(1));
}

#endif
#endif
