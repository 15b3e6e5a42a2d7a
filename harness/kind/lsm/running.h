/*
 * A run of an experiment of kind "lsm" as it goes. Private to run.c (trees and steps), standing.c
 * (one tree), stream.c (filters, and queries that are counted), and batch.c, timing.c and
 * building.c (lookups and builds that are timed).
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_RUNNING_H
#define FILTERBENCH_HARNESS_KIND_LSM_RUNNING_H

#include "harness/base/progress.h"
#include "harness/kind/lsm/run.h"
#include "harness/kind/lsm/share.h"
#include "harness/kind/lsm/trace.h"

/* ---- What waits to be timed (timing.c, building.c) ---- */

/* A forest and a stream on it, and the cells of the document that they are. */
struct fb_lsm_entry {
    const struct fb_forest *forest;
    const struct fb_queries *queries; /* borrowed */
    size_t first_cell, n_cells;
};

/* Filters of one tree that stand until their lookups are timed: cells of one tree are measured in
 * the same rounds, as far as memory goes. */
struct fb_lsm_timed {
    struct fb_lsm_entry *entries; /* [n], owned */
    struct fb_forest *forests;    /* [n_forests], owned */
    size_t n, n_forests;
};

/* Room for a forest and an entry for each filter and stream of the experiment. Close it after an
 * error as well. */
enum fb_err fb_lsm_timed_open(const struct fb_lsm *, struct fb_lsm_timed *) FB_MUST_USE;
/* Forgets entries and forests. */
void fb_lsm_timed_drop(struct fb_lsm_timed *);
void fb_lsm_timed_close(struct fb_lsm_timed *); /* a zeroed one is accepted */

uint64_t fb_lsm_timed_bytes(const struct fb_lsm_timed *); /* of filters that stand */

/* Times every lookup of the experiment on every entry, beside the control, as one group, then the
 * builds. The cells get "timed" (which batch of the document this is, how pages lay), "control" and
 * "lookups". A line on stderr for every code but OK and INTERRUPTED. */
enum fb_exit fb_lsm_timed_measure(const struct fb_lsm_timed *, const struct fb_lsm *,
                                  const struct fb_group_options *, const struct fb_group_watch *,
                                  size_t batch, json_t *document);

/* Times builds of the filters that stand, in a twentieth of the options' budget or half a second
 * for each forest (but one process at least), and sets "time" of the levels of "build" of their
 * cells (building.c). */
enum fb_err fb_lsm_builds_measure(const struct fb_lsm_timed *, const struct fb_group_options *,
                                  json_t *cells) FB_MUST_USE;

/* "timing" of a document, but for what its samples say; noise is stolen. */
json_t *fb_lsm_timing_json(int cpu, json_t *noise);

/* ---- What stands while the cells of one tree are run (standing.c) ---- */

/* Queries for keys that pass filters. */
struct fb_lsm_adversary {
    uint64_t *keys; /* indices, owned */
    size_t n_keys;
    struct fb_queries queries;
};

/* All owned, and borrowed by each other: it must not move. */
struct fb_lsm_standing {
    struct fb_tree_shape shape;
    struct fb_keyspace space;
    struct fb_sorted_space sorted; /* of what is scanned */
    struct fb_tree made;           /* of all trees but those of traces */
    struct fb_trace_tree traced;
    const struct fb_tree *tree;    /* one of the two */
    struct fb_memtables memtables; /* of the tree, where they are searched */
    struct fb_queries *queries;    /* [n_streams]; without a tree where it cannot serve them */
    double *in_range;              /* [n_streams * tree->n_runs] as reach.h says */
    size_t n_streams;
    struct fb_lsm_adversary *adversaries; /* [n_adversaries] */
    size_t n_adversaries;
    size_t n_earlier;          /* adversaries of filters of earlier groups (share.h) */
    struct fb_lsm_timed timed; /* filled by the caller */
};

/*
 * The tree of a cell, and the queries of every stream. Queries of adversaries, who need the filters
 * first, are for keys in the gaps. A tree without filters is warned of in the document, a stream
 * that the tree cannot serve noted on stderr. `out` comes zeroed, and is to be torn down in any
 * case. A line on stderr for every code but OK.
 */
enum fb_exit fb_lsm_stand_up(const struct fb_lsm *, const struct fb_lsm_cell *, json_t *document,
                             struct fb_lsm_standing *out) FB_MUST_USE;
void fb_lsm_tear_down(struct fb_lsm_standing *); /* a zeroed one is accepted */

/*
 * Queries for absent keys that pass this forest. A filter with another hash than the experiment's
 * first one gets the keys found against the latest forest of its group that had that hash, the
 * public one. *out is part of what stands. FB_EINVAL with *why set: no such key was found, or the
 * tree cannot serve the queries.
 */
enum fb_err fb_lsm_adversary(const struct fb_lsm *, const struct fb_lsm_cell *,
                             const struct fb_forest *, struct fb_lsm_standing *,
                             const struct fb_queries **out, const char **why) FB_MUST_USE;

/* ---- The run ---- */

/* A second of timing, as many units of progress. */
#define FB_LSM_UNITS_PER_S 5e6

/* Where the time went, seconds. */
struct fb_lsm_spent {
    double tree, build, count, timing;
    uint64_t keys, queries; /* built and counted */
    uint64_t windows;       /* of filters that passed */
};

struct fb_lsm_running {
    const struct fb_lsm *e;
    unsigned n_threads;
    json_t *document;
    const struct fb_lsm_cell *cells;
    size_t n_candidates; /* of all timing */
    struct fb_lsm_steps steps;
    struct fb_progress progress;
    struct fb_lsm_spent spent;
    int cpu;
    /* Of the tree at hand. */
    struct fb_lsm_standing standing;
    size_t filter;                        /* at hand */
    const struct fb_forest *forest;       /* the latest of it; NULL: none yet */
    struct fb_params params[FB_MAX_RUNS]; /* that it was built for */
    struct fb_answers answers;            /* of its filters, where they have passed */
    json_t *unscaled;                     /* of its cells, owned */
};

/* Every reading of one filter and one stream is a cell: first .. first + n_readings - 1. */

/* The cells are skipped, for this reason. */
void fb_lsm_skip(struct fb_lsm_running *, const struct fb_lsm_cell *first, const char *why);

/* Builds the filters, or takes those at hand, and counts what this run does of the cells; lookups
 * of filters that stand wait to be timed. A line on stderr for every code but OK and INTERRUPTED.
 */
enum fb_exit fb_lsm_run_stream(struct fb_lsm_running *, const struct fb_lsm_cell *first);

/* Times the lookups that wait, together. */
enum fb_exit fb_lsm_run_batch(struct fb_lsm_running *);

#endif
