/*
 * The bench that procedures work at: settings of the run, random keys, and how a procedure fails.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_BENCH_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_BENCH_H

#include "filters/core/filter.h"
#include "workloads/core/keys.h"

enum fb_effort { FB_QUICK, FB_DEFAULT, FB_FULL };

struct fb_bench {
    enum fb_effort effort;
    unsigned threads; /* 0: all */
    uint64_t root;
    unsigned repeat;                /* 1: under the second root of a full run */
    bool interrupted;               /* the finding is not to be used */
    struct fb_measured_cell *cells; /* [n_cells] measured before (cell.c), owned */
    size_t n_cells;
    char why[200]; /* of the last failure */
};
void fb_bench_close(struct fb_bench *);

/* A failure with its reason; returns err. */
enum fb_err fb_bench_fail(struct fb_bench *, enum fb_err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Marks the bench as interrupted, and returns an error to leave the procedure with. */
enum fb_err fb_bench_interrupt(struct fb_bench *);

/* n random keys, numbered from `first`, of stream `stream` of the bench's root. */
enum fb_err fb_bench_keys(const struct fb_bench *, uint64_t stream, uint64_t first, size_t n,
                          struct fb_keyset *out) FB_MUST_USE;
/* Their digests by the design's own hash, digests [n * n_words]. */
enum fb_err fb_bench_digests(const struct fb_bench *, const struct fb_design *, unsigned n_words,
                             uint64_t stream, uint64_t first, size_t n,
                             uint64_t *digests) FB_MUST_USE;

#endif
