/*
 * A yardstick's question as anyone would write it: for each digest find its line and see whether
 * every word of it is non-zero. No look-ahead, no prefetch, no instruction set named. If this were
 * faster than touch-32 or touch-64, ratios to those would flatter.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_PLAIN_LOOP_H
#define FILTERBENCH_HARNESS_FILTER_PLAIN_LOOP_H

#include "filters/core/filter.h"

/* query_batch of a filter of design touch-32 or touch-64. */
size_t fb_plain_loop(const struct fb_filter *, const uint64_t *digests, size_t n, uint8_t *maybe);

#endif
