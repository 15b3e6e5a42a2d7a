/*
 * What a measuring process has of a job: the filters in memory of its own, room for one block of
 * queries, and a walker for each candidate.
 */
#ifndef FILTERBENCH_HARNESS_TREE_WALK_SCENE_H
#define FILTERBENCH_HARNESS_TREE_WALK_SCENE_H

#include "harness/tree/walk_job.h"

struct fb_walk_forest {
    const struct fb_walk_job_forest *spec;
    struct fb_filter *filters; /* [n_filters] */
    void *map;
    size_t map_bytes;
    const uint8_t *arena;
};

/* One block of queries and what its walks need; used by all candidates in turn. */
struct fb_walk_block {
    size_t n;
    uint8_t *bytes, *answers;
    uint64_t *offset, *index, *digests, *maybe;
    uint32_t *holder, *place;
    const struct fb_filter **filters;
};

struct fb_walker {
    const struct fb_walk_job_stream *stream;
    const struct fb_walk_forest *forest;
    const struct fb_lookup *lookup; /* NULL: the control */
    const uint8_t *job;             /* the mapped file */
    const struct fb_walk_job_run *runs;
    struct fb_walk_block *block;
    struct fb_walks walks;
    uint64_t first_block, warmed;
};

struct fb_walk_scene {
    struct fb_walk_forest *forests;
    struct fb_walker *walkers; /* [n_candidates] */
    struct fb_walk_block block;
    struct fb_keys keys; /* of the block */
};

/* job: the mapped file. False: no memory. Close it in either case. */
bool fb_walk_scene_make(const uint8_t *job, uint64_t placement, struct fb_walk_scene *);
void fb_walk_scene_close(const struct fb_walk_job *, struct fb_walk_scene *);

/* Takes block `number` of the walker's stream. */
void fb_walk_prepare(struct fb_walker *, uint64_t number);

#endif
