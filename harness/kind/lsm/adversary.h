/*
 * Queries of who knows the public hash: for absent keys that pass the filters, found by trying them
 * out.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_ADVERSARY_H
#define FILTERBENCH_HARNESS_KIND_LSM_ADVERSARY_H

#include "harness/kind/lsm/timing.h"

/*
 * Queries of a cell's stream for keys that pass its forest; of a filter that has not the hash of
 * the experiment's first one, which is the public one, for those that passed the latest forest that
 * had it. *out stays with `timed`. FB_EINVAL with *why set, *out NULL: there is no such key among
 * the first 2^24 absent ones, or the tree cannot serve the queries. Looks no further once
 * interrupted (parallel.h).
 */
enum fb_err fb_lsm_adversary_queries(const struct fb_lsm *, const struct fb_lsm_cell *,
                                     const struct fb_forest *, struct fb_lsm_timed *timed,
                                     const struct fb_queries **out, const char **why) FB_MUST_USE;

#endif
