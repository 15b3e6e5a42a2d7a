/*
 * Measuring a false-positive rate. Several filters are built independently. Each is asked for
 * distinct absent keys, which gives the rate, and for all of its own keys, which must say yes.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_FPR_H
#define FILTERBENCH_HARNESS_FILTER_FPR_H

#include "filters/core/filter.h"
#include "harness/stats/stats.h"
#include "workloads/core/keys.h"

/*
 * One cell of an experiment: a pure function of its fields. Filter j has keys of its own:
 *
 *     random and others with a stream
 *                       stream j under the root: indices [0, n) present, [n, n + probes) absent
 *     sequential and others without one
 *                       indices j (n + probes) and on, the first n present, the rest absent; these
 *                       keys are the same under every root
 *     file              n keys and then up to `probes` others, by random permutation j of the file
 */
struct fb_fpr_cell {
    const struct fb_design *design;
    const struct fb_hash *hash;     /* NULL: the design's own */
    struct fb_params params;        /* capacity: 0, or what the filter believes */
    uint64_t n_keys;                /* keys per filter; at most those of the file */
    const struct fb_keygen *keygen; /* NULL: keys of a user's file, below */
    const struct fb_keys *file;     /* distinct; n_keys = half of it holds out a half */
    size_t filters;                 /* at least 1 */
    uint64_t probes_per_filter;     /* distinct absent keys asked of each; at least 1 */
    /* Batches of `filters` filters are added until the half-width of the 95 % t-interval is at most
     * precision * estimate, or until another batch would exceed max_probes in all. 0: one batch. */
    double precision;
    uint64_t max_probes;
    uint64_t root; /* root seed */
};

/* Exact facts, equal on every machine. Counts of two roots merge by appending `events` and adding
 * the rest of the sums. */
struct fb_fpr_counts {
    size_t filters;
    uint64_t *events;     /* [filters] false positives of each, owned */
    uint64_t probes_each; /* distinct absent keys asked of each filter */
    uint64_t false_negatives;
    uint64_t filter_bytes;      /* bit array of filter 0 */
    uint64_t block_bytes;       /* the same in the design's native format; 0: it has none */
    uint64_t n_keys, n_entries; /* keys given, and counted by the size rule (filter 0) */
    struct fb_geometry geom;    /* filter 0 */
    bool derived;               /* the size was solved from the design's own FPR function */
    /* Of builds: attempts of all filters together, filters whose first attempt failed, those that
     * no attempt made, which are not among `filters`, and the most memory that one held. */
    uint64_t attempts, first_failed, failures, temporary_bytes;
    uint64_t checksum;       /* c = XXH64(c, XXH64(bits)), filter by filter, from 0 */
    uint64_t block_checksum; /* the same of the native blocks; 0: it has none */
    /* Prediction by simulation, where the design's scheme needs one; all 0: closed form. */
    uint64_t model_filters, model_probes; /* probes of all together */
    uint64_t model_events, model_squares; /* sum over filters of events and of their squares */
};

void fb_fpr_counts_close(struct fb_fpr_counts *);

/* Everything derived from the counts. Rates in [0, 1]. */
struct fb_fpr_summary {
    uint64_t events, probes;
    double estimate;
    struct fb_interval wilson95; /* pooled */
    struct fb_interval t95;      /* over filters; it may leave [0, 1] and have no width */
    /* t95; or where that leaves [0, 1] or has no width, as filters are few or differ in nothing,
     * the pooled one: of as many fewer probes as filters differ more than chance makes them. */
    struct fb_interval rate95;
    bool rate95_pooled;
    double worst, best; /* of one filter */
    double sd_filters;  /* of the rate, between filters */
    double se;          /* of the estimate: the larger of binomial and over filters */
    double model;       /* predicted rate */
    double model_se;    /* as se, of the simulation; 0: closed form */
    double ratio;       /* measured / model; NaN where the model is 0 */
    /* (measured - model) / standard error; 0 if equal; infinite if a model of 0 or 1 is missed. The
     * error joins model_se and the binomial error at the model's rate. The latter is multiplied by
     * how much more than chance the filters differ, and keys of a file count as no more probes than
     * the file has keys. Not normal where the model expects fewer than ten events or so. */
    double z;
    double upper95;      /* one-sided, set below 100 events, NaN otherwise */
    double bits_per_key; /* delivered: 8 * filter_bytes / n_keys */
    double bound_bits;   /* log2(1 / estimate), NaN without events */
    double wasted;       /* 1 - bound_bits / bits_per_key */
};

/* Measures the cell on n_threads threads (0: all). *complete is false when interrupted: counts are
 * then those of the filters done so far and not to be published. On failure out is zeroed and *why
 * says what would be accepted. */
enum fb_err fb_fpr_measure(const struct fb_fpr_cell *, unsigned n_threads,
                           struct fb_fpr_counts *out, bool *complete, const char **why) FB_MUST_USE;

/* ---- Shards of a cell, and what they are put together from ---- */

/* What one filter contributes. */
struct fb_fpr_outcome {
    uint64_t first, end; /* it is asked for its absent keys number first .. end - 1 */
    uint64_t events, false_negatives, checksum, n_entries, block_bytes, block_checksum;
    uint64_t attempts, temporary_bytes;
    uint64_t model_events; /* of the filter's simulation, where there is one and first is 0 */
    bool failed;           /* keys found no place in any attempt; the rest is then 0 */
    struct fb_geometry geom;
    const char *why;
    bool done;
};

/* Blocks of a cell without precision: so many absent keys each, filter by filter; the last one of
 * every filter has the rest. */
#define FB_FPR_BLOCK (UINT64_C(1) << 20)
uint64_t fb_fpr_blocks(const struct fb_fpr_cell *);
/* Which filters blocks first .. end - 1 ask, from *filter on, and for which keys: first and end of
 * so many outcomes, of which there is room for cell->filters. */
size_t fb_fpr_lay_out(const struct fb_fpr_cell *cell, uint64_t first, uint64_t end, size_t *filter,
                      struct fb_fpr_outcome *);

struct fb_fpr_shard {
    size_t first_filter, n;          /* its filters */
    struct fb_fpr_outcome *outcomes; /* [n], owned */
};

/* Blocks first .. end - 1 of the cell, at least one; with the model's events, where it takes a
 * simulation, of filters whose first block is among them. As fb_fpr_measure. */
enum fb_err fb_fpr_measure_blocks(const struct fb_fpr_cell *, uint64_t first, uint64_t end,
                                  unsigned n_threads, struct fb_fpr_shard *out, bool *complete,
                                  const char **why) FB_MUST_USE;
void fb_fpr_shard_close(struct fb_fpr_shard *);

/* Adds n outcomes, up to the first that is not done. */
enum fb_err fb_fpr_add(const struct fb_fpr_outcome *, size_t n, struct fb_fpr_counts *) FB_MUST_USE;
/* Simulates n filters from number `first` on, those of which the first block was asked. */
enum fb_err fb_fpr_model(const struct fb_fpr_cell *, const struct fb_geometry *, size_t first,
                         struct fb_fpr_outcome *, size_t n, unsigned n_threads,
                         bool *complete) FB_MUST_USE;
/* The counts of a cell without precision, from all its outcomes [cell->filters], each of a filter
 * that was asked for all its keys. */
enum fb_err fb_fpr_collect(const struct fb_fpr_cell *, const struct fb_fpr_outcome *outcomes,
                           struct fb_fpr_counts *out) FB_MUST_USE;

/* Whether such filters of the cell take a simulation. */
bool fb_fpr_needs_model(const struct fb_fpr_cell *, const struct fb_geometry *);
/* Adds the model's counts, which are 0 before: as many ideal filters and probes as out counts. Does
 * nothing where the design's closed form is accurate. A pure function of the cell and of out's
 * filters, probes_each and geom. */
enum fb_err fb_fpr_simulate(const struct fb_fpr_cell *, unsigned n_threads,
                            struct fb_fpr_counts *out, bool *complete) FB_MUST_USE;

/* Of counts with at least one filter. */
void fb_fpr_summarise(const struct fb_fpr_cell *, const struct fb_fpr_counts *,
                      struct fb_fpr_summary *out);

#endif
