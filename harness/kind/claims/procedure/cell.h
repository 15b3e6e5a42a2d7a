/*
 * A rate with its prediction, interval and test, from counts. Rows that share a cell count it once.
 *
 * This header serves cell.c, which counts, and cell_rate.c, which judges and predicts.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_CELL_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_CELL_H

#include "harness/filter/fpr.h"
#include "harness/kind/claims/procedure/procedure.h"

struct fb_cell {
    struct fb_fpr_cell fpr;  /* keys and probes as far as the effort allows */
    bool every_key_set;      /* no keys were named: a full run tests the structured ones too */
    uint64_t keys_asked;     /* by the ledger: the effort may allow fewer */
    uint64_t probes_missing; /* of those that the ledger asks for */
};

/* Facts of a cell: sums over its filters of false positives and of their squares; the same of the
 * ideal filters of a simulated model, 0 where it is not simulated. */
struct fb_rate_counts {
    uint64_t events, squares, false_negatives, model_events, model_squares;
};

struct fb_rate {
    double rate, low, high; /* 99.9 % */
    double model, p;
    double relative_se; /* of rate / model, both sources of noise */
    uint64_t events, probes, false_negatives;
    struct fb_geometry geom;
    bool simulated;
    double model_error; /* relative standard error of a simulated model */
};

/* Arguments: design, n, bits_per_key or fpr, k, hash, keys, probes, filters; whole, where a filter
 * of fewer keys would be another one: no effort lessens them. */
struct fb_cell fb_arg_cell(struct fb_bench *, const json_t *args);
/* Adds its counts to those of the finding. NULL: it is only shown. A bench that predicts gets the
 * model as the rate, the interval that the cell's probes would have around it. */
struct fb_rate fb_cell_rate(struct fb_bench *, const struct fb_cell *, struct fb_finding *);

/* The model of a cell, and the interval of counts as it expects them. Where only a simulation
 * tells, a short one does. */
struct fb_rate fb_cell_predict(struct fb_bench *, const struct fb_fpr_cell *);
/* Rate, model, interval and p of what was counted. Fails where it cannot have been counted. */
struct fb_rate fb_cell_judge(struct fb_bench *, const struct fb_fpr_cell *,
                             const struct fb_rate_counts *);

/* Relative standard deviation of the rate from one filter of n keys to another, as some are fuller
 * than others. */
double fb_fill_noise(const struct fb_geometry *, uint64_t n_keys);

#endif
