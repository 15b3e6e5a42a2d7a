/*
 * always: answers yes and touches nothing.
 *
 * A control: what every lookup costs when no filter stands before the data.
 */
#include "filters/core/internal/control.h"
#include "filters/core/scattered.h"

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
    .plan = fb_control_plan,
    .fpr = fb_control_always,
    .kernels = kernels,
};
