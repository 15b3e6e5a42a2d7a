/*
 * null: answers no and touches nothing.
 *
 * A control: what the harness itself costs, and the speed no filter can exceed. It denies the keys
 * it was given, so a check for false negatives must find every one of them.
 */
#include "filters/core/internal/control.h"
#include "filters/core/scattered.h"

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
    .plan = fb_control_plan,
    .fpr = fb_control_never,
    .kernels = kernels,
};
