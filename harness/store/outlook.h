/*
 * What a query of a tree will cost with filters of one design, by formula, before any filter is
 * built: the sums of expectation.h, with rates from the design's own curve.
 *
 * The sums are linear in the share of absent keys a and in the cost of a read c:
 *
 *     reads(a)  = a reads_absent + (1 - a) reads_present
 *     asked(a)  = a asked_absent + (1 - a) asked_present
 *     cost(a,c) = walk + per_filter asked(a) + c reads(a)
 *
 * so that one outlook answers every "what if": at a = 0.7 four filters of rate 1 % that every query
 * passes before the key's own cost 0.7 * 0.04 + 0.3 * 1.04 = 0.34 reads; at a = 1, 0.04.
 */
#ifndef FILTERBENCH_HARNESS_STORE_OUTLOOK_H
#define FILTERBENCH_HARNESS_STORE_OUTLOOK_H

#include "harness/store/allocation.h"

struct fb_outlook_run {
    uint64_t keys, unit_keys; /* of the run, and of one of its filters */
    double pi;                /* P(the run holds the key | it is present) */
    bool last;                /* of the last level */
};

struct fb_outlook {
    double reads_absent, reads_present; /* data blocks a query */
    double asked_absent, asked_present; /* filters a query */
    double bytes;                       /* of all filters */
};

/*
 * Filters of curves->design, `request` bits per key asked for, split over n runs, newest first, for
 * queries of which a share `absent` is for absent keys. `bits` [n], which may be NULL, gets what
 * each run's filters are asked for, -1: it has none. FB_EINVAL with *why set where the design has
 * no such filter.
 *
 * Unit sizes within 1.6 % of each other share a curve: their rates differ by less than curves err.
 */
enum fb_err fb_outlook_of(struct fb_curves *curves, enum fb_allocation, double request,
                          const struct fb_outlook_run *runs, size_t n, double absent,
                          struct fb_outlook *out, double *bits, const char **why) FB_MUST_USE;

/* Without filters, and with filters that never err and take no memory. */
void fb_outlook_bounds(const struct fb_outlook_run *runs, size_t n, struct fb_outlook *none,
                       struct fb_outlook *perfect);

double fb_outlook_reads(const struct fb_outlook *, double absent);
double fb_outlook_asked(const struct fb_outlook *, double absent);

/* What a design's filters of `unit_keys` are asked for so that they take at most `bits` of memory
 * per key; *taken is what they then take. FB_EINVAL with *why set where its least takes more. */
enum fb_err fb_outlook_request(struct fb_curves *curves, uint64_t unit_keys, double bits,
                               double *request, double *taken, const char **why) FB_MUST_USE;

#endif
