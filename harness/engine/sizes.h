/*
 * The sizes of many small filters. A design that takes the one of bits and rate that was not given
 * has it solved for; that is done once for each number of keys.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_SIZES_H
#define FILTERBENCH_HARNESS_ENGINE_SIZES_H

#include "filters/core/filter.h"

enum { FB_SIZES_KNOWN = 1024 }; /* numbers of keys below it are remembered */

struct fb_sizes {
    const struct fb_design *design;
    struct fb_params asked;
    struct fb_params known[FB_SIZES_KNOWN]; /* resolved; zero: not yet */
};

/* As fb_filter_build. One thread at a time. */
enum fb_err fb_sizes_build(struct fb_sizes *, const struct fb_keys *, struct fb_filter *out,
                           const char **why) FB_MUST_USE;

#endif
