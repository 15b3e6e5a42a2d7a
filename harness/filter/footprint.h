/*
 * Footprints: bytes of filter, from the machine's own caches.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_FOOTPRINT_H
#define FILTERBENCH_HARNESS_FILTER_FOOTPRINT_H

#include "filters/core/base.h"
#include "harness/measure/caches.h"

enum fb_footprint { FB_FOOT_L1, FB_FOOT_L2, FB_FOOT_L3, FB_FOOT_DRAM, FB_N_FOOTPRINTS };
extern const struct fb_word fb_footprint_words[]; /* "L1", "L2", "L3", "DRAM" */
const char *fb_footprint_name(enum fb_footprint);
enum fb_footprint fb_footprint_find(const char *name); /* FB_N_FOOTPRINTS: no such name */

struct fb_footprints {
    struct fb_caches caches;
    uint64_t bytes[FB_N_FOOTPRINTS]; /* 0: left out */
};

/* `bytes` from the caches: 12.5 kB, half of L2, half of L3, four times L3. A guest sees the
 * last-level cache of its whole host and has a share of it: so L3 is at most 16 times L2, and DRAM
 * at most 384 MiB, or L3 and a quarter where that is more. */
void fb_footprints_derive(struct fb_footprints *);
void fb_footprints_detect(struct fb_footprints *); /* the caches as well */

/* Footprints above `most` bytes shrink to it. One that would fit a smaller cache then is left out.
 */
void fb_footprints_bound(struct fb_footprints *, uint64_t most);

#endif
