/*
 * Running an experiment of kind "lsm": what a run does of it, step by step, and what was counted as
 * JSON. A run goes through trees and steps (run.c). It makes a tree (standing.c), builds filters
 * and counts queries (stream.c, unscaled.c), and times lookups and builds (timing.c, building.c).
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_RUN_H
#define FILTERBENCH_HARNESS_KIND_LSM_RUN_H

#include "harness/base/progress.h"
#include "harness/kind/lsm/experiment.h"
#include "harness/tree/answers.h"
#include "harness/work/work.h"

/* Measures into the document of `work`, as run() of struct fb_kind. */
enum fb_exit fb_lsm_run(const struct fb_lsm *, unsigned n_threads, struct fb_work *work);

/* As piece() of struct fb_kind. */
double fb_lsm_piece(const struct fb_lsm *, const struct fb_lsm_cell *, double part,
                    unsigned n_threads);

/*
 * "unscaled" of the cells of a filter on a scaled tree, on keys that lie as densely as its own.
 * Where a file has too few keys, ideal hash words stand for them; where there is no such way, or a
 * filter is beyond 2^23 keys, none is asked (unscaled.c). The caller owns *out.
 */
enum fb_err fb_lsm_unscaled(const struct fb_lsm *, const struct fb_lsm_cell *,
                            const struct fb_tree *, const struct fb_params *, unsigned n_threads,
                            json_t **out, bool *complete, const char **why) FB_MUST_USE;

/* ---- The device (device.c) ---- */

/* "devices" of a document, the chosen one first. */
json_t *fb_lsm_devices(const struct fb_lsm *);
/* Measures the device if the experiment says so, on a file without a name in its folder. A line on
 * stderr for every code but OK and INTERRUPTED. */
enum fb_exit fb_lsm_measure_device(struct fb_lsm *, json_t *document);
/* Takes a device that was measured from its document; false: it cannot be read. */
bool fb_lsm_take_device(struct fb_lsm *, const json_t *document);

/* ---- Results (result.c) ---- */

/* The facts of a cell: what was asked for, the tree, the filters, the counts. in_range [n_runs] as
 * reach.h says. */
json_t *fb_lsm_cell_json(const struct fb_lsm *, const struct fb_lsm_cell *, const struct fb_ask *,
                         const struct fb_params *params, const double *in_range,
                         const struct fb_read_counts *);

/* Whether a run has a filter of these params. */
bool fb_lsm_has_filter(const struct fb_run *, const struct fb_params *);
/* What the filters of a run take, and their rate by formula. NaN: none fits. */
struct fb_lsm_built {
    uint64_t bytes, probes;
    double rate;
};
/* "tree" of a cell, and what an entry of "runs" says before queries are asked. */
json_t *fb_lsm_tree_json(const struct fb_lsm_tree *, const struct fb_tree *);
json_t *fb_lsm_run_json(const struct fb_tree *, size_t run, const struct fb_params *,
                        struct fb_lsm_built);

/* "build" of a cell: of each level on disk, newest first, how its filters were built; not timed yet
 * (building.c). key_bytes: of a key, on average. */
json_t *fb_lsm_build_json(const struct fb_forest *, double key_bytes);
/* An entry of "scans" of a cell. */
json_t *fb_lsm_scan_json(const char *prefix, const struct fb_scan_counts *);

/* "params" of a cell; absent: the share of its queries. */
json_t *fb_lsm_params_json(const struct fb_lsm *, const struct fb_lsm_cell *, double absent);

/*
 * ---- Shards (share.c) ----
 *
 * Queries are made from their number, so a stretch of them can be counted by itself, and the counts
 * of stretches add. Where a query's answer depends on the queries before it (a block cache), or
 * where the queries follow from filters or a trace, cells stay whole. So they do where lookups are
 * timed. Whole cells are dealt out by group: the filters of one group stand in one shard alone.
 * Where there are fewer groups than shards they are dealt out one by one, if each can be had by
 * itself.
 */

/* Queries first .. end - 1 of a cell, and as many of its scans. */
struct fb_lsm_share {
    bool any;  /* else the cell is another shard's */
    bool part; /* of a cell that is split: a fragment */
    uint64_t first, end, first_scan, end_scan;
};
/* number: of the cell, among all of the experiment. */
struct fb_lsm_share fb_lsm_share(const struct fb_lsm *, struct fb_shard, const struct fb_lsm_cell *,
                                 size_t number);

/* Whether a filter begins a group: it needs nothing of the filters before it. Filters that are
 * asked for keys found against those of another hash are in the group of these. */
bool fb_lsm_begins_group(const struct fb_lsm *, size_t filter);

/* Stretches of queries and scans: {first, end, first_scan, end_scan}. */
json_t *fb_lsm_stretch(const struct fb_lsm_share *);

/* What a shard counted of a cell; steals the facts of the cell with these counts alone. */
json_t *fb_lsm_fragment(const struct fb_lsm_share *, json_t *cell);

/* As unite() of struct fb_sharing. */
bool fb_lsm_unite(const struct fb_lsm *, const struct fb_lsm_cell *, const json_t *fragments,
                  bool partial, json_t **united, struct fb_problem *);

/* ---- Steps ---- */

/*
 * A step is what one record of the journal keeps. Usually it is one filter and one stream, with all
 * readings. Filters of a group share keys found against one of them, so their step is the group.
 * Where lookups are timed, a step is what is timed together.
 */
struct fb_lsm_steps {
    const struct fb_lsm *e;
    struct fb_work *work;
    const struct fb_lsm_cell *cells; /* of the experiment */
    size_t per_tree;                 /* filters and streams of a tree */
    size_t n;                        /* steps, as far as is known */
    size_t n_batches;                /* of timing, in the document so far */
};

/* Takes the device from the journal, or measures it (run.h) and keeps it. */
enum fb_exit fb_lsm_steps_device(struct fb_lsm *, struct fb_work *);

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

/* Times builds of the filters that stand, in a twentieth of the options' budget or half a second
 * for each forest (but one process at least), and sets "time" of the levels of "build" of their
 * cells (building.c). */
enum fb_err fb_lsm_builds_measure(const struct fb_lsm_timed *, const struct fb_group_options *,
                                  json_t *cells) FB_MUST_USE;

/* Seconds that it takes at most, but for a first process. */
double fb_lsm_builds_s(const struct fb_lsm_timed *, const struct fb_group_options *);

/* "timing" of a document, but for what its samples say; noise is stolen. */
json_t *fb_lsm_timing_json(int cpu, json_t *noise);

/* ---- A tree with its keys and queries, in memory while its cells are run (standing.c) ---- */

/* Queries for keys that pass filters. */
struct fb_lsm_adversary {
    uint64_t *keys; /* indices, owned */
    size_t n_keys;
    struct fb_queries queries;
};

/* It owns all of them. They hold pointers into each other, so it must not be copied or moved. */
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
    size_t n_earlier;          /* adversaries of filters of earlier groups */
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

/* Seconds that n lookups of n_candidates are likely to be timed for. */
double fb_lsm_likely_s(const struct fb_group_options *, size_t n, size_t n_candidates);

/* Times the lookups that wait, together. */
enum fb_exit fb_lsm_run_batch(struct fb_lsm_running *);

#endif
