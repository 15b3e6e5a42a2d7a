/*
 * What the three designs with 512-bit split blocks share: eight words of 64 bits, word i gets bit
 * (lo(h) * salt_i mod 2^32) >> 26. Included by their files only.
 */
#ifndef FILTERBENCH_FILTERS_CORE_SBBF_512_H
#define FILTERBENCH_FILTERS_CORE_SBBF_512_H

#include "filters/core/split_block.h"
#include "filters/simd/avx2.h"
#include "filters/simd/avx512.h"
#include "filters/simd/neon.h"

enum { FB_SBBF512_BITS = 512, FB_SBBF512_BYTES = 64, FB_SBBF512_SHIFT = 6, FB_SBBF512_WIDTH = 6 };

static inline uint64_t *fb_sbbf512_block(const struct fb_filter *f, uint64_t block)
{
    return (uint64_t *)(void *)(f->bytes + block * FB_SBBF512_BYTES);
}

static inline bool fb_sbbf512_test(const uint64_t *word, uint32_t low)
{
    uint64_t all = 1;
    for (int i = 0; i < FB_LANES; i++)
        all &= word[i] >> fb_lane_bit(low, i, FB_SBBF512_WIDTH);
    return all & 1;
}

static inline void fb_sbbf512_set(uint64_t *word, uint32_t low)
{
    for (int i = 0; i < FB_LANES; i++)
        word[i] |= UINT64_C(1) << fb_lane_bit(low, i, FB_SBBF512_WIDTH);
}

#if defined(__x86_64__)

/* Bit numbers of the eight lanes, 32 bits each. */
FB_AVX2_INLINE __m256i fb_sbbf512_bits(uint64_t digest)
{
    __m256i salt = _mm256_load_si256((const __m256i *)(const void *)fb_split_block_salt);
    __m256i bit = _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)fb_lo32(digest)), salt);
    return _mm256_srli_epi32(bit, 32 - FB_SBBF512_WIDTH);
}

/* Masks of lanes 0..3 or 4..7. */
FB_AVX2_INLINE __m256i fb_sbbf512_half_mask(__m256i bits, int half)
{
    __m128i four = half ? _mm256_extracti128_si256(bits, 1) : _mm256_castsi256_si128(bits);
    return _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_cvtepu32_epi64(four));
}

FB_AVX2_INLINE bool fb_sbbf512_probe_avx2(const struct fb_filter *f, const uint64_t *digest,
                                          uint64_t offset)
{
    const __m256i *block = (const __m256i *)(const void *)(f->bytes + offset);
    __m256i bits = fb_sbbf512_bits(*digest);
    __m256i low = _mm256_andnot_si256(_mm256_load_si256(block), fb_sbbf512_half_mask(bits, 0));
    __m256i high = _mm256_andnot_si256(_mm256_load_si256(block + 1), fb_sbbf512_half_mask(bits, 1));
    __m256i missing = _mm256_or_si256(low, high);
    return _mm256_testz_si256(missing, missing);
}

FB_AVX2_INLINE void fb_sbbf512_insert_avx2(struct fb_filter *f, const uint64_t *digest,
                                           uint64_t offset)
{
    __m256i *block = (__m256i *)(void *)(f->bytes + offset);
    __m256i bits = fb_sbbf512_bits(*digest);
    for (int half = 0; half < 2; half++)
        _mm256_store_si256(block + half, _mm256_or_si256(_mm256_load_si256(block + half),
                                                         fb_sbbf512_half_mask(bits, half)));
}

FB_AVX512_INLINE void fb_sbbf512_misses(const struct fb_filter *f, const uint64_t *digests,
                                        const uint64_t *offsets, uint8_t *miss)
{
    for (int i = 0; i < 8; i++) {
        __m512i bit = _mm512_cvtepu32_epi64(fb_sbbf512_bits(digests[i]));
        bit = _mm512_srlv_epi64(_mm512_load_si512(f->bytes + offsets[i]), bit);
        miss[i] = (uint8_t)_mm512_testn_epi64_mask(bit, _mm512_set1_epi64(1));
    }
}

FB_AVX512_INLINE void fb_sbbf512_insert_avx512(struct fb_filter *f, const uint64_t *digest,
                                               uint64_t offset)
{
    __m512i bit = _mm512_cvtepu32_epi64(fb_sbbf512_bits(*digest));
    __m512i mask = _mm512_sllv_epi64(_mm512_set1_epi64(1), bit);
    uint8_t *block = f->bytes + offset;
    _mm512_store_si512(block, _mm512_or_si512(_mm512_load_si512(block), mask));
}

#endif

#if defined(__aarch64__)

/* Masks of lanes 2 pair and 2 pair + 1. */
static inline uint64x2_t fb_sbbf512_pair_mask_neon(uint64_t digest, int pair)
{
    uint32x2_t salt = vld1_u32(fb_split_block_salt + 2 * pair);
    uint32x2_t bit = vshr_n_u32(vmul_n_u32(salt, fb_lo32(digest)), 32 - FB_SBBF512_WIDTH);
    return vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(vmovl_u32(bit)));
}

static inline bool fb_sbbf512_probe_neon(const struct fb_filter *f, const uint64_t *digest,
                                         uint64_t offset)
{
    const uint64_t *block = (const uint64_t *)(const void *)(f->bytes + offset);
    uint64x2_t missing = vdupq_n_u64(0);
    for (int pair = 0; pair < 4; pair++)
        missing = vorrq_u64(missing, vbicq_u64(fb_sbbf512_pair_mask_neon(*digest, pair),
                                               vld1q_u64(block + 2 * pair)));
    return vmaxvq_u32(vreinterpretq_u32_u64(missing)) == 0;
}

static inline void fb_sbbf512_insert_neon(struct fb_filter *f, const uint64_t *digest,
                                          uint64_t offset)
{
    uint64_t *block = (uint64_t *)(void *)(f->bytes + offset);
    for (int pair = 0; pair < 4; pair++)
        vst1q_u64(block + 2 * pair,
                  vorrq_u64(vld1q_u64(block + 2 * pair), fb_sbbf512_pair_mask_neon(*digest, pair)));
}

#endif
#endif
