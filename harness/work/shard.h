/*
 * Shards of an experiment: which part of its work a run does. Which one does what follows from the
 * numbers alone, so shards of one split never overlap and leave nothing out.
 *
 * Cell c, counted from 0 in the order of the experiment, is shard c mod n's where cells stay whole.
 * A cell of B blocks is split into n stretches of blocks, of which cell c gives stretch 0 to shard
 * c mod n, stretch 1 to the next, and so on. Example: 3 shards and cells of 2 blocks each: cell 0
 * gives blocks 0 and 1 to shards 1 and 2, cell 1 to shards 2 and 0.
 */
#ifndef FILTERBENCH_HARNESS_WORK_SHARD_H
#define FILTERBENCH_HARNESS_WORK_SHARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FB_MAX_SHARDS = 100000 };

struct fb_shard {
    unsigned index, of; /* index < of. "3/8" is index 2 of 8 */
};
#define FB_WHOLE ((struct fb_shard){0, 1})

/* "3/8": from 1 to FB_MAX_SHARDS shards, counted from 1. False: it is something else. */
bool fb_shard_parse(const char *text, struct fb_shard *);

/* Whether a cell, or group of cells, that stays whole is this shard's. */
bool fb_shard_has(struct fb_shard, size_t cell);
/* How many of n cells or groups that stay whole are this shard's. */
size_t fb_shard_count(struct fb_shard, size_t n);

/* Which stretch of a cell that is split is this shard's. Of n_blocks blocks it has *first .. *end -
 * 1: none where they are equal. */
unsigned fb_shard_stretch(struct fb_shard, size_t cell);
void fb_shard_blocks(struct fb_shard, size_t cell, uint64_t n_blocks, uint64_t *first,
                     uint64_t *end);

/* "run.shard" of a document, {index, of}, the index from 1; and back: FB_WHOLE where a document has
 * none. False: it is no such object. */
json_t *fb_shard_json(struct fb_shard);
bool fb_shard_read(const json_t *document, struct fb_shard *);

#endif
