/*
 * The work of FB_OP_MIXED: a filter at a steady load, from which keys go and into which keys come.
 *
 * Operations come in threes: the oldest key is taken out, a key is looked up, a new key is put in.
 * So the filter holds its n_keys before each three, and one less within it. One lookup of two, by
 * the toss of a coin, is of a key that is in. Key i is word i of the filter's stream, as
 * everywhere: from the first block on, those that are in stand in a row, which moves along the
 * stream. Example: of 1000 keys, 0 to 999, three operations later 1 to 1000 are in.
 *
 * A key that finds no place is refused, and is counted. It is neither looked up nor taken out
 * later, and before the next block another key takes its turn, outside the clock.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_MIXED_H
#define FILTERBENCH_HARNESS_FILTER_MIXED_H

#include "filters/core/filter.h"

/* What was done, and what was answered. */
struct fb_mixed_counts {
    uint64_t inserts, refused; /* keys that found no place */
    uint64_t removals, missed; /* keys that are in, and were not found: a wrong answer */
    uint64_t lookups, present; /* of them, of keys that are in, */
    uint64_t denied;           /* and of these answered no: a wrong answer */
    uint64_t false_positives;  /* of the other lookups */
    uint64_t fewest_in,
        n_keys; /* the load, at its lowest between two blocks, and as it should be */
};

struct fb_mixed {
    struct fb_mixed_counts counts;
    uint64_t stream, oldest,
        next;          /* keys of the stream: the row that is in, but for those refused */
    uint64_t in;       /* how many are */
    uint64_t *refused; /* [n_refused] of the row, ascending; owned */
    size_t n_refused, room;
    uint32_t words;    /* of a digest */
    size_t n, done;    /* operations of the block, and how many of them were done */
    uint64_t behind;   /* the oldest key once the block's removals are done */
    uint8_t *answers;  /* [n], owned */
    uint8_t *expected; /* [n] of a lookup: the key is in; owned */
    bool short_of_memory;
};

/* Operations of a block for which so many words of digest are at hand. */
size_t fb_mixed_ops(size_t words, uint32_t words_each);

/* Over a filter that holds n_keys, 0 to n_keys - 1 of the stream, more than a block's operations;
 * n: from fb_mixed_ops. FB_ENOMEM: close it then as well. */
enum fb_err fb_mixed_open(struct fb_mixed *, uint64_t stream, uint64_t n_keys, uint32_t words,
                          size_t n) FB_MUST_USE;
void fb_mixed_close(struct fb_mixed *); /* a zeroed one is accepted */

/* Counts what the last block answered, and draws the next into digests [n * words]. Of a block that
 * was begun the rest is done first; one that was not is drawn again. */
void fb_mixed_prepare(struct fb_mixed *, struct fb_filter *, uint64_t *digests);

/* The next n operations of the block, whose digests these are. */
uint64_t fb_mixed_run(struct fb_mixed *, struct fb_filter *, const uint64_t *digests, size_t n);

/* Whether any answer was wrong. */
static inline bool fb_mixed_wrong(const struct fb_mixed_counts *c)
{
    return c->missed || c->denied;
}

#endif
