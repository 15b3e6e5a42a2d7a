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
 * The curve for filters of n_keys >= 1. Its points are sizes that the design can take: requests
 * 1/64 bit per key apart up to 16 bits, 1/32 up to 32 and 1/8 beyond; whole bits, or rates
 * 2^(-i/32), where the design takes only those.
 *
 * Rates are the design's fpr(). Where its scheme needs a simulation (filters/core/simulate.h), they
 * are multiplied by what one finds above the formula at every second whole bit, with at most 2^17
 * keys. Beyond 40 bits, and where false positives are too few to tell, the factor is that of the
 * last size that had enough.
 *
 * Pure. Takes 0.1 s, 0.7 s where it simulates. FB_ENOMEM.
 */
enum fb_err fb_curve_make(const struct fb_design *, uint64_t n_keys,
                          struct fb_curve *out) FB_MUST_USE;
void fb_curve_close(struct fb_curve *);

/* Writes the corners of the lower convex hull of (bits, fpr) to hull, which has room for curve->n,
 * as indices of points; returns how many. The first is point 0. From corner to corner the rate
 * falls ever less steeply. */
size_t fb_curve_hull(const struct fb_curve *, size_t *hull);

/* The curve of one design for one number of keys, with its hull. */
struct fb_curve_of {
    uint64_t n_keys;
    struct fb_curve curve;
    size_t *hull, n_hull; /* [n_hull] */
};

/* Curves of one design, made as they are asked for and kept. Set `design`, the rest is zero. Not
 * for two threads at once. */
struct fb_curves {
    const struct fb_design *design;
    struct fb_curve_of **at; /* [n], owned */
    size_t n;
};

/* The one for filters of n_keys >= 1; *out is borrowed. FB_ENOMEM. */
enum fb_err fb_curves_find(struct fb_curves *, uint64_t n_keys,
                           const struct fb_curve_of **out) FB_MUST_USE;
void fb_curves_close(struct fb_curves *);

/* The largest point of at most so many bits of memory per key; the first one at worst. */
const struct fb_curve_point *fb_curve_at_most(const struct fb_curve *, double bits);

/* Bits per key that a filter of n_keys takes when `request` bits per key are asked for: 10.24 of 10
 * where it comes in whole blocks. A request of -1 is no filter and takes 0. */
enum fb_err fb_size_bits(const struct fb_design *, uint64_t n_keys, double request, double *bits,
                         const char **why) FB_MUST_USE;

#endif
