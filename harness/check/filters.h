/* What the files of the self-check that ask designs share. */
#ifndef FILTERBENCH_HARNESS_CHECK_FILTERS_H
#define FILTERBENCH_HARNESS_CHECK_FILTERS_H

#include "filters/core/filter.h"

/* Of design i of the registry; NULL: there are fewer. */
const char *fb_check_design_name(size_t i);

/* So many bits per key as of fb_bits_taken; where the design takes no bits the rate, or the nearest
 * of 2, 4, 8, ... times the rate that it reaches. */
struct fb_params fb_check_params(const struct fb_design *, double bits, double fpr);

#endif
