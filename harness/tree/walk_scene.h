/*
 * What a measuring process has of a job: the filters in memory of its own, room for one block of
 * queries, and a walker for each candidate.
 */
#ifndef FILTERBENCH_HARNESS_TREE_WALK_SCENE_H
#define FILTERBENCH_HARNESS_TREE_WALK_SCENE_H

#include "harness/measure/placement.h"
#include "harness/tree/walk_job.h"

struct fb_walk_forest {
    const struct fb_walk_job_forest *spec;
    const struct fb_design *design;
    const struct fb_hash *hash; /* NULL: the design's own */
    struct fb_filter *filters;  /* [n_filters] */
    const uint8_t *arena;
};

/* One block of queries and what its walks need; used by all candidates in turn. */
struct fb_walk_block {
    size_t n;
    struct fb_keys keys;
    uint8_t *bytes, *answers;
    uint64_t *offset, *index, *digests, *maybe;
    uint32_t *holder, *place;
    const struct fb_filter **filters;
};

struct fb_walker {
    const struct fb_walk_job *job;
    const struct fb_walk_job_stream *stream;
    const struct fb_walk_job_run *runs;
    const struct fb_walk_forest *forest;
    const struct fb_lookup *lookup; /* NULL: the control */
    struct fb_walk_block *block;
    struct fb_walks walks; /* of a block */
    uint64_t first_block, warmed;
};

struct fb_walk_scene {
    const struct fb_walk_job *job; /* mapped; NULL: there is none */
    struct fb_walk_forest *forests;
    struct fb_placed *arenas;  /* [n_forests] */
    struct fb_walker *walkers; /* [n_candidates] */
    struct fb_walk_block block;
};

/* Of a job's file. By *placement each forest that is not shared gets a copy of its own, and streams
 * begin at some block; NULL: no copies, first blocks. False: no memory. Close it in either case. */
bool fb_walk_scene_open(int job_fd, const uint64_t *placement, struct fb_walk_scene *);
void fb_walk_scene_close(struct fb_walk_scene *);

/* Takes block `number` of the walker's stream. */
void fb_walk_prepare(struct fb_walker *, uint64_t number);

/* What is timed, for queries first .. first + n - 1 of the block: finds the filters, asks them,
 * adds to *work unless NULL. Answers go to the start of block->maybe. Returns a value that depends
 * on them. */
uint64_t fb_walk_ask(struct fb_walker *, size_t first, size_t n, struct fb_walk_work *);

#endif
