#include "harness/engine/sstable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    HANDLES = 40,     /* bytes of a footer before the magic number */
    TAG = 8,          /* of a key in a table: type, and in its upper 7 bytes a number */
    LOG2_WINDOW = 11, /* of LevelDB: data blocks that start in the same 2 KiB share a filter */
};
#define MAGIC         UINT64_C(0xdb4775248b80fb57)
#define ROCKSDB_MAGIC UINT64_C(0x88e241b785f4cff7)
/* Of a bound that is no key of the table. A key that is looked for sorts behind it if they are the
 * same otherwise. */
#define GREATEST_NUMBER ((UINT64_C(1) << 56) - 1)

bool fb_sstable_footer(const uint8_t *footer, uint64_t size, struct fb_sstable *out)
{
    const uint8_t *at = footer, *end = footer + HANDLES;
    if (size < FB_SSTABLE_FOOTER || fb_block_number(end, 8) != MAGIC)
        return false;
    const uint64_t blocks = size - FB_SSTABLE_FOOTER;
    if (!fb_block_handle(&at, end, blocks, &out->metaindex) ||
        !fb_block_handle(&at, end, blocks, &out->index))
        return false;
    out->filter = (struct fb_extent){.offset = out->metaindex.offset};
    return true;
}

/* The filter that a metaindex names so. */
static bool filter_of(const uint8_t *metaindex, const char *prefix, struct fb_sstable *table)
{
    struct fb_entries e;
    bool fine = fb_entries_open(metaindex, table->metaindex.size, &e);
    while (fine && e.at < e.end) {
        fine = !fb_entries_next(&e);
        const uint8_t *at = e.value;
        if (fine && e.key_len >= strlen(prefix) && !memcmp(e.key, prefix, strlen(prefix)))
            fine = fb_block_handle(&at, e.value + e.value_len, table->metaindex.offset,
                                   &table->filter);
    }
    free(e.key);
    return fine;
}

bool fb_sstable_filter(const uint8_t *metaindex, struct fb_sstable *table)
{
    return filter_of(metaindex, "filter.", table);
}

/* ---- A whole file ---- */

/* The last user key that was told of; repeats are versions of it. */
struct last {
    uint8_t *key; /* owned */
    size_t len, room;
    bool any;
};

static bool is_repeat(const struct last *last, const uint8_t *key, size_t len)
{
    return last->any && last->len == len && !memcmp(last->key, key, len);
}

static enum fb_err remember(struct last *last, const uint8_t *key, size_t len)
{
    if (len + 1 > last->room) {
        uint8_t *bytes = realloc(last->key, 2 * len + 1);
        if (!bytes)
            return FB_ENOMEM;
        last->key = bytes;
        last->room = 2 * len + 1;
    }
    memcpy(last->key, key, len);
    last->len = len;
    last->any = true;
    return FB_OK;
}

static enum fb_err keys_of(const uint8_t *block, uint64_t size, const struct fb_engine_sink *sink,
                           struct last *last, uint64_t *entries)
{
    struct fb_entries e;
    enum fb_err err = fb_entries_open(block, size, &e) ? FB_OK : FB_ECORRUPT;
    while (!err && e.at < e.end) {
        err = fb_entries_next(&e);
        if (!err && e.key_len < TAG)
            err = FB_ECORRUPT;
        if (err)
            break;
        ++*entries;
        const size_t len = e.key_len - TAG;
        if (is_repeat(last, e.key, len))
            continue;
        err = remember(last, e.key, len);
        if (!err && sink && !sink->key(sink->self, e.key, len))
            err = FB_EFULL;
    }
    free(e.key);
    return err;
}

bool fb_sstable_rocksdb_footer(const uint8_t *footer, uint64_t size, struct fb_sstable *out,
                               unsigned *version)
{
    const uint8_t *at = footer + 1, *end = at + HANDLES;
    const uint64_t blocks = size - FB_ROCKSDB_FOOTER;
    const bool magic = fb_block_number(end + 4, 8) == ROCKSDB_MAGIC;
    *version = magic ? (unsigned)fb_block_number(end, 4) : 0;
    if (*version < 1 || *version > 5 || !fb_block_handle(&at, end, blocks, &out->metaindex) ||
        !fb_block_handle(&at, end, blocks, &out->index))
        return false;
    out->filter = (struct fb_extent){.offset = out->metaindex.offset};
    return true;
}

static bool rocksdb_layout(const uint8_t *file, uint64_t size, struct fb_sstable *out)
{
    unsigned version;
    if (size < FB_ROCKSDB_FOOTER ||
        !fb_sstable_rocksdb_footer(file + size - FB_ROCKSDB_FOOTER, size, out, &version) ||
        version < 4)
        return false;
    const uint8_t *metaindex = file + out->metaindex.offset;
    if (!filter_of(metaindex, "fullfilter.", out))
        return false;
    if (out->filter.size)
        return true;
    const bool fine = filter_of(metaindex, "partitionedfilter.", out);
    out->parts = out->filter.size > 0;
    return fine;
}

static bool leveldb_layout(const uint8_t *file, uint64_t size, struct fb_sstable *out)
{
    return size >= FB_SSTABLE_FOOTER &&
           fb_sstable_footer(file + size - FB_SSTABLE_FOOTER, size, out) &&
           fb_sstable_filter(file + out->metaindex.offset, out);
}

/* A data block of the index, and its bound. */
struct indexed {
    struct fb_extent block;
    const uint8_t *bound;
    size_t len;
    bool below;
};

/* The next one; to be called while at < end. The handle lies within the first `size` bytes. */
static enum fb_err leveldb_next(struct fb_entries *index, uint64_t size, struct indexed *out)
{
    const enum fb_err err = fb_entries_next(index);
    const uint8_t *at = index->value;
    if (err)
        return err;
    if (index->key_len < TAG || !fb_block_handle(&at, at + index->value_len, size, &out->block))
        return FB_ECORRUPT;
    out->bound = index->key;
    out->len = index->key_len - TAG;
    out->below = fb_block_number(index->key + out->len, TAG) >> 8 == GREATEST_NUMBER;
    return FB_OK;
}

static enum fb_err rocksdb_next(struct fb_entries *index, uint64_t size, struct indexed *out)
{
    uint64_t shared, own;
    if (!fb_block_varint(&index->at, index->end, &shared) ||
        !fb_block_varint(&index->at, index->end, &own) || shared ||
        own > (uint64_t)(index->end - index->at))
        return FB_ECORRUPT;
    *out = (struct indexed){.bound = index->at, .len = (size_t)own};
    index->at += own;
    return fb_block_handle(&index->at, index->end, size, &out->block) ? FB_OK : FB_ECORRUPT;
}

/* The data blocks of a table in turn, and which of its filters each has. */
struct walk {
    const uint8_t *file;
    struct fb_sstable table;
    bool rocksdb;
    struct fb_entries index, part; /* part: of an index in parts, the one at hand */
    struct fb_entries filters;     /* of filters in parts: those behind the one at hand */
    struct indexed filter;
    uint64_t n_filters, filter_bytes;
};

static bool open_block(const struct walk *w, const struct fb_extent *block, struct fb_entries *out)
{
    free(out->key);
    return fb_entries_open(w->file + block->offset, block->size, out);
}

static enum fb_err next_filter(struct walk *w)
{
    const enum fb_err err = w->filters.at < w->filters.end
                                ? rocksdb_next(&w->filters, w->table.filter.offset, &w->filter)
                                : FB_ECORRUPT;
    w->n_filters++;
    w->filter_bytes += err ? 0 : w->filter.block.size;
    return err;
}

static enum fb_err walk_open(const uint8_t *file, uint64_t size, bool rocksdb, struct walk *w)
{
    *w = (struct walk){.file = file, .rocksdb = rocksdb};
    if (!(rocksdb ? rocksdb_layout : leveldb_layout)(file, size, &w->table) ||
        !open_block(w, &w->table.index, &w->index))
        return FB_ECORRUPT;
    w->filter_bytes = w->table.parts ? 0 : w->table.filter.size;
    if (!w->table.parts)
        return FB_OK;
    return open_block(w, &w->table.filter, &w->filters) ? next_filter(w) : FB_ECORRUPT;
}

/* Whether all that was to be walked over has been. */
static bool walk_done(const struct walk *w)
{
    return w->part.at == w->part.end && w->index.at == w->index.end;
}

static void walk_close(struct walk *w)
{
    free(w->index.key);
    free(w->part.key);
    free(w->filters.key);
}

/* To be called until walk_done. *filter: its number in the table. */
static enum fb_err walk_next(struct walk *w, struct indexed *out, uint64_t *filter)
{
    const uint64_t size = w->table.index.offset;
    enum fb_err err = FB_OK;
    if (!w->rocksdb || !w->table.parts) {
        err = (w->rocksdb ? rocksdb_next : leveldb_next)(&w->index, size, out);
        *filter = out->block.offset >> LOG2_WINDOW;
        return err;
    }
    while (!err && w->part.at == w->part.end) {
        struct indexed part;
        err = w->index.at < w->index.end ? rocksdb_next(&w->index, size, &part) : FB_ECORRUPT;
        if (!err && !open_block(w, &part.block, &w->part))
            err = FB_ECORRUPT;
    }
    if (!err)
        err = rocksdb_next(&w->part, size, out);
    *filter = w->n_filters;
    if (!err && out->len == w->filter.len && !memcmp(out->bound, w->filter.bound, out->len) &&
        !walk_done(w))
        err = next_filter(w);
    return err;
}

enum fb_err fb_sstable_each(const uint8_t *file, uint64_t size, bool rocksdb,
                            const struct fb_engine_sink *sink, struct fb_engine_table *about)
{
    struct walk w;
    struct last last = {0};
    enum fb_err err = walk_open(file, size, rocksdb, &w);
    about->entries = 0;
    while (!err && !walk_done(&w)) {
        struct indexed next;
        uint64_t filter;
        err = walk_next(&w, &next, &filter);
        if (!err)
            err = keys_of(file + next.block.offset, next.block.size, sink, &last, &about->entries);
        if (!err && sink &&
            !sink->block(sink->self, next.block.offset, filter, next.bound, next.len, next.below))
            err = FB_EFULL;
    }
    if (!err && w.filters.at != w.filters.end)
        err = FB_ECORRUPT;
    about->filter_bytes = w.filter_bytes;
    about->by_blocks = !rocksdb || w.table.parts;
    walk_close(&w);
    free(last.key);
    return err;
}

/* ---- On disk ---- */

enum { MOST_BYTES = 1 << 30 };

uint8_t *fb_sstable_file(const char *path, uint64_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (file && !fstat(fileno(file), &about) && about.st_size > MOST_BYTES)
        errno = EFBIG;
    else if (file && !fstat(fileno(file), &about) && about.st_size >= 0) {
        *size = (uint64_t)about.st_size;
        bytes = malloc(*size + 1);
        if (bytes && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
            errno = EIO;
        }
    }
    if (file)
        fclose(file);
    if (bytes)
        bytes[*size] = 0;
    return bytes;
}

static bool fail(struct fb_engine_why *why, const char *path, const char *text)
{
    snprintf(why->text, sizeof why->text, "%.380s: %.100s", path, text);
    return false;
}

bool fb_sstable_tell(const char *path, bool rocksdb, struct fb_engine_table *table,
                     const struct fb_engine_sink *sink, struct fb_engine_why *why)
{
    uint8_t *file = fb_sstable_file(path, &table->file_bytes);
    if (!file)
        return fail(why, path, strerror(errno));
    bool done = true;
    if (fb_sstable_each(file, table->file_bytes, rocksdb, NULL, table))
        done = fail(why, path, "not a table that can be read");
    else if (!sink->table(sink->self, table) ||
             fb_sstable_each(file, table->file_bytes, rocksdb, sink, table))
        done = fail(why, path, "no memory for its keys");
    free(file);
    return done;
}
