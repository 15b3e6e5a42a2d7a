/* The counted read path against a walk written as simply as possible. */
#include "tests/tree/read_reference.h"

static const struct fb_query_spec half_absent = {
    .absent = 0.5, .holder = FB_BY_POPULARITY, .popularity = {.kind = FB_ZIPF, .theta = 0.8}};

TEST(equals_reference_without_cache)
{
    for (int listed = 0; listed < 2; listed++)
        for (enum fb_filter_unit unit = FB_UNIT_FILE; unit <= FB_UNIT_PARTITION; unit++) {
            closed_by(scene_close) struct scene s;
            closed_by(fb_read_counts_close) struct fb_read_counts c;
            struct fb_tree_shape shape = small;
            struct fb_read_spec spec = uncached;
            shape.unit = unit;
            shape.segment_bytes *= unit == FB_UNIT_PARTITION ? 20 : 1;
            shape.l0 = unit == FB_UNIT_PARTITION ? 1 : 3;
            spec.filters = (enum fb_residency)unit; /* one each */
            spec.index = listed ? FB_CACHED : FB_PINNED;
            closed_by(fb_memtables_close) struct fb_memtables memtables;
            scene_open(&s, &shape, listed ? 1000000 : 0, "bloom-double", 8, listed ? 8 : -1);
            scene_ask(&s, &half_absent, 1);
            const uint64_t n_keys = s.tree.runs[0].n_keys + s.tree.runs[1].n_keys;
            assert_int_equal(
                fb_memtables_fill(&s.tree, n_keys - (unit == FB_UNIT_BLOCK), &memtables), FB_OK);
            spec.memtables = memtables.n ? &memtables : NULL;
            assert_equals_walk(&s, &spec, 0, 5000, 2, &c);
            assert_int_equal(memtables.n, unit == FB_UNIT_BLOCK ? 0 : 2);
            assert_in_range(c.memtable_comparisons, memtables.n ? 4 * c.memtable_searches : 0,
                            memtables.n ? 40 * c.memtable_searches : 0);
            assert_true(c.read_false > 100 && c.read_found > 1000 && c.deleted > 10);
            assert_true(c.memtable_found > 10 && !c.false_negatives);
            assert_true(c.read_false == c.data_false && c.read_filter == c.filter_blocks);
        }
}

TEST(equals_reference_with_cache)
{
    closed_by(scene_close) struct scene s;
    struct fb_tree_shape shape = small;
    shape.segment_bytes *= 20; /* filters of two partitions */
    shape.l0 = 1;
    scene_open(&s, &shape, 1000000, "bloom-double", 8, 8);
    struct fb_query_spec repeated = half_absent;
    repeated.absent = 0.85;
    repeated.absent_kind = FB_REPEAT;
    repeated.repeat_keys = 200;
    repeated.repeat_theta = 0.99;
    scene_ask(&s, &repeated, 2);
    for (enum fb_residency filters = FB_PINNED; filters <= FB_PARTITIONED; filters++) {
        closed_by(fb_read_counts_close) struct fb_read_counts c;
        struct fb_read_spec spec = uncached;
        spec.policy = FB_CACHE_LRU;
        spec.cache_bytes = 1600000;
        spec.filters = filters;
        spec.index = filters == FB_PINNED ? FB_PINNED : FB_CACHED;
        spec.evict_every = filters == FB_CACHED ? 700 : 0;
        spec.evict_share = 0.5;
        assert_equals_walk(&s, &spec, 1000, 4000, 2, &c);
        assert_true(c.read_found < c.data_found && c.read_found > 100);
        assert_true(c.read_false < c.data_false); /* the same ones again */
        assert_true((c.filter_blocks > 0) == (filters != FB_PINNED));
    }
}

/* Files of a few entries, each a block of its own, without memtables: the newest file is asked
 * first, and the last entry of a file has a block that no other has. */
TEST(equals_reference_at_the_ends_of_files)
{
    struct fb_tree_shape shape = small;
    struct fb_read_spec spec = uncached;
    shape.segment_bytes = 124 * 9;
    shape.memtables = 0;
    shape.memtable_keys = 0;
    spec.entry_bytes = 3000;
    spec.index = FB_CACHED;
    spec.policy = FB_CACHE_LRU;
    spec.cache_bytes = 2000000;
    for (int listed = 0; listed < 2; listed++) {
        closed_by(scene_close) struct scene s;
        closed_by(fb_read_counts_close) struct fb_read_counts c;
        scene_open(&s, &shape, listed ? 1000000 : 0, "bloom-double", 4, 4);
        assert_false(s.tree.runs[0].memtable);
        scene_ask(&s, &half_absent, 6);
        assert_equals_walk(&s, &spec, 1000, 5000, 2, &c);
        assert_true(c.run[0].wrong > 10 && c.read_found < c.data_found);
    }
}

/* Seventy runs whose filters are nearly full: the last bins of the histograms take what is more. */
TEST(histograms_end)
{
    closed_by(scene_close) struct scene s;
    closed_by(fb_read_counts_close) struct fb_read_counts c;
    struct fb_tree_shape shape = small;
    shape.style = FB_FLAT;
    shape.n_runs = 70;
    shape.segment_bytes = 124 * 40;
    shape.memtables = 0;
    shape.memtable_keys = 0;
    scene_open(&s, &shape, 1000000, "bloom-double", 0.25, 0.25);
    scene_ask(&s, &half_absent, 7);
    assert_equals_walk(&s, &uncached, 0, 2000, 2, &c);
    assert_true(c.io_histogram[64] > 100 && c.asked_histogram[64] > 100 && c.io_histogram[63] > 0);
}

TEST(counts_do_not_depend_on_threads)
{
    closed_by(scene_close) struct scene s;
    closed_by(fb_read_counts_close) struct fb_read_counts one, two, halves = {0};
    bool complete;
    scene_open(&s, &small, 0, "sbbf-512-lanes", 10, 10);
    scene_ask(&s, &half_absent, 3);
    const uint64_t n = 100001;
    struct fb_ask ask = scene_queries(&s, 0, n, 1);
    assert_int_equal(fb_read_path_count(&ask, &uncached, &one, &complete), FB_OK);
    ask.n_threads = 2;
    assert_int_equal(fb_read_path_count(&ask, &uncached, &two, &complete), FB_OK);
    assert_same_counts(&one, &two);
    for (uint64_t warm = 0; warm <= 40000; warm += 40000) {
        closed_by(fb_read_counts_close) struct fb_read_counts half;
        ask.first = warm;
        ask.n = warm ? n - warm : 40000;
        assert_int_equal(fb_read_path_count(&ask, &uncached, &half, &complete), FB_OK);
        assert_int_equal(fb_read_counts_add(&halves, &half), FB_OK);
    }
    assert_same_counts(&one, &halves);
}

TEST(denied_keys_are_counted)
{
    enum { ALL, LAST, BEFORE }; /* the runs that have filters */
    static const double bits[][2] = {{10, 10}, {-1, 10}, {10, -1}};
    for (int filters = ALL; filters <= BEFORE; filters++) {
        closed_by(scene_close) struct scene s;
        closed_by(fb_read_counts_close) struct fb_read_counts c;
        scene_open(&s, &small, 0, "null", bits[filters][0], bits[filters][1]);
        scene_ask(&s, &half_absent, 4);
        assert_equals_walk(&s, &uncached, 0, 3000, 2, &c);
        assert_true(c.false_negatives > (filters == ALL ? 1000 : 100));
        if (filters == ALL)
            assert_true(c.false_negatives == c.present + c.deleted - c.memtable_found &&
                        fb_read_total(&c) == 0);
        else if (filters == LAST) /* something was read on the way to the denial */
            assert_true(c.data_false > 1000);
        else /* the walk that goes on reads in the last run in vain */
            assert_true(c.data_false > c.any_false);
    }
}

TEST(refuses_what_makes_no_sense)
{
    closed_by(scene_close) struct scene s;
    bool complete;
    scene_open(&s, &small, 0, "null", 10, 10);
    scene_ask(&s, &half_absent, 4);
    struct fb_read_spec bad[3] = {uncached, uncached, uncached};
    bad[0].index = FB_PARTITIONED;
    bad[1].block_bytes = 0;
    bad[2].entry_bytes = 0;
    for (size_t i = 0; i < 3; i++) {
        closed_by(fb_read_counts_close) struct fb_read_counts c;
        const struct fb_ask ask = scene_queries(&s, 0, 10, 1);
        assert_int_equal(fb_read_path_count(&ask, &bad[i], &c, &complete), FB_EINVAL);
        assert_false(complete);
    }
}

TESTS(NULL, NULL)
