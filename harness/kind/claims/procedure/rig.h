/*
 * An empty filter that takes one digest at a time and shows which bits it sets: where a design
 * really probes.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_RIG_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_RIG_H

#include "harness/kind/claims/procedure/procedure.h"

struct fb_probe_rig {
    struct fb_filter filter;
    size_t n;                         /* distinct positions of the last digest */
    uint64_t position[FB_MAX_PROBES]; /* ascending; bit i of byte j is 8 j + i, LSB first... */
    bool msb_first;                   /* ... or MSB first */
};

/* Design and parameters from args, sized for args' n keys. */
enum fb_err fb_probe_rig_open(struct fb_bench *, const json_t *args, const char *design_key,
                              struct fb_probe_rig *out) FB_MUST_USE;
void fb_probe_rig_set(struct fb_probe_rig *, const uint64_t *digest);
void fb_probe_rig_close(struct fb_probe_rig *);

/* Digest words of random key number `index`, by the design's own hash. */
enum fb_err fb_probe_rig_digest(struct fb_bench *, const struct fb_probe_rig *, uint64_t index,
                                uint64_t *words) FB_MUST_USE;
/* The same, and sets them. */
enum fb_err fb_probe_rig_show(struct fb_bench *, struct fb_probe_rig *, uint64_t index,
                              uint64_t *words) FB_MUST_USE;

/*
 * Readings: the position of probe i as a text words it, n_bits and n_blocks as in the geometry. The
 * position of the design itself is one of them; others are what a text says literally.
 */
struct fb_probe_reading {
    const char *name;
    bool msb_first;
    uint64_t (*position)(const struct fb_geometry *, const uint64_t *digest, unsigned i);
};
const struct fb_probe_reading *fb_probe_reading_find(const char *name); /* NULL: no such reading */

/* Whether the reading gives exactly the positions that the rig shows. */
bool fb_probe_reading_agrees(const struct fb_probe_reading *, const struct fb_probe_rig *,
                             const uint64_t *digest);

#endif
