/*
 * The read path of a storage engine, counted: memtables, then runs newest to oldest; in each the
 * key-range check, the filter, the index, the data block through the cache; until the key or its
 * deletion is found.
 *
 * Only counts are made here, no time. They depend on (tree, filters, queries, cache) alone.
 */
#ifndef FILTERBENCH_HARNESS_READ_PATH_H
#define FILTERBENCH_HARNESS_READ_PATH_H

#include "harness/block_cache.h"
#include "harness/forest.h"
#include "workloads/core/queries.h"

enum fb_residency {
    FB_PINNED,      /* in memory since the file was opened: never read */
    FB_CACHED,      /* whole, as one entry of the block cache */
    FB_PARTITIONED, /* filters only: in pieces of 4 KiB through the cache, their top level pinned */
};
/* "pinned", "cached", "partitioned"; NULL beyond the last. */
const char *fb_residency_name(enum fb_residency);

struct fb_read_spec {
    enum fb_cache_policy policy;
    uint64_t cache_bytes;
    uint64_t block_bytes; /* of data, 4096 */
    double entry_bytes;   /* key + value + overhead: decides entries per block */
    double index_entry_bytes;
    enum fb_residency filters, index;
    double evict_every; /* queries between two evictions by other work; 0: never */
    double evict_share; /* of the cache */
};

/* Exact facts, equal on every machine; two streams on one tree without a cache merge by adding. */
struct fb_read_counts {
    uint64_t queries, absent, present, deleted; /* absent: drawn as such; deleted: ended by a
                                                   tombstone */
    uint64_t memtable_searches, memtable_found;
    uint64_t range_checks, pruned; /* runs looked at, and left by key range */
    uint64_t asked;                /* filters */
    uint64_t false_negatives;      /* must be 0 */
    /* Blocks wanted, by cause, and how many of them came from the device (the rest: cache). */
    uint64_t data_found, data_false, data_tombstone, index_blocks, filter_blocks;
    uint64_t read_found, read_false, read_tombstone, read_index, read_filter;
    uint64_t read_bytes;
    uint64_t io_squares;    /* sum over queries of (device reads)^2 */
    uint64_t any_false;     /* absent queries with at least one false positive */
    uint64_t false_squares; /* sum over absent queries of (false positives)^2 */
    /* By run, [n_runs] each, owned: looked at, in range and asked, false positives, ended here. */
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

/* Queries 0 .. n - 1 of the stream, in order; without a cache on n_threads threads (0: all).
 * Counts start after `warm` queries, which fill the cache. progress counts queries. */
enum fb_err fb_read_path_run(const struct fb_forest *, const struct fb_queries *,
                             const struct fb_read_spec *, uint64_t warm, uint64_t n,
                             unsigned n_threads, struct fb_progress *progress,
                             struct fb_read_counts *out, bool *complete) FB_MUST_USE;
void fb_read_counts_close(struct fb_read_counts *);
enum fb_err fb_read_counts_add(struct fb_read_counts *into,
                               const struct fb_read_counts *from) FB_MUST_USE;

#endif
