/*
 * Experiments of kind "icount": instructions that a lookup and an insert take, for designs and
 * instruction sets. They are counted, not timed: two runs of one executable say the same. The
 * fields of such an experiment stand in plan.c.
 *
 * The cells are those of the kernels that this filterbench has, whether this machine runs them or
 * not. What cannot be counted is null, with the reason.
 */
#ifndef FILTERBENCH_HARNESS_KIND_ICOUNT_ICOUNT_H
#define FILTERBENCH_HARNESS_KIND_ICOUNT_ICOUNT_H

#include "harness/document/kind.h"
#include "harness/filter/timing.h"

enum { FB_ICOUNT_ID = 160 };

struct fb_icount_plan {
    json_t *document;         /* the experiment, resolved, owned */
    struct fb_timing_job job; /* owned; filters not built */
    char (*id)[FB_ICOUNT_ID]; /* [job.n_cells] "sbbf-256/bpk=10/n=10000/batch/absent/avx2-ring" */
    json_t *skipped;          /* rows {id, why}: designs without a filter of that size */
    bool foreign; /* the document is of another architecture, whose kernels are not here */
};

extern const struct fb_field fb_icount_fields[];

/* open and close of struct fb_kind; self is a struct fb_icount_plan. */
const json_t *fb_icount_open(void *self, const json_t *given, struct fb_problem *problem);
void fb_icount_close(void *self);

/* Leaves the cells of every shard.of-th design alone, those of the shard. False: out of memory. */
bool fb_icount_take(struct fb_icount_plan *, struct fb_shard);

/* Sets what the plan says of cell i: all but its count and the checksum of its filter. */
void fb_icount_describe(const struct fb_icount_plan *, size_t i, json_t *cell);

/* versus.c */
extern const struct fb_versus fb_icount_versus;
void fb_icount_card(const json_t *document, const char *path, struct fb_card *);

void fb_icount_table(FILE *, const json_t *document, enum fb_table_style);

/* compare.c: instructions an operation of one compiler with one set of flags. They may rise by 1 %.
 *
 *     {limit, compared, more, fewer, cells: [{cell, base, head, change, regressed}]}
 */
extern const struct fb_costs_comparison fb_icount_comparison;

#endif
