/*
 * AVX-512 (F, BW, DQ, VL) helpers: eight 64-bit lanes at a time. Everything here is inlined into
 * functions compiled for that instruction set and called only where fb_cpu_has(FB_ISA_AVX512).
 */
#ifndef FILTERBENCH_FILTERS_SIMD_AVX512_H
#define FILTERBENCH_FILTERS_SIMD_AVX512_H

/* Its arguments where this file can be compiled to AVX-512, nothing elsewhere. */
#if defined(__x86_64__)
#define FB_IF_AVX512(...) __VA_ARGS__
#else
#define FB_IF_AVX512(...)
#endif

#if defined(__x86_64__)

#include <immintrin.h>

#include "filters/core/filter.h"

#define FB_AVX512        __attribute__((target("avx2,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")))
#define FB_AVX512_INLINE FB_AVX512 __attribute__((always_inline)) static inline

/* x mod m in each lane, exactly as fb_mod: the high half of a 64 x 64 product from four 32 x 32
 * ones, then one conditional subtraction as an unsigned minimum. */
FB_AVX512_INLINE __m512i fb_mod_x8(__m512i x, struct fb_divisor d)
{
    const __m512i low = _mm512_set1_epi64(0xFFFFFFFF);
    const __m512i m = _mm512_set1_epi64((int64_t)d.m);
    const __m512i r_lo = _mm512_set1_epi64((int64_t)d.reciprocal);
    const __m512i r_hi = _mm512_set1_epi64((int64_t)(d.reciprocal >> 32));
    __m512i x_hi = _mm512_srli_epi64(x, 32);
    __m512i carry = _mm512_srli_epi64(_mm512_mul_epu32(x, r_lo), 32);
    __m512i mid = _mm512_add_epi64(_mm512_mul_epu32(x_hi, r_lo), carry);
    __m512i mid2 = _mm512_add_epi64(_mm512_mul_epu32(x, r_hi), _mm512_and_si512(mid, low));
    __m512i q =
        _mm512_add_epi64(_mm512_mul_epu32(x_hi, r_hi),
                         _mm512_add_epi64(_mm512_srli_epi64(mid, 32), _mm512_srli_epi64(mid2, 32)));
    __m512i rest = _mm512_sub_epi64(x, _mm512_mullo_epi64(q, m));
    return _mm512_min_epu64(rest, _mm512_sub_epi64(rest, m));
}

/* The same for lanes below 2^32 and m < 2^32: with R = floor((2^32 - 1) / m) one product gives the
 * quotient or one less (the argument of fb_divisor, at 32 bits). */
FB_AVX512_INLINE __m512i fb_mod32_x8(__m512i x, uint32_t m)
{
    const __m512i divisor = _mm512_set1_epi64(m), r = _mm512_set1_epi64(UINT32_MAX / m);
    __m512i q = _mm512_srli_epi64(_mm512_mul_epu32(x, r), 32);
    __m512i rest = _mm512_sub_epi64(x, _mm512_mul_epu32(q, divisor));
    return _mm512_min_epu64(rest, _mm512_sub_epi64(rest, divisor));
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
    return _mm512_slli_epi64(fb_mod32_x8(h, (uint32_t)f->geom.n_blocks), shift);
}

/* Which lanes' bits are set in an array of LSB-first bits (order LSB) or MSB-first ones. Reads
 * whole aligned 4-byte words, hence up to 3 bytes past the last bit: arrays end on a cache line. */
FB_AVX512_INLINE __mmask8 fb_bits_lsb_x8(const uint8_t *bits, __m512i at)
{
    __m256i words = _mm512_i64gather_epi32(_mm512_srli_epi64(at, 5), bits, 4);
    words = _mm256_srlv_epi32(words,
                              _mm256_and_si256(_mm512_cvtepi64_epi32(at), _mm256_set1_epi32(31)));
    return _mm256_test_epi32_mask(words, _mm256_set1_epi32(1));
}

FB_AVX512_INLINE __mmask8 fb_bits_msb_x8(const uint8_t *bits, __m512i at)
{
    /* Bit i of an MSB-first array is bit i ^ 7 of an LSB-first one. */
    return fb_bits_lsb_x8(bits, _mm512_xor_si512(at, _mm512_set1_epi64(7)));
}

#endif
#endif
