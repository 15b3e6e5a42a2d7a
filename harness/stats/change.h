/*
 * What paired times of a base and of a head say: the head is slower, faster, as fast, or one cannot
 * tell.
 *
 * A cell is one thing that both do, as lookups in a filter of 12.5 kB. Process p measures both in
 * the same rounds and sees d[p], the log ratio of head to base: 0.05 where the head takes 5 %
 * longer. The interval of a cell is fb_serial_interval of its d, so it allows for noise that
 * outlives a process.
 *
 *     regressed      the interval lies above 0, and the estimate above ln(1 + delta)
 *     improved       the mirror image
 *     unchanged      the interval lies within +-ln(1 + delta): equivalence is shown
 *     inconclusive   none of these
 *
 * delta is the least change that matters or, where that is more, the floor of the cell: what the
 * machine makes of no change at all.
 *
 * Regressed and improved are to be confirmed: a second set of processes, started afresh, is judged
 * by itself, and a cell that it does not find changed the same way is inconclusive.
 *
 * Levels. alpha is the probability that a run finds a cell different that is not, or different the
 * wrong way, in any of its cells and at any of its looks. A look has alpha / looks of it
 * (Bonferroni). Of m cells the intervals are first of level 1 - alpha / looks / m. Cells whose
 * intervals lie beside 0 keep them; where there are r of those, the others are taken at 1 - alpha /
 * looks / (m - r), until no more are beside 0 (Holm's step-down procedure). "Unchanged" holds for
 * each cell by itself: a head that is slower by delta or more is called unchanged with probability
 * alpha / 2 at most.
 *
 * Example: alpha 0.01, three looks, two cells. The first intervals are of level 0.99833, which
 * takes 11 processes. The looks are at 16, 32 and 64 processes: 16 are the fewest that tell the
 * noise's memory, 64 the most that an interval is taken of.
 *
 * Seen in simulated runs of 4 cells with delta 0.03 and the numbers of the example
 * (tests/stats/test_change_rates.c, 2500 runs of each sort of noise). Where nothing changed, a cell
 * moved before the confirmation in at most 0.002 of the runs, and in none after it, with noise that
 * is loud (10 %), heavy-tailed, of two modes, shared by the cells, or like that of the process
 * before (correlation 0.8); with 1/f noise, which has no mean, in 0.013 and 0.002. A head 5 %
 * slower is found in 0.998 of the cells if processes vary by 2 %, one 10 % slower in 0.99 if by 5
 * %.
 */
#ifndef FILTERBENCH_HARNESS_STATS_CHANGE_H
#define FILTERBENCH_HARNESS_STATS_CHANGE_H

#include "harness/stats/modes.h"
#include "harness/stats/serial.h"

enum fb_change { FB_INCONCLUSIVE, FB_UNCHANGED, FB_IMPROVED, FB_REGRESSED, FB_N_CHANGES };
const char *fb_change_name(enum fb_change); /* "inconclusive", ... */

/* Processes of a cell below which nobody is to act on what it says: fewer cannot tell the noise's
 * memory. 12 that each resemble the one before (correlation 0.8) alarm in 0.48 of simulated runs.
 */
enum { FB_CHANGE_LEAST = FB_MEMORY_LEAST };

struct fb_change_rules {
    double delta;   /* the least change that matters: 0.03 is 3 % */
    double alpha;   /* of the whole run, in (0, 1): 0.01 */
    unsigned looks; /* that may be taken, at least 1 */
    double memory;  /* of the noise: fb_memory_exponent, 0 where no cell has FB_MEMORY_LEAST */
};

struct fb_change_cell {
    const double *d; /* [n], in the order of time; belongs to the caller */
    size_t n;        /* 1 to FB_PAIRED_MAX */
    double floor;    /* a change that the machine shows of nothing: 0.01 is 1 %; 0 if unknown */

    struct fb_paired paired; /* of d; level: the one attained */
    enum fb_change change;
    bool confirmed; /* by a second set of processes */
    bool refuted;   /* the second set did not find the change */
    bool advisory;  /* n < FB_CHANGE_LEAST */
    /* Processes beyond n that would decide an inconclusive cell, if its estimate stays and its
     * interval narrows as n^((memory - 1) / 2). Infinite where the estimate is delta. 0 of a cell
     * that is decided. */
    double more;
    struct fb_modes modes; /* of d */
};

/* The delta that a cell is judged by. */
double fb_change_delta(const struct fb_change_rules *, const struct fb_change_cell *);

/* One look: judges n cells, one of whose d, n and floor are set. */
void fb_change_judge(const struct fb_change_rules *, struct fb_change_cell *cells, size_t n);

/* Confirms a cell that regressed or improved, or makes it inconclusive. `again` was judged from
 * fresh processes, twice as many as the cell had (at most FB_PAIRED_MAX), with the others that are
 * to be confirmed, at one look. */
void fb_change_confirm(struct fb_change_cell *, const struct fb_change_cell *again);

/*
 * 1 or -1 where more than 80 % of the cells moved up, or down: a machine does that more often than
 * code. 0 where they do not, or where as many cells would by chance move alike with probability
 * alpha (seven cells can: 2 / 2^7 is above 0.01).
 */
int fb_change_uniform(const struct fb_change_cell *cells, size_t n, double alpha);

#endif
