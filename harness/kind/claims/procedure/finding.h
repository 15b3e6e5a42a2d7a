/*
 * What a procedure finds, number by number, and how sure it is.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_FINDING_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_FINDING_H

#include "harness/kind/claims/ledger.h"
#include "harness/kind/claims/procedure/bench.h"
#include "harness/stats/stats.h"

struct fb_finding {
    size_t n; /* numbers found; as many as claimed */
    double theory[FB_CLAIM_VALUES], measured[FB_CLAIM_VALUES];
    double low[FB_CLAIM_VALUES], high[FB_CLAIM_VALUES]; /* 99.9 % interval; a point when exact */
    /* Model and measurement agree if every |measured - theory| <= tolerance (NaN: there is no exact
     * comparison) and p, corrected for all rows, is large enough (NaN: nothing random). */
    double tolerance, p;
    uint64_t events, probes; /* of all cells this row measured */
    uint64_t false_negatives;
    double level;        /* of low..high where not 99.9 %; 0: it is */
    size_t processes;    /* that times were taken in; 0: no times */
    bool cpu_clock;      /* times are the thread's, not the wall's (group.h) */
    bool simulated;      /* theory from a Monte Carlo over ideal hash words */
    double theory_error; /* relative standard error of that */
    /* Where the effort gives less than the ledger asks for: probes (queries of a walk) that are
     * missing, and the keys of the filters beside those asked for. 0: nothing is missing. */
    uint64_t probes_missing, keys, keys_asked;
    /* Probes, or queries, after which by theory the interval is clear of the claim's limits;
     * infinite: never; 0: nothing was planned. */
    double deciding;
    enum fb_effort deciding_effort; /* the least that spends so many, from that of the run on;
                                     * FB_EFFORTS: none does */
    char remark[400];               /* numbers worth saying; "" */
};

/* A number in theory and as measured. */
struct fb_pair {
    double theory, measured;
};

/* The interval of every measurement that a claim is held against covers 99.9 %: it leaves out half
 * of 1 - 0.999 on either side. fb_find_z is the standard normal quantile there, 3.2905. */
#define FB_FIND_TAIL 0.0005
double fb_find_z(void);

/* Each of these adds one number, FB_CLAIM_VALUES in all. Measured exactly, to agree with the theory
 * exactly or within a tolerance, which holds for all numbers of the finding: */
void fb_find_exact(struct fb_finding *, double theory, double measured);
void fb_find_within(struct fb_finding *, double theory, double measured, double tolerance);
/* Measured with a standard error (normal), or with a 99.9 % interval of its own. */
void fb_find_normal(struct fb_finding *, double theory, double measured, double se);
void fb_find_interval(struct fb_finding *, double theory, double measured, double low, double high);
/* A time or a ratio of times, of which there is no theory. */
void fb_find_time(struct fb_finding *, double measured, struct fb_interval, double level);

/* Something must hold besides the numbers. If it does not, model and measurement disagree, whatever
 * the numbers are. To be called after the last number. */
void fb_find_require(struct fb_finding *, bool holds);

/* Appends to the remark. */
void fb_find_remark(struct fb_finding *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the interval of times takes processes for independent, because they are too few to tell
 * otherwise. */
bool fb_find_independent(const struct fb_finding *);

/* Two-sided p of a normal deviate, and of a chi-square statistic. */
double fb_p_normal(double z);
double fb_p_chi2(double chi2, double df);

#endif
