/*
 * exact: the digests themselves, sorted. The oracle.
 *
 *     block: n digests u64 little-endian, ascending
 *     XXH64(key, 0); a key is present if its digest is found by binary search
 *
 * A control: it errs only where two keys have the same 64-bit hash, n / 2^64, and so tells a
 * design's false positives from a fault of the harness. Repeated keys are kept. Bits per key or a
 * rate are accepted and ignored. Cost: 64 bits per key and log2(n) dependent reads.
 */
#include <stdlib.h>

#include "filters/core/scattered.h"

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    (void)params, (void)why;
    geom->n_bytes = n_keys * 8;
    geom->n_bits = n_keys * 64;
    return FB_OK;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom;
    return fb_hash_collision(n_keys, 64);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = fb_le64(a), y = fb_le64(b);
    return (x > y) - (x < y);
}

/* Holds the keys that came, however many were expected (params.capacity). */
static enum fb_err build(struct fb_build *b, struct fb_filter *out)
{
    free(out->bytes);
    out->bytes = fb_alloc_lines(b->n * UINT64_C(8));
    if (!out->bytes)
        return FB_ENOMEM;
    if (b->n > 0) {
        qsort(b->digests, b->n, sizeof *b->digests, by_value);
        memcpy(out->bytes, b->digests, b->n * sizeof *b->digests);
    }
    out->geom.n_bytes = b->n * UINT64_C(8);
    out->geom.n_bits = b->n * UINT64_C(64);
    return FB_OK;
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const uint8_t *first = f->bytes;
    uint64_t n = f->geom.n_bytes / 8;
    if (n == 0)
        return false;
    while (n > 1) { /* the last digest not above the wanted one lies in first[0, n), if anywhere */
        uint64_t half = n / 2;
        first += fb_le64(first + half * 8) <= *digest ? half * 8 : 0;
        n -= half;
    }
    return fb_le64(first) == *digest;
}

#define FB_LOOPS_LINE(f, digest) ((void)(digest), (f)->geom.n_bytes / 16 * 8)

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 1
#define FB_LOOPS_STATIC
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

static uint64_t block_size(const struct fb_filter *f)
{
    return f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    memcpy(block, f->bytes, f->geom.n_bytes);
}

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    if (len % 8)
        return fb_corrupt(why, "the length is not a multiple of 8");
    for (size_t i = 8; i < len; i += 8)
        if (fb_le64(block + i - 8) > fb_le64(block + i))
            return fb_corrupt(why, "the digests are not in ascending order");
    enum fb_err err = fb_scattered_load(design, len * UINT64_C(8), 0, block, out);
    out->n_keys = len / 8;
    return err;
}

static const struct fb_format formats[] = {
    {"exact", "the sorted digests", block_size, block_write, block_read},
    {0},
};

const struct fb_design fb_design_exact = {
    .name = "exact",
    .summary = "control: sorted 64-bit digests, no false positives below 1e9 keys",
    .source = "filters/exact.c",
    .caveat = "64 bits per key",
    .traits = FB_CONTROL | FB_FIXED_PROBES | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .formats = formats,
    .kernels = kernels,
    .build = build,
};
