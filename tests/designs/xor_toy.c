/*
 * xor-toy: a static design whose build may fail and is tried again with another seed.
 *
 *     block: seed u64 | segment u32 | 3 * segment bytes
 *     h = mix(digest + seed); one byte of each third: floor(a third of h's bits * segment / 2^32)
 *     a key is present if the three bytes xor to its fingerprint, a byte of h
 *
 * Graf and Lemire, "Xor Filters" (2020). A false positive in 256; 9.84 bits per key and some 32
 * bytes. The build peels keys that are alone in a byte, until none are left; where a core remains,
 * another seed tries.
 */
#include <stdlib.h>

#include "filters/core/scattered.h"

enum { SEED, SEGMENT, HEADER = 12 }; /* own words; bytes of a block before the bits */

static uint64_t hash_of(const struct fb_geometry *geom, uint64_t digest)
{
    return fb_mix64(digest + geom->own[SEED]);
}

static uint64_t place(const struct fb_geometry *geom, uint64_t h, unsigned third)
{
    uint32_t segment = (uint32_t)geom->own[SEGMENT];
    return third * (uint64_t)segment + fb_mulhi32(fb_lo32(fb_rotl64(h, 21 * third)), segment);
}

static uint8_t fingerprint(uint64_t h)
{
    return (uint8_t)(h ^ h >> 32);
}

static void settle(struct fb_geometry *geom, uint64_t seed, uint64_t segment)
{
    geom->own[SEED] = seed;
    geom->own[SEGMENT] = segment;
    geom->n_bytes = 3 * segment;
    geom->n_bits = 8 * geom->n_bytes;
    geom->probes = 3;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    const double bytes = params->bits_per_key / 8 * (double)n_keys + 32;
    if (params->bits_per_key < 9.84 || bytes > 0x1p32) {
        *why = "a xor filter takes 9.84 bits per key and more, and at most 2^32 bytes";
        return FB_EINVAL;
    }
    settle(geom, 0, (uint64_t)(bytes / 3) + 1);
    return FB_OK;
}

static bool retry(struct fb_geometry *geom, unsigned attempt)
{
    geom->own[SEED] = fb_mix64(attempt);
    return attempt < 64;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 1.0 / 256;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = fb_le64(a), y = fb_le64(b);
    return (x > y) - (x < y);
}

/* A repeated key would be in three places twice, and never alone. */
static size_t drop_repeats(uint64_t *digests, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(digests, n, sizeof *digests, by_value);
    for (size_t i = 0; i < n; i++)
        if (!i || digests[i] != digests[i - 1])
            digests[kept++] = digests[i];
    return kept;
}

struct slot {
    uint64_t sum, keys; /* xor of the hashes that have the place, and how many */
};
struct peeled {
    uint64_t h, at;
};

/* Takes keys away that are alone in a place, and then those that are alone without them; returns
 * how many. waiting [n_bytes]: places found with one key. */
static size_t peel(const struct fb_geometry *geom, struct slot *slots, uint32_t *waiting,
                   struct peeled *order)
{
    size_t n = 0, n_waiting = 0;
    for (uint64_t at = 0; at < geom->n_bytes; at++)
        if (slots[at].keys == 1)
            waiting[n_waiting++] = (uint32_t)at;
    while (n_waiting) {
        const uint64_t at = waiting[--n_waiting], h = slots[at].sum;
        if (slots[at].keys != 1)
            continue;
        order[n++] = (struct peeled){h, at};
        for (unsigned third = 0; third < 3; third++) {
            struct slot *s = slots + place(geom, h, third);
            s->sum ^= h;
            if (--s->keys == 1)
                waiting[n_waiting++] = (uint32_t)(s - slots);
        }
    }
    return n;
}

static enum fb_err build(struct fb_build *b, struct fb_filter *out)
{
    const struct fb_geometry *geom = &out->geom;
    b->n = drop_repeats(b->digests, b->n);
    const uint64_t slots_bytes = geom->n_bytes * sizeof(struct slot);
    const uint64_t waiting_bytes = geom->n_bytes * sizeof(uint32_t);
    const uint64_t order_bytes = b->n * sizeof(struct peeled);
    struct slot *slots = fb_heap_take_zeroed(b->heap, slots_bytes);
    uint32_t *waiting = fb_heap_take(b->heap, waiting_bytes);
    struct peeled *order = fb_heap_take(b->heap, order_bytes);
    enum fb_err err = slots && waiting && order ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; !err && i < b->n; i++)
        for (unsigned third = 0; third < 3; third++) {
            const uint64_t h = hash_of(geom, b->digests[i]);
            struct slot *s = slots + place(geom, h, third);
            s->sum ^= h;
            s->keys++;
        }
    b->placed = err ? 0 : peel(geom, slots, waiting, order);
    if (!err && b->placed < b->n)
        err = FB_EFULL;
    for (size_t i = b->placed; !err && i-- > 0;) {
        uint8_t byte = fingerprint(order[i].h);
        for (unsigned third = 0; third < 3; third++)
            byte ^= out->bytes[place(geom, order[i].h, third)];
        out->bytes[order[i].at] = byte;
    }
    fb_heap_give(b->heap, slots, slots_bytes);
    fb_heap_give(b->heap, waiting, waiting_bytes);
    fb_heap_give(b->heap, order, order_bytes);
    return err;
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const uint64_t h = hash_of(&f->geom, *digest);
    return (f->bytes[place(&f->geom, h, 0)] ^ f->bytes[place(&f->geom, h, 1)] ^
            f->bytes[place(&f->geom, h, 2)]) == fingerprint(h);
}

#define FB_LOOPS_LINE(f, digest) place(&(f)->geom, hash_of(&(f)->geom, *(digest)), 0)

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 1
#define FB_LOOPS_STYLE "branch-free"
#define FB_LOOPS_STATIC
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

static uint64_t block_size(const struct fb_filter *f)
{
    return HEADER + f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    fb_put_le64(block, f->geom.own[SEED]);
    fb_put_le32(block + 8, (uint32_t)f->geom.own[SEGMENT]);
    memcpy(block + HEADER, f->bytes, f->geom.n_bytes);
}

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    struct fb_geometry geom = {.digest_words = 1};
    if (len < HEADER + 3 || (len - HEADER) % 3 || fb_le32(block + 8) != (len - HEADER) / 3)
        return fb_corrupt(why, "not a seed, a segment's length and three segments");
    settle(&geom, fb_le64(block), fb_le32(block + 8));
    geom.range = fb_divisor_of(geom.n_bits);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, block + HEADER, geom.n_bytes);
    return err;
}

static const struct fb_format formats[] = {
    {"xor", "seed, segment's length, bytes", block_size, block_write, block_read},
    {0},
};

static const char *const own[] = {"seed", "segment", NULL};

const struct fb_design fb_design_xor_toy = {
    .name = "xor-toy",
    .summary = "static: three bytes that xor to a fingerprint",
    .source = "Graf and Lemire, Xor Filters, 2020",
    .traits = FB_SIZES_BY_BITS | FB_FIXED_PROBES | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .build = build,
    .retry = retry,
    .when_full = "keys that share their places with one another: another seed, up to 64 times",
    .own = own,
    .formats = formats,
    .kernels = kernels,
};
