/*
 * Whether a head is slower than its base, and by how much: two questions.
 *
 * Process p times both in the same rounds and sees d[p], the log ratio of head to base: 0.05 where
 * the head takes 5 % longer. Each process has fresh links of both (filter/plugin.h), so that where
 * code lies is one more noise of the process, and not the same in all of them.
 *
 *     first set     8 processes of all cells. A cell whose mean d is beyond ln(1 + delta) / 2 is a
 *                   candidate.
 *     second set    40 fresh processes, of the candidates only, judged by themselves and once.
 *     existence     the exact signed-rank test (fb_signed_rank_p), by Holm's procedure over all
 *                   candidates, slower and faster ones, at alpha. Where code is equal, each sign
 *                   of d is a fair coin, so the test holds however heavy the tails are. How much
 *                   the size of a slowdown varies from process to process is no doubt that there
 *                   is one.
 *     size          the Hodges-Lehmann estimate of the second set, which must be beyond the gate:
 *                   ln(1 + delta), or what this machine has shown of equal code
 *                   (kind/ab/profile.h).
 *
 * How often the rule errs was simulated with 40 cells a run, delta 2 % and alpha 1 %
 * (tests/stats/test_slowdown.c has the worlds and the limits): false alarms in at most 0.5 % of the
 * runs where links are fresh; a head that is 5 % slower, in all processes alike or by 0 to 20 %, is
 * found in 94 % and more. With one link for all processes no rule works.
 */
#ifndef FILTERBENCH_HARNESS_STATS_SLOWDOWN_H
#define FILTERBENCH_HARNESS_STATS_SLOWDOWN_H

#include <stdbool.h>
#include <stddef.h>

enum { FB_FIRST_SET = 8, FB_SECOND_SET = 40 }; /* processes; each at most FB_PAIRED_MAX */

enum fb_slowdown {
    FB_NONE_SEEN,       /* no candidate, or one that the second set did not bear out */
    FB_SLOWER,          /* it is slower, by more than the gate */
    FB_SLIGHTLY_SLOWER, /* it is slower, and the estimate is within the gate */
    FB_FASTER,
    FB_SLIGHTLY_FASTER,
    FB_NOT_CONFIRMED, /* a candidate that was not measured again */
    FB_N_SLOWDOWNS
};
const char *fb_slowdown_name(enum fb_slowdown); /* "none seen", "slower", "slightly slower", ... */

struct fb_slowdown_rules {
    double delta; /* 0.02: candidates are beyond half of it */
    double alpha; /* probability that a run calls any cell slower or faster that is not: 0.01 */
};

struct fb_slowdown_cell {
    const double *first, *second; /* d of the two sets; belong to the caller */
    size_t n_first, n_second;     /* 0 to FB_PAIRED_MAX; n_second 0: not measured again */
    double gate;                  /* a ratio less 1: rules.delta or more */

    enum fb_slowdown verdict;
    int candidate;   /* 1: for slower; -1: for faster; 0: none */
    double p;        /* one-sided, of the second set in the candidate's direction; 1: none */
    double estimate; /* of the second set, else of the first */
};

/* Judges n cells, of which the upper half is set. */
void fb_slowdown_judge(const struct fb_slowdown_rules *, struct fb_slowdown_cell *cells, size_t n);

/* Of n observations of a first set, whether their mean is beyond ln(1 + delta) / 2: 1, -1 or 0. */
int fb_slowdown_candidate(const double *d, size_t n, double delta);

/*
 * The slowdown, as a ratio less 1, of which the rule finds 90 % or more where d varies by `sd`
 * between processes: the largest of delta / 2 + 0.6 sd (to be a candidate), gate + 0.3 sd (to pass
 * the gate) and 0.75 sd (to pass the test among 8 candidates). Each alone is passed by 95 %.
 */
double fb_slowdown_finds(const struct fb_slowdown_rules *, double gate, double sd);

#endif
