/*
 * Timing walks over the filters of trees: CPU alone, no I/O.
 *
 * Candidates (a forest, a stream of queries, a lookup) are measured in the same rounds of several
 * processes, as filters are (timing.h); keys, places and holders are made outside the clock. Timed
 * are a search for the segment of each run among the lowest keys of its segments, and the lookup:
 * hashing and asking. The control does the former alone.
 *
 * Queries are made once, enough for twice as many visits as the forest has cache lines (at most
 * 2^21 queries), and taken in blocks that stay in the second-level cache; processes start at
 * different ones. Forests of up to 256 MiB are copied by each process, larger ones are mapped.
 */
#ifndef FILTERBENCH_HARNESS_TREE_WALK_TIMING_H
#define FILTERBENCH_HARNESS_TREE_WALK_TIMING_H

#include "filters/lookup/lookup.h"
#include "harness/measure/latency.h"
#include "harness/measure/processes.h"
#include "harness/stats/paired.h"
#include "harness/tree/forest.h"
#include "workloads/core/queries.h"

struct fb_walk_candidate {
    const struct fb_forest *forest;
    const struct fb_queries *queries;
    const struct fb_lookup *lookup; /* NULL: the control */
    const struct fb_kernel *kernel;
    size_t compared_to; /* candidate its ratio is taken to; itself: none */
};

struct fb_walk_options {
    size_t rounds, min_processes, max_processes; /* processes at least 6 */
    double precision, budget_s;
    uint64_t seed;
    int cpu;         /* -1: not pinned */
    bool huge_pages; /* ask for them for the filters that a process copies */
};

struct fb_walk_estimate {
    double ns, ns_min; /* per query; median over rounds and processes */
    struct fb_interval ns95, ns99;
    double ratio; /* to compared_to; NaN: itself */
    struct fb_interval ratio95, ratio99;
    double asked, digests; /* filters asked and keys hashed, per query */
    bool cpu_clock;        /* thread time: over a tenth of the batches were repeats */
    bool shared_pages;     /* a forest too large for a copy in each process */
};

/* Measures n candidates; samples [processes * rounds * n] in ns, owned by the caller (free). */
enum fb_err fb_walks_measure(const struct fb_walk_candidate *, size_t n,
                             const struct fb_walk_options *, struct fb_walk_estimate *out,
                             double **samples, size_t *processes, bool *complete) FB_MUST_USE;

/* The times of the estimates (not asked and digests, which are left as they are) from samples
 * alone; used by fb_walks_measure and by `validate`. compared_to [n] as in the candidates. */
void fb_walks_estimate(const double *samples, size_t n, size_t processes, size_t rounds,
                       const size_t *compared_to, struct fb_walk_estimate *out);

/* Single walks between two clock reads, `queries` of them, beside timer_empty. A batched lookup has
 * none: FB_EUNSUPPORTED. */
enum fb_err fb_walk_latency(const struct fb_walk_candidate *, uint64_t queries,
                            struct fb_latency *out) FB_MUST_USE;

/* The child's side, for fb_processes_child. */
extern const struct fb_child fb_walk_child;

#endif
