/*
 * always: answers yes and touches nothing.
 *
 * A control: what every lookup costs when no filter stands before the data.
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
    return 1;
}

static const struct fb_kernel *const kernels[] = {&fb_kernel_yes, NULL};

const struct fb_design fb_design_always = {
    .name = "always",
    .summary = "control: answers yes, touches nothing",
    .source = "filters/always.c",
    .caveat = "filters nothing",
    .traits = FB_CONTROL | FB_FIXED_PROBES,
    .hash = "xxh64, seed 0, ignored",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .kernels = kernels,
};
