/*
 * Procedures: how a row of the ledger is measured. Each computes the theory from formulas and the
 * measurement from built filters, both in the unit of the claim. claims.h draws the verdicts.
 *
 * Here is what all of them share: the bench that they work at, the arguments of a row, and what
 * they find. After a failure the functions that take the bench do nothing and give zeros, and what
 * a procedure finds is not used. So a procedure is written straight through. It asks bench->err
 * only where it would follow a pointer or divide a whole number by what it did not get.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_PROCEDURE_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_PROCEDURE_H

#include "filters/core/filter.h"
#include "harness/base/json.h"
#include "harness/kind/claims/ledger.h"
#include "harness/measure/group.h"
#include "harness/stats/stats.h"
#include "workloads/core/keys.h"

/*
 * ---- Times (times.c) ----
 *
 * Times for the rows of a run, all measured as one group (group.h): so each is spread over the
 * whole measurement, and all tell of the same noise.
 *
 * A procedure of times runs several times. First all rows ask: each adds what it wants timed as a
 * part, or finds it among the parts, and has no estimate yet. Then the group is measured, or its
 * samples are read from a document. Then each row asks for the same and gets estimates.
 */

enum { FB_TIMES_MEMBERS = 8 }; /* of a part, at most */

struct fb_times_part {
    json_t *key;                  /* owned: rows that give equal keys share the part */
    void *self;                   /* what is timed, owned; NULL where samples are to be read */
    size_t n;                     /* members */
    int32_t to[FB_TIMES_MEMBERS]; /* member of the part that the ratio is taken to; -1: none */
    /* Makes the part of the group: its child and its file. *why may say what is wrong. */
    enum fb_err (*open)(void *self, const struct fb_group_options *, struct fb_part *out,
                        const char **why);
    void (*close)(void *self); /* in either case, and without open() too */
};

/* Zeroed: nothing was asked for. */
struct fb_times {
    struct fb_times_part *parts; /* [n], owned */
    size_t n;
    size_t asked;          /* the part that a row asked for last */
    struct fb_group group; /* of these parts; zero until it is measured */
};
void fb_times_close(struct fb_times *);

/* Whether a part has this key; it becomes the one asked for. */
bool fb_times_find(struct fb_times *, const json_t *key);
/* One more part, which becomes the one asked for; refers to its key. FB_ENOMEM: it is closed. */
enum fb_err fb_times_add(struct fb_times *, struct fb_times_part) FB_MUST_USE;

/* With estimates, of the part asked for last; NULL before one of its processes has delivered. */
const struct fb_member *fb_times_members(const struct fb_times *);

/* What a document keeps of the parts in their order: [{of, members: [{time}]}], where "of" is the
 * key and "time" as in group_json.h. */
json_t *fb_times_json(const struct fb_times *);
/* Takes the samples of such a list. False, with *why, where they are not of these parts. */
bool fb_times_read(struct fb_times *, const json_t *, const char **why);

/* Measures all parts. *why may say what is wrong. */
enum fb_err fb_times_measure(struct fb_times *, const struct fb_group_options *,
                             const struct fb_group_watch *, const char **why) FB_MUST_USE;

/* ---- The bench: settings of the run, its keys, and the first failure (bench.c, facts.c) ---- */

enum fb_effort { FB_QUICK, FB_DEFAULT, FB_FULL, FB_EFFORTS };
/* "quick", "default", "full"; NULL: of FB_EFFORTS. */
extern const char *const fb_effort_texts[];
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

/* The rate of a short simulation (builds.c), which predictions ask for again and again. */
struct fb_short_simulation {
    const struct fb_design *design;
    uint64_t n_keys, n_bits;
    uint32_t probes;
    double rate;
};
enum { FB_SHORT_SIMULATIONS = 32 };

struct fb_bench {
    enum fb_effort effort;
    enum fb_phase phase;
    uint64_t work;    /* times the filters or queries that the effort gives a row; 0: as 1 */
    unsigned threads; /* 0: all */
    uint64_t root;
    unsigned repeat; /* 1: under the second root of a full run */
    struct fb_short_simulation simulations[FB_SHORT_SIMULATIONS]; /* the first n_simulations */
    size_t n_simulations;
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
/* How many of the keys the filter answers "maybe" to. */
uint64_t fb_bench_ask(struct fb_bench *, const struct fb_filter *, const struct fb_keys *);
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

/* ---- Arguments, as results/claims/<document>.json gives them, and the filter that they ask for
 * (arguments.c) ---- */

/* A number, a whole number, a text. Where the member is absent or of another type the answer is
 * `otherwise`. */
double fb_arg_number(const json_t *args, const char *key, double otherwise);
uint64_t fb_arg_count(const json_t *args, const char *key, uint64_t otherwise);
const char *fb_arg_text(const json_t *args, const char *key, const char *otherwise);
/* A whole number written as text: "0x1F" is 31. 0 where absent. */
uint64_t fb_arg_hex(const json_t *args, const char *key);
/* Whether the member is this text. */
bool fb_arg_is(const json_t *args, const char *key, const char *text);

/* The member "design", which must name one. */
const struct fb_design *fb_arg_design(struct fb_bench *, const json_t *args);
/* bits_per_key, fpr and k as parameters. */
struct fb_params fb_arg_params(const json_t *args);
/* A variant: the arguments with the members of their member "over" laid over them. {"n": 5, "k": 7,
 * "over": {"n": 9}} gives n 9 and k 7. The caller owns it. */
json_t *fb_arg_over(const json_t *args);

/* A filter to plan or to build: design and parameters as above, n keys (1000 where absent), and
 * their format `keys` (random). */
struct fb_recipe {
    const struct fb_design *design;
    struct fb_params params;
    uint64_t n;
    const char *keys;
};
struct fb_recipe fb_arg_recipe(struct fb_bench *, const json_t *args);

/* The geometry for n keys. */
struct fb_geometry fb_recipe_plan(struct fb_bench *, const struct fb_recipe *);
/* A filter of that geometry: without keys; with keys 0 .. n - 1 of a stream. The caller closes it,
 * after a failure as well. */
struct fb_filter fb_recipe_empty(struct fb_bench *, const struct fb_recipe *);
struct fb_filter fb_recipe_build(struct fb_bench *, const struct fb_recipe *, uint64_t stream);

/* ---- What a procedure finds, number by number, and how sure it is (finding.c) ---- */

struct fb_finding {
    size_t n; /* numbers found; as many as claimed */
    double theory[FB_CLAIM_VALUES], measured[FB_CLAIM_VALUES];
    double low[FB_CLAIM_VALUES], high[FB_CLAIM_VALUES]; /* 99.9 % interval; a point when exact */
    /* Model and measurement agree if every |measured - theory| <= tolerance (NaN: there is no exact
     * comparison) and p, corrected for all rows, is large enough (NaN: nothing random). */
    double tolerance, p;
    uint64_t events, probes; /* of all cells this row measured */
    uint64_t false_negatives;
    double level;            /* of low..high where not 99.9 %; 0: it is */
    size_t processes;        /* that times were taken in; 0: no times */
    bool cpu_clock;          /* times are the thread's, not the wall's (group.h) */
    bool simulated;          /* theory from a Monte Carlo over ideal hash words */
    double theory_error;     /* relative standard error of that */
    uint64_t probes_missing; /* of those that the ledger asks for; 0: the effort gives all */
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
/* Measured with a standard error (normal; a quantity that is never negative), or with a 99.9 %
 * interval of its own. */
void fb_find_normal(struct fb_finding *, double theory, double measured, double se);
void fb_find_interval(struct fb_finding *, double theory, double measured, double low, double high);
/* The interval of the last number leaves out what the quantity cannot be. */
void fb_find_clip(struct fb_finding *, double least, double most);
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

/* ---- All procedures (table.c) ---- */

struct fb_procedure {
    const char *name;
    void (*run)(struct fb_bench *, const json_t *args, struct fb_finding *);
    enum fb_nature nature;
};

/* The procedure of that name in procedures.def: "time-ratio" is time_ratio. Its parameters are the
 * bench, the arguments, and the finding, which comes empty. */
#define FB_PROCEDURE(name)                                                                         \
    void fb_procedure_##name(__attribute__((unused)) struct fb_bench *bench,                       \
                             __attribute__((unused)) const json_t *args, struct fb_finding *out)
#define PROCEDURE(text, name, nature) FB_PROCEDURE(name);
#include "harness/kind/claims/procedure/procedures.def"
#undef PROCEDURE

/* All of them; ends with name == NULL. */
extern const struct fb_procedure fb_procedures[];
const struct fb_procedure *fb_procedure_find(const char *name); /* NULL: no such procedure */
/* Of a row's procedure; FB_COUNTED where there is none. */
enum fb_nature fb_procedure_nature(const char *name);

/* Runs the procedure of this name. FB_EINVAL where it does not exist or where the arguments make no
 * sense; bench->why says what. What was found is not to be used after an error. */
enum fb_err fb_procedure_run(const char *name, struct fb_bench *, const json_t *args,
                             struct fb_finding *out) FB_MUST_USE;

#endif
