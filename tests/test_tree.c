/* Trees: run counts and sizes of each style, who holds which key, places, and what is refused. */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/core/rng.h"
#include "workloads/core/tree.h"

static const struct fb_tree_shape plain = {
    .style = FB_LEVELED,
    .key_bytes = 16,
    .value_bytes = 100,
    .entry_overhead = 8,
    .segment_bytes = 124 * 50,
    .ratio = 4,
    .levels = 3,
    .l0 = 2,
    .fill = 1,
    .n_runs = 5,
    .size_ratio = 1,
    .bits_per_key = 10,
    .scale = 1,
};

static const uint64_t listed = UINT64_MAX, interpolated = 0;

static struct fb_keyspace space_of(enum fb_order order, uint64_t n, uint64_t root)
{
    struct fb_keyspace space;
    fb_keyspace_generate(fb_keygen_find("random"), order, n, root, &space);
    return space;
}

static uint64_t keys_of(const struct fb_tree_shape *shape)
{
    uint64_t n = 0;
    const char *why = NULL;
    assert_int_equal(fb_tree_n_keys(shape, &n, &why), FB_OK);
    assert_null(why);
    return n;
}

static struct fb_tree tree_of(const struct fb_tree_shape *shape, const struct fb_keyspace *space,
                              uint64_t list_limit)
{
    struct fb_tree tree;
    const char *why = NULL;
    enum fb_err err = fb_tree_make(shape, space, list_limit, &tree, &why);
    if (err)
        print_message("%s\n", why ? why : "?");
    assert_int_equal(err, FB_OK);
    return tree;
}

/* ---- Shapes ---- */

static void runs_are_what_the_formulas_say(void **state)
{
    (void)state;
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
                    struct fb_tree tree = tree_of(&shape, &space, interpolated);
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
                    for (unsigned i = 0; i < levels; i++, size *= ratio)
                        assert_int_equal(of_level[i], i || l0 ? size : 0);
                    fb_tree_close(&tree);
                }
}

static void segments_have_the_keys_of_their_bytes(void **state)
{
    (void)state;
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
        struct fb_tree tree = tree_of(&shape, &space, interpolated);
        assert_int_equal(tree.segment_keys, cases[i].keys);
        assert_int_equal(tree.runs[0].n_keys, cases[i].keys);
        fb_tree_close(&tree);
        shape.scale = 100;
        assert_int_equal(keys_of(&shape), cases[i].keys / 100 * (2 + 8 + 32));
    }
    struct fb_tree_shape fjall = plain;
    fjall.key_bytes = 40;
    fjall.segment_bytes = 64 << 20;
    fjall.ratio = 8;
    fjall.levels = 4;
    fjall.l0 = 4;
    assert_int_equal(keys_of(&fjall), 453438 * UINT64_C(4) * (1 + 8 + 64 + 512));
}

static void numbers_of_keys_fit_the_levels(void **state)
{
    (void)state;
    static const struct {
        enum fb_style style;
        unsigned levels, n_runs;
        uint64_t n, runs, newest, oldest, segment;
    } cases[] = {
        {FB_LEVELED, 3, 0, 2100, 4, 50, 1600, 50}, /* as full as they may be: 100 + 400 + 1600 */
        {FB_LEVELED, 3, 0, 3000, 4, 50, 2500, 50}, /* more */
        {FB_LEVELED, 3, 0, 214, 4, 6, 161, 5},     /* fewer */
        {FB_LEVELED, 0, 0, 2100, 4, 50, 1600, 50}, {FB_LEVELED, 0, 0, 2101, 5, 50, 1, 50},
        {FB_LEVELED, 0, 0, 501, 4, 50, 1, 50},     {FB_LEVELED, 0, 0, 100, 2, 50, 50, 50},
        {FB_LEVELED, 0, 0, 60, 2, 30, 30, 30},     {FB_TIERED, 0, 0, 500, 5, 50, 134, 50},
        {FB_UNIVERSAL, 0, 5, 800, 5, 50, 400, 50}, {FB_UNIVERSAL, 0, 0, 801, 6, 50, 1, 50},
        {FB_UNIVERSAL, 0, 0, 49, 1, 49, 49, 50},   {FB_FLAT, 0, 7, 7003, 7, 1000, 1001, 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fb_tree_shape shape = plain;
        shape.style = cases[i].style;
        shape.levels = cases[i].levels;
        shape.n_runs = cases[i].n_runs;
        shape.n_keys = cases[i].n;
        assert_int_equal(keys_of(&shape), cases[i].n);
        struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, cases[i].n, 1);
        struct fb_tree tree = tree_of(&shape, &space, listed);
        assert_int_equal(tree.n_runs, cases[i].runs);
        assert_int_equal(tree.runs[0].n_keys, cases[i].newest);
        assert_int_equal(tree.runs[tree.n_runs - 1].n_keys, cases[i].oldest);
        assert_int_equal(tree.segment_keys, cases[i].segment);
        fb_tree_close(&tree);
    }
}

/* ---- Keys and places, against the plainest model ---- */

struct seen {
    const struct fb_tree *tree;
    size_t run;
    uint8_t *times; /* [space size] */
    uint64_t *units;
    uint64_t n;
};

static void see(void *arg, size_t unit, uint64_t index)
{
    struct seen *s = arg;
    const struct fb_run *r = &s->tree->runs[s->run];
    struct fb_place place;
    s->times[index]++;
    s->n++;
    assert_true(fb_run_locate(r, index, &place));
    assert_int_equal(place.unit, unit);
    assert_int_equal(unit / r->units_per_segment, place.segment);
    assert_true(place.rank < place.segment_keys);
    assert_true(index >= r->segment_low[place.segment]);
    assert_true(place.segment + 1 == r->n_segments || index < r->segment_low[place.segment + 1]);
    s->units[unit]++;
}

/* What each run has, from the definition: by arrival. */
static void check_keys(const struct fb_tree *t)
{
    const struct fb_keyspace *space = t->space;
    uint8_t *times = calloc(space->size, 1), *found = calloc(space->size, 1);
    size_t *holder = malloc(space->size * sizeof *holder);
    bool *deleted = calloc(space->size, sizeof *deleted);
    for (uint64_t i = 0; i < space->size; i++)
        holder[i] = t->n_runs;
    uint64_t older = space->n_present, entries = 0;
    for (size_t i = 0; i < t->n_runs; i++) {
        const struct fb_run *r = &t->runs[i];
        uint64_t *units = calloc(fb_run_units(r), sizeof *units);
        older -= r->n_own;
        entries += r->n_keys;
        assert_int_equal(r->first, older);
        assert_true(r->n_updates <= older);
        memset(times, 0, space->size);
        memset(found, 0, space->size);
        for (uint64_t k = 0; k < r->n_keys; k++) {
            uint64_t arrival =
                k < r->n_own ? r->first + k : (r->updates_first + (k - r->n_own)) % r->first;
            uint64_t index = fb_keyspace_index(space, arrival);
            bool tombstone = k >= r->n_own && k - r->n_own < r->n_tombstones, is;
            times[index]++;
            if (holder[index] == t->n_runs)
                holder[index] = i, deleted[index] = tombstone;
            assert_true(fb_run_holds(t, i, index, &is));
            assert_int_equal(is, tombstone);
        }
        struct seen seen = {t, i, found, units, 0};
        fb_run_each(t, i, 0, fb_run_units(r), see, &seen);
        assert_int_equal(seen.n, r->n_keys);
        assert_memory_equal(times, found, space->size);
        for (uint64_t x = 0; x < space->size; x++) {
            bool tombstone;
            assert_int_equal(fb_run_holds(t, i, x, &tombstone), times[x]);
        }
        /* Units and slices in pieces: the same keys. */
        size_t third = fb_run_units(r) / 3;
        uint64_t half = r->n_keys / 2;
        memset(found, 0, space->size);
        for (size_t u = 0; u < fb_run_units(r); u += third + 1) {
            fb_run_slice(t, i, 0, half, u, third + 1, see, &seen);
            fb_run_slice(t, i, half, r->n_keys - half, u, third + 1, see, &seen);
        }
        assert_memory_equal(times, found, space->size);
        if (r->member)
            for (size_t u = 0; u < fb_run_units(r); u++) {
                uint64_t even = r->n_keys / fb_run_units(r);
                assert_true(units[u] == 2 * even || units[u] == 2 * even + 2);
            }
        free(units);
    }
    assert_int_equal(older, 0);
    assert_int_equal(entries, t->n_keys);
    for (uint64_t x = 0; x < space->size; x++) {
        bool tombstone;
        assert_int_equal(fb_tree_holder(t, x, &tombstone), holder[x]);
        assert_int_equal(tombstone, deleted[x]);
    }
    bool tombstone;
    assert_int_equal(fb_tree_holder(t, space->size, &tombstone), t->n_runs);
    free(times);
    free(found);
    free(holder);
    free(deleted);
}

/* Every place of a listed run, counted by hand. */
static void check_places(const struct fb_tree *t)
{
    for (size_t i = 0; i < t->n_runs; i++) {
        const struct fb_run *r = &t->runs[i];
        uint64_t rank = 0;
        for (uint64_t x = 0; x < t->space->size + 3; x++) {
            struct fb_place place;
            while (rank < r->n_keys && (r->member[rank] & ~FB_MEMBER_TOMBSTONE) < x)
                rank++;
            bool held = rank < r->n_keys && (r->member[rank] & ~FB_MEMBER_TOMBSTONE) == x;
            size_t segment = rank * r->n_segments / r->n_keys;
            bool inside = held || (rank > 0 && rank < r->n_keys &&
                                   (rank - 1) * r->n_segments / r->n_keys == segment);
            assert_int_equal(fb_run_locate(r, x, &place), inside);
            if (!inside)
                continue;
            uint64_t first = (segment * r->n_keys + r->n_segments - 1) / r->n_segments;
            uint64_t end = ((segment + 1) * r->n_keys + r->n_segments - 1) / r->n_segments;
            assert_int_equal(place.segment, segment);
            assert_int_equal(place.unit, rank * fb_run_units(r) / r->n_keys);
            assert_int_equal(place.rank, rank - first);
            assert_int_equal(place.segment_keys, end - first);
        }
    }
}

static void check_against_list(const struct fb_tree *list, const struct fb_tree *t)
{
    bool exact = t->space->order != FB_ORDER_SHUFFLE;
    uint64_t far = 0, asked = 0;
    assert_int_equal(list->n_runs, t->n_runs);
    assert_int_equal(list->n_units, t->n_units);
    for (size_t i = 0; i < t->n_runs; i++) {
        assert_int_equal(list->runs[i].first_unit, t->runs[i].first_unit);
        assert_int_equal(fb_run_units(&list->runs[i]), fb_run_units(&t->runs[i]));
        for (uint64_t x = 0; x < t->space->size; x++) {
            struct fb_place a, b;
            bool tombstone, held = fb_run_holds(t, i, x, &tombstone);
            if (!fb_run_locate(&list->runs[i], x, &a)) {
                assert_false(held);
                continue;
            }
            if (!fb_run_locate(&t->runs[i], x, &b)) {
                fail_msg("index %u of run %zu is in range", (unsigned)x, i);
                continue;
            }
            uint64_t distance =
                a.segment > b.segment ? a.segment - b.segment : b.segment - a.segment;
            assert_true(distance <= 1);
            far += distance;
            asked++;
            if (exact && held) {
                assert_int_equal(a.unit, b.unit);
                assert_int_equal(a.rank, b.rank);
            }
        }
    }
    assert_true(far * (exact ? 20 : 2) < asked);
}

static void keys_and_places_of_every_style(void **state)
{
    (void)state;
    static const struct {
        double updates, tombstones;
        unsigned memtables;
        enum fb_filter_unit unit;
    } variants[] = {
        {0, 0, 0, FB_UNIT_FILE},
        {0.3, 0.5, 2, FB_UNIT_BLOCK},
        {0.6, 1, 1, FB_UNIT_PARTITION},
        {0.9, 0, 0, FB_UNIT_BLOCK},
    };
    for (int style = FB_LEVELED; style <= FB_FLAT; style++)
        for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
            for (int order = FB_ORDER_SHUFFLE; order <= FB_ORDER_DENSE; order++) {
                struct fb_tree_shape shape = plain;
                shape.style = (enum fb_style)style;
                shape.updates = variants[v].updates;
                shape.tombstones = variants[v].tombstones;
                shape.memtables = variants[v].memtables;
                shape.memtable_keys = 30;
                shape.unit = variants[v].unit;
                shape.bits_per_key = 3000;
                struct fb_keyspace space =
                    space_of((enum fb_order)order, keys_of(&shape), (uint64_t)style + 7);
                struct fb_tree list = tree_of(&shape, &space, listed);
                struct fb_tree other = tree_of(&shape, &space, interpolated);
                assert_non_null(list.runs[0].member);
                assert_null(other.runs[0].member);
                check_keys(&list);
                check_keys(&other);
                check_places(&list);
                check_against_list(&list, &other);
                fb_tree_close(&list);
                fb_tree_close(&other);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_what_the_formulas_say),
        cmocka_unit_test(segments_have_the_keys_of_their_bytes),
        cmocka_unit_test(numbers_of_keys_fit_the_levels),
        cmocka_unit_test(keys_and_places_of_every_style),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
