/*
 * How many of the keys that are asked for lie in the range of a run: by the bounds of its segments
 * alone, before any filter is asked. Theory takes it from here, so that a walk that prunes wrongly
 * disagrees with it.
 */
#ifndef FILTERBENCH_HARNESS_TREE_REACH_H
#define FILTERBENCH_HARNESS_TREE_REACH_H

#include "workloads/core/queries.h"

enum { FB_REACH_QUERIES = 1 << 16 }; /* looked at, of more */

/*
 * in_range [n_runs]: of the queries 0 .. n - 1 that come to a run and do not end there, the share
 * whose key lies between the first and the last key of one of the run's segments. NaN: no query
 * does, or the run is a memtable. Of more than FB_REACH_QUERIES queries as many, evenly spread.
 */
enum fb_err fb_reach(const struct fb_queries *, uint64_t n, double *in_range) FB_MUST_USE;

#endif
