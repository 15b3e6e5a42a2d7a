#include <stdlib.h>
#include <string.h>

#include "workloads/core/memtable.h"
#include "workloads/core/tree.h"

struct filling {
    const struct fb_tree *tree;
    size_t run;
    struct fb_memtable *memtable;
    uint8_t *key; /* [space->max_len], owned */
    enum fb_err err;
};

static void put(void *arg, size_t unit, uint64_t index)
{
    struct filling *f = arg;
    (void)unit;
    bool is_new, tombstone;
    fb_run_holds(f->tree, f->run, index, &tombstone);
    size_t len = fb_keyspace_write(f->tree->space, index, f->key);
    if (!f->err)
        f->err = fb_memtable_put(f->memtable, f->key, len,
                                 index | (tombstone ? FB_MEMBER_TOMBSTONE : 0), &is_new);
}

enum fb_err fb_memtable_fill(struct fb_memtable *m, const struct fb_tree *tree, size_t run)
{
    struct filling f = {tree, run, m, malloc(tree->space->max_len + 1), FB_OK};
    if (!f.key)
        return FB_ENOMEM;
    fb_run_each(tree, run, 0, fb_run_units(&tree->runs[run]), put, &f);
    free(f.key);
    return f.err;
}

enum fb_err fb_memtables_fill(const struct fb_tree *tree, uint64_t most_keys,
                              struct fb_memtables *out)
{
    size_t n = 0;
    uint64_t n_keys = 0;
    enum fb_err err = FB_OK;
    memset(out, 0, sizeof *out);
    for (; n < tree->n_runs && tree->runs[n].memtable; n++)
        n_keys += tree->runs[n].n_keys;
    if (!n || n_keys > most_keys)
        return FB_OK;
    out->table = calloc(n, sizeof *out->table);
    if (!out->table)
        return FB_ENOMEM;
    for (; !err && out->n < n; out->n++) {
        out->table[out->n].stream = out->n;
        err = fb_memtable_fill(&out->table[out->n], tree, out->n);
    }
    if (err)
        fb_memtables_close(out);
    return err;
}

void fb_memtables_close(struct fb_memtables *m)
{
    for (size_t i = 0; i < m->n; i++)
        fb_memtable_close(&m->table[i]);
    free(m->table);
    memset(m, 0, sizeof *m);
}
