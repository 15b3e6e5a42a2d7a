/*
 * The numbered universe of keys of a tree: those in it and those that are absent.
 *
 *     index    place in key order, 0 .. size - 1. Both present and absent keys have one. enum
 *              fb_order says how they mix: at random, in turn, or all absent keys at the end.
 *     arrival  number in order of arrival: 0 .. n_present - 1 are in the tree, 0 the oldest; the
 *              arrivals n_present .. size - 1 never come.
 *
 * Both ways are O(1) and need no set: absence is arithmetic (arrival >= n_present). Beyond the
 * universe, indices size .. 2 size - n_present - 1 are keys behind all others ("next"), as many as
 * are absent within.
 *
 * Keys of a file take part by being sorted: index i is the i-th distinct key of the file in byte
 * order. Generated formats whose bytes do not sort as their indices (keygen.ordered is false) are
 * treated as if they did. Their bytes are as good as random, so the order changes no count but
 * those of scans. For scans sorted_space.h sorts the keys.
 *
 * Threads: after it is made, any number of threads may read it.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_KEYSPACE_H
#define FILTERBENCH_WORKLOADS_CORE_KEYSPACE_H

#include "workloads/core/keys.h"
#include "workloads/core/permutation.h"

enum fb_order {
    FB_ORDER_SHUFFLE, /* arrivals are a random permutation of the indices */
    FB_ORDER_ARRIVAL, /* arrival a has index (1 + gap) a; `gap` absent ones follow each key */
    FB_ORDER_DENSE,   /* arrival a has index a; absent ones follow after all present */
    FB_ORDER_LISTED,  /* as a sorted space has it (sorted_space.h); has no name */
};
extern const struct fb_word fb_orders[]; /* "shuffle", "arrival", "dense" */

struct fb_keyspace {
    struct fb_keygen keygen;    /* of generated keys */
    const struct fb_keys *file; /* distinct and sorted; borrowed; NULL: generated */
    uint64_t stream;            /* of the key bytes */
    uint64_t base;              /* of generated keys: index i is number base + i of the format */
    enum fb_order order;
    uint64_t n_present, gap, size; /* generated: size = (1 + gap) n_present */
    size_t max_len;
    struct fb_permutation shuffle;  /* FB_ORDER_SHUFFLE: arrival -> index */
    const uint64_t *listed_index;   /* FB_ORDER_LISTED: of each arrival [size], borrowed */
    const uint64_t *listed_arrival; /* of each index [size], borrowed */
};

/* Generated keys: n_present >= 1 and at most 2^61. */
void fb_keyspace_generate(const struct fb_keygen *, enum fb_order, uint64_t n_present,
                          uint64_t root, struct fb_keyspace *out);
/* The same with `gap` absent keys for each present one, at least 1: so that a small tree can be
 * asked for many keys once each. (1 + gap) n_present is at most 2^62. */
void fb_keyspace_generate_sparse(const struct fb_keygen *, enum fb_order, uint64_t n_present,
                                 uint64_t gap, uint64_t root, struct fb_keyspace *out);
/* Keys of a file, sorted and distinct, which are borrowed. n_present of them, drawn at random under
 * `root`, are in the tree; the others are held out. 1 <= n_present < file->n. Order: shuffle. */
void fb_keyspace_of_file(const struct fb_keys *file, uint64_t n_present, uint64_t root,
                         struct fb_keyspace *out);

/* Return the index of an arrival, and the arrival of an index. Both are below size.
 * fb_keyspace_indices writes the indices of n arrivals from first_arrival on to index [n]. */
uint64_t fb_keyspace_index(const struct fb_keyspace *, uint64_t arrival);
void fb_keyspace_indices(const struct fb_keyspace *, uint64_t first_arrival, size_t n,
                         uint64_t *index);
uint64_t fb_keyspace_arrival(const struct fb_keyspace *, uint64_t index);
static inline bool fb_keyspace_present(const struct fb_keyspace *s, uint64_t index)
{
    return index < s->size && fb_keyspace_arrival(s, index) < s->n_present;
}

/* Writes the key of an index into key [max_len], and returns its length. The index must be below
 * 2 size - n_present, and below size for keys of a file or a sorted space. */
size_t fb_keyspace_write(const struct fb_keyspace *, uint64_t index, uint8_t *key);
/* Makes the keys of index [n], in that order. A NULL index stands for 0 .. n - 1. The caller closes
 * *out. FB_ENOMEM leaves *out zeroed. */
enum fb_err fb_keyspace_keys(const struct fb_keyspace *, const uint64_t *index, size_t n,
                             struct fb_keyset *out) FB_MUST_USE;
/* Returns whether these bytes are the key of an index, present or not, and sets *index to it. If
 * not, *index means nothing. It searches a file, and asks keygen.read of a generated format. A
 * format without one answers false. scratch is [max_len], or NULL for keys of a file. */
bool fb_keyspace_find(const struct fb_keyspace *, const uint8_t *key, size_t len, uint8_t *scratch,
                      uint64_t *index);

#endif
