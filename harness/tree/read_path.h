/*
 * The read path of a storage engine, counted. A query searches the memtables, then the runs from
 * the newest to the oldest, until it finds the key or its deletion. In a run it checks the key
 * ranges of the files, asks the filter, and reads the index and the data block through the cache.
 *
 * A block is known by its file and number. The data block of a key is rank / entries per block;
 * that of a false positive is where the key would be, so one that repeats finds its block in the
 * cache.
 *
 * Only counts are made here, no time. They depend on (tree, filters, queries, cache) alone.
 */
#ifndef FILTERBENCH_HARNESS_TREE_READ_PATH_H
#define FILTERBENCH_HARNESS_TREE_READ_PATH_H

#include "harness/store/block_cache.h"
#include "harness/tree/ask.h"
#include "harness/tree/read_counts.h"
#include "workloads/core/memtable.h"

enum fb_residency {
    FB_PINNED,      /* in memory since the file was opened: never read */
    FB_CACHED,      /* all of a file as one entry of the block cache */
    FB_PARTITIONED, /* filters only: in pieces of 4 KiB through the cache, their top level pinned */
};
/* A query takes as long as to make so many keys of a filter, nearly. */
enum { FB_QUERY_UNITS = 10 };
extern const struct fb_word fb_residencies[]; /* "pinned", "cached", "partitioned" */

struct fb_read_spec {
    enum fb_cache_policy policy;
    uint64_t cache_bytes;
    uint64_t block_bytes;     /* of data, 4096 */
    double entry_bytes;       /* key + value + overhead; a block has at least one entry */
    double index_entry_bytes; /* of the one index block of a file, per data block */
    enum fb_residency filters, index;
    double evict_every; /* queries between two evictions by other work; 0: never */
    double evict_share; /* of the cache */
    /* Of the tree, borrowed; they are searched in order until one has the key. NULL or none: what
     * they would find is taken from the tree, and no comparisons are counted. */
    const struct fb_memtables *memtables;
};

/*
 * Counts the queries. With a cache they run one after another on this thread, and those before
 * ask->first go first to fill the cache. *complete is false when interrupted: counts are then those
 * of out->queries < ask->n queries. FB_EINVAL where the spec makes no sense. Close out in any case.
 */
enum fb_err fb_read_path_count(const struct fb_ask *, const struct fb_read_spec *,
                               struct fb_read_counts *out, bool *complete) FB_MUST_USE;

#endif
