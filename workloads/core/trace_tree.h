/*
 * From a trace to the tree that a store would have at its end. Puts and deletes go through a
 * memtable. A full memtable becomes a run of level 0, and level 0 with l0 runs is merged down.
 * Styles:
 *
 *     leveled  level i >= 1 is one run; beyond l0 * memtable_bytes * T^i bytes all of it is merged
 *              into the next level
 *     tiered   level i >= 1 with T runs (rounded up) is merged into one run of the next level
 *
 * A merge keeps the newest entry of each key. It drops a deletion when nothing older is left below.
 * Bytes are those of key, value and overhead. What is left in the memtable is run 0.
 *
 * Ask all gets of this final tree, whatever came after them in the trace. One tree and its filters
 * then answer all of them, so designs and lookups are compared on the same runs. So a get before
 * its key's put finds the key, and a get before its key's deletion does not.
 *
 * Threads: after it is made, any number of threads may read it.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_TRACE_TREE_H
#define FILTERBENCH_WORKLOADS_CORE_TRACE_TREE_H

#include "workloads/core/trace.h"
#include "workloads/core/tree.h"

/* Owns everything. Its parts point at each other, so do not copy it. You may close a zeroed one. */
struct fb_trace_tree {
    struct fb_keyset keys;    /* all keys of the trace, also those never put, ascending, distinct */
    struct fb_keyspace space; /* over them; dense, and its arrivals mean nothing */
    struct fb_tree tree;      /* listed */
    uint64_t *index;          /* [trace->keys.keys.n] of each key of the trace in `keys` */
    uint64_t *get;            /* [n_gets] indices of the keys asked for, in order */
    size_t n_gets;
    uint64_t n_flushes, n_merges;
    uint64_t entries_put, entries_written; /* the second by flushes and merges */
};

/*
 * Reads these members of the shape: style (leveled or tiered), ratio, l0 (at least 1),
 * entry_overhead, segment_bytes, unit, bits_per_key and scale. Bytes of keys and values are the
 * trace's. FB_EINVAL with *why set where the shape makes no sense or the tree ends up empty.
 */
enum fb_err fb_tree_of_trace(const struct fb_trace *, const struct fb_tree_shape *,
                             uint64_t memtable_bytes, struct fb_trace_tree *out,
                             const char **why) FB_MUST_USE;
void fb_trace_tree_close(struct fb_trace_tree *);

#endif
