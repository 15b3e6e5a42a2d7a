/*
 * What an engine's Gets read, predicted: its tables (tables.h) with filters of ours, searched as
 * the engine searches them. A Get looks into the tables of level 0 whose range has the key, newest
 * first, then into the one of each level; where a table's filter says maybe it reads a data block;
 * it ends where the key is.
 *
 * A table of LevelDB has a filter for each 2 KiB of data blocks (tree/table_block.h), one of
 * RocksDB a filter for each part or one; others have one filter.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_PREDICT_H
#define FILTERBENCH_HARNESS_ENGINE_PREDICT_H

#include "filters/core/filter.h"
#include "harness/engine/sizes.h"
#include "harness/engine/tables.h"

enum { FB_READS_APART = 16 };

/* Of a stream of Gets, by us or by the engine. */
struct fb_get_counts {
    struct fb_engine_counts engine; /* reads of indexes, filters and others are not predicted */
    uint64_t read_squares;          /* sum over Gets of (data blocks read)^2 */
    /* As predicted: filters asked and data blocks read, weighed by how cold their levels are, in
     * sixteenths; and Gets by how many data blocks they read, in the last bin those that read more.
     */
    uint64_t cold_checks, cold_reads, read_bins[FB_READS_APART];
};

/* How cold a level of so many bytes of tables is, in sixteenths: the share of it that is likely not
 * in caches of a processor, taken as bytes / (bytes + 16 MiB). A constant, since what is predicted
 * is the same on every machine. */
enum { FB_COLD = 16, FB_COLD_BYTES = 16 << 20, FB_MOST_LEVELS = 64 };
static inline unsigned fb_level_cold(uint64_t bytes)
{
    return (unsigned)((FB_COLD * bytes + (bytes + FB_COLD_BYTES) / 2) / (bytes + FB_COLD_BYTES));
}

struct fb_prediction {
    const struct fb_tables *tables; /* borrowed */
    bool by_table;                  /* every table has one filter, whatever the engine does */
    struct fb_sizes sizes;
    struct fb_filter *filters; /* [n_filters], owned */
    size_t n_filters;
    uint32_t *filter_of;   /* [n_blocks] of each data block; of tables with one filter [n_files];
                              owned */
    uint64_t filter_bytes; /* of their native blocks */
    size_t *levels;        /* [n_levels + 1] first file of each level below 0, owned */
    size_t n_levels;
    uint64_t level_bytes[FB_MOST_LEVELS]; /* of tables */
    uint64_t read_hash;
};

/* Builds the filters, sized as `params` say for the keys of each; by_table: as if each table had
 * one. *why as of fb_filter_build. Close it in any case. */
enum fb_err fb_prediction_open(const struct fb_tables *, const struct fb_design *,
                               const struct fb_params *, bool by_table, struct fb_prediction *out,
                               const char **why) FB_MUST_USE;
void fb_prediction_close(struct fb_prediction *);

/* Adds one Get to the counts; returns how many data blocks it reads. */
unsigned fb_prediction_get(struct fb_prediction *, const void *key, size_t len,
                           struct fb_get_counts *);

#endif
