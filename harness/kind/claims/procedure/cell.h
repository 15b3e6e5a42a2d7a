/*
 * A measured rate with its prediction, interval and test. Rows that share a cell measure it once.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_CELL_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_CELL_H

#include "harness/filter/fpr.h"
#include "harness/kind/claims/procedure/arguments.h"
#include "harness/kind/claims/procedure/finding.h"

struct fb_cell {
    struct fb_fpr_cell fpr; /* keys and probes as far as the effort allows */
    bool every_key_set;     /* no keys were named: a full run tests the structured ones too */
    bool wide;              /* fewer keys or probes than asked for */
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

/* Arguments: design, n, bits_per_key or fpr, k, hash, keys, probes, filters. */
struct fb_cell fb_arg_cell(struct fb_bench *, const json_t *args);
/* Adds its counts to those of the finding. NULL: it is only shown. A bench that predicts gets the
 * model as the rate, the interval that the cell's probes would have around it, and no counts. */
struct fb_rate fb_cell_rate(struct fb_bench *, const struct fb_cell *, struct fb_finding *);

#endif
