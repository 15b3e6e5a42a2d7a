#include "workloads/core/queries.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/core/rng.h"

static double unit_of(uint64_t word)
{
    return (double)(word >> 11) * 0x1p-53;
}

/* The first run whose cumulative share exceeds u. */
static size_t draw_run(const struct fb_queries *q, double u)
{
    size_t low = 0, high = q->tree->n_runs - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (q->run_share[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---- Which key ---- */

/* Keys of the run are drawn until one is met whose newest version is here. */
static void present_of_run(const struct fb_queries *q, uint64_t i, size_t run, struct fb_query *out)
{
    enum { ATTEMPTS = 256 };
    const struct fb_run *r = &q->tree->runs[run];
    const struct fb_items *items = &q->items[run];
    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        uint64_t stream = attempt ? fb_stream_word(~q->popular, attempt) : q->popular;
        uint64_t rank = fb_popularity_rank(&items->popularity, stream, i + attempt);
        out->index = fb_run_key(q->tree, run, fb_item_of(items, rank, r->n_own));
        out->holder = (uint32_t)fb_tree_holder(q->tree, out->index, &out->tombstone);
        if (out->holder == run)
            break;
    }
}

static void present(const struct fb_queries *q, uint64_t i, struct fb_query *out)
{
    if (q->run_share) {
        present_of_run(q, i, draw_run(q, unit_of(fb_stream_word(~q->stream, i))), out);
    } else {
        uint64_t n = q->tree->space->n_present;
        uint64_t rank = fb_popularity_rank(&q->items->popularity, q->popular, i);
        out->index = fb_keyspace_index(q->tree->space, fb_item_of(q->items, rank, n));
        out->holder = (uint32_t)fb_tree_holder(q->tree, out->index, &out->tombstone);
    }
    out->absent = out->tombstone;
}

/* ---- Setting up ---- */

static enum fb_err present_init(struct fb_queries *q, uint64_t root, const char **why)
{
    const struct fb_tree *t = q->tree;
    bool by_run = q->spec.holder != FB_BY_POPULARITY;
    q->run_live = calloc(t->n_runs + 1, sizeof *q->run_live);
    q->items = calloc(by_run ? t->n_runs + 1 : 1, sizeof *q->items);
    if (by_run)
        q->run_share = calloc(t->n_runs + 1, sizeof *q->run_share);
    if (!q->run_live || !q->items || (by_run && !q->run_share))
        return FB_ENOMEM;
    enum fb_err err = fb_holders_init(q, why);
    if (err)
        return err;
    if (!by_run) {
        fb_items_init(q->items, &q->spec.popularity, t->space->n_present,
                      fb_stream_key(root, FB_DOMAIN_RANKS, 0));
        return FB_OK;
    }
    for (size_t j = 0; j < t->n_runs; j++)
        fb_items_init(&q->items[j], &q->spec.popularity, t->runs[j].n_keys,
                      fb_stream_key(root, FB_DOMAIN_RANKS, j));
    return FB_OK;
}

static enum fb_err absent_init(struct fb_queries *q, const char **why)
{
    size_t max_len = fb_absent_max_len(q->tree->space);
    uint8_t *buffers = malloc(2 * max_len);
    if (!buffers)
        return FB_ENOMEM;
    *why = fb_absent_init(q, buffers, buffers + max_len);
    free(buffers);
    return *why ? FB_EINVAL : FB_OK;
}

static unsigned last_level(const struct fb_tree *t)
{
    unsigned last = 0;
    for (size_t j = 0; j < t->n_runs; j++)
        if (!t->runs[j].memtable && t->runs[j].level > last)
            last = t->runs[j].level;
    return last;
}

enum fb_err fb_queries_init(const struct fb_query_spec *spec, const struct fb_tree *tree,
                            uint64_t root, struct fb_queries *out, const char **why)
{
    *out = (struct fb_queries){
        .spec = *spec,
        .tree = tree,
        .stream = fb_stream_key(root, FB_DOMAIN_QUERIES, 0),
        .popular = fb_stream_key(root, FB_DOMAIN_POPULAR, 0),
        .n_slots = UINT64_C(1) << 63,
    };
    *why = NULL;
    if (!(spec->absent >= 0 && spec->absent <= 1)) {
        *why = "the share of absent keys lies between 0 and 1";
        return FB_EINVAL;
    }
    if (spec->holder == FB_RECENT && !(spec->recent_ratio >= 1)) {
        *why = "the ratio of recent holders is at least 1";
        return FB_EINVAL;
    }
    if (spec->level == UINT_MAX)
        out->spec.level = last_level(tree);
    enum fb_err err = FB_OK;
    if (spec->given)
        err = fb_given_init(out, why);
    else if (spec->absent < 1)
        err = present_init(out, root, why);
    if (!err && !spec->given && spec->absent > 0)
        err = absent_init(out, why);
    if (err)
        fb_queries_close(out);
    return err;
}

void fb_queries_close(struct fb_queries *q)
{
    free(q->run_share);
    free(q->run_live);
    free(q->items);
    memset(q, 0, sizeof *q);
}

/* ---- Queries ---- */

static bool drawn_absent(const struct fb_queries *q, uint64_t i)
{
    if (q->spec.absent >= 1)
        return true;
    uint64_t share = (uint64_t)(q->spec.absent * 0x1p64);
    uint64_t pass = i / q->n_slots, slot = i % q->n_slots;
    return fb_stream_word(q->stream, slot) - pass * share < share;
}

static void given(const struct fb_queries *q, uint64_t i, struct fb_query *out)
{
    out->index = q->spec.given[i % q->spec.n_given];
    out->tombstone = false;
    out->holder = (uint32_t)fb_tree_holder(q->tree, out->index, &out->tombstone);
    out->absent = out->tombstone || out->holder == q->tree->n_runs;
}

/* Room for n keys of at most max_len bytes; what was there may stay. */
static enum fb_err reserve(struct fb_keyset *keys, size_t n, size_t max_len)
{
    if (n >= SIZE_MAX / sizeof *keys->offset || (max_len && n > SIZE_MAX / max_len))
        return FB_ENOMEM;
    uint8_t *bytes = realloc(keys->bytes, n * max_len + 1);
    if (bytes)
        keys->bytes = bytes;
    uint64_t *offset = realloc(keys->offset, (n + 1) * sizeof *offset);
    if (offset)
        keys->offset = offset;
    keys->keys = (struct fb_keys){.bytes = keys->bytes, .offset = keys->offset};
    if (!bytes || !offset)
        return FB_ENOMEM;
    offset[0] = 0;
    return FB_OK;
}

enum fb_err fb_queries_make(const struct fb_queries *q, uint64_t first, size_t n,
                            struct fb_query *out, struct fb_keyset *keys)
{
    const struct fb_keyspace *space = q->tree->space;
    size_t max_len = fb_absent_max_len(space);
    uint8_t *scratch = malloc(max_len);
    enum fb_err err = scratch ? reserve(keys, n, max_len) : FB_ENOMEM;
    for (size_t i = 0; !err && i < n; i++) {
        uint8_t *key = keys->bytes + keys->offset[i];
        size_t len;
        if (q->spec.given) {
            given(q, first + i, &out[i]);
            len = fb_keyspace_write(space, out[i].index, key);
        } else if (drawn_absent(q, first + i)) {
            out[i] = (struct fb_query){.holder = (uint32_t)q->tree->n_runs, .absent = true};
            len = fb_absent_make(q, first + i, &out[i].index, key, scratch);
        } else {
            present(q, first + i, &out[i]);
            len = fb_keyspace_write(space, out[i].index, key);
        }
        if (len == SIZE_MAX)
            err = FB_EINVAL;
        keys->offset[i + 1] = keys->offset[i] + (err ? 0 : len);
        keys->keys.n = i + 1;
    }
    free(scratch);
    return err;
}
