/*
 * LevelDB's table files, read without LevelDB, and RocksDB's, which have the same blocks.
 *
 *     data blocks | filter block | metaindex block | index block | footer, 48 bytes
 *
 * A block ends with a byte that says how it is compressed and four bytes of checksum; its extent
 * has neither. A key in a table has 8 bytes more than the user's: a number and a type. Source:
 * google/leveldb doc/table_format.md, table/format.cc, table/block.cc.
 *
 * RocksDB's (format_version 4 and 5) end in 53 bytes: before LevelDB's handles the type of the
 * checksum, behind them the version. An entry of its index has no length of its value, which is a
 * handle alone where the entry shares nothing with the one before it (index_block_restart_interval
 * 1), and its key is a user's key alone as long as no key has versions in two blocks. Where filters
 * are in parts the index is as well: a block of the index has handles of blocks with entries as
 * above, and the block of the filter, written as an index, one for each part, whose bound is that
 * of its last data block. Source: facebook/rocksdb table/format.cc, table/block_based/block.cc,
 * index_builder.cc, partitioned_filter_block.cc.
 *
 * The drivers of engines are linked with it: it calls nothing but the C library.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_SSTABLE_H
#define FILTERBENCH_HARNESS_ENGINE_SSTABLE_H

#include "harness/engine/block.h"
#include "harness/engine/driver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the parts of a file lie. Without a filter its size is 0, and its offset that of the
 * metaindex: data blocks are what lies before it. */
struct fb_sstable {
    struct fb_extent filter, metaindex, index;
    bool parts; /* of RocksDB: the index and the filter are in parts */
};

enum { FB_SSTABLE_FOOTER = 48, FB_ROCKSDB_FOOTER = 53 };

/* The metaindex and the index, of the footer [FB_SSTABLE_FOOTER] of a file of `size` bytes; the
 * filter of the metaindex [metaindex.size + 1], with the byte behind it. False: no such table, or a
 * compressed block. */
bool fb_sstable_footer(const uint8_t *footer, uint64_t size, struct fb_sstable *out);
bool fb_sstable_filter(const uint8_t *metaindex, struct fb_sstable *);
/* The same of the last FB_ROCKSDB_FOOTER bytes of a file of RocksDB's, of versions 1 to 5.
 * *version: its own, even where it is not known here; 0: no such table. */
bool fb_sstable_rocksdb_footer(const uint8_t *footer, uint64_t size, struct fb_sstable *out,
                               unsigned *version);

/* Of the `size` bytes of a whole file, of LevelDB or of RocksDB: user keys, each once, and data
 * blocks, in its order; sink NULL: to nobody. Sets entries, which counts every version of a key,
 * filter_bytes, 0 without a filter, and by_blocks of *about. FB_ECORRUPT: no such table, or a
 * compressed block; FB_ENOMEM; FB_EFULL: the sink said stop. */
enum fb_err fb_sstable_each(const uint8_t *file, uint64_t size, bool rocksdb,
                            const struct fb_engine_sink *,
                            struct fb_engine_table *about) FB_MUST_USE;

/* Sets all that the file itself tells of *out, which is zeroed but for level and number; of
 * LevelDB's nothing of its entries, which it does not tell. */
bool fb_sstable_survey(const char *path, bool rocksdb, struct fb_engine_file *out,
                       struct fb_engine_why *why);

/* A whole file, malloc'd, with a zero behind it. NULL with errno. */
uint8_t *fb_sstable_file(const char *path, uint64_t *size);
/* What a file on disk says: the table, whose entries and bytes are set here, then what is in it. */
bool fb_sstable_tell(const char *path, bool rocksdb, struct fb_engine_table *,
                     const struct fb_engine_sink *, struct fb_engine_why *why);

#ifdef __cplusplus
}
#endif

#endif
