/*
 * What a process that times walks is given: one memory file, header first, arrays behind it at the
 * offsets that the header and the parts name. Plain data, native layout.
 *
 * A stream is a set of queries made beforehand: keys, the run that holds each, and for each run the
 * unit that the key falls into. Blocks of queries are taken from it in turn.
 */
#ifndef FILTERBENCH_HARNESS_TREE_WALK_JOB_H
#define FILTERBENCH_HARNESS_TREE_WALK_JOB_H

#include "filters/core/tuning.h"
#include "harness/measure/placement.h"
#include "harness/tree/walk_timing.h"

enum { FB_WALK_NOWHERE = UINT32_MAX }; /* the key is outside the run, or the run has no filters */

enum { FB_WALK_BLOCK = 256 }; /* queries, at most: a block and what it needs fit in half of L2 */

struct fb_walk_job {
    uint64_t singly; /* walks of the one candidate, timed one by one; 0: samples of all */
    struct fb_group_options options;
    struct fb_tuning tuning; /* in force where the file was made */
    uint64_t n_bytes;        /* of the file */
    size_t n_candidates, n_forests, n_streams;
    uint64_t candidates, forests, streams; /* offsets of arrays of the following */
};

/* Designs, hashes and lookups are known by their names. */
enum { FB_WALK_NAME = 40 };

struct fb_walk_job_candidate {
    uint32_t forest, stream;
    char lookup[FB_WALK_NAME]; /* "": the control */
};

struct fb_walk_job_forest {
    char design[FB_WALK_NAME], hash[FB_WALK_NAME]; /* hash "": the design's own */
    int32_t fd;                                    /* of the arena */
    bool shared;                                   /* its pages, by all processes */
    uint64_t arena_bytes;
    unsigned digest_words;
    size_t n_filters;
    uint64_t filters; /* offset of an array of struct fb_filter: bytes are offsets in the arena,
                         design and hash NULL, kernel NULL or a tag below */
};
#define FB_WALK_NO  ((const struct fb_kernel *)1)
#define FB_WALK_YES ((const struct fb_kernel *)2)

struct fb_walk_job_stream {
    size_t n_queries, width;
    size_t block;       /* queries in a block, at most FB_WALK_BLOCK and n_queries */
    size_t block_bytes; /* of the keys of any block, at most */
    uint64_t runs;      /* offset of an array [width] of the following */
    uint64_t bytes, offset, index, holder; /* of the keys; [n_queries + 1]; u64, u32 [n_queries] */
    uint64_t place; /* of u32 [n_queries * width]: unit of the tree, or FB_WALK_NOWHERE */
};

struct fb_walk_job_run {
    uint64_t low, high, n_segments;
    uint64_t segment_low; /* offset of u64 [n_segments] */
};

/* What lies at an offset of the mapped file. */
static inline const void *fb_walk_at(const struct fb_walk_job *job, uint64_t offset)
{
    return (const uint8_t *)job + offset;
}

/* Makes the queries and the file, whose header has `singly` and `options` of this one; -1 with *err
 * set on failure: FB_EINVAL where queries are of another tree than the forest, FB_EUNSUPPORTED
 * where a process could not find the hash by its name. */
int fb_walk_job_make(const struct fb_walk_candidate *, size_t n, const struct fb_walk_job *,
                     enum fb_err *err);

/*
 * ---- The scene (walk_scene.c) ----
 *
 * What a measuring process has of a job: the filters in memory of its own, room for one block of
 * queries, and a walker for each candidate.
 */

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
