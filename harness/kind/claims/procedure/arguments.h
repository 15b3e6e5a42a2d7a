/*
 * The arguments of a row's procedure, as results/claims/<document>.json gives them, and the filter
 * that they ask for.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_ARGUMENTS_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_ARGUMENTS_H

#include <jansson.h>

#include "harness/kind/claims/procedure/bench.h"

/* A number, a whole number, a text. Where the member is absent or of another type the answer is
 * `otherwise`. */
double fb_arg_number(const json_t *args, const char *key, double otherwise);
uint64_t fb_arg_count(const json_t *args, const char *key, uint64_t otherwise);
const char *fb_arg_text(const json_t *args, const char *key, const char *otherwise);
/* A whole number written as text: "0x1F" is 31. 0 where absent. */
uint64_t fb_arg_hex(const json_t *args, const char *key);
/* Whether the member is this text. */
bool fb_arg_is(const json_t *args, const char *key, const char *text);

/* The member "design", which must name one. */
const struct fb_design *fb_arg_design(struct fb_bench *, const json_t *args);
/* bits_per_key, fpr and k as parameters. */
struct fb_params fb_arg_params(const json_t *args);
/* A variant: the arguments with the members of their member "over" laid over them. {"n": 5, "k": 7,
 * "over": {"n": 9}} gives n 9 and k 7. The caller owns it. */
json_t *fb_arg_over(const json_t *args);

/* A filter to plan or to build: design and parameters as above, n keys (1000 where absent), and
 * their format `keys` (random). */
struct fb_recipe {
    const struct fb_design *design;
    struct fb_params params;
    uint64_t n;
    const char *keys;
};
struct fb_recipe fb_arg_recipe(struct fb_bench *, const json_t *args);

/* The geometry for n keys. */
struct fb_geometry fb_recipe_plan(struct fb_bench *, const struct fb_recipe *);
/* A filter of that geometry: without keys; with keys 0 .. n - 1 of a stream; with given keys. The
 * caller closes it, after a failure as well. */
struct fb_filter fb_recipe_empty(struct fb_bench *, const struct fb_recipe *);
struct fb_filter fb_recipe_build(struct fb_bench *, const struct fb_recipe *, uint64_t stream);
struct fb_filter fb_recipe_build_of(struct fb_bench *, const struct fb_recipe *,
                                    const struct fb_keys *);

#endif
