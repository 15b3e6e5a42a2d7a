/*
 * Single lookups and inserts for sbbf-512 and sbbf-512-pow2, which the compiler inlines into your
 * own loop.
 *
 *     bool fb_sbbf_512_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_sbbf_512_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     void fb_sbbf_512_insert(struct fb_filter *, const uint64_t *digest);
 *
 * There are also fb_sbbf_512_pow2_{query, prefetch, insert}. The two designs differ in how they
 * pick a block. A block has eight words of 64 bits. In word i, a key with digest h, of one word,
 * sets bit (lo(h) * salt_i mod 2^32) >> 26.
 *
 * A query or an insert is that for scalar, avx2, avx512 or neon, the best one that your compiler
 * flags allow. All set the same bits. The prefetch starts to load the block that a later query or
 * insert of the digest needs. The insert does not update n_keys.
 *
 * The filter must be one of that design, and fb_filter_constant(f) must be FB_ASKS. One thread
 * inserts; while none does, any number may ask. Sources: filters/sbbf_512.c,
 * filters/sbbf_512_pow2.c.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_SBBF_512_H
#define FILTERBENCH_FILTERS_INLINE_SBBF_512_H

#include "filters/core/split_block.h"
#include "filters/core/target.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FB_SBBF_512_BITS = 512, FB_SBBF_512_BYTES = 64, FB_SBBF_512_SHIFT = 6 };
enum { FB_SBBF_512_WIDTH = 6 }; /* bits of the product that choose one of a lane's 64 */

/* Returns the offset in bytes of the block that the digest picks. */
static inline uint64_t fb_sbbf_512_offset(const struct fb_filter *f, uint64_t digest)
{
    return fb_mod32_short(fb_hi32(digest), f->geom.range) << FB_SBBF_512_SHIFT;
}

static inline uint64_t fb_sbbf_512_pow2_offset(const struct fb_filter *f, uint64_t digest)
{
    return (fb_hi32(digest) & (f->geom.n_blocks - 1)) << FB_SBBF_512_SHIFT;
}

static inline bool fb_sbbf_512_at_scalar(const struct fb_filter *f, const uint64_t *digest,
                                         uint64_t offset)
{
    const uint64_t *word = (const uint64_t *)(const void *)(f->bytes + offset);
    uint64_t all = 1;
    for (int i = 0; i < FB_LANES; i++)
        all &= word[i] >> fb_lane_bit(fb_lo32(*digest), i, FB_SBBF_512_WIDTH);
    return all & 1;
}

static inline void fb_sbbf_512_insert_at_scalar(struct fb_filter *f, const uint64_t *digest,
                                                uint64_t offset)
{
    uint64_t *word = (uint64_t *)(void *)(f->bytes + offset);
    for (int i = 0; i < FB_LANES; i++)
        word[i] |= UINT64_C(1) << fb_lane_bit(fb_lo32(*digest), i, FB_SBBF_512_WIDTH);
}

#if defined(__x86_64__)

/* The masks of lanes 0 to 3 and 4 to 7. */
struct fb_sbbf_512_masks {
    __m256i low, high;
};

/* Puts the salts into the even halves of 64-bit lanes, so that the products need no widening. Here
 * and below, the low half of the digest is read from memory, because a broadcast from memory is
 * cheaper than one from a general register. */
FB_AVX2_INLINE struct fb_sbbf_512_masks fb_sbbf_512_masks_avx2(const uint64_t *digest)
{
    const __m128i *salts = (const __m128i *)(const void *)fb_split_block_salt;
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256i key = _mm256_set1_epi32((int32_t)fb_le32(digest));
    __m256i low = _mm256_mullo_epi32(key, _mm256_cvtepu32_epi64(_mm_load_si128(salts)));
    __m256i high = _mm256_mullo_epi32(key, _mm256_cvtepu32_epi64(_mm_load_si128(salts + 1)));
    const struct fb_sbbf_512_masks masks = {
        _mm256_sllv_epi64(one, _mm256_srli_epi64(low, 32 - FB_SBBF_512_WIDTH)),
        _mm256_sllv_epi64(one, _mm256_srli_epi64(high, 32 - FB_SBBF_512_WIDTH))};
    return masks;
}

/*
 * Returns zero exactly if the key may be present.
 *
 * It works in lanes of 32 bits, because a register holds twice as many of them. The highest bit of
 * a product picks a half of the lane's word, and the next five bits a bit in that half. The
 * shuffles that separate the halves put words into the order 0, 1, 4, 5, 2, 3, 6, 7.
 */
FB_AVX2_INLINE __m256i fb_sbbf_512_missing_avx2(const struct fb_filter *f, const uint64_t *digest,
                                                uint64_t offset)
{
    const float *block = (const float *)(const void *)(f->bytes + offset);
    const __m256 first = _mm256_load_ps(block), second = _mm256_load_ps(block + 8);
    const __m256i salts = _mm256_permute4x64_epi64(
        _mm256_load_si256((const __m256i *)(const void *)fb_split_block_salt), 0xD8);
    __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)fb_le32(digest)), salts);
    __m256 low = _mm256_shuffle_ps(first, second, 0x88);
    __m256 high = _mm256_shuffle_ps(first, second, 0xDD);
    __m256 half = _mm256_blendv_ps(low, high, _mm256_castsi256_ps(product));
    __m256i bit =
        _mm256_and_si256(_mm256_srli_epi32(product, 32 - FB_SBBF_512_WIDTH), _mm256_set1_epi32(31));
    __m256i mask = _mm256_sllv_epi32(_mm256_set1_epi32(1), bit);
    return _mm256_andnot_si256(_mm256_castps_si256(half), mask);
}

FB_AVX2_INLINE bool fb_sbbf_512_at_avx2(const struct fb_filter *f, const uint64_t *digest,
                                        uint64_t offset)
{
    __m256i missing = fb_sbbf_512_missing_avx2(f, digest, offset);
    return _mm256_testz_si256(missing, missing);
}

FB_AVX2_INLINE void fb_sbbf_512_insert_at_avx2(struct fb_filter *f, const uint64_t *digest,
                                               uint64_t offset)
{
    __m256i *block = (__m256i *)(void *)(f->bytes + offset);
    const struct fb_sbbf_512_masks mask = fb_sbbf_512_masks_avx2(digest);
    _mm256_store_si256(block, _mm256_or_si256(_mm256_load_si256(block), mask.low));
    _mm256_store_si256(block + 1, _mm256_or_si256(_mm256_load_si256(block + 1), mask.high));
}

/* Uses the masked instructions, with all lanes on, because g++ 12 warns of uninitialized values
 * without a mask. */
FB_AVX512_INLINE __m512i fb_sbbf_512_mask_avx512(const uint64_t *digest)
{
    const __mmask8 all = 0xFF;
    __m256i salt = _mm256_load_si256((const __m256i *)(const void *)fb_split_block_salt);
    __m512i bit = _mm512_mullo_epi32(_mm512_set1_epi32((int32_t)fb_le32(digest)),
                                     _mm512_maskz_cvtepu32_epi64(all, salt));
    bit = _mm512_maskz_srli_epi64(all, bit, 32 - FB_SBBF_512_WIDTH);
    return _mm512_maskz_sllv_epi64(all, _mm512_set1_epi64(1), bit);
}

/* Returns a bit for each lane whose bit is not set. */
FB_AVX512_INLINE __mmask8 fb_sbbf_512_missing_avx512(const struct fb_filter *f,
                                                     const uint64_t *digest, uint64_t offset)
{
    return _mm512_testn_epi64_mask(_mm512_load_si512(f->bytes + offset),
                                   fb_sbbf_512_mask_avx512(digest));
}

FB_AVX512_INLINE bool fb_sbbf_512_at_avx512(const struct fb_filter *f, const uint64_t *digest,
                                            uint64_t offset)
{
    return fb_sbbf_512_missing_avx512(f, digest, offset) == 0;
}

FB_AVX512_INLINE void fb_sbbf_512_insert_at_avx512(struct fb_filter *f, const uint64_t *digest,
                                                   uint64_t offset)
{
    uint8_t *block = f->bytes + offset;
    _mm512_store_si512(block,
                       _mm512_or_si512(_mm512_load_si512(block), fb_sbbf_512_mask_avx512(digest)));
}

#elif defined(__aarch64__)

/* Returns the masks of lanes 2 * pair and 2 * pair + 1. */
static inline uint64x2_t fb_sbbf_512_pair_mask_neon(uint64_t digest, int pair)
{
    uint32x2_t salt = vld1_u32(fb_split_block_salt + 2 * pair);
    uint32x2_t bit = vshr_n_u32(vmul_n_u32(salt, fb_lo32(digest)), 32 - FB_SBBF_512_WIDTH);
    return vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(vmovl_u32(bit)));
}

static inline bool fb_sbbf_512_at_neon(const struct fb_filter *f, const uint64_t *digest,
                                       uint64_t offset)
{
    const uint64_t *block = (const uint64_t *)(const void *)(f->bytes + offset);
    uint64x2_t missing = vdupq_n_u64(0);
    for (int pair = 0; pair < 4; pair++)
        missing = vorrq_u64(missing, vbicq_u64(fb_sbbf_512_pair_mask_neon(*digest, pair),
                                               vld1q_u64(block + 2 * pair)));
    return vmaxvq_u32(vreinterpretq_u32_u64(missing)) == 0;
}

static inline void fb_sbbf_512_insert_at_neon(struct fb_filter *f, const uint64_t *digest,
                                              uint64_t offset)
{
    uint64_t *block = (uint64_t *)(void *)(f->bytes + offset);
    for (int pair = 0; pair < 4; pair++, block += 2)
        vst1q_u64(block, vorrq_u64(vld1q_u64(block), fb_sbbf_512_pair_mask_neon(*digest, pair)));
}

#endif

/* Queries and inserts: offset, then the block. */
/* NOLINTBEGIN(bugprone-macro-parentheses): attributes take none */
#define FB_SBBF_512_ISA(attributes, design, isa)                                                   \
    attributes bool design##_query_##isa(const struct fb_filter *f, const uint64_t *digest)        \
    {                                                                                              \
        return fb_sbbf_512_at_##isa(f, digest, design##_offset(f, *digest));                       \
    }                                                                                              \
    attributes void design##_insert_##isa(struct fb_filter *f, const uint64_t *digest)             \
    {                                                                                              \
        fb_sbbf_512_insert_at_##isa(f, digest, design##_offset(f, *digest));                       \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
FB_SBBF_512_ISA(static inline, fb_sbbf_512, scalar)
FB_SBBF_512_ISA(static inline, fb_sbbf_512_pow2, scalar)
FB_IF_AVX2(FB_SBBF_512_ISA(FB_AVX2_INLINE, fb_sbbf_512, avx2))
FB_IF_AVX2(FB_SBBF_512_ISA(FB_AVX2_INLINE, fb_sbbf_512_pow2, avx2))
FB_IF_AVX512(FB_SBBF_512_ISA(FB_AVX512_INLINE, fb_sbbf_512, avx512))
FB_IF_AVX512(FB_SBBF_512_ISA(FB_AVX512_INLINE, fb_sbbf_512_pow2, avx512))
FB_IF_NEON(FB_SBBF_512_ISA(static inline, fb_sbbf_512, neon))
FB_IF_NEON(FB_SBBF_512_ISA(static inline, fb_sbbf_512_pow2, neon))
#undef FB_SBBF_512_ISA

#define FB_SBBF_512_CALLS(design)                                                                  \
    static inline bool design##_query(const struct fb_filter *f, const uint64_t *digest)           \
    {                                                                                              \
        return FB_COMPILED_FOR(design##_query)(f, digest);                                         \
    }                                                                                              \
    static inline void design##_prefetch(const struct fb_filter *f, const uint64_t *digest)        \
    {                                                                                              \
        __builtin_prefetch(f->bytes + design##_offset(f, *digest));                                \
    }                                                                                              \
    static inline void design##_insert(struct fb_filter *f, const uint64_t *digest)                \
    {                                                                                              \
        FB_COMPILED_FOR(design##_insert)(f, digest);                                               \
    }
FB_SBBF_512_CALLS(fb_sbbf_512)
FB_SBBF_512_CALLS(fb_sbbf_512_pow2)
#undef FB_SBBF_512_CALLS

#ifdef __cplusplus
}
#endif

#endif
