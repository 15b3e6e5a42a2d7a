/* Trees of traces, against a table of the last write of each key. */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/core/queries.h"
#include "workloads/core/rng.h"
#include "workloads/core/trace_tree.h"

static const struct fb_tree_shape plain = {
    .style = FB_LEVELED,
    .entry_overhead = 8,
    .segment_bytes = 1000,
    .ratio = 3,
    .l0 = 3,
    .bits_per_key = 10,
    .scale = 1,
};

enum { N_KEYS = 400, NEVER = 0, PUT, DELETED };

struct written {
    struct fb_trace trace;
    uint8_t last[N_KEYS];
    uint16_t asked[20000];
    size_t n_asked, n_puts;
};

/* A trace in which a share of the writes, in 256ths, are deletions. */
static struct written *write_trace(uint64_t seed, size_t n_ops, unsigned deletions)
{
    struct written *w = calloc(1, sizeof *w);
    auto_free char *text = malloc(n_ops * 32 + 1);
    size_t n = 0;
    for (size_t i = 0; i < n_ops; i++) {
        uint64_t word = fb_stream_word(seed, i);
        unsigned key = (unsigned)(word % N_KEYS), kind = word >> 20 & 3;
        bool deletion = (word >> 24 & 255) < deletions;
        if (kind == 0) {
            w->asked[w->n_asked++] = (uint16_t)key;
            n += (size_t)sprintf(text + n, "g k%u\n", key);
        } else if (kind == 1) {
            n += (size_t)sprintf(text + n, i % 2 ? "s k%u k9 10\n" : "s k%u* 10\n", key);
        } else {
            key /= 2; /* every second key is never written */
            key *= 2;
            w->last[key] = deletion ? DELETED : PUT;
            w->n_puts++;
            n += deletion ? (size_t)sprintf(text + n, "d k%u\n", key)
                          : (size_t)sprintf(text + n, "p k%u %u\n", key, (unsigned)(i % 50));
        }
    }
    struct fb_trace_error error;
    assert_int_equal(fb_trace_parse("ops", (uint8_t *)text, n, &w->trace, &error), FB_OK);
    return w;
}

static void check_runs(const struct fb_tree *t, const struct fb_tree_shape *shape,
                       uint64_t memtable_bytes)
{
    uint64_t n_keys = 0, of_level[64] = {0};
    for (size_t i = 0; i < t->n_runs; i++) {
        const struct fb_run *r = &t->runs[i];
        uint64_t n_tombstones = 0;
        n_keys += r->n_keys;
        assert_true(shape->unit != FB_UNIT_FILE || r->units_per_segment == 1);
        if (r->memtable)
            assert_int_equal(i, 0);
        else
            of_level[r->level]++;
        assert_true(i == 0 || r->level >= t->runs[i - 1].level);
        for (uint64_t k = 0; k < r->n_keys; k++) {
            uint64_t index = r->member[k] & ~FB_MEMBER_TOMBSTONE;
            struct fb_place place;
            assert_true(k == 0 || (r->member[k - 1] & ~FB_MEMBER_TOMBSTONE) < index);
            assert_true(fb_run_locate(r, index, &place));
            assert_int_equal(place.unit, k * fb_run_units(r) / r->n_keys);
            n_tombstones += r->member[k] >> 63;
        }
        assert_int_equal(n_tombstones, r->n_tombstones);
        if (r->level > 0 && shape->style == FB_LEVELED) {
            double room = (double)memtable_bytes * shape->l0;
            for (unsigned l = 0; l < r->level; l++)
                room *= shape->ratio;
            assert_true((double)r->n_keys * (2 + 8) <= room); /* the least an entry can have */
        }
    }
    assert_int_equal(n_keys, t->n_keys);
    assert_int_equal(t->n_levels, t->runs[t->n_runs - 1].level + 1);
    for (unsigned l = 0; l < t->n_levels; l++) {
        uint64_t most = shape->style == FB_LEVELED ? 1 : (uint64_t)shape->ratio - 1;
        assert_true(of_level[l] <= (l ? most : shape->l0 - 1));
    }
    /* The oldest run on disk has no deletions once there was a merge. */
    if (t->n_runs > 1 && t->runs[t->n_runs - 1].level > 0)
        assert_int_equal(t->runs[t->n_runs - 1].n_tombstones, 0);
}

static unsigned key_number(const struct fb_trace_tree *t, uint64_t index)
{
    char text[16] = "";
    memcpy(text, fb_key_at(&t->keys.keys, index), fb_key_len(&t->keys.keys, index));
    return (unsigned)strtoul(text + 1, NULL, 10);
}

static void check_tree(const struct written *w, const struct fb_tree_shape *shape,
                       uint64_t memtable_bytes, size_t *n_runs)
{
    closed_by(fb_trace_tree_close) struct fb_trace_tree t;
    const char *why;
    enum fb_err err = fb_tree_of_trace(&w->trace, shape, memtable_bytes, &t, &why);
    assert_int_equal(err, FB_OK);
    check_runs(&t.tree, shape, memtable_bytes);
    assert_int_equal(t.n_gets, w->n_asked);
    assert_int_equal(t.entries_put, w->n_puts);
    for (size_t i = 0; i < t.n_gets; i++) {
        unsigned key = key_number(&t, t.get[i]);
        bool tombstone;
        size_t holder = fb_tree_holder(&t.tree, t.get[i], &tombstone);
        assert_int_equal(key, w->asked[i]);
        bool found = holder < t.tree.n_runs && !tombstone;
        assert_int_equal(found, w->last[key] == PUT);
        if (w->last[key] == NEVER)
            assert_int_equal(holder, t.tree.n_runs);
        for (size_t r = 0; r < t.tree.n_runs && r <= holder; r++) {
            bool deleted, holds = fb_run_holds(&t.tree, r, t.get[i], &deleted);
            assert_int_equal(holds, r == holder);
        }
    }
    auto_free uint8_t *key = malloc(t.space.max_len);
    for (uint64_t i = 0; i < t.space.size; i++) {
        size_t len = fb_keyspace_write(&t.space, i, key);
        assert_int_equal(len, fb_key_len(&t.keys.keys, i));
    }
    *n_runs = t.tree.n_runs;
}

TEST(gets_find_the_last_write)
{
    static const enum fb_filter_unit units[] = {FB_UNIT_FILE, FB_UNIT_BLOCK, FB_UNIT_PARTITION};
    size_t most = 0;
    for (unsigned i = 0; i < 60; i++) {
        struct fb_tree_shape shape = plain;
        shape.style = i % 2 ? FB_TIERED : FB_LEVELED;
        shape.l0 = 1 + i % 5;
        shape.ratio = 2 + i % 3;
        shape.unit = units[i % 3];
        shape.bits_per_key = 4000;
        auto_free struct written *w = write_trace(i, 20 + 70 * i, i * 37 % 200);
        static const uint64_t bytes[] = {1, 100, 700, 3000, 1u << 20};
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
            size_t n_runs;
            check_tree(w, &shape, bytes[b], &n_runs);
            most = n_runs > most ? n_runs : most;
            if (bytes[b] == 1u << 20)
                assert_int_equal(n_runs, 1); /* the memtable alone */
        }
        fb_trace_close(&w->trace);
    }
    assert_true(most >= 6);
}

/* Gets as queries, more of them than there are: in order, and again from the first. */
static void check_queries(const struct fb_trace_tree *t, const size_t holders[5],
                          const char *const keys[5])
{
    enum { N = 10, FIRST = 3 };
    const struct fb_query_spec spec = {.given = t->get, .n_given = t->n_gets};
    struct fb_queries queries;
    struct fb_query q[N];
    closed_by(fb_keyset_close) struct fb_keyset made = {0};
    double share[FB_MAX_RUNS];
    const char *why;
    assert_int_equal(fb_queries_init(&spec, &t->tree, 7, &queries, &why), FB_OK);
    assert_int_equal(fb_queries_make(&queries, FIRST, N, q, &made), FB_OK);
    for (size_t i = 0; i < N; i++) {
        const size_t get = (FIRST + i) % 5;
        assert_int_equal(q[i].index, t->get[get]);
        assert_int_equal(q[i].holder, holders[get]);
        assert_int_equal(q[i].tombstone, get == 1);
        assert_int_equal(q[i].absent, get != 2 && get != 4);
        assert_int_equal(fb_key_len(&made.keys, i), 1);
        assert_memory_equal(fb_key_at(&made.keys, i), keys[get], 1);
    }
    fb_queries_shares(&queries, share);
    assert_near(share[0], 2 / 3.0, 1e-12); /* of the three that some run ends */
    assert_near(share[1], 1 / 3.0, 1e-12);
    assert_near(share[2], 0, 1e-12);
    assert_near(queries.spec.absent, 0.4, 1e-12);
    assert_near(queries.given_present, 9 / 5.0, 1e-12);
    assert_near(queries.given_absent, 2, 1e-12);
    fb_queries_close(&queries);
    const struct fb_query_spec none = {.given = t->get};
    why = NULL;
    assert_int_equal(fb_queries_init(&none, &t->tree, 7, &queries, &why), FB_EINVAL);
    assert_non_null(why);
}

/* By hand: four puts a memtable, two runs of level 0, T = 2. */
TEST(levels_by_hand)
{
    static const char text[] = "p a 0\np b 0\np c 0\np d 0\n" /* run 1 */
                               "p e 0\nd a\np c 0\np f 0\n"   /* run 2: merged, 5 keys in level 1 */
                               "d b\np g 0\np h 0\np i 0\n"   /* run 3 stays in level 0 */
                               "p c 0\ng a\ng b\ng c\ng z\ng c\n"; /* the memtable */
    closed_by(fb_trace_close) struct fb_trace trace;
    struct fb_trace_error error;
    closed_by(fb_trace_tree_close) struct fb_trace_tree t;
    const char *why;
    struct fb_tree_shape shape = plain;
    shape.l0 = 2;
    shape.ratio = 2;
    assert_int_equal(fb_trace_parse("ops", (const uint8_t *)text, sizeof text - 1, &trace, &error),
                     FB_OK);
    assert_int_equal(fb_tree_of_trace(&trace, &shape, 4 * 9, &t, &why), FB_OK);
    assert_int_equal(t.tree.n_runs, 3);
    static const uint64_t keys[] = {1, 4, 5};
    static const uint64_t tombstones[] = {0, 1, 0};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(t.tree.runs[i].n_keys, keys[i]);
        assert_int_equal(t.tree.runs[i].n_tombstones, tombstones[i]);
        assert_int_equal(t.tree.runs[i].memtable, i == 0);
        assert_int_equal(t.tree.runs[i].level, i == 2);
    }
    assert_int_equal(t.n_flushes, 3);
    assert_int_equal(t.n_merges, 1);
    assert_int_equal(t.entries_put, 13);
    assert_int_equal(t.entries_written, 3 * 4 + 5);
    static const size_t holders[] = {3, 1, 0, 3, 0};
    for (size_t i = 0; i < 5; i++) {
        bool tombstone;
        assert_int_equal(fb_tree_holder(&t.tree, t.get[i], &tombstone), holders[i]);
        assert_int_equal(tombstone, i == 1);
    }
    check_queries(&t, holders, (const char *const[]){"a", "b", "c", "z", "c"});
}

/* Four puts of nine bytes a memtable, two runs of level 0, T = 2: level 1 holds 16 keys. A run that
 * outgrows its level moves on alone, and nothing is written. */
TEST(a_level_holds_t_times_the_one_above)
{
    static const struct {
        unsigned n_puts, level;
        uint64_t merges, written;
    } rows[] = {{8, 1, 1, 8 + 8}, {16, 1, 2, 16 + 8 + 16}, {24, 2, 3, 24 + 8 + 16 + 24}};
    struct fb_tree_shape shape = plain;
    shape.l0 = 2;
    shape.ratio = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[24 * 8 + 1];
        size_t n = 0;
        for (unsigned p = 0; p < rows[i].n_puts; p++)
            n += (size_t)sprintf(text + n, "p %c 0\n", (char)('a' + p));
        closed_by(fb_trace_close) struct fb_trace trace;
        struct fb_trace_error error;
        closed_by(fb_trace_tree_close) struct fb_trace_tree t;
        const char *why;
        assert_int_equal(fb_trace_parse("ops", (const uint8_t *)text, n, &trace, &error), FB_OK);
        assert_int_equal(fb_tree_of_trace(&trace, &shape, 4 * 9, &t, &why), FB_OK);
        assert_int_equal(t.tree.n_runs, 1);
        assert_int_equal(t.tree.runs[0].level, rows[i].level);
        assert_int_equal(t.n_merges, rows[i].merges);
        assert_int_equal(t.entries_written, rows[i].written);
    }
}

TEST(what_is_refused)
{
    struct fb_trace trace;
    struct fb_trace_error error;
    struct fb_trace_tree t;
    static const struct {
        const char *text, *what;
        enum fb_style style;
        double ratio;
        unsigned l0;
        uint64_t memtable_bytes;
    } cases[] = {
        {"g a\n", "puts", FB_LEVELED, 2, 2, 100},
        {"p a 1\nd a\n", "puts", FB_LEVELED, 2, 1, 1},
        {"p a 1\n", "style", FB_FLAT, 2, 2, 100},
        {"p a 1\n", "ratio", FB_TIERED, 1, 2, 100},
        {"p a 1\n", "ratio", FB_TIERED, NAN, 2, 100},
        {"p a 1\n", "l0", FB_TIERED, 2, 0, 100},
        {"p a 1\n", "memtable_bytes", FB_TIERED, 2, 2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fb_tree_shape shape = plain;
        const char *why;
        shape.style = cases[i].style;
        shape.ratio = cases[i].ratio;
        shape.l0 = cases[i].l0;
        assert_int_equal(fb_trace_parse("ops", (const uint8_t *)cases[i].text,
                                        strlen(cases[i].text), &trace, &error),
                         FB_OK);
        enum fb_err err = fb_tree_of_trace(&trace, &shape, cases[i].memtable_bytes, &t, &why);
        assert_int_equal(err, FB_EINVAL);
        assert_non_null(strstr(why, cases[i].what));
        assert_null(t.tree.runs);
        fb_trace_close(&trace);
    }
}

TESTS(NULL, NULL)
