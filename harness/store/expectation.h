/*
 * What a walk over a tree must cost, by formula; printed beside every simulation.
 *
 * Runs i = 1..R, newest first; f_i false-positive rate, r_i = P(an absent key lies in some
 * segment's range of run i), pi_j = P(run j holds the key | present), a the share of absent keys:
 *
 *     absent    sum r_i f_i               P(any) = 1 - prod(1 - r_i f_i)
 *     present   sum pi_j (1 + sum_{i<j} r_i f_i)
 *     I/O       a * absent + (1 - a) * present              (data blocks, no cache)
 *     asked     a sum r_i + (1 - a) sum pi_j (1 + sum_{i<j} r_i)      (runs in range)
 *
 * P(any) takes the runs' false positives of a key as independent. Filters of equal size that share
 * keys depart from it: they answer alike more often than chance, so that it is below the formula,
 * most where updates write the same keys to runs of one size. The sums hold all the same.
 *
 * A deletion counts as a holder. Runs without a filter have f = 1; memtables are in memory: they
 * cost no I/O, as holders neither, and are not asked.
 */
#ifndef FILTERBENCH_HARNESS_STORE_EXPECTATION_H
#define FILTERBENCH_HARNESS_STORE_EXPECTATION_H

#include <stdbool.h>
#include <stddef.h>

struct fb_expected_run {
    double f, r, pi;
    bool memtable;
};

struct fb_expectation {
    double io, io_absent, io_present, any_false, asked;
    double io_variance; /* of one query, runs independent of each other given its holder */
};

void fb_expect(const struct fb_expected_run *runs, size_t n, double absent,
               struct fb_expectation *out);

/* 1 / ((1 - a) + a f + t_check / c_io): time per query of one file without a filter over that with
 * one. */
double fb_expected_speedup(double absent, double f, double check_ns, double io_ns);

#endif
