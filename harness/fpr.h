/*
 * Measuring a false-positive rate: by distinct absent keys, over several independently built
 * filters, each checked for false negatives over all its keys.
 */
#ifndef FILTERBENCH_HARNESS_FPR_H
#define FILTERBENCH_HARNESS_FPR_H

#include "filters/core/filter.h"
#include "harness/stats.h"
#include "workloads/core/keys.h"

/* One cell of an experiment. Filter j of F draws its keys from stream or index range j, so cells are
 * pure functions of (cell, root). */
struct fb_fpr_cell {
    const struct fb_design *design;
    const struct fb_hash *hash;     /* NULL: the design's own */
    struct fb_params params;        /* capacity: 0, or what the filter believes */
    uint64_t n_keys;                /* keys per filter */
    const struct fb_keygen *keygen; /* NULL: keys of a user's file, below */
    const struct fb_keys *file;     /* distinct; each filter holds out its own random half */
    size_t filters;                 /* at least 1 */
    uint64_t probes_per_filter;     /* distinct absent keys asked of each */
    /* More batches of `filters` filters are added until the 95 % t-interval's half-width is at most
     * precision * estimate or max_probes in all are spent. precision 0: one batch. */
    double precision;
    uint64_t max_probes;
    uint64_t root; /* root seed */
};

/* Exact facts, equal on every machine. */
struct fb_fpr_counts {
    size_t filters;
    uint64_t *events;     /* [filters] false positives of each, owned */
    uint64_t probes_each; /* distinct absent keys asked of each filter */
    uint64_t false_negatives;
    uint64_t filter_bytes;     /* bit array of filter 0 */
    uint64_t block_bytes;      /* the same in the design's native format; 0: it has none */
    uint64_t n_keys, n_entries; /* keys given, and counted by the size rule (filter 0) */
    struct fb_geometry geom;   /* filter 0 */
    bool derived;              /* the size was solved from the design's own FPR function */
    uint64_t checksum;         /* XXH64 over the bits of all filters in order */
    /* Prediction by simulation, where the design's scheme needs one. */
    uint64_t model_events, model_probes; /* 0, 0: closed form */
    double model_sd_filters; /* sd of the rate between simulated filters */
    size_t model_filters;
};

void fb_fpr_counts_close(struct fb_fpr_counts *);

/* Everything derived from the counts. Rates in [0, 1]. */
struct fb_fpr_summary {
    uint64_t events, probes;
    double estimate;
    struct fb_interval wilson95; /* pooled */
    struct fb_interval t95;      /* over filters */
    double worst, best;          /* of one filter */
    double sd_filters;           /* of the rate, between filters */
    double se;                   /* of the estimate: the larger of binomial and over filters */
    double model;                /* predicted rate */
    double model_se;             /* 0: closed form */
    double ratio, z;             /* measured / model; NaN where the model is 0 */
    double upper95;              /* one-sided, set below 100 events, NaN otherwise */
    double bits_per_key;         /* delivered: 8 * filter_bytes / n_keys */
    double bound_bits;           /* log2(1 / estimate), NaN without events */
    double wasted;               /* 1 - bound_bits / bits_per_key */
};

/* Runs the cell on n_threads threads (0: all). *complete is false when interrupted; counts are then
 * those of the filters done so far and not to be published. *why explains FB_EINVAL. */
enum fb_err fb_fpr_measure(const struct fb_fpr_cell *, unsigned n_threads,
                           struct fb_fpr_counts *out, bool *complete,
                           const char **why) FB_MUST_USE;

void fb_fpr_summarise(const struct fb_fpr_cell *, const struct fb_fpr_counts *,
                      struct fb_fpr_summary *out);

#endif
