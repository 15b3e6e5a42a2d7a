/*
 * Walks timed in processes of their own: counts, shapes of what comes back, refusals. No figure
 * here depends on a clock.
 */
#include "tests/tree/scene.h"

#include <stdlib.h>
#include <string.h>

#include "harness/tree/walk_timing.h"

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
    return (struct fb_walk_candidate){.forest = &g->forest,
                                      .queries = &g->queries,
                                      .lookup = lookup ? fb_lookup_find(lookup) : NULL,
                                      .to = -1};
}

static const struct fb_group_options options = {.rounds = 1,
                                                .min_processes = 2,
                                                .max_processes = 2,
                                                .precision = 1,
                                                .budget_s = 60,
                                                .seed = 9,
                                                .cpu = -1};

/* Two designs and two streams at a time; the child itself refuses answers that differ. */
TEST(walks_are_measured)
{
    closed_by(scene_close) struct scene a = {0}, b = {0};
    struct fb_walk_candidate c[5];
    struct fb_walk_counts counts[5];
    closed_by(fb_group_close) struct fb_group group;
    plant("sbbf-512", 1, &a);
    plant("bloom-independent", 0.5, &b);
    c[0] = candidate_of(&a, "rehash-each");
    c[1] = candidate_of(&a, "batched");
    c[2] = candidate_of(&a, NULL);
    c[3] = candidate_of(&b, "rehash-each");
    c[4] = candidate_of(&b, "shared-branch-free");
    c[1].to = 0;
    c[4].to = 3;
    assert_int_equal(fb_walks_measure(c, 5, &options, NULL, counts, &group), FB_OK);
    assert_int_equal(group.stopped, FB_STOP_PROCESSES);
    assert_int_equal(fb_group_processes(&group), 2);
    assert_true(group.independent);
    for (size_t i = 0; i < 5; i++) {
        const struct fb_member *m = &group.members[i];
        assert_true(m->estimate.ns > 0 && m->estimate.ns_min > 0);
        assert_true(m->estimate.ns_min <= m->estimate.ns);
        assert_true(isnan(m->estimate.ratio) == (c[i].to < 0));
        for (size_t s = 0; s < 2; s++)
            assert_true(m->samples[s].wall_ns > 0 && m->samples[s].cpu_ns > 0);
    }
    assert_false(fb_walk_pages_shared(&a.forest));
    /* Absent: all runs with segments that the key can be in; the last one has nothing to hash for.
     */
    assert_true(counts[0].asked > 2.5 && counts[0].asked <= 3);
    assert_near(counts[0].digests, counts[0].asked - 1, 0.05);
    assert_near(counts[1].digests, 1, 0);
    assert_true(counts[1].asked >= counts[0].asked);
    assert_near(counts[2].asked + counts[2].digests, 0, 0);
    assert_true(counts[3].asked > 1 && counts[3].asked < counts[0].asked);
    assert_near(counts[4].asked, counts[3].asked, 1e-9);
}

static uint64_t own_hash(const void *key, size_t len, uint64_t seed)
{
    return fb_xxh64(key, len, seed);
}

TEST(refusals)
{
    static const struct fb_hash unknown = {
        .name = "x", .bits = 64, .seed_bits = 64, .hash = own_hash};
    closed_by(scene_close) struct scene a = {0}, b = {0};
    struct fb_group group;
    plant("sbbf-512", 1, &a);
    plant("sbbf-512", 1, &b);
    struct fb_walk_candidate c = candidate_of(&a, "shared-digest");
    c.queries = &b.queries; /* of another tree */
    assert_int_equal(fb_walks_measure(&c, 1, &options, NULL, NULL, &group), FB_EINVAL);
    fb_group_close(&group);
    c = candidate_of(&a, "shared-digest");
    a.forest.hash = &unknown; /* the processes cannot find it */
    assert_int_equal(fb_walks_measure(&c, 1, &options, NULL, NULL, &group), FB_EUNSUPPORTED);
    fb_group_close(&group);
    a.forest.hash = NULL;
}

/* Bits that were not built from the keys do not pass for a time. */
TEST(wrong_answers_are_no_times)
{
    closed_by(scene_close) struct scene g = {0};
    closed_by(fb_group_close) struct fb_group group;
    plant("sbbf-512", 0, &g);
    const struct fb_walk_candidate c = candidate_of(&g, "shared-digest");
    memset(g.forest.arena, 0, g.forest.arena_bytes);
    assert_int_equal(fb_walks_measure(&c, 1, &options, NULL, NULL, &group), FB_EIO);
}

TEST(latency_of_single_walks)
{
    enum { QUERIES = 1000 };
    auto_free struct fb_latency *latency = malloc(sizeof *latency);
    closed_by(scene_close) struct scene g = {0};
    plant("rocksdb-fastlocal", 0.9, &g);
    struct fb_walk_candidate c = candidate_of(&g, "shared-prefetch");
    assert_non_null(latency);
    assert_int_equal(fb_walk_latency(&c, QUERIES, latency), FB_OK);
    assert_int_equal(latency->kind[FB_SINGLE_OP_GROSS].n, QUERIES);
    assert_int_equal(latency->kind[FB_TIMER_EMPTY].n, QUERIES);
    assert_int_equal(latency->kind[FB_BATCH64_MEAN].n, 0);
    c = candidate_of(&g, "batched");
    assert_int_equal(fb_walk_latency(&c, QUERIES, latency), FB_EUNSUPPORTED);
}

int main(int argc, char **argv)
{
    fb_processes_child(argc, argv, (const struct fb_child *const[]){&fb_walk_child, NULL});
    return run_unit_tests(NULL, NULL);
}
