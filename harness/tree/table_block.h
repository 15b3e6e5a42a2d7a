/*
 * The filter block of a LevelDB table: a filter for each 2 KiB of data, not one for the file.
 *
 *     the filters, one behind the other | u32 LE offset of each | u32 LE where the offsets start
 *     | u8 11, the binary logarithm of 2048
 *
 * Filter i holds the keys of the data blocks that start in bytes 2048 i to 2048 i + 2047 of the
 * file. Data blocks are of some 4 KiB: every other filter has no keys, and no bytes. A lookup knows
 * from the index which data block may have its key, and asks the filter of that offset.
 *
 * Any design with a block format can be LevelDB's FilterPolicy; its filters stand here as its
 * native format has them. Source: google/leveldb table/filter_block.cc, table/table_builder.cc.
 */
#ifndef FILTERBENCH_HARNESS_TREE_TABLE_BLOCK_H
#define FILTERBENCH_HARNESS_TREE_TABLE_BLOCK_H

#include "filters/core/filter.h"

/* Where a data block starts in its file, and how many keys it has. */
struct fb_data_block {
    uint64_t offset, n_keys;
};

/* Offsets of filters are 32 bits; 2 GiB of data have a million filters. */
#define FB_MOST_DATA_BYTES (UINT64_C(1) << 31)

/*
 * The filter block of a file of these data blocks, their offsets ascending and below
 * FB_MOST_DATA_BYTES, whose keys follow each other in `keys`. A last data block without keys says
 * where the data end, which filters reach to. Into *block, malloc'd, of *len bytes. FB_EINVAL with
 * *why where data blocks do not follow each other, or do not have keys->n keys.
 */
enum fb_err fb_table_block_build(const struct fb_design *, const struct fb_hash *,
                                 const struct fb_params *, const struct fb_keys *keys,
                                 const struct fb_data_block *, size_t n_data_blocks,
                                 uint8_t **block, size_t *len, const char **why) FB_MUST_USE;

/* What LevelDB's reader finds for the data block at `offset`: a filter, of which the bytes are part
 * of the block; that no key is there; or nothing it can use, and every key may be there. */
enum fb_table_answer { FB_TABLE_FILTER, FB_TABLE_NO, FB_TABLE_MAYBE };
enum fb_table_answer fb_table_block_find(const uint8_t *block, size_t len, uint64_t offset,
                                         const uint8_t **filter, size_t *filter_len);

/* Whether the bytes are such a block of two filters or more: offsets from 0 up to where they start.
 * The bytes of a filter alone are that by accident only, one in billions. */
bool fb_table_block_is_one(const uint8_t *block, size_t len);

#endif
