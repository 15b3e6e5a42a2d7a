/* Which run holds what a query asks for: shares, popularity, and the texts that choose them. */
#include "tests/workloads/query_world.h"

#include <limits.h>

static void check_shares(const struct world *w, const struct fb_query_spec *spec, double sd)
{
    enum { DRAWS = 20000 };
    closed_by(fb_queries_close) struct fb_queries q;
    closed_by(fb_keyset_close) struct fb_keyset keys = {0};
    static struct fb_query out[DRAWS];
    double share[64], total = 0;
    uint64_t count[64] = {0};
    assert_in_range(w->tree.n_runs, 1, 64);
    queries_of(w, spec, &q);
    assert_int_equal(fb_queries_make(&q, 0, DRAWS, out, &keys), FB_OK);
    fb_queries_shares(&q, share);
    for (size_t i = 0; i < DRAWS; i++) {
        bool tombstone;
        assert_int_equal(out[i].holder, fb_tree_holder(&w->tree, out[i].index, &tombstone));
        assert_true(out[i].tombstone == tombstone && out[i].absent == tombstone);
        count[out[i].holder]++;
    }
    for (size_t j = 0; j < w->tree.n_runs; j++) {
        total += share[j];
        assert_near((double)count[j] / DRAWS, share[j],
                    sd * sqrt(share[j] * (1 - share[j]) / DRAWS) + 1e-6);
        if (spec->holder == FB_LEVEL && w->tree.runs[j].level != q.spec.level)
            assert_int_equal(count[j], 0);
    }
    assert_near(total, 1, 1e-9);
}

TEST(holders_have_their_shares)
{
    static const char *const holders[] = {"proportional", "popularity", "recent", "last",
                                          "level:1"};
    static const char *const popular[] = {"uniform", "zipf:0.99", "ycsb-zipf", "latest:1.2",
                                          "hotspot:0.5,0.9"};
    for (int order = 0; order < 3; order++) {
        closed_by(world_close) struct world w;
        world_make(&w, "random", (enum fb_order)order);
        for (size_t h = 0; h < 5; h++)
            for (size_t p = 0; p < 5; p++) {
                struct fb_query_spec spec = spec_of(0, FB_IN_GAP);
                const char *why;
                assert_true(fb_holder_parse(holders[h], &spec, &why));
                assert_true(fb_popularity_parse(popular[p], &spec.popularity, &why));
                /* The hot half of the keys is a draw of its own. */
                bool drawn = spec.holder == FB_BY_POPULARITY && p == 4;
                check_shares(&w, &spec, drawn ? 12 : 5);
            }
    }
}

/* Of a tree whose newer versions hide half of the older ones: counted, and (beyond 2^16 keys) in
 * expectation. */
TEST(shares_where_keys_are_written_again)
{
    static const uint64_t sizes[] = {20000, 100000};
    static const char *const holders[] = {"proportional", "recent", "last", "popularity"};
    static const char *const popular[] = {"uniform", "zipf:0.99", "latest:0.9"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        closed_by(world_close) struct world w = {0};
        const char *why = NULL;
        struct fb_keygen gen;
        struct fb_tree_shape shape = {.style = FB_FLAT,
                                      .n_runs = 4,
                                      .key_bytes = 16,
                                      .value_bytes = 100,
                                      .segment_bytes = 1 << 20,
                                      .updates = 0.5,
                                      .tombstones = 0.5,
                                      .n_keys = sizes[i],
                                      .scale = 1};
        assert_true(fb_keygen_parse("random", &gen, &why));
        fb_keyspace_generate(&gen, FB_ORDER_SHUFFLE, sizes[i], 3, &w.space);
        assert_int_equal(fb_tree_make(&shape, &w.space, UINT64_MAX, &w.tree, &why), FB_OK);
        double held[4] = {0}, share[4];
        for (uint64_t a = 0; a < sizes[i]; a++) {
            bool tombstone;
            held[fb_tree_holder(&w.tree, fb_keyspace_index(&w.space, a), &tombstone)]++;
        }
        for (size_t h = 0; h < 4; h++)
            for (size_t p = 0; p < 3; p++) {
                struct fb_query_spec spec = spec_of(0, FB_IN_GAP);
                closed_by(fb_queries_close) struct fb_queries q;
                assert_true(fb_holder_parse(holders[h], &spec, &why));
                assert_true(fb_popularity_parse(popular[p], &spec.popularity, &why));
                check_shares(&w, &spec, 5);
                queries_of(&w, &spec, &q);
                fb_queries_shares(&q, share);
                double effective = fb_queries_effective(&q);
                assert_true(effective >= 1 && effective <= (double)sizes[i] * (1 + 1e-9));
                if (p == 0 && h != 1)
                    assert_near(effective / (double)sizes[i], 1, 1e-9);
                for (size_t j = 0; h == 0 && j < 4; j++)
                    assert_near(share[j], held[j] / (double)sizes[i], i ? 0.005 : 1e-9);
            }
    }
}

/* Of runs that hold keys, each older one is asked for a `recent_ratio`th as often. */
TEST(recent_runs_are_asked_by_the_ratio)
{
    static const double ratios[] = {1, 1.5, 4};
    closed_by(world_close) struct world w;
    world_make(&w, "random", FB_ORDER_SHUFFLE);
    for (size_t i = 0; i < 3; i++) {
        struct fb_query_spec spec = spec_of(0, FB_IN_GAP);
        closed_by(fb_queries_close) struct fb_queries q;
        double share[64];
        spec.holder = FB_RECENT;
        spec.recent_ratio = ratios[i];
        queries_of(&w, &spec, &q);
        fb_queries_shares(&q, share);
        for (size_t j = 1; j < w.tree.n_runs; j++)
            assert_near(share[j - 1] / share[j], ratios[i], 1e-9);
    }
}

TEST(holders_of_a_file)
{
    closed_by(world_close) struct world w;
    world_make(&w, NULL, FB_ORDER_SHUFFLE);
    struct fb_query_spec spec = spec_of(0, FB_IN_GAP);
    check_shares(&w, &spec, 5);
}

/* The newest keys are asked most. */
TEST(latest_is_latest)
{
    closed_by(world_close) struct world w;
    closed_by(fb_queries_close) struct fb_queries q;
    closed_by(fb_keyset_close) struct fb_keyset keys = {0};
    static struct fb_query out[5000];
    const char *why;
    world_make(&w, "random", FB_ORDER_SHUFFLE);
    struct fb_query_spec spec = spec_of(0, FB_IN_GAP);
    spec.holder = FB_BY_POPULARITY;
    assert_true(fb_popularity_parse("latest", &spec.popularity, &why));
    queries_of(&w, &spec, &q);
    assert_int_equal(fb_queries_make(&q, 0, 5000, out, &keys), FB_OK);
    size_t newest = 0;
    for (size_t i = 0; i < 5000; i++)
        newest += fb_keyspace_arrival(&w.space, out[i].index) == N - 1;
    assert_near(newest / 5000.0 / fb_popularity_below(&q.items->popularity, 1), 1, 0.25);
}

TEST(holder_texts)
{
    static const char *const bad[] = {
        "", "level", "level:", "level:x", "level:1x", "level:99999999999", "newest"};
    struct fb_query_spec spec = {0};
    const char *why = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(fb_holder_parse(bad[i], &spec, &why));
        assert_non_null(strstr(why, "level:NUMBER"));
    }
    assert_true(fb_holder_parse("level:3", &spec, &why));
    assert_true(spec.holder == FB_LEVEL && spec.level == 3);
    assert_true(fb_holder_parse("last", &spec, &why));
    assert_true(spec.holder == FB_LEVEL && spec.level == UINT_MAX);
}

TESTS(NULL, NULL)
