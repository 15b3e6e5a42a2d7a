/*
 * A claim in words: its figure, the test that a verdict rests on, and what an effort left out.
 *
 * Each function writes at most `size` bytes, the final zero among them.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PHRASE_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PHRASE_H

#include "harness/kind/claims/procedure/finding.h"

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

/* "300,000 keys instead of the ledger's 1,000,000, 500,000 probes instead of its 10,000,000"; ""
 * where nothing is missing. */
void fb_finding_fewer(const struct fb_finding *, char *text, size_t size);

#endif
