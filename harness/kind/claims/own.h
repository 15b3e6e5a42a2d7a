/*
 * Rows that take a number of an experiment, and ledgers of the user's own, which have no others. A
 * row says which experiment is made, which number of its result is taken, and what was printed.
 * Records own_ledger, own_claim and own_measure of members.txt say what such a file has.
 *
 * An experiment runs once, whichever rows ask for it. Its result is a document of its own, kept in
 * "results" of the ledger's document under the id of the first row that asks. So every verdict can
 * be drawn again from the document alone.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_OWN_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_OWN_H

#include "harness/kind/claims/claims.h"

/*
 * The ledger as it is measured: every claim with value and relation, every experiment with all its
 * fields. What a row leaves open of the work and of the seed is set here, from theory and the
 * effort, before anything is measured. It resolves to itself. NULL with *problem set: "claims[2]
 * (blog.rate): measure.take: ...". The caller owns it.
 */
json_t *fb_own_resolve(const json_t *given, enum fb_effort, const json_t *seed,
                       struct fb_problem *problem);

/* Its rows, as those of any ledger. `resolved` stays with the caller, for as long. */
bool fb_own_open(json_t *resolved, struct fb_ledger *out, struct fb_problem *problem);

/* The rows of our own ledgers that take a number, among those judged: their experiments get all
 * fields, as above. */
bool fb_own_complete(struct fb_claims *, struct fb_problem *problem);

/* ---- Work (own_plan.c) ---- */

/* Sets what the experiments of `measure` (own_measure) leave open of the work: so much that theory
 * expects a verdict, as far as the effort affords it. An experiment that says any of it keeps its
 * own. */
void fb_own_plan(json_t *measure, const struct fb_claimed *, enum fb_effort);
/* Experiments that differ in what was planned alone get that of the most precise. */
void fb_own_share(json_t *measures);

/* ---- The results that rows rest on (own_parts.c) ---- */

/* Runs the experiments that the judged rows ask for, into document["results"], and says of each row
 * that it was found. Keeps each in the journal. Codes as fb_run_part; FB_EXIT_USAGE with a line on
 * stderr where a result has no such number. */
enum fb_exit fb_own_run(struct fb_claims *, const struct fb_run_options *, struct fb_work *,
                        json_t *document, struct fb_progress *);

/* What the parts say of the judged rows that take a number. False with *problem set: a part is
 * missing, is of another experiment, or has no such number. */
bool fb_own_find(const json_t *document, const struct fb_ledger *, struct fb_judged *judged,
                 size_t n, struct fb_problem *problem);

/* ---- One number (take.c) ---- */

/*
 * The number that `measure` (own_measure) takes from a result, with its interval: of counts 99.9 %,
 * of ratios of times 99 %, of times alone 95 %. `over`: the result of the other experiment; NULL:
 * there is none. Theory and p are set where the result has a prediction of that number. False with
 * *problem set, "where: no cell ...".
 */
bool fb_take(const json_t *measure, const json_t *result, const json_t *over,
             struct fb_finding *out, struct fb_problem *problem);

/* What a number of such cells is. */
enum fb_nature fb_take_nature(const char *kind, const json_t *measure);
/* Whether cells of the kind have a number there. */
bool fb_take_exists(const char *kind, const char *path);

/* An example of five rows, for `reproduce --new-ledger`. */
extern const char fb_own_example[];

#endif
