/* Filters over the prefixes of keys: how many entries a unit has shows once its keys are sorted, so
 * each filter is built aside and moved into the arena when all sizes are known. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/tree/forest_build.h"

enum { GROUP_KEYS = 1 << 20 };

/* Some units of one run, built together. */
struct group {
    size_t run, first_unit, n_units; /* units of the run */
};

struct prefixed {
    struct fb_forest_build *b;
    struct group *groups;
    size_t n_groups;
    uint8_t **bits; /* [n_units] of the tree; owned, and so are they */
};

/* ---- Keys of a group ---- */

struct gathered {
    uint64_t *index; /* in the order in which they come, owned */
    uint32_t *unit;  /* of the group, owned */
    size_t first_unit, n, room;
    bool failed;
    uint64_t *by_unit; /* indices of unit u from start[u] to start[u + 1], both owned */
    size_t *start;
};

static void gathered_close(struct gathered *g)
{
    free(g->index);
    free(g->unit);
    free(g->by_unit);
    free(g->start);
}

static void gather(void *arg, size_t unit, uint64_t index)
{
    struct gathered *g = arg;
    if (g->n == g->room) {
        size_t room = g->room ? 2 * g->room : 4096;
        uint64_t *indices = realloc(g->index, room * sizeof *indices);
        g->index = indices ? indices : g->index;
        uint32_t *units = realloc(g->unit, room * sizeof *units);
        g->unit = units ? units : g->unit;
        g->failed |= !indices || !units;
        g->room = g->failed ? g->room : room;
    }
    if (g->failed)
        return;
    g->index[g->n] = index;
    g->unit[g->n++] = (uint32_t)(unit - g->first_unit);
}

/* Puts them in the order of units. */
static enum fb_err order_units(struct gathered *g, size_t n_units)
{
    g->start = calloc(n_units + 2, sizeof *g->start);
    g->by_unit = malloc((g->n + 1) * sizeof *g->by_unit);
    if (g->failed || !g->start || !g->by_unit)
        return FB_ENOMEM;
    for (size_t i = 0; i < g->n; i++)
        g->start[g->unit[i] + 2]++;
    for (size_t u = 0; u < n_units; u++)
        g->start[u + 2] += g->start[u + 1];
    for (size_t i = 0; i < g->n; i++)
        g->by_unit[g->start[g->unit[i] + 1]++] = g->index[i];
    return FB_OK;
}

/* The keys of n indices, ascending. */
static enum fb_err sorted_keys(const struct fb_keyspace *space, const uint64_t *index, size_t n,
                               struct fb_keyset *out)
{
    struct fb_keyset all;
    size_t n_dropped;
    enum fb_err err = fb_keyset_alloc(n, n * (uint64_t)space->max_len, false, &all);
    uint8_t *key = malloc(space->max_len + 1);
    if (!err && !key)
        err = FB_ENOMEM;
    for (size_t i = 0; !err && i < n; i++)
        fb_keyset_push(&all, key, fb_keyspace_write(space, index[i], key), FB_KEY_BYTES);
    if (!err)
        err = fb_keyset_sorted(&all.keys, out, &n_dropped);
    fb_keyset_close(&all);
    free(key);
    return err;
}

/* ---- Filters ---- */

static enum fb_err build_unit(struct prefixed *p, size_t run, size_t unit, const uint64_t *index,
                              size_t n)
{
    struct fb_forest_build *b = p->b;
    struct fb_filter *f = b->forest->filters + unit;
    struct fb_keyset keys;
    const char *why = NULL;
    enum fb_err err = n ? sorted_keys(b->tree->space, index, n, &keys) : FB_OK;
    if (err || !n)
        return err;
    err = fb_prefix_filter(b->spec->prefix, b->spec->design, b->spec->hash, b->spec->params + run,
                           &keys.keys, f, &why);
    if (err)
        fb_forest_explain(b, why);
    b->hashes[unit] = fb_xxh64(f->bytes, (size_t)f->geom.n_bytes, 0);
    p->bits[unit] = f->bytes;
    fb_keyset_close(&keys);
    return err;
}

static enum fb_err build_group(void *arg, size_t i)
{
    struct prefixed *p = arg;
    struct fb_forest_build *b = p->b;
    const struct group at = p->groups[i];
    struct gathered g = {.first_unit = at.first_unit};
    fb_run_each(b->tree, at.run, at.first_unit, at.n_units, gather, &g);
    enum fb_err err = order_units(&g, at.n_units);
    for (size_t u = 0; !err && u < at.n_units; u++)
        err = build_unit(p, at.run, b->runs[at.run].first_unit + at.first_unit + u,
                         g.by_unit + g.start[u], g.start[u + 1] - g.start[u]);
    if (b->progress)
        fb_progress_add(b->progress, g.n, "building filters");
    gathered_close(&g);
    return err;
}

/* ---- All of them ---- */

static enum fb_err make_groups(struct prefixed *p)
{
    const struct fb_forest_build *b = p->b;
    p->groups = calloc(b->tree->n_units + 1, sizeof *p->groups);
    p->bits = calloc(b->tree->n_units + 1, sizeof *p->bits);
    if (!p->groups || !p->bits)
        return FB_ENOMEM;
    for (size_t run = 0; run < b->tree->n_runs; run++) {
        const struct fb_forest_run *r = b->runs + run;
        const uint64_t groups = b->tree->runs[run].n_keys / GROUP_KEYS + 1;
        const size_t each = (size_t)((r->n_units + groups - 1) / groups);
        for (size_t u = 0; r->n_slices && u < r->n_units; u += each)
            p->groups[p->n_groups++] =
                (struct group){run, u, r->n_units - u < each ? r->n_units - u : each};
    }
    return FB_OK;
}

enum fb_err fb_forest_fill_prefixed(struct fb_forest_build *b, bool *complete)
{
    struct prefixed p = {.b = b};
    const uint64_t empty = fb_xxh64(NULL, 0, 0);
    for (size_t u = 0; u < b->tree->n_units; u++)
        b->hashes[u] = empty;
    enum fb_err err = make_groups(&p);
    if (!err)
        err = fb_parallel_for(p.n_groups, b->n_threads, build_group, &p, complete);
    if (!err && *complete)
        err = fb_forest_lay_out(b);
    for (size_t u = 0; p.bits && u < b->tree->n_units; u++) {
        struct fb_filter *f = b->forest->filters + u;
        if (!err && *complete && p.bits[u])
            memcpy(f->bytes, p.bits[u], (size_t)f->geom.n_bytes);
        free(p.bits[u]);
    }
    fb_forest_checksum(b);
    free(p.groups);
    free(p.bits);
    return err;
}
