/*
 * FastLocalBloom in batches on AVX2 and AVX-512, beside the single lookups of
 * filters/inline/rocksdb_fastlocal.h. Included by rocksdb_fastlocal.c only, after its scalar loops.
 */
#if defined(__x86_64__)

/* ---- AVX2: a register per key ---- */

FB_AVX2_INLINE void offsets_avx2(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    fb_offsets_mul_avx2(f, digests, out, false, FB_FASTLOCAL_LINE_SHIFT);
}

FB_AVX2_INLINE size_t ask_some_avx2(const struct fb_filter *f, const uint64_t *digests,
                                    const uint64_t *offsets, uint8_t *maybe, bool few)
{
    __m256i pair[4];
    for (int i = 0; i < 8; i += 2)
        pair[i / 2] =
            _mm256_packs_epi32(fb_fastlocal_key_avx2(f, digests + i, offsets[i], few),
                               fb_fastlocal_key_avx2(f, digests + i + 1, offsets[i + 1], few));
    return fb_answers_avx2(pair, maybe);
}

FB_AVX2_INLINE size_t ask_avx2(const struct fb_filter *f, const uint64_t *digests,
                               const uint64_t *offsets, uint8_t *maybe)
{
    return f->geom.probes <= 8 ? ask_some_avx2(f, digests, offsets, maybe, true)
                               : ask_some_avx2(f, digests, offsets, maybe, false);
}

/* Words and masks eight at a time; merging them is left to the memory. */
FB_AVX2_INLINE void insert_avx2(struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    uint64_t *line = (uint64_t *)(void *)(f->bytes + offset);
    const __m256i one = _mm256_set1_epi64x(1);
    __m256i x = fb_fastlocal_probes(digest);
    for (uint32_t left = f->geom.probes;; left -= 8) {
        uint32_t word[8] __attribute__((aligned(32)));
        uint64_t mask[8] __attribute__((aligned(32)));
        __m256i at = _mm256_and_si256(_mm256_srli_epi32(x, 23), _mm256_set1_epi32(63));
        __m256i low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(at));
        __m256i high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(at, 1));
        _mm256_store_si256((__m256i *)word, _mm256_srli_epi32(x, 29));
        _mm256_store_si256((__m256i *)mask, _mm256_sllv_epi64(one, low));
        _mm256_store_si256((__m256i *)mask + 1, _mm256_sllv_epi64(one, high));
        for (uint32_t i = 0; i < left && i < 8; i++)
            line[word[i]] |= mask[i];
        if (left <= 8)
            break;
        x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int32_t)FB_FASTLOCAL_POWER8));
    }
}

#define FB_RING         avx2
#define FB_RING_ISA     FB_ISA_AVX2
#define FB_RING_TARGET  FB_AVX2
#define FB_RING_OFFSETS offsets_avx2
#define FB_RING_QUERY   fb_rocksdb_fastlocal_query_avx2
#define FB_RING_ASK     ask_avx2
#define FB_RING_INSERT  insert_avx2
#include "filters/simd/one_block_ring.inc"

/* ---- AVX-512: a register for two keys ---- */

FB_AVX512_INLINE __m512i offsets_avx512(const struct fb_filter *f, const uint64_t *digests)
{
    return fb_offsets_mul_avx512(f, digests, false, FB_FASTLOCAL_LINE_SHIFT);
}

/* Lanes 0..7 probe the first key's line, 8..15 the second's; one permutation over both lines
 * fetches all sixteen words. */
FB_AVX512_INLINE __mmask16 pair_misses(const uint8_t *first, const uint8_t *second, __m512i x,
                                       uint32_t n)
{
    const uint32_t lanes = fb_fastlocal_lanes_avx512(n);
    const __m512i table = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16);
    __m512i word = _mm512_or_si512(_mm512_srli_epi32(x, 28), table);
    __m512i words =
        _mm512_permutex2var_epi32(_mm512_load_si512(first), word, _mm512_load_si512(second));
    words = _mm512_rorv_epi32(words, _mm512_srli_epi32(x, 23)); /* by the low 5 bits of that */
    return _mm512_mask_testn_epi32_mask((__mmask16)(lanes | lanes << 8), words,
                                        _mm512_set1_epi32(1));
}

FB_AVX512_INLINE void some_misses(const struct fb_filter *f, const uint64_t *digests,
                                  const uint64_t *offsets, uint8_t *miss, bool few)
{
    const __m512i powers = _mm512_broadcast_i64x4(
        _mm256_load_si256((const __m256i *)(const void *)fb_fastlocal_powers));
    const __m512i keys = _mm512_loadu_si512(digests);
    const uint32_t k = f->geom.probes;
    for (int pair = 0; pair < 4; pair++) {
        /* The high halves of the digests, in eight lanes each. */
        __m512i spread = fb_pair_lanes_avx512(4 * pair + 1, 4 * pair + 3);
        __m512i x = _mm512_mullo_epi32(_mm512_permutexvar_epi32(spread, keys), powers);
        const uint8_t *first = f->bytes + offsets[2 * pair];
        const uint8_t *second = f->bytes + offsets[2 * pair + 1];
        __mmask16 missing = pair_misses(first, second, x, k);
        for (uint32_t done = 8; !few && done < k; done += 8) {
            x = _mm512_mullo_epi32(x, _mm512_set1_epi32((int32_t)FB_FASTLOCAL_POWER8));
            missing |= pair_misses(first, second, x, k - done);
        }
        fb_store_mask16(miss + 2 * pair, missing);
    }
}

FB_AVX512_INLINE void misses_avx512(const struct fb_filter *f, const uint64_t *digests,
                                    const uint64_t *offsets, uint8_t *miss)
{
    if (f->geom.probes <= 8)
        some_misses(f, digests, offsets, miss, true);
    else
        some_misses(f, digests, offsets, miss, false);
}

/* The line with bit `at` alone: a shift by more than 63 leaves nothing, so of the eight words only
 * the one that holds the bit keeps it. */
FB_AVX512_INLINE __m512i single_bit(uint64_t at)
{
    const __m512i start = _mm512_setr_epi64(0, -64, -128, -192, -256, -320, -384, -448);
    __m512i shift = _mm512_add_epi64(start, _mm512_set1_epi64((int64_t)at));
    return _mm512_sllv_epi64(_mm512_set1_epi64(1), shift);
}

/* Bits of up to eight probes in one register: the line is read and written once. The positions go
 * through memory, which broadcasts them for nothing. */
FB_AVX512_INLINE void insert_avx512(struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    const __m512i none = _mm512_set1_epi64(1024);
    uint8_t *line = f->bytes + offset;
    __m256i x = fb_fastlocal_probes(digest);
    __m512i bits = _mm512_load_si512(line);
    for (uint32_t left = f->geom.probes;; left -= 8) {
        const __mmask8 lanes = (__mmask8)fb_fastlocal_lanes_avx512(left);
        uint64_t at[8] __attribute__((aligned(64)));
        _mm512_store_si512(at, _mm512_mask_cvtepu32_epi64(none, lanes, _mm256_srli_epi32(x, 23)));
        fb_keep_in_memory(at);
        for (unsigned i = 0; i < 8; i += 2) {
            if (i < left)
                bits =
                    _mm512_ternarylogic_epi64(bits, single_bit(at[i]), single_bit(at[i + 1]), 0xFE);
        }
        if (left <= 8)
            break;
        x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int32_t)FB_FASTLOCAL_POWER8));
    }
    _mm512_store_si512(line, bits);
}

#define FB_RING         avx512
#define FB_RING_OFFSETS offsets_avx512
#define FB_RING_QUERY   fb_rocksdb_fastlocal_query_avx512
#define FB_RING_MISSES  misses_avx512
#define FB_RING_INSERT  insert_avx512
#include "filters/simd/one_block_avx512.inc"

#endif
