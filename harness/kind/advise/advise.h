/*
 * Experiments of kind "advise": which filter to use, for one's own keys, memory, tree and disk.
 *
 *     name, summary, source, runtime   as in every experiment
 *     kind             "advise"
 *   the filters
 *     designs          list, or "filters"
 *     from             the design that is in use today: what the advice is held against
 *     engine           whose filters and splits are the choice, or "any"
 *     deployed_false, deployed_negatives   what the store in use has counted
 *     removal          whether keys must be taken out again
 *     build_bytes      what a build may hold beside the filter, bytes for each key; 0: any
 *     bits_per_key     } the most memory; both 0: as much as pays
 *     memory           }
 *     memory_price     ns that a query must save for a byte of filter; 0: bytes have no price
 *     memory_dollars, read_dollars, query_rate     a price in money: of a GB for a month, of a
 * read, and queries per second keys and tree, as in kind "lsm" keys, n          "file" or a format;
 * n 0: half of the file's, the rest is asked for in vain key_bytes        0: those of the file or
 * the format style, levels, ratio, l0, segment_bytes, value_bytes; run_bytes: list of {level,
 * bytes} queries and reads absent           the share of absent keys; absent_low, absent_high: what
 * it may be as well popularity, cache_bytes, device, device_bytes queries          counted of each
 * filter that is simulated measuring budget, cpu, seed
 *
 * Three experiments are its parts, each a document that `run` would have written:
 *
 *     screen    fpr    every design on the keys: does it have the rate that theory gives it?
 *     survey    lsm    every design that does, in this tree: CPU time of a query
 *     final     lsm    the best few at the size that is advised: reads counted, time measured
 *
 * Between survey and final the costs of all sizes and splits are reckoned by formula
 * (store/outlook.h) with the times of the survey. Everything but the parts is derived from them.
 */
#ifndef FILTERBENCH_HARNESS_KIND_ADVISE_ADVISE_H
#define FILTERBENCH_HARNESS_KIND_ADVISE_ADVISE_H

#include "harness/document/kind.h"
#include "harness/store/device.h"
#include "harness/store/outlook.h"
#include "workloads/core/tree.h"

extern const struct fb_field fb_advise_fields[];

/* ---- What is asked (question.c) ---- */

struct fb_question {
    json_t *document; /* resolved, owned */
    bool file;        /* the keys are those of a file */
    /* Keys of the tree; of the tree that is measured, fewer where n would not fit; and keys of the
     * file that may be in a tree, half of them. */
    uint64_t n, n_measured, sample;
    double key_bytes;
    char keys[24]; /* of the trees that are measured: "file", "bin:16" */
    struct fb_outlook_run runs[FB_MAX_RUNS];
    unsigned level[FB_MAX_RUNS];
    size_t n_runs;
    unsigned n_levels;
    uint64_t unit_keys;       /* of a filter of the largest run */
    double absent, low, high; /* low <= absent <= high */
    double most_bits;         /* per key; 0: as much as pays */
    double price;             /* ns a query, of a byte, unless it is in dollars */
    bool dollars;
    struct fb_curves *curves; /* [fb_n_designs()], by fb_design_at; owned */
};

/* As open() of struct fb_kind; fb_question_close in any case. */
bool fb_question_resolve(const json_t *given, struct fb_question *, struct fb_problem *problem);
void fb_question_close(struct fb_question *);
/* Once the file is known (about: "key_file" of the document, null without one): the number of keys
 * and the runs. False with *problem set. */
bool fb_question_fill(struct fb_question *, const json_t *about, struct fb_problem *problem);

struct fb_curves *fb_question_curves(struct fb_question *, const struct fb_design *);
/* Whether the engine that is asked for can have such filters. */
bool fb_question_allows(const struct fb_question *, const struct fb_design *, enum fb_allocation);
/* Why a design is left out before anything is measured; NULL: it is not. */
const char *fb_question_excludes(const struct fb_question *, const struct fb_design *);
/* Bits per key that all are measured at first: those that there are, 10 at most. */
double fb_question_first_bits(const struct fb_question *);
/* Makes the curves of all designs that are not left out, for filters of the largest run. */
enum fb_err fb_question_make_curves(struct fb_question *) FB_MUST_USE;

/* ---- Candidates (weigh.c) ---- */

/* A design that passed, with the times of the survey. */
struct fb_contender {
    const struct fb_design *design;
    double walk_ns, per_filter_ns; /* of a query: without filters, and of each that is asked */
};

/* Filters of one design, size and split. */
struct fb_candidate {
    const struct fb_contender *by;
    enum fb_allocation allocation;
    double request, size; /* bits per key asked for, and the step of memory that it is of */
    struct fb_outlook outlook;
};

/* What a query costs, ns: in all, where a read takes read_ns, and of the processor. */
double fb_candidate_cost(const struct fb_candidate *, double absent, double read_ns);
double fb_candidate_cpu(const struct fb_candidate *, double absent);
/* Of a byte of filters, ns for each query; 0: it has none. */
double fb_question_price(const struct fb_question *, double read_ns);

enum { FB_MOST_CONTENDERS = 64, FB_MOST_SIZES = 25, FB_SHORTLIST = 6, FB_FINALISTS = 6 };
/* Rough ones of all contenders, and then those of the shortlist and `from` in three splits. */
enum { FB_MOST_CANDIDATES = FB_MOST_CONTENDERS * FB_MOST_SIZES };

struct fb_weighed {
    double read_ns, price;
    struct fb_contender contenders[FB_MOST_CONTENDERS]; /* all that were surveyed */
    size_t n_contenders;
    struct fb_contender none;
    struct fb_candidate nothing;                /* no filter at all */
    struct fb_outlook perfect;                  /* of filters that never err */
    struct fb_candidate at[FB_MOST_CANDIDATES]; /* of the shortlist, by size */
    size_t n;
    /* Places in `at`. The front: the best of each size that beats all smaller ones. The knee, a
     * place in the front: the smallest where reads that false positives cause cost no more than
     * asking the filters, or the last. The pick: with a price the least cost and price, else the
     * knee. Finalists: of each design and split the best that is no larger than the pick, the pick
     * first. */
    size_t front[FB_MOST_SIZES], n_front, knee, pick;
    size_t finalist[FB_FINALISTS], n_finalists;
};

/* From screen and survey of the document. False with *problem set: they cannot be read, or no
 * design is left. */
bool fb_weigh(struct fb_question *, const json_t *document, struct fb_weighed *out,
              struct fb_problem *problem);

/* The cell of a part that is of the design, or NULL. */
const json_t *fb_advise_find(const json_t *part, const char *design);

/* ---- Parts (parts.c) ---- */

/* Their experiments, to be released. */
json_t *fb_advise_screen(struct fb_question *);
json_t *fb_advise_survey(struct fb_question *, const json_t *document);
json_t *fb_advise_final(struct fb_question *, const struct fb_weighed *, const json_t *document);

/* A cell for each design: what the screen and the survey say of it. */
json_t *fb_advise_cells(struct fb_question *, const json_t *document);

/* ---- The answer (answer.c, sentence.c) ---- */

/* Sets "answer" of the document, or null with a reason where a part is missing. */
bool fb_advise_answer(struct fb_question *, json_t *document, struct fb_problem *problem);
/* "38.4 us" */
void fb_advise_time(double ns, char out[32]);
/* "confidence", "sentence" and the like of an answer that has all else. */
void fb_advise_say(const struct fb_question *, json_t *answer);

void fb_advise_table(FILE *, const json_t *document, enum fb_table_style);

#endif
