/* Bits per key for whatever design, where a check asks all of them. */
#ifndef FILTERBENCH_HARNESS_FILTER_BITS_TAKEN_H
#define FILTERBENCH_HARNESS_FILTER_BITS_TAKEN_H

#include "filters/core/filter.h"

/* So many, or the first of bits + 1, bits + 2, ... that the design has a filter of: 18 of (fuse-16,
 * 10). 0 stays 0. */
double fb_bits_taken(const struct fb_design *, double bits);

#endif
