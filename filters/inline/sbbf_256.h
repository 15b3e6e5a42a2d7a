/*
 * One lookup in sbbf-256, to be inlined into a caller's own loop: 13 instructions and no branch.
 *
 *     bool fb_sbbf_256_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_sbbf_256_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     void fb_sbbf_256_insert(struct fb_filter *, const uint64_t *digest);
 *
 * The query is the best of fb_sbbf_256_query_{scalar, avx2, avx512, neon} that the caller is
 * compiled for. prefetch starts to load the block that a later query or insert of the digest needs.
 * insert leaves n_keys to the caller. The filter must be one of design sbbf-256 with blocks:
 * filter.kernel neither fb_kernel_no nor fb_kernel_yes. Layout and source: filters/sbbf_256.c.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_SBBF_256_H
#define FILTERBENCH_FILTERS_INLINE_SBBF_256_H

#include "filters/core/split_block.h"
#include "filters/core/target.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FB_SBBF_256_BITS = 256, FB_SBBF_256_BYTES = 32, FB_SBBF_256_SHIFT = 5 };
enum { FB_SBBF_256_WIDTH = 5 }; /* bits of the product that choose one of a lane's 32 */

/* In bytes, of the block that the digest picks. */
static inline uint64_t fb_sbbf_256_offset(const struct fb_filter *f, uint64_t digest)
{
    return (uint64_t)fb_mulhi32(fb_hi32(digest), (uint32_t)f->geom.n_blocks) << FB_SBBF_256_SHIFT;
}

static inline bool fb_sbbf_256_query_scalar(const struct fb_filter *f, const uint64_t *digest)
{
    const uint8_t *block = f->bytes + fb_sbbf_256_offset(f, *digest);
    const uint32_t *word = (const uint32_t *)(const void *)block;
    uint32_t all = 1;
    for (int i = 0; i < FB_LANES; i++)
        all &= word[i] >> fb_lane_bit(fb_lo32(*digest), i, FB_SBBF_256_WIDTH);
    return all & 1;
}

static inline void fb_sbbf_256_prefetch(const struct fb_filter *f, const uint64_t *digest)
{
    __builtin_prefetch(f->bytes + fb_sbbf_256_offset(f, *digest));
}

static inline void fb_sbbf_256_insert(struct fb_filter *f, const uint64_t *digest)
{
    uint32_t *word = (uint32_t *)(void *)(f->bytes + fb_sbbf_256_offset(f, *digest));
    for (int i = 0; i < FB_LANES; i++)
        word[i] |= UINT32_C(1) << fb_lane_bit(fb_lo32(*digest), i, FB_SBBF_256_WIDTH);
}

#if defined(__x86_64__)

FB_AVX2_INLINE __m256i fb_sbbf_256_mask_avx2(uint64_t digest)
{
    __m256i salt = _mm256_load_si256((const __m256i *)(const void *)fb_split_block_salt);
    __m256i bit = _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)fb_lo32(digest)), salt);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(bit, 32 - FB_SBBF_256_WIDTH));
}

FB_AVX2_INLINE bool fb_sbbf_256_query_avx2(const struct fb_filter *f, const uint64_t *digest)
{
    const uint8_t *block = f->bytes + fb_sbbf_256_offset(f, *digest);
    return _mm256_testc_si256(_mm256_load_si256((const __m256i *)(const void *)block),
                              fb_sbbf_256_mask_avx2(*digest));
}

/* Wider registers have nothing to add to one key. */
FB_AVX512_INLINE bool fb_sbbf_256_query_avx512(const struct fb_filter *f, const uint64_t *digest)
{
    return fb_sbbf_256_query_avx2(f, digest);
}

#elif defined(__aarch64__)

/* Masks of lanes 0..3 or 4..7. */
static inline uint32x4_t fb_sbbf_256_half_mask_neon(uint64_t digest, int half)
{
    uint32x4_t salt = vld1q_u32(fb_split_block_salt + 4 * half);
    uint32x4_t bit = vshrq_n_u32(vmulq_n_u32(salt, fb_lo32(digest)), 32 - FB_SBBF_256_WIDTH);
    return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(bit));
}

static inline bool fb_sbbf_256_at_neon(const struct fb_filter *f, const uint64_t *digest,
                                       uint64_t offset)
{
    const uint32_t *block = (const uint32_t *)(const void *)(f->bytes + offset);
    uint32x4_t low = vbicq_u32(fb_sbbf_256_half_mask_neon(*digest, 0), vld1q_u32(block));
    uint32x4_t high = vbicq_u32(fb_sbbf_256_half_mask_neon(*digest, 1), vld1q_u32(block + 4));
    return vmaxvq_u32(vorrq_u32(low, high)) == 0;
}

static inline bool fb_sbbf_256_query_neon(const struct fb_filter *f, const uint64_t *digest)
{
    return fb_sbbf_256_at_neon(f, digest, fb_sbbf_256_offset(f, *digest));
}

#endif

static inline bool fb_sbbf_256_query(const struct fb_filter *f, const uint64_t *digest)
{
    return FB_COMPILED_FOR(fb_sbbf_256_query)(f, digest);
}

#ifdef __cplusplus
}
#endif

#endif
