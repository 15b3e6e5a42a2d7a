/*
 * Experiments of kind "kernels": what a lookup and an insert cost, for designs, instruction sets,
 * ways to ask, footprints and hit ratios, beside yardsticks measured in the same rounds.
 *
 *     name, summary, source, runtime   as in every experiment
 *     kind           "kernels"
 *     designs        list of names, "all", or "filters"
 *     bits_per_key, fpr   sizes by bits per key, [10] where no size is given, and by rate: then a
 *                    filter holds the keys of the classic Bloom filter of that rate and footprint
 *     footprints     of L1, L2, L3, DRAM: bytes of filter, from the machine's own caches
 *     most_bytes     that bound them; 0: nothing does
 *     operations     of batch, each, branch, chain, insert (timing.h)
 *     hit_ratios     shares of present keys asked; inserts have none
 *     isas           "best" of each design, "all", or names of instruction sets
 *     styles         of an instruction set's kernels: "best", "all", or names
 *     rounds         per process
 *     min_processes, max_processes     of each footprint; at least 6, so that a 95 % interval
 * exists precision      relative half-width of every ratio's 95 % interval to stop at; 0: never
 *     budget         seconds for everything, building included; min_processes are always measured
 *     huge_pages     ask for them for the filters
 *     cpu            "auto": the idlest; "none": not pinned; or a number
 *     histograms     distributions of single operations as well (latency.h)
 *     threads        lookups from that many threads together as well: counts, and "cores" for 1, 2,
 *                    4, ... and the number of cores; [1]: not measured (scaling.h)
 *     seed
 *
 * The yardsticks touch-32 and touch-64, a plain loop beside each, and null are always measured. A
 * ratio is taken to the yardstick of the design's line: touch-32 for blocks of 32 bytes, touch-64
 * for all others; to its batch of absent keys, but for chains to its chain.
 */
#ifndef FILTERBENCH_HARNESS_KIND_KERNELS_KERNELS_H
#define FILTERBENCH_HARNESS_KIND_KERNELS_KERNELS_H

#include "harness/document/result.h"
#include "harness/filter/timing.h"

enum { FB_KERNELS_ID = 176, FB_CPU_AUTO = -2, FB_CPU_NONE = -1 };

struct fb_kernels {
    json_t *document; /* resolved, owned */
    const char *name; /* in the document */
    const struct fb_design **designs;
    size_t n_designs;
    double bits_per_key[16], fpr[16], budget_s, hit_ratio[16];
    size_t n_bits_per_key, n_fpr;
    uint64_t most_bytes;
    size_t n_hit_ratios;
    bool operation[FB_N_OPERATIONS], footprint[FB_N_FOOTPRINTS], histograms, scaling;
    struct fb_timing_options options; /* group: cpu may be FB_CPU_AUTO; the run sets budget_s and
                                       * quantum_ns */
    char hash_hex[33];
};

/* As fb_experiment_resolve. */
bool fb_kernels_resolve(const json_t *document, struct fb_kernels *out, struct fb_problem *problem);
void fb_kernels_close(struct fb_kernels *);

/* False with *problem set when an instruction set is asked for that this machine does not run. */
bool fb_kernels_can_run(const struct fb_kernels *, struct fb_problem *problem);

/* The short form of --quick and the long one of --full, set in a document before it is resolved. */
void fb_kernels_quick(json_t *document);
void fb_kernels_full(json_t *document);

/* ---- Cells ---- */

struct fb_kernels_grid {
    struct fb_footprints footprints;
    struct fb_timing_job job;  /* owned; filters not built */
    char (*id)[FB_KERNELS_ID]; /* [job.n_cells] "sbbf-256/L1/batch/absent/avx512-ring";
                                * of several sizes: "sbbf-256/L1/bpk=8/batch/..." */
    json_t *skipped;           /* rows {id, why} */
};

/* Cells of one footprint after the other: yardsticks, plain loops, null, designs. Filters that
 * memory_bytes cannot hold together, with a copy of each of their footprint, are skipped. */
enum fb_err fb_kernels_plan(const struct fb_kernels *, const struct fb_footprints *,
                            uint64_t memory_bytes, struct fb_kernels_grid *out) FB_MUST_USE;
void fb_kernels_grid_close(struct fb_kernels_grid *);

/* Where a filter stands in ids: "L1", or "L1/bpk=8" where the experiment has several sizes and this
 * is one of them; both 0: a control's. */
enum { FB_KERNELS_PLACE = 48 };
void fb_kernels_place(const struct fb_kernels *, enum fb_footprint, double bits_per_key, double fpr,
                      char place[FB_KERNELS_PLACE]);
/* What an id is made of; isa "compiler" for plain loops. */
void fb_kernels_name(const char *design, const char *place, enum fb_operation, double hit_ratio,
                     const char *isa, const char *style, char id[FB_KERNELS_ID]);

/* The filter of a design for a footprint of so many bytes, of one size or, both 0, a yardstick:
 * params, geometry, keys, stream, fill. An error where there is none, and *why. */
enum fb_err fb_kernels_filter(const struct fb_kernels *, const struct fb_design *,
                              enum fb_footprint, uint64_t bytes, double bits_per_key, double fpr,
                              struct fb_timing_filter *out, const char **why) FB_MUST_USE;
/* "filter" of a cell, and its "predicted_fpr": NaN where that takes too long to simulate. */
json_t *fb_kernels_filter_json(const struct fb_timing_filter *);
double fb_kernels_predict(const struct fb_timing_filter *, const struct fb_design *);

/* {n_cells, cells: [{id, why_not}]} on this machine, for --dry-run. */
json_t *fb_kernels_cells(const struct fb_kernels *);

/* ---- Running and results ---- */

/*
 * Measures into document ("timing", "cells", "skipped", "warnings"). FB_EXIT_INTERRUPTED: what was
 * delivered is in the document. Another code: with a line on stderr.
 */
enum fb_exit fb_kernels_run(const struct fb_kernels *, json_t *document);

/* "time" of a cell, all of it derived from its samples; ids [n_members]. */
json_t *fb_kernels_time(const struct fb_group *, char (*ids)[FB_KERNELS_ID], size_t cell);

/* "memory" of a run, derived from all samples. */
json_t *fb_kernels_memory(const struct fb_group *);

/* "scaling" of a cell, from per_s [n_threads][FB_SCALING_ROUNDS]. */
json_t *fb_kernels_scaling(const struct fb_timing_options *, const double *per_s);

/* Whether the points are what their samples give; *where names what is not. */
bool fb_kernels_scaling_agrees(const json_t *points, const char **where);

/* Plans the cells of a document again, as far as they do not depend on the machine's instruction
 * sets: names, filters, and that none is missing or there twice. Codes as fb_kernels_check. */
enum fb_exit fb_kernels_check_cells(const char *path, const json_t *document);

/* Derives the estimates of a document again from its samples: FB_EXIT_CORRECTNESS with a line on
 * stderr where they differ, FB_EXIT_USAGE where the samples cannot be read. */
enum fb_exit fb_kernels_check(const char *path, const json_t *document);

void fb_kernels_table(FILE *, const json_t *document, enum fb_table_style);
void fb_kernels_scaling_table(FILE *, const json_t *cells, bool markdown);
void fb_kernels_notes(FILE *, const json_t *document); /* below the tables */
void fb_kernels_csv(FILE *, const json_t *document);

/* The cells that have a goal, and those above it. */
void fb_kernels_goals(FILE *, const json_t *document);

#endif
