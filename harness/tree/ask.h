/*
 * Queries of a stream, asked of the filters of a tree: which queries, and which filters they meet.
 */
#ifndef FILTERBENCH_HARNESS_TREE_ASK_H
#define FILTERBENCH_HARNESS_TREE_ASK_H

#include "harness/tree/forest.h"
#include "workloads/core/queries.h"

struct fb_answers; /* answers.h */

/* Queries first .. first + n - 1. */
struct fb_ask {
    const struct fb_forest *forest;
    const struct fb_queries *queries; /* on the forest's tree */
    const struct fb_answers *answers; /* of these queries, where the filters have passed; NULL: they
                                         stand */
    uint64_t first, n;
    unsigned n_threads;           /* 0: all */
    struct fb_progress *progress; /* counts queries; NULL: nobody looks */
};

/* The filter of one run that is asked for the key of an index, present or not. NULL: the key lies
 * outside the range of every segment, or the run is a memtable. */
static inline const struct fb_filter *fb_ask_filter(const struct fb_forest *forest, size_t run,
                                                    uint64_t index)
{
    const struct fb_run *r = forest->tree->runs + run;
    size_t unit;
    return !r->memtable && fb_run_unit(r, index, &unit) ? forest->filters + r->first_unit + unit
                                                        : NULL;
}

#endif
