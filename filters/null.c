/*
 * null: answers no and touches nothing.
 *
 * A control: what the harness itself costs, and the speed no filter can exceed. It denies the keys
 * it was given, so a check for false negatives must find every one of them.
 */
#include "filters/core/scattered.h"

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    (void)params, (void)n_keys, (void)geom, (void)why;
    return FB_OK;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 0;
}

static const struct fb_kernel *const kernels[] = {&fb_kernel_no, NULL};

const struct fb_design fb_design_null = {
    .name = "null",
    .summary = "control: answers no, touches nothing",
    .source = "filters/null.c",
    .caveat = "every key it was given is a false negative",
    .traits = FB_CONTROL | FB_FIXED_PROBES | FB_FALSE_NEGATIVES,
    .hash = "xxh64, seed 0, ignored",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .kernels = kernels,
};
