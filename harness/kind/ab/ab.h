/*
 * Experiments of kind "ab": two revisions of the designs, BASE and HEAD, loaded as plugins with the
 * prefixes "base" and "head", and what changed from one to the other.
 *
 *     name, summary, source, runtime   as in every experiment
 *     kind          "ab"
 *     designs       list of names, without prefix
 *     bits_per_key  the size of their filters
 *     footprints    of L1, L2, L3, DRAM (footprint.h)
 *     operations    of batch, each, branch, chain (lookups of absent keys), insert, remove, build
 *     delta         the least change of time that matters; 0: 3 % on a machine that is calibrated
 *                   (profile.h), else 5 %
 *     alpha, looks  of the run, as in change.h
 *     processes     at the first look; twice and four times as many at the next
 *     rounds        of a process
 *     budget        seconds that the first set of processes may take
 *     cpu, seed
 *
 * First the exact facts of all designs of both are counted and compared (exact.c): where one
 * differs nothing is timed. Then, in each footprint, every process measures base:NAME and head:NAME
 * in the same rounds; what change.h finds changed is measured again in fresh processes, with other
 * keys. A cell is a design in a footprint, asked in one way: "sbbf-256/L1/batch".
 */
#ifndef FILTERBENCH_HARNESS_KIND_AB_AB_H
#define FILTERBENCH_HARNESS_KIND_AB_AB_H

#include "harness/document/kind.h"
#include "harness/filter/timing.h"
#include "harness/kind/ab/profile.h"
#include "harness/stats/change.h"

enum { FB_AB_ID = 120 };

/* What a cell compares. Members 2 i and 2 i + 1 of a group are base and head of cell i. */
struct fb_ab_cell {
    char id[FB_AB_ID];
    const char *design; /* without prefix, of the document */
    enum fb_footprint footprint;
    enum fb_operation operation;
};

struct fb_ab {
    json_t *document; /* the experiment, resolved, owned */
    struct fb_ab_cell *cells;
    size_t n_cells;
    double bits_per_key, budget_s;
    uint64_t seed;
    struct fb_change_rules rules; /* memory 0; delta as it is used, but for floors */
    bool asked;                   /* for that delta */
    json_t *profile;              /* fb_profile_summary of the machine, owned; NULL: none */
    const char *no_profile;       /* why */
    struct fb_group_options group;
};

extern const struct fb_field fb_ab_fields[];

/* As open() of struct fb_kind. *out may be closed either way. */
bool fb_ab_resolve(const json_t *given, struct fb_ab *out, struct fb_problem *problem);
void fb_ab_close(struct fb_ab *);

/* Takes a profile's summary over, and the default delta and the floors with it. */
void fb_ab_calibrate(struct fb_ab *, const json_t *summary);

/* What the machine shows of no change in a cell, for fb_change_cell; 0 where it is not calibrated,
 * in a footprint that its profile lacks 5 %, or 0 where a delta was asked for. */
double fb_ab_floor(const struct fb_ab *, enum fb_footprint);

/* ---- Exact facts (exact.c) ---- */

/* {base: {cells}, head: {cells}}: of every design of each plugin its facts at a fixed seed, by the
 * names without prefix. NULL: out of memory, or interrupted. */
json_t *fb_ab_exact(uint64_t seed, unsigned n_threads);

/* Sets "equal", "differing", "missing", "new" and "differences" (compare.h) of these. */
void fb_ab_exact_derive(json_t *exact);

/* FB_EXIT_CORRECTNESS with a line on stderr that names the first design and fact. */
enum fb_exit fb_ab_exact_judge(const json_t *exact);

/* ---- Times ---- */

/* Measures into document ("exact", "calibration", "timing", "cells", "skipped"). */
enum fb_exit fb_ab_run(struct fb_ab *, unsigned n_threads, json_t *document);

/* Sets what follows from the samples and the calibration: "base", "head" and "change" of each cell,
 * and "verdict". */
bool fb_ab_derive(struct fb_ab *, json_t *document, struct fb_problem *);
void fb_ab_warn(json_t *document);

/* What a document says of HEAD, with a line on stderr for all but OK: FB_EXIT_REGRESSED,
 * FB_EXIT_UNRESOLVED, or FB_EXIT_INCONCLUSIVE, which is a note and FB_EXIT_OK where not `strict`.
 */
enum fb_exit fb_ab_judge(const json_t *document, bool strict);

void fb_ab_table(FILE *, const json_t *document, enum fb_table_style);
extern const struct fb_figure fb_ab_figures[]; /* plot.c */

#endif
