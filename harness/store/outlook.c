#include "harness/store/outlook.h"

#include <stdio.h>

#include "harness/store/expectation.h"
#include "workloads/core/tree.h"

/* Its seven highest bits. */
static uint64_t rounded(uint64_t keys)
{
    unsigned below = 0;
    while (keys >> below >= 128)
        below++;
    return keys >> below << below;
}

/* The rate and the memory of filters of one run. */
static enum fb_err look_up(struct fb_curves *curves, const struct fb_allocation_run *run,
                           double *rate, double *bits, const char **why)
{
    const struct fb_curve_of *on;
    *rate = 1;
    *bits = 0;
    if (run->bits < 0)
        return FB_OK;
    enum fb_err err = fb_curves_find(curves, run->unit_keys, &on);
    if (!err)
        err = fb_size_bits(curves->design, run->unit_keys, run->bits, bits, why);
    if (!err)
        *rate = fb_curve_at_most(&on->curve, *bits)->fpr;
    return err;
}

/* Filters that a query asks: of the runs that have one, all for an absent key, and for a present
 * one those down to its holder. */
static void count_asked(const struct fb_allocation_run *split, const struct fb_outlook_run *runs,
                        size_t n, struct fb_outlook *out)
{
    out->asked_absent = out->asked_present = 0;
    for (size_t i = 0; i < n; i++) {
        out->asked_absent += split[i].bits >= 0;
        out->asked_present += runs[i].pi * out->asked_absent;
    }
}

/* w_i of allocation.h; every run's range holds every key. */
static void weigh(const struct fb_outlook_run *runs, size_t n, double absent,
                  struct fb_allocation_run *split)
{
    double behind = 0;
    for (size_t i = n; i-- > 0; behind += runs[i].pi)
        split[i] = (struct fb_allocation_run){.n_keys = runs[i].keys,
                                              .unit_keys = rounded(runs[i].unit_keys),
                                              .weight = absent + (1 - absent) * behind,
                                              .last = runs[i].last};
}

enum fb_err fb_outlook_of(struct fb_curves *curves, enum fb_allocation allocation, double request,
                          const struct fb_outlook_run *runs, size_t n, double absent,
                          struct fb_outlook *out, double *bits, const char **why)
{
    static _Thread_local struct fb_allocation_run split[FB_MAX_RUNS];
    static _Thread_local struct fb_expected_run expected[FB_MAX_RUNS];
    struct fb_expectation reads;
    weigh(runs, n, absent, split);
    enum fb_err err = fb_allocate_on(allocation, curves, request, split, n, why);
    out->bytes = 0;
    for (size_t i = 0; !err && i < n; i++) {
        double taken;
        expected[i] = (struct fb_expected_run){.r = 1, .pi = runs[i].pi};
        err = look_up(curves, &split[i], &expected[i].f, &taken, why);
        out->bytes += taken / 8 * (double)runs[i].keys;
        if (bits)
            bits[i] = split[i].bits;
    }
    if (err)
        return err;
    fb_expect(expected, n, absent, &reads);
    out->reads_absent = reads.io_absent;
    out->reads_present = reads.io_present;
    count_asked(split, runs, n, out);
    return FB_OK;
}

void fb_outlook_bounds(const struct fb_outlook_run *runs, size_t n, struct fb_outlook *none,
                       struct fb_outlook *perfect)
{
    *none = (struct fb_outlook){.reads_absent = (double)n};
    *perfect = (struct fb_outlook){.reads_present = 1, .asked_absent = (double)n};
    for (size_t i = 0; i < n; i++) {
        none->reads_present += runs[i].pi * (double)(i + 1);
        perfect->asked_present += runs[i].pi * (double)(i + 1);
    }
}

static double mix(double absent, double of_absent, double of_present)
{
    return absent * of_absent + (1 - absent) * of_present;
}

double fb_outlook_reads(const struct fb_outlook *o, double absent)
{
    return mix(absent, o->reads_absent, o->reads_present);
}

double fb_outlook_asked(const struct fb_outlook *o, double absent)
{
    return mix(absent, o->asked_absent, o->asked_present);
}

enum fb_err fb_outlook_request(struct fb_curves *curves, uint64_t unit_keys, double bits,
                               double *request, double *taken, const char **why)
{
    static _Thread_local char least[80];
    const struct fb_curve_of *on;
    enum fb_err err = fb_curves_find(curves, rounded(unit_keys), &on);
    if (err)
        return err;
    const struct fb_curve_point *point = fb_curve_at_most(&on->curve, bits);
    *request = point->request;
    *taken = point->bits;
    if (point->request > 0)
        return FB_OK;
    snprintf(least, sizeof least, "its least filter takes %.4g bits per key",
             on->curve.n > 1 ? on->curve.at[1].bits : (double)FB_CURVE_MAX_BITS);
    *why = least;
    return FB_EINVAL;
}
