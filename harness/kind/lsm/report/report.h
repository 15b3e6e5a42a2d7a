/*
 * From the facts of a document of kind "lsm" to what people look at: facts are held against each
 * other (facts.c), what follows from them is derived (derive.c and what it calls) and shown.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_REPORT_REPORT_H
#define FILTERBENCH_HARNESS_KIND_LSM_REPORT_REPORT_H

#include "harness/base/table.h"
#include "harness/kind/lsm/experiment.h"

/* The tree of the cell that was looked at last, made again without a list of its keys. Zeroed at
 * first. */
struct fb_lsm_facts {
    struct fb_keyspace space;
    struct fb_tree tree;
    size_t number; /* of the axis */
};
/* A fact of a cell that contradicts what was asked for; NULL: none does. Facts of trees of files
 * and traces are held against the experiment only as far as it decides them. */
const char *fb_lsm_contradiction(const struct fb_lsm *, const struct fb_lsm_cell *,
                                 const json_t *cell, struct fb_lsm_facts *);

/* Whether a cell surely can be counted, so that nothing excuses that it was skipped: one of
 * generated keys, asked in vain for none that were chosen, in filters of whole keys by the design's
 * own hash, which no build can leave full. */
bool fb_lsm_is_countable(const struct fb_lsm *, const struct fb_lsm_cell *, struct fb_lsm_facts *);

/* Sets everything that follows from a cell's facts and samples, for the devices and caches of the
 * document: rates, expectation, times, costs, what bounds them. */
void fb_lsm_derive(json_t *cell, const json_t *document);

/* warn of struct fb_kind. */
void fb_lsm_warn(json_t *document);

/* What warns of counted data blocks beyond so many standard errors from the formula: once in a
 * thousand by chance. */
#define FB_LSM_SUSPICIOUS_Z 3.3

/* ---- Scans (scan_derive.c) ---- */

struct fb_lsm_estimate {
    double value, se; /* NaN where there is nothing to divide by */
};

/* Sets object[name], and object[name_ci95] to the 95 % interval, which is normal and not below 0;
 * null, with why beside it, where they are not finite. trials > 0: it is a share, over so many
 * scans, and its interval is within [0, 1] and has a width: Wilson's where all scans agree. */
void fb_lsm_put_estimate(json_t *object, const char *name, struct fb_lsm_estimate, double trials,
                         const char *why);

/* "scan_rates" from "scans" of a cell, an entry for each. */
json_t *fb_lsm_scan_rates(const json_t *cell);

/* ---- Scaled trees, which rank only filters whose rate is that at scale 1 (scaled.c) ---- */

/* "per_filter" of a cell: means over the filters, and over the runs that have some. Not ranked are
 * rates that are further apart than 1 %, noise included, or not known: 8,361 and 520,222 keys, 1.03
 * % and 2.83 %. */
json_t *fb_lsm_per_filter(const json_t *cell);

/* "unscaled" where it does not fit the other facts of a cell; NULL: it does. */
const char *fb_lsm_wrong_unscaled(const struct fb_lsm *, const struct fb_lsm_cell *planned,
                                  const json_t *cell);

/* ---- What building filters costs in the life of a tree (building.c) ---- */

/* "building" of a cell, from "build", "runs" and "tree". Levels without filters write and hash
 * nothing. The compaction of a trace was gone through, so the rewrites of its keys are known
 * together, and not by level. */
json_t *fb_lsm_building(const json_t *cell);

/* "build" where it does not fit the other facts of a cell; NULL: it does. */
const char *fb_lsm_wrong_build(const struct fb_lsm *, const struct fb_lsm_cell *planned,
                               const json_t *cell);

/*
 * ---- Times of lookups and builds, from their samples (times.c) ----
 *
 * Cells of one batch ("timed.batch") were measured in the same rounds: a batch is a part of the
 * group that the document's times make up (group.h), and its cells are one series. So the clock is
 * one of all batches, and so is the memory of the noise, which each batch of 16 processes tells
 * something of.
 */

/* unit and why_none of fb_group_time_json. */
#define FB_LSM_TIME_UNIT  "ns_per_query"
#define FB_LSM_TIME_ALONE "it is the control or the first of its cell"

/* The same of builds. Their times are a group of their own, whose parts are the batches, too. */
#define FB_LSM_BUILD_UNIT  "ns_per_key"
#define FB_LSM_BUILD_ALONE "a build is held against none"

/* Sets the times of all cells, and what follows from them in "timing". False with *problem set
 * where samples cannot be read. */
bool fb_lsm_derive_times(json_t *document, struct fb_problem *problem);

/* ---- Shown ---- */

void fb_lsm_table(FILE *, const json_t *document, enum fb_table_style);
/* rows of struct fb_kind: one for each lookup of each cell; what is scanned for by prefix, as
 * "scans.fixed:3.skipped" (report/columns.c). */
json_t *fb_lsm_rows(const json_t *document);
/* The scans of all cells as a table, and what building their filters costs; nothing where there are
 * none (report/below.c). */
void fb_lsm_scan_table(FILE *, const json_t *document, enum fb_table_style);
void fb_lsm_building_table(FILE *, const json_t *document, enum fb_table_style);

/* card of struct fb_kind, and one design against another (report/versus.c). */
void fb_lsm_card(const json_t *document, const char *path, struct fb_card *);
extern const struct fb_versus fb_lsm_versus;

/* write() of struct fb_figure (report/plot.c, report/plot_walk.c). */
bool fb_lsm_plot_cost(const json_t *documents, FILE *);
bool fb_lsm_plot_memory(const json_t *documents, FILE *);
bool fb_lsm_plot_cache(const json_t *documents, FILE *);
bool fb_lsm_plot_latency(const json_t *documents, FILE *);
extern const struct fb_cells_figure fb_lsm_cells_figure; /* cells.h */
bool fb_lsm_plot_walk_segments(const json_t *documents, FILE *);

/* ---- Rows of tables: a filter, or a lookup that was timed on it (columns.c) ---- */

/* All borrowed from the document. */
struct fb_lsm_row {
    const json_t *cell, *lookup; /* lookup NULL: not timed */
    const json_t *uniform;       /* the cell with the same filter and the memory split evenly, or
                                    NULL */
    double cost, low, high;      /* ns, on the device that is ranked for */
    size_t at;                   /* of the cell, in "cells" */
};

/* The rows of the table that begins with cell `at`, as it ranks them for the first device;
 * *n_ranked are, those that are not stand behind. To be freed; NULL: no table begins there, or no
 * memory. */
struct fb_lsm_row *fb_lsm_ranking(const json_t *document, size_t at, size_t *n, size_t *n_ranked);

/* The columns of a table of rows. Those that say nothing of any row are left out. */
extern const struct fb_column fb_lsm_columns[];

/* Whether the row has a place among the others: see scaled.c. */
bool fb_lsm_is_ranked(const struct fb_lsm_row *);

/* The row that is shown: the number (of a ranked one), the objects and the costs by the names
 * above. The caller owns it. */
json_t *fb_lsm_row_json(const struct fb_lsm_row *, size_t number);

/* What tells a row from others of its group: "sbbf-512 10 uniform shared-digest". */
enum { FB_LSM_ROW_NAME = 216 };
void fb_lsm_name_row(const struct fb_lsm_row *, char out[FB_LSM_ROW_NAME]);

#endif
