/*
 * How often a key's filter is built as compaction takes the key down a tree.
 *
 * A file's filter is built when the file is written, and a merge writes all of its files anew. So a
 * key's filter is built once by the flush, and at each level once for every merge that the key
 * takes part in there. Per ingested key, by what a level with N keys does with portions of B keys
 * from above, m = N / B:
 *
 *     unmerged    1              a run is written once and stays until it moves on
 *     merged      (m + 1) / 2    the level grows from nothing to N: portion j of m writes j B
 *                                keys, m (m + 1) / 2 B together for m B keys
 *                 m + 1          the level stays at N: each portion writes N + B keys
 *
 * The first is the least and the second the most that leveling costs. A level that moves down whole
 * is emptied by that, and grows again; one that gives files away one by one stays nearly full, and
 * so does a last level that updates keep at its size. Example: portions of 1/10 of a level are
 * merged 5.5 to 11 times, portions as large as the level once or twice.
 *
 *     level 0     unmerged: the flush
 *     leveled     merged from level 1 on; B: all keys of the level above, or of one flush where
 *                 there is no level 0
 *     tiered      unmerged
 *     lazy        unmerged; the last level is merged with what the level above has
 *     universal   a run is a level. It is made at once of newer ones, or merged whenever the newer
 *                 ones together are due: 1 to N / (sum of newer) + 1
 *     flat        unmerged
 *
 * Assumed: keys are ingested evenly, each passes every level, and merges drop none. Deletions and
 * keys that are written again make all of this less below the level where they meet.
 *
 * Sources: O'Neil, Cheng, Gawlick, O'Neil, The Log-Structured Merge-Tree, Acta Informatica 1996
 * (merging a full level); Dayan, Idreos, Dostoevsky, SIGMOD 2018 (an entry is merged O(T) times at
 * a leveled level, once at a tiered one); leveldb/doc/impl.md (one file of a level with about ten
 * of the next, "compactions").
 */
#ifndef FILTERBENCH_HARNESS_STORE_REWRITES_H
#define FILTERBENCH_HARNESS_STORE_REWRITES_H

#include "workloads/core/tree.h"

struct fb_rewrites {
    double low, high;
};

struct fb_rewritten_level {
    unsigned number;
    double keys; /* of all its runs, above 0 */
};

/* Of n levels, newest first; a flush brings flush_keys. */
void fb_rewrites(enum fb_style, const struct fb_rewritten_level *levels, size_t n,
                 double flush_keys, struct fb_rewrites *out);

#endif
