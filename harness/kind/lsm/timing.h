/*
 * Filters of one tree that stand until their lookups are timed: cells of one tree are measured in
 * the same rounds, as far as memory goes.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_TIMING_H
#define FILTERBENCH_HARNESS_KIND_LSM_TIMING_H

#include "harness/kind/lsm/lsm.h"

/* Queries for keys that pass a filter. */
struct fb_lsm_adversary {
    uint64_t *keys; /* owned */
    size_t n_keys;
    struct fb_queries queries;
};

/* A forest and a stream on it, and the cells of the document that they are. */
struct fb_lsm_entry {
    const struct fb_forest *forest;
    const struct fb_queries *queries; /* borrowed, or of an adversary */
    size_t first_cell, n_cells;
};

struct fb_lsm_timed {
    struct fb_lsm_entry *entries; /* [n] */
    struct fb_forest **forests;   /* [n_forests], each owned */
    struct fb_lsm_adversary **adversaries;
    size_t n, n_forests, n_adversaries;
};

/* A zeroed forest that close or drop will close; NULL: out of memory. */
struct fb_forest *fb_lsm_timed_forest(struct fb_lsm_timed *);
/* A new adversary with the keys of the latest one and room for n_keys; NULL: out of memory. */
struct fb_lsm_adversary *fb_lsm_timed_adversary(struct fb_lsm_timed *, size_t n_keys);
/* False: out of memory. */
bool fb_lsm_timed_add(struct fb_lsm_timed *, const struct fb_forest *, const struct fb_queries *,
                      size_t first_cell, size_t n_cells);
uint64_t fb_lsm_timed_bytes(const struct fb_lsm_timed *); /* of filters that stand */

/* Times every lookup of the experiment on every entry, beside the control; "control" and "lookups"
 * of the cells get their samples. A line on stderr for every code but OK and INTERRUPTED. */
enum fb_exit fb_lsm_timed_measure(struct fb_lsm_timed *, const struct fb_lsm *,
                                  const struct fb_walk_options *, json_t *document);

/* Forgets entries and forests; the latest adversary stays. */
void fb_lsm_timed_drop(struct fb_lsm_timed *);
void fb_lsm_timed_close(struct fb_lsm_timed *);

/* "timing" of a document; noise is stolen. */
json_t *fb_lsm_timing_json(const struct fb_lsm *, int cpu, json_t *noise);

#endif
