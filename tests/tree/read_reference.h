/* A counted read path written as simply as possible: query by query, run by run, a list of blocks
 * as the cache. */
#ifndef FILTERBENCH_TESTS_TREE_READ_REFERENCE_H
#define FILTERBENCH_TESTS_TREE_READ_REFERENCE_H

#include "tests/tree/scene.h"

#include <stdlib.h>

enum { MAX_CACHED = 20000 };

/* Blocks in memory, the one touched last at the end. */
struct memory {
    uint64_t capacity, bytes;
    struct held {
        size_t run, segment;
        uint64_t number, bytes;
        char kind;
    } at[MAX_CACHED];
    size_t n;
};

static inline void forget(struct memory *m, size_t i)
{
    m->bytes -= m->at[i].bytes;
    memmove(m->at + i, m->at + i + 1, (--m->n - i) * sizeof *m->at);
}

static inline bool was_there(struct memory *m, struct held block)
{
    bool hit = false;
    for (size_t i = 0; !hit && i < m->n; i++)
        if (m->at[i].run == block.run && m->at[i].segment == block.segment &&
            m->at[i].number == block.number && m->at[i].kind == block.kind) {
            forget(m, i);
            hit = true;
        }
    if (block.bytes > m->capacity)
        return false;
    while (m->bytes + block.bytes > m->capacity)
        forget(m, 0);
    m->at[m->n++] = block;
    m->bytes += block.bytes;
    return hit;
}

struct reference {
    const struct scene *scene;
    const struct fb_read_spec *spec;
    struct memory memory;
    struct fb_read_counts c;
    uint64_t reads; /* of the query */
    struct fb_memtable memtable[2];
};

static inline bool read_block(struct reference *ref, struct held block)
{
    if (was_there(&ref->memory, block))
        return false;
    ref->reads++;
    ref->c.read_bytes += block.bytes;
    return true;
}

static inline void read_filter(struct reference *ref, size_t run, const struct fb_place *at)
{
    const struct fb_run *r = ref->scene->tree.runs + run;
    struct held block = {.run = run, .segment = at->segment, .kind = 'f'};
    for (size_t u = 0; u < r->units_per_segment; u++)
        block.bytes +=
            ref->scene->forest.filters[r->first_unit + at->segment * r->units_per_segment + u]
                .geom.n_bytes;
    if (ref->spec->filters == FB_PARTITIONED) {
        block.number = block.bytes * at->rank / (at->segment_keys + 1) / 4096;
        uint64_t left = block.bytes - block.number * 4096;
        block.bytes = left < 4096 ? left : 4096;
    }
    ref->c.filter_blocks++;
    ref->c.read_filter += read_block(ref, block);
}

/* What a search of the memtable of run r finds is what arithmetic says. */
static inline void search(struct reference *ref, size_t r, const struct fb_keys *keys, bool holds)
{
    uint64_t value;
    bool found = fb_memtable_get(&ref->memtable[r], fb_key_at(keys, 0), fb_key_len(keys, 0), &value,
                                 &ref->c.memtable_comparisons);
    assert_true(found == holds);
}

/* Query q; key with its digest. */
static inline void walk(struct reference *ref, const struct fb_query *q, const struct fb_keys *keys,
                        const uint64_t *digest)
{
    const struct scene *s = ref->scene;
    struct fb_read_counts *c = &ref->c;
    uint64_t asked = 0, in_vain = 0;
    size_t holder = q->holder;
    ref->reads = 0;
    for (size_t r = 0; r < s->tree.n_runs; r++) {
        const struct fb_run *run = s->tree.runs + r;
        struct fb_place at;
        c->run[r].reached++;
        if (run->memtable) {
            c->memtable_searches++;
            if (ref->spec->memtables)
                search(ref, r, keys, holder == r);
            if (holder != r)
                continue;
            c->memtable_found++;
            c->run[r].held++;
            break;
        }
        c->range_checks++;
        if (!fb_run_locate(run, q->index, &at)) {
            c->pruned++;
            continue;
        }
        c->run[r].asked++;
        const struct fb_filter *f = s->forest.filters + run->first_unit + at.unit;
        if (s->params[r].bits_per_key > 0) {
            asked++;
            if (ref->spec->filters != FB_PINNED)
                read_filter(ref, r, &at);
            if (!f->kernel->query(f, digest)) {
                c->false_negatives += holder == r;
                holder = holder == r ? SIZE_MAX : holder;
                continue;
            }
        }
        uint64_t per_block = (uint64_t)(4096 / ref->spec->entry_bytes);
        if (ref->spec->index == FB_CACHED) {
            uint64_t blocks = (at.segment_keys + per_block - 1) / per_block;
            c->index_blocks++;
            c->read_index += read_block(
                ref,
                (struct held){.run = r, .segment = at.segment, .bytes = blocks * 30, .kind = 'i'});
        }
        uint64_t rank = at.rank == at.segment_keys ? at.rank - 1 : at.rank;
        bool read = read_block(ref, (struct held){.run = r,
                                                  .segment = at.segment,
                                                  .number = rank / per_block,
                                                  .bytes = 4096,
                                                  .kind = 'd'});
        if (holder == r) {
            *(q->tombstone ? &c->data_tombstone : &c->data_found) += 1;
            *(q->tombstone ? &c->read_tombstone : &c->read_found) += read;
            c->run[r].held++;
            break;
        }
        in_vain++;
        c->run[r].wrong++;
        c->data_false++;
        c->read_false += read;
    }
    c->queries++;
    bool absent = q->holder >= s->tree.n_runs;
    c->absent += absent;
    c->deleted += !absent && q->tombstone;
    c->present += !absent && !q->tombstone;
    c->asked += asked;
    c->io_squares += ref->reads * ref->reads;
    c->any_false += absent && in_vain;
    c->false_squares += absent ? in_vain * in_vain : 0;
    c->asked_histogram[asked > 64 ? 64 : asked]++;
    c->io_histogram[ref->reads > 64 ? 64 : ref->reads]++;
}

static inline void reference_run(const struct scene *s, const struct fb_read_spec *spec,
                                 uint64_t warm, uint64_t n, struct fb_read_counts *out)
{
    struct reference *ref = calloc(1, sizeof *ref);
    uint64_t digest[64];
    struct fb_keyset keys = {0};
    struct fb_query q;
    ref->scene = s;
    ref->spec = spec;
    ref->memory.capacity = spec->policy == FB_CACHE_NONE ? 0 : spec->cache_bytes;
    assert_int_equal(fb_read_counts_open(s->tree.n_runs, &ref->c), FB_OK);
    for (size_t r = 0; spec->memtables && r < 2; r++) {
        ref->memtable[r].stream = r;
        assert_int_equal(fb_memtable_fill(&ref->memtable[r], &s->tree, r), FB_OK);
    }
    for (uint64_t i = 0; i < warm + n; i++) {
        if (i == warm) {
            fb_read_counts_close(&ref->c);
            assert_int_equal(fb_read_counts_open(s->tree.n_runs, &ref->c), FB_OK);
        }
        assert_int_equal(fb_queries_make(&s->queries, i, 1, &q, &keys), FB_OK);
        assert_int_equal(fb_forest_digest(&s->forest, &keys.keys, digest), FB_OK);
        walk(ref, &q, &keys.keys, digest);
        if (spec->evict_every > 0 && (i + 1) % (uint64_t)spec->evict_every == 0) {
            double dropped = 0;
            while (ref->memory.n && dropped < spec->evict_share * (double)spec->cache_bytes) {
                dropped += (double)ref->memory.at[0].bytes;
                forget(&ref->memory, 0);
            }
        }
    }
    *out = ref->c;
    for (size_t r = 0; r < 2; r++)
        fb_memtable_close(&ref->memtable[r]);
    fb_keyset_close(&keys);
    free(ref);
}

#define SAME_ARRAY(a, b, n) assert_memory_equal(a, b, (n) * sizeof *(a))

static inline void assert_same_counts(const struct fb_read_counts *a,
                                      const struct fb_read_counts *b)
{
    assert_true(a->n_runs == b->n_runs);
    SAME_ARRAY(&a->queries, &b->queries, offsetof(struct fb_read_counts, run) / sizeof(uint64_t));
    SAME_ARRAY(a->run, b->run, a->n_runs);
}

static inline void assert_equals_walk(const struct scene *s, const struct fb_read_spec *spec,
                                      uint64_t warm, uint64_t n, unsigned threads,
                                      struct fb_read_counts *counts)
{
    struct fb_read_counts expected;
    bool complete;
    reference_run(s, spec, warm, n, &expected);
    const struct fb_ask ask = scene_queries(s, warm, n, threads);
    assert_int_equal(fb_read_path_count(&ask, spec, counts, &complete), FB_OK);
    assert_true(complete);
    assert_same_counts(counts, &expected);
    assert_true(counts->queries == n && counts->absent + counts->present + counts->deleted == n);
    fb_read_counts_close(&expected);
}

#endif
