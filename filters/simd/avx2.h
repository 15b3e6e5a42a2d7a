/*
 * AVX2 helpers, inlined into functions compiled for that instruction set and called only where
 * fb_cpu_has(FB_ISA_AVX2).
 */
#ifndef FILTERBENCH_FILTERS_SIMD_AVX2_H
#define FILTERBENCH_FILTERS_SIMD_AVX2_H

#include "filters/core/target.h"

#if defined(__x86_64__)

#include "filters/core/filter.h"
#include "filters/simd/prefetch.h"

/* Byte offsets of eight keys' blocks of 2^shift bytes: block = floor(h * n_blocks / 2^32), h the
 * high or the low half of the digest (high_half a constant). */
FB_AVX2_INLINE void fb_offsets_mul_avx2(const struct fb_filter *f, const uint64_t *digests,
                                        uint64_t *offset, bool high_half, int shift)
{
    const __m256i blocks = _mm256_set1_epi64x((int64_t)f->geom.n_blocks);
    for (int i = 0; i < 8; i += 4) {
        __m256i h = _mm256_loadu_si256((const __m256i *)(digests + i));
        if (high_half)
            h = _mm256_srli_epi64(h, 32);
        h = _mm256_srli_epi64(_mm256_mul_epu32(h, blocks), 32);
        _mm256_store_si256((__m256i *)(offset + i), _mm256_slli_epi64(h, shift));
    }
}

/* The same with block = hi(h) mod n_blocks, exactly: one product by floor((2^32 - 1) / n_blocks)
 * gives the quotient or one less (the argument of struct fb_divisor, at 32 bits). */
FB_AVX2_INLINE void fb_offsets_mod_avx2(const struct fb_filter *f, const uint64_t *digests,
                                        uint64_t *offset, int shift)
{
    const uint32_t n_blocks = (uint32_t)f->geom.n_blocks;
    const __m256i m = _mm256_set1_epi64x(n_blocks);
    const __m256i reciprocal = _mm256_set1_epi64x(UINT32_MAX / n_blocks);
    for (int i = 0; i < 8; i += 4) {
        __m256i h = _mm256_srli_epi64(_mm256_loadu_si256((const __m256i *)(digests + i)), 32);
        /* The high halves, in the low ones, which is where the next product looks. */
        __m256i q = _mm256_shuffle_epi32(_mm256_mul_epu32(h, reciprocal), 0xF5);
        __m256i rest = _mm256_sub_epi64(h, _mm256_mul_epu32(q, m));
        rest = _mm256_min_epu32(rest, _mm256_sub_epi32(rest, m));
        _mm256_store_si256((__m256i *)(offset + i), _mm256_slli_epi64(rest, shift));
    }
}

/*
 * Answers of eight keys, from a vector each that is zero exactly if the key may be present.
 * Saturating packs keep what is not zero, so that eight vectors shrink to one. The first step is
 * the caller's, as soon as it has both: pair[i] = _mm256_packs_epi32(of key 2 i, of key 2 i + 1).
 * Eight vectors at a time do not fit the registers beside what makes them.
 */
FB_AVX2_INLINE size_t fb_answers_avx2(const __m256i pair[4], uint8_t *maybe)
{
    __m256i first = _mm256_packs_epi16(pair[0], pair[1]);
    __m256i second = _mm256_packs_epi16(pair[2], pair[3]);
    /* Each half has four bytes of four keys; the halves of the same keys come together. */
    __m256i any = _mm256_or_si256(_mm256_permute2x128_si256(first, second, 0x20),
                                  _mm256_permute2x128_si256(first, second, 0x31));
    __m256i yes = _mm256_cmpeq_epi32(any, _mm256_setzero_si256());
    __m128i bytes = _mm_packs_epi32(_mm256_castsi256_si128(yes), _mm256_extracti128_si256(yes, 1));
    bytes = _mm_and_si128(_mm_packs_epi16(bytes, bytes), _mm_set1_epi8(1));
    _mm_storel_epi64((__m128i *)(void *)maybe, bytes);
    return (size_t)__builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(yes)));
}

#endif
#endif
