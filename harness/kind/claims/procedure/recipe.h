/*
 * A filter of random keys, as the arguments of a row ask for it: planned, empty or built.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_RECIPE_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_RECIPE_H

#include "harness/kind/claims/procedure/arguments.h"

struct fb_recipe {
    const struct fb_design *design;
    struct fb_params params;
    uint64_t n; /* keys */
};

/* design, bits_per_key, fpr, k, and n: 1000 where absent. */
enum fb_err fb_recipe_read(struct fb_bench *, const json_t *args,
                           struct fb_recipe *out) FB_MUST_USE;

/* The geometry; the filter sized for n keys, without them; with the first n keys of a stream; with
 * other keys. On failure bench->why names the design, and *out is zeroed. */
enum fb_err fb_recipe_plan(struct fb_bench *, const struct fb_recipe *,
                           struct fb_geometry *out) FB_MUST_USE;
enum fb_err fb_recipe_empty(struct fb_bench *, const struct fb_recipe *,
                            struct fb_filter *out) FB_MUST_USE;
enum fb_err fb_recipe_build(struct fb_bench *, const struct fb_recipe *, uint64_t stream,
                            struct fb_filter *out) FB_MUST_USE;
enum fb_err fb_recipe_build_of(struct fb_bench *, const struct fb_recipe *, const struct fb_keys *,
                               struct fb_filter *out) FB_MUST_USE;

#endif
