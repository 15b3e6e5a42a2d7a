/*
 * bloom-independent: the textbook, k independent hashes.
 *
 *     block: num_bits u64 | num_hashes u32 | bits_per_key u32 | bits, LSB first
 *     bit_i = XXH64(key, seed i) mod m, i < k
 *     m = n * bits_per_key, k = ceil(0.693 bits_per_key) clamped to 1..30
 *
 * Source: Bloom 1970; no storage engine does this. The header is that of the nori document, so that
 * nothing but the probes differs from nori. Exactly the false-positive rate of the formula.
 * Cost: k hashes per key, where the others compute one or two.
 */
#include "filters/core/scattered.h"
#include "filters/inline/walk.h"
#include "filters/simd/column_steps.h"

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    for (unsigned i = 0; i < n_words; i++)
        words[i] = fb_xxh64(key, len, i);
}

static inline struct fb_walk start(const struct fb_filter *f, const uint64_t *digest)
{
    (void)f, (void)digest;
    return (struct fb_walk){0, 0};
}

static inline uint64_t position(const struct fb_filter *f, struct fb_walk w, const uint64_t *digest,
                                uint32_t t)
{
    (void)w;
    return fb_mod(digest[t], f->geom.range);
}

static inline struct fb_walk next(const struct fb_filter *f, struct fb_walk w, uint32_t t)
{
    (void)f, (void)t;
    return w;
}

#if defined(__x86_64__)

/* The state of a key is the index of its first word. */
FB_AVX512_INLINE struct fb_column start_x8(const struct fb_filter *f, const uint64_t *digests,
                                           size_t i)
{
    (void)digests;
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    __m512i key = _mm512_add_epi64(_mm512_set1_epi64((int64_t)i), lanes);
    return (struct fb_column){_mm512_mullo_epi64(key, _mm512_set1_epi64(f->geom.probes)), key};
}

FB_AVX512_INLINE __m512i position_x8(const struct fb_filter *f, struct fb_column state,
                                     const uint64_t *digests, uint32_t t)
{
    return fb_mod_x8(fb_load_x8(digests + t, state.h), f->geom.range);
}

FB_AVX512_INLINE struct fb_column next_x8(const struct fb_filter *f, struct fb_column state,
                                          uint32_t t)
{
    (void)f, (void)t;
    return state;
}

FB_AVX512_INLINE __m512i word_x8(const struct fb_filter *f, const uint64_t *digests, size_t i)
{
    return fb_mod_x8(_mm512_loadu_si512(digests + i), f->geom.range);
}

#endif

#define FB_WALK_WORDS      f->geom.probes
#define FB_WALK_START      start
#define FB_WALK_POSITION   position
#define FB_WALK_NEXT       next
#define FB_COLUMN_WORDS    1
#define FB_COLUMN_START    start_x8
#define FB_COLUMN_POSITION position_x8
#define FB_COLUMN_NEXT     next_x8
#define FB_COLUMN_WORD     word_x8
#include "filters/core/internal/scattered.inc"

const struct fb_design fb_design_bloom_independent = {
    .name = "bloom-independent",
    .summary = "classic Bloom with k independent hashes, the textbook baseline",
    .source = "Bloom, Space/Time Trade-offs in Hash Coding, CACM 1970",
    .caveat = "k hashes per key",
    .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seeds 0 to k - 1",
    .digest_words = 0,
    .digest = digest,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = fb_document_plan,
    .fpr = fb_scattered_fpr,
    .formats = fb_document_formats,
    .kernels = kernels,
};
