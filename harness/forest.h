/*
 * The filters of a whole tree: one design, a size for each run, one block of memory for all units.
 */
#ifndef FILTERBENCH_HARNESS_FOREST_H
#define FILTERBENCH_HARNESS_FOREST_H

#include "filters/core/filter.h"
#include "harness/progress.h"
#include "workloads/core/tree.h"

struct fb_forest_spec {
    const struct fb_design *design;
    const struct fb_hash *hash;     /* NULL: the design's own */
    const struct fb_params *params; /* [tree->n_runs] resolved or not; bits_per_key < 0: the run has
                                       no filter, it answers yes and takes no memory */
};

struct fb_forest {
    const struct fb_design *design;
    const struct fb_hash *hash;
    const struct fb_tree *tree; /* borrowed */
    struct fb_filter *filters;  /* [tree->n_units], owned; their bytes lie in the arena */
    uint8_t *arena;             /* mapped from fd */
    uint64_t arena_bytes;
    int fd;                /* memory file; measuring processes map it */
    unsigned digest_words; /* the most any filter needs */
    uint64_t *run_bytes;   /* [n_runs] of filter, owned */
    uint64_t filter_bytes; /* of all */
    uint64_t checksum;     /* c = XXH64(c, XXH64(bits)), unit by unit, from 0 */
    double build_s;
};

/*
 * Builds every unit from its keys, sized by how many it has, on n_threads threads (0: all). Keys
 * are made window by window: peak memory is the arena, `window_bytes` of digests (at least 64 MiB)
 * and 8 bytes a unit. Bits do not depend on threads or windows. progress counts keys; it may be
 * NULL. *complete is false when interrupted.
 */
enum fb_err fb_forest_build(const struct fb_forest_spec *, const struct fb_tree *,
                            uint64_t window_bytes, unsigned n_threads, struct fb_progress *progress,
                            struct fb_forest *out, bool *complete, const char **why) FB_MUST_USE;
void fb_forest_close(struct fb_forest *);

/* Digests of keys as the forest's filters take them, [keys->n * digest_words]. */
enum fb_err fb_forest_digest(const struct fb_forest *, const struct fb_keys *,
                             uint64_t *digests) FB_MUST_USE;

#endif
