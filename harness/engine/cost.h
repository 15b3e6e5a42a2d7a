/*
 * What a Get of an engine costs, fitted to times of Gets whose work is known:
 *
 *     ns = base + check * filters asked + cold_check * the same, weighed by coldness
 *          + read * data blocks looked into + cold_read * the same, weighed by coldness
 *          + found * (the key is there)
 *
 * Gets of equal work are a group. Filters, indexes and blocks of small levels (predict.h) are often
 * in the caches of the processor. Each
 * group was timed in several visits; of it counts their median, with the number of its keys as
 * weight. Groups tell what a check and a read take. Gets of a group are faster than the same
 * ones among others, since a processor guesses well what always happens: so base and found are
 * those of streams of Gets as they come, which were timed as well.
 *
 * Gets that find their key decide about check and read only where the others cannot tell: filters
 * of lower levels cost less, as they are smaller, and keys that are found ask them more often. A
 * term that is not told apart from others is not known: where all Gets ask one filter, its check is
 * part of base.
 *
 * Times are those of visits to the database, one number each. Intervals are of the visits: 400
 * times as many visits are drawn with repeats, the same ones for all groups.
 *
 * A read leaves its block in the caches of the processor, and the Gets behind it find less of what
 * they need there: base was 275 ns where one Get of 1000 reads and 470 where every other one does
 * (RocksDB 7.8.3, a million keys, Zen 3). So a cell tells of Gets that read as often as its own,
 * and a profile has cells of several sizes (io_profile.h); `behind` says how often that is.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_COST_H
#define FILTERBENCH_HARNESS_ENGINE_COST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What each of some Gets does; of a stream, means. */
struct fb_cost_work {
    double checks, cold_checks, reads, cold_reads, found; /* found: 0 or 1 */
};
/* The share of Gets of such a stream that come within 8 Gets behind a read. */
double fb_cost_behind(const struct fb_cost_work *);

struct fb_cost_group {
    struct fb_cost_work work;
    bool stream;
    uint64_t keys;
    const double *ns; /* [n] of each visit, per Get; n >= 1 */
    size_t n;
};

enum fb_cost_term {
    FB_COST_BASE,
    FB_COST_FOUND,
    FB_COST_READ,
    FB_COST_COLD_READ,
    FB_COST_CHECK,
    FB_COST_COLD_CHECK,
    FB_COST_TERMS
};
enum { FB_COST_DRAWS = 400 };

struct fb_costs {
    bool known[FB_COST_TERMS];
    double terms[1 + FB_COST_DRAWS][FB_COST_TERMS]; /* ns; [0]: of all visits; 0: not known */
};

/* A value with its 95 % interval. */
struct fb_cost {
    double value, low, high;
};

/* False: no groups. */
bool fb_costs_fit(const struct fb_cost_group *, size_t n, struct fb_costs *out);
/* The same, of a cell of kind engine: "groups", and "times" and "predicted" of its streams. */
bool fb_costs_of(const json_t *cell, struct fb_costs *out);

struct fb_cost fb_costs_term(const struct fb_costs *, enum fb_cost_term);
/* Of Gets that do such work: of one, or of a stream. */
struct fb_cost fb_costs_get(const struct fb_costs *, const struct fb_cost_work *);
/* Of one filter that is asked, or one read, of a level that is not in caches of the processor at
 * all. term: FB_COST_CHECK or FB_COST_READ. */
struct fb_cost fb_costs_cold(const struct fb_costs *, enum fb_cost_term term);

/* The median of n >= 1 numbers, with the interval that the order of them gives. */
struct fb_cost fb_cost_median(const double *x, size_t n);

/* Of Gets of which a share does `b` and the others do `a`, in the mean. */
struct fb_cost_work fb_cost_work_mix(const struct fb_cost_work *a, const struct fb_cost_work *b,
                                     double share);
/* Means of a stream of a cell, as predicted. */
struct fb_cost_work fb_cost_work_of(const json_t *cell, const char *stream);

/* {value, low, high} */
json_t *fb_cost_json(struct fb_cost);

#endif
