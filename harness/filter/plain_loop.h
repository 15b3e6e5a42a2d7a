/*
 * A yardstick's question as anyone would write it: loops over the same digests, one key after the
 * other, that share nothing with the kernels of filters/. If one of them is faster than the
 * yardstick, that is no limit, and ratios to it flatter.
 *
 * Each loop tests whether every word that it loads has its lowest bit, as the yardsticks do. Lines
 * are found twice, `ahead` keys before their use and at it.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_PLAIN_LOOP_H
#define FILTERBENCH_HARNESS_FILTER_PLAIN_LOOP_H

#include "harness/filter/yardstick.h"

struct fb_plain_loop {
    enum fb_isa isa;
    bool gathers; /* eight words with one instruction; of FB_YARD_FETCH only */
    struct fb_prefetch how;
};

/* By number; NULL: there are no more. */
const struct fb_plain_loop *fb_plain_loop_at(size_t i);
/* "plain", "T1-64", "gather", "gather-T0-128" */
enum { FB_PLAIN_STYLE = 24 };
void fb_plain_loop_style(const struct fb_plain_loop *, char out[FB_PLAIN_STYLE]);

/* query_batch of a filter of that yardstick, on a processor that has the instruction set. */
size_t fb_plain_loop(const struct fb_plain_loop *, enum fb_yardstick, const struct fb_filter *,
                     const uint64_t *digests, size_t n, uint8_t *maybe);

#endif
