/*
 * What each size of a filter buys: a design's predicted false-positive rate against its memory.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_CURVE_H
#define FILTERBENCH_HARNESS_FILTER_CURVE_H

#include "filters/core/filter.h"

struct fb_curve_point {
    double request; /* bits per key to ask the design for; -1: no filter */
    double bits;    /* of memory per key that it then takes */
    double fpr;
};

/* Ascending in bits, falling in fpr; the first point is no filter, {-1, 0, 1}. */
struct fb_curve {
    struct fb_curve_point *at; /* [n], owned */
    size_t n;
};

enum { FB_CURVE_MAX_BITS = 64 }; /* per key: the end of the curve */

/*
 * The curve for filters of n_keys >= 1: sizes the design can take, 1/64 bit apart up to 16 bits,
 * 1/32 up to 32 and 1/8 beyond (whole bits, or steps of its rate, where it takes only those).
 * Rates are the design's fpr(), times what a simulation of ideal hashes finds above it at every
 * second whole bit where its scheme needs one (filters of at most 2^17 keys; beyond 40 bits, or
 * where hits are too few, as at the last size that had enough).
 * Pure. 0.1 s, 0.7 s where it simulates. FB_ENOMEM.
 */
enum fb_err fb_curve_make(const struct fb_design *, uint64_t n_keys,
                          struct fb_curve *out) FB_MUST_USE;
void fb_curve_close(struct fb_curve *);

/* The corners of the lower convex hull of (bits, fpr), as indices into [hull, curve->n] of them;
 * returns how many. The first is point 0; rates fall ever less steeply from corner to corner. */
size_t fb_curve_hull(const struct fb_curve *, size_t *hull);

/* Bits per key in memory of a filter of n_keys for which `request` bits per key are asked; -1 is
 * no filter and takes none. */
enum fb_err fb_size_bits(const struct fb_design *, uint64_t n_keys, double request, double *bits,
                         const char **why) FB_MUST_USE;

#endif
