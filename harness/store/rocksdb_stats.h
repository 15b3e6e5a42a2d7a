/*
 * What a RocksDB counted while it ran: its filters' false-positive rate and the share of Gets whose
 * key was nowhere. Read from the text of Statistics::ToString(), which RocksDB also writes into its
 * LOG every stats_dump_period_sec, below a line that ends in "STATISTICS:":
 *
 *     rocksdb.bloom.filter.useful COUNT : 98410               the filter of a table said no
 *     rocksdb.bloom.filter.full.positive COUNT : 41590        it said maybe ...
 *     rocksdb.bloom.filter.full.true.positive COUNT : 40600   ... and the table had the key
 *
 * 990 of 99400 checks for keys that the table did not have were false positives: 0.996 %. Lines
 * may have anything before a ticker's name. Of several dumps the last one counts.
 */
#ifndef FILTERBENCH_HARNESS_STORE_ROCKSDB_STATS_H
#define FILTERBENCH_HARNESS_STORE_ROCKSDB_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/exit.h"
#include "harness/stats/stats.h"

struct fb_rocksdb_stats {
    /* Tickers. A deletion in a table is a true positive, but no hit of its level; a deletion in a
     * memtable is a hit. */
    uint64_t useful, positive, true_positive;
    uint64_t memtable_hit, l0_hit, l1_hit, l2_hit;
    uint64_t keys_read; /* by Get alone */

    /* What follows. A Get or a key of a MultiGet adds one to memtable.hit or to memtable.miss;
     * keys_read leaves out MultiGet, which the hits of levels have, so no share is taken of it. */
    uint64_t gets;            /* memtable.hit + memtable.miss */
    uint64_t false_positives; /* positive - true_positive */
    uint64_t negatives;       /* checks for keys that the table did not have */
    double fpr;               /* false_positives / negatives; NAN: no such check */
    /* 95 %, as if no absent key were asked for twice; 0 .. 1 without a check. */
    struct fb_interval fpr_interval;
    double absent;           /* share of gets that found nothing, not even in a memtable */
    double absent_in_tables; /* the same of those that the memtables did not answer; NAN: none */
    double data_hit_rate;    /* of data blocks in the block cache, for scans too; NAN: no block was
                                asked for */
};

enum { FB_ROCKSDB_STATS_WHY = 300 };

/* False with *why, such as "line 12: rocksdb.l0.hit: not a count": no statistics in the text, a
 * ticker that is missing, no number or beyond 2^64, counts that contradict each other, no Get at
 * all. */
bool fb_rocksdb_stats_parse(const char *text, size_t len, struct fb_rocksdb_stats *out,
                            char why[FB_ROCKSDB_STATS_WHY]);

/* Of a file ("-": stdin). A line on stderr for every code but OK: FB_EXIT_USAGE, "FILE: line 12:
 * ...", and those of fb_file_read. */
enum fb_exit fb_rocksdb_stats_read(const char *path, struct fb_rocksdb_stats *out);

#endif
