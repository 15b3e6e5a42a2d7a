/* Ranges by the bounds of segments against the walk: the same where it prunes rightly. */
#include "tests/tree/scene.h"

#include "harness/tree/ask.h"

enum { QUERIES = 20000 };

static void count(const struct scene *s, struct fb_read_counts *counts)
{
    const struct fb_ask ask = scene_queries(s, 0, QUERIES, 1);
    bool complete;
    assert_int_equal(fb_read_path_count(&ask, &uncached, counts, &complete), FB_OK);
    assert_true(complete);
}

/* How many runs the walk asks another share of than their range has. */
static size_t differing(const struct scene *s)
{
    closed_by(fb_read_counts_close) struct fb_read_counts counts;
    double in_range[FB_MAX_RUNS];
    size_t n = 0;
    assert_int_equal(fb_reach(&s->queries, QUERIES, in_range), FB_OK);
    count(s, &counts);
    for (size_t r = 0; r < s->tree.n_runs; r++) {
        const struct fb_run_counts *c = &counts.run[r];
        if (s->tree.runs[r].memtable)
            assert_true(isnan(in_range[r]));
        else
            n += (double)(c->asked - c->held) / (double)(c->reached - c->held) != in_range[r];
    }
    return n;
}

/* Trees of both kinds, all orders of arrival, with keys written again. */
TEST(ranges_are_those_of_the_walk)
{
    static const enum fb_order orders[] = {FB_ORDER_SHUFFLE, FB_ORDER_ARRIVAL, FB_ORDER_DENSE};
    for (int i = 0; i < 6; i++) {
        closed_by(scene_close) struct scene s = {0};
        s.space = space_of(orders[i / 2], keys_of(&small), 5);
        s.tree = tree_of(&small, &s.space, i % 2 ? LISTED : INTERPOLATED);
        for (size_t r = 0; r < s.tree.n_runs; r++)
            s.params[r].bits_per_key = 10;
        scene_filters(&s, "bloom-double", NULL, 1);
        scene_ask(&s, &(struct fb_query_spec){.absent = 0.4, .holder = FB_PROPORTIONAL}, 3);
        assert_int_equal(differing(&s), 0);
    }
}

/* A walk that takes an eighth of the runs for empty is found out. */
TEST(wrong_pruning_differs)
{
    struct fb_tree_shape flat = small;
    closed_by(scene_close) struct scene s;
    closed_by(fb_read_counts_close) struct fb_read_counts right, wrong;
    double in_range[FB_MAX_RUNS];
    flat.style = FB_FLAT;
    flat.n_runs = 16;
    flat.n_keys = 16000;
    flat.updates = flat.tombstones = flat.memtables = 0;
    scene_open(&s, &flat, LISTED, "bloom-double", 10, 10);
    scene_ask(&s, &(struct fb_query_spec){.absent = 0.4, .holder = FB_PROPORTIONAL}, 3);
    assert_int_equal(differing(&s), 0);
    assert_int_equal(fb_reach(&s.queries, QUERIES, in_range), FB_OK);
    count(&s, &right);
    for (size_t r = 7; r < 16; r += 8)
        s.tree.runs[r].high = s.tree.runs[r].low;
    count(&s, &wrong);
    for (size_t r = 7; r < 16; r += 8) {
        assert_true(in_range[r] > 0.98 && right.run[r].asked > right.run[r].reached / 2);
        assert_int_equal(wrong.run[r].asked, 0);
    }
}

/* Of many queries a part is looked at. */
TEST(more_queries_are_sampled)
{
    closed_by(scene_close) struct scene s;
    double all[FB_MAX_RUNS], part[FB_MAX_RUNS];
    scene_open(&s, &small, LISTED, "bloom-double", 10, 10);
    scene_ask(&s, &(struct fb_query_spec){.absent = 0, .holder = FB_BY_POPULARITY}, 3);
    assert_int_equal(fb_reach(&s.queries, FB_REACH_QUERIES, all), FB_OK);
    assert_int_equal(fb_reach(&s.queries, UINT64_C(1) << 40, part), FB_OK);
    for (size_t r = 0; r < s.tree.n_runs; r++)
        if (!s.tree.runs[r].memtable && r + 1 < s.tree.n_runs)
            assert_near(all[r], part[r], 0.02);
    assert_true(isnan(all[s.tree.n_runs - 1])); /* whoever comes to the last run ends there */
}

TESTS(NULL, NULL)
