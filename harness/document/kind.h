/*
 * Kinds of experiments. Kind x is the folder harness/kind/x, which exports fb_kind_x, and its name
 * in FB_KINDS of CMakeLists.txt; every verb finds it in the list here.
 *
 * A kind says what its experiments ask for (fields), measures (run), and says what follows from
 * what was measured (derive). A document holds facts (counts, samples, sizes) and what is derived
 * from them. Run and validate derive with the same function: run to write a number, validate to
 * hold the number that stands there against it. The driver (run.h, check.h, compare.h, figure.h)
 * does the rest alike for all kinds: options, output, partial files, missing and repeated cells,
 * tables, CSV, exact facts, figures.
 *
 *     fields -> open -> load -> run -> derive -> warn -> document -> table, CSV, figures
 *                                                           |
 *                      validate: open, ids, contradiction, derive, warn
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_KIND_H
#define FILTERBENCH_HARNESS_DOCUMENT_KIND_H

#include "harness/base/option.h"
#include "harness/base/table.h"
#include "harness/document/fields.h"
#include "harness/document/figure.h"
#include "harness/document/result.h"
#include "harness/document/versus.h"
#include "harness/work/work.h"

/* The options of run that set no field of the experiment; absent ones are zero. */
struct fb_run_options {
    const char *name; /* the preset or file, as given, for messages */
    const char *keys, *keys_format, *trace, *trace_format;
    const char *profile; /* of the machine, for kind ab: kind/ab/profile.h */
    const char *versus;  /* a design that others are shown as multiples of; NULL: none */
    const char *output;  /* NULL: results/runs/NAME.json, or nothing where `quiet` */
    const char *shard;   /* "3/8": work/shard.h; NULL: all of it */
    uint64_t threads;    /* 0: one per core */
    uint64_t memory;     /* bytes of filters, and of keys that wait for them, at a time; 0: all */
    bool quick, full, histograms, ci, show, dry_run;
    const char *size_given; /* the option that says sizes: refused where no design takes them */
    bool resume;            /* goes on from the journal of an earlier run: work/journal.h */
    bool quiet;             /* no file unless `output` names one */
    const char *folder;     /* of databases, for kind engine; NULL: a temporary one */
    bool keep;              /* it is not removed */
    const char *io;         /* a profile of what Gets cost (io_profile.h), for engine and advise */
    const json_t *database; /* as it was read, for advise (engine/survey.h); NULL: none */
    enum fb_output_format format;
    int argc; /* as main() of the verb got them */
    char **argv;
};

/* Costs of two runs of one experiment, which may differ without a fault: times, whose comparison is
 * only shown, and instructions, whose comparison decides the exit code. */
struct fb_costs_comparison {
    const char *name;    /* "times" */
    bool has_references; /* compare() takes `against` */
    /* False with *why set where the two cannot be held against each other: times of two machines,
     * instructions of two compilers. */
    bool (*comparable)(const json_t *base, const json_t *head, struct fb_problem *why);
    /* A report, to be released; `against` names the design that ratios are taken to, NULL: each
     * cell's own yardstick. "compared" is the number of cells that both have. */
    json_t *(*compare)(const json_t *base, const json_t *head, const char *against);
    void (*print)(FILE *, const json_t *report, enum fb_table_style);
    /* FB_EXIT_REGRESSED with a line on stderr where HEAD costs more. NULL: it only advises. */
    enum fb_exit (*judge)(const json_t *report);
};

/* How an experiment is split into shards, and how documents of it become one (merge.h). */
struct fb_sharing {
    /* Why this experiment cannot be split, as what to change: "precision: give 0, ...". NULL: it
     * can. The function may be NULL: every one can. */
    const char *(*refused)(const void *self);

    /* Why a cell of this experiment stays whole: "a block cache is warmed by what went before".
     * NULL: cells are split by block. The function may be NULL where `unite` is; `why_whole` is the
     * reason that every experiment of the kind has. */
    const char *(*whole)(const void *self), *why_whole;

    /*
     * Fragments of one cell, those of shards of one split in their order, as the cell that one run
     * would have counted: facts alone, the caller's. `number`: of the cell's id among ids(). *cell
     * is NULL where some are missing; with `partial`, it has what those that are there have
     * counted. False with *problem set: a fragment cannot be read, or two contradict each other.
     * NULL: cells are never split.
     */
    bool (*unite)(void *self, size_t number, const json_t *fragments, bool partial, json_t **cell,
                  struct fb_problem *problem);
    /* What is known of a shard's fragment of a cell before it is counted, to be released: where it
     * begins and ends. NULL: the shard has none. As `unite`, NULL: cells are never split. */
    json_t *(*stretch)(const void *self, size_t number, struct fb_shard);

    /* Whether cells hold times. Runs then stand side by side: their counts are held against each
     * other, and each keeps its own times. NULL: no experiment of the kind has any, or, where
     * `always_timed`, each has. */
    bool (*timed)(const void *self), always_timed;

    /* True if cells depend on the machine, for example because the sizes of their filters follow
     * its caches. Runs of different machines are then not compared. */
    bool of_machine;

    /* Members beside the cells that derive() needs ("devices"): of the first run that has each.
     * Ends with NULL; NULL: none. */
    const char *const *beside;
};

/* How a piece is to be run: as the run would, on so many threads, of which a shard of `of` may have
 * less to do at a time. */
struct fb_piece {
    unsigned n_threads, of;
};

struct fb_kind {
    const char *name, *summary;    /* "fpr"; one line */
    const char *example;           /* "--quick", behind `run PRESET`; NULL: it has no presets */
    const char *unit;              /* what its cells are called in sentences: "cells", "claims" */
    const struct fb_field *fields; /* of its experiments; ends with name == NULL */
    /* Names of the options of run that it takes beside those that set its fields: of keys,
     * keys-format, trace, trace-format, threads, memory, quick, full, histograms, ci, io, device,
     * reads, versus. Ends with NULL. */
    const char *const *options;

    /* Sets in the document what options such as --quick stand for, before --set and the like are
     * applied. NULL: nothing. */
    void (*prepare)(json_t *given, const struct fb_run_options *);

    /* Reads an experiment into *self, self_bytes of zeros, which close() takes in any case (but
     * does not free). Returns the experiment with every field, which belongs to *self and resolves
     * to itself. NULL with *problem set: a field is wrong. The driver sets *problem to the text
     * of FB_ENOMEM before it calls this or a function below. So a function that fails because it
     * is out of memory need not set *problem. */
    size_t self_bytes;
    const json_t *(*open)(void *self, const json_t *given, struct fb_problem *problem);
    void (*close)(void *self);

    /* Before a run: reads the files that options name and makes sure that this machine can measure
     * what is asked. *about: "key_file" of the document, owned by the caller, NULL without a file.
     * A line on stderr for every code but OK. */
    enum fb_exit (*load)(void *self, const struct fb_run_options *, json_t **about);

    /* For --dry-run: an array of rows {id, ..., why_not}, and its columns, ending with NULL; NULL:
     * these two alone. "work" or "seconds": what a row takes by a formula, in any unit;
     * "repeated_s", in the same unit: what of it each shard does anew; "budget_s": seconds of
     * timing beside it; "memory_bytes": at its peak, about. */
    json_t *(*plan)(const void *self);
    const char *const *plan_columns;

    /* Runs row number `row` of the plan with about that part of its keys and queries, for an
     * estimate, and returns its work, in the plan's unit; 0: that cannot be run. It leaves self as
     * it was, but may leave memory to the end of the process. NULL: the kind has no pieces. */
    double (*piece)(void *self, size_t row, double part, const struct fb_piece *);

    /*
     * Measures what is the shard's of `work`, and is not in its journal: facts into "cells",
     * "fragments" (parts of cells), "skipped", "warnings" and members of the kind's own. `skipped`
     * has what the shard would have measured, or all there is.
     * FB_EXIT_INTERRUPTED and FB_EXIT_CORRECTNESS (a false negative) keep the cells so far; with
     * another code, or where "cells" was taken away, nothing is kept. A line on stderr for every
     * code but OK and INTERRUPTED.
     */
    enum fb_exit (*run)(void *self, const struct fb_run_options *, struct fb_work *work,
                        json_t *document);

    /*
     * The cells that a complete document must have, from the experiment and what the document says
     * of its machine: an object with an id for each cell, true where it is measured, false where
     * it is skipped, null where only measuring can tell. NULL with *problem set: the document
     * lacks what the cells follow from. The driver calls ids before contradiction and derive.
     */
    json_t *(*ids)(void *self, const json_t *document, struct fb_problem *problem);

    /* What a cell says that contradicts the experiment, this filterbench or another cell:
     * "geometry: this filterbench sizes that filter otherwise". NULL: nothing does. `number`: of
     * the cell's id among ids(), from 0. The text lives until the next call. The function may be
     * NULL: derive writes all of a cell. */
    const char *(*contradiction)(void *self, size_t number, const json_t *cell);

    /* Sets everything that follows from facts, in all cells and beside them. False with *problem
     * set where the facts cannot be read; nothing to be relied on is then in the document. */
    bool (*derive)(void *self, json_t *document, struct fb_problem *problem);

    /* Adds the warnings that follow from what was derived. NULL: none do. */
    void (*warn)(json_t *document);

    /* The exact facts of a cell, equal on every machine, to be released. */
    json_t *(*exact)(const json_t *cell);
    /* Those beside the cells, set in or taken out of `counts`, which has kind, experiment, hash,
     * key_file and skipped. NULL: none. */
    void (*exact_beside)(const json_t *document, json_t *counts);

    /* The answer in five lines; `path` as in fb_card_fill, as a word of a shell. NULL: it is made
     * of `versus`, which may be NULL as well where this is not. */
    void (*card)(const json_t *document, const char *path, struct fb_card *);
    const struct fb_versus *versus; /* one design against another; NULL: nothing is */

    /* Prints what was found. In style FB_TABLE_DATA the stream flows (screen.h), and a report reads
     * it: fb_say tells what was found, fb_say_aside how a table is read. */
    void (*table)(FILE *, const json_t *document, enum fb_table_style);
    /* What `export --to csv` has a line for (csv.h), to be released. NULL: the cells. */
    json_t *(*rows)(const json_t *document);
    const struct fb_figure *figures;         /* ends with name == NULL; NULL: none */
    const struct fb_costs_comparison *costs; /* NULL: it has none to compare */
    const struct fb_sharing *sharing;        /* NULL: neither split nor merged */
};

/* Every kind; ends with NULL. The first is that of an experiment that names none. */
extern const struct fb_kind *const fb_kinds[];

/* By name; NULL: there is none. */
const struct fb_kind *fb_kind_find(const char *name);

/* The kind that an experiment names. NULL with *problem set. */
const struct fb_kind *fb_kind_of(const json_t *experiment, struct fb_problem *problem);

/* Whether run's option of that name, which sets `field` (NULL: none), means anything to the kind.
 */
bool fb_kind_takes(const struct fb_kind *, const char *option, const char *field);

/* What ids() answers: of rows {id, why_not} of a plan, which are measured where why_not is null;
 * and the ids that the document has itself, where its cells cannot be planned here. */
json_t *fb_ids_planned(const json_t *rows);
json_t *fb_ids_written(const json_t *document);

/* What plan() answers of n cells, whose ids stand `stride` bytes apart, and of rows {id, why} that
 * are skipped. */
json_t *fb_plan_rows(const char *ids, size_t n, size_t stride, const json_t *skipped);

/* Adds {id, why} to what is skipped, unless it is the last that was. */
void fb_skip(json_t *skipped, const char *id, const char *why);

/* What contradiction() answers of a cell that is not as expected; takes `expected`. */
const char *fb_otherwise(json_t *expected, const json_t *cell);

/* An experiment that its kind has read. Closed by fb_kind_close; zeroed, it may be. */
struct fb_opened {
    const struct fb_kind *kind;
    void *self;
    const json_t *resolved; /* of self */
    char hash_hex[33];      /* of what decides the counts: experiment.h */
};

/* False with *problem set; *out is to be closed in any case. The kind is the one that the
 * experiment names, or this one, which refuses another's. */
bool fb_kind_open_as(const struct fb_kind *, const json_t *experiment, struct fb_opened *out,
                     struct fb_problem *problem);
bool fb_kind_open(const json_t *experiment, struct fb_opened *out, struct fb_problem *problem);
void fb_kind_close(struct fb_opened *);

/* Whether the cells of an experiment whose kind has `sharing` hold times. */
bool fb_is_timed(const struct fb_opened *);

#endif
