/*
 * An empty filter that takes one digest at a time and shows which bits it sets: where a design
 * really probes.
 *
 *     struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
 *     while (fb_probe_rig_next(bench, &rig))
 *         ... rig.digest and its rig.position ...
 *     fb_filter_close(&rig.filter);
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_RIG_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_RIG_H

#include "harness/kind/claims/procedure/procedure.h"

struct fb_probe_rig {
    struct fb_filter filter;
    uint64_t shown, samples; /* random keys */
    uint64_t digest[FB_MAX_PROBES];
    size_t n;                         /* distinct positions of the last digest */
    uint64_t position[FB_MAX_PROBES]; /* bit i of byte j is 8 j + i, LSB first, ascending... */
    bool msb_first;                   /* ... or MSB first, ascending but within a byte */
};

/* The filter that args ask for, and `samples`: random keys to show, 2000 where
 * absent. */
struct fb_probe_rig fb_probe_rig_open(struct fb_bench *, const json_t *args);
/* Clears the filter and sets the bits of the next random key. False after the last one. */
bool fb_probe_rig_next(struct fb_bench *, struct fb_probe_rig *);
/* The same for any digest. Sets nothing where the rig could not be opened. */
void fb_probe_rig_set(struct fb_probe_rig *, const uint64_t *digest);
/* Whether the position is one of the last digest's. */
bool fb_probe_rig_shows(const struct fb_probe_rig *, uint64_t position);

/*
 * Readings: the position of probe i as a text words it, n_bits and n_blocks as in the geometry. The
 * position of the design itself is one of them; others are what a text says literally.
 */
struct fb_probe_reading {
    const char *name;
    bool msb_first;
    uint64_t (*position)(const struct fb_geometry *, const uint64_t *digest, unsigned i);
};
/* The one that an argument names; NULL after a failure. */
const struct fb_probe_reading *fb_arg_reading(struct fb_bench *, const json_t *args,
                                              const char *key);

/* Whether the reading gives exactly the positions of the key that the rig shows. */
bool fb_probe_reading_agrees(const struct fb_probe_reading *, const struct fb_probe_rig *);

#endif
