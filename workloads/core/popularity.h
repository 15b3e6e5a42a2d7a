/*
 * Which of n items a query asks for: a rank, 0 the most popular, drawn from a word of a stream. No
 * tables: exact and O(1) at 10^9 items. Uses no libm (filters/core/math.h): the same everywhere.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_POPULARITY_H
#define FILTERBENCH_WORKLOADS_CORE_POPULARITY_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/core/permutation.h"

enum fb_popularity_kind {
    FB_UNIFORM,
    FB_ZIPF,       /* P(rank) ~ (rank + 1)^-theta, exact (rejection-inversion, Hoermann & Derflinger
                      1996), any theta >= 0, also 1 */
    FB_YCSB_ZIPF,  /* YCSB's ScrambledZipfianGenerator: 10^10 items, theta 0.99, then
                      abs(FNV64(rank))  mod n */
    FB_LATEST,     /* zipf over ages: rank 0 is the newest arrival */
    FB_SEQUENTIAL, /* query i asks item i mod n */
    FB_HOTSPOT,    /* share `hot_queries` of the queries go to share `hot_items` of the items */
};

struct fb_popularity {
    enum fb_popularity_kind kind;
    double theta, hot_items, hot_queries;
    uint64_t n;
    double constant[6]; /* of the sampler, set by fb_popularity_init */
};

/* What is accepted, for lists and messages; ends with text == NULL. */
struct fb_popularity_name {
    const char *text, *word, *summary; /* "zipf:THETA", "zipf", one line */
    enum fb_popularity_kind kind;
};
extern const struct fb_popularity_name fb_popularity_names[];

/* Parses one of "uniform", "zipf:0.99", "ycsb-zipf", "latest", "latest:0.99", "sequential" and
 * "hotspot:0.2,0.8" into *out. Call fb_popularity_init next, and only then the functions below.
 * Returns false if the text is none of these. *why then says what is accepted. */
bool fb_popularity_parse(const char *text, struct fb_popularity *out, const char **why);
/* Sets the number of items, 1 <= n <= 2^61, and the constants of the sampler. You may call it again
 * with another n. Zipf ranks above 2^40 are exact to one part in 2^40 only. */
void fb_popularity_init(struct fb_popularity *, uint64_t n);

/* Returns the rank that query i asks for. `stream` is the key of a stream of its own (rng.h). The
 * answer depends on (popularity, stream, i) alone. */
uint64_t fb_popularity_rank(const struct fb_popularity *, uint64_t stream, uint64_t i);
/* Returns the effective number of items: 1 / sum of P(item)^2. It is n if all items are equally
 * popular. For ycsb-zipf it follows from the ranks that YCSB's sampler draws. Two ranks may hash to
 * the same item, which is counted with its probability, 1 / n. */
double fb_popularity_effective(const struct fb_popularity *);

/* Returns the share of the queries that go to ranks below `rank`. For ycsb-zipf it is the mean over
 * all hashes. */
double fb_popularity_below(const struct fb_popularity *, uint64_t rank);
/* Sets *rank to that of the k-th most popular item, 0 <= k < n, and returns its probability. For
 * ycsb-zipf k counts the ranks before hashing, and other ranks may hash to the same item. Kinds
 * without favourites return 0. */
double fb_popularity_top(const struct fb_popularity *, uint64_t k, uint64_t *rank);

/* n items and their popularity: item 0 is the oldest. */
struct fb_items {
    struct fb_popularity popularity;
    struct fb_permutation ranks; /* rank -> item, of popularities without an order of their own */
};

/* Makes n items, and takes n = 0 as 1. `stream` decides which ones are popular. A popularity that
 * fb_popularity_parse made is enough, because this calls fb_popularity_init on a copy of it. */
void fb_items_init(struct fb_items *, const struct fb_popularity *, uint64_t n, uint64_t stream);
/* The item of a rank. Where popularity goes by age ("latest"), rank 0 is item n_by_age - 1, the
 * newest one, and items from n_by_age on are the least popular. */
uint64_t fb_item_of(const struct fb_items *, uint64_t rank, uint64_t n_by_age);

/* Returns YCSB's Utils.fnvhash64: FNV-1a over the 8 bytes of value, low one first, then Java's
 * Math.abs of the signed result. For -2^63 Java's Math.abs returns -2^63 again. This returns +2^63
 * there, as an unsigned number. */
uint64_t fb_ycsb_hash(uint64_t value);

#endif
