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
#include "workloads/core/memtable.h"

/*
 * ---- What is counted (read_counts.c) ----
 *
 * Exact facts, equal on every machine. Counts of two parts of a stream merge by adding; with a
 * cache they do not, as each part warms its own.
 */

enum { FB_READ_BINS = 65 }; /* of histograms over small numbers; the last bin takes the rest */

/* Of one run: queries that reached it; whose key lay in its range (they ask its filter, if it has
 * one); that it told to have a key that it does not have; that ended in it. */
struct fb_run_counts {
    uint64_t reached, asked, wrong, held;
};

struct fb_read_counts {
    uint64_t queries, absent, present, deleted; /* each is one of three: no run has the key; the
                                                   newest that has it has a value; or a deletion */
    uint64_t memtable_searches, memtable_found; /* found: a value or a deletion */
    uint64_t range_checks, pruned; /* runs looked at, memtables aside, and left by key range */
    uint64_t asked;                /* filters; runs without are not asked, they answer yes */
    uint64_t false_negatives;      /* must be 0; the walk goes on as if no run had the key */
    /* Blocks wanted, by cause, and how many of them came from the device (the rest: cache). What is
     * pinned is never wanted. */
    uint64_t data_found, data_false, data_tombstone, index_blocks, filter_blocks;
    uint64_t read_found, read_false, read_tombstone, read_index, read_filter;
    uint64_t read_bytes;
    uint64_t io_squares;           /* sum over queries of (device reads)^2 */
    uint64_t any_false;            /* absent queries with at least one false positive */
    uint64_t false_squares;        /* sum over absent queries of (false positives)^2 */
    uint64_t memtable_comparisons; /* of keys; 0 where memtables were not really searched */
    /* Queries by number of filters asked and of device reads. */
    uint64_t asked_histogram[FB_READ_BINS], io_histogram[FB_READ_BINS];
    struct fb_run_counts *run; /* [n_runs], owned */
    size_t n_runs;
};

/* The members before the histograms, as words, and their names. */
enum { FB_READ_WORDS = offsetof(struct fb_read_counts, asked_histogram) / sizeof(uint64_t) };
extern const char *const fb_read_count_names[FB_READ_WORDS];

/* All reads from the device. */
static inline uint64_t fb_read_total(const struct fb_read_counts *c)
{
    return c->read_found + c->read_false + c->read_tombstone + c->read_index + c->read_filter;
}

/* Zeroes, for n_runs runs. Close it after an error as well. */
enum fb_err fb_read_counts_open(size_t n_runs, struct fb_read_counts *) FB_MUST_USE;
void fb_read_counts_close(struct fb_read_counts *);
/* into may be zeroed: it then becomes a copy. FB_EINVAL where the numbers of runs differ. */
enum fb_err fb_read_counts_add(struct fb_read_counts *into,
                               const struct fb_read_counts *from) FB_MUST_USE;

/* Scans of a prefix. */
struct fb_scan_counts {
    uint64_t scans;
    uint64_t held;                  /* scans whose prefix some run has a key with */
    uint64_t blind;                 /* whose key is outside the domain: filters cannot tell */
    uint64_t memtable_searches;     /* no I/O */
    uint64_t range_checks, pruned;  /* runs looked at, memtables aside; and left by key range */
    uint64_t asked;                 /* filters */
    uint64_t read_true, read_false; /* files read that have a key with the prefix; that have none */
    uint64_t skipped;               /* files in range that their filter kept from being read */
    uint64_t false_negatives;       /* must be 0 */
    /* Sums over scans of products: files in range, reads, reads in vain, runs pruned. */
    uint64_t range_squares, range_reads, range_false, reads_false, false_squares, pruned_squares;
    uint64_t io_squares;                 /* (reads)^2 */
    uint64_t io_histogram[FB_READ_BINS]; /* scans by number of reads */
};

/* The members before the histogram, as words, and their names. */
enum { FB_SCAN_WORDS = offsetof(struct fb_scan_counts, io_histogram) / sizeof(uint64_t) };
extern const char *const fb_scan_count_names[FB_SCAN_WORDS];

void fb_scan_counts_add(struct fb_scan_counts *into, const struct fb_scan_counts *from);

/* ---- Point reads ---- */

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

/*
 * ---- Scans of a prefix (prefix_path.c) ----
 *
 * A scan looks at every run, there at every file (or part of a file
 * with a filter of its own) whose range of keys meets the prefix, and asks its filter. Unless the
 * filter denies the prefix, the block where the prefix starts is read. There is no cache.
 *
 * Expected reads: sum over runs of r_i (has_i + (1 - has_i) f_i), r_i = P(some file's range meets
 * the prefix), has_i = P(it has such a key | its range meets the prefix), f_i the false-positive
 * rate of prefixes.

 */

/*
 * Counts the scans: scan i is for all keys with the prefix of the key of query i; where that key is
 * outside the domain, for all keys that begin with it. Filters are asked if the forest was built
 * with this prefix; if it was built without one, no filter helps.
 *
 * The tree must be listed and its keys sort as their indices (key files, ordered formats), else
 * FB_EUNSUPPORTED; FB_EINVAL for another prefix than the forest's; both with *why set. *complete is
 * false when interrupted: out->scans < ask->n of them are counted.
 */
enum fb_err fb_prefix_path_count(const struct fb_ask *, const struct fb_prefix *,
                                 struct fb_scan_counts *out, bool *complete,
                                 const char **why) FB_MUST_USE;

#endif
