/*
 * The bench that procedures work at: settings of the run, its keys, and the first failure.
 *
 * After a failure the functions that take the bench do nothing and give zeros, and what a procedure
 * finds is not used. So a procedure is written straight through. It asks bench->err only where it
 * would follow a pointer or divide a whole number by what it did not get.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_BENCH_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_BENCH_H

#include "filters/core/filter.h"
#include "harness/kind/claims/procedure/times.h"
#include "workloads/core/keys.h"

enum fb_effort { FB_QUICK, FB_DEFAULT, FB_FULL, FB_EFFORTS };
/* "quick", "default", "full"; NULL: of FB_EFFORTS. */
const char *fb_effort_text(enum fb_effort);
/* Processes that it takes at most for a row of times. */
size_t fb_effort_processes(enum fb_effort);

/*
 * Every counted procedure runs twice. First it predicts: whatever counts something random measures
 * nothing and gives what the theory expects of it, with the interval that so much work would have.
 * Then it measures. A theory that is another one the second time has looked at the measurement.
 *
 * It predicts with more and more work until the interval would be clear of the limits of the claim
 * (plan.c), and measures with so much. What the measurement finds has no say in it.
 */
enum fb_phase {
    FB_MEASURE,
    FB_PREDICT,
    FB_DERIVE /* what was counted is taken from a document (below), all else as to measure */
};

/* The rate of a short simulation (cell_rate.c), which predictions ask for again and again. */
struct fb_short_simulation {
    const struct fb_design *design;
    uint64_t n_keys, n_bits;
    uint32_t probes;
    double rate;
};
enum { FB_SHORT_SIMULATIONS = 32 };

/* What tables hold by the keys of the whole space (prefix.c), counted once for all phases. */
struct fb_prefix_theory {
    const json_t *args;   /* of the row; NULL: of none */
    double n_prefixes;    /* that the keys of the space have */
    double held;          /* of these a table has keys with, in the mean over tables */
    double share;         /* P(a table holds the prefix of a key that is not in the table) */
    double whole, prefix; /* rates of the filters over keys and over prefixes */
};

struct fb_bench {
    enum fb_effort effort;
    enum fb_phase phase;
    uint64_t work;    /* times the filters or queries that the effort gives a row; 0: as 1 */
    unsigned threads; /* 0: all */
    uint64_t root;
    unsigned repeat;               /* 1: under the second root of a full run */
    struct fb_counted_cell *cells; /* [n_cells] counted before (cell.c), owned */
    size_t n_cells;
    struct fb_short_simulation simulations[FB_SHORT_SIMULATIONS]; /* the first n_simulations */
    size_t n_simulations;
    struct fb_prefix_theory prefixes; /* of the row that asked last */
    json_t *facts;         /* of the row (below): an array, borrowed; NULL: nobody keeps them */
    size_t taken;          /* of them, noted or foreseen by the procedure that ran last */
    struct fb_times times; /* that rows have asked for */
    const json_t *samples; /* to derive: what the document keeps of times, by root; borrowed */
    enum fb_err err;       /* the first failure; FB_OK: none */
    char why[200];         /* its reason */
    bool interrupted;      /* by the user: err is set, but there is nothing to report */
};
void fb_bench_close(struct fb_bench *);

/* n, as often as the work asks for. */
uint64_t fb_bench_times_work(const struct fb_bench *, uint64_t n);

/* A failure with its reason. The first one is kept. Returns bench->err. */
enum fb_err fb_bench_fail(struct fb_bench *, enum fb_err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for what a call returned, if that is an error. The reason reads "what: why", with the
 * text of the error where why is NULL. */
enum fb_err fb_bench_check(struct fb_bench *, enum fb_err, const char *what, const char *why);
/* The shape of a filter (fb_params_plan). A design that refuses it fails the bench with its reason.
 */
enum fb_err fb_bench_plan(struct fb_bench *, const struct fb_design *, uint64_t n_keys,
                          struct fb_params *, struct fb_geometry *);
void fb_bench_interrupt(struct fb_bench *);

/* Zeroed memory for n things of `size` bytes. The caller frees it. */
void *fb_bench_alloc(struct fb_bench *, size_t n, size_t size);

/* Keys first .. first + n - 1 of a format ("random", "bin:40") in a stream under the root. */
struct fb_keyset fb_bench_keys(struct fb_bench *, const char *format, uint64_t stream,
                               uint64_t first, size_t n);
/* Digests [n * n_words] of "random" keys, by the design's own hash. */
void fb_bench_digests(struct fb_bench *, const struct fb_design *, unsigned n_words,
                      uint64_t stream, uint64_t first, size_t n, uint64_t *digests);

/* ---- Facts ----
 *
 * What a procedure counted, apart from what follows from it. Whoever measures notes the counts of a
 * row in records, and whoever derives the row again takes the records back in the same order:
 *
 *     uint64_t lost = 0, bits = 0;
 *     if (bench->phase == FB_MEASURE)
 *         ... count them ...
 *     fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("lost", &lost), FB_FACT("bits", &bits),
 * {0}});
 *     ... theory, interval, test, remark from `lost` and `bits` ...
 *
 * A procedure whose counting takes no time notes nothing: it counts again.
 */

/* Whole numbers below 2^63. */
struct fb_fact {
    const char *name;
    uint64_t *value; /* [n]; one number where n is 0 */
    size_t n;
};
#define FB_FACT(name, value)                                                                       \
    {                                                                                              \
        name, value, 0                                                                             \
    }

/* One record; facts end with name == NULL. Notes it (FB_MEASURE), sets the values from it
 * (FB_DERIVE; fails where the document has not exactly these), or only says that there will be one
 * (FB_PREDICT): a procedure that notes nothing does the same in every phase. */
void fb_bench_facts(struct fb_bench *, const struct fb_fact *facts);

#endif
