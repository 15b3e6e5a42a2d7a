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

/* What someone finds who knows the hash of the filters: absent keys that pass them (adversary.c).
 * Tries absent keys one after another, at most 2^24 of them, and writes the indices of those that
 * pass some filter to found [most]; *n_found says how many. Looks no further once interrupted
 * (harness/base/parallel.h). */
enum fb_err fb_adversary_find(const struct fb_forest *, size_t most, uint64_t *found,
                              size_t *n_found) FB_MUST_USE;

/*
 * ---- Before any filter is asked (reach.c) ----
 *
 * How many of the keys lie in the range of a run, by the bounds of its segments alone. Theory takes
 * it from here, so that a walk that prunes wrongly disagrees with it.
 */

enum { FB_REACH_QUERIES = 1 << 16 }; /* looked at, of more */

/*
 * in_range [n_runs]: of the queries 0 .. n - 1 that come to a run and do not end there, the share
 * whose key lies between the first and the last key of one of the run's segments. NaN: no query
 * does, or the run is a memtable. Of more than FB_REACH_QUERIES queries as many, evenly spread.
 */
enum fb_err fb_reach(const struct fb_queries *, uint64_t n, double *in_range) FB_MUST_USE;

#endif
