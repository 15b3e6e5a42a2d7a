/*
 * Experiments of kind "advise": which filter to use, for one's own keys, memory, tree and disk. The
 * table in fields.c says what their fields are.
 *
 * Four or five experiments are its parts, each a document that `run` would have written:
 *
 *     screen    fpr    every design on the keys: does it have the rate that theory gives it?
 *     sizes     fpr    every design at 1 to 16 bits per key: is its formula right there?
 *     survey    lsm    every design that passed both, in this tree: CPU time of a query
 *     final     lsm    the best few at the size that is advised: reads counted, time measured
 *     proof     engine with --prove: the pick, today's setting and the runner-up in the engine
 *
 * Between survey and final the costs of all sizes and splits are predicted by formula
 * (store/outlook.h) with the times of the survey: the candidates of choose.h. Everything but the
 * parts is derived from them, and from the inputs: those of the experiment, or those of another
 * question that is asked again of the same parts ("inputs" of the document, advise --again).
 */
#ifndef FILTERBENCH_HARNESS_KIND_ADVISE_ADVISE_H
#define FILTERBENCH_HARNESS_KIND_ADVISE_ADVISE_H

#include "harness/document/kind.h"
#include "harness/kind/advise/choose.h"
#include "harness/store/device.h"
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
    bool dollars;             /* the price of memory is in dollars */
    bool all_designs;         /* those that no engine has are compared too */
    struct fb_curves *curves; /* [fb_n_designs()], by fb_design_at; owned */
};

/* As open() of struct fb_kind; fb_question_close in any case. */
bool fb_question_resolve(const json_t *given, struct fb_question *, struct fb_problem *problem);
void fb_question_close(struct fb_question *);
/* Once the file is known (about: "key_file" of the document, null without one): the number of keys
 * and the runs. False with *problem set. */
bool fb_question_fill(struct fb_question *, const json_t *about, struct fb_problem *problem);

struct fb_curves *fb_question_curves(struct fb_question *, const struct fb_design *);
/* Whether the engine that is asked for can have such filters, or any engine where none is named.
 * With all designs and no engine: true. */
bool fb_question_offers(const struct fb_question *, const struct fb_design *, enum fb_allocation);
/* The question that is asked of the same evidence with other inputs ("inputs" of a document). False
 * with *problem set. fb_question_close in any case. */
bool fb_question_again(const struct fb_question *, const json_t *document, struct fb_question *out,
                       struct fb_problem *problem);
/* What the choice depends on; `document` has the parts. False: the time of a read is missing. */
bool fb_question_inputs(const struct fb_question *, const json_t *document, struct fb_inputs *);
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

/* ---- Evidence (evidence.c) ---- */

/* A design that passed, with the times of the survey. */
struct fb_contender {
    const struct fb_design *design;
    /* Of a query: without filters, and of each that is asked. What an engine takes beside these, by
     * a profile; 0 without one. */
    double walk_ns, check_ns, engine_ns, engine_check_ns;
    double error; /* standard error of the time of a query, ns */
};

enum { FB_MOST_CONTENDERS = 64, FB_MOST_SIZES = 25, FB_SHORTLIST = 6, FB_FINALISTS = 8 };

struct fb_weighed {
    struct fb_contender contenders[FB_MOST_CONTENDERS]; /* all that were surveyed */
    size_t n_contenders;
    bool in_engine;                 /* a profile tells what the engine takes */
    double walk_ns, engine_base_ns; /* of a query without filters, here and in the engine */
    struct fb_candidate at[FB_MOST_CANDIDATES];
    struct fb_evidence evidence; /* of `at`: those of the shortlist and of today's design */
    struct fb_outlook perfect;   /* of filters that never err */
    unsigned n_filters;
    /* By filter: the cells of the final part that measured it, of its pick and of today's setting;
     * NULL: none did. */
    const json_t *cell[FB_MOST_FILTERS][2];
    /* Those that the final part measures: the present setting, and of each filter its pick. */
    size_t finalist[FB_FINALISTS], n_finalists;
};

/* From screen and survey of the document, and from its final part where there is one. `asked` is
 * the question that the parts are of, or the one that is asked again of the same evidence. False
 * with *problem set: they cannot be read, or no design is left. */
bool fb_weigh(struct fb_question *, const struct fb_question *asked, const json_t *document,
              struct fb_weighed *out, struct fb_problem *problem);
/* The cell of the final part that measured the very candidate; NULL: none. */
const json_t *fb_weighed_cell(const struct fb_weighed *, const struct fb_candidate *);

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

/* ---- The answer ---- */

/* All that an answer is made of: `pick` is a place in the evidence. */
struct fb_advice {
    struct fb_question *q; /* as the parts are of it */
    const struct fb_question *asked;
    struct fb_weighed *w;
    const json_t *document;
    struct fb_inputs in;
    size_t pick;
};

/* The experiment that proves the answer so far, and what it says: {engine, version, n, verdict,
 * settings}. NULL: nothing can be proved there, or was (proof.c). */
json_t *fb_advise_proof(const struct fb_advice *);
json_t *fb_advise_proof_json(const struct fb_advice *);

/* False with *problem set: the parts cannot be read. `w` is the caller's. */
bool fb_advise_open(struct fb_question *, const struct fb_question *asked, const json_t *document,
                    struct fb_weighed *w, struct fb_advice *out, struct fb_problem *problem);
/* Sets "answer" of the document, or null with a reason where a part is missing (answer.c). */
bool fb_advise_answer(struct fb_question *, json_t *document, struct fb_problem *problem);
/* Settings, one for each filter, the front and what engines are told, as JSON; the caller owns it
 * (rows.c). */
json_t *fb_advise_name(const struct fb_candidate *);
json_t *fb_advise_ranking_json(const struct fb_advice *);
json_t *fb_advise_front_json(const struct fb_advice *);
json_t *fb_advise_evidence_json(const struct fb_advice *);
json_t *fb_advise_engines_json(const struct fb_advice *, const json_t *ranking);
/* "38.4 us" (say.c) */
void fb_advise_time(double ns, char out[32]);
/* Sets "card" and the texts of "flips" of an answer that has all else. */
void fb_advise_say(json_t *answer);

extern const struct fb_figure fb_advise_figures[];
void fb_advise_card(const json_t *document, const char *path, struct fb_card *);
void fb_advise_table(FILE *, const json_t *document, enum fb_table_style);

#endif
