/*
 * Experiments of kind "advise": which filter to use, for one's own keys, memory, tree and disk. The
 * table in fields.c says what their fields are.
 *
 * Four experiments are its parts, each a document that `run` would have written:
 *
 *     screen    fpr    every design on the keys: does it have the rate that theory gives it?
 *     sizes     fpr    every design at 1 to 16 bits per key: is its formula right there?
 *     survey    lsm    every design that passed both, in this tree: CPU time of a query
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
    uint64_t files[FB_MAX_RUNS]; /* of each run; 0: as segment_bytes make */
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

/* ---- A database that was read (database.c): an object as fb_survey_json makes it ---- */

/* Sets the fields that it answers: engine, from, run_bytes, key_bytes, value_bytes. */
void fb_advise_take_database(const json_t *database, json_t *fields);
/* Its levels, and its settings. */
void fb_advise_database_table(FILE *, const json_t *database, enum fb_table_style);

/* ---- Candidates (weigh.c) ---- */

/* A design that passed, with the times of the survey. */
struct fb_contender {
    const struct fb_design *design;
    /* Of a query: without filters, and of each that is asked. What an engine takes beside these, by
     * a profile; 0 without one. */
    double walk_ns, per_filter_ns, engine_walk_ns, engine_filter_ns;
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
/* The part of it that is an engine's. */
double fb_candidate_engine(const struct fb_candidate *, double absent);
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
json_t *fb_advise_sizes(struct fb_question *);
json_t *fb_advise_survey(struct fb_question *, const json_t *document);
json_t *fb_advise_final(struct fb_question *, const struct fb_weighed *, const json_t *document);

/* A cell for each design: what the screen and the survey say of it. */
json_t *fb_advise_cells(struct fb_question *, const json_t *document);

/* ---- The ranking (ranking.c) ----
 *
 * Finalists and no filter at all, ranked by what was measured of them; and what each would cost if
 * an input were another.
 */

/* A finalist, or no filter at all: the candidate as it was reckoned, and how what was measured
 * differs from that. Prices are in no cost here. */
struct fb_ranked {
    const struct fb_candidate *c;
    const json_t *cell; /* of the final part; NULL: no filter */
    double cpu, cpu_low, cpu_high, reads, reads_low, reads_high;
    double cpu_scale, reads_scale; /* measured over reckoned */
    uint64_t events;               /* false positives that were counted */
};

struct fb_ranking {
    struct fb_question *q;
    struct fb_weighed *w;
    struct fb_ranked rows[FB_FINALISTS + 1];
    size_t n;
    double without_ns; /* what a query costs without filters */
    json_t *document;
};

/* Ranks them, best first, of q, w and document. False with *problem set: the final part cannot be
 * read. */
bool fb_ranking_make(struct fb_ranking *, struct fb_problem *problem);
/* Whether the tree that was measured has fewer keys than the real one. */
bool fb_ranking_is_scaled(const struct fb_ranking *);

/* ---- Costs of a query, ns, prices included (ranking.c) ---- */

double fb_ranked_cost(const struct fb_ranking *, const struct fb_ranked *);
/* The ends of its 95 % interval. */
double fb_ranked_low(const struct fb_ranking *, const struct fb_ranked *);
double fb_ranked_high(const struct fb_ranking *, const struct fb_ranked *);
/* Where a share `absent` of the queries is for absent keys, a read takes read_ns, and the processor
 * `slower` times as long. */
double fb_ranked_cost_if(const struct fb_ranking *, const struct fb_ranked *, double absent,
                         double read_ns, double slower);
/* The row that then costs least; of equal ones the first. */
const struct fb_ranked *fb_ranking_best_if(const struct fb_ranking *, double absent, double read_ns,
                                           double slower);

/* ---- As JSON; the caller owns it ---- */

/* {design, allocation, name}, as "ranking", "front" and others name filters. */
json_t *fb_advise_name(const struct fb_candidate *);
json_t *fb_advise_ranking_json(const struct fb_ranking *); /* rows.c */
json_t *fb_advise_front_json(const struct fb_ranking *);
json_t *fb_advise_engines_json(const struct fb_ranking *);
json_t *fb_advise_regret_json(const struct fb_ranking *); /* what_if.c */
json_t *fb_advise_flips_json(const struct fb_ranking *);
json_t *fb_advise_steps_json(const struct fb_ranking *);

/* ---- The answer (answer.c, sentence.c) ---- */

/* Sets "answer" of the document, or null with a reason where a part is missing. */
bool fb_advise_answer(struct fb_question *, json_t *document, struct fb_problem *problem);
/* "38.4 us" */
void fb_advise_time(double ns, char out[32]);
/* "sentence" and the texts of "flips" of an answer that has all else. */
void fb_advise_say(json_t *answer);

void fb_advise_table(FILE *, const json_t *document, enum fb_table_style);

#endif
