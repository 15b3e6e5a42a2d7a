/* Random values with the distribution of a histogram. */
#ifndef FILTERBENCH_HARNESS_STORE_DRAWS_H
#define FILTERBENCH_HARNESS_STORE_DRAWS_H

#include "harness/stats/histogram.h"

struct fb_draws;

/* From a histogram with n >= 1 samples; free() it. NULL: out of memory. */
struct fb_draws *fb_draws_of(const struct fb_histogram *) FB_MUST_USE;

/* The value in picoseconds of sample floor(word * n / 2^64), counted in ascending order: words that
 * are uniform draw from the histogram. O(log bins). */
uint64_t fb_draw(const struct fb_draws *, uint64_t word);

#endif
