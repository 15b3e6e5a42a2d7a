/*
 * Timing walks over the filters of trees: CPU alone, no I/O.
 *
 * Candidates (a forest, a stream of queries, a lookup) are the members of a group (group.h) of one
 * part: all are measured in the same rounds. Keys, places and holders are made outside the clock.
 * Timed are a search for the segment of each run among the lowest keys of its segments, and the
 * lookup: hashing and asking. The control does the former alone.
 *
 * Queries are made once, enough for twice as many visits as the forest has cache lines (at most
 * 2^21 queries), and taken in blocks that stay in the second-level cache; processes start at
 * different ones. Forests of up to 256 MiB are copied by each process (placement.h), larger ones
 * are mapped.
 *
 * Forests that do not fit into memory together are measured one group after another. A group knows
 * the memory of the noise from its own processes alone.
 */
#ifndef FILTERBENCH_HARNESS_TREE_WALK_TIMING_H
#define FILTERBENCH_HARNESS_TREE_WALK_TIMING_H

#include "filters/lookup/lookup.h"
#include "harness/measure/group.h"
#include "harness/measure/latency.h"
#include "harness/tree/forest.h"
#include "workloads/core/queries.h"

struct fb_walk_candidate {
    const struct fb_forest *forest;
    const struct fb_queries *queries;
    const struct fb_lookup *lookup; /* NULL: the control */
    int32_t to;                     /* index of the candidate its ratio is taken to; -1: none */
};

struct fb_walk_counts {
    double asked, digests; /* filters asked and keys hashed, per query */
};

/* Measures n candidates as the members of a group; counts [n], or NULL. quantum_ns and min_batch_ns
 * of the options are set here. Close the group in either case. */
enum fb_err fb_walks_measure(const struct fb_walk_candidate *, size_t n,
                             const struct fb_group_options *, const struct fb_group_watch *,
                             struct fb_walk_counts *counts, struct fb_group *out) FB_MUST_USE;

/* Whether the processes share the pages of a forest: it is too large for a copy in each. */
bool fb_walk_pages_shared(const struct fb_forest *);

/* Single walks between two clock reads, `queries` of them, beside timer_empty. A batched lookup has
 * none: FB_EUNSUPPORTED. */
enum fb_err fb_walk_latency(const struct fb_walk_candidate *, uint64_t queries,
                            struct fb_latency *out) FB_MUST_USE;

/* The child's side, for fb_processes_child. */
extern const struct fb_child fb_walk_child;

#endif
