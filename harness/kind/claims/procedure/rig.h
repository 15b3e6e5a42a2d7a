/*
 * An empty filter that takes one digest at a time and shows which bits it sets: where a design
 * really probes.
 *
 *     fb_probe_rig_open(bench, args, &rig);
 *     while (fb_probe_rig_next(&rig))
 *         ... rig.digest and its rig.position ...
 *     return fb_probe_rig_close(&rig);
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_RIG_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_RIG_H

#include "harness/kind/claims/procedure/recipe.h"

struct fb_probe_rig {
    struct fb_bench *bench;
    struct fb_filter filter; /* zeroed where it could not be opened */
    uint64_t digest[FB_MAX_PROBES];
    size_t n;                         /* distinct positions of the last digest */
    uint64_t position[FB_MAX_PROBES]; /* ascending; bit i of byte j is 8 j + i, LSB first... */
    bool msb_first;                   /* ... or MSB first */
    uint64_t shown, samples;          /* random keys */
    enum fb_err err;
};

/* Design and parameters from args, sized for args' n keys; `samples` keys to show, 2000 where
 * absent. Returns the error, which next and close know as well. */
enum fb_err fb_probe_rig_open(struct fb_bench *, const json_t *args, struct fb_probe_rig *out);
/* Sets the bits of the next random key; false after the last one and after a failure. */
bool fb_probe_rig_next(struct fb_probe_rig *);
/* Sets the bits of any digest, of a rig that is open. */
void fb_probe_rig_set(struct fb_probe_rig *, const uint64_t *digest);
/* The error of open or next. */
enum fb_err fb_probe_rig_close(struct fb_probe_rig *);

/*
 * Readings: the position of probe i as a text words it, n_bits and n_blocks as in the geometry. The
 * position of the design itself is one of them; others are what a text says literally.
 */
struct fb_probe_reading {
    const char *name;
    bool msb_first;
    uint64_t (*position)(const struct fb_geometry *, const uint64_t *digest, unsigned i);
};
/* The one that an argument names. FB_EINVAL: no such reading. */
enum fb_err fb_arg_reading(struct fb_bench *, const json_t *args, const char *key,
                           const struct fb_probe_reading **out) FB_MUST_USE;

/* Whether the reading gives exactly the positions that the rig shows. */
bool fb_probe_reading_agrees(const struct fb_probe_reading *, const struct fb_probe_rig *);

#endif
