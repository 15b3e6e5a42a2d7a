/*
 * Judging claims. Two verdicts per row, never mixed:
 *
 *   model    our formula against our measurement. confirmed or failed; a failure is a bug here;
 *            none for times, which no formula of ours predicts.
 *   verdict  the printed claim against our measurement. A number is reproduced when the 99.9 %
 *            interval of the measurement (99 % for times) meets the rounding interval of the
 *            printed digits, a bound when the interval reaches into the range it allows.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_CLAIMS_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_CLAIMS_H

#include <stdio.h>

#include "harness/base/exit.h"
#include "harness/base/progress.h"
#include "harness/kind/claims/procedure/bench.h"
#include "harness/kind/claims/procedure/finding.h"

enum fb_model {
    FB_MODEL_CONFIRMED,
    FB_MODEL_FAILED,
    FB_MODEL_DOCUMENTARY,
    FB_MODEL_PENDING,
    FB_MODEL_NONE
};
enum fb_verdict {
    FB_VERDICT_REPRODUCED,
    FB_VERDICT_NOT_REPRODUCED,
    FB_VERDICT_DOCUMENTARY,
    FB_VERDICT_NOT_JUDGED,
    FB_VERDICT_PENDING,
};
const char *fb_model_text(enum fb_model);
const char *fb_verdict_text(enum fb_verdict);

/* Chance that any right model of a whole run is called failed. */
#define FB_MODEL_ALPHA 0.001

struct fb_judged {
    const struct fb_claim *claim;
    size_t n_findings; /* 0: not measured; 2: on two roots */
    struct fb_finding finding[2];
    double p_holm; /* corrected for all rows judged together; NaN: nothing random */
    enum fb_model model;
    enum fb_verdict verdict;
    char why[1000]; /* a line where something does not hold, is pending or documentary; else "" */
};

/*
 * Measures the rows (claim set in each of judged [n], the rest zero) and draws the verdicts. A full
 * run measures everything again under a second root. *complete is false when interrupted. On
 * failure bench->why names the row and the reason. Rows in `progress`.
 */
enum fb_err fb_claims_judge(struct fb_bench *bench, struct fb_judged *judged, size_t n,
                            struct fb_progress *progress, bool *complete) FB_MUST_USE;

/* The second half alone: verdicts from findings. Pure. */
enum fb_err fb_claims_draw(struct fb_judged *judged, size_t n) FB_MUST_USE;

/* Numbers in the claim's notation (hexadecimal where that was), "a, b, c". */
void fb_claim_numbers(const struct fb_claim *, const double *values, size_t n, char *text,
                      size_t size);

/* Relative standard error above which a simulated theory is marked as rough in tables. */
#define FB_ROUGH_THEORY 0.01

/* Draws a result document of kind "claims" again from its findings, and holds every row against the
 * ledger: FB_EXIT_CORRECTNESS with a line on stderr where they differ, FB_EXIT_USAGE where it
 * cannot be read or the ledger has no such claim. */
enum fb_exit fb_claims_check(const char *path, const json_t *document);

/* The row of the result document ($defs/claim of results/result.schema.json). */
json_t *fb_judged_json(const struct fb_judged *);

/* Table grouped by document, and a summary line. */
void fb_claims_print(FILE *, const struct fb_judged *judged, size_t n, const struct fb_ledger *);

#endif
