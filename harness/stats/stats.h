/*
 * Intervals and tests. Pure functions; rates in [0, 1], levels as confidence (0.95). Relative error
 * below 1e-11, and the same bits on every machine.
 */
#ifndef FILTERBENCH_HARNESS_STATS_STATS_H
#define FILTERBENCH_HARNESS_STATS_STATS_H

#include <stddef.h>
#include <stdint.h>

struct fb_interval {
    double low, high;
};

/* Standard normal quantile (infinite at 0 and 1) and upper tail. Quantiles take about 40 us. */
double fb_normal_quantile(double p);
double fb_normal_tail(double z); /* P(Z > z) */
/* Student's t quantile, df >= 1. */
double fb_t_quantile(double p, unsigned df);
/* Upper tail of chi-square with df degrees of freedom. */
double fb_chi2_tail(double x, double df);

/* Chi-square statistic of n counts that are expected alike. */
double fb_chi2_even(const uint64_t *counts, size_t n, double expected);

/* Wilson score interval of a proportion: x events in n trials, n >= 1. */
struct fb_interval fb_wilson(uint64_t x, uint64_t n, double level);
/* The same of a rate in n trials, which need not be whole: 100 trials that differ twice as much as
 * chance makes them tell as much as 25. */
struct fb_interval fb_wilson_rate(double rate, double n, double level);
/* Exact (Clopper-Pearson) one-sided upper bound, valid for x = 0 as well. */
double fb_binomial_upper(uint64_t x, uint64_t n, double level);

struct fb_mean {
    double mean, sd, se; /* sd: between samples (n - 1); se: of the mean; NAN where undefined */
    size_t n;
};
struct fb_mean fb_mean_of(const double *x, size_t n);
/* Mean +- t quantile * se; the whole line when n < 2. */
struct fb_interval fb_t_interval(struct fb_mean, double level);

/* Holm's step-down correction: adjusted[i] for p[i], n of each, order kept; not in place. */
void fb_holm(const double *p, size_t n, double *adjusted);

#endif
