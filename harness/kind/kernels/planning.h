/*
 * A grid of an experiment of kind "kernels" being filled: its filters and cells. Serves planning.c,
 * walks.c, loads.c, inlined.c and cells.c.
 */
#ifndef FILTERBENCH_HARNESS_KIND_KERNELS_PLANNING_H
#define FILTERBENCH_HARNESS_KIND_KERNELS_PLANNING_H

#include "harness/kind/kernels/kernels.h"

enum { FB_KERNELS_PLACE = 48 };

/* What has a yardstick of its own: lookups in batches, which stand for all else, chains, inserts.
 */
enum { FB_OF_BATCHES, FB_OF_CHAINS, FB_OF_INSERTS, FB_N_OWN };

/* A grid being filled. yardstick: cells of the footprint at hand. */
struct fb_planning {
    const struct fb_kernels *e;
    struct fb_kernels_grid *grid;
    uint64_t kept;   /* by the filters so far, */
    uint64_t copied; /* and by copies in a process of this footprint */
    int32_t yardstick[FB_N_YARDSTICKS][FB_N_OWN];
    int32_t walk_yardstick[FB_N_YARDSTICKS][16][2]; /* of a number of runs: walk, walk-batch */
    enum fb_footprint footprint;
    char place[FB_KERNELS_PLACE]; /* in ids: "L1", or "L1/bpk=8" of several sizes; "L1/load=0.5" */
    double bits_per_key, fpr;     /* the size at hand; both 0: a yardstick's */
    double load;                  /* the load at hand; 0: all keys that it is sized for */
    bool removes;                 /* the filter at hand is one that keys are taken out of */
    const struct fb_design *design; /* whose cells are being added */
    uint32_t filter;                /* and its filter */
    uint32_t runs;                  /* of a walk; 0: of anything else */
    int64_t row[16];                /* the design's filters of a walk, by number of runs; -1: not
                                     * added, -2: they cannot be */
};

/* The best kernel of a design, or of one instruction set of it, that the machine runs. */
const struct fb_kernel *fb_planning_best(const struct fb_planning *, const struct fb_design *,
                                         enum fb_isa);

/* Whether any hit ratio is above 0. */
bool fb_planning_asks_present(const struct fb_kernels *);

/* What is asked for and cannot be measured, into the grid: once, whatever the kernel. */
void fb_planning_skip(struct fb_planning *, const char *design, const char *what, const char *why);

/* The load number i of the experiment, for what follows at this size (loads.c). */
void fb_planning_load(struct fb_planning *, size_t i);
/* A planned filter holds the keys of the load at hand: that share of its slots, or, where its
 * design has none, of the keys that it is sized for. Example: of 20000 slots 19000 at 0.95.
 * FB_EUNSUPPORTED, with *why: it does not reach that load. */
enum fb_err fb_planning_hold(const struct fb_planning *, struct fb_timing_filter *,
                             const char **why) FB_MUST_USE;

/* Adds the design's filter, which holds all its keys but `spare`; false when there is none, and the
 * reason is in the grid. */
bool fb_planning_filter(struct fb_planning *, const struct fb_design *, uint64_t spare);

/* Adds a cell of the design and the filter at hand, and returns its place; -1 as its yardstick: it
 * is one. loop: of a plain loop, which it is. */
int32_t fb_planning_cell(struct fb_planning *, size_t kernel, enum fb_operation, double hit_ratio,
                         int32_t yardstick);
int32_t fb_planning_loop(struct fb_planning *, size_t kernel, enum fb_operation, double hit_ratio,
                         int32_t yardstick, uint32_t loop);

/* An operation of inline_loop.h, of one kernel's instruction set: the peer's loop, and the
 * header's, which is held to it (inlined.c). asked: the experiment names the design. */
void fb_planning_inline(struct fb_planning *, size_t kernel, enum fb_operation, double hit_ratio,
                        bool asked);

/* The walks asked for, of one kernel (walks.c). `yardstick`: they become those of their line. */
void fb_planning_walks(struct fb_planning *, size_t kernel, bool yardstick);

#endif
