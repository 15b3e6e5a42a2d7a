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

/* A deletion in a table is a true positive, but no hit of its level; a deletion in a memtable is a
 * hit. A Get or a key of a MultiGet adds one to memtable.hit or to memtable.miss. */
struct fb_rocksdb_stats {
    uint64_t negatives;       /* checks for keys that the table did not have */
    uint64_t false_positives; /* of them */
    double absent_in_tables;  /* share of the gets that the memtables did not answer which found
                                 nothing; NAN: none */
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
