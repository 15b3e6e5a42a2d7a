/*
 * The bench that procedures work at: settings of the run, its keys, and the first failure.
 *
 * After a failure all functions that take the bench do nothing and give zeros. A procedure is
 * written straight through: what it finds is not used then, but it must not follow a pointer into
 * what it does not have.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_BENCH_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_BENCH_H

#include "filters/core/filter.h"
#include "harness/kind/claims/procedure/times.h"
#include "workloads/core/keys.h"

enum fb_effort { FB_QUICK, FB_DEFAULT, FB_FULL };

struct fb_bench {
    enum fb_effort effort;
    unsigned threads; /* 0: all */
    uint64_t root;
    unsigned repeat;                /* 1: under the second root of a full run */
    struct fb_measured_cell *cells; /* [n_cells] measured before (cell.c), owned */
    size_t n_cells;
    struct fb_times times; /* that rows have asked for */
    bool interrupted;      /* counts as a failure, but none to report */
    enum fb_err err;
    char why[200];
};
void fb_bench_close(struct fb_bench *);

/* A failure and its reason. The first one is kept, and its error returned. */
enum fb_err fb_bench_fail(struct fb_bench *, enum fb_err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for what a call returned, if that is an error: "what: why", or the error's own text
 * where why is NULL. */
enum fb_err fb_bench_check(struct fb_bench *, enum fb_err, const char *what, const char *why);
void fb_bench_interrupt(struct fb_bench *);

/* Zeroed memory for n things, which the caller frees. */
void *fb_bench_alloc(struct fb_bench *, size_t n, size_t size);

/* n keys of a format, numbered from `first`, of stream `stream` of the bench's root. */
struct fb_keyset fb_bench_keys(struct fb_bench *, const char *format, uint64_t stream,
                               uint64_t first, size_t n);
/* Digests of random ones by the design's own hash, digests [n * n_words]. */
void fb_bench_digests(struct fb_bench *, const struct fb_design *, unsigned n_words,
                      uint64_t stream, uint64_t first, size_t n, uint64_t *digests);

#endif
