/*
 * What a walk over a tree must cost, by formula; printed beside every simulation.
 *
 * Runs are numbered i = 1..R, newest first. f_i is the false-positive rate of run i's filters, r_i
 * = P(an absent key lies in some segment's range of run i), pi_j = P(run j holds the key |
 * present), and a the share of absent keys:
 *
 *     absent    sum r_i f_i               P(any) = 1 - prod(1 - r_i f_i)
 *     present   sum pi_j (1 + sum_{i<j} r_i f_i)
 *     I/O       a * absent + (1 - a) * present              (data blocks, no cache)
 *     asked     a sum r_i + (1 - a) sum pi_j (1 + sum_{i<j} r_i)      (runs in range)
 *
 * Four runs of f = 0.01 whose range holds every absent key cost 0.04 reads of an absent key.
 *
 * P(any) takes the runs' false positives as independent. Filters of equal size that share keys
 * answer alike more often than chance, so their P(any) is lower: most where updates write the same
 * keys to runs of one size. The sums hold all the same.
 *
 * A deletion counts as a holder. A run without a filter has f = 1. A memtable is in memory: it
 * costs no I/O, as a holder neither, and is not asked.
 */
#ifndef FILTERBENCH_HARNESS_STORE_EXPECTATION_H
#define FILTERBENCH_HARNESS_STORE_EXPECTATION_H

#include <stdbool.h>
#include <stddef.h>

struct fb_expected_run {
    double f, r, pi; /* as above */
    bool memtable;
};

/* Per query; io_absent and any_false are of absent keys, io_present of present ones. */
struct fb_expectation {
    double io, io_absent, io_present, any_false, asked;
    double io_variance; /* of io, runs independent of each other given the holder */
};

/* Of n runs, newest first. */
void fb_expect(const struct fb_expected_run *runs, size_t n, double absent,
               struct fb_expectation *out);

#endif
