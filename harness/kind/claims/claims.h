/*
 * Experiments of kind "claims": rows of a ledger, judged by theory and measurement. The table in
 * experiment.c says what their fields are.
 *
 * Two verdicts per row, never mixed:
 *
 *   model    our formula against our measurement. confirmed or failed; a failure is a bug here;
 *            computed where both are arithmetic, so that nothing is confirmed by it; none for
 *            times, which no formula of ours predicts.
 *   verdict  the printed claim against our measurement, of which the interval covers 99.9 % (99 %
 *            for times). Reproduced: it lies within the limits of the claim (ledger.h). Not
 *            reproduced: it lies outside. Undecided: it holds a limit, and `why` says how much more
 *            work would tell. Finding: nobody wrote the sentence, so it is held against nothing.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_CLAIMS_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_CLAIMS_H

#include <stdio.h>

#include "harness/base/progress.h"
#include "harness/document/kind.h"
#include "harness/kind/claims/procedure/procedure.h"

enum fb_model {
    FB_MODEL_CONFIRMED,
    FB_MODEL_FAILED,
    FB_MODEL_COMPUTED,
    FB_MODEL_DOCUMENTARY,
    FB_MODEL_PENDING,
    FB_MODEL_NONE
};
enum fb_verdict {
    FB_VERDICT_REPRODUCED,
    FB_VERDICT_NOT_REPRODUCED,
    FB_VERDICT_UNDECIDED,
    FB_VERDICT_DOCUMENTARY,
    FB_VERDICT_NOT_JUDGED,
    FB_VERDICT_PENDING,
    FB_VERDICT_FINDING /* a finding of ours: nobody's sentence to judge */
};
/* By these numbers: "confirmed", "not reproduced". */
extern const char *const fb_model_texts[], *const fb_verdict_texts[];

/* Chance that any right model of a whole run is called failed. */
#define FB_MODEL_ALPHA 0.001

struct fb_judged {
    const struct fb_claim *claim;
    json_t *row;    /* cell of a document, borrowed: "facts" (procedure.h), and those of "repeat" */
    double seconds; /* that the row is likely to take: results/seconds/claims.json */
    size_t n_findings; /* 0: not measured; 2: on two roots */
    struct fb_finding finding[2];
    double p_holm; /* corrected for all rows judged together; NaN: nothing random */
    enum fb_model model;
    enum fb_verdict verdict;
    char why[1000]; /* a line where something does not hold, is pending or documentary; else "" */
};

struct fb_claims {
    json_t *document; /* resolved, owned */
    struct fb_ledger ledger;
    json_t *measures; /* of its rows that take a number of an experiment, completed; owned */
    struct fb_judged *judged; /* [n], owned: claims of the ledger in its order */
    size_t n;
    enum fb_effort effort;
    uint64_t seed;
    bool measured; /* here: `judged` has the findings */
};

extern const struct fb_field fb_claims_fields[];

/* As open() of struct fb_kind. *out may be closed either way. */
bool fb_claims_resolve(const json_t *given, struct fb_claims *out, struct fb_problem *problem);
void fb_claims_close(void *self);

/* Whether row i of n is the shard's. All rows of times are one shard's: they are measured together.
 */
bool fb_claims_has(struct fb_shard, const struct fb_judged *, size_t i, size_t n);

/*
 * Measures the rows (claim and row set in each of judged [n], the rest zero) and notes their facts.
 * A full run measures what procedures measure again under a second root. When fb_interrupted(),
 * rows are left without findings. On failure bench->why names the row and the reason. Rows in
 * `progress`. `times`, a list, gets what a document keeps of times (procedure.h), once for each
 * root.
 *
 * A bench that derives takes the facts of the rows, and its samples, instead.
 *
 * `work`: rows of other shards are left without findings, rows that its journal has are derived of
 * their facts, others are kept there; NULL: there is none. *kept, after an error: not FB_EXIT_OK
 * where the journal could not be written, which was said on stderr.
 */
enum fb_err fb_claims_measure(struct fb_bench *bench, struct fb_judged *judged, size_t n,
                              json_t *times, struct fb_work *work, struct fb_progress *progress,
                              enum fb_exit *kept) FB_MUST_USE;

/* Verdicts from findings. Pure. */
enum fb_err fb_claims_draw(struct fb_judged *judged, size_t n) FB_MUST_USE;

/* Relative standard error above which a simulated theory is marked as rough in tables. */
#define FB_ROUGH_THEORY 0.01

/* A cell of the document: record `claim` of members.txt. */
json_t *fb_judged_json(const struct fb_judged *);

/* Whether no interval holds a limit of the claim: more processes would hardly change the verdict.
 */
bool fb_finding_is_clear(const struct fb_finding *, const struct fb_claimed *);
/* Whether there is an interval to print. */
bool fb_finding_has_interval(const struct fb_finding *);

/* Tables, one for each document: of `claim` and `row` of each of judged [n]. */
void fb_claims_print(FILE *, const struct fb_judged *judged, size_t n, const struct fb_ledger *,
                     enum fb_table_style);

void fb_claims_card(const json_t *document, const char *path, struct fb_card *);

extern const struct fb_figure fb_claims_figures[];

/* ---- Work (plan.c) ----
 *
 * A row is given as much as theory says its claim takes, and no more than the effort allows. It is
 * settled before anything is counted, so that no verdict depends on when to stop.
 */

/* Measures a counted row, or derives it: predicts until the interval around the theory, twice as
 * wide, would be clear of the limits of the claim; then measures with that work, or with the least
 * where no work that the effort allows would be enough. Says which effort would decide it. Fails
 * where the theory changes with the measurement, unless it is simulated. */
enum fb_err fb_claim_count(struct fb_bench *, const struct fb_claim *,
                           struct fb_finding *out) FB_MUST_USE;

/* Runs the row's procedure as the bench stands. It finds nothing if it asks for times that are not
 * measured yet. */
enum fb_err fb_claim_find(struct fb_bench *, const struct fb_claim *,
                          struct fb_finding *out) FB_MUST_USE;

/* ---- Words (phrase.c) ----
 *
 * A claim's figure, the test that a verdict rests on, and what an effort left out. Each function
 * writes at most `size` bytes, the final zero among them.
 */

/* Numbers in the claim's notation (hexadecimal where that was), "a, b, c". */
void fb_claim_numbers(const struct fb_claim *, const double *values, size_t n, char *text,
                      size_t size);

/* What is claimed: "0.82" or "1, 30" as printed, "<= 10", "0.95 to 1.05" where no number is
 * printed. */
void fb_claim_figure(const struct fb_claim *, char *text, size_t size);

/* The test: limits, unit, and whose they are, with the reason where the digits do not say it.
 *
 *     0.815 to 0.825 % (as printed)          >= 10 x (printed: 10x or more)
 *     0 neighbours out of order (words: the whole order)
 *
 * "" where a claim has no numbers. */
void fb_claim_test(const struct fb_claim *, char *text, size_t size);

/* Of a cell of the document: "500,000 probes instead of the ledger's 10,000,000"; "" where nothing
 * is missing. */
void fb_claim_fewer(const json_t *row, char *text, size_t size);

#endif
