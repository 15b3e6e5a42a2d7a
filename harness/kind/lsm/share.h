/*
 * What one run of an experiment of kind "lsm" does: the cells, and parts of cells, of its shard
 * (share.c, fragment.c), in steps that a journal keeps (steps.c).
 *
 * Queries are made from their number, so a stretch of them can be counted by itself, and the counts
 * of stretches add. Where a query's answer depends on the queries before it (a block cache), or
 * where the queries follow from filters or a trace, cells stay whole. So they do where lookups are
 * timed. Whole cells are dealt out by group: the filters of one group stand in one shard alone.
 * Where there are fewer groups than shards they are dealt out one by one, if each can be had by
 * itself.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_SHARE_H
#define FILTERBENCH_HARNESS_KIND_LSM_SHARE_H

#include "harness/kind/lsm/cells.h"
#include "harness/work/work.h"

/* ---- Shards (share.c) ---- */

/* Whether shards split a cell's queries. */
bool fb_lsm_splits(const struct fb_lsm *, const struct fb_lsm_cell *);

/* Why all cells, or some, stay whole; NULL: each is split. */
const char *fb_lsm_whole(const struct fb_lsm *);

/* Queries first .. end - 1 of a cell, and as many of its scans. */
struct fb_lsm_share {
    bool any;  /* else the cell is another shard's */
    bool part; /* of a cell that is split: a fragment */
    uint64_t first, end, first_scan, end_scan;
};
/* number: of the cell, among all of the experiment. */
struct fb_lsm_share fb_lsm_share(const struct fb_lsm *, struct fb_shard, const struct fb_lsm_cell *,
                                 size_t number);

/* Whether a filter begins a group: it needs nothing of the filters before it. Filters that are
 * asked for keys found against those of another hash (running.h) are in the group of these. */
bool fb_lsm_begins_group(const struct fb_lsm *, size_t filter);

/* ---- Fragments (fragment.c) ---- */

/* What a shard counted of a cell; steals the facts of the cell with these counts alone. */
json_t *fb_lsm_fragment(const struct fb_lsm_share *, json_t *cell);

/* As unite() of struct fb_sharing. */
bool fb_lsm_unite(const struct fb_lsm *, const struct fb_lsm_cell *, const json_t *fragments,
                  json_t **united, struct fb_problem *);

/* ---- Steps (steps.c) ---- */

/*
 * A step is a filter and a stream, with all readings. Where filters are asked for keys found
 * against others it is a group; where lookups are timed, what is timed together.
 */
struct fb_lsm_steps {
    const struct fb_lsm *e;
    struct fb_work *work;
    const struct fb_lsm_cell *cells; /* of the experiment */
    size_t per_tree;                 /* filters and streams of a tree */
    size_t n;                        /* steps, as far as is known */
    size_t n_batches;                /* of timing, in the document so far */
};

/* Tells the journal how many steps there are. FB_EXIT_IO as fb_journal_expect. */
enum fb_exit fb_lsm_steps_open(const struct fb_lsm *, struct fb_work *,
                               const struct fb_lsm_cell *cells, struct fb_lsm_steps *);

/* Whether the run does anything of filter and stream number i of all (tree * per_tree + ...). */
bool fb_lsm_steps_has(const struct fb_lsm_steps *, size_t i);
/* Whether a step may begin there, so that it can be done without what went before. */
bool fb_lsm_steps_may_begin(const struct fb_lsm_steps *, size_t i);

/* Takes the step that begins at *i from the journal and goes behind it. False: it is to be done. */
bool fb_lsm_steps_recall(struct fb_lsm_steps *, size_t *i, enum fb_exit *);
/* Keeps the step from begun to end - 1. Codes as fb_work_keep. */
enum fb_exit fb_lsm_steps_keep(struct fb_lsm_steps *, size_t begun, size_t end);

/* Takes the device from the journal, or measures it (run.h) and keeps it. */
enum fb_exit fb_lsm_steps_device(struct fb_lsm *, struct fb_work *);

#endif
