/*
 * The arguments of a row's procedure, as results/claims/<document>.json gives them.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_ARGUMENTS_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_ARGUMENTS_H

#include <jansson.h>

#include "harness/kind/claims/procedure/bench.h"

/* A number, a whole number, a text; `otherwise` where absent. An integer written in hex as text; 0
 * where absent. Whether a text is there and is this one. */
double fb_arg_number(const json_t *args, const char *key, double otherwise);
uint64_t fb_arg_count(const json_t *args, const char *key, uint64_t otherwise);
const char *fb_arg_text(const json_t *args, const char *key, const char *otherwise);
uint64_t fb_arg_hex(const json_t *args, const char *key);
bool fb_arg_is(const json_t *args, const char *key, const char *text);

/* The design named by `key`. FB_EINVAL: no such design. */
enum fb_err fb_arg_design(struct fb_bench *, const json_t *args, const char *key,
                          const struct fb_design **design);
/* bits_per_key, fpr and k as parameters. */
struct fb_params fb_arg_params(const json_t *args);

/* The arguments with the members of their member "over" laid over them. Owned by the caller. */
json_t *fb_arg_over(const json_t *args);

#endif
