#include "harness/kind/claims/procedure/procedure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/core/rng.h"

const char *const fb_effort_texts[] = {"quick", "default", "full", NULL};

size_t fb_effort_processes(enum fb_effort effort)
{
    static const size_t most[] = {[FB_QUICK] = 8, [FB_DEFAULT] = 48, [FB_FULL] = 64};
    return most[effort];
}

void fb_bench_close(struct fb_bench *bench)
{
    bench->n_simulations = 0;
    fb_times_close(&bench->times);
}

uint64_t fb_bench_times_work(const struct fb_bench *bench, uint64_t n)
{
    return bench->work ? bench->work * n : n;
}

enum fb_err fb_bench_fail(struct fb_bench *bench, enum fb_err err, const char *format, ...)
{
    va_list list;
    if (!bench->err) {
        bench->err = err;
        va_start(list, format);
        vsnprintf(bench->why, sizeof bench->why, format, list);
        va_end(list);
    }
    return bench->err;
}

enum fb_err fb_bench_check(struct fb_bench *bench, enum fb_err err, const char *what,
                           const char *why)
{
    return err ? fb_bench_fail(bench, err, "%s: %s", what, why ? why : fb_err_text(err))
               : bench->err;
}

enum fb_err fb_bench_plan(struct fb_bench *bench, const struct fb_design *design, uint64_t n_keys,
                          struct fb_params *params, struct fb_geometry *geom)
{
    const char *why = NULL;
    if (bench->err)
        return bench->err;
    const enum fb_err err = fb_params_plan(design, n_keys, params, geom, &why);
    return fb_bench_check(bench, err, design->name, why);
}

void fb_bench_interrupt(struct fb_bench *bench)
{
    bench->interrupted = true;
    fb_bench_fail(bench, FB_EIO, "interrupted");
}

void *fb_bench_alloc(struct fb_bench *bench, size_t n, size_t size)
{
    void *memory = bench->err ? NULL : calloc(n + 1, size);
    fb_bench_check(bench, memory ? FB_OK : FB_ENOMEM, "a procedure", NULL);
    return memory;
}

struct fb_keyset fb_bench_keys(struct fb_bench *bench, const char *format, uint64_t stream,
                               uint64_t first, size_t n)
{
    struct fb_keyset set = {0};
    struct fb_keygen keygen;
    const char *why = NULL;
    uint64_t key = fb_stream_key(bench->root, FB_DOMAIN_KEYS, stream);
    enum fb_err err = fb_keygen_parse(format, &keygen, &why) ? FB_OK : FB_EINVAL;
    if (!err && !bench->err)
        err = fb_keyset_generate(&keygen, key, first, n, &set);
    fb_bench_check(bench, err, format, why);
    return set;
}

uint64_t fb_bench_ask(struct fb_bench *bench, const struct fb_filter *filter,
                      const struct fb_keys *keys)
{
    uint8_t *maybe = fb_bench_alloc(bench, keys->n, 1);
    size_t passed = 0;
    if (maybe)
        fb_bench_check(bench, fb_filter_query_keys(filter, keys, maybe, &passed),
                       filter->design->name, NULL);
    free(maybe);
    return passed;
}

void fb_bench_digests(struct fb_bench *bench, const struct fb_design *design, unsigned n_words,
                      uint64_t stream, uint64_t first, size_t n, uint64_t *digests)
{
    struct fb_keyset set = fb_bench_keys(bench, "random", stream, first, n);
    if (!bench->err)
        fb_bench_check(bench, fb_digest_keys(design, NULL, n_words, &set.keys, digests),
                       design->name, NULL);
    fb_keyset_close(&set);
}
