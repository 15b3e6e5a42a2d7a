/* Filters that pass in windows against filters that stand: the same bits, the same counts. */
#include "tests/tree/read_reference.h"

#include "harness/tree/answers.h"

static const struct fb_query_spec half_absent = {
    .absent = 0.5, .holder = FB_BY_POPULARITY, .popularity = {.kind = FB_ZIPF, .theta = 0.8}};

/* Windows come one behind the other and cover all units once. */
struct pass {
    struct fb_answers answers;
    size_t n_units; /* seen */
    bool stops;     /* at the second window */
};

static enum fb_err see_window(void *visitor, const struct fb_forest *forest, size_t first,
                              size_t end, bool *complete)
{
    struct pass *p = visitor;
    assert_int_equal(first, p->n_units);
    assert_true(end > first && end <= forest->tree->n_units);
    p->n_units = end;
    for (size_t u = 0; u < first; u++)
        assert_null(forest->filters[u].bytes);
    *complete = true;
    if (p->stops && p->answers.n_windows)
        return FB_EIO;
    return fb_answers_note(&p->answers, forest, first, end, complete);
}

static enum fb_err pass_by(const struct scene *s, uint64_t window_bytes, unsigned threads,
                           struct pass *p, struct fb_forest *out)
{
    const struct fb_forest_spec spec = {.design = s->forest.design,
                                        .params = s->params,
                                        .window_bytes = window_bytes,
                                        .n_threads = threads,
                                        .visit = see_window,
                                        .visitor = p};
    const char *why = NULL;
    bool complete;
    assert_int_equal(fb_answers_open(&s->queries, 6000, threads, &p->answers), FB_OK);
    const enum fb_err err = fb_forest_build(&spec, &s->tree, out, &complete, &why);
    assert_int_equal(complete, !err);
    return err;
}

static void assert_same_forest(const struct fb_forest *a, const struct fb_forest *b)
{
    assert_true(a->checksum == b->checksum && a->filter_bytes == b->filter_bytes);
    assert_int_equal(a->digest_words, b->digest_words);
    for (size_t r = 0; r < a->tree->n_runs; r++) {
        bool closed[2];
        assert_true(a->runs[r].bytes == b->runs[r].bytes);
        const double rate = fb_forest_run_rate(a, r, &closed[0]);
        assert_true(rate == fb_forest_run_rate(b, r, &closed[1]) && closed[0] == closed[1]);
    }
    for (size_t u = 0; u < a->tree->n_units; u++) {
        const struct fb_filter *f = a->filters + u, *g = b->filters + u;
        assert_true(f->n_keys == g->n_keys && f->attempts == g->attempts);
        assert_true(f->temporary_bytes == g->temporary_bytes);
        assert_memory_equal(&f->geom, &g->geom, sizeof f->geom);
    }
}

/* The reference asks filters that stand; the walk, answers. */
static void check(const struct scene *s, const struct fb_read_spec *spec, uint64_t window_bytes,
                  unsigned threads, size_t least_windows)
{
    struct pass p = {0};
    struct scene passed = *s;
    closed_by(fb_read_counts_close) struct fb_read_counts expected, counts;
    bool complete;
    assert_int_equal(pass_by(s, window_bytes, threads, &p, &passed.forest), FB_OK);
    assert_int_equal(p.n_units, s->tree.n_units);
    assert_true(p.answers.n_windows >= least_windows);
    assert_null(passed.forest.arena);
    assert_same_forest(&s->forest, &passed.forest);
    reference_run(s, spec, 1000, 5000, &expected);
    struct fb_ask ask = scene_queries(&passed, 1000, 5000, threads);
    ask.answers = &p.answers;
    assert_int_equal(fb_read_path_count(&ask, spec, &counts, &complete), FB_OK);
    assert_true(complete && counts.queries == 5000);
    assert_same_counts(&counts, &expected);
    fb_forest_close(&passed.forest);
    fb_answers_close(&p.answers);
}

TEST(equals_filters_that_stand)
{
    static const struct {
        const char *design;
        double bits, last_bits;
    } cases[] = {
        {"bloom-double", 6, 6}, {"rocksdb-fastlocal", 10, -1}, {"nori", 8, 8},
        {"null", 10, 10},       {"cuckoo-12", 18, 18},         {"fuse-8", 12, 12},
        {"exact", 9, 9},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const bool listed = i % 2;
        closed_by(scene_close) struct scene s;
        scene_open(&s, &small, listed ? 1000000 : 0, cases[i / 2].design, cases[i / 2].bits,
                   cases[i / 2].last_bits);
        scene_ask(&s, &half_absent, 1);
        check(&s, &uncached, 0, 2, 3);
        check(&s, &uncached, 8000, 1, 2);
        check(&s, &uncached, UINT64_C(1) << 30, 2, 1);
    }
}

/* Filters as small as blocks, more runs than one call asks, and a cache that they are read
 * through. */
TEST(equals_them_in_every_tree)
{
    struct scene s;
    struct fb_tree_shape shape = small;
    struct fb_read_spec spec = uncached;
    shape.unit = FB_UNIT_BLOCK;
    spec.filters = FB_CACHED;
    spec.policy = FB_CACHE_LRU;
    spec.cache_bytes = 100000;
    scene_open(&s, &shape, 0, "sbbf-512", 8, 8);
    scene_ask(&s, &half_absent, 2);
    check(&s, &spec, 5000, 2, 10);
    scene_close(&s);
    shape = small;
    shape.style = FB_FLAT;
    shape.n_runs = 150;
    shape.segment_bytes = 124 * 40;
    shape.memtables = 0;
    shape.memtable_keys = 0;
    scene_open(&s, &shape, 1000000, "bloom-double", 2, 2);
    scene_ask(&s, &half_absent, 3);
    check(&s, &uncached, 100000, 2, 2);
    check(&s, &uncached, UINT64_C(1) << 30, 2, 1);
    scene_close(&s);
}

TEST(nothing_is_left_of_a_pass_that_fails)
{
    for (int late = 0; late < 2; late++) {
        closed_by(scene_close) struct scene s;
        struct fb_forest forest;
        struct pass p = {.stops = true};
        scene_open(&s, &small, 0, late ? "fuse-8" : "bloom-double", 12, 12);
        scene_ask(&s, &half_absent, 1);
        assert_int_equal(pass_by(&s, 0, 2, &p, &forest), FB_EIO);
        assert_null(forest.filters);
        fb_answers_close(&p.answers);
    }
}

TEST(filters_of_prefixes_do_not_pass)
{
    closed_by(scene_close) struct scene s;
    struct fb_forest forest;
    struct fb_prefix prefix;
    struct pass p = {0};
    const char *why = NULL;
    bool complete;
    scene_open(&s, &small, 0, "bloom-double", 10, 10);
    assert_true(fb_prefix_parse("fixed:4", true, &prefix, &why));
    const struct fb_forest_spec spec = {.design = s.forest.design,
                                        .params = s.params,
                                        .prefix = &prefix,
                                        .visit = see_window,
                                        .visitor = &p};
    assert_int_equal(fb_forest_build(&spec, &s.tree, &forest, &complete, &why), FB_EUNSUPPORTED);
    assert_non_null(why);
}

TESTS(NULL, NULL)
