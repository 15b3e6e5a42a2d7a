/*
 * bloom-64: register-blocked, all bits of a key in one word of 64.
 *
 *     block: k u32, 1..10 | words u32 | words of 64 bits, little-endian
 *     h = XXH64(key, 0); word = floor(hi(h) words / 2^32)
 *     bit_i = bits 58 - 6 i .. 63 - 6 i of y, y = h * 9E3779B97F4A7C15 mod 2^64, i < k
 *     words = ceil(n bits_per_key / 64), at least 1; k from a table
 *
 * Source: Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", 2007, with
 * blocks of one register; the format is filterbench's own. The product is a bijection, so that y is
 * uniform and its groups of six bits are independent; a word fixes only the top of h.
 * Cost: one load and one comparison a key, and uneven words: 1.8 % at 10 bits/key where a classic
 * filter has 0.8 %.
 */
#include "filters/core/split_block.h"
#include "filters/simd/avx2.h"
#include "filters/simd/avx512.h"
#include "filters/simd/neon.h"
#include "filters/simd/prefetch.h"

enum { WORD_BITS = 64, WORD_BYTES = 8, WORD_SHIFT = 3, MOST_PROBES = 10, HEADER = 8 };

#define FACTOR UINT64_C(0x9E3779B97F4A7C15) /* 2^64 / golden ratio */

/* The k of the lowest fb_blocked_fpr_limit(bits, 64, k): above up_to[i] bits per key, i + 2. */
static uint32_t probes_for(double bits_per_key)
{
    static const double up_to[] = {2.2, 3.9, 5.9, 8.6, 12.4, 17.9, 26.3, 39.4, 60.7};
    uint32_t k = 1;
    while (k < MOST_PROBES && bits_per_key > up_to[k - 1])
        k++;
    return k;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *out,
                        const char **why)
{
    if (params->probes > MOST_PROBES) {
        *why = "a product has room for at most 10 probes";
        return FB_EINVAL;
    }
    enum fb_err err = fb_split_block_plan(params, n_keys, WORD_BITS, out, why);
    out->probes = params->probes ? params->probes : probes_for(params->bits_per_key);
    return err;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_blocked_fpr(n_keys, geom->n_blocks, WORD_BITS, geom->probes);
}

static inline uint64_t offset_of(const struct fb_filter *f, uint64_t digest)
{
    return (uint64_t)fb_mulhi32(fb_hi32(digest), (uint32_t)f->geom.n_blocks) << WORD_SHIFT;
}

static inline uint64_t mask_of(const struct fb_filter *f, uint64_t digest)
{
    uint64_t mask = 0, y = digest * FACTOR;
    for (uint32_t i = 0; i < f->geom.probes; i++, y <<= 6)
        mask |= UINT64_C(1) << (y >> 58);
    return mask;
}

static inline bool query_at(const struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    return (mask_of(f, *digest) & ~fb_le64(f->bytes + offset)) == 0;
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    return query_at(f, digest, offset_of(f, *digest));
}

static inline void insert_at(struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    *(uint64_t *)(void *)(f->bytes + offset) |= mask_of(f, *digest);
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    insert_at(f, digest, offset_of(f, *digest));
}

#define FB_LOOPS_LINE(f, digest) offset_of(f, *(digest))

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 1
#define FB_LOOPS_STYLE "branch-free"
#include "filters/core/loops.inc"

#if defined(__x86_64__)

FB_AVX2_INLINE void offsets_avx2(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    fb_offsets_mul_avx2(f, digests, out, true, WORD_SHIFT);
}

/* A bit for each of four keys that may be present. */
FB_AVX2_INLINE unsigned four_avx2(const struct fb_filter *f, const uint64_t *digests,
                                  const uint64_t *offsets)
{
    const __m256i one = _mm256_set1_epi64x(1);
    const uint8_t *b = f->bytes;
    __m256i mask = _mm256_setzero_si256();
    __m256i y = _mm256_setr_epi64x((int64_t)(digests[0] * FACTOR), (int64_t)(digests[1] * FACTOR),
                                   (int64_t)(digests[2] * FACTOR), (int64_t)(digests[3] * FACTOR));
    __m256i words =
        _mm256_setr_epi64x((int64_t)fb_le64(b + offsets[0]), (int64_t)fb_le64(b + offsets[1]),
                           (int64_t)fb_le64(b + offsets[2]), (int64_t)fb_le64(b + offsets[3]));
    for (uint32_t i = 0; i < f->geom.probes; i++, y = _mm256_slli_epi64(y, 6))
        mask = _mm256_or_si256(mask, _mm256_sllv_epi64(one, _mm256_srli_epi64(y, 58)));
    __m256i missing = _mm256_andnot_si256(words, mask);
    __m256i yes = _mm256_cmpeq_epi64(missing, _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(yes));
}

FB_AVX2_INLINE size_t ask_avx2(const struct fb_filter *f, const uint64_t *digests,
                               const uint64_t *offsets, uint8_t *maybe)
{
    unsigned yes = four_avx2(f, digests, offsets) | four_avx2(f, digests + 4, offsets + 4) << 4;
    fb_put_le64(maybe, _pdep_u64(yes, UINT64_C(0x0101010101010101)));
    return (size_t)__builtin_popcount(yes);
}

#define FB_RING         avx2
#define FB_RING_ISA     FB_ISA_AVX2
#define FB_RING_TARGET  FB_AVX2
#define FB_RING_OFFSETS offsets_avx2
#define FB_RING_QUERY   probe
#define FB_RING_ASK     ask_avx2
#define FB_RING_INSERT  insert_at
#include "filters/simd/one_block_ring.inc"

FB_AVX512_INLINE __m512i offsets_avx512(const struct fb_filter *f, const uint64_t *digests)
{
    return fb_offsets_mul_avx512(f, digests, true, WORD_SHIFT);
}

FB_AVX512_INLINE void misses_avx512(const struct fb_filter *f, const uint64_t *digests,
                                    const uint64_t *offsets, uint8_t *miss)
{
    const __m512i one = _mm512_set1_epi64(1);
    const uint8_t *b = f->bytes;
    __m512i mask = _mm512_setzero_si512();
    __m512i y = _mm512_mullo_epi64(_mm512_loadu_si512(digests), _mm512_set1_epi64((int64_t)FACTOR));
    __m512i words =
        _mm512_setr_epi64((int64_t)fb_le64(b + offsets[0]), (int64_t)fb_le64(b + offsets[1]),
                          (int64_t)fb_le64(b + offsets[2]), (int64_t)fb_le64(b + offsets[3]),
                          (int64_t)fb_le64(b + offsets[4]), (int64_t)fb_le64(b + offsets[5]),
                          (int64_t)fb_le64(b + offsets[6]), (int64_t)fb_le64(b + offsets[7]));
    for (uint32_t i = 0; i < f->geom.probes; i++, y = _mm512_slli_epi64(y, 6))
        mask = _mm512_or_si512(mask, _mm512_sllv_epi64(one, _mm512_srli_epi64(y, 58)));
    __m512i missing = _mm512_andnot_si512(words, mask);
    __mmask8 no = _mm512_test_epi64_mask(missing, missing);
    _mm_storel_epi64((__m128i *)(void *)miss, _mm_maskz_set1_epi8(no, 1));
}

#define FB_RING         avx512
#define FB_RING_OFFSETS offsets_avx512
#define FB_RING_QUERY   probe
#define FB_RING_MISSES  misses_avx512
#define FB_RING_INSERT  insert_at
#include "filters/simd/one_block_avx512.inc"

#elif defined(__aarch64__)

static inline void offsets_neon(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    fb_offsets_mul_neon(f, digests, out, true, WORD_SHIFT);
}

#define FB_RING     neon
#define FB_RING_ISA FB_ISA_NEON
#define FB_RING_TARGET
#define FB_RING_OFFSETS offsets_neon
#define FB_RING_QUERY   probe
#define FB_RING_AT      query_at
#define FB_RING_INSERT  insert_at
#include "filters/simd/one_block_ring.inc"

#endif

static const struct fb_kernel *const kernels[] = {
    &scalar_kernel,
    FB_IF_NEON(&neon_kernel, ) FB_IF_AVX2(&avx2_kernel, ) FB_IF_AVX512(&avx512_kernel, ) NULL};

static uint64_t block_size(const struct fb_filter *f)
{
    return HEADER + f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    fb_put_le32(block, f->geom.probes);
    fb_put_le32(block + 4, (uint32_t)f->geom.n_blocks);
    memcpy(block + HEADER, f->bytes, f->geom.n_bytes);
}

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    const uint32_t k = len < HEADER ? 0 : fb_le32(block);
    if (k < 1 || k > MOST_PROBES || fb_le32(block + 4) != (len - HEADER) / WORD_BYTES) {
        *why = "no k of 1 to 10, or a number of words that is not the block's";
        return FB_ECORRUPT;
    }
    enum fb_err err =
        fb_split_block_read(design, WORD_BITS, block + HEADER, len - HEADER, out, why);
    if (!err)
        out->geom.probes = k;
    return err;
}

static const struct fb_format formats[] = {
    {"words", "k u32, words u32, then the words", block_size, block_write, block_read},
    {0},
};

const struct fb_design fb_design_bloom_64 = {
    .name = "bloom-64",
    .summary = "register-blocked Bloom: all bits of a key in one word of 64",
    .source = "Putze, Sanders, Singler, Cache-, Hash- and Space-Efficient Bloom Filters, 2007",
    .caveat = "uneven words: twice the classic rate at 10 bits/key, far above it at low rates",
    .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_single,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .formats = formats,
    .kernels = kernels,
};
