/*
 * What is counted of queries that read a tree: exact facts, equal on every machine. Counts of two
 * parts of a stream merge by adding; with a cache they do not, as each part warms its own.
 */
#ifndef FILTERBENCH_HARNESS_TREE_READ_COUNTS_H
#define FILTERBENCH_HARNESS_TREE_READ_COUNTS_H

#include "filters/core/base.h"

enum { FB_READ_BINS = 65 }; /* of histograms over small numbers; the last bin takes the rest */

/* Of one run: queries that reached it; whose key lay in its range (they ask its filter, if it has
 * one); that it told to have a key that it does not have; that ended in it. */
struct fb_run_counts {
    uint64_t reached, asked, wrong, held;
};

/* ---- Point reads (read_path.h) ---- */

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

/* ---- Scans of a prefix (prefix_path.h) ---- */

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

#endif
