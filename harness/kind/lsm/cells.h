/*
 * What an experiment of kind "lsm" stands for: its cells, the shapes of its trees and what they
 * take (cells.c), the keys of trees (prefix.c), the sizes of filters (params.c).
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_CELLS_H
#define FILTERBENCH_HARNESS_KIND_LSM_CELLS_H

#include "harness/kind/lsm/experiment.h"

/* ---- Cells ---- */

enum { FB_LSM_ID = 576 };

struct fb_lsm_cell {
    char id[FB_LSM_ID];                   /* "leveled/pad40/sbbf-512/bpk=10/uniform/absent=1" */
    size_t tree, filter, stream, reading; /* of the axes */
};

/* Trees outermost, then filters, streams, readings. NULL when out of memory; free() it. */
struct fb_lsm_cell *fb_lsm_cells(const struct fb_lsm *, size_t *n_cells);

/* Whether some queries are for keys that are found against filters. */
bool fb_lsm_has_adversary(const struct fb_lsm *);

/* "file", "trace" or the format. */
const char *fb_lsm_keys_name(const struct fb_lsm_tree *);

/* The shape of one tree: with the number of keys and their mean bytes, and for keys of a file
 * half of them; for a trace as many as it puts. False with *problem set where there is no such
 * tree.
 */
bool fb_lsm_shape(const struct fb_lsm *, size_t tree, struct fb_tree_shape *out,
                  struct fb_problem *problem);

/* What a tree and the filters of one cell take, about. */
struct fb_lsm_demand {
    uint64_t n_keys, filter_keys;        /* of the tree, of each filter on average */
    uint64_t filter_bytes, memory_bytes; /* at most: tree, filters, and building them */
    uint64_t window_bytes; /* filters pass in windows of so much (forest.h); 0: they stand */
    uint64_t standing_bytes, room_bytes; /* filters and their keys at a time; what they may take */
    double tree_s, build_s, count_s;
};
bool fb_lsm_demand(const struct fb_lsm *, const struct fb_lsm_cell *, struct fb_lsm_demand *out,
                   struct fb_problem *problem);

/* False with *problem set where a tree and the filters of one cell do not fit into memory: neither
 * at once nor, where the filters hold no prefixes and no query was found against them, in windows.
 */
bool fb_lsm_fits(const struct fb_lsm *, struct fb_problem *problem);

/* Rows {id, keys, filter_keys, filter_bytes, seconds, why_not} for --dry-run. */
json_t *fb_lsm_plan(const struct fb_lsm *);

/* Digests held while filters are built: a run of more is gone through again. */
#define FB_LSM_WINDOW_BYTES (UINT64_C(2) << 30)

/* Trees of up to this many keys list them (8 bytes each), so that ranks are exact. */
#define FB_LSM_LIST_LIMIT (UINT64_C(1) << 26)

/* Memtables of up to this many keys together are searched, at a few microseconds a query. What
 * larger ones hold is taken from the tree. */
#define FB_LSM_MEMTABLE_LIMIT (UINT64_C(1) << 18)

/* ---- Keys (prefix.c) ---- */

/* Whether the n keys of a tree are sorted so that scans are possible (sorted_space.h): only if
 * scans are asked for and all keys, absent ones included, fit the limit. */
bool fb_lsm_sorts(const struct fb_lsm *, const struct fb_lsm_tree *, uint64_t n);
#define FB_LSM_SORT_LIMIT (UINT64_C(1) << 25)

/* Absent keys for each of n present ones: enough to ask for each once. */
uint64_t fb_lsm_absent_for_each(const struct fb_lsm *, uint64_t n);

/* The keys of a tree of n, and those absent from it; sorted is to be closed in any case. */
enum fb_err fb_lsm_space(const struct fb_lsm *, const struct fb_lsm_tree *, uint64_t n,
                         struct fb_sorted_space *sorted, struct fb_keyspace *out) FB_MUST_USE;

/* ---- Filters of a cell (params.c) ---- */

/* Params of the filters of each run [tree->n_runs]; bits_per_key -1: none. A share `absent` of the
 * queries is for absent keys; the others find their keys in the runs by share [n_runs]
 * (fb_queries_shares). FB_EINVAL or FB_EUNSUPPORTED with *why set where the design has no such
 * size.
 */
enum fb_err fb_lsm_params(const struct fb_lsm *, const struct fb_lsm_filter *,
                          const struct fb_tree *, double absent, const double *share,
                          struct fb_params *params, const char **why) FB_MUST_USE;

/* What is asked of the filters of one level, newest first, where memory is not allocated. */
struct fb_params fb_lsm_params_of_level(const struct fb_lsm *, const struct fb_lsm_filter *,
                                        unsigned level);

/* Keys of each filter of a run, on average, rounded up: in the tree, and at scale 1 where no run
 * shrinks. Eighths of segments of 541,200 keys: 67,650 and 541,200. */
struct fb_lsm_sizes {
    uint64_t scaled, unscaled;
};
struct fb_lsm_sizes fb_lsm_sizes(const struct fb_tree *, const struct fb_run *);

/* The rate that the design's formula gives for n keys, NaN where there is no such filter, and how
 * far it may be off. */
struct fb_lsm_rate {
    double value, error;
};
struct fb_lsm_rate fb_lsm_formula(const struct fb_design *, const struct fb_params *asked,
                                  uint64_t n);
/* Rates that differ by less than this share of them are the same to a ranking. */
#define FB_LSM_SAME_RATE 0.01
/* Whether formulas tell the rates of a run's filters at both sizes, to half of that together; true
 * where there is but one size. */
bool fb_lsm_formula_fits(const struct fb_lsm_filter *, const struct fb_params *,
                         struct fb_lsm_sizes);

#endif
