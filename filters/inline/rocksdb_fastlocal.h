/*
 * Single lookups and inserts for rocksdb-fastlocal, which the compiler inlines into your own loop.
 *
 *     bool fb_rocksdb_fastlocal_query(const struct fb_filter *, const uint64_t *digest);
 *     void fb_rocksdb_fastlocal_prefetch(const struct fb_filter *, const uint64_t *digest);
 *     void fb_rocksdb_fastlocal_insert(struct fb_filter *, const uint64_t *digest);
 *
 * A digest has one word. The query is fb_rocksdb_fastlocal_query_{scalar, avx2, avx512, neon}, the
 * best one that your compiler flags allow. The prefetch starts to load the line that a later query
 * or insert of the digest needs. The insert does not update n_keys. RocksDB does not count a key
 * whose digest equals the one just before.
 *
 * The filter must be one of design rocksdb-fastlocal, and fb_filter_constant(f) must be FB_ASKS.
 * One thread inserts; while none does, any number may ask. Layout and source:
 * filters/rocksdb_fastlocal.c.
 *
 * A vector holds eight probes: x times the powers 0 to 7 of 9E3779B9. The top 4 bits of a lane
 * choose a 32-bit word of the line, and the next 5 bits a bit in the word. More than eight probes
 * take further rounds, with x times the eighth power.
 */
#ifndef FILTERBENCH_FILTERS_INLINE_ROCKSDB_FASTLOCAL_H
#define FILTERBENCH_FILTERS_INLINE_ROCKSDB_FASTLOCAL_H

#include "filters/core/filter.h"
#include "filters/core/target.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FB_FASTLOCAL_LINE_BYTES = 64, FB_FASTLOCAL_LINE_SHIFT = 6 };

#define FB_FASTLOCAL_POWER1 UINT32_C(0x9E3779B9) /* 2^32 / golden ratio */
#define FB_FASTLOCAL_POWER2 (FB_FASTLOCAL_POWER1 * FB_FASTLOCAL_POWER1)
#define FB_FASTLOCAL_POWER4 (FB_FASTLOCAL_POWER2 * FB_FASTLOCAL_POWER2)
#define FB_FASTLOCAL_POWER8 (FB_FASTLOCAL_POWER4 * FB_FASTLOCAL_POWER4)

static const uint32_t fb_fastlocal_powers[8] __attribute__((aligned(32))) = {
    1,
    FB_FASTLOCAL_POWER1,
    FB_FASTLOCAL_POWER2,
    FB_FASTLOCAL_POWER2 *FB_FASTLOCAL_POWER1,
    FB_FASTLOCAL_POWER4,
    FB_FASTLOCAL_POWER4 *FB_FASTLOCAL_POWER1,
    FB_FASTLOCAL_POWER4 *FB_FASTLOCAL_POWER2,
    FB_FASTLOCAL_POWER4 *FB_FASTLOCAL_POWER2 *FB_FASTLOCAL_POWER1,
};

/* Returns the offset in bytes of the line that the digest picks. */
static inline uint64_t fb_fastlocal_offset(const struct fb_filter *f, uint64_t digest)
{
    return (uint64_t)fb_mulhi32(fb_lo32(digest), (uint32_t)f->geom.n_blocks)
           << FB_FASTLOCAL_LINE_SHIFT;
}

static inline bool fb_rocksdb_fastlocal_query_scalar(const struct fb_filter *f,
                                                     const uint64_t *digest)
{
    const uint8_t *line = f->bytes + fb_fastlocal_offset(f, *digest);
    uint32_t x = fb_hi32(*digest);
    for (uint32_t i = 0; i < f->geom.probes; i++, x *= FB_FASTLOCAL_POWER1)
        if (!fb_bit_lsb(line, x >> 23))
            return false;
    return true;
}

static inline void fb_rocksdb_fastlocal_prefetch(const struct fb_filter *f, const uint64_t *digest)
{
    __builtin_prefetch(f->bytes + fb_fastlocal_offset(f, *digest));
}

/* Writes words of 64 bits. Written by bytes, more stores would wait for the one before. */
static inline void fb_rocksdb_fastlocal_insert_at(struct fb_filter *f, const uint64_t *digest,
                                                  uint64_t offset)
{
    uint64_t *line = (uint64_t *)(void *)(f->bytes + offset);
    uint32_t x = fb_hi32(*digest);
    for (uint32_t i = 0; i < f->geom.probes; i++, x *= FB_FASTLOCAL_POWER1)
        line[x >> 29] |= UINT64_C(1) << (x >> 23 & 63);
}

static inline void fb_rocksdb_fastlocal_insert(struct fb_filter *f, const uint64_t *digest)
{
    fb_rocksdb_fastlocal_insert_at(f, digest, fb_fastlocal_offset(f, *digest));
}

#if defined(__x86_64__)

/* Returns probes 0 to 7. It reads the high half of the digest from memory, because a broadcast from
 * memory is cheaper than one from a general register. */
FB_AVX2_INLINE __m256i fb_fastlocal_probes(const uint64_t *digest)
{
    const void *powers = fb_fastlocal_powers;
    uint32_t x = fb_le32((const uint8_t *)digest + 4);
    return _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)x),
                              _mm256_load_si256((const __m256i *)powers));
}

/* Returns a mask of the first n lanes, of all for n >= 8. */
FB_AVX2_INLINE __m256i fb_fastlocal_lanes_avx2(uint32_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)n),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Returns zero in a lane if its probe's bit is set, or if the lane is outside the mask `used`. */
FB_AVX2_INLINE __m256i fb_fastlocal_missing_avx2(const uint8_t *line, __m256i x, __m256i used)
{
    const __m256i *half = (const __m256i *)(const void *)line;
    __m256i word = _mm256_srli_epi32(x, 28);
    __m256i low = _mm256_permutevar8x32_epi32(_mm256_load_si256(half), word);
    __m256i high = _mm256_permutevar8x32_epi32(_mm256_load_si256(half + 1), word);
    /* The sign of the probe picks the half of the line. */
    __m256i words = _mm256_castps_si256(_mm256_blendv_ps(
        _mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _mm256_castsi256_ps(x)));
    __m256i one = _mm256_and_si256(used, _mm256_set1_epi32(1));
    __m256i at = _mm256_and_si256(_mm256_srli_epi32(x, 23), _mm256_set1_epi32(31));
    return _mm256_andnot_si256(words, _mm256_sllv_epi32(one, at));
}

/* Returns the same for all probes of a key together. With `few` there are at most eight. */
FB_AVX2_INLINE __m256i fb_fastlocal_key_avx2(const struct fb_filter *f, const uint64_t *digest,
                                             uint64_t offset, bool few)
{
    const uint8_t *line = f->bytes + offset;
    const uint32_t k = f->geom.probes;
    __m256i x = fb_fastlocal_probes(digest);
    __m256i missing = fb_fastlocal_missing_avx2(line, x, fb_fastlocal_lanes_avx2(k));
    for (uint32_t done = 8; !few && done < k; done += 8) {
        x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int32_t)FB_FASTLOCAL_POWER8));
        __m256i more = fb_fastlocal_missing_avx2(line, x, fb_fastlocal_lanes_avx2(k - done));
        missing = _mm256_or_si256(missing, more);
    }
    return missing;
}

FB_AVX2_INLINE bool fb_rocksdb_fastlocal_query_avx2(const struct fb_filter *f,
                                                    const uint64_t *digest)
{
    uint64_t offset = fb_fastlocal_offset(f, *digest);
    __m256i missing = fb_fastlocal_key_avx2(f, digest, offset, f->geom.probes <= 8);
    return _mm256_testz_si256(missing, missing);
}

/* Returns a bit for each of the first n lanes. */
static inline uint32_t fb_fastlocal_lanes_avx512(uint32_t n)
{
    return n >= 8 ? 0xFF : (1u << n) - 1;
}

/* One permutation over both halves of the line fetches all eight words. */
FB_AVX512_INLINE uint32_t fb_fastlocal_missing_avx512(const uint8_t *line, __m256i x, uint32_t n)
{
    const __m256i *half = (const __m256i *)(const void *)line;
    __m256i words = _mm256_permutex2var_epi32(_mm256_load_si256(half), _mm256_srli_epi32(x, 28),
                                              _mm256_load_si256(half + 1));
    words = _mm256_rorv_epi32(words, _mm256_srli_epi32(x, 23)); /* by the low 5 bits of that */
    return _mm256_mask_testn_epi32_mask((__mmask8)fb_fastlocal_lanes_avx512(n), words,
                                        _mm256_set1_epi32(1));
}

FB_AVX512_INLINE bool fb_rocksdb_fastlocal_query_avx512(const struct fb_filter *f,
                                                        const uint64_t *digest)
{
    const uint8_t *line = f->bytes + fb_fastlocal_offset(f, *digest);
    const uint32_t k = f->geom.probes;
    __m256i x = fb_fastlocal_probes(digest);
    uint32_t missing = fb_fastlocal_missing_avx512(line, x, k);
    for (uint32_t done = 8; done < k; done += 8) {
        x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int32_t)FB_FASTLOCAL_POWER8));
        missing |= fb_fastlocal_missing_avx512(line, x, k - done);
    }
    return missing == 0;
}

#elif defined(__aarch64__)

/* Returns the low bytes of eight words. */
static inline uint8x8_t fb_fastlocal_low_bytes_neon(uint32x4_t a, uint32x4_t b)
{
    return vmovn_u16(vcombine_u16(vmovn_u32(a), vmovn_u32(b)));
}

/* Tells whether the bits of the first n of eight probes are set. One table lookup in the 64 bytes
 * of the line takes the byte of each probe, which the top 6 of its 9 bits choose. The other 3 bits
 * choose the bit in that byte. */
static inline bool fb_fastlocal_eight_neon(uint8x16x4_t line, uint32x4_t a, uint32x4_t b,
                                           uint32_t n)
{
    static const uint8_t lane[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint8x8_t byte =
        vqtbl4_u8(line, fb_fastlocal_low_bytes_neon(vshrq_n_u32(a, 26), vshrq_n_u32(b, 26)));
    uint8x8_t at = fb_fastlocal_low_bytes_neon(vshrq_n_u32(a, 23), vshrq_n_u32(b, 23));
    at = vand_u8(at, vdup_n_u8(7));
    uint8x8_t set = vtst_u8(byte, vshl_u8(vdup_n_u8(1), vreinterpret_s8_u8(at)));
    uint8x8_t unused = vcge_u8(vld1_u8(lane), vdup_n_u8((uint8_t)(n < 8 ? n : 8)));
    return vminv_u8(vorr_u8(set, unused)) != 0;
}

static inline bool fb_rocksdb_fastlocal_at_neon(const struct fb_filter *f, const uint64_t *digest,
                                                uint64_t offset)
{
    const uint8x16x4_t line = vld1q_u8_x4(f->bytes + offset);
    uint32_t x = fb_hi32(*digest);
    for (uint32_t done = 0; done < f->geom.probes; done += 8, x *= FB_FASTLOCAL_POWER8) {
        uint32x4_t a = vmulq_n_u32(vld1q_u32(fb_fastlocal_powers), x);
        uint32x4_t b = vmulq_n_u32(vld1q_u32(fb_fastlocal_powers + 4), x);
        if (!fb_fastlocal_eight_neon(line, a, b, f->geom.probes - done))
            return false;
    }
    return true;
}

static inline bool fb_rocksdb_fastlocal_query_neon(const struct fb_filter *f,
                                                   const uint64_t *digest)
{
    return fb_rocksdb_fastlocal_at_neon(f, digest, fb_fastlocal_offset(f, *digest));
}

#endif

static inline bool fb_rocksdb_fastlocal_query(const struct fb_filter *f, const uint64_t *digest)
{
    return FB_COMPILED_FOR(fb_rocksdb_fastlocal_query)(f, digest);
}

#ifdef __cplusplus
}
#endif

#endif
