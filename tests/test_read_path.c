/* The counted read path against a walk written as simply as possible. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "harness/expectation.h"
#include "harness/read_path.h"

enum { MAX_CACHED = 20000 };

struct scene {
    struct fb_keyspace space;
    struct fb_tree tree;
    struct fb_params params[FB_MAX_RUNS];
    struct fb_forest forest;
    struct fb_queries queries;
};

static const struct fb_tree_shape small = {
    .style = FB_LEVELED,
    .key_bytes = 16,
    .value_bytes = 100,
    .entry_overhead = 8,
    .segment_bytes = 124 * 400,
    .ratio = 4,
    .levels = 3,
    .l0 = 3,
    .fill = 1,
    .updates = 0.2,
    .tombstones = 0.3,
    .memtables = 2,
    .memtable_keys = 300,
    .bits_per_key = 10,
    .scale = 1,
};
static const struct fb_query_spec half_absent = {
    .absent = 0.5, .holder = FB_BY_POPULARITY, .popularity = {.kind = FB_ZIPF, .theta = 0.8}};
static const struct fb_read_spec plain = {
    .block_bytes = 4096, .entry_bytes = 124, .index_entry_bytes = 30};

static void ask(struct scene *s, const struct fb_query_spec *spec, uint64_t root)
{
    const char *why = NULL;
    assert_int_equal(fb_queries_init(spec, &s->tree, root, &s->queries, &why), FB_OK);
}

static void open_scene(struct scene *s, const struct fb_tree_shape *shape, uint64_t list_limit,
                       const char *design, double bits_per_key, double last_bits)
{
    const char *why = NULL;
    uint64_t n_keys;
    bool complete;
    memset(s, 0, sizeof *s);
    assert_int_equal(fb_tree_n_keys(shape, &n_keys, &why), FB_OK);
    assert_true(n_keys < 200000);
    fb_keyspace_generate(fb_keygen_find("random"), FB_ORDER_SHUFFLE, n_keys, 5, &s->space);
    assert_int_equal(fb_tree_make(shape, &s->space, list_limit, &s->tree, &why), FB_OK);
    for (size_t r = 0; r < s->tree.n_runs; r++)
        s->params[r].bits_per_key = r + 1 < s->tree.n_runs ? bits_per_key : last_bits;
    const struct fb_forest_spec spec = {.design = fb_design_find(design), .params = s->params};
    assert_int_equal(
        fb_forest_build(&spec, &s->tree, UINT64_C(1) << 26, 1, NULL, &s->forest, &complete, &why),
        FB_OK);
}

static void close_scene(struct scene *s)
{
    fb_queries_close(&s->queries);
    fb_forest_close(&s->forest);
    fb_tree_close(&s->tree);
}

/* ---- The reference ---- */

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

static void forget(struct memory *m, size_t i)
{
    m->bytes -= m->at[i].bytes;
    memmove(m->at + i, m->at + i + 1, (--m->n - i) * sizeof *m->at);
}

static bool was_there(struct memory *m, struct held block)
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

static bool read_block(struct reference *ref, struct held block)
{
    if (was_there(&ref->memory, block))
        return false;
    ref->reads++;
    ref->c.read_bytes += block.bytes;
    return true;
}

static void read_filter(struct reference *ref, size_t run, const struct fb_place *at)
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
static void search(struct reference *ref, size_t r, const struct fb_keys *keys, bool holds)
{
    uint64_t value;
    bool found = fb_memtable_get(&ref->memtable[r], fb_key_at(keys, 0), fb_key_len(keys, 0), &value,
                                 &ref->c.memtable_comparisons);
    assert_true(found == holds);
}

/* Query q; key with its digest. */
static void walk(struct reference *ref, const struct fb_query *q, const struct fb_keys *keys,
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
        c->run_reached[r]++;
        if (run->memtable) {
            c->memtable_searches++;
            if (ref->spec->memtables)
                search(ref, r, keys, holder == r);
            if (holder != r)
                continue;
            c->memtable_found++;
            c->run_held[r]++;
            break;
        }
        c->range_checks++;
        if (!fb_run_locate(run, q->index, &at)) {
            c->pruned++;
            continue;
        }
        c->run_asked[r]++;
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
            c->run_held[r]++;
            break;
        }
        in_vain++;
        c->run_false[r]++;
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

static void reference_run(const struct scene *s, const struct fb_read_spec *spec, uint64_t warm,
                          uint64_t n, struct fb_read_counts *out)
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

static void assert_same_counts(const struct fb_read_counts *a, const struct fb_read_counts *b)
{
    assert_true(a->n_runs == b->n_runs);
    SAME_ARRAY(&a->queries, &b->queries,
               offsetof(struct fb_read_counts, run_reached) / sizeof(uint64_t));
    SAME_ARRAY(a->run_reached, b->run_reached, a->n_runs);
    SAME_ARRAY(a->run_asked, b->run_asked, a->n_runs);
    SAME_ARRAY(a->run_false, b->run_false, a->n_runs);
    SAME_ARRAY(a->run_held, b->run_held, a->n_runs);
    SAME_ARRAY(a->asked_histogram, b->asked_histogram, 65);
    SAME_ARRAY(a->io_histogram, b->io_histogram, 65);
}

static void check(const struct scene *s, const struct fb_read_spec *spec, uint64_t warm, uint64_t n,
                  unsigned threads, struct fb_read_counts *counts)
{
    struct fb_read_counts expected;
    bool complete;
    reference_run(s, spec, warm, n, &expected);
    assert_int_equal(
        fb_read_path_run(&s->forest, &s->queries, spec, warm, n, threads, NULL, counts, &complete),
        FB_OK);
    assert_true(complete);
    assert_same_counts(counts, &expected);
    assert_true(counts->queries == n && counts->absent + counts->present + counts->deleted == n);
    fb_read_counts_close(&expected);
}

static void equals_reference_without_cache(void **state)
{
    (void)state;
    for (int listed = 0; listed < 2; listed++)
        for (enum fb_filter_unit unit = FB_UNIT_FILE; unit <= FB_UNIT_PARTITION; unit++) {
            struct scene s;
            struct fb_read_counts c;
            struct fb_tree_shape shape = small;
            struct fb_read_spec spec = plain;
            shape.unit = unit;
            shape.segment_bytes *= unit == FB_UNIT_PARTITION ? 20 : 1;
            shape.l0 = unit == FB_UNIT_PARTITION ? 1 : 3;
            spec.filters = (enum fb_residency)unit; /* one each */
            spec.index = listed ? FB_CACHED : FB_PINNED;
            struct fb_memtables memtables;
            open_scene(&s, &shape, listed ? 1000000 : 0, "bloom-double", 8, listed ? 8 : -1);
            ask(&s, &half_absent, 1);
            const uint64_t n_keys = s.tree.runs[0].n_keys + s.tree.runs[1].n_keys;
            assert_int_equal(
                fb_memtables_fill(&s.tree, n_keys - (unit == FB_UNIT_BLOCK), &memtables), FB_OK);
            spec.memtables = memtables.n ? &memtables : NULL;
            check(&s, &spec, 0, 5000, 2, &c);
            assert_int_equal(memtables.n, unit == FB_UNIT_BLOCK ? 0 : 2);
            assert_in_range(c.memtable_comparisons, memtables.n ? 4 * c.memtable_searches : 0,
                            memtables.n ? 40 * c.memtable_searches : 0);
            fb_memtables_close(&memtables);
            assert_true(c.read_false > 100 && c.read_found > 1000 && c.deleted > 10);
            assert_true(c.memtable_found > 10 && !c.false_negatives);
            assert_true(c.read_false == c.data_false && c.read_filter == c.filter_blocks);
            fb_read_counts_close(&c);
            close_scene(&s);
        }
}

static void equals_reference_with_cache(void **state)
{
    (void)state;
    struct scene s;
    struct fb_tree_shape shape = small;
    shape.segment_bytes *= 20; /* filters of two partitions */
    shape.l0 = 1;
    open_scene(&s, &shape, 1000000, "bloom-double", 8, 8);
    struct fb_query_spec repeated = half_absent;
    repeated.absent = 0.85;
    repeated.absent_kind = FB_REPEAT;
    repeated.repeat_keys = 200;
    repeated.repeat_theta = 0.99;
    ask(&s, &repeated, 2);
    for (enum fb_residency filters = FB_PINNED; filters <= FB_PARTITIONED; filters++) {
        struct fb_read_counts c;
        struct fb_read_spec spec = plain;
        spec.policy = FB_CACHE_LRU;
        spec.cache_bytes = 1600000;
        spec.filters = filters;
        spec.index = filters == FB_PINNED ? FB_PINNED : FB_CACHED;
        spec.evict_every = filters == FB_CACHED ? 700 : 0;
        spec.evict_share = 0.5;
        check(&s, &spec, 1000, 4000, 2, &c);
        assert_true(c.read_found < c.data_found && c.read_found > 100);
        assert_true(c.read_false < c.data_false); /* the same ones again */
        assert_true((c.filter_blocks > 0) == (filters != FB_PINNED));
        fb_read_counts_close(&c);
    }
    close_scene(&s);
}

static void counts_do_not_depend_on_threads(void **state)
{
    (void)state;
    struct scene s;
    struct fb_read_counts one, two, halves = {0}, half;
    bool complete;
    open_scene(&s, &small, 0, "sbbf-512-lanes", 10, 10);
    ask(&s, &half_absent, 3);
    const uint64_t n = 100001;
    assert_int_equal(
        fb_read_path_run(&s.forest, &s.queries, &plain, 0, n, 1, NULL, &one, &complete), FB_OK);
    assert_int_equal(
        fb_read_path_run(&s.forest, &s.queries, &plain, 0, n, 2, NULL, &two, &complete), FB_OK);
    assert_same_counts(&one, &two);
    for (uint64_t warm = 0; warm <= 40000; warm += 40000) {
        assert_int_equal(fb_read_path_run(&s.forest, &s.queries, &plain, warm,
                                          warm ? n - warm : 40000, 2, NULL, &half, &complete),
                         FB_OK);
        assert_int_equal(fb_read_counts_add(&halves, &half), FB_OK);
        fb_read_counts_close(&half);
    }
    assert_same_counts(&one, &halves);
    fb_read_counts_close(&one);
    fb_read_counts_close(&two);
    fb_read_counts_close(&halves);
    close_scene(&s);
}

static void denied_keys_are_counted(void **state)
{
    (void)state;
    struct scene s;
    struct fb_read_counts c;
    open_scene(&s, &small, 0, "null", 10, 10);
    ask(&s, &half_absent, 4);
    check(&s, &plain, 0, 3000, 2, &c);
    assert_true(c.false_negatives == c.present + c.deleted - c.memtable_found);
    assert_true(fb_read_total(&c) == 0 && c.false_negatives > 1000);
    fb_read_counts_close(&c);
    close_scene(&s);
    /* The runs before have no filter: something was read on the way to the denial. */
    open_scene(&s, &small, 0, "null", -1, 10);
    ask(&s, &half_absent, 4);
    check(&s, &plain, 0, 3000, 2, &c);
    assert_true(c.false_negatives > 100 && c.data_false > 1000);
    fb_read_counts_close(&c);
    close_scene(&s);
}

static void refuses_what_makes_no_sense(void **state)
{
    (void)state;
    struct scene s;
    struct fb_read_counts c;
    bool complete;
    open_scene(&s, &small, 0, "null", 10, 10);
    ask(&s, &half_absent, 4);
    struct fb_read_spec bad[3] = {plain, plain, plain};
    bad[0].index = FB_PARTITIONED;
    bad[1].block_bytes = 0;
    bad[2].entry_bytes = 0;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(
            fb_read_path_run(&s.forest, &s.queries, &bad[i], 0, 10, 1, NULL, &c, &complete),
            FB_EINVAL);
        assert_false(complete);
        fb_read_counts_close(&c);
    }
    close_scene(&s);
}

/* ---- Against the formulas ---- */

/* Rates of each run, measured on another stream of absent keys. */
static void measure_runs(struct scene *s, uint64_t n, struct fb_expected_run *runs)
{
    const struct fb_query_spec absent = {.absent = 1};
    struct fb_read_counts c;
    bool complete;
    double share[FB_MAX_RUNS];
    ask(s, &absent, 77);
    assert_int_equal(
        fb_read_path_run(&s->forest, &s->queries, &plain, 0, n, 2, NULL, &c, &complete), FB_OK);
    for (size_t r = 0; r < s->tree.n_runs; r++)
        runs[r] = (struct fb_expected_run){
            .f = c.run_asked[r] ? (double)c.run_false[r] / (double)c.run_asked[r] : 0,
            .r = (double)c.run_asked[r] / (double)n,
            .memtable = s->tree.runs[r].memtable};
    fb_read_counts_close(&c);
    fb_queries_close(&s->queries);
    const struct fb_query_spec mostly_absent = {.absent = 0.9, .holder = FB_PROPORTIONAL};
    ask(s, &mostly_absent, 78);
    fb_queries_shares(&s->queries, share);
    for (size_t r = 0; r < s->tree.n_runs; r++)
        runs[r].pi = share[r];
}

static void agrees_with_the_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *design;
        double bits, last;
    } cases[] = {
        {"bloom-independent", 10, 10}, {"rocksdb-fastlocal", 12, 6}, {"sbbf-512-lanes", 8, 8}};
    struct fb_tree_shape shape = small;
    shape.segment_bytes = 124 * 20;
    shape.ratio = 10;
    shape.levels = 5;
    shape.l0 = 4;
    shape.fill = 0.05;
    shape.updates = 0;
    shape.memtables = 1;
    shape.memtable_keys = 200;
    const uint64_t n = 60000;
    for (size_t i = 0; i < 3; i++) {
        struct scene s;
        struct fb_expected_run runs[FB_MAX_RUNS];
        struct fb_expectation e, absent;
        struct fb_read_counts c;
        bool complete;
        open_scene(&s, &shape, 0, cases[i].design, cases[i].bits, cases[i].last);
        assert_int_equal(s.tree.n_runs, 1 + 4 + 4);
        measure_runs(&s, n, runs);
        fb_expect(runs, s.tree.n_runs, 0.9, &e);
        fb_expect(runs, s.tree.n_runs, 1, &absent);
        assert_int_equal(
            fb_read_path_run(&s.forest, &s.queries, &plain, 0, n, 2, NULL, &c, &complete), FB_OK);
        double io = (double)fb_read_total(&c) / (double)n;
        double any = (double)c.any_false / (double)c.absent, asked = 0;
        for (size_t r = 0; r < s.tree.n_runs; r++)
            asked += (double)c.run_asked[r] / (double)n;
        assert_near(io, e.io, 4 * sqrt((e.io_variance + absent.io_variance) / (double)n));
        assert_near(any, e.any_false, 6 * sqrt(any * (1 - any) / (double)c.absent) + 1e-12);
        assert_near(asked, e.asked, 0.03);
        fb_read_counts_close(&c);
        close_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_reference_without_cache),
        cmocka_unit_test(equals_reference_with_cache),
        cmocka_unit_test(counts_do_not_depend_on_threads),
        cmocka_unit_test(denied_keys_are_counted),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(agrees_with_the_formulas),
    };
    return cmocka_run_group_tests_name("read_path", tests, NULL, NULL);
}
