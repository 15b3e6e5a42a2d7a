/* Controls that touch nothing: no bytes, and always the same answer. */
#ifndef FILTERBENCH_FILTERS_CORE_INTERNAL_CONTROL_H
#define FILTERBENCH_FILTERS_CORE_INTERNAL_CONTROL_H

#include "filters/core/filter.h"

/* An empty filter, whatever is asked for. */
enum fb_err fb_control_plan(const struct fb_params *, uint64_t n_keys, struct fb_geometry *,
                            const char **why);

/* Rates of the two answers: 0 and 1. */
double fb_control_never(const struct fb_geometry *, uint64_t n_keys);
double fb_control_always(const struct fb_geometry *, uint64_t n_keys);

#endif
