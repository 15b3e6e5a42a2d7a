/*
 * Filters of one tree that stand until their lookups are timed: cells of one tree are measured in
 * the same rounds, as far as memory goes.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_TIMING_H
#define FILTERBENCH_HARNESS_KIND_LSM_TIMING_H

#include "harness/kind/lsm/run.h"

/* A forest and a stream on it, and the cells of the document that they are. */
struct fb_lsm_entry {
    const struct fb_forest *forest;
    const struct fb_queries *queries; /* borrowed */
    size_t first_cell, n_cells;
};

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

#endif
