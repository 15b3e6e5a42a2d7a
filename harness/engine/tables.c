#include "harness/engine/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fb_key_compare(const void *a, size_t a_len, const void *b, size_t b_len)
{
    const size_t both = a_len < b_len ? a_len : b_len;
    const int order = both ? memcmp(a, b, both) : 0;
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

/* ---- Lists that grow ---- */

/* Room for one more element, and one behind it. */
static bool grow(void **list, size_t n, size_t *room, size_t element)
{
    if (n + 1 < *room)
        return true;
    const size_t more = 2 * *room + 64;
    void *all = realloc(*list, more * element);
    if (!all)
        return false;
    *list = all;
    *room = more;
    return true;
}

bool fb_key_list_add(struct fb_key_list *list, const void *key, size_t len)
{
    void *offset = list->offset;
    bool done = grow(&offset, list->n + 1, &list->room, sizeof *list->offset);
    list->offset = offset;
    if (!done)
        return false;
    if (!list->n)
        list->offset[0] = 0;
    const uint64_t used = list->offset[list->n];
    if (used + len > list->bytes_room) {
        const uint64_t room = 2 * list->bytes_room + len + 4096;
        void *bytes = realloc(list->bytes, room);
        if (!bytes)
            return false;
        list->bytes = bytes;
        list->bytes_room = room;
    }
    if (len)
        memcpy(list->bytes + used, key, len);
    list->offset[++list->n] = used + len;
    return true;
}

void fb_key_list_close(struct fb_key_list *list)
{
    free(list->bytes);
    free(list->offset);
    memset(list, 0, sizeof *list);
}

/* ---- The sink ---- */

static bool take_table(void *self, const struct fb_engine_table *about)
{
    struct fb_tables *t = self;
    void *files = t->files;
    const bool done = grow(&files, t->n_files, &t->files_room, sizeof *t->files);
    t->files = files;
    if (done)
        t->files[t->n_files++] = (struct fb_table_file){
            .about = *about, .first_key = t->keys.n, .first_block = t->n_blocks};
    return done;
}

static bool take_key(void *self, const void *key, size_t len)
{
    struct fb_tables *t = self;
    t->files[t->n_files - 1].n_keys++;
    return fb_key_list_add(&t->keys, key, len);
}

static bool take_block(void *self, uint64_t offset, uint64_t filter, const void *bound, size_t len,
                       bool below)
{
    struct fb_tables *t = self;
    struct fb_table_file *file = &t->files[t->n_files - 1];
    const struct fb_table_data *last = file->n_blocks ? &t->blocks[t->n_blocks - 1] : NULL;
    const size_t first = last ? last->first_key + last->n_keys : file->first_key;
    void *blocks = t->blocks;
    const bool done = grow(&blocks, t->n_blocks, &t->blocks_room, sizeof *t->blocks);
    t->blocks = blocks;
    if (!done)
        return false;
    t->blocks[t->n_blocks++] = (struct fb_table_data){.offset = offset,
                                                      .filter = filter,
                                                      .first_key = first,
                                                      .n_keys = t->keys.n - first,
                                                      .below = below};
    file->n_blocks++;
    return fb_key_list_add(&t->bounds, bound, len);
}

bool fb_tables_read(const struct fb_engine_driver *driver, void *db, struct fb_tables *out,
                    struct fb_engine_why *why)
{
    const struct fb_engine_sink sink = {out, take_table, take_key, take_block};
    memset(out, 0, sizeof *out);
    if (!driver->tables(db, &sink, why))
        return false;
    for (size_t i = 0; i < out->n_files; i++) {
        const struct fb_engine_table *about = &out->files[i].about;
        if (out->files[i].n_keys && about->entries == out->files[i].n_keys)
            continue;
        snprintf(why->text, sizeof why->text,
                 "table %llu has %llu entries of %llu keys: deletions or several versions of a key",
                 (unsigned long long)about->number, (unsigned long long)about->entries,
                 (unsigned long long)out->files[i].n_keys);
        return false;
    }
    return true;
}

void fb_tables_close(struct fb_tables *t)
{
    free(t->files);
    free(t->blocks);
    fb_key_list_close(&t->keys);
    fb_key_list_close(&t->bounds);
    memset(t, 0, sizeof *t);
}

bool fb_tables_same(const struct fb_tables *a, const struct fb_tables *b)
{
    bool same = a->n_files == b->n_files;
    for (size_t i = 0; same && i < a->n_files; i++) {
        const struct fb_engine_table *x = &a->files[i].about, *y = &b->files[i].about;
        same = x->level == y->level && x->number == y->number && x->entries == y->entries &&
               x->file_bytes == y->file_bytes;
    }
    return same;
}
