/* The memtable against a sorted array. */
#include "tests/trees.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/core/memtable.h"
#include "workloads/core/rng.h"

enum { MAX_LEN = 12, N_PUTS = 4000 };

struct model {
    struct entry {
        uint8_t key[MAX_LEN];
        size_t len;
        uint64_t value;
    } entry[N_PUTS];
    size_t n;
};

static int compare(const struct entry *e, const uint8_t *key, size_t len)
{
    int order = memcmp(e->key, key, e->len < len ? e->len : len);
    return order ? order : (e->len > len) - (e->len < len);
}

static size_t lower_bound(const struct model *m, const uint8_t *key, size_t len)
{
    size_t i = 0;
    while (i < m->n && compare(&m->entry[i], key, len) < 0)
        i++;
    return i;
}

static bool model_has(const struct model *m, const uint8_t *key, size_t len, size_t *at)
{
    *at = lower_bound(m, key, len);
    return *at < m->n && compare(&m->entry[*at], key, len) == 0;
}

static void model_put(struct model *m, const uint8_t *key, size_t len, uint64_t value)
{
    size_t at;
    if (!model_has(m, key, len, &at)) {
        memmove(m->entry + at + 1, m->entry + at, (m->n++ - at) * sizeof *m->entry);
        memcpy(m->entry[at].key, key, len);
        m->entry[at].len = len;
    }
    m->entry[at].value = value;
}

/* Keys that share prefixes, hold zeros, repeat; also the empty one. */
static size_t key_of(uint64_t stream, uint64_t i, uint8_t *key)
{
    uint64_t word = fb_stream_word(stream, i);
    size_t len = word % MAX_LEN;
    for (size_t j = 0; j < len; j++, word /= 3)
        key[j] = (uint8_t)((word >> 8) % 3 * 127);
    return len;
}

static void check(const struct fb_memtable *m, const struct model *model)
{
    size_t n = 0, len;
    for (uint32_t i = fb_memtable_first(m); i; i = fb_memtable_next(m, i), n++) {
        const uint8_t *key = fb_memtable_key(m, i, &len);
        assert_true(n < model->n);
        assert_int_equal(compare(&model->entry[n], key, len), 0);
        assert_int_equal(fb_memtable_value(m, i), model->entry[n].value);
    }
    assert_int_equal(n, model->n);
    assert_int_equal(n, fb_memtable_n(m));
}

TEST(as_a_sorted_array)
{
    auto_free struct model *model = calloc(1, sizeof *model);
    closed_by(fb_memtable_close) struct fb_memtable m = {.stream = 5};
    for (int round = 0; round < 2; round++) {
        check(&m, model);
        for (uint64_t i = 0; i < N_PUTS; i++) {
            uint8_t key[MAX_LEN];
            size_t len = key_of(1, i, key), at;
            bool was_there = model_has(model, key, len, &at), is_new;
            assert_int_equal(fb_memtable_put(&m, key, len, i, &is_new), FB_OK);
            assert_int_equal(is_new, !was_there);
            model_put(model, key, len, i);
            if (i % 1000 < 3)
                check(&m, model);
        }
        check(&m, model);
        for (uint64_t i = 0; i < N_PUTS; i++) {
            uint8_t key[MAX_LEN];
            size_t len = key_of(2, i, key), at;
            uint64_t value = 0, n = 0;
            bool has = model_has(model, key, len, &at);
            assert_int_equal(fb_memtable_get(&m, key, len, &value, &n), has);
            if (has)
                assert_int_equal(value, model->entry[at].value);
            assert_true(n > 0);
        }
        fb_memtable_clear(&m);
        model->n = 0;
    }
}

static uint64_t comparisons(uint64_t stream, uint64_t n)
{
    closed_by(fb_memtable_close) struct fb_memtable m = {.stream = stream};
    uint64_t count = 0, value;
    uint8_t key[8];
    bool is_new;
    for (uint64_t i = 0; i < n; i++) {
        fb_put_le64(key, fb_mix64(i));
        assert_int_equal(fb_memtable_put(&m, key, 8, i, &is_new), FB_OK);
    }
    for (uint64_t i = 0; i < n; i++) {
        fb_put_le64(key, fb_mix64(n + i));
        assert_false(fb_memtable_get(&m, key, 8, &value, &count));
    }
    assert_near((double)m.n_links / (double)n, 4.0 / 3, 0.05); /* 1 + 1/4 + 1/16 + ... */
    return count;
}

/* Seen backwards a search climbs with p = 1/4 and steps aside with 3/4: at each of log4(n) heights
 * 3 nodes passed and one found too large (Pugh 1990). */
TEST(comparisons_are_logarithmic_and_the_same_every_time)
{
    uint64_t n = 4096, count = comparisons(9, n);
    assert_int_equal(count, comparisons(9, n));
    assert_true(count != comparisons(10, n));
    assert_near((double)count / (double)n, 6 * 4, 3);
    assert_near((double)comparisons(9, 4 * n) / (double)(4 * n), 7 * 4, 3);
}

TEST(nothing_in_nothing)
{
    closed_by(fb_memtable_close) struct fb_memtable m = {0};
    uint64_t value, n = 0;
    assert_false(fb_memtable_get(&m, "", 0, &value, &n));
    assert_int_equal(n, 0);
    assert_int_equal(fb_memtable_first(&m), 0);
    fb_memtable_clear(&m);
}

/* The memtables of a tree: every key of theirs is found, no other, and deletions are told. */
TEST(memtables_of_a_tree)
{
    struct fb_tree_shape shape = plain;
    shape.memtables = 2;
    shape.memtable_keys = 60;
    shape.updates = 0.5;
    shape.tombstones = 0.3;
    struct fb_keyspace space = space_of(FB_ORDER_SHUFFLE, keys_of(&shape), 3);
    for (int limit = 0; limit < 2; limit++) {
        closed_by(fb_tree_close) struct fb_tree tree =
            tree_of(&shape, &space, limit ? LISTED : INTERPOLATED);
        for (size_t run = 0; run < 2; run++) {
            closed_by(fb_memtable_close) struct fb_memtable m = {.stream = run};
            assert_true(tree.runs[run].memtable);
            assert_int_equal(fb_memtable_fill(&m, &tree, run), FB_OK);
            assert_int_equal(fb_memtable_n(&m), 120);
            for (uint64_t x = 0; x < space.size; x++) {
                uint8_t key[16];
                uint64_t value = 0, n = 0;
                bool tombstone, held = fb_run_holds(&tree, run, x, &tombstone);
                size_t len = fb_keyspace_write(&space, x, key);
                assert_int_equal(fb_memtable_get(&m, key, len, &value, &n), held);
                if (held)
                    assert_true(value == (x | (tombstone ? FB_MEMBER_TOMBSTONE : 0)));
            }
        }
    }
}

TESTS(NULL, NULL)
