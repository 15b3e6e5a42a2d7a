/*
 * counting: a Bloom filter of counters of four bits, so that keys can be taken out again.
 *
 *     block: k u32, 1..30 | 0 u32 | counters u64 | keys u64 | counters, two a byte, the first in
 *            the low half
 *     h = XXH64(key, 0); counter_i = floor(mix(h + i * 9E3779B97F4A7C15) counters / 2^64), i < k,
 *     mix the finalizer of MurmurHash3
 *     counters = floor(n bits_per_key / 4), k = ceil(0.693 bits_per_key / 4) clamped to 1..30
 *
 * Source: Fan, Cao, Almeida, Broder, "Summary Cache", 2000; the format is filterbench's own. A key
 * adds one to each of its k counters, and one for each time where two of the k fall on one. 15 is
 * kept for good: nobody knows how many keys a counter of 15 has, so that it is neither added to nor
 * taken from, and no key is ever denied. A key is found if none of its counters is 0; one that was
 * never added, but is found, takes others with it.
 * Cost: four times the memory of a classic filter, whose rate it has.
 */
#include "filters/core/scattered.h"
#include "filters/simd/prefetch.h"

enum { STICKY = 15, COUNTER_BITS = 4, HEADER = 24 };

/* Of m counters. */
static void geometry(uint64_t m, uint32_t probes, struct fb_geometry *out)
{
    out->n_bits = m * COUNTER_BITS;
    out->n_bytes = fb_divide_up(m, 2);
    out->probes = probes;
}

static uint64_t counters_of(const struct fb_geometry *geom)
{
    return geom->n_bits / COUNTER_BITS;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *out,
                        const char **why)
{
    struct fb_params classic = *params;
    classic.bits_per_key /= COUNTER_BITS;
    enum fb_err err = fb_document_plan(&classic, n_keys, out, why);
    if (!err)
        geometry(out->n_bits, out->probes ? out->probes : 1, out);
    return err;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_bloom_fpr(n_keys, counters_of(geom), geom->probes);
}

static inline uint64_t place(const struct fb_filter *f, uint64_t digest, uint32_t i)
{
    return fb_mulhi64(fb_mix64(digest + i * UINT64_C(0x9E3779B97F4A7C15)), counters_of(&f->geom));
}

static inline unsigned count_at(const struct fb_filter *f, uint64_t at)
{
    return f->bytes[at >> 1] >> (at & 1) * COUNTER_BITS & STICKY;
}

/* by is 1 or -1; the count stays from 0 to 15. */
static inline void step(struct fb_filter *f, uint64_t at, int by)
{
    f->bytes[at >> 1] = (uint8_t)(f->bytes[at >> 1] + by * (1 << (at & 1) * COUNTER_BITS));
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    for (uint32_t i = 0; i < f->geom.probes; i++)
        if (!count_at(f, place(f, *digest, i)))
            return false;
    return true;
}

static inline void insert(struct fb_filter *f, const uint64_t *digest)
{
    for (uint32_t i = 0; i < f->geom.probes; i++) {
        const uint64_t at = place(f, *digest, i);
        if (count_at(f, at) < STICKY)
            step(f, at, 1);
    }
}

static inline bool remove_one(struct fb_filter *f, const uint64_t *digest)
{
    if (!probe(f, digest))
        return false;
    for (uint32_t i = 0; i < f->geom.probes; i++) {
        const uint64_t at = place(f, *digest, i);
        const unsigned count = count_at(f, at);
        if (count > 0 && count < STICKY)
            step(f, at, -1);
    }
    return true;
}

#define FB_LOOPS_LINE(f, digest) (place(f, *(digest), 0) >> 1)

#define FB_LOOPS        scalar
#define FB_LOOPS_ISA    FB_ISA_SCALAR
#define FB_LOOPS_WORDS  1
#define FB_LOOPS_REMOVE remove_one
#include "filters/core/loops.inc"

/* The line of a key's first counter is on its way `ahead` keys before; of an insert the lines of
 * all its counters are. */
__attribute__((always_inline)) static inline size_t ask_ahead(const struct fb_filter *f,
                                                              const uint64_t *digests, size_t n,
                                                              uint8_t *maybe, size_t ahead,
                                                              enum fb_hint hint)
{
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + ahead < n)
            fb_prefetch(f->bytes + (place(f, digests[i + ahead], 0) >> 1), hint);
        hits += maybe[i] = probe(f, digests + i);
    }
    return hits;
}

static size_t ahead_query_batch(const struct fb_filter *f, const uint64_t *digests, size_t n,
                                uint8_t *maybe)
{
    const struct fb_prefetch how = fb_prefetch_of(FB_TUNED_QUERY, FB_TUNED_SCATTERED, f);
#define ASK(ahead, hint) ask_ahead(f, digests, n, maybe, ahead, hint)
    return how.hint == FB_HINT_NONE ? scalar_query_batch(f, digests, n, maybe)
                                    : FB_PER_HINT(how, ASK);
#undef ASK
}

__attribute__((always_inline)) static inline size_t
add_ahead(struct fb_filter *f, const uint64_t *digests, size_t n, size_t ahead, enum fb_hint hint)
{
    for (size_t i = 0; i < n; i++) {
        for (uint32_t t = 0; i + ahead < n && t < f->geom.probes; t++)
            fb_prefetch(f->bytes + (place(f, digests[i + ahead], t) >> 1), hint);
        insert(f, digests + i);
    }
    return n;
}

static size_t ahead_add_batch(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    const struct fb_prefetch how = fb_prefetch_of(FB_TUNED_INSERT, FB_TUNED_SCATTERED, f);
/* Look-ahead is of bits; a key is taken for eight of them. */
#define ADD(ahead, hint) add_ahead(f, digests, n, (ahead) / 8, hint)
    return how.hint == FB_HINT_NONE ? scalar_add_batch(f, digests, n) : FB_PER_WRITE_HINT(how, ADD);
#undef ADD
}

#define FB_LOOPS        ahead
#define FB_LOOPS_ISA    FB_ISA_SCALAR
#define FB_LOOPS_WORDS  1
#define FB_LOOPS_STYLE  "ahead"
#define FB_LOOPS_REMOVE remove_one
#define FB_LOOPS_BATCHED
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, &ahead_kernel, NULL};

static uint64_t block_size(const struct fb_filter *f)
{
    return HEADER + f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    fb_put_le32(block, f->geom.probes);
    fb_put_le32(block + 4, 0);
    fb_put_le64(block + 8, counters_of(&f->geom));
    fb_put_le64(block + 16, f->n_keys);
    memcpy(block + HEADER, f->bytes, f->geom.n_bytes);
}

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    if (len < HEADER)
        return fb_corrupt(why, "shorter than its 24-byte header");
    const uint32_t k = fb_le32(block);
    const uint64_t m = fb_le64(block + 8);
    if (k < 1 || k > FB_DOCUMENT_MAX_PROBES || fb_le32(block + 4))
        return fb_corrupt(why, "k is outside 1..30, or not followed by 0");
    if (fb_divide_up(m, 2) != len - HEADER)
        return fb_corrupt(why, "the number of counters does not match the length of the block");
    struct fb_geometry geom = {.digest_words = 1};
    geometry(m, k, &geom);
    geom.range = fb_divisor_of(geom.n_bits);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err) {
        memcpy(out->bytes, block + HEADER, geom.n_bytes);
        out->n_keys = fb_le64(block + 16);
    }
    return err;
}

static const struct fb_format formats[] = {
    {"counters", "k u32, 0 u32, counters u64, keys u64, then the counters, two a byte", block_size,
     block_write, block_read},
    {0},
};

const struct fb_design fb_design_counting = {
    .name = "counting",
    .summary = "Bloom filter of counters of four bits: keys can be taken out again",
    .source = "Fan, Cao, Almeida, Broder, Summary Cache, 2000",
    .caveat = "four times a classic filter's memory; a counter of 15 keeps its keys for good",
    .traits = FB_SIZES_BY_BITS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .formats = formats,
    .kernels = kernels,
};
