/*
 * How much work a row is given: as much as theory says its claim takes, and no more than the effort
 * allows. It is settled before anything is counted, so that no verdict depends on when to stop.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PLAN_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PLAN_H

#include "harness/kind/claims/claims.h"

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

#endif
