/*
 * Walks timed in processes of their own: counts, shapes of what comes back, refusals, and estimates
 * on samples whose truth is known. No figure here depends on a clock.
 */
#include "tests/tree/scene.h"

#include <stdlib.h>
#include <string.h>

#include "harness/tree/walk_timing.h"

/* ---- Estimates ---- */

enum { PROCESSES = 8, ROUNDS = 5 };

/* Candidate 1 takes 1.5 times as long as candidate 0, in spite of a drift over rounds and a factor
 * of each process's own. */
static void test_estimates_pair_rounds(void **state)
{
    static const size_t to[3] = {0, 0, 2};
    double samples[PROCESSES * ROUNDS * 3];
    struct fb_walk_estimate e[3];
    (void)state;
    memset(e, 0, sizeof e);
    e[1].asked = 7;
    for (size_t p = 0; p < PROCESSES; p++)
        for (size_t r = 0; r < ROUNDS; r++) {
            double *row = samples + (p * ROUNDS + r) * 3;
            row[0] = (100 + 5 * (double)r) * (1 + 0.1 * (double)p);
            row[1] = 1.5 * row[0];
            row[2] = 40;
        }
    fb_walks_estimate(samples, 3, PROCESSES, ROUNDS, to, e);
    assert_true(isnan(e[0].ratio) && isnan(e[2].ratio));
    assert_near(e[1].ratio, 1.5, 1e-9);
    assert_near(e[1].ratio95.low, 1.5, 1e-9);
    assert_near(e[1].ratio99.high, 1.5, 1e-9);
    assert_near(e[0].ns_min, 100, 1e-9);
    assert_true(e[0].ns95.low > 110 && e[0].ns95.low < e[0].ns && e[0].ns < e[0].ns95.high &&
                e[0].ns95.high < 187);
    assert_near(e[2].ns, 40, 1e-9);
    assert_near(e[1].asked, 7, 0);
}

static void test_few_processes_bound_nothing(void **state)
{
    static const size_t to[2] = {0, 0};
    static const double samples[6] = {10, 20, 10, 20, 10, 20};
    struct fb_walk_estimate e[2];
    (void)state;
    memset(e, 0, sizeof e);
    fb_walks_estimate(samples, 2, 3, 1, to, e);
    assert_near(e[1].ratio, 2, 1e-9);
    assert_true(e[1].ratio95.low <= 0 && isinf(e[1].ratio95.high));
}

/* ---- A small tree, measured ---- */

/* A memtable, two runs of one segment each, one of four; the oldest run has no filter. */
static void plant(const char *design, double absent, struct scene *g)
{
    const struct fb_tree_shape shape = {.style = FB_LEVELED,
                                        .key_bytes = 16,
                                        .value_bytes = 100,
                                        .segment_bytes = 116 * 500,
                                        .ratio = 4,
                                        .levels = 3,
                                        .l0 = 1,
                                        .fill = 1,
                                        .memtables = 1,
                                        .memtable_keys = 100,
                                        .scale = 1};
    struct fb_query_spec spec = {.absent = absent, .holder = FB_PROPORTIONAL};
    struct fb_keygen keygen;
    const char *why = "";
    assert_true(fb_keygen_parse("dec6", &keygen, &why) &&
                fb_popularity_parse("uniform", &spec.popularity, &why));
    fb_keyspace_generate(&keygen, FB_ORDER_SHUFFLE, keys_of(&shape), 3, &g->space);
    g->tree = tree_of(&shape, &g->space, 1 << 20);
    assert_in_range(g->tree.n_runs, 4, 8);
    for (size_t r = 0; r < g->tree.n_runs; r++)
        g->params[r].bits_per_key = r + 1 < g->tree.n_runs ? 10 : -1;
    scene_filters(g, design, NULL, 1);
    scene_ask(g, &spec, 5);
}

static struct fb_walk_candidate candidate_of(const struct scene *g, const char *lookup)
{
    struct fb_walk_candidate c = {.forest = &g->forest, .queries = &g->queries};
    c.lookup = lookup ? fb_lookup_find(lookup) : NULL;
    c.kernel = lookup ? fb_lookup_kernel(c.lookup, g->forest.design, FB_ISA_NONE)
                      : fb_kernel_find(g->forest.design, FB_ISA_NONE);
    return c;
}

static const struct fb_walk_options options = {.rounds = 1,
                                               .min_processes = 2,
                                               .max_processes = 2,
                                               .precision = 1,
                                               .budget_s = 60,
                                               .seed = 9,
                                               .cpu = -1};

/* Two designs and two streams at a time; the child itself refuses answers that differ. */
static void test_walks_are_measured(void **state)
{
    struct scene a = {0}, b = {0};
    struct fb_walk_candidate c[5];
    struct fb_walk_estimate e[5];
    double *samples = NULL;
    size_t processes;
    bool complete;
    (void)state;
    plant("sbbf-512", 1, &a);
    plant("bloom-independent", 0.5, &b);
    c[0] = candidate_of(&a, "rehash-each");
    c[1] = candidate_of(&a, "batched");
    c[2] = candidate_of(&a, NULL);
    c[3] = candidate_of(&b, "rehash-each");
    c[4] = candidate_of(&b, "shared-branch-free");
    c[2].compared_to = 2;
    c[3].compared_to = c[4].compared_to = 3;
    assert_int_equal(fb_walks_measure(c, 5, &options, e, &samples, &processes, &complete), FB_OK);
    assert_true(complete);
    assert_int_equal(processes, 2);
    for (size_t i = 0; i < 5; i++) {
        assert_true(e[i].ns > 0 && e[i].ns_min > 0 && e[i].ns_min <= e[i].ns);
        assert_true(isnan(e[i].ratio) == (c[i].compared_to == i));
        assert_false(e[i].shared_pages);
        for (size_t s = 0; s < processes; s++)
            assert_true(samples[s * 5 + i] > 0);
    }
    /* Absent: all runs with segments that the key can be in; the last one has nothing to hash for.
     */
    assert_true(e[0].asked > 2.5 && e[0].asked <= 3);
    assert_near(e[0].digests, e[0].asked - 1, 0.05);
    assert_near(e[1].digests, 1, 0);
    assert_true(e[1].asked >= e[0].asked);
    assert_near(e[2].asked + e[2].digests, 0, 0);
    assert_true(e[3].asked > 1 && e[3].asked < e[0].asked);
    assert_near(e[4].asked, e[3].asked, 1e-9);
    free(samples);
    scene_close(&a);
    scene_close(&b);
}

static uint64_t own_hash(const void *key, size_t len, uint64_t seed)
{
    return fb_xxh64(key, len, seed);
}

static void test_refusals(void **state)
{
    static const struct fb_hash unknown = {
        .name = "x", .bits = 64, .seed_bits = 64, .hash = own_hash};
    struct scene a = {0}, b = {0};
    struct fb_walk_estimate e;
    double *samples = NULL;
    size_t processes;
    bool complete;
    (void)state;
    plant("sbbf-512", 1, &a);
    plant("sbbf-512", 1, &b);
    struct fb_walk_candidate c = candidate_of(&a, "shared-digest");
    c.queries = &b.queries; /* of another tree */
    assert_int_equal(fb_walks_measure(&c, 1, &options, &e, &samples, &processes, &complete),
                     FB_EINVAL);
    assert_null(samples);
    c = candidate_of(&a, "shared-digest");
    a.forest.hash = &unknown; /* the processes cannot find it */
    assert_int_equal(fb_walks_measure(&c, 1, &options, &e, &samples, &processes, &complete),
                     FB_EUNSUPPORTED);
    a.forest.hash = NULL;
    scene_close(&a);
    scene_close(&b);
}

/* Bits that were not built from the keys do not pass for a time. */
static void test_wrong_answers_are_no_times(void **state)
{
    struct scene g = {0};
    struct fb_walk_estimate e;
    double *samples = NULL;
    size_t processes;
    bool complete;
    (void)state;
    plant("sbbf-512", 0, &g);
    const struct fb_walk_candidate c = candidate_of(&g, "shared-digest");
    memset(g.forest.arena, 0, g.forest.arena_bytes);
    assert_int_equal(fb_walks_measure(&c, 1, &options, &e, &samples, &processes, &complete),
                     FB_EIO);
    scene_close(&g);
}

static void test_latency_of_single_walks(void **state)
{
    enum { QUERIES = 1000 };
    struct fb_latency *latency = malloc(sizeof *latency);
    struct scene g = {0};
    (void)state;
    plant("rocksdb-fastlocal", 0.9, &g);
    struct fb_walk_candidate c = candidate_of(&g, "shared-prefetch");
    assert_non_null(latency);
    assert_int_equal(fb_walk_latency(&c, QUERIES, latency), FB_OK);
    assert_int_equal(latency->kind[FB_SINGLE_OP_GROSS].n, QUERIES);
    assert_int_equal(latency->kind[FB_TIMER_EMPTY].n, QUERIES);
    assert_int_equal(latency->kind[FB_BATCH64_MEAN].n, 0);
    c = candidate_of(&g, "batched");
    assert_int_equal(fb_walk_latency(&c, QUERIES, latency), FB_EUNSUPPORTED);
    free(latency);
    scene_close(&g);
}

int main(int argc, char **argv)
{
    fb_processes_child(argc, argv, (const struct fb_child *const[]){&fb_walk_child, NULL});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimates_pair_rounds),
        cmocka_unit_test(test_few_processes_bound_nothing),
        cmocka_unit_test(test_walks_are_measured),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_wrong_answers_are_no_times),
        cmocka_unit_test(test_latency_of_single_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
