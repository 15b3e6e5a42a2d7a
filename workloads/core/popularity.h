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

/* "uniform", "zipf:0.99", "ycsb-zipf", "latest", "latest:0.99", "sequential", "hotspot:0.2,0.8".
 * False: none of these; *why says what is accepted. */
bool fb_popularity_parse(const char *text, struct fb_popularity *out, const char **why);
/* For n items, 1 <= n <= 2^61. Ranks of a zipf beyond 2^40 are resolved to one part in 2^40. */
void fb_popularity_init(struct fb_popularity *, uint64_t n);

/* Rank of query i. `stream` is the key of a stream of its own; words of it are drawn by counter, so
 * the answer depends on (popularity, stream, i) alone. */
uint64_t fb_popularity_rank(const struct fb_popularity *, uint64_t stream, uint64_t i);
/* Sum over items of P^2, inverted: the effective number of items. Of ycsb-zipf, for what YCSB's
 * sampler draws, meetings of ranks in one item by their expectation. */
double fb_popularity_effective(const struct fb_popularity *);

/* Share of the queries that go to ranks below `rank`; of ycsb-zipf in the mean over all hashes. */
double fb_popularity_below(const struct fb_popularity *, uint64_t rank);
/* The k-th most popular item, k < n, as a rank, and its probability (of ycsb-zipf: the k-th before
 * hashing, others may join it). Kinds without favourites give probability 0. */
double fb_popularity_top(const struct fb_popularity *, uint64_t k, uint64_t *rank);

/* n items and their popularity: item 0 is the oldest. */
struct fb_items {
    struct fb_popularity popularity;
    struct fb_permutation ranks; /* rank -> item, of popularities without an order of their own */
};

/* n items, 0 being taken as 1; `stream` decides which ones are popular. */
void fb_items_init(struct fb_items *, const struct fb_popularity *, uint64_t n, uint64_t stream);
/* The item of a rank. Where popularity goes by age ("latest"), rank 0 is item n_by_age - 1, the
 * newest one, and items from n_by_age on are the least popular. */
uint64_t fb_item_of(const struct fb_items *, uint64_t rank, uint64_t n_by_age);

/* YCSB's Utils.fnvhash64: FNV-1a over the 8 bytes of value, low one first, then Java's Math.abs
 * (2^63, which that leaves negative, is taken as 2^63). */
uint64_t fb_ycsb_hash(uint64_t value);

#endif
