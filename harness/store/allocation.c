#include "harness/store/allocation.h"

#include <math.h>
#include <stdlib.h>

#include "filters/core/math.h"

const struct fb_word fb_allocations[] = {
    {"uniform", "the same bits per key everywhere"},
    {"monkey", "least false reads of ideal Bloom filters in the same memory, in closed form"},
    {"optimal", "least false reads on the design's own curve in the same memory"},
    {"drop-last", "no filter for the last level, the others keep theirs"},
    {0},
};

/* Keys of the filters of a run. */
static uint64_t unit_of(const struct fb_allocation_run *run)
{
    uint64_t keys = run->unit_keys ? fb_min_u64(run->unit_keys, run->n_keys) : run->n_keys;
    return keys ? keys : 1;
}

/* Bits that the runs take. */
static enum fb_err total_bits(const struct fb_design *design, const struct fb_allocation_run *runs,
                              size_t n, double *total, const char **why)
{
    enum fb_err err = FB_OK;
    double bits = 0;
    *total = 0;
    for (size_t i = 0; !err && i < n; i++) {
        if (!i || unit_of(&runs[i]) != unit_of(&runs[i - 1]) || runs[i].bits != runs[i - 1].bits)
            err = fb_size_bits(design, unit_of(&runs[i]), runs[i].bits, &bits, why);
        *total += bits * (double)runs[i].n_keys;
    }
    return err;
}

/* ---- Runs on their curves ---- */

/* A run on its curve. */
struct place {
    const struct fb_curve_of *on;
    size_t point; /* where the run stands */
    size_t best;  /* where it stood when all was best */
    bool full;    /* takes no more steps */
};

struct step {
    double gain;      /* I/O saved per bit */
    uint32_t run, to; /* corner of the hull that it leads to */
};

struct split {
    const struct fb_allocation_run *runs;
    size_t n, n_steps;
    double budget;
    struct place *places; /* [n] */
    double reads;         /* where all was best */
    struct step *steps;
};

static const struct fb_curve *curve_of(const struct split *s, size_t run)
{
    return &s->places[run].on->curve;
}

/* Where a run stands. */
static const struct fb_curve_point *point_of(const struct split *s, size_t run)
{
    return &curve_of(s, run)->at[s->places[run].point];
}

static bool worth_a_filter(const struct fb_allocation_run *run)
{
    return run->weight > 0 && run->n_keys > 0;
}

static double memory_of(const struct split *s)
{
    double total = 0;
    for (size_t i = 0; i < s->n; i++)
        total += point_of(s, i)->bits * (double)s->runs[i].n_keys;
    return total;
}

static double reads_of(const struct split *s)
{
    double reads = 0;
    for (size_t i = 0; i < s->n; i++)
        reads += s->runs[i].weight * point_of(s, i)->fpr;
    return reads;
}

/* Keeps the points if they fit and are the best so far. */
static void keep_better(struct split *s)
{
    const double reads = reads_of(s);
    if (!(reads < s->reads) || memory_of(s) > s->budget)
        return;
    s->reads = reads;
    for (size_t i = 0; i < s->n; i++)
        s->places[i].best = s->places[i].point;
}

/* Runs share the curves of the sizes that they have in common. */
static enum fb_err split_open(struct fb_curves *curves, const struct fb_allocation_run *runs,
                              size_t n, double budget, struct split *s)
{
    *s = (struct split){.runs = runs, .n = n, .budget = budget, .reads = INFINITY};
    s->places = calloc(n, sizeof *s->places);
    enum fb_err err = s->places ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; !err && i < n; i++)
        err = fb_curves_find(curves, unit_of(&runs[i]), &s->places[i].on);
    return err;
}

static void split_close(struct split *s)
{
    free(s->places);
    free(s->steps);
}

/* ---- Closed form ---- */

/* Bits per key of an ideal Bloom filter at rate min(1, 2^x n_i / w_i). */
static double ideal_bits(const struct fb_allocation_run *run, double x)
{
    if (!worth_a_filter(run))
        return 0;
    double log2_rate = x + fb_log2((double)run->n_keys) - fb_log2(run->weight);
    return log2_rate < 0 ? -log2_rate / FB_LN2 : 0;
}

/* The point nearest to `bits`. */
static size_t nearest(const struct fb_curve *curve, double bits)
{
    size_t low = 0, high = curve->n - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (curve->at[middle].bits <= bits)
            low = middle;
        else
            high = middle;
    }
    return bits - curve->at[low].bits <= curve->at[high].bits - bits ? low : high;
}

static double place_monkey(struct split *s, double x)
{
    for (size_t i = 0; i < s->n; i++)
        s->places[i].point = nearest(curve_of(s, i), ideal_bits(&s->runs[i], x));
    return memory_of(s);
}

/* log2 lambda by bisection: the least whose sizes, as the design has them, fit. */
static void monkey(struct split *s)
{
    enum { STEPS = 60 };
    double low = -400, high = 400;
    for (int i = 0; i < STEPS; i++) {
        double x = (low + high) / 2;
        if (place_monkey(s, x) > s->budget)
            low = x;
        else
            high = x;
    }
    place_monkey(s, high);
    keep_better(s);
}

/* ---- Steps along the design's own curve ---- */

/* Best first; of equals the first run's, and a run's in their order. */
static int by_gain(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static enum fb_err list_steps(struct split *s)
{
    size_t room = 0;
    for (size_t i = 0; i < s->n; i++)
        room += s->places[i].on->n_hull;
    s->steps = calloc(room + 1, sizeof *s->steps);
    if (!s->steps)
        return FB_ENOMEM;
    for (size_t i = 0; i < s->n; i++) {
        const struct fb_curve_of *on = s->places[i].on;
        for (size_t j = 1; worth_a_filter(&s->runs[i]) && j < on->n_hull; j++) {
            const struct fb_curve_point *from = &on->curve.at[on->hull[j - 1]];
            const struct fb_curve_point *to = &on->curve.at[on->hull[j]];
            double bits = (to->bits - from->bits) * (double)s->runs[i].n_keys;
            s->steps[s->n_steps++] = (struct step){
                .gain = s->runs[i].weight * (from->fpr - to->fpr) / bits,
                .run = (uint32_t)i,
                .to = (uint32_t)j,
            };
        }
    }
    qsort(s->steps, s->n_steps, sizeof *s->steps, by_gain);
    return FB_OK;
}

/*
 * Takes the steps in order. One that does not fit is taken as far as it does, and is the last of
 * its run; the other runs go on. `held` (n: none) is a run that stays at its point `at_held`. Where
 * a run does not get what it should, those whose reads are a millionth of all get nothing more:
 * the smallest are not to grow without use on what the largest could not afford.
 */
static void take_steps(struct split *s, size_t held, size_t at_held)
{
    static const double of_use = 1e-6;
    bool tight = held < s->n;
    for (size_t i = 0; i < s->n; i++) {
        s->places[i].point = i == held ? at_held : 0;
        s->places[i].full = i == held;
    }
    double reads = reads_of(s), left = s->budget * (1 - 1e-12) - memory_of(s); /* sums round */
    for (size_t i = 0; left >= 0 && i < s->n_steps; i++) {
        const struct step *step = &s->steps[i];
        const struct fb_allocation_run *run = &s->runs[step->run];
        struct place *place = &s->places[step->run];
        const struct fb_curve_point *at = place->on->curve.at;
        const size_t corner = place->on->hull[step->to], here = place->point;
        size_t goal = corner;
        if (place->full || (tight && run->weight * at[here].fpr < of_use * reads))
            continue;
        while (goal > here && (at[goal].bits - at[here].bits) * (double)run->n_keys > left)
            goal--;
        place->full = goal != corner;
        tight = tight || place->full;
        reads -= run->weight * (at[here].fpr - at[goal].fpr);
        left -= (at[goal].bits - at[here].bits) * (double)run->n_keys;
        place->point = goal;
    }
    keep_better(s);
}

/* The runs [n_large] with the most keys, largest first, of equals the first. */
static size_t largest_runs(const struct split *s, size_t n_large, size_t *large)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!worth_a_filter(&s->runs[i]))
            continue;
        size_t at = n < n_large ? n++ : n_large;
        for (; at > 0 && s->runs[large[at - 1]].n_keys < s->runs[i].n_keys; at--)
            if (at < n_large)
                large[at] = large[at - 1];
        if (at < n_large)
            large[at] = i;
    }
    return n;
}

/* Where sizes lie far apart the best steps leave much unspent: the largest runs are tried at each
 * size near the one they have, and the others share the rest. */
static enum fb_err descend(struct split *s)
{
    enum { LARGE = 3, NEAR = 12 };
    size_t large[LARGE];
    enum fb_err err = list_steps(s);
    if (err)
        return err;
    take_steps(s, s->n, 0);
    size_t n_large = largest_runs(s, LARGE, large);
    for (size_t i = 0; i < n_large; i++) {
        size_t middle = s->places[large[i]].best;
        size_t end = fb_min_u64(middle + NEAR + 1, curve_of(s, large[i])->n);
        for (size_t at = middle > NEAR ? middle - NEAR : 0; at < end; at++)
            take_steps(s, large[i], at);
    }
    return FB_OK;
}

/* The best of the steps, the closed form and the uniform split that the runs hold. */
static enum fb_err optimal(struct split *s, const struct fb_design *design, const char **why)
{
    enum fb_err err = FB_OK;
    for (size_t i = 0; !err && i < s->n; i++) {
        const struct fb_curve *curve = curve_of(s, i);
        size_t *point = &s->places[i].point;
        double bits;
        err = fb_size_bits(design, unit_of(&s->runs[i]), s->runs[i].bits, &bits, why);
        while (*point + 1 < curve->n && curve->at[*point + 1].bits <= bits)
            ++*point;
    }
    keep_better(s);
    monkey(s);
    return err ? err : descend(s);
}

enum fb_err fb_allocate_on(enum fb_allocation allocation, struct fb_curves *curves,
                           double bits_per_key, struct fb_allocation_run *runs, size_t n,
                           const char **why)
{
    const struct fb_design *design = curves->design;
    const bool curved = allocation == FB_ALLOC_MONKEY || allocation == FB_ALLOC_OPTIMAL;
    struct split split = {0};
    double budget;
    *why = NULL;
    for (size_t i = 0; i < n; i++)
        runs[i].bits = bits_per_key;
    enum fb_err err = total_bits(design, runs, n, &budget, why);
    for (size_t i = 0; allocation == FB_ALLOC_DROP_LAST && i < n; i++)
        runs[i].bits = runs[i].last ? -1 : bits_per_key;
    if (err || !n || !curved || design->traits & FB_CONTROL)
        return err;
    err = split_open(curves, runs, n, budget, &split);
    if (!err && allocation == FB_ALLOC_MONKEY)
        monkey(&split);
    else if (!err)
        err = optimal(&split, design, why);
    for (size_t i = 0; !err && i < n; i++)
        runs[i].bits =
            worth_a_filter(&runs[i]) ? curve_of(&split, i)->at[split.places[i].best].request : -1;
    split_close(&split);
    return err;
}

enum fb_err fb_allocate(enum fb_allocation allocation, const struct fb_design *design,
                        double bits_per_key, struct fb_allocation_run *runs, size_t n,
                        const char **why)
{
    struct fb_curves curves = {.design = design};
    enum fb_err err = fb_allocate_on(allocation, &curves, bits_per_key, runs, n, why);
    fb_curves_close(&curves);
    return err;
}
