#include "workloads/core/trace_tree.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "filters/hash/hash.h"
#include "workloads/core/memtable.h"
#include "workloads/core/tree_build.h"
#include "workloads/core/tree_plan.h"

/* ---- Runs on their way ---- */

struct entry {
    uint64_t member; /* as in fb_run.member */
    uint64_t bytes;
};

struct part {
    struct entry *entry; /* [n] ascending, owned */
    uint64_t n, bytes;
    unsigned level;
    bool memtable;
};

struct replay {
    const struct fb_trace *trace;
    const struct fb_tree_shape *shape;
    uint64_t memtable_bytes, pending; /* bytes put since the last flush */
    struct fb_trace_tree *out;
    struct fb_memtable memtable; /* values are numbers of operations */
    struct part part[FB_MAX_RUNS + 1];
    size_t n_parts;
    const char *why;
};

static uint64_t index_of(const struct entry *e)
{
    return e->member & ~FB_MEMBER_TOMBSTONE;
}

static void push_entry(struct part *p, struct entry e)
{
    p->entry[p->n++] = e;
    p->bytes += e.bytes;
}

/* One run of two, the newest entry of each key. */
static enum fb_err merge(const struct part *newer, const struct part *older, struct part *out)
{
    *out = (struct part){.entry = malloc((size_t)(newer->n + older->n + 1) * sizeof *out->entry)};
    if (!out->entry)
        return FB_ENOMEM;
    uint64_t a = 0, b = 0;
    while (a < newer->n || b < older->n) {
        bool take_newer = b == older->n || (a < newer->n && index_of(&newer->entry[a]) <=
                                                                index_of(&older->entry[b]));
        if (take_newer && b < older->n && index_of(&newer->entry[a]) == index_of(&older->entry[b]))
            b++;
        push_entry(out, take_newer ? newer->entry[a++] : older->entry[b++]);
    }
    return FB_OK;
}

static void drop_tombstones(struct part *p)
{
    uint64_t n = p->n;
    p->n = p->bytes = 0;
    for (uint64_t i = 0; i < n; i++)
        if (!(p->entry[i].member & FB_MEMBER_TOMBSTONE))
            push_entry(p, p->entry[i]);
}

static void remove_part(struct replay *r, size_t at)
{
    free(r->part[at].entry);
    memmove(r->part + at, r->part + at + 1, (--r->n_parts - at) * sizeof *r->part);
}

/* Parts first .. end - 1 become one of `level`. */
static enum fb_err merge_parts(struct replay *r, size_t first, size_t end, unsigned level)
{
    bool several = end - first > 1; /* one alone just moves */
    for (; end - first > 1; end--) {
        struct part merged;
        enum fb_err err = merge(&r->part[end - 2], &r->part[end - 1], &merged);
        if (err)
            return err;
        remove_part(r, end - 1);
        free(r->part[end - 2].entry);
        r->part[end - 2] = merged;
    }
    struct part *p = &r->part[first];
    p->level = level;
    if (end == r->n_parts)
        drop_tombstones(p);
    r->out->n_merges += several;
    r->out->entries_written += several ? p->n : 0;
    if (!p->n)
        remove_part(r, first);
    return FB_OK;
}

/* ---- Compaction ---- */

static bool is_full(const struct replay *r, unsigned level, const struct part *p, size_t n)
{
    if (level == 0)
        return n >= r->shape->l0;
    if (r->shape->style == FB_TIERED)
        return (double)n >= r->shape->ratio;
    double room = (double)r->memtable_bytes * r->shape->l0;
    for (unsigned i = 0; i < level; i++)
        room *= r->shape->ratio;
    return n && (double)p->bytes > room;
}

static enum fb_err compact(struct replay *r)
{
    enum fb_err err = FB_OK;
    for (size_t first = 0; !err && first < r->n_parts;) {
        unsigned level = r->part[first].level;
        size_t end = first;
        while (end < r->n_parts && r->part[end].level == level)
            end++;
        size_t n = end - first;
        if (!is_full(r, level, &r->part[first], n)) {
            first = end;
            continue;
        }
        if (r->shape->style == FB_LEVELED && end < r->n_parts && r->part[end].level == level + 1)
            end++;
        err = merge_parts(r, first, end, level + 1);
    }
    return err;
}

/* ---- The memtable ---- */

static struct entry entry_of(const struct replay *r, uint64_t number)
{
    const struct fb_trace_op *op = &r->trace->ops[number];
    bool put = op->kind == FB_TRACE_PUT;
    double bytes = (double)(fb_key_len(&r->trace->keys.keys, op->key) + (put ? op->size : 0)) +
                   r->shape->entry_overhead;
    return (struct entry){r->out->index[op->key] | (put ? 0 : FB_MEMBER_TOMBSTONE),
                          (uint64_t)bytes};
}

static enum fb_err push_memtable(struct replay *r, bool flushed)
{
    const size_t n = fb_memtable_n(&r->memtable);
    struct part p = {.memtable = !flushed};
    if (!n)
        return FB_OK;
    if (r->n_parts == FB_MAX_RUNS) {
        r->why = "l0, ratio or memtable_bytes: the trace makes more than 1024 runs";
        return FB_EINVAL;
    }
    p.entry = malloc(n * sizeof *p.entry);
    if (!p.entry)
        return FB_ENOMEM;
    for (uint32_t i = fb_memtable_first(&r->memtable); i; i = fb_memtable_next(&r->memtable, i))
        push_entry(&p, entry_of(r, fb_memtable_value(&r->memtable, i)));
    memmove(r->part + 1, r->part, r->n_parts++ * sizeof *r->part);
    r->part[0] = p;
    fb_memtable_clear(&r->memtable);
    r->pending = 0;
    return FB_OK;
}

static enum fb_err put(struct replay *r, uint64_t number)
{
    const struct fb_keys *keys = &r->trace->keys.keys;
    uint32_t key = r->trace->ops[number].key;
    bool is_new;
    enum fb_err err =
        fb_memtable_put(&r->memtable, fb_key_at(keys, key), fb_key_len(keys, key), number, &is_new);
    if (err)
        return err;
    r->out->entries_put++;
    r->pending += entry_of(r, number).bytes;
    if (r->pending < r->memtable_bytes)
        return FB_OK;
    r->out->n_flushes++;
    r->out->entries_written += fb_memtable_n(&r->memtable);
    err = push_memtable(r, true);
    return err ? err : compact(r);
}

static enum fb_err replay_ops(struct replay *r)
{
    enum fb_err err = FB_OK;
    for (size_t i = 0; !err && i < r->trace->n_ops; i++) {
        const struct fb_trace_op *op = &r->trace->ops[i];
        if (op->kind == FB_TRACE_GET)
            r->out->get[r->out->n_gets++] = r->out->index[op->key];
        else if (op->kind == FB_TRACE_PUT || op->kind == FB_TRACE_DELETE)
            err = put(r, i);
    }
    if (!err)
        err = push_memtable(r, false);
    if (!err && !r->n_parts) {
        r->why = "trace: nothing is in the tree at its end; it needs puts";
        err = FB_EINVAL;
    }
    return err;
}

/* ---- Places of keys ---- */

static bool same_key(const struct fb_keys *a, size_t i, const struct fb_keys *b, size_t j)
{
    size_t len = fb_key_len(a, i);
    return len == fb_key_len(b, j) && !memcmp(fb_key_at(a, i), fb_key_at(b, j), len);
}

/* index[i]: where key i stands among the sorted ones; by a table of their numbers + 1. */
static enum fb_err find_indices(const struct fb_keys *keys, const struct fb_keys *sorted,
                                uint64_t *index)
{
    uint64_t size = 16;
    while (size < 2 * sorted->n)
        size *= 2;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return FB_ENOMEM;
    for (size_t i = 0; i < sorted->n; i++) {
        uint64_t slot = fb_xxh64(fb_key_at(sorted, i), fb_key_len(sorted, i), 0) & (size - 1);
        while (table[slot])
            slot = (slot + 1) & (size - 1);
        table[slot] = (uint32_t)(i + 1);
    }
    for (size_t i = 0; i < keys->n; i++) {
        uint64_t slot = fb_xxh64(fb_key_at(keys, i), fb_key_len(keys, i), 0) & (size - 1);
        while (!same_key(keys, i, sorted, table[slot] - 1))
            slot = (slot + 1) & (size - 1);
        index[i] = table[slot] - 1;
    }
    free(table);
    return FB_OK;
}

static enum fb_err number_keys(const struct fb_trace *trace, struct fb_trace_tree *out)
{
    const struct fb_keys *keys = &trace->keys.keys;
    size_t n_repeats;
    enum fb_err err = fb_keyset_sorted(keys, &out->keys, &n_repeats);
    out->index = malloc((keys->n + 1) * sizeof *out->index);
    out->get = malloc((trace->n_ops + 1) * sizeof *out->get);
    if (!err && (!out->index || !out->get))
        err = FB_ENOMEM;
    if (!err)
        err = find_indices(keys, &out->keys.keys, out->index);
    const size_t n = out->keys.keys.n;
    out->space = (struct fb_keyspace){
        .file = &out->keys.keys, .order = FB_ORDER_DENSE, .n_present = n, .size = n};
    for (size_t i = 0; !err && i < n; i++)
        if (fb_key_len(&out->keys.keys, i) > out->space.max_len)
            out->space.max_len = fb_key_len(&out->keys.keys, i);
    return err;
}

/* ---- The tree ---- */

static enum fb_err take_run(const struct fb_tree_plan *plan, enum fb_filter_unit unit,
                            const struct part *p, struct fb_run *run)
{
    *run = (struct fb_run){.level = p->level, .memtable = p->memtable, .n_keys = p->n};
    run->member = malloc((size_t)(p->n + FB_RUN_PADDING) * sizeof *run->member);
    if (!run->member)
        return FB_ENOMEM;
    for (uint64_t i = 0; i < p->n; i++) {
        run->member[i] = p->entry[i].member;
        run->n_tombstones += p->entry[i].member >> 63;
    }
    bool one_file = p->level == 0, one_unit = p->memtable || unit == FB_UNIT_FILE;
    fb_run_cut(run, one_file ? 1 : fb_divide_up(p->n, plan->segment_keys),
               one_unit ? 0 : plan->unit_keys);
    return fb_run_index(run);
}

static enum fb_err take_runs(struct replay *r)
{
    struct fb_tree *t = &r->out->tree;
    uint64_t n_keys = 0, bytes = 0;
    for (size_t i = 0; i < r->n_parts; i++) {
        n_keys += r->part[i].n;
        bytes += r->part[i].bytes;
    }
    struct fb_tree_plan plan;
    struct fb_tree_shape mean = *r->shape; /* entries as they are on average */
    mean.style = FB_FLAT;
    mean.n_runs = 1;
    mean.memtables = 0;
    mean.key_bytes = mean.entry_overhead = 0;
    mean.value_bytes = bytes ? (double)bytes / (double)n_keys : 1;
    enum fb_err err = fb_tree_plan(&mean, n_keys, &plan, &r->why);
    if (err)
        return err;
    t->runs = calloc(r->n_parts, sizeof *t->runs);
    if (!t->runs)
        return FB_ENOMEM;
    t->space = &r->out->space;
    t->unit_keys = plan.unit_keys;
    t->whole_unit_keys = plan.whole_unit_keys;
    t->n_levels = r->part[r->n_parts - 1].level + 1;
    for (; !err && t->n_runs < r->n_parts; t->n_runs++)
        err = take_run(&plan, r->shape->unit, &r->part[t->n_runs], &t->runs[t->n_runs]);
    for (size_t i = 0; !err && i < t->n_runs; i++)
        fb_tree_count(t, &t->runs[i]);
    return err;
}

static const char *check(const struct fb_tree_shape *shape, uint64_t memtable_bytes)
{
    if (shape->style != FB_LEVELED && shape->style != FB_TIERED)
        return "style: accepted for a trace are leveled and tiered";
    if (!(shape->ratio > 1 && shape->ratio <= 0x1p20))
        return "ratio: T must be above 1, at most 2^20";
    if (shape->l0 < 1 || shape->l0 > FB_MAX_RUNS)
        return "l0: accepted for a trace are 1 to 1024 runs";
    if (!(shape->entry_overhead >= 0 && shape->entry_overhead <= 0x1p30))
        return "entry_overhead: accepted are 0 to 2^30";
    return memtable_bytes ? NULL : "memtable_bytes: at least 1";
}

enum fb_err fb_tree_of_trace(const struct fb_trace *trace, const struct fb_tree_shape *shape,
                             uint64_t memtable_bytes, struct fb_trace_tree *out, const char **why)
{
    memset(out, 0, sizeof *out);
    *why = check(shape, memtable_bytes);
    if (*why)
        return FB_EINVAL;
    struct replay *r = calloc(1, sizeof *r);
    if (!r)
        return FB_ENOMEM;
    r->trace = trace;
    r->shape = shape;
    r->memtable_bytes = memtable_bytes;
    r->out = out;
    enum fb_err err = number_keys(trace, out);
    if (!err)
        err = replay_ops(r);
    if (!err)
        err = take_runs(r);
    *why = r->why;
    for (size_t i = 0; i < r->n_parts; i++)
        free(r->part[i].entry);
    fb_memtable_close(&r->memtable);
    free(r);
    if (err)
        fb_trace_tree_close(out);
    return err;
}

void fb_trace_tree_close(struct fb_trace_tree *t)
{
    fb_tree_close(&t->tree);
    fb_keyset_close(&t->keys);
    free(t->index);
    free(t->get);
    memset(t, 0, sizeof *t);
}
