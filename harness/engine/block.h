/*
 * Blocks of the tables of LevelDB and RocksDB, uncompressed: entries, and extents of other blocks.
 * Source: google/leveldb doc/table_format.md, table/block_builder.cc, table/format.cc.
 *
 * The drivers of engines are linked with it: it calls nothing but the C library.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_BLOCK_H
#define FILTERBENCH_HARNESS_ENGINE_BLOCK_H

#include "filters/core/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FB_BLOCK_TRAILER = 5 }; /* behind a block: its compression, its checksum */

struct fb_extent {
    uint64_t offset, size;
};

/* A number of n bytes, the lowest first. */
uint64_t fb_block_number(const uint8_t *at, int n);
/* One of seven bits a byte, the lowest first. False: it does not end before `end`. */
bool fb_block_varint(const uint8_t **at, const uint8_t *end, uint64_t *out);
/* An extent that ends, with its trailer, within the first `size` bytes. */
bool fb_block_handle(const uint8_t **at, const uint8_t *end, uint64_t size, struct fb_extent *out);

/* The entries of a block in turn: each gives how many bytes its key shares with the one before it.
 */
struct fb_entries {
    const uint8_t *at, *end;
    uint8_t *key; /* owned: free it */
    size_t key_len, room;
    const uint8_t *value;
    size_t value_len;
};

/* False: not a block, or a compressed one. block [size + 1] */
bool fb_entries_open(const uint8_t *block, uint64_t size, struct fb_entries *);
/* To be called while at < end. FB_ECORRUPT or FB_ENOMEM. */
enum fb_err fb_entries_next(struct fb_entries *) FB_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
