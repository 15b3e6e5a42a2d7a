/*
 * Single lookups and inserts for sbbf-256 and sbbf-256-libfilter, which the compiler inlines into
 * your own loop. With vectors, each takes about 13 instructions and no branch.
 *
 *     bool fb_sbbf_256_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_sbbf_256_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     void fb_sbbf_256_insert(struct fb_filter *, const uint64_t *digest);
 *
 * There are also fb_sbbf_256_libfilter_{query, prefetch, insert}. The two designs differ in the
 * order of the salts. A digest has one word.
 *
 * A query or an insert is that for scalar, avx2, avx512 or neon, the best one that your compiler
 * flags allow. All set the same bits. The prefetch starts to load the block that a later query or
 * insert of the digest needs. The insert does not update n_keys.
 *
 * The filter must be one of that design, and fb_filter_constant(f) must be FB_ASKS. One thread
 * inserts; while none does, any number may ask. Layouts and sources: filters/sbbf_256.c,
 * filters/sbbf_256_libfilter.c.
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

#define fb_sbbf_256_salt fb_split_block_salt

/* The same salts with neighbours exchanged. */
static const uint32_t fb_sbbf_256_libfilter_salt[FB_LANES] __attribute__((aligned(32))) = {
    0x44974D91, 0x47B6137B, 0xA2B7289D, 0x8824AD5B, 0x2DF1424B, 0x705495C7, 0x5C6BFB31, 0x9EFC4947};

/* Returns the offset in bytes of the block that the digest picks. */
static inline uint64_t fb_sbbf_256_offset(const struct fb_filter *f, uint64_t digest)
{
    return fb_hi32(digest) * f->geom.n_blocks >> 32 << FB_SBBF_256_SHIFT; /* n_blocks < 2^32 */
}

static inline uint32_t fb_sbbf_256_bit(uint64_t digest, uint32_t salt)
{
    return fb_lo32(digest) * salt >> (32 - FB_SBBF_256_WIDTH);
}

static inline bool fb_sbbf_256_at_scalar(const struct fb_filter *f, const uint64_t *digest,
                                         uint64_t offset, const uint32_t *salt)
{
    const uint32_t *word = (const uint32_t *)(const void *)(f->bytes + offset);
    uint32_t all = 1;
    for (int i = 0; i < FB_LANES; i++)
        all &= word[i] >> fb_sbbf_256_bit(*digest, salt[i]);
    return all & 1;
}

static inline void fb_sbbf_256_insert_at_scalar(struct fb_filter *f, const uint64_t *digest,
                                                uint64_t offset, const uint32_t *salt)
{
    uint32_t *word = (uint32_t *)(void *)(f->bytes + offset);
    for (int i = 0; i < FB_LANES; i++)
        word[i] |= UINT32_C(1) << fb_sbbf_256_bit(*digest, salt[i]);
}

#if defined(__x86_64__)

/* Reads the low half of the digest from memory, because a broadcast from memory is cheaper than one
 * from a general register. */
FB_AVX2_INLINE __m256i fb_sbbf_256_mask_avx2(const uint64_t *digest, const uint32_t *salts)
{
    __m256i salt = _mm256_load_si256((const __m256i *)(const void *)salts);
    __m256i bit = _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)fb_le32(digest)), salt);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(bit, 32 - FB_SBBF_256_WIDTH));
}

FB_AVX2_INLINE bool fb_sbbf_256_at_avx2(const struct fb_filter *f, const uint64_t *digest,
                                        uint64_t offset, const uint32_t *salt)
{
    const __m256i *block = (const __m256i *)(const void *)(f->bytes + offset);
    return _mm256_testc_si256(_mm256_load_si256(block), fb_sbbf_256_mask_avx2(digest, salt));
}

FB_AVX2_INLINE void fb_sbbf_256_insert_at_avx2(struct fb_filter *f, const uint64_t *digest,
                                               uint64_t offset, const uint32_t *salt)
{
    __m256i *block = (__m256i *)(void *)(f->bytes + offset);
    __m256i mask = fb_sbbf_256_mask_avx2(digest, salt);
    _mm256_store_si256(block, _mm256_or_si256(_mm256_load_si256(block), mask));
}

/* Wider registers have nothing to add to one key. */
#define fb_sbbf_256_at_avx512        fb_sbbf_256_at_avx2
#define fb_sbbf_256_insert_at_avx512 fb_sbbf_256_insert_at_avx2

#elif defined(__aarch64__)

/* Masks of lanes 0..3 or 4..7. */
static inline uint32x4_t fb_sbbf_256_half_mask_neon(uint64_t digest, const uint32_t *salts,
                                                    int half)
{
    uint32x4_t salt = vld1q_u32(salts + 4 * half);
    uint32x4_t bit = vshrq_n_u32(vmulq_n_u32(salt, fb_lo32(digest)), 32 - FB_SBBF_256_WIDTH);
    return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(bit));
}

static inline bool fb_sbbf_256_at_neon(const struct fb_filter *f, const uint64_t *digest,
                                       uint64_t offset, const uint32_t *salt)
{
    const uint32_t *block = (const uint32_t *)(const void *)(f->bytes + offset);
    uint32x4_t low = fb_sbbf_256_half_mask_neon(*digest, salt, 0);
    uint32x4_t high = fb_sbbf_256_half_mask_neon(*digest, salt, 1);
    low = vbicq_u32(low, vld1q_u32(block));
    high = vbicq_u32(high, vld1q_u32(block + 4));
    return vmaxvq_u32(vorrq_u32(low, high)) == 0;
}

static inline void fb_sbbf_256_insert_at_neon(struct fb_filter *f, const uint64_t *digest,
                                              uint64_t offset, const uint32_t *salt)
{
    uint32_t *block = (uint32_t *)(void *)(f->bytes + offset);
    for (int half = 0; half < 2; half++, block += 4) {
        uint32x4_t mask = fb_sbbf_256_half_mask_neon(*digest, salt, half);
        vst1q_u32(block, vorrq_u32(vld1q_u32(block), mask));
    }
}

#endif

/* Queries and inserts: offset, then the block. */
/* NOLINTBEGIN(bugprone-macro-parentheses): attributes take none */
#define FB_SBBF_256_ISA(attributes, design, isa)                                                   \
    attributes bool design##_query_##isa(const struct fb_filter *f, const uint64_t *digest)        \
    {                                                                                              \
        return fb_sbbf_256_at_##isa(f, digest, fb_sbbf_256_offset(f, *digest), design##_salt);     \
    }                                                                                              \
    attributes void design##_insert_##isa(struct fb_filter *f, const uint64_t *digest)             \
    {                                                                                              \
        fb_sbbf_256_insert_at_##isa(f, digest, fb_sbbf_256_offset(f, *digest), design##_salt);     \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
FB_SBBF_256_ISA(static inline, fb_sbbf_256, scalar)
FB_SBBF_256_ISA(static inline, fb_sbbf_256_libfilter, scalar)
FB_IF_AVX2(FB_SBBF_256_ISA(FB_AVX2_INLINE, fb_sbbf_256, avx2))
FB_IF_AVX2(FB_SBBF_256_ISA(FB_AVX2_INLINE, fb_sbbf_256_libfilter, avx2))
FB_IF_AVX512(FB_SBBF_256_ISA(FB_AVX512_INLINE, fb_sbbf_256, avx512))
FB_IF_AVX512(FB_SBBF_256_ISA(FB_AVX512_INLINE, fb_sbbf_256_libfilter, avx512))
FB_IF_NEON(FB_SBBF_256_ISA(static inline, fb_sbbf_256, neon))
FB_IF_NEON(FB_SBBF_256_ISA(static inline, fb_sbbf_256_libfilter, neon))
#undef FB_SBBF_256_ISA

#define FB_SBBF_256_CALLS(design)                                                                  \
    static inline bool design##_query(const struct fb_filter *f, const uint64_t *digest)           \
    {                                                                                              \
        return FB_COMPILED_FOR(design##_query)(f, digest);                                         \
    }                                                                                              \
    static inline void design##_prefetch(const struct fb_filter *f, const uint64_t *digest)        \
    {                                                                                              \
        __builtin_prefetch(f->bytes + fb_sbbf_256_offset(f, *digest));                             \
    }                                                                                              \
    static inline void design##_insert(struct fb_filter *f, const uint64_t *digest)                \
    {                                                                                              \
        FB_COMPILED_FOR(design##_insert)(f, digest);                                               \
    }
FB_SBBF_256_CALLS(fb_sbbf_256)
FB_SBBF_256_CALLS(fb_sbbf_256_libfilter)
#undef FB_SBBF_256_CALLS

#ifdef __cplusplus
}
#endif

#endif
