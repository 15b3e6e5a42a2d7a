/* Shapes of trees: runs and sizes of each style, and what is refused. */
#include "tests/trees.h"

#include <string.h>

#include "workloads/core/tree_plan.h"

/* ---- Shapes ---- */

TEST(runs_are_what_the_formulas_say)
{
    for (unsigned ratio = 2; ratio <= 10; ratio++)
        for (unsigned levels = 1; levels <= 4; levels++)
            for (unsigned l0 = levels == 1; l0 <= 8; l0 += 1 + l0)
                for (int style = FB_LEVELED; style <= FB_LAZY; style++) {
                    struct fb_tree_shape shape = plain;
                    shape.style = (enum fb_style)style;
                    shape.ratio = ratio;
                    shape.levels = levels;
                    shape.l0 = l0;
                    const unsigned runs[] = {
                        [FB_LEVELED] = l0 + levels - 1,
                        [FB_TIERED] = l0 + (ratio - 1) * (levels - 1),
                        [FB_LAZY] = levels == 1 ? l0 : l0 + (ratio - 1) * (levels - 2) + 1,
                    };
                    struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, keys_of(&shape), 1);
                    closed_by(fb_tree_close) struct fb_tree tree =
                        tree_of(&shape, &space, INTERPOLATED);
                    assert_int_equal(tree.n_runs, runs[style]);
                    assert_int_equal(tree.n_levels, levels);
                    uint64_t sum = 0, of_level[5] = {0}, size = (l0 ? l0 : 1) * 50;
                    for (size_t r = 0; r < tree.n_runs; r++) {
                        sum += tree.runs[r].n_keys;
                        of_level[tree.runs[r].level] += tree.runs[r].n_keys;
                        if (tree.runs[r].level == 0)
                            assert_int_equal(tree.runs[r].n_segments, 1);
                    }
                    assert_int_equal(sum, space.n_present);
                    for (unsigned i = 0; i<levels; i++, size *= i> 1 || !l0 ? ratio : 1)
                        assert_int_equal(of_level[i], i || l0 ? size : 0);
                }
}

/* A share of updates is one of all entries: 0.2 of them makes 50 of 200 own keys, as far as there
 * are older keys to write again. */
TEST(updates_are_a_share_of_the_entries)
{
    struct fb_tree_shape shape = plain;
    shape.updates = 0.2;
    shape.tombstones = 0.3;
    struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, keys_of(&shape), 1);
    closed_by(fb_tree_close) struct fb_tree tree = tree_of(&shape, &space, INTERPOLATED);
    for (size_t r = 0; r < tree.n_runs; r++) {
        const struct fb_run *run = &tree.runs[r];
        const uint64_t updates = run->n_own / 4 < run->first ? run->n_own / 4 : run->first;
        assert_int_equal(run->n_updates, updates);
        assert_int_equal(run->n_tombstones, updates * 3 / 10);
        assert_int_equal(run->n_keys, run->n_own + updates);
    }
    assert_int_equal(tree.runs[tree.n_runs - 1].n_updates, 0);
}

/* A level of ratio 2.5 takes two runs of the size above before the third makes it too large. */
TEST(ratios_need_not_be_whole)
{
    struct fb_tree_shape shape = plain;
    shape.style = FB_TIERED;
    shape.ratio = 2.5;
    shape.levels = 3;
    shape.l0 = 2;
    struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, keys_of(&shape), 1);
    closed_by(fb_tree_close) struct fb_tree tree = tree_of(&shape, &space, INTERPOLATED);
    assert_int_equal(tree.n_runs, 2 + 2 + 2);
    assert_int_equal(tree.n_keys, 100 + 100 + 250);
}

TEST(segments_have_the_keys_of_their_bytes)
{
    static const struct {
        double key, value;
        uint64_t keys;
    } cases[] = {{16, 100, 541200}, {40, 100, 453438}, {16, 1000, 65536}, {48, 43, 677867}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fb_tree_shape shape = plain;
        shape.key_bytes = cases[i].key;
        shape.value_bytes = cases[i].value;
        shape.segment_bytes = 64 << 20;
        struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, keys_of(&shape), 1);
        closed_by(fb_tree_close) struct fb_tree tree = tree_of(&shape, &space, INTERPOLATED);
        assert_int_equal(tree.segment_keys, cases[i].keys);
        assert_int_equal(tree.runs[0].n_keys, cases[i].keys);
        shape.scale = 100;
        assert_int_equal(keys_of(&shape), cases[i].keys / 100 * (2 + 2 + 8));
        shape.scale = 0.5;
        assert_int_equal(keys_of(&shape), cases[i].keys * 2 * (2 + 2 + 8));
    }
    struct fb_tree_shape fjall = plain;
    fjall.key_bytes = 40;
    fjall.segment_bytes = 64 << 20;
    fjall.ratio = 8;
    fjall.levels = 4;
    fjall.l0 = 4;
    assert_int_equal(keys_of(&fjall), 453438 * UINT64_C(4) * (1 + 1 + 8 + 64));
}

TEST(numbers_of_keys_fit_the_levels)
{
    static const struct {
        enum fb_style style;
        unsigned levels, n_runs;
        uint64_t n, runs, newest, oldest, segment;
    } cases[] = {
        {FB_LEVELED, 3, 0, 600, 4, 50, 400, 50},   /* as full as they may be: 100 + 100 + 400 */
        {FB_LEVELED, 3, 0, 1500, 4, 50, 1300, 50}, /* more */
        {FB_LEVELED, 3, 0, 60, 4, 5, 40, 5},       /* fewer */
        {FB_LEVELED, 0, 0, 600, 4, 50, 400, 50},   {FB_LEVELED, 0, 0, 601, 5, 50, 1, 50},
        {FB_LEVELED, 0, 0, 201, 4, 50, 1, 50},     {FB_LEVELED, 0, 0, 100, 2, 50, 50, 50},
        {FB_LEVELED, 0, 0, 60, 2, 30, 30, 30},     {FB_LEVELED, 0, 0, 40, 1, 40, 40, 40},
        {FB_TIERED, 0, 0, 500, 8, 50, 100, 50},    {FB_TIERED, 0, 0, 150, 4, 50, 25, 50},
        {FB_UNIVERSAL, 0, 5, 800, 5, 50, 400, 50}, {FB_UNIVERSAL, 0, 0, 801, 6, 50, 1, 50},
        {FB_UNIVERSAL, 0, 0, 49, 1, 49, 49, 49},   {FB_FLAT, 0, 7, 7003, 7, 1000, 1001, 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fb_tree_shape shape = plain;
        shape.style = cases[i].style;
        shape.levels = cases[i].levels;
        shape.n_runs = cases[i].n_runs;
        shape.n_keys = cases[i].n;
        assert_int_equal(keys_of(&shape), cases[i].n);
        struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, cases[i].n, 1);
        closed_by(fb_tree_close) struct fb_tree tree = tree_of(&shape, &space, LISTED);
        assert_int_equal(tree.n_runs, cases[i].runs);
        assert_int_equal(tree.runs[0].n_keys, cases[i].newest);
        assert_int_equal(tree.runs[tree.n_runs - 1].n_keys, cases[i].oldest);
        assert_int_equal(tree.segment_keys, cases[i].segment);
        /* Each run of a universal tree is a level of its own, those of a flat one are one level. */
        if (shape.style == FB_UNIVERSAL || shape.style == FB_FLAT)
            for (size_t r = 0; r < tree.n_runs; r++)
                assert_int_equal(tree.runs[r].level, shape.style == FB_FLAT ? 0 : r);
    }
}

/* Files of 50 keys: given runs of 7, 120 and 1000 keys have 1, 3 and 20; twice as many keys make
 * runs of 13, 239 and 2002, a tenth of them 1, 13 and 98. */
TEST(given_runs_stay_in_proportion)
{
    static const struct fb_given_run given[] = {{7, 0, 0}, {120, 2, 0}, {1000, 2, 0}};
    static const struct {
        uint64_t n, newest, middle, oldest, segments;
    } cases[] = {{1127, 7, 120, 1000, 24}, {2254, 13, 239, 2002, 47}, {112, 1, 13, 98, 4}};
    struct fb_tree_shape shape = plain;
    shape.given = given;
    shape.n_given = 3;
    shape.n_keys = 0;
    assert_int_equal(keys_of(&shape), 1127);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shape.n_keys = cases[i].n;
        struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, cases[i].n, 1);
        closed_by(fb_tree_close) struct fb_tree tree = tree_of(&shape, &space, LISTED);
        assert_int_equal(tree.n_runs, 3);
        assert_int_equal(tree.n_levels, 3);
        assert_int_equal(tree.runs[1].level, 2);
        assert_int_equal(tree.runs[0].n_keys, cases[i].newest);
        assert_int_equal(tree.runs[1].n_keys, cases[i].middle);
        assert_int_equal(tree.runs[2].n_keys, cases[i].oldest);
        assert_int_equal(tree.n_units, cases[i].segments);
    }
}

/* A run with so many files has as many segments, whatever a segment would hold. Half as many keys
 * have half the files, more keys larger ones. */
TEST(given_files_are_kept)
{
    static const struct fb_given_run given[] = {{10, 0, 1}, {100, 1, 40}, {1000, 2, 8}};
    static const struct {
        uint64_t n, segments[3];
    } cases[] = {{1110, {1, 40, 8}}, {555, {1, 20, 4}}, {2220, {1, 40, 8}}};
    struct fb_tree_shape shape = plain;
    shape.given = given;
    shape.n_given = 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shape.n_keys = cases[i].n;
        struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, cases[i].n, 1);
        closed_by(fb_tree_close) struct fb_tree tree = tree_of(&shape, &space, LISTED);
        for (size_t r = 0; r < 3; r++)
            assert_int_equal(tree.runs[r].n_segments, cases[i].segments[r]);
    }
}

/* 4 KiB of bits, 10 a key, are 3276 keys; 2 KiB of entries of 124 bytes are 16. */
TEST(filters_have_the_keys_of_their_bytes)
{
    static struct fb_tree_plan plan;
    const char *why = NULL;
    struct fb_tree_shape shape = plain;
    shape.segment_bytes = 124 * 100000;
    shape.unit = FB_UNIT_PARTITION;
    assert_int_equal(fb_tree_plan(&shape, 0, &plan, &why), FB_OK);
    assert_int_equal(plan.unit_keys, 3276);
    shape.unit = FB_UNIT_BLOCK;
    assert_int_equal(fb_tree_plan(&shape, 0, &plan, &why), FB_OK);
    assert_int_equal(plan.unit_keys, 16);
}

static uint64_t whole_unit_keys(struct fb_tree_shape *shape, uint64_t n)
{
    static struct fb_tree_plan plan;
    const char *why = NULL;
    shape->n_keys = n;
    assert_int_equal(fb_tree_plan(shape, n, &plan, &why), FB_OK);
    return plan.whole_unit_keys;
}

/* Segments of 50 keys, of 12 at scale 4. 10 keys make one file at any scale, and 30 keys at scale 4
 * three files, the fullest of 12, and at scale 1 one of 30: 2.5 times as many. */
TEST(files_of_given_keys_grow_with_them_at_scale_1)
{
    static const enum fb_style styles[] = {FB_LEVELED, FB_TIERED, FB_LAZY, FB_UNIVERSAL};
    struct fb_tree_shape shape = plain;
    shape.levels = shape.n_runs = 0;
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        shape.style = styles[i];
        shape.scale = 4;
        assert_int_equal(whole_unit_keys(&shape, 10), 12);
        assert_int_equal(whole_unit_keys(&shape, 30), 30);
        assert_int_equal(whole_unit_keys(&shape, 100000), 50);
        shape.scale = 1;
        assert_int_equal(whole_unit_keys(&shape, 10), 50);
    }
    shape.style = FB_FLAT;
    shape.n_runs = 5;
    shape.scale = 4;
    assert_int_equal(whole_unit_keys(&shape, 50), 12);  /* runs of 10 */
    assert_int_equal(whole_unit_keys(&shape, 100), 20); /* of 20 in two files of 10 */
    assert_int_equal(whole_unit_keys(&shape, 0), 50);
    /* Runs of a given number of levels shrink: those of a real tree are not known from them. */
    shape = plain;
    shape.scale = 4;
    assert_int_equal(whole_unit_keys(&shape, 30), 50);
}

/* Two full runs of the last level's three hold twice what one holds; one key more takes a third. */
TEST(a_last_level_has_as_many_runs_as_hold_the_rest)
{
    static struct fb_tree_plan full, plan;
    const char *why = NULL;
    struct fb_tree_shape shape = plain;
    shape.style = FB_TIERED;
    shape.ratio = 4;
    shape.levels = 2;
    shape.l0 = 2;
    assert_int_equal(fb_tree_plan(&shape, 0, &full, &why), FB_OK);
    assert_int_equal(full.n_runs, 5);
    const uint64_t inner = full.run[0].n_own + full.run[1].n_own, one = full.run[4].n_own;
    shape.levels = 0;
    assert_int_equal(fb_tree_plan(&shape, inner + 2 * one, &plan, &why), FB_OK);
    assert_int_equal(plan.n_runs, 4);
    assert_int_equal(fb_tree_plan(&shape, inner + 2 * one + 1, &plan, &why), FB_OK);
    assert_int_equal(plan.n_runs, 5);
}

/* ---- Sizes that are beyond any memory ---- */

TEST(greatest_trees)
{
    struct fb_tree_shape shape = plain;
    shape.segment_bytes = 124ull << 30;
    shape.n_keys = UINT64_C(1) << 40;
    shape.levels = 0;
    shape.ratio = 10;
    shape.updates = 0.5;
    for (int order = FB_ORDER_SHUFFLE; order <= FB_ORDER_DENSE; order++) {
        struct fb_keyspace space = space_of((enum fb_order)order, keys_of(&shape), 3);
        closed_by(fb_tree_close) struct fb_tree tree = tree_of(&shape, &space, LISTED);
        assert_null(tree.runs[0].member); /* 2^41 entries are not for a list */
        uint64_t sum = 0, last = 0;
        for (size_t r = 0; r < tree.n_runs; r++) {
            const struct fb_run *run = &tree.runs[r];
            sum += run->n_own;
            size_t segment = 0;
            for (uint64_t i = 0; i < 1000; i++) {
                uint64_t index = run->low + (run->high - run->low) / 1000 * i;
                struct fb_place place;
                if (!fb_run_locate(run, index, &place))
                    continue;
                assert_true(place.segment >= segment && place.segment < run->n_segments);
                assert_true(place.rank <= place.segment_keys);
                segment = place.segment;
            }
            assert_true(segment + 2 >= run->n_segments);
            for (size_t j = 0; j < run->n_segments; j++) {
                struct fb_place at, before = {0};
                uint64_t low = run->segment_low[j];
                assert_true(fb_run_locate(run, low, &at));
                assert_int_equal(at.segment, j);
                if (j && fb_run_locate(run, low - 1, &before))
                    assert_int_equal(before.segment, j - 1);
            }
            last = run->n_own;
        }
        assert_int_equal(sum, UINT64_C(1) << 40);
        assert_true(last > sum / 2);
    }
}

/* ---- What is refused ---- */

TEST(shapes_that_make_no_sense)
{
    struct fb_tree_shape s[40];
    const char *field[40];
    size_t n = 0;
#define REFUSED(name, ...)                                                                         \
    do {                                                                                           \
        s[n] = plain;                                                                              \
        field[n] = name;                                                                           \
        struct fb_tree_shape *shape = &s[n++];                                                     \
        __VA_ARGS__;                                                                               \
    } while (0)
    REFUSED("style", shape->style = (enum fb_style)9);
    REFUSED("filter_unit", shape->unit = (enum fb_filter_unit)3);
    REFUSED("ratio", shape->ratio = 1);
    REFUSED("ratio", shape->style = FB_LAZY, shape->ratio = 1);
    REFUSED("ratio", shape->style = FB_TIERED, shape->ratio = 1);
    REFUSED("ratio", shape->ratio = NAN);
    REFUSED("ratio", shape->ratio = INFINITY);
    REFUSED("fill", shape->fill = 0);
    REFUSED("fill", shape->fill = 1.5);
    REFUSED("fill", shape->fill = NAN);
    REFUSED("levels", shape->levels = 65);
    REFUSED("levels", shape->levels = 1, shape->l0 = 0);
    REFUSED("levels or n", shape->levels = 0);
    REFUSED("l0", shape->l0 = 1025);
    REFUSED("1024 runs", shape->style = FB_TIERED, shape->ratio = 600);
    REFUSED("2^40 keys", shape->levels = 30);
    REFUSED("2^40 keys", shape->n_keys = (UINT64_C(1) << 40) + 1);
    REFUSED("2^40 keys", shape->segment_bytes = UINT64_C(1) << 60);
    REFUSED("segment_bytes", shape->segment_bytes = 0);
    REFUSED("key_bytes", shape->key_bytes = shape->value_bytes = shape->entry_overhead = 0);
    REFUSED("value_bytes", shape->value_bytes = -1);
    REFUSED("runs", shape->style = FB_FLAT, shape->n_runs = 0);
    REFUSED("runs", shape->style = FB_FLAT, shape->n_runs = 1025);
    static const struct fb_given_run empty = {0, 0, 0}, falling[] = {{5, 1, 0}, {5, 0, 0}};
    REFUSED("run_sizes", shape->given = &empty, shape->n_given = 1);
    REFUSED("run_sizes", shape->given = falling, shape->n_given = 2);
    REFUSED("runs or n", shape->style = FB_UNIVERSAL, shape->n_runs = 0);
    REFUSED("size_ratio", shape->style = FB_UNIVERSAL, shape->size_ratio = 0);
    REFUSED("size_ratio", shape->style = FB_UNIVERSAL, shape->n_keys = 801);
    REFUSED("updates", shape->updates = 1);
    REFUSED("tombstones", shape->tombstones = 1.1);
    REFUSED("memtables", shape->memtables = 1024, shape->memtable_keys = 1);
    REFUSED("memtable_keys", shape->memtables = 2, shape->memtable_keys = 10, shape->n_keys = 20);
    REFUSED("bits_per_key", shape->unit = FB_UNIT_PARTITION, shape->bits_per_key = 0);
    REFUSED("scale", shape->scale = 0);
    REFUSED("scale", shape->scale = 51);
    REFUSED("n:", shape->n_keys = 3);
    for (size_t i = 0; i < n; i++) {
        uint64_t n_keys = 1;
        const char *why = NULL;
        assert_int_equal(fb_tree_n_keys(&s[i], &n_keys, &why), FB_EINVAL);
        assert_int_equal(n_keys, 0);
        if (!why || !strstr(why, field[i]))
            fail_msg("shape %zu: \"%s\" says nothing of %s", i, why ? why : "", field[i]);
        struct fb_keyspace space =
            space_of(FB_ORDER_SHUFFLE, s[i].n_keys && s[i].n_keys < 5000 ? s[i].n_keys : 5000, 1);
        struct fb_tree tree;
        if (strncmp(why, "runs or n", 9) && s[i].levels && s[i].n_keys < 5000) {
            assert_int_equal(fb_tree_make(&s[i], &space, 0, &tree, &why), FB_EINVAL);
            fb_tree_close(&tree);
        }
    }
}

TEST(names)
{
    assert_string_equal(fb_styles[FB_LAZY].name, "lazy");
    assert_null(fb_styles[FB_FLAT + 1].name);
    assert_string_equal(fb_filter_units[FB_UNIT_PARTITION].name, "partition");
    assert_null(fb_filter_units[FB_UNIT_PARTITION + 1].name);
    assert_int_equal(fb_word_find(fb_styles, "lazy"), FB_LAZY);
    assert_int_equal(fb_word_find(fb_styles, "Lazy"), FB_FLAT + 1);
}

TESTS(NULL, NULL)
