/*
 * What the fills of three_slots_ring.inc share: the ring, and mix64 and wide products of several
 * lanes.
 */
#ifndef FILTERBENCH_FILTERS_SIMD_SLOT_STEPS_H
#define FILTERBENCH_FILTERS_SIMD_SLOT_STEPS_H

#include "filters/core/filter.h"
#include "filters/core/target.h"
#include "filters/simd/prefetch.h"

/* Of keys to be asked: three slots, and a fingerprint in the low bits. */
struct fb_slot_ring {
    uint32_t slot[3][FB_RING_WORDS] __attribute__((aligned(64)));
    uint32_t print[FB_RING_WORDS] __attribute__((aligned(64)));
};

/* Eight slots, used from memory from here on: compilers would take each out of a vector again. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the assembly may write to them */
static inline void fb_keep_slots(uint32_t *slots)
{
    __asm__("" : "+m"(*(uint32_t(*)[8])slots));
}

#if defined(__x86_64__)

FB_AVX512_INLINE __m512i fb_mix64_avx512(__m512i x)
{
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 33));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((int64_t)UINT64_C(0xFF51AFD7ED558CCD)));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 33));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((int64_t)UINT64_C(0xC4CEB9FE1A85EC53)));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 33));
}

/* floor(x * m / 2^64), m < 2^32. */
FB_AVX512_INLINE __m512i fb_mulhi64_avx512(__m512i x, uint64_t m)
{
    const __m512i lanes = _mm512_set1_epi64((int64_t)m);
    const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(x, lanes), 32);
    const __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), lanes);
    return _mm512_srli_epi64(_mm512_add_epi64(high, low), 32);
}

FB_AVX512_INLINE void fb_store_low_avx512(uint32_t *to, __m512i x)
{
    _mm256_store_si256((__m256i *)(void *)to, _mm512_cvtepi64_epi32(x));
}

/* x * m mod 2^64. */
FB_AVX2_INLINE __m256i fb_mullo64_avx2(__m256i x, uint64_t m)
{
    const __m256i low = _mm256_set1_epi64x((int64_t)(m & UINT32_MAX));
    const __m256i high = _mm256_set1_epi64x((int64_t)(m >> 32));
    const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(x, high),
                                           _mm256_mul_epu32(_mm256_srli_epi64(x, 32), low));
    return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(cross, 32));
}

FB_AVX2_INLINE __m256i fb_mix64_avx2(__m256i x)
{
    x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 33));
    x = fb_mullo64_avx2(x, UINT64_C(0xFF51AFD7ED558CCD));
    x = _mm256_xor_si256(x, _mm256_srli_epi64(x, 33));
    x = fb_mullo64_avx2(x, UINT64_C(0xC4CEB9FE1A85EC53));
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, 33));
}

/* floor(x * m / 2^64), m < 2^32. */
FB_AVX2_INLINE __m256i fb_mulhi64_avx2(__m256i x, uint64_t m)
{
    const __m256i lanes = _mm256_set1_epi64x((int64_t)m);
    const __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(x, lanes), 32);
    const __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), lanes);
    return _mm256_srli_epi64(_mm256_add_epi64(high, low), 32);
}

/* The low halves of four lanes. */
FB_AVX2_INLINE void fb_store_low_avx2(uint32_t *to, __m256i x)
{
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    _mm_store_si128((__m128i *)(void *)to,
                    _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(x, even)));
}

#endif
#endif
