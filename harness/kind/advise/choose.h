/*
 * Which filters to use: one pure function of evidence and inputs, fb_choose. The pick of an answer,
 * what would change it and how sure it is all come from it, so they cannot contradict each other.
 *
 * Evidence is a list of candidates: filters of one design, size and split, with what a query does
 * and takes with them. Inputs are what the question says of the world: how many queries are for
 * absent keys, how long a read takes, how much memory there is. All functions are pure, and give
 * the same bits on every machine.
 */
#ifndef FILTERBENCH_HARNESS_KIND_ADVISE_CHOOSE_H
#define FILTERBENCH_HARNESS_KIND_ADVISE_CHOOSE_H

#include "harness/store/outlook.h"

/* Of filters, a design and a split of its bits over levels. */
enum { FB_MOST_FILTERS = 32, FB_MOST_CANDIDATES = 2048 };

struct fb_candidate {
    const struct fb_design *design; /* NULL: no filter */
    enum fb_allocation allocation;
    unsigned filter; /* number of design and split, below FB_MOST_FILTERS; 0: no filter */
    double request;  /* bits per key that the design is asked for */
    bool offered;    /* the engine has it: it may be picked */
    bool present;    /* it is the setting of today */
    struct fb_outlook outlook;
    double walk_ns, check_ns; /* CPU time of a query: without filters, of each that is asked */
    double engine_ns, engine_check_ns; /* the parts of these that an engine takes, by a profile */
    /* Measured, as a multiple of what was predicted; 1: it was not. */
    double cpu_scale, reads_scale;
    double cpu_error;   /* standard error of the CPU time, ns */
    double reads_error; /* of reads, as a share of them */
};

/* Of ascending size: at[0] is no filter, and all that is of one size stands together. */
struct fb_evidence {
    struct fb_candidate *at;
    size_t n;
};

struct fb_inputs {
    double absent, low, high; /* share of absent keys: low <= absent <= high */
    /* A read: the estimate, and its 95 % interval. */
    double read_ns, read_low, read_high;
    double most_bytes; /* of all filters; infinite: as much as pays */
    /* What a byte of filters must save, in ns of each query: so much, and so much for each ns that
     * a read takes. Both 0: bytes have no price. */
    double price, price_per_ns;
};

/* What measurements may differ by from what is true: standard normal numbers. */
struct fb_noise {
    double cpu[FB_MOST_FILTERS], reads[FB_MOST_FILTERS];
};

/* A query, ns: the processor's part, all of it, and that with the price of memory. */
double fb_candidate_cpu(const struct fb_candidate *, double absent);
double fb_candidate_reads(const struct fb_candidate *, double absent); /* per query */
double fb_candidate_time(const struct fb_candidate *, const struct fb_inputs *);
double fb_candidate_cost(const struct fb_candidate *, const struct fb_inputs *);
double fb_inputs_price(const struct fb_inputs *); /* ns a byte */

/* Of a filter, or 0: of all. */
struct fb_front {
    size_t at[FB_MOST_CANDIDATES]; /* those that take less time than all smaller ones, ascending */
    size_t n;
};
void fb_choose_front(const struct fb_evidence *, const struct fb_inputs *, unsigned filter,
                     struct fb_front *out);

/*
 * The place of the pick, among candidates that the engine offers and that fit the memory; of one
 * filter, or 0: of all. noise NULL: as measured.
 *
 * The pick is the smallest that costs at most 5 % more than the cheapest of all filters, or, of a
 * filter that has none so cheap, than its own cheapest; with a price of memory, the one of the
 * least cost and price. Of all filters, the present setting stays, or else its design and split,
 * where it costs no more than that, and takes at most 2 % more memory than the pick.
 */
size_t fb_choose(const struct fb_evidence *, const struct fb_inputs *, unsigned filter,
                 const struct fb_noise *noise);

/* Of resamples of all that is uncertain, the share in which the candidate costs at most 5 % more
 * than the best that takes no more memory; of no filter, than the best of all. */
enum { FB_RESAMPLES = 2000 };
double fb_choose_confidence(const struct fb_evidence *, const struct fb_inputs *, size_t pick);

/* ---- What would change the pick ---- */

enum fb_input { FB_INPUT_READ_NS, FB_INPUT_ABSENT };

struct fb_flip {
    enum fb_input input;
    bool above;           /* the input has to rise */
    double at, low, high; /* where the pick changes, with a 90 % interval */
    size_t before, after; /* the picks 2 % on either side of it */
    size_t next;          /* the pick just beyond it */
};

/* The nearest change of the pick on one side of an input, or, with `filters`, the nearest that is
 * not of its size alone. False: there is none. */
bool fb_choose_flip(const struct fb_evidence *, const struct fb_inputs *, enum fb_input, bool above,
                    bool filters, struct fb_flip *out);
/* The inputs with one of them set; a read's interval is scaled with it. */
struct fb_inputs fb_inputs_with(const struct fb_inputs *, enum fb_input, double value);

#endif
