/*
 * What the filters of a tree answer to queries, noted while they pass (forest.h): a bit for each
 * query and run. A walk takes it for the filter's answer, so it counts what it would count if all
 * filters stood.
 */
#ifndef FILTERBENCH_HARNESS_TREE_ANSWERS_H
#define FILTERBENCH_HARNESS_TREE_ANSWERS_H

#include "harness/tree/forest.h"
#include "workloads/core/queries.h"

/* Of queries 0 .. n - 1; once noted, const. */
struct fb_answers {
    const struct fb_queries *queries; /* borrowed */
    uint64_t n;
    size_t n_runs;
    unsigned n_threads; /* 0: all */
    uint64_t n_windows; /* noted so far */
    uint64_t *bits;     /* [ceil(n * n_runs / 64)] query by query, owned */
};

uint64_t fb_answers_bytes(uint64_t n_queries, size_t n_runs);
enum fb_err fb_answers_open(const struct fb_queries *, uint64_t n, unsigned n_threads,
                            struct fb_answers *out) FB_MUST_USE;
void fb_answers_close(struct fb_answers *); /* a zeroed one is accepted */

/* `visit` of a forest, for struct fb_answers: asks units first .. end - 1 for every query whose key
 * lies in them. */
enum fb_err fb_answers_note(void *answers, const struct fb_forest *, size_t first, size_t end,
                            bool *complete) FB_MUST_USE;

/* Whether the filter of a run has told that it may have the key of a query. */
static inline bool fb_answers_maybe(const struct fb_answers *a, uint64_t query, size_t run)
{
    const uint64_t bit = query * a->n_runs + run;
    return a->bits[bit / 64] >> bit % 64 & 1;
}

#endif
