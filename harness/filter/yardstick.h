/*
 * Yardsticks: the designs that others are held to, and the families of their loops.
 *
 * What a yardstick costs depends on the instruction set, on how far ahead lines are fetched and
 * into which cache; no one choice is the fastest on every processor and at every footprint. So a
 * yardstick is a family: each member is a kernel of the design with an entry of the tuning. A
 * run that gives ratios measures the family first and takes the fastest member.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_YARDSTICK_H
#define FILTERBENCH_HARNESS_FILTER_YARDSTICK_H

#include "filters/core/filter.h"
#include "filters/core/tuning.h"
#include "harness/filter/operation.h"

enum fb_yardstick {
    FB_YARD_TOUCH_32, /* of designs of one 32-byte block */
    FB_YARD_TOUCH_64, /* of one block of 64 bytes */
    FB_YARD_FETCH,    /* of all others: one word of a line */
    FB_N_YARDSTICKS
};
const char *fb_yardstick_name(enum fb_yardstick);        /* of its design: "touch-32" */
enum fb_yardstick fb_yardstick_find(const char *design); /* FB_N_YARDSTICKS: none of that name */
enum fb_yardstick fb_yardstick_of(const struct fb_geometry *); /* whom such a filter is held to */
enum fb_tuned fb_yardstick_tuned(enum fb_yardstick); /* the entries that its kernels read */

/* One loop. */
struct fb_yardstick_member {
    uint32_t kernel; /* index into the design's kernels */
    struct fb_prefetch how;
};
enum { FB_FAMILY_MOST = 32 };

/*
 * The loops of a yardstick on a machine that runs the instruction sets isa [FB_N_ISAS]. Batches:
 * the two best sets without prefetch and with 16, 32, 64, 128 and 256 keys ahead into either
 * cache, the others with 32 and 64, as well as loops of 16 keys at once and of gathers. Inserts:
 * the same, into the second-level cache or for ownership. Chains and other operations, which look
 * ahead to nothing: each set. Returns their number; 0 without a kernel that runs.
 */
size_t fb_yardstick_family(enum fb_yardstick, const bool *isa, enum fb_operation,
                           struct fb_yardstick_member out[FB_FAMILY_MOST]);

#endif
