/*
 * Experiments of kind "fpr": the false-positive rate of single filters, by design, size and keys.
 * fields.c lists the fields of such an experiment. A user must give one of them: sizes, in bits per
 * key ("bits_per_key") or as target rates ("fpr").
 *
 * An experiment is resolved (experiment.c) and becomes a list of cells (cells.c). Each cell is
 * measured (run.c, by harness/filter/fpr.h) and written as JSON (cell.c, fragment.c).
 *
 * check.c then checks the counts of each cell and adds what follows from them, such as the rate,
 * which cell.c computes. table.c and versus.c print the result.
 */
#ifndef FILTERBENCH_HARNESS_KIND_FPR_RATES_H
#define FILTERBENCH_HARNESS_KIND_FPR_RATES_H

#include "harness/document/kind.h"
#include "harness/filter/fpr.h"

extern const struct fb_field fb_rates_fields[];

struct fb_rates {
    json_t *document;          /* resolved, owned */
    struct fb_keygen *keygens; /* as "keys" names them, owned; name NULL: the user's file */
    struct fb_fpr_cell asked;  /* what all cells have in common: hash, filters, probes_per_filter,
                                * precision, max_probes and root */
};

/* As open() of struct fb_kind. Close *out whether this succeeds or not. */
bool fb_rates_resolve(const json_t *given, struct fb_rates *out, struct fb_problem *problem);
void fb_rates_close(struct fb_rates *);

/* The number of entries of a field that is a list, and entry i of a list of numbers. */
size_t fb_rates_list(const struct fb_rates *, const char *field);
double fb_rates_entry(const struct fb_rates *, const char *field, size_t i);

/* "file_n" lists how many keys of the user's file a filter gets. The first function returns how
 * many entries the list has, and 1 if it is not given. The second returns the number of keys of
 * entry i, or half of file_keys if the file has no more than that. Here file_keys is how many
 * distinct keys the file has. */
size_t fb_rates_samples(const struct fb_rates *);
uint64_t fb_rates_sample(const struct fb_rates *, size_t i, uint64_t file_keys);

/* ---- Cells ---- */

struct fb_rates_cell {
    char id[160];     /* "nori/bpk=10/n=10000/random", "/capacity=0.5" appended where it is not 1 */
    const char *keys; /* name of the generator, or "file" */
    double capacity_factor;
    struct fb_fpr_cell spec;
    const char *why; /* why there can be no such filter; NULL: there can */
};

/* The cells in the order in which they are measured: by keys, n, capacity factor, size, probes and
 * design, the last of which changes fastest. A control has no size and appears once. So does a
 * design of one size where sizes are in bits.
 *
 * `file` has the user's distinct keys, and is NULL if the experiment asks for none. Returns NULL if
 * memory is lacking. Release the array with free(). */
struct fb_rates_cell *fb_rates_cells(const struct fb_rates *, const struct fb_keys *file,
                                     size_t *n_cells);

/* What a cell is estimated to cost, in keys hashed; 0 where there can be no such filter. */
uint64_t fb_rates_work(const struct fb_rates_cell *);
/* Bytes of memory at its peak, about: a filter on each thread, with its keys and its build. */
double fb_rates_memory(const struct fb_rates_cell *, unsigned n_threads);

/* ---- Running and results ---- */

/*
 * Measures the cells one after the other, each on n_threads (0: one per core). Appends each to
 * "cells" of the document, or to "skipped" if no such filter can be built. A shard appends what it
 * measured of a cell to "fragments". Returns
 *
 *     FB_EXIT_OK           all done
 *     FB_EXIT_INTERRUPTED  by a signal; the cells so far are complete
 *     FB_EXIT_CORRECTNESS  a false negative: stops there, the cell is the last one
 *     FB_EXIT_USAGE        no cell could be built, or one does not fit into memory
 *
 * and prints a line on stderr for the last two.
 */
enum fb_exit fb_rates_run(const struct fb_rates_cell *cells, size_t n_cells, unsigned n_threads,
                          struct fb_work *work, json_t *document);

/* Writes a measured cell as JSON, and reads its counts back. The document that is read must have
 * passed the checks of members.txt. Close *counts whether reading succeeds or not. */
json_t *fb_rates_cell_json(const struct fb_rates_cell *, const struct fb_fpr_counts *);
bool fb_rates_counts_read(const struct fb_rates_cell *, const json_t *json,
                          struct fb_fpr_counts *counts, struct fb_problem *problem);
/* Sets those members of *counts that follow from the cell, counts->n_entries and the geometry. */
bool fb_rates_plan_counts(const struct fb_rates_cell *, const json_t *geometry,
                          struct fb_fpr_counts *counts, struct fb_problem *problem);
/* Computes member "fpr" of a cell from its counts: the rate, its interval, theory, z. */
json_t *fb_rates_summary(const struct fb_rates_cell *, const struct fb_fpr_counts *);

/* Writes member "geometry" of a filter. */
json_t *fb_rates_geometry_json(const struct fb_design *, const struct fb_geometry *);

/* stretch and unite of struct fb_sharing; fragment writes what a shard counted of a cell:
 * {id, filters: [...]}. */
json_t *fb_rates_stretch(const struct fb_rates_cell *, size_t number, struct fb_shard);
json_t *fb_rates_fragment(const struct fb_rates_cell *, const struct fb_fpr_shard *);
bool fb_rates_unite(const struct fb_rates_cell *, const json_t *fragments, bool partial,
                    json_t **cell, struct fb_problem *);

/* contradiction, derive and warn of struct fb_kind. The cell of the first is planned from the
 * experiment, and its JSON comes from the document. */
const char *fb_rates_contradiction(const struct fb_rates_cell *, const json_t *cell);
bool fb_rates_derive(const struct fb_rates_cell *cells, size_t n_cells, json_t *document,
                     struct fb_problem *);
void fb_rates_warn(json_t *document);

extern const struct fb_figure fb_rates_figures[];

/* Prints the cells as a table, with their notes below it. */
void fb_rates_table(FILE *, const json_t *document, enum fb_table_style);
extern const struct fb_versus fb_rates_versus;

#endif
