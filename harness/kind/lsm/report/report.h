/*
 * From the facts of a document of kind "lsm" to what people look at: facts are held against each
 * other (facts.c), what follows from them is derived (derive.c) and shown (the others).
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_REPORT_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_REPORT_H

#include "harness/base/table.h"
#include "harness/kind/lsm/cells.h"

/* The tree of the cell that was looked at last, made again without a list of its keys. Zeroed at
 * first. */
struct fb_lsm_facts {
    struct fb_keyspace space;
    struct fb_tree tree;
    size_t number; /* of the axis */
};
/* A fact of a cell that contradicts another one or what was asked for; NULL: none does. Facts of
 * trees of files and traces are held against the experiment only as far as it decides them. */
const char *fb_lsm_contradiction(const struct fb_lsm *, const struct fb_lsm_cell *,
                                 const json_t *cell, struct fb_lsm_facts *);

/* Whether a cell surely can be counted, so that nothing excuses that it was skipped: one of
 * generated keys, asked in vain for none that were chosen, in filters of whole keys by the design's
 * own hash, which no build can leave full. */
bool fb_lsm_is_countable(const struct fb_lsm *, const struct fb_lsm_cell *, struct fb_lsm_facts *);

/* Sets everything that follows from a cell's facts and samples, for the devices and caches of the
 * document: rates, expectation, times, costs, what bounds them. */
void fb_lsm_derive(json_t *cell, const json_t *document);

/* derive and warn of struct fb_kind. */
bool fb_lsm_derive_all(const struct fb_lsm *, json_t *document, struct fb_problem *);
void fb_lsm_warn(json_t *document);

/* What warns of counted data blocks beyond so many standard errors from the formula: once in a
 * thousand by chance. */
#define FB_LSM_SUSPICIOUS_Z 3.3

/* ---- Shown ---- */

void fb_lsm_table(FILE *, const json_t *document, enum fb_table_style);
/* rows of struct fb_kind: one for each lookup of each cell; what is scanned for by prefix, as
 * "scans.fixed:3.skipped" (report/csv.c). */
json_t *fb_lsm_rows(const json_t *document);
/* The scans of all cells as a table; nothing where there are none (report/scan_table.c). */
void fb_lsm_scan_table(FILE *, const json_t *document, enum fb_table_style);

/* write() of struct fb_figure (report/plot.c, report/plot_cells.c, report/plot_walk.c). */
bool fb_lsm_plot_cost(const json_t *documents, FILE *);
bool fb_lsm_plot_memory(const json_t *documents, FILE *);
bool fb_lsm_plot_cache(const json_t *documents, FILE *);
bool fb_lsm_plot_latency(const json_t *documents, FILE *);
bool fb_lsm_plot_cells(const json_t *documents, FILE *);
bool fb_lsm_plot_walk_segments(const json_t *documents, FILE *);

#endif
