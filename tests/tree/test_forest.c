/* The filters of a tree against filters built one by one. */
#include "tests/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tree/forest.h"

enum { MAX_KEYS = 100000 };

struct garden {
    struct fb_keyspace space;
    struct fb_tree tree;
    struct fb_params params[FB_MAX_RUNS];
    struct fb_forest_spec spec;
};

static const struct fb_tree_shape leveled = {
    .style = FB_LEVELED,
    .key_bytes = 16,
    .value_bytes = 100,
    .entry_overhead = 8,
    .segment_bytes = 124 * 2000,
    .ratio = 4,
    .levels = 4,
    .l0 = 2,
    .fill = 1,
    .updates = 0.1,
    .tombstones = 0.3,
    .memtables = 2,
    .memtable_keys = 100,
    .bits_per_key = 10,
    .scale = 1,
};

static void plant(struct garden *g, const struct fb_tree_shape *shape, const char *format,
                  uint64_t list_limit, const char *design)
{
    const char *why = NULL;
    const uint64_t n_keys = keys_of(shape);
    struct fb_keygen keygen;
    memset(g, 0, sizeof *g);
    assert_true(n_keys > 40000 && /* the last run is cut into slices */
                n_keys < MAX_KEYS);
    assert_true(fb_keygen_parse(format, &keygen, &why));
    fb_keyspace_generate(&keygen, FB_ORDER_SHUFFLE, n_keys, 11, &g->space);
    g->tree = tree_of(shape, &g->space, list_limit);
    g->spec.design = fb_design_find(design);
    assert_non_null(g->spec.design);
    g->spec.params = g->params;
    for (size_t r = 0; r < g->tree.n_runs; r++)
        g->params[r].bits_per_key = 10 + (double)(r % 3) * 4;
}

static void grow(struct garden *g, uint64_t window, unsigned threads, struct fb_forest *out)
{
    bool complete;
    const char *why;
    g->spec.window_bytes = window;
    g->spec.n_threads = threads;
    assert_int_equal(fb_forest_build(&g->spec, &g->tree, out, &complete, &why), FB_OK);
    assert_true(complete);
}

/* ---- The same, in a few lines ---- */

struct collected {
    const struct fb_keyspace *space;
    struct fb_keyset keys;
    size_t unit;
};

static void collect(void *arg, size_t unit, uint64_t index)
{
    struct collected *c = arg;
    uint8_t key[512];
    if (unit == c->unit)
        fb_keyset_push(&c->keys, key, fb_keyspace_write(c->space, index, key), FB_KEY_BYTES);
}

static void unit_keys(const struct garden *g, size_t run, size_t unit, struct fb_keyset *out)
{
    struct collected c = {.space = &g->space, .unit = unit};
    assert_int_equal(
        fb_keyset_alloc(MAX_KEYS, MAX_KEYS * (uint64_t)g->space.max_len, false, &c.keys), FB_OK);
    fb_run_each(&g->tree, run, unit, 1, collect, &c);
    *out = c.keys;
    out->keys.bytes = out->bytes;
    out->keys.offset = out->offset;
}

static uint64_t checked_unit(const struct garden *g, const struct fb_forest *forest, size_t run,
                             size_t unit)
{
    const struct fb_filter *f = forest->filters + g->tree.runs[run].first_unit + unit;
    closed_by(fb_filter_close) struct fb_filter expected;
    closed_by(fb_keyset_close) struct fb_keyset set;
    const char *why;
    size_t n_maybe;
    unit_keys(g, run, unit, &set);
    auto_free uint8_t *maybe = malloc(set.keys.n + 1);
    auto_free uint64_t *digests = calloc(set.keys.n * forest->digest_words + 1, sizeof *digests);
    assert_int_equal(
        fb_filter_build(g->spec.design, g->spec.hash, g->params + run, &set.keys, &expected, &why),
        FB_OK);
    assert_true(f->n_keys == expected.n_keys && f->geom.n_bytes == expected.geom.n_bytes);
    assert_true(f->geom.probes == expected.geom.probes && f->kernel == expected.kernel);
    assert_memory_equal(f->bytes, expected.bytes, expected.geom.n_bytes);
    assert_true((uintptr_t)f->bytes % FB_CACHE_LINE == 0);
    assert_int_equal(fb_filter_query_keys(f, &set.keys, maybe, &n_maybe), FB_OK);
    if (!(g->spec.design->traits & FB_FALSE_NEGATIVES)) {
        assert_int_equal(n_maybe, set.keys.n);
        assert_int_equal(fb_forest_digest(forest, &set.keys, digests), FB_OK);
        for (size_t i = 0; i < set.keys.n; i++)
            assert_true(f->kernel->query(f, digests + i * forest->digest_words));
    }
    uint64_t bytes = f->geom.n_bytes;
    return bytes;
}

/* In windows of one filter, and in one in which tasks go from run to run. */
static void check_all_units(struct garden *g)
{
    for (int once = 0; once < 2; once++) {
        closed_by(fb_forest_close) struct fb_forest forest;
        uint64_t all = 0;
        grow(g, once ? UINT64_C(1) << 30 : 0, 2, &forest);
        for (size_t r = 0; r < g->tree.n_runs; r++) {
            uint64_t bytes = 0;
            for (size_t u = 0; !g->tree.runs[r].memtable && u < fb_run_units(&g->tree.runs[r]); u++)
                bytes += checked_unit(g, &forest, r, u);
            assert_true(forest.runs[r].bytes == bytes);
            all += bytes;
        }
        assert_true(forest.filter_bytes == all);
    }
}

TEST(equals_filters_built_one_by_one)
{
    static const struct {
        const char *design, *format;
        uint64_t list_limit;
    } cases[] = {
        {"bloom-double", "sequential", MAX_KEYS},
        {"bloom-independent", "dec6", 0},
        {"rocksdb-fastlocal", "random", 0},
        {"sbbf-512", "random", MAX_KEYS},
        {"exact", "random", 0},
        {"null", "random", 0},
        {"always", "random", MAX_KEYS},
        {"xor-toy", "random", 0},
        {"cuckoo-8", "random", 0},
        {"key-set", "random", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct garden g;
        plant(&g, &leveled, cases[i].format, cases[i].list_limit, cases[i].design);
        check_all_units(&g);
        fb_tree_close(&g.tree);
    }
}

/* xor-toy (tests/designs) is always full here at first, and tries again with longer segments. */
static const struct fb_design *xor_toy;

static enum fb_err build_with_a_seed(struct fb_build *b, struct fb_filter *out)
{
    return out->geom.own[0] ? xor_toy->build(b, out) : FB_EFULL;
}

static bool retry_with_more_room(struct fb_geometry *geom, unsigned attempt)
{
    geom->own[0] = attempt;
    geom->own[1] += 100;
    geom->n_bytes = 3 * geom->own[1];
    geom->n_bits = 8 * geom->n_bytes;
    return true;
}

TEST(filters_may_outgrow_their_plan)
{
    struct garden g;
    plant(&g, &leveled, "random", 0, "xor-toy");
    xor_toy = g.spec.design;
    struct fb_design growing = *xor_toy;
    growing.build = build_with_a_seed;
    growing.retry = retry_with_more_room;
    g.spec.design = &growing;
    check_all_units(&g);
    fb_tree_close(&g.tree);
}

TEST(bits_do_not_depend_on_threads_or_windows)
{
    struct fb_tree_shape shape = leveled;
    for (enum fb_filter_unit unit = FB_UNIT_FILE; unit <= FB_UNIT_PARTITION; unit++)
        for (int listed = 0; listed < 2; listed++) {
            struct garden g;
            struct fb_forest first, other;
            shape.unit = unit;
            plant(&g, &shape, "random", listed ? MAX_KEYS : 0, "bloom-double");
            grow(&g, UINT64_C(1) << 30, 1, &first);
            static const uint64_t windows[] = {40000, 300000, UINT64_C(1) << 30};
            for (unsigned i = 0; i < 6; i++) {
                grow(&g, windows[i % 3], 1 + i / 3, &other);
                assert_true(other.checksum == first.checksum);
                assert_true(other.arena_bytes == first.arena_bytes);
                assert_memory_equal(other.arena, first.arena, first.arena_bytes);
                fb_forest_close(&other);
            }
            uint64_t checksum = 0;
            for (size_t u = 0; u < g.tree.n_units; u++) {
                uint64_t chain[2] = {
                    checksum, fb_xxh64(first.filters[u].bytes, first.filters[u].geom.n_bytes, 0)};
                checksum = fb_xxh64(chain, sizeof chain, 0);
            }
            assert_true(first.checksum == checksum);
            fb_forest_close(&first);
            fb_tree_close(&g.tree);
        }
}

TEST(a_run_without_filter_answers_yes)
{
    struct garden g;
    struct fb_forest forest;
    uint64_t digest[2] = {0};
    plant(&g, &leveled, "random", 0, "bloom-double");
    const size_t last = g.tree.n_runs - 1;
    g.params[last].bits_per_key = -1;
    grow(&g, 0, 2, &forest);
    assert_true(forest.runs[last].bytes == 0 && forest.runs[last - 1].bytes > 0);
    for (size_t u = g.tree.runs[last].first_unit; u < g.tree.n_units; u++) {
        const struct fb_filter *f = forest.filters + u;
        assert_true(f->geom.n_bytes == 0 && f->kernel->query(f, digest));
    }
    fb_forest_close(&forest);
    for (size_t r = 0; r <= last; r++)
        g.params[r].bits_per_key = -1;
    grow(&g, 0, 2, &forest);
    assert_true(forest.filter_bytes == 0 && forest.digest_words >= 1);
    fb_forest_close(&forest);
    fb_forest_close(&forest);
    fb_tree_close(&g.tree);
}

TEST(refuses_what_the_design_refuses)
{
    struct garden g;
    closed_by(fb_forest_close) struct fb_forest forest;
    bool complete;
    const char *why = NULL;
    plant(&g, &leveled, "random", 0, "nori");
    g.params[g.tree.n_runs - 1].bits_per_key = 9.5;
    assert_int_equal(fb_forest_build(&g.spec, &g.tree, &forest, &complete, &why), FB_EINVAL);
    assert_non_null(why);
    assert_null(forest.arena);
    fb_tree_close(&g.tree);
}

TEST(predicts_the_mean_rate_of_a_run)
{
    static const struct {
        const char *design;
        bool closed;
    } cases[] = {{"bloom-independent", true}, {"leveldb", false}, {"always", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct garden g;
        closed_by(fb_forest_close) struct fb_forest forest;
        bool closed;
        plant(&g, &leveled, "random", 0, cases[i].design);
        const size_t last = g.tree.n_runs - 1;
        g.params[last].bits_per_key = -1;
        grow(&g, 0, 2, &forest);
        for (size_t r = 0; r < last; r++) {
            const struct fb_run *run = &g.tree.runs[r];
            double sum = 0;
            for (size_t u = 0; !run->memtable && u < fb_run_units(run); u++) {
                const struct fb_filter *f = forest.filters + run->first_unit + u;
                sum += f->design->fpr(&f->geom, f->n_keys);
            }
            double mean = run->memtable ? 1 : sum / (double)fb_run_units(run);
            assert_true(fabs(fb_forest_run_rate(&forest, r, &closed) - mean) <= 1e-12 * mean);
            assert_int_equal(closed, run->memtable || cases[i].closed);
        }
        assert_true(fb_forest_run_rate(&forest, last, &closed) == 1 && closed);
        fb_tree_close(&g.tree);
    }
}

TESTS(NULL, NULL)
