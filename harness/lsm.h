/*
 * Experiments of kind "lsm": filters in a tree, asked as a storage engine asks them.
 *
 *     name, summary, source, runtime   as in every experiment
 *     kind             "lsm"
 *   the filters
 *     designs          list
 *     bits_per_key     list of numbers } at least one; each entry is a size, of all filters
 *     fpr              list of rates   }   together
 *     run_bits         bits per key of each level, newest first; replaces the two above; -1: none
 *     allocations      list of uniform, monkey, optimal, drop-last
 *     lookups          list of names, or "all"
 *   the tree (workloads/core/tree.h)
 *     style            list; n, levels, ratio, l0, fill, runs (list; flat), size_ratio, updates,
 *                      tombstones, memtables, memtable_keys, filter_unit, scale
 *     keys             list of formats, or "file"; key_bytes (0: the format's), value_bytes,
 *                      entry_overhead, segment_bytes, order
 *   the queries
 *     queries          counted per cell
 *     absent           list of shares; absent_kind: list; holder, popularity: list
 *   reading
 *     cache_bytes      list; cache_policy, filter_residency (list), index_residency, block_bytes,
 *                      evict_every, evict_share
 *     device           a name or a time: what the ranking is for
 *     prefixes         list of "none", "fixed:3", "capped:8", ...; prefix_whole_key; scans: share
 *                      of queries that scan a prefix
 *   measuring
 *     timed            measure CPU time of the lookups, or count only
 *     rounds, min_processes, max_processes, precision, budget, latency, seed
 *   ci                 an object of fields that replace the above for --ci: under 5 s
 *
 * A list is an axis: cells are all combinations. A list of one may be written as its element.
 */
#ifndef FILTERBENCH_HARNESS_LSM_H
#define FILTERBENCH_HARNESS_LSM_H

#include "harness/allocation.h"
#include "harness/device.h"
#include "harness/read_path.h"
#include "harness/result.h"
#include "harness/walk_timing.h"

struct fb_lsm {
    json_t *document; /* resolved, owned */
    const char *name; /* in the document */
    uint64_t seed;
    char hash_hex[33];
};

/* As fb_experiment_resolve. */
bool fb_lsm_resolve(const json_t *document, struct fb_lsm *out, struct fb_problem *problem);
void fb_lsm_close(struct fb_lsm *);
/* The short form of --ci, set in a document before it is resolved. */
bool fb_lsm_ci(json_t *document, struct fb_problem *problem);

/* {n_cells, cells: [{id, keys, filter_bytes, why_not}]} for --dry-run. */
json_t *fb_lsm_cells(const struct fb_lsm *, const struct fb_keys *file);

/* Measures into document. file: the user's distinct keys, sorted, or NULL. */
enum fb_exit fb_lsm_run(const struct fb_lsm *, const struct fb_keys *file, unsigned n_threads,
                        json_t *document);

void fb_lsm_table(FILE *, const json_t *document, enum fb_table_style);

/* Derives rates, expectations and costs again from the counts and samples of a document. */
enum fb_exit fb_lsm_check(const char *path, const json_t *document);

#endif
