/*
 * The settings of storage engines in their own words: what to write there to get a design of ours
 * with so many bits per key, in all levels alike or in each its own.
 *
 *     rocksdb-fastlocal, 10 bits block_based_table_factory={filter_policy=bloomfilter:10:false;
 *                                     format_version=5;whole_key_filtering=true}
 *     the same, none in the last      optimize_filters_for_hits=true;block_based_table_factory=...
 *     leveldb, 10 bits                options.filter_policy = leveldb::NewBloomFilterPolicy(10);
 */
#ifndef FILTERBENCH_HARNESS_STORE_ENGINE_WORDS_H
#define FILTERBENCH_HARNESS_STORE_ENGINE_WORDS_H

#include <jansson.h>
#include <stdint.h>

enum { FB_ENGINE_LEVELS = 7 }; /* of a tree in RocksDB, LevelDB, fjall and Pebble */

struct fb_engine_asked {
    const char *design;  /* "rocksdb-fastlocal" */
    double bits_per_key; /* as the design is asked for it (struct fb_params); 0: no filter */
    /* [n_levels], 1 to FB_ENGINE_LEVELS, of each level, level 0 (flushed tables) first; 0: that
     * level has no filters. NULL: bits_per_key in all. */
    const double *level_bits;
    size_t n_levels;
    uint64_t n_keys; /* of one filter: Parquet is told; 0: not known */
};

/*
 * An array with {engine, text, note} for each engine. text is null, and text_reason says why, where
 * the engine does not have the design or cannot split bits like that: settings that give another
 * filter are never told. note is "" or what to know besides, in one line. NULL: no memory.
 */
json_t *fb_engine_words(const struct fb_engine_asked *);

#endif
