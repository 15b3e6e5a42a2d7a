/* Keys of runs and their places, against the plainest model; listed and interpolated. */
#include "tests/trees.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"

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
    auto_free uint8_t *times = calloc(space->size, 1), *found = calloc(space->size, 1);
    auto_free size_t *holder = malloc(space->size * sizeof *holder);
    auto_free bool *deleted = calloc(space->size, sizeof *deleted);
    for (uint64_t i = 0; i < space->size; i++)
        holder[i] = t->n_runs;
    uint64_t older = space->n_present, entries = 0;
    for (size_t i = 0; i < t->n_runs; i++) {
        const struct fb_run *r = &t->runs[i];
        auto_free uint64_t *units = calloc(fb_run_units(r), sizeof *units);
        older -= r->n_own;
        entries += r->n_keys;
        assert_int_equal(r->first, older);
        assert_true(r->n_updates <= older);
        memset(times, 0, space->size);
        memset(found, 0, space->size);
        for (uint64_t k = 0; k < r->n_keys; k++) {
            uint64_t arrival = k < r->n_own ? r->first + k : fb_permute(&r->updates, k - r->n_own);
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
        for (uint64_t k = 0; r->member && k < r->n_keys; k++) {
            bool tombstone;
            fb_run_holds(t, i, r->member[k] & ~FB_MEMBER_TOMBSTONE, &tombstone);
            assert_int_equal(r->member[k] >> 63, tombstone);
        }
        if (r->member)
            for (size_t u = 0; u < fb_run_units(r); u++) {
                uint64_t even = r->n_keys / fb_run_units(r);
                assert_true(units[u] == 2 * even || units[u] == 2 * even + 2);
            }
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
}

/* Every place of a listed run, counted by hand. */
static void check_places(const struct fb_tree *t)
{
    for (size_t i = 0; i < t->n_runs; i++) {
        const struct fb_run *r = &t->runs[i];
        uint64_t rank = 0;
        for (uint64_t x = 0; x < t->space->size + 3; x++) {
            struct fb_place place;
            size_t unit;
            while (rank < r->n_keys && (r->member[rank] & ~FB_MEMBER_TOMBSTONE) < x)
                rank++;
            bool held = rank < r->n_keys && (r->member[rank] & ~FB_MEMBER_TOMBSTONE) == x;
            size_t segment = rank * r->n_segments / r->n_keys;
            bool inside = held || (rank > 0 && rank < r->n_keys &&
                                   (rank - 1) * r->n_segments / r->n_keys == segment);
            assert_int_equal(fb_run_rank(r, x), rank);
            assert_int_equal(fb_run_locate(r, x, &place), inside);
            assert_int_equal(fb_run_unit(r, x, &unit), inside);
            if (!inside)
                continue;
            uint64_t first = (segment * r->n_keys + r->n_segments - 1) / r->n_segments;
            uint64_t end = ((segment + 1) * r->n_keys + r->n_segments - 1) / r->n_segments;
            assert_int_equal(place.segment, segment);
            assert_int_equal(place.unit, rank * fb_run_units(r) / r->n_keys);
            assert_int_equal(unit, place.unit);
            assert_int_equal(place.rank, rank - first);
            assert_int_equal(place.segment_keys, end - first);
        }
    }
}

static void check_against_list(const struct fb_tree *list, const struct fb_tree *t)
{
    bool exact = t->space->order != FB_ORDER_SHUFFLE && t->n_keys == t->space->n_present;
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

TEST(keys_and_places_of_every_style)
{
    static const struct {
        double updates, tombstones;
        unsigned memtables;
        enum fb_filter_unit unit;
    } variants[] = {
        {0, 0, 0, FB_UNIT_FILE},        {0.3, 0.5, 2, FB_UNIT_BLOCK}, {0.5, 0.1, 1, FB_UNIT_FILE},
        {0.6, 1, 1, FB_UNIT_PARTITION}, {0.9, 0, 0, FB_UNIT_BLOCK},
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
                closed_by(fb_tree_close) struct fb_tree list = tree_of(&shape, &space, LISTED);
                closed_by(fb_tree_close) struct fb_tree other =
                    tree_of(&shape, &space, INTERPOLATED);
                for (size_t r = 0; shape.unit == FB_UNIT_FILE && r < list.n_runs; r++)
                    assert_int_equal(list.runs[r].units_per_segment, 1);
                assert_non_null(list.runs[0].member);
                assert_null(other.runs[0].member);
                check_keys(&list);
                check_keys(&other);
                check_places(&list);
                check_against_list(&list, &other);
            }
}

/* 6 runs to each of which as many keys came; as many are written again in all but the oldest, half
 * of these deleted: 1/5, 1/4, .. of the older keys. */
TEST(as_many_are_deleted_under_every_seed)
{
    enum { EACH = 3000, RUNS = 6, N = RUNS * EACH };
    struct fb_tree_shape shape = plain;
    shape.style = FB_FLAT;
    shape.n_runs = RUNS;
    shape.n_keys = N;
    shape.updates = 0.5;
    shape.tombstones = 0.5;
    static const double holder_of[] = {1 / 3., 4 / 15., 1 / 5., 2 / 15., 1 / 15., 0};
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (int order = FB_ORDER_SHUFFLE; order <= FB_ORDER_DENSE; order++) {
            struct fb_keyspace space = space_of((enum fb_order)order, N, seed);
            closed_by(fb_tree_close) struct fb_tree list = tree_of(&shape, &space, LISTED);
            closed_by(fb_tree_close) struct fb_tree other = tree_of(&shape, &space, INTERPOLATED);
            uint64_t deleted = 0, held[RUNS + 1] = {0}, twice = 0;
            for (uint64_t x = 0; x < 2 * N; x++) {
                bool tombstone, again, newer[2];
                size_t holder = fb_tree_holder(&list, x, &tombstone);
                assert_int_equal(fb_tree_holder(&other, x, &again), holder);
                assert_int_equal(again, tombstone);
                deleted += tombstone;
                held[holder]++;
                for (size_t r = 0; r < 2; r++)
                    newer[r] = fb_run_holds(&list, r, x, &again) &&
                               fb_keyspace_arrival(&space, x) < 4 * EACH;
                twice += newer[0] && newer[1];
            }
            assert_near(deleted / (double)N, 1 / 4., 0.01);
            assert_int_equal(held[RUNS], N);
            for (size_t r = 0; r < RUNS; r++) {
                assert_near(held[r] / (double)N, holder_of[r], 0.01);
                assert_int_equal(list.runs[r].n_updates, r < 5 ? EACH : 0);
                assert_int_equal(list.runs[r].n_tombstones, r < 5 ? EACH / 2 : 0);
            }
            assert_near(twice / (4. * EACH), 1 / 5. * 1 / 4., 0.01);
        }
}

/* By brute force: no key twice, none of the run's own, none that is newer. */
TEST(keys_of_a_run_are_distinct)
{
    struct fb_tree_shape shape = plain;
    shape.style = FB_TIERED;
    shape.updates = 0.7;
    shape.tombstones = 0.4;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, keys_of(&shape), seed);
        closed_by(fb_tree_close) struct fb_tree t = tree_of(&shape, &space, INTERPOLATED);
        auto_free uint8_t *times = calloc(space.size, 1);
        for (size_t r = 0; r < t.n_runs; r++) {
            const struct fb_run *run = &t.runs[r];
            uint64_t n_tombstones = 0;
            memset(times, 0, space.size);
            for (uint64_t k = 0; k < run->n_keys; k++) {
                uint64_t index = fb_run_key(&t, r, k), arrival = fb_keyspace_arrival(&space, index);
                bool tombstone;
                assert_int_equal(times[index]++, 0);
                assert_true(k < run->n_own ? arrival == run->first + k : arrival < run->first);
                assert_true(fb_run_holds(&t, r, index, &tombstone));
                n_tombstones += tombstone;
            }
            assert_int_equal(n_tombstones, run->n_tombstones);
            assert_int_equal(run->n_keys, run->n_own + run->n_updates);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Ranks of runs that no memory holds: keys that lie evenly have their places, in exact arithmetic,
 * to a key. */
TEST(places_among_many_keys)
{
    enum { KEYS = 20000 };
    static const uint64_t sizes[] = {10000000000, 1000000000000, UINT64_C(1) << 40};
    struct fb_tree_shape shape = plain;
    shape.segment_bytes = 64 << 20;
    shape.ratio = 10;
    shape.levels = 6;
    shape.l0 = 4;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        shape.n_keys = sizes[i];
        struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, sizes[i], 7);
        closed_by(fb_tree_close) struct fb_tree t = tree_of(&shape, &space, INTERPOLATED);
        const struct fb_run *run = &t.runs[t.n_runs - 1];
        const uint64_t units = fb_run_units(run), range = run->high - run->low;
        uint64_t *seen = calloc(KEYS, sizeof *seen), n_low = 0;
        assert_true(run->n_keys > sizes[i] / 2 && run->n_stretches == 1);
        for (uint64_t k = 0; k < KEYS; k++) {
            const uint64_t index = fb_run_key(&t, t.n_runs - 1, run->n_keys / KEYS * k);
            const fb_u128 below = (fb_u128)(index - run->low) * run->n_keys;
            const uint64_t rank = (uint64_t)(below / range);
            struct fb_place at;
            bool tombstone;
            size_t unit;
            assert_true(fb_run_locate(run, index, &at));
            assert_true(fb_run_unit(run, index, &unit) && unit == at.unit && unit < units);
            const uint64_t first = (uint64_t)((fb_u128)at.segment * run->n_keys / run->n_segments);
            assert_in_range(first + at.rank + 2 - rank, 0, 4);
            assert_in_range(at.unit + 1 - (uint64_t)((fb_u128)rank * units / run->n_keys), 0, 2);
            assert_true(at.rank <= at.segment_keys);
            assert_true(fb_run_holds(&t, t.n_runs - 1, index, &tombstone));
            assert_int_equal(fb_tree_holder(&t, index, &tombstone), t.n_runs - 1);
            n_low += rank < run->n_keys / 2;
            seen[k] = index;
        }
        assert_in_range(n_low, KEYS / 2 - 500, KEYS / 2 + 500); /* seven standard deviations */
        qsort(seen, KEYS, sizeof *seen, by_value);
        for (size_t k = 1; k < KEYS; k++)
            assert_true(seen[k] > seen[k - 1]);
        free(seen);
    }
}

TEST(many_arrivals_are_each_alone)
{
    static const uint64_t sizes[] = {1, 2, 3, 255, 257, 1000, 4097};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int order = FB_ORDER_SHUFFLE; order <= FB_ORDER_DENSE; order++) {
            struct fb_keyspace space = space_of((enum fb_order)order, sizes[i], i);
            for (uint64_t first = 0; first < space.size; first += 1 + space.size / 3) {
                size_t n = (size_t)(space.size - first);
                auto_free uint64_t *index = malloc(n * sizeof *index);
                fb_keyspace_indices(&space, first, n, index);
                for (size_t j = 0; j < n; j++)
                    assert_int_equal(index[j], fb_keyspace_index(&space, first + j));
            }
        }
}

TESTS(NULL, NULL)
