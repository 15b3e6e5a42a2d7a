#include "harness/kind/claims/procedure/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/core/rng.h"

void fb_bench_close(struct fb_bench *bench)
{
    free(bench->cells);
    bench->cells = NULL;
    bench->n_cells = 0;
}

enum fb_err fb_bench_fail(struct fb_bench *bench, enum fb_err err, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(bench->why, sizeof bench->why, format, list);
    va_end(list);
    return err;
}

enum fb_err fb_bench_interrupt(struct fb_bench *bench)
{
    bench->interrupted = true;
    return FB_EIO;
}

enum fb_err fb_bench_keys(const struct fb_bench *bench, uint64_t stream, uint64_t first, size_t n,
                          struct fb_keyset *out)
{
    return fb_keyset_generate(fb_keygen_find("random"),
                              fb_stream_key(bench->root, FB_DOMAIN_KEYS, stream), first, n, out);
}

enum fb_err fb_bench_digests(const struct fb_bench *bench, const struct fb_design *design,
                             unsigned n_words, uint64_t stream, uint64_t first, size_t n,
                             uint64_t *digests)
{
    struct fb_keyset set = {0};
    enum fb_err err = fb_bench_keys(bench, stream, first, n, &set);
    if (!err)
        err = fb_digest_keys(design, NULL, n_words, &set.keys, digests);
    fb_keyset_close(&set);
    return err;
}
