/*
 * Experiments of kind "ab": two revisions of the designs, BASE and HEAD, loaded as plugins with the
 * prefixes "base" and "head", and whether HEAD is slower.
 *
 *     name, summary, source, runtime   as in every experiment
 *     kind          "ab"
 *     designs       list of names, without prefix; the first are left out last
 *     bits_per_key  the size of their filters; a design that needs more gets more
 *     footprints    of L1, L2, L3, DRAM (footprint.h)
 *     operations    of batch, each, branch, chain (lookups of absent keys), walk, insert, remove,
 *                   build, digest
 *     delta         the slowdown that is to be found; 2/3 of it is the rule's delta (slowdown.h)
 *     alpha         of the whole run
 *     first, second, plain   processes of the sets; first 0: no times, exact facts alone
 *     again         which cells the second set has: candidates, or all (for calibrate)
 *     rounds        of a process
 *     budget        seconds that all sets together may take
 *     cpu, seed
 *
 * First the exact facts of all designs of both are counted and compared (exact.c): where one
 * differs nothing is timed. Then come three sets of processes. In each, base:NAME and head:NAME are
 * measured in the same rounds.
 *
 *     first    all cells that the budget has time for. Each process has links of its own of both
 *              sides, where the plugins are folders of links (filter/plugin.h).
 *     second   fresh processes and other keys, for the candidates. Beside up to four of them stand
 *              controls: same:NAME against twin:NAME, BASE's code in two links more.
 *     plain    the ordinary links, for cells whose fresh links showed no slowdown: what is slower
 *              here only is slower by its place.
 *
 * A cell is a design, asked in one way, in a footprint: "sbbf-256/L1/batch".
 */
#ifndef FILTERBENCH_HARNESS_KIND_AB_AB_H
#define FILTERBENCH_HARNESS_KIND_AB_AB_H

#include "harness/document/kind.h"
#include "harness/filter/timing.h"
#include "harness/kind/ab/profile.h"
#include "harness/stats/slowdown.h"

enum { FB_AB_ID = 120, FB_AB_CONTROLS = 4 };

/* The verdict on a cell that is slower with the ordinary links only. */
#define FB_AB_LAYOUT "layout"

/* How the reason begins why a cell that could be timed was not. */
#define FB_AB_NO_TIME "there is no time for it in the budget"

/* What a cell compares. */
struct fb_ab_cell {
    char id[FB_AB_ID];
    const char *design; /* without prefix, of the document */
    enum fb_footprint footprint;
    enum fb_operation operation;
    double expected_s; /* that it takes in a process, both sides together */
};

struct fb_ab {
    json_t *document;         /* the experiment, resolved, owned */
    struct fb_ab_cell *cells; /* in the order in which they are left out last */
    size_t n_cells, n_designs;
    double bits_per_key, budget_s, delta; /* delta: to be found */
    uint64_t seed;
    size_t processes[3]; /* of the sets */
    bool again_all;
    struct fb_slowdown_rules rules;
    bool links;             /* each process has links of its own */
    json_t *profile;        /* fb_profile_summary of the machine, owned; NULL: none */
    const char *no_profile; /* why */
    struct fb_group_options group;
};

extern const struct fb_field fb_ab_fields[];

/* As open() of struct fb_kind. *out may be closed either way. */
bool fb_ab_resolve(const json_t *given, struct fb_ab *out, struct fb_problem *problem);
void fb_ab_close(struct fb_ab *);

/* Names of the designs that both plugins have, but for controls. */
json_t *fb_ab_designs(void);

/* The least size that is a slowdown in a footprint, as a ratio less 1: the rule's delta, or more
 * where the machine has shown more of equal code. */
double fb_ab_gate(const struct fb_ab *, enum fb_footprint);

/* ---- Exact facts (exact.c) ---- */

/* {base: {cells}, head: {cells}}: of every design of each plugin its facts at a fixed seed, by the
 * names without prefix. NULL: out of memory, or interrupted. */
json_t *fb_ab_exact(uint64_t seed, unsigned n_threads);

/* Sets "equal", "differing", "missing", "new" and "differences" (compare.h) of these. */
void fb_ab_exact_derive(json_t *exact);

/* FB_EXIT_CORRECTNESS with a line on stderr that names the first design and fact. */
enum fb_exit fb_ab_exact_judge(const json_t *exact);

/* ---- Times ---- */

enum fb_ab_set { FB_AB_FIRST, FB_AB_SECOND, FB_AB_PLAIN, FB_AB_N_SETS };

/* The cells of one set of processes, planned as a job of pairs (pairs.c), BASE and HEAD of each.
 * Both sides of each cell stand one behind the other in the job; first the cells that are wanted,
 * then their controls, the base beside the same code in another link. */
struct fb_ab_pairs {
    struct fb_timing_job job;
    size_t *of;      /* [job.n_cells / 2] index of the experiment's cell */
    size_t n;        /* cells that are no controls */
    json_t *skipped; /* {id, why} of cells that no pair of filters exists for */
};

/* Pairs of the cells that `wanted` [n_cells] has, and of as many controls, with keys of their own
 * for each set. Close it in either case. */
enum fb_err fb_ab_pairs_plan(const struct fb_ab *, const bool *wanted, size_t n_controls,
                             enum fb_ab_set, struct fb_ab_pairs *) FB_MUST_USE;
void fb_ab_pairs_close(struct fb_ab_pairs *);

/* Measures into document ("exact", "calibration", "links", "timing", "cells", "controls",
 * "skipped"). */
enum fb_exit fb_ab_run(struct fb_ab *, unsigned n_threads, json_t *document);

/* Sets what follows from the samples and the calibration: "base" and "head" of each cell, "change",
 * and "verdict". */
bool fb_ab_derive(struct fb_ab *, json_t *document, struct fb_problem *);
void fb_ab_warn(json_t *document);

/* What a document says of HEAD, with a line on stderr for all but OK: FB_EXIT_REGRESSED,
 * FB_EXIT_UNRESOLVED where the machine cannot be trusted, or FB_EXIT_INCONCLUSIVE where it cannot
 * tell, which is a note and FB_EXIT_OK where not `strict`. */
enum fb_exit fb_ab_judge(const json_t *document, bool strict);

void fb_ab_card(const json_t *document, const char *path, struct fb_card *);
void fb_ab_table(FILE *, const json_t *document, enum fb_table_style);
extern const struct fb_figure fb_ab_figures[]; /* plot.c */

#endif
