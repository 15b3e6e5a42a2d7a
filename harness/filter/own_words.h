/*
 * The words of a geometry that are a design's own, as JSON: {"seed": "0x5eed...", "segment":
 * "0x80"}.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_OWN_WORDS_H
#define FILTERBENCH_HARNESS_FILTER_OWN_WORDS_H

#include <jansson.h>

#include "filters/core/filter.h"

/* NULL: the design has none. */
json_t *fb_own_words_json(const struct fb_design *, const struct fb_geometry *);
void fb_own_words_read(const struct fb_design *, const json_t *own, struct fb_geometry *);

#endif
