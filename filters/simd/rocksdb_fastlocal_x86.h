/*
 * FastLocalBloom on AVX2 and AVX-512: eight probes at once, as lanes of x times powers of 9E3779B9.
 * A lane's word of the line is its top 4 bits, the bit in the word its next 5. More than eight
 * probes take further rounds with x times the eighth power. Included by rocksdb_fastlocal.c only,
 * after its scalar loops.
 */
#if defined(__x86_64__)

/* Powers 0 to 7 of the constant, and the eighth. */
#define POWER2 (GOLDEN * GOLDEN)
#define POWER4 (POWER2 * POWER2)
#define POWER8 (POWER4 * POWER4)

static const uint32_t golden_power[8]
    __attribute__((aligned(32))) = {1,      GOLDEN,         POWER2,         POWER2 *GOLDEN,
                                    POWER4, POWER4 *GOLDEN, POWER4 *POWER2, POWER4 *POWER2 *GOLDEN};

/* Lanes of round r (probes 8 r .. 8 r + 7) that carry a probe. */
static inline uint32_t lanes_of(uint32_t probes, uint32_t round)
{
    uint32_t left = probes - 8 * round;
    return left >= 8 ? 0xFF : (1u << left) - 1;
}

FB_AVX2_INLINE __m256i probes_avx2(uint32_t x)
{
    __m256i powers = _mm256_load_si256((const __m256i *)(const void *)golden_power);
    return _mm256_mullo_epi32(_mm256_set1_epi32((int32_t)x), powers);
}

FB_AVX2_INLINE void offsets_avx2(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    fb_offsets_mul_avx2(f, digests, out, false, LINE_SHIFT);
}

/* All ones in the lanes of a mask: lane i is compared with how many there are. */
FB_AVX2_INLINE __m256i lane_mask_avx2(uint32_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)n),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

FB_AVX2_INLINE bool probe_avx2(const struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    const __m256i *line = (const __m256i *)(const void *)(f->bytes + offset);
    uint32_t x = fb_hi32(*digest);
    for (uint32_t done = 0; done < f->geom.probes; done += 8, x *= POWER8) {
        __m256i p = probes_avx2(x);
        __m256i word = _mm256_srli_epi32(p, 28);
        __m256i low = _mm256_permutevar8x32_epi32(_mm256_load_si256(line), word);
        __m256i high = _mm256_permutevar8x32_epi32(_mm256_load_si256(line + 1), word);
        /* The sign of the probe picks the half of the line. */
        __m256i words = _mm256_castps_si256(_mm256_blendv_ps(
            _mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _mm256_castsi256_ps(p)));
        __m256i at = _mm256_srli_epi32(_mm256_slli_epi32(p, 4), 27);
        __m256i bit = _mm256_sllv_epi32(_mm256_set1_epi32(1), at);
        bit = _mm256_and_si256(bit, lane_mask_avx2(f->geom.probes - done));
        if (!_mm256_testc_si256(words, bit))
            return false;
    }
    return true;
}

/* A 512-bit mask from up to eight probes: scatter their bits into a line of its own. */
static inline void insert_avx2(struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    uint64_t *line = (uint64_t *)(void *)(f->bytes + offset);
    uint32_t x = fb_hi32(*digest);
    for (uint32_t i = 0; i < f->geom.probes; i++, x *= GOLDEN)
        line[x >> 29] |= UINT64_C(1) << (x >> 23 & 63);
}

#define FB_RING         avx2
#define FB_RING_ISA     FB_ISA_AVX2
#define FB_RING_TARGET  FB_AVX2
#define FB_RING_OFFSETS offsets_avx2
#define FB_RING_PROBE   probe_avx2
#define FB_RING_INSERT  insert_avx2
#include "filters/simd/one_block_ring.inc"

FB_AVX512_INLINE __m512i block_offsets(const struct fb_filter *f, const uint64_t *digests)
{
    return fb_offsets_mul_avx512(f, digests, false, LINE_SHIFT);
}

/* Two keys to a register: lanes 0..7 probe the first key's line, 8..15 the second's; one
 * permutation over both lines fetches all sixteen words. */
FB_AVX512_INLINE __mmask16 miss_pair(const uint8_t *first, const uint8_t *second, __m512i x,
                                     uint32_t lanes)
{
    const __m512i table = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16);
    __m512i word = _mm512_or_si512(_mm512_srli_epi32(x, 28), table);
    __m512i words =
        _mm512_permutex2var_epi32(_mm512_load_si512(first), word, _mm512_load_si512(second));
    words = _mm512_rorv_epi32(words, _mm512_srli_epi32(x, 23)); /* by the low 5 bits of that */
    return _mm512_mask_testn_epi32_mask((__mmask16)(lanes | lanes << 8), words,
                                        _mm512_set1_epi32(1));
}

FB_AVX512_INLINE void block_misses(const struct fb_filter *f, const uint64_t *digests,
                                   const uint64_t *offsets, uint8_t *miss)
{
    const __m256i half = _mm256_load_si256((const __m256i *)(const void *)golden_power);
    const __m512i powers = _mm512_broadcast_i64x4(half);
    const __m512i keys = _mm512_loadu_si512(digests);
    const uint32_t lanes = lanes_of(f->geom.probes, 0);
    for (int pair = 0; pair < 4; pair++) {
        /* The high halves of digests 2 pair and 2 pair + 1, in eight lanes each. */
        const int a = 4 * pair + 1, b = 4 * pair + 3;
        __m512i spread = _mm512_setr_epi32(a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b);
        __m512i x = _mm512_mullo_epi32(_mm512_permutexvar_epi32(spread, keys), powers);
        const uint8_t *first = f->bytes + offsets[2 * pair];
        const uint8_t *second = f->bytes + offsets[2 * pair + 1];
        __mmask16 missing = miss_pair(first, second, x, lanes);
        for (uint32_t round = 1; 8 * round < f->geom.probes; round++) {
            x = _mm512_mullo_epi32(x, _mm512_set1_epi32((int32_t)POWER8));
            missing |= miss_pair(first, second, x, lanes_of(f->geom.probes, round));
        }
        memcpy(miss + 2 * pair, &missing, 2);
    }
}

FB_AVX512_INLINE void block_insert(struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    insert_avx2(f, digest, offset);
}

#endif
#include "filters/simd/one_block_avx512.inc"
