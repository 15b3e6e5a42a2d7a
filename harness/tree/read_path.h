/*
 * The read path of a storage engine, counted: memtables, then runs newest to oldest; in each the
 * key-range check, the filter, the index, the data block through the cache; until the key or its
 * deletion is found.
 *
 * Blocks are known by (file, number): the data block of a key is rank / entries per block, that of
 * a false positive is where the key would be, so one that repeats finds its block in the cache.
 *
 * Only counts are made here, no time. They depend on (tree, filters, queries, cache) alone.
 */
#ifndef FILTERBENCH_HARNESS_TREE_READ_PATH_H
#define FILTERBENCH_HARNESS_TREE_READ_PATH_H

#include "harness/store/block_cache.h"
#include "harness/tree/forest.h"
#include "workloads/core/memtable.h"
#include "workloads/core/queries.h"

enum fb_residency {
    FB_PINNED,      /* in memory since the file was opened: never read */
    FB_CACHED,      /* all of a file as one entry of the block cache */
    FB_PARTITIONED, /* filters only: in pieces of 4 KiB through the cache, their top level pinned */
};
/* "pinned", "cached", "partitioned"; NULL beyond the last. */
const char *fb_residency_name(enum fb_residency);

struct fb_read_spec {
    enum fb_cache_policy policy;
    uint64_t cache_bytes;
    uint64_t block_bytes;     /* of data, 4096 */
    double entry_bytes;       /* key + value + overhead: decides entries per block, at least 1 */
    double index_entry_bytes; /* of the one index block of a file, per data block */
    enum fb_residency filters, index;
    double evict_every; /* queries between two evictions by other work; 0: never */
    double evict_share; /* of the cache */
    /* Of the tree, borrowed: each is searched until the key is found. NULL or none: what they would
     * find is known, and no comparisons are counted. */
    const struct fb_memtables *memtables;
};

/* Exact facts, equal on every machine; two streams on one tree without a cache merge by adding. */
struct fb_read_counts {
    uint64_t queries, absent, present, deleted; /* each is one of three: no run has the key; the
                                                   newest that has it has a value; or a deletion */
    uint64_t memtable_searches, memtable_found; /* found: a value or a deletion */
    uint64_t memtable_comparisons; /* of keys; 0 where memtables were not really searched */
    uint64_t range_checks, pruned; /* runs looked at, memtables aside, and left by key range */
    uint64_t asked;                /* filters; runs without are not asked, they answer yes */
    uint64_t false_negatives;      /* must be 0; the walk goes on as if no run had the key */
    /* Blocks wanted, by cause, and how many of them came from the device (the rest: cache). What is
     * pinned is never wanted. */
    uint64_t data_found, data_false, data_tombstone, index_blocks, filter_blocks;
    uint64_t read_found, read_false, read_tombstone, read_index, read_filter;
    uint64_t read_bytes;
    uint64_t io_squares;    /* sum over queries of (device reads)^2 */
    uint64_t any_false;     /* absent queries with at least one false positive */
    uint64_t false_squares; /* sum over absent queries of (false positives)^2 */
    /* By run, [n_runs] each, owned: looked at; in range, hence asked if it has a filter; said to
     * have a key that it does not have; ended here. */
    uint64_t *run_reached, *run_asked, *run_false, *run_held;
    size_t n_runs;
    /* Queries by number of filters asked and of device reads; the last bin takes the rest. */
    uint64_t asked_histogram[65], io_histogram[65];
};

/* All reads from the device. */
static inline uint64_t fb_read_total(const struct fb_read_counts *c)
{
    return c->read_found + c->read_false + c->read_tombstone + c->read_index + c->read_filter;
}

/*
 * Queries 0 .. warm + n - 1 of the stream, in order: the first `warm` fill the cache, the n others
 * are counted. Without a cache on n_threads threads (0: all), with one on this one. progress counts
 * queries and may be NULL. *complete is false when interrupted: counts are then those of
 * out->queries < n queries. FB_EINVAL where the spec makes no sense. Close out in any case.
 */
enum fb_err fb_read_path_run(const struct fb_forest *, const struct fb_queries *,
                             const struct fb_read_spec *, uint64_t warm, uint64_t n,
                             unsigned n_threads, struct fb_progress *progress,
                             struct fb_read_counts *out, bool *complete) FB_MUST_USE;
/* Zeroes, for n_runs runs. Close it after an error as well. */
enum fb_err fb_read_counts_open(size_t n_runs, struct fb_read_counts *) FB_MUST_USE;
void fb_read_counts_close(struct fb_read_counts *);
/* into may be zeroed: it then becomes a copy. FB_EINVAL where the numbers of runs differ. */
enum fb_err fb_read_counts_add(struct fb_read_counts *into,
                               const struct fb_read_counts *from) FB_MUST_USE;

#endif
