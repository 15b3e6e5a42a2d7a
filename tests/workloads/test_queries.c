/* Streams of queries: which keys are asked, and that absent ones are absent. */
#include "tests/workloads/query_world.h"

enum { ASKED = 2 * N };

/* ---- Present keys as a set ---- */

static void present_keys(const struct world *w, struct fb_keyset *out)
{
    uint8_t key[256];
    assert_in_range(w->space.max_len, 1, sizeof key);
    assert_int_equal(fb_keyset_alloc(N, N * w->space.max_len, false, out), FB_OK);
    for (uint64_t a = 0; a < N; a++)
        fb_keyset_push(out, key, fb_keyspace_write(&w->space, fb_keyspace_index(&w->space, a), key),
                       FB_KEY_BYTES);
}

/* How many keys of b are in a, repeats of b counted once; a has no repeats. */
static size_t common(const struct fb_keys *a, const struct fb_keys *b)
{
    closed_by(fb_keyset_close) struct fb_keyset both, distinct, b_alone;
    size_t repeats, total;
    assert_int_equal(fb_keyset_distinct(b, &b_alone, &repeats), FB_OK);
    assert_int_equal(fb_keyset_alloc(a->n + b->n, a->offset[a->n] + b->offset[b->n], false, &both),
                     FB_OK);
    for (size_t i = 0; i < a->n; i++)
        fb_keyset_push(&both, fb_key_at(a, i), fb_key_len(a, i), FB_KEY_BYTES);
    for (size_t i = 0; i < b_alone.keys.n; i++)
        fb_keyset_push(&both, fb_key_at(&b_alone.keys, i), fb_key_len(&b_alone.keys, i),
                       FB_KEY_BYTES);
    assert_int_equal(fb_keyset_distinct(&both.keys, &distinct, &total), FB_OK);
    return total;
}

/* In every order: the first three, and files. */
enum { ALL_ORDERS = 4 };
static const char *const formats[] = {
    NULL,        "random",      "sequential", "dec6",   "u64le",     "user", "ycsb",
    "pad40",     "pad40-front", "bin:8",      "bin:24", "len:8..12", "url",  "uuid4",
    "uuid4-bin", "uuid7",       "sha1",       "norad",  "norad-bin"};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static uint64_t a_few[] = {0, 0, 0};

/* Kinds that a world cannot have: say so, once. */
static bool impossible(size_t format, enum fb_order order, enum fb_absent_kind kind)
{
    if (!formats[format])
        return kind == FB_NEXT;
    return kind == FB_NEIGHBOUR && order == FB_ORDER_DENSE && format > 1;
}

TEST(absent_keys_are_absent)
{
    for (size_t f = 0; f < N_FORMATS; f++)
        for (int order = 0; order < (f && f < ALL_ORDERS ? 3 : 1); order++) {
            closed_by(world_close) struct world w;
            closed_by(fb_keyset_close) struct fb_keyset present;
            world_make(&w, formats[f], (enum fb_order)order);
            present_keys(&w, &present);
            for (size_t i = 0; i < 3; i++)
                a_few[i] = fb_keyspace_index(&w.space, N + 5 * i);
            for (int kind = 0; fb_absent_kinds[kind].name; kind++) {
                struct fb_query_spec spec = spec_of(1, (enum fb_absent_kind)kind);
                closed_by(fb_queries_close) struct fb_queries q = {0};
                closed_by(fb_keyset_close) struct fb_keyset keys = {0};
                const char *why = NULL;
                static struct fb_query out[ASKED];
                spec.adversarial = a_few;
                spec.n_adversarial = 3;
                enum fb_err err = fb_queries_init(&spec, &w.tree, 3, &q, &why);
                assert_int_equal(
                    err, impossible(f, (enum fb_order)order, spec.absent_kind) ? FB_EINVAL : FB_OK);
                if (err) {
                    assert_non_null(why);
                    continue;
                }
                size_t asked = f < ALL_ORDERS ? N + 1 : N / 2;
                assert_int_equal(fb_queries_make(&q, 0, asked, out, &keys), FB_OK);
                assert_int_equal(keys.keys.n, asked);
                assert_int_equal(common(&present.keys, &keys.keys), 0);
                for (size_t i = 0; i < asked; i++) {
                    assert_true(out[i].absent && !out[i].tombstone);
                    assert_int_equal(out[i].holder, w.tree.n_runs);
                }
            }
        }
}

static size_t n_distinct(const struct fb_keys *keys)
{
    closed_by(fb_keyset_close) struct fb_keyset distinct;
    size_t dropped;
    assert_int_equal(fb_keyset_distinct(keys, &distinct, &dropped), FB_OK);
    return keys->n - dropped;
}

/* In one pass and in parts of it; then again, all of them. */
TEST(each_absent_key_once)
{
    closed_by(world_close) struct world w;
    struct fb_queries q;
    closed_by(fb_keyset_close) struct fb_keyset keys = {0};
    static struct fb_query out[ASKED];
    world_make(&w, "dec6", FB_ORDER_SHUFFLE);
    struct fb_query_spec spec = spec_of(1, FB_IN_GAP);
    queries_of(&w, &spec, &q);
    assert_int_equal(fb_queries_make(&q, 0, N, out, &keys), FB_OK);
    assert_int_equal(n_distinct(&keys.keys), N);
    assert_int_equal(fb_queries_make(&q, 0, 2 * N, out, &keys), FB_OK);
    assert_int_equal(n_distinct(&keys.keys), N);
    fb_queries_close(&q);

    spec.absent = 0.25; /* four passes for all of them */
    queries_of(&w, &spec, &q);
    for (uint64_t passes = 1; passes <= 8; passes++) {
        uint8_t asked[2 * N] = {0};
        size_t n_absent = 0, n_once = 0;
        for (uint64_t p = 0; p < passes; p++) {
            assert_int_equal(fb_queries_make(&q, p * N, N, out, &keys), FB_OK);
            for (size_t i = 0; i < N; i++)
                if (!out[i].tombstone && out[i].absent) {
                    n_absent++;
                    n_once += !asked[out[i].index]++;
                }
        }
        assert_int_equal(n_once, passes <= 4 ? n_absent : N);
        if (passes == 1)
            assert_near(n_absent, N / 4, 5 * 27.4);
        if (passes == 4)
            assert_int_equal(n_absent, N);
    }
    fb_queries_close(&q);
}

/* Any slice, made alone, is the same queries. */
TEST(slices_are_equal)
{
    closed_by(world_close) struct world w;
    world_make(&w, "dec6", FB_ORDER_ARRIVAL);
    for (size_t i = 0; i < 3; i++)
        a_few[i] = fb_keyspace_index(&w.space, N + 5 * i);
    for (int kind = 0; fb_absent_kinds[kind].name; kind++) {
        static const char *const popular[] = {"uniform", "zipf:0.99",  "ycsb-zipf",
                                              "latest",  "sequential", "hotspot:0.1,0.9"};
        struct fb_query_spec spec = spec_of(0.5, (enum fb_absent_kind)kind);
        closed_by(fb_queries_close) struct fb_queries q;
        closed_by(fb_keyset_close) struct fb_keyset whole = {0}, part = {0};
        static struct fb_query all[3000], some[700];
        const char *why;
        spec.adversarial = a_few;
        spec.n_adversarial = 3;
        spec.holder = (enum fb_holder_kind)(kind % 3);
        assert_true(fb_popularity_parse(popular[kind % 6], &spec.popularity, &why));
        queries_of(&w, &spec, &q);
        assert_int_equal(fb_queries_make(&q, 0, 3000, all, &whole), FB_OK);
        for (size_t first = 0; first + 700 <= 3000; first += 575) {
            assert_int_equal(fb_queries_make(&q, first, 700, some, &part), FB_OK);
            for (size_t i = 0; i < 700; i++) {
                assert_int_equal(some[i].index, all[first + i].index);
                assert_int_equal(some[i].holder, all[first + i].holder);
                assert_int_equal(some[i].absent, all[first + i].absent);
                assert_int_equal(fb_key_len(&part.keys, i), fb_key_len(&whole.keys, first + i));
                assert_memory_equal(fb_key_at(&part.keys, i), fb_key_at(&whole.keys, first + i),
                                    fb_key_len(&part.keys, i));
            }
        }
    }
}

/* Where each kind's keys lie in key order. */
TEST(kinds_lie_where_they_should)
{
    closed_by(world_close) struct world w;
    closed_by(fb_keyset_close) struct fb_keyset keys = {0};
    static struct fb_query out[1000];
    world_make(&w, "sequential", FB_ORDER_ARRIVAL);
    for (int kind = 0; kind < FB_ADVERSARIAL; kind++) {
        struct fb_query_spec spec = spec_of(1, (enum fb_absent_kind)kind);
        closed_by(fb_queries_close) struct fb_queries q;
        queries_of(&w, &spec, &q);
        assert_int_equal(fb_queries_make(&q, 0, 1000, out, &keys), FB_OK);
        for (size_t i = 0; i < 1000; i++) {
            uint64_t index = out[i].index, word = fb_be64(fb_key_at(&keys.keys, i));
            size_t len = fb_key_len(&keys.keys, i);
            switch (spec.absent_kind) {
            case FB_IN_GAP:
            case FB_REPEAT:
                assert_true(index < 2 * N && index % 2 && word == index && len == 8);
                break;
            case FB_NEIGHBOUR:
                assert_true(index % 2 == 0 && (word == index + 1 || word == index - 1));
                break;
            case FB_SUFFIX:
                assert_true(index % 2 == 0 && word == index && len == 9);
                assert_int_equal(fb_key_at(&keys.keys, i)[8], '.');
                break;
            case FB_NEXT:
                assert_int_equal(index, 2 * N + i);
                assert_int_equal(word, index);
                break;
            case FB_OUT_RANGE:
                assert_true(index >= 2 * N && index < 3 * N && word == index);
                break;
            case FB_OTHER_SPACE:
                assert_int_equal(word, index | UINT64_C(1) << 47);
                break;
            case FB_ADVERSARIAL:
                break;
            }
        }
        if (spec.absent_kind == FB_REPEAT) { /* 50 keys, the first asked 22 % of the time */
            assert_in_range(n_distinct(&keys.keys), 40, 50);
            size_t top = 0, best = 0;
            for (size_t i = 0; i < 50; i++, top = 0) {
                for (size_t j = 0; j < 1000; j++)
                    top += out[j].index == out[i].index;
                best = top > best ? top : best;
            }
            assert_near(best, 222, 60);
        } else {
            /* Two keys may have a neighbour in common. */
            assert_in_range(n_distinct(&keys.keys), kind == FB_NEIGHBOUR ? 900 : 1000, 1000);
        }
    }
}

/* Of a file its last key and eight bytes more; a sequence goes on for as many as are absent. */
TEST(behind_the_last_key)
{
    for (int file = 0; file < 2; file++) {
        struct fb_query_spec spec = spec_of(1, file ? FB_OUT_RANGE : FB_NEXT);
        struct fb_query out[2];
        struct fb_queries q;
        struct fb_keyset keys = {0};
        struct world w;
        world_make(&w, file ? NULL : "sequential", FB_ORDER_ARRIVAL);
        queries_of(&w, &spec, &q);
        assert_int_equal(fb_queries_make(&q, N - 1, 2, out, &keys), FB_OK);
        const size_t last = w.space.size - 1, len = file ? fb_key_len(&w.file.keys, last) : 0;
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(fb_key_len(&keys.keys, i), len + 8);
            if (file)
                assert_memory_equal(fb_key_at(&keys.keys, i), fb_key_at(&w.file.keys, last), len);
            else
                assert_int_equal(out[i].index, 2 * N + (i ? 0 : N - 1));
        }
        fb_keyset_close(&keys);
        fb_queries_close(&q);
        world_close(&w);
    }
}

TEST(what_cannot_be_asked)
{
    closed_by(world_close) struct world w;
    struct fb_queries q;
    world_make(&w, "random", FB_ORDER_SHUFFLE);
    struct {
        struct fb_query_spec spec;
        const char *why;
    } bad[] = {
        {spec_of(-0.1, FB_IN_GAP), "between 0 and 1"},
        {spec_of(1.5, FB_IN_GAP), "between 0 and 1"},
        {spec_of(1, FB_REPEAT), "repeated keys"},
        {spec_of(1, FB_REPEAT), "repeated keys"},
        {spec_of(1, FB_ADVERSARIAL), "adversarial"},
        {spec_of(0, FB_IN_GAP), "that level"},
        {spec_of(0.5, FB_IN_GAP), "ratio"},
    };
    bad[2].spec.repeat_keys = 0;
    bad[3].spec.repeat_keys = N + 1;
    bad[5].spec.holder = FB_LEVEL;
    bad[5].spec.level = 40;
    bad[6].spec.holder = FB_RECENT;
    bad[6].spec.recent_ratio = 0.5;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = NULL;
        assert_int_equal(fb_queries_init(&bad[i].spec, &w.tree, 3, &q, &why), FB_EINVAL);
        assert_non_null(why);
        assert_non_null(strstr(why, bad[i].why));
    }
}

/* The same on every machine. */
TEST(queries_are_pinned)
{
    closed_by(world_close) struct world w;
    closed_by(fb_queries_close) struct fb_queries q;
    closed_by(fb_keyset_close) struct fb_keyset keys = {0};
    static struct fb_query out[2000];
    const char *why;
    uint64_t sum = 0;
    world_make(&w, "dec6", FB_ORDER_SHUFFLE);
    struct fb_query_spec spec = spec_of(0.3, FB_NEIGHBOUR);
    assert_true(fb_popularity_parse("zipf:0.8", &spec.popularity, &why));
    queries_of(&w, &spec, &q);
    assert_int_equal(fb_queries_make(&q, 1000, 2000, out, &keys), FB_OK);
    for (size_t i = 0; i < 2000; i++)
        sum = fb_mix64(sum + out[i].index + out[i].holder) +
              fb_xxh64(fb_key_at(&keys.keys, i), fb_key_len(&keys.keys, i), i);
    assert_int_equal(sum, UINT64_C(0x39D720682902B9DC));
}

TESTS(NULL, NULL)
