/*
 * Experiments of kind "fpr": false-positive rates of one filter, by design, size and keys. fields.c
 * lists what such an experiment asks for. Only a size is required, in bits per key or as a rate.
 *
 * Serves fields.c, experiment.c, cells.c, cell.c, fragment.c, run.c and check.c.
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

/* As open() of struct fb_kind. *out may be closed either way. */
bool fb_rates_resolve(const json_t *given, struct fb_rates *out, struct fb_problem *problem);
void fb_rates_close(struct fb_rates *);

/* How many entries a list of the experiment has, and one of them that is a number. */
size_t fb_rates_list(const struct fb_rates *, const char *field);
double fb_rates_entry(const struct fb_rates *, const char *field, size_t i);

/* Keys of a file of file_keys distinct ones that filters of entry i of "file_n" get; without that
 * list there is one entry. */
size_t fb_rates_samples(const struct fb_rates *);
uint64_t fb_rates_sample(const struct fb_rates *, size_t i, uint64_t file_keys);

/* ---- Cells ---- */

struct fb_rates_cell {
    char id[160];     /* "nori/bpk=10/n=10000/random", "/capacity=0.5" appended where it is not 1 */
    const char *keys; /* name of the generator, or "file" */
    double capacity_factor;
    struct fb_fpr_cell spec;
    const char *why; /* not NULL: no such filter, for this reason */
};

/* The cells in the order they are measured: keys, n, capacity factor, size, probes, design.
 * Controls, and designs of one size beside sizes in bits, have no size and appear once. file: the
 * user's distinct keys, or NULL when the experiment asks for none. NULL when out of memory; free()
 * it. */
struct fb_rates_cell *fb_rates_cells(const struct fb_rates *, const struct fb_keys *file,
                                     size_t *n_cells);

/* What a cell costs, in keys hashed. 0: there is no such filter. */
uint64_t fb_rates_work(const struct fb_rates_cell *);

/* ---- Running and results ---- */

/*
 * Measures the cells, one after the other, each on n_threads (0: one per core), and appends each to
 * document's "cells", and what could not be built to "skipped"; of a shard, its blocks of each to
 * "fragments". Returns
 *
 *     FB_EXIT_OK           all done
 *     FB_EXIT_INTERRUPTED  by a signal; the cells so far are complete
 *     FB_EXIT_CORRECTNESS  a false negative: stops there, the cell is the last one
 *     FB_EXIT_USAGE        no cell could be built, or one does not fit into memory
 *
 * with a line on stderr for all but the first two.
 */
enum fb_exit fb_rates_run(const struct fb_rates_cell *cells, size_t n_cells, unsigned n_threads,
                          struct fb_work *work, json_t *document);

/* A measured cell as it stands in the document, and its counts back, of a document whose shape,
 * limits and rules were checked. *counts is to be closed either way. */
json_t *fb_rates_cell_json(const struct fb_rates_cell *, const struct fb_fpr_counts *);
bool fb_rates_counts_read(const struct fb_rates_cell *, const json_t *json,
                          struct fb_fpr_counts *counts, struct fb_problem *problem);
/* Sets what follows from the cell, counts->n_entries and the geometry. */
bool fb_rates_plan_counts(const struct fb_rates_cell *, const json_t *geometry,
                          struct fb_fpr_counts *counts, struct fb_problem *problem);
/* "fpr" of a cell: what follows from its counts. */
json_t *fb_rates_summary(const struct fb_rates_cell *, const struct fb_fpr_counts *);

/* "geometry" of a filter, and that of a cell's filter of n_entries back. */
json_t *fb_rates_geometry_json(const struct fb_design *, const struct fb_geometry *);
bool fb_rates_geometry_read(const struct fb_rates_cell *, uint64_t n_entries, const json_t *json,
                            struct fb_geometry *, struct fb_problem *);

/* stretch and unite of struct fb_sharing, and a fragment: {id, filters: [...]}, what a shard
 * counted.
 */
json_t *fb_rates_stretch(const struct fb_rates_cell *, size_t number, struct fb_shard);
json_t *fb_rates_fragment(const struct fb_rates_cell *, const struct fb_fpr_shard *);
bool fb_rates_unite(const struct fb_rates_cell *, const json_t *fragments, json_t **cell,
                    struct fb_problem *);

/* contradiction, derive and warn of struct fb_kind; the first of a cell as the experiment has it.
 */
const char *fb_rates_contradiction(const struct fb_rates_cell *, const json_t *cell);
bool fb_rates_derive(const struct fb_rates_cell *cells, size_t n_cells, json_t *document,
                     struct fb_problem *);
void fb_rates_warn(json_t *document);

extern const struct fb_figure fb_rates_figures[];

/* The cells as a table; their notes below. */
void fb_rates_table(FILE *, const json_t *document, enum fb_table_style);
extern const struct fb_versus fb_rates_versus;

#endif
