/* What the file of a table says of itself, of which a few blocks are read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/engine/sstable.h"

/* ---- Parts of a file ---- */

struct file {
    const char *path;
    int fd;
    uint64_t size;
    struct fb_engine_why *why;
};

static bool fail(const struct file *f, const char *text)
{
    snprintf(f->why->text, sizeof f->why->text, "%.380s: %.100s", f->path, text);
    return false;
}

/* n bytes at an offset, malloc'd; NULL with *why. */
static uint8_t *read_part(const struct file *f, uint64_t offset, uint64_t n)
{
    uint8_t *bytes = offset <= f->size && n <= f->size - offset ? malloc(n + 1) : NULL;
    for (uint64_t done = 0; bytes && done < n;) {
        const ssize_t some = pread(f->fd, bytes + done, n - done, (off_t)(offset + done));
        if (some > 0) {
            done += (uint64_t)some;
        } else if (some == 0 || errno != EINTR) {
            fail(f, some ? strerror(errno) : "it became shorter while it was read");
            free(bytes);
            return NULL;
        }
    }
    if (!bytes)
        fail(f, "no table that can be read");
    return bytes;
}

/* A block with the byte behind it. */
static uint8_t *read_block(const struct file *f, const struct fb_extent *block)
{
    return read_part(f, block->offset, block->size + 1);
}

static bool is_text(const struct fb_entries *e, const char *key)
{
    return e->key_len == strlen(key) && !memcmp(e->key, key, e->key_len);
}

static bool begins(const struct fb_entries *e, const char *key)
{
    return e->key_len >= strlen(key) && !memcmp(e->key, key, strlen(key));
}

/* ---- RocksDB ---- */

/* Source: facebook/rocksdb table/table_properties.cc (names), table/meta_blocks.cc. */
static void take_property(const struct fb_entries *e, struct fb_engine_file *out)
{
    const struct {
        const char *name;
        uint64_t *to;
    } numbers[] = {{"rocksdb.num.entries", &out->entries},
                   {"rocksdb.deleted.keys", &out->deletions},
                   {"rocksdb.raw.key.size", &out->key_bytes},
                   {"rocksdb.raw.value.size", &out->value_bytes},
                   {"rocksdb.data.size", &out->data_bytes},
                   {"rocksdb.num.data.blocks", &out->data_blocks},
                   {"rocksdb.num.filter_entries", &out->filter_keys}};
    const uint8_t *at = e->value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is_text(e, numbers[i].name))
            (void)fb_block_varint(&at, e->value + e->value_len, numbers[i].to);
    if (is_text(e, "rocksdb.compression"))
        snprintf(out->compression, sizeof out->compression, "%.*s", (int)e->value_len,
                 (const char *)e->value);
}

/* A filter's last five bytes tell what it is. Source: facebook/rocksdb table/block_based/
 * filter_policy.cc (GetBuiltinFilterBitsReader). */
static bool take_filter(const struct file *f, const struct fb_extent *filter,
                        struct fb_engine_file *out)
{
    enum { TOLD = 5, NEW_BLOOM = 255, RIBBON = 254, MOST_PROBES = 30 };
    const char *design = "";
    out->filters++;
    out->filter_bytes += filter->size;
    if (filter->size <= TOLD || out->filters > 1)
        return true;
    uint8_t *told = read_part(f, filter->offset + filter->size - TOLD, TOLD);
    if (!told)
        return false;
    if (told[0] == NEW_BLOOM && told[1] == 0)
        design = "rocksdb-fastlocal";
    else if (told[0] == RIBBON)
        design = "rocksdb-ribbon";
    else if (told[0] >= 1 && told[0] <= MOST_PROBES)
        design = "rocksdb-legacy";
    snprintf(out->design, sizeof out->design, "%s", design);
    free(told);
    return true;
}

/* The next part that an index of filters names. From format 4 on an entry has no length of its
 * value, and one that shares bytes of its key says by how much its size is another. */
static bool next_part(struct fb_entries *e, bool short_values, uint64_t size,
                      struct fb_extent *part)
{
    uint64_t shared, own, more;
    if (!short_values) {
        const bool fine = !fb_entries_next(e);
        const uint8_t *at = e->value;
        return fine && fb_block_handle(&at, e->value + e->value_len, size, part);
    }
    if (!fb_block_varint(&e->at, e->end, &shared) || !fb_block_varint(&e->at, e->end, &own) ||
        own > (uint64_t)(e->end - e->at))
        return false;
    e->at += own;
    if (!shared)
        return fb_block_handle(&e->at, e->end, size, part);
    if (!fb_block_varint(&e->at, e->end, &more))
        return false;
    part->offset += part->size + FB_BLOCK_TRAILER;
    part->size += more & 1 ? ~(more >> 1) : more >> 1;
    return part->offset <= size && part->size <= size - part->offset;
}

static bool take_parts(const struct file *f, const struct fb_extent *index, bool short_values,
                       struct fb_engine_file *out)
{
    struct fb_entries e;
    struct fb_extent part = {0};
    uint8_t *block = read_block(f, index);
    bool fine = block && (fb_entries_open(block, index->size, &e) ||
                          fail(f, "its filters are compressed, or none"));
    while (fine && e.at < e.end)
        fine = (next_part(&e, short_values, index->offset, &part) ||
                fail(f, "its index of filters cannot be read")) &&
               take_filter(f, &part, out);
    if (block)
        free(e.key);
    free(block);
    return fine;
}

static bool survey_rocksdb(const struct file *f, struct fb_engine_file *out)
{
    const struct fb_extent *metaindex;
    struct fb_sstable table;
    struct fb_entries e = {0}, p = {0};
    unsigned version;
    uint8_t *footer = f->size < FB_ROCKSDB_FOOTER
                          ? NULL
                          : read_part(f, f->size - FB_ROCKSDB_FOOTER, FB_ROCKSDB_FOOTER);
    if (!footer)
        return fail(f, "no table of RocksDB's: it is too short");
    const bool known = fb_sstable_rocksdb_footer(footer, f->size, &table, &version);
    free(footer);
    if (!known)
        return fail(f, version ? "its format_version is newer than 5, which is the last known here"
                               : "no block-based table of RocksDB's");
    metaindex = &table.metaindex;
    uint8_t *meta = read_block(f, metaindex), *block = NULL;
    bool fine = meta && (fb_entries_open(meta, metaindex->size, &e) ||
                         fail(f, "its metaindex cannot be read"));
    while (fine && e.at < e.end) {
        struct fb_extent part;
        const bool next = !fb_entries_next(&e);
        const uint8_t *at = e.value;
        const bool full = next && begins(&e, "fullfilter."),
                   parts = next && begins(&e, "partitionedfilter."),
                   told = next && is_text(&e, "rocksdb.properties");
        if (!next || ((full || parts || told) &&
                      !fb_block_handle(&at, e.value + e.value_len, metaindex->offset, &part)))
            fine = fail(f, "its metaindex cannot be read");
        else if (full)
            fine = take_filter(f, &part, out);
        else if (parts)
            fine = take_parts(f, &part, version >= 4, out);
        else if (told && !block)
            fine = (block = read_block(f, &part)) && (fb_entries_open(block, part.size, &p) ||
                                                      fail(f, "its properties cannot be read"));
    }
    while (fine && p.at < p.end) {
        fine = !fb_entries_next(&p) || fail(f, "its properties cannot be read");
        if (fine)
            take_property(&p, out);
    }
    free(meta);
    free(block);
    free(e.key);
    free(p.key);
    /* Versions before 6.21 do not tell. */
    if (!out->filter_keys && out->filters)
        out->filter_keys = out->entries;
    enum { TAG = 8 };
    out->key_bytes -= TAG * out->entries <= out->key_bytes ? TAG * out->entries : 0;
    return fine;
}

/* ---- LevelDB ---- */

/* Filters one behind the other, where each begins, where that list begins, and a byte. Source:
 * google/leveldb doc/table_format.md. */
static bool survey_leveldb(const struct file *f, struct fb_engine_file *out)
{
    enum { TAIL = 5 };
    struct fb_sstable table;
    uint8_t *footer = f->size < FB_SSTABLE_FOOTER
                          ? NULL
                          : read_part(f, f->size - FB_SSTABLE_FOOTER, FB_SSTABLE_FOOTER);
    const bool known = footer && fb_sstable_footer(footer, f->size, &table);
    free(footer);
    if (!known)
        return fail(f, "no table of LevelDB's");
    uint8_t *meta = read_block(f, &table.metaindex);
    bool fine =
        meta && (fb_sstable_filter(meta, &table) || fail(f, "its metaindex cannot be read"));
    free(meta);
    out->data_bytes = table.filter.size ? table.filter.offset : table.metaindex.offset;
    if (!fine || table.filter.size < TAIL)
        return fine;
    uint8_t *block = read_block(f, &table.filter);
    const uint64_t list = block ? fb_block_number(block + table.filter.size - TAIL, 4) : 0;
    fine = block && (list <= table.filter.size - TAIL || fail(f, "its filters cannot be read"));
    uint64_t before = 0;
    for (uint64_t at = list + 4; fine && list && at + TAIL <= table.filter.size; at += 4) {
        const uint64_t end = fb_block_number(block + at, 4);
        out->filters += end > before && end <= list;
        before = end;
    }
    out->filter_bytes = fine ? list : 0;
    snprintf(out->design, sizeof out->design, "%s", out->filters ? "leveldb" : "");
    free(block);
    return fine;
}

bool fb_sstable_survey(const char *path, bool rocksdb, struct fb_engine_file *out,
                       struct fb_engine_why *why)
{
    struct file f = {.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC), .why = why};
    struct stat about;
    if (f.fd < 0 || fstat(f.fd, &about)) {
        const bool fine = fail(&f, strerror(errno));
        if (f.fd >= 0)
            close(f.fd);
        return fine;
    }
    f.size = out->file_bytes = (uint64_t)about.st_size;
    const bool fine = (rocksdb ? survey_rocksdb : survey_leveldb)(&f, out);
    close(f.fd);
    return fine;
}
