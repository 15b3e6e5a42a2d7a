#include "harness/engine/predict.h"

#include <stdlib.h>
#include <string.h>

static enum fb_err add_filter(struct fb_prediction *p, size_t first, size_t n, const char **why)
{
    const struct fb_keys keys = fb_key_list_part(&p->tables->keys, first, n);
    struct fb_filter *filter = &p->filters[p->n_filters];
    const enum fb_err err = fb_sizes_build(&p->sizes, &keys, filter, why);
    if (err)
        return err;
    p->n_filters++;
    p->filter_bytes += p->sizes.design->formats->size(filter);
    return FB_OK;
}

static enum fb_err add_blocks(struct fb_prediction *p, const struct fb_table_file *file,
                              const char **why)
{
    const struct fb_table_data *blocks = p->tables->blocks;
    enum fb_err err = FB_OK;
    for (size_t i = file->first_block, end = i + file->n_blocks; i < end && !err;) {
        const size_t first = i;
        size_t n_keys = 0;
        for (; i < end && blocks[i].filter == blocks[first].filter; i++) {
            n_keys += blocks[i].n_keys;
            p->filter_of[i] = (uint32_t)p->n_filters;
        }
        err = add_filter(p, blocks[first].first_key, n_keys, why);
    }
    return err;
}

enum fb_err fb_prediction_open(const struct fb_tables *tables, const struct fb_design *design,
                               const struct fb_params *params, bool by_table,
                               struct fb_prediction *out, const char **why)
{
    memset(out, 0, sizeof *out);
    out->tables = tables;
    out->by_table = by_table;
    out->sizes.design = design;
    out->sizes.asked = *params;
    out->filters = calloc(tables->n_blocks + tables->n_files + 1, sizeof *out->filters);
    out->filter_of = calloc(tables->n_blocks + tables->n_files + 1, sizeof *out->filter_of);
    out->levels = calloc(tables->n_files + 2, sizeof *out->levels);
    enum fb_err err = out->filters && out->filter_of && out->levels ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; i < tables->n_files && !err; i++) {
        const struct fb_table_file *file = &tables->files[i];
        out->level_bytes[file->about.level % FB_MOST_LEVELS] += file->about.file_bytes;
        if (file->about.level && (!i || file[-1].about.level != file->about.level))
            out->levels[out->n_levels++] = i;
        if (file->about.by_blocks && !by_table) {
            err = add_blocks(out, file, why);
        } else {
            out->filter_of[tables->n_blocks + i] = (uint32_t)out->n_filters;
            err = add_filter(out, file->first_key, file->n_keys, why);
        }
    }
    if (!err)
        out->levels[out->n_levels] = tables->n_files;
    return err;
}

void fb_prediction_close(struct fb_prediction *p)
{
    for (size_t i = 0; i < p->n_filters; i++)
        fb_filter_close(&p->filters[i]);
    free(p->filters);
    free(p->filter_of);
    free(p->levels);
    memset(p, 0, sizeof *p);
}

/* ---- Gets ---- */

struct sought {
    const void *key;
    size_t len;
};

static int compare(const struct fb_key_list *list, size_t i, const struct sought *s)
{
    return fb_key_compare(list->bytes + list->offset[i],
                          (size_t)(list->offset[i + 1] - list->offset[i]), s->key, s->len);
}

/* The first of keys [first, first + n) at or behind the one sought. */
static size_t lower_bound(const struct fb_key_list *list, size_t first, size_t n,
                          const struct sought *s)
{
    while (n) {
        const size_t half = n / 2;
        if (compare(list, first + half, s) < 0) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}

/* The data block of the table that may have it; the table's range has it. */
static size_t block_of(const struct fb_tables *t, const struct fb_table_file *file,
                       const struct sought *s)
{
    const size_t block = lower_bound(&t->bounds, file->first_block, file->n_blocks, s);
    return t->blocks[block].below && !compare(&t->bounds, block, s) ? block + 1 : block;
}

static bool is_in_range(const struct fb_tables *t, const struct fb_table_file *file,
                        const struct sought *s)
{
    return compare(&t->keys, file->first_key, s) <= 0 &&
           compare(&t->keys, file->first_key + file->n_keys - 1, s) >= 0;
}

/* True: the key is there. *reads: data blocks. */
static bool look(struct fb_prediction *p, size_t number, const struct sought *s,
                 struct fb_get_counts *c, unsigned *reads)
{
    const struct fb_tables *t = p->tables;
    const struct fb_table_file *file = &t->files[number];
    const bool by_blocks = file->about.by_blocks && !p->by_table;
    const unsigned cold = fb_level_cold(p->level_bytes[file->about.level % FB_MOST_LEVELS]);
    const bool beyond = compare(&t->keys, file->first_key + file->n_keys - 1, s) < 0;
    const unsigned before = *reads;
    if (!is_in_range(t, file, s) && !file->about.any_key)
        return false;
    const size_t place = !by_blocks ? t->n_blocks + number
                         : beyond   ? file->first_block + file->n_blocks - 1
                                    : block_of(t, file, s);
    c->engine.checks++;
    c->cold_checks += cold;
    if (!fb_filter_maybe(&p->filters[p->filter_of[place]], s->key, s->len)) {
        c->engine.negatives++;
        return false;
    }
    if (beyond) /* the index has no block for it */
        return false;
    ++*reads;
    if (by_blocks)
        p->read_hash =
            fb_engine_read_hash(p->read_hash, file->about.number, t->blocks[place].offset);
    const size_t key = lower_bound(&t->keys, file->first_key, file->n_keys, s);
    if (file->about.reads_on) {
        const struct fb_table_data *block = &t->blocks[block_of(t, file, s)];
        *reads += key == block->first_key + block->n_keys;
    }
    c->cold_reads += (uint64_t)cold * (*reads - before);
    return !compare(&t->keys, key, s);
}

unsigned fb_prediction_get(struct fb_prediction *p, const void *key, size_t len,
                           struct fb_get_counts *c)
{
    const struct fb_tables *t = p->tables;
    const struct sought s = {key, len};
    unsigned reads = 0;
    bool found = false;
    for (size_t i = 0; i < t->n_files && !t->files[i].about.level && !found; i++)
        found = look(p, i, &s, c, &reads);
    for (size_t l = 0; l < p->n_levels && !found; l++) {
        size_t first = p->levels[l], n = p->levels[l + 1] - first;
        while (n) { /* the first table whose last key is not before it */
            const size_t half = n / 2;
            const struct fb_table_file *file = &t->files[first + half];
            if (compare(&t->keys, file->first_key + file->n_keys - 1, &s) < 0) {
                first += half + 1;
                n -= half + 1;
            } else {
                n = half;
            }
        }
        if (first < p->levels[l + 1])
            found = look(p, first, &s, c, &reads);
    }
    c->engine.gets++;
    c->engine.found += found;
    c->engine.data_reads += reads;
    c->read_squares += (uint64_t)reads * reads;
    c->read_bins[reads < FB_READS_APART ? reads : FB_READS_APART - 1]++;
    c->engine.read_hash = p->read_hash;
    return reads;
}
