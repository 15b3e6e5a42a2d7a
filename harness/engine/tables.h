/*
 * The tree that an engine made, as its driver reads it back: tables in the order in which a Get
 * looks for them, and every key.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_TABLES_H
#define FILTERBENCH_HARNESS_ENGINE_TABLES_H

#include "harness/engine/driver.h"

/* Keys one behind the other, as many as come. */
struct fb_key_list {
    uint8_t *bytes;   /* owned */
    uint64_t *offset; /* [n + 1], owned; NULL: none yet */
    size_t n, room;
    uint64_t bytes_room;
};

/* False: no memory; the list stays as it is. A zeroed list may be closed. */
bool fb_key_list_add(struct fb_key_list *, const void *key, size_t len);
void fb_key_list_close(struct fb_key_list *);

/* Keys [first, first + n) of a list; borrowed. */
static inline struct fb_keys fb_key_list_part(const struct fb_key_list *list, size_t first,
                                              size_t n)
{
    return (struct fb_keys){.bytes = list->bytes, .offset = list->offset + first, .n = n};
}

struct fb_table_file {
    struct fb_engine_table about;
    size_t first_key, n_keys, first_block, n_blocks;
};

struct fb_table_data {
    uint64_t offset, filter;
    size_t first_key, n_keys;
    bool below; /* its bound is no key of it */
};

struct fb_tables {
    struct fb_table_file *files;  /* owned */
    struct fb_table_data *blocks; /* owned; bound i is that of block i */
    size_t n_files, n_blocks, files_room, blocks_room;
    struct fb_key_list keys, bounds;
};

/* False with *why. Close it in any case. */
bool fb_tables_read(const struct fb_engine_driver *, void *db, struct fb_tables *out,
                    struct fb_engine_why *why);
void fb_tables_close(struct fb_tables *);

/* Whether both have the same files, of the same sizes, on the same levels. */
bool fb_tables_same(const struct fb_tables *, const struct fb_tables *);

/* Byte order, a shorter key before those that it begins. */
int fb_key_compare(const void *a, size_t a_len, const void *b, size_t b_len);

#endif
