/*
 * Running an experiment of kind "lsm" (running.h, prefix.c, unscaled.c, device.c), and what was
 * counted as JSON (result.c, counts.c, building.c).
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_RUN_H
#define FILTERBENCH_HARNESS_KIND_LSM_RUN_H

#include "harness/kind/lsm/cells.h"
#include "harness/tree/answers.h"

struct fb_work;

/* Measures into the document of `work`, as run() of struct fb_kind. */
enum fb_exit fb_lsm_run(const struct fb_lsm *, unsigned n_threads, struct fb_work *work);

/*
 * Counts the scans for the cells of one forest and one stream, which are called `id`. *scans is
 * owned by the caller. It is NULL where the experiment asks for none, and JSON null, with *why and
 * a warning in the document, where the tree can have none. Else it is [{prefix, counts...}], one
 * for each prefix that is scanned for. A false negative is FB_EXIT_CORRECTNESS, with a line on
 * stderr.
 */
enum fb_exit fb_lsm_scans(const struct fb_lsm *, const char *id, const struct fb_ask *,
                          json_t *document, json_t **scans, const char **why) FB_MUST_USE;

/*
 * "unscaled" of the cells of a filter on a scaled tree: for each run null, where formulas tell the
 * rates of its filters, or {scaled, unscaled}: false positives of filters like its own and of those
 * that it would have at scale 1, {keys, asked, false, ideal}, on keys that lie as densely as its
 * own. Where a file has too few keys, ideal hash words stand for them (ideal); where there is no
 * such way, or a filter is beyond 2^23 keys, none is asked (unscaled.c). The caller owns *out.
 */
enum fb_err fb_lsm_unscaled(const struct fb_lsm *, const struct fb_lsm_cell *,
                            const struct fb_tree *, const struct fb_params *, unsigned n_threads,
                            json_t **out, bool *complete, const char **why) FB_MUST_USE;

/* ---- The device (device.c) ---- */

/* "devices" of a document: [{name, read_ns, bytes_per_s, block_bytes}], the chosen one first, with
 * "about" and "histograms" where it was measured. */
json_t *fb_lsm_devices(const struct fb_lsm *);
/* Measures the device if the experiment says so, on a file without a name in its folder. A line on
 * stderr for every code but OK and INTERRUPTED. */
enum fb_exit fb_lsm_measure_device(struct fb_lsm *, json_t *document);
/* Takes a device that was measured from its document; false: it cannot be read. */
bool fb_lsm_take_device(struct fb_lsm *, const json_t *document);

/* ---- Results ---- */

/* The facts of a cell: what was asked for, the tree, the filters, the counts. in_range [n_runs] as
 * reach.h says. */
json_t *fb_lsm_cell_json(const struct fb_lsm *, const struct fb_lsm_cell *, const struct fb_ask *,
                         const struct fb_params *params, const double *in_range,
                         const struct fb_read_counts *);

/* Whether a run has a filter of these params. */
bool fb_lsm_has_filter(const struct fb_run *, const struct fb_params *);
/* "tree" of a cell, and what an entry of "runs" says before its filters are built. */
json_t *fb_lsm_tree_json(const struct fb_lsm_tree *, const struct fb_tree *);
json_t *fb_lsm_run_json(const struct fb_tree *, size_t run, const struct fb_params *);

/* "build" of a cell: of each level on disk, newest first, how its filters were built; not timed yet
 * (building.c). key_bytes: of a key, on average. */
json_t *fb_lsm_build_json(const struct fb_forest *, double key_bytes);
/* The runs of the level of run `first`, which lies on disk: first .. *end - 1. Returns the keys of
 * a filter in the largest of them, on average. */
uint64_t fb_lsm_level_runs(const struct fb_tree *, size_t first, size_t *end);

/* "counts" of a cell, and an entry of its "scans" (counts.c). */
json_t *fb_lsm_counts_json(const struct fb_read_counts *);
json_t *fb_lsm_scan_json(const char *prefix, const struct fb_scan_counts *);

/* "params" of a cell; absent: the share of its queries. */
json_t *fb_lsm_params_json(const struct fb_lsm *, const struct fb_lsm_cell *, double absent);

#endif
