/*
 * Scans of a prefix, counted: of each run, every file (or part of one with a filter of its own)
 * whose range of keys meets the prefix costs the read of the block where the prefix starts, unless
 * its filter denies the prefix.
 *
 * Expected reads: sum over runs of r_i (has_i + (1 - has_i) f_i), r_i = P(some file's range meets
 * the prefix), f_i the false-positive rate of prefixes. No cache.
 */
#ifndef FILTERBENCH_HARNESS_TREE_PREFIX_PATH_H
#define FILTERBENCH_HARNESS_TREE_PREFIX_PATH_H

#include "harness/tree/forest.h"
#include "workloads/core/queries.h"

/* Exact facts; two parts of one stream merge by adding. */
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
    uint64_t io_squares;       /* (reads)^2 */
    uint64_t io_histogram[65]; /* scans by number of reads; the last bin takes the rest */
};

/*
 * Scans first .. first + n - 1: that of number i is for all keys with the prefix of the key of
 * query i (if that is outside the domain: all that begin with the key). Filters are asked if the
 * forest was built with this prefix; if it was built without one, no filter helps.
 *
 * The tree must be listed and its keys sort as their indices (key files, ordered formats), else
 * FB_EUNSUPPORTED; FB_EINVAL for another prefix than the forest's; both with *why set. On n_threads
 * threads (0: all). progress counts scans and may be NULL. *complete is false when interrupted:
 * out->scans < n of them are counted.
 */
enum fb_err fb_prefix_path_run(const struct fb_forest *, const struct fb_queries *,
                               const struct fb_prefix *, uint64_t first, uint64_t n,
                               unsigned n_threads, struct fb_progress *progress,
                               struct fb_scan_counts *out, bool *complete,
                               const char **why) FB_MUST_USE;

void fb_scan_counts_add(struct fb_scan_counts *into, const struct fb_scan_counts *from);

#endif
