/*
 * Procedures: how a row of the ledger is measured. Each computes the theory from formulas and the
 * measurement from built filters, both in the unit of the claim; harness/kind/claims/claims.h draws
 * the verdicts.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_PROCEDURE_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_PROCEDURE_H

#include <jansson.h>

#include "harness/filter/fpr.h"
#include "harness/kind/claims/ledger.h"

struct fb_finding {
    size_t n; /* numbers found; as many as claimed */
    double theory[FB_CLAIM_VALUES], measured[FB_CLAIM_VALUES];
    double low[FB_CLAIM_VALUES], high[FB_CLAIM_VALUES]; /* 99.9 % interval; a point when exact */
    /* Model and measurement agree if every |measured - theory| <= tolerance (NaN: there is no exact
     * comparison) and p, corrected for all rows, is large enough (NaN: nothing random). */
    double tolerance, p;
    uint64_t events, probes; /* of all cells this row measured */
    uint64_t false_negatives;
    bool untheoretical;  /* a time: no formula of ours predicts it, the row has no model */
    bool machine_only;   /* nanoseconds: printed, not judged */
    double level;        /* of low..high where not 99.9 %; 0: it is */
    bool simulated;      /* theory from a Monte Carlo over ideal hash words */
    double theory_error; /* relative standard error of that */
    bool wide;           /* fewer probes than the ledger asks for */
    char remark[400];    /* numbers worth saying; "" */
};

enum fb_effort { FB_QUICK, FB_DEFAULT, FB_FULL };

/* What procedures share: settings, and cells measured before. */
struct fb_bench {
    enum fb_effort effort;
    unsigned threads; /* 0: all */
    uint64_t root;
    unsigned repeat;  /* 1: under the second root of a full run */
    bool interrupted; /* the finding is not to be used */
    struct fb_bench_cell *cells;
    size_t n_cells;
    char why[200]; /* of the last failure */
};
void fb_bench_close(struct fb_bench *);

/* FB_EINVAL where the arguments make no sense; bench->why says what. */
struct fb_procedure {
    const char *name;
    enum fb_err (*run)(struct fb_bench *, const json_t *args, struct fb_finding *);
};
/* Tables by subject, each ending with name == NULL. */
extern const struct fb_procedure fb_judge_rates[], fb_judge_sizes[], fb_judge_blocks[],
    fb_judge_loads[], fb_judge_probes[], fb_judge_hashes[], fb_judge_formulas[], fb_judge_time[],
    fb_judge_trees[], fb_judge_walk[], fb_judge_walk_time[], fb_judge_costs[], fb_judge_prefix[];
const struct fb_procedure *fb_procedure_find(const char *name); /* NULL: no such procedure */

/* ---- For the procedures ---- */

/* Arguments: a number, a text, an integer written in hex as text; `otherwise` where absent. */
double fb_arg_number(const json_t *args, const char *key, double otherwise);
uint64_t fb_arg_count(const json_t *args, const char *key, uint64_t otherwise);
const char *fb_arg_text(const json_t *args, const char *key, const char *otherwise);
uint64_t fb_arg_hex(const json_t *args, const char *key);
bool fb_arg_is(const json_t *args, const char *key, const char *text);
/* The design named by `key`, and bits_per_key, fpr, k as parameters. FB_EINVAL: no such design. */
enum fb_err fb_arg_design(struct fb_bench *, const json_t *args, const char *key,
                          const struct fb_design **design);
struct fb_params fb_arg_params(const json_t *args);

/* The interval of every measurement that a claim is held against covers 99.9 %: it leaves out half
 * of 1 - 0.999 on either side. fb_find_z is the standard normal quantile there, 3.2905. */
#define FB_FIND_TAIL 0.0005
double fb_find_z(void);

/* One number: exact, with the standard error of a normal measurement, or with its interval. */
void fb_find_exact(struct fb_finding *, double theory, double measured);
void fb_find_normal(struct fb_finding *, double theory, double measured, double se);
void fb_find_interval(struct fb_finding *, double theory, double measured, double low, double high);

/* A failure with its reason. */
enum fb_err fb_bench_fail(struct fb_bench *, enum fb_err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* n random keys, numbered from `first`, of stream `stream` of the bench's root. */
enum fb_err fb_bench_keys(const struct fb_bench *, uint64_t stream, uint64_t first, size_t n,
                          struct fb_keyset *out) FB_MUST_USE;
/* A filter of n such keys, design and parameters from args; n 0: empty, sized for args' n. */
enum fb_err fb_bench_filter(struct fb_bench *, const json_t *args, const char *design_key,
                            uint64_t n, struct fb_filter *out) FB_MUST_USE;

/* For qsort and bsearch of uint32_t. */
int fb_compare_u32(const void *, const void *);

/* A measured rate with its prediction, interval and test (cell.c). */
struct fb_rate {
    double rate, low, high; /* 99.9 % */
    double model, p;
    double relative_se; /* of rate / model, both sources of noise */
    uint64_t events, probes, false_negatives;
    uint64_t n_keys;
    struct fb_geometry geom;
    bool simulated, wide;
    double model_error; /* relative standard error of a simulated model */
    double target;      /* the rate asked for; 0: bits were */
};
/* Arguments: design, n, bits_per_key or fpr, k, hash, keys, probes, filters. */
enum fb_err fb_bench_rate(struct fb_bench *, const json_t *cell, struct fb_rate *out) FB_MUST_USE;
/* Adds the rate's counts to the finding's. */
void fb_find_counts(struct fb_finding *, const struct fb_rate *);

#endif
