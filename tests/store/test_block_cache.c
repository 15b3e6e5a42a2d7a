/* The simulated block cache against models that search lists. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "harness/store/block_cache.h"
#include "workloads/core/rng.h"

/* The policy in as few lines as possible: an array in the order in which blocks would leave. */
struct model {
    enum fb_cache_policy policy;
    uint64_t capacity, bytes;
    struct modelled {
        uint64_t block, bytes;
        bool marked;
    } at[4096], moved;
    size_t n;
};

static void model_take(struct model *m, size_t i)
{
    m->moved = m->at[i];
    memmove(m->at + i, m->at + i + 1, (--m->n - i) * sizeof *m->at);
}

static void model_put(struct model *m)
{
    m->at[m->n++] = m->moved;
}

static uint64_t model_drop(struct model *m)
{
    for (;;) {
        model_take(m, 0);
        if (!m->moved.marked) {
            m->bytes -= m->moved.bytes;
            return m->moved.bytes;
        }
        m->moved.marked = false;
        model_put(m);
    }
}

static bool model_touch(struct model *m, uint64_t block, uint64_t bytes)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->at[i].block == block) {
            if (m->policy == FB_CACHE_CLOCK) {
                m->at[i].marked = true;
            } else {
                model_take(m, i);
                model_put(m);
            }
            return true;
        }
    if (bytes > m->capacity)
        return false;
    while (m->bytes + bytes > m->capacity)
        model_drop(m);
    m->moved.block = block;
    m->moved.bytes = bytes;
    m->moved.marked = false;
    model_put(m);
    m->bytes += bytes;
    return false;
}

/* Squares crowd small numbers: some blocks are popular. */
static uint64_t some_block(uint64_t trial, uint64_t i, uint64_t n)
{
    uint64_t x = fb_uniform_below(fb_stream_word(trial, 2 * i), n);
    return x * x / n * UINT64_C(0x100000001);
}

TEST(equals_model)
{
    for (uint64_t trial = 0; trial < 12; trial++) {
        auto_free struct model *m = calloc(1, sizeof *m);
        struct fb_block_cache *cache;
        m->policy = trial % 2 ? FB_CACHE_CLOCK : FB_CACHE_LRU;
        m->capacity = trial < 2 ? 1 : trial < 8 ? 40000 : 4000000;
        assert_int_equal(fb_block_cache_open(m->policy, m->capacity, &cache), FB_OK);
        uint64_t hits = 0, n_blocks = trial < 8 ? 500 : 3000;
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t block = some_block(trial, i, n_blocks);
            uint64_t bytes = trial % 4 < 2 ? 1 + block % 4096 : 1000;
            bool hit = fb_block_cache_touch(cache, block, bytes);
            assert_true(hit == model_touch(m, block, bytes));
            hits += hit;
            if (i % 977 == 976) {
                double share = (double)(i % 5) / 4;
                fb_block_cache_evict(cache, share);
                for (uint64_t d = 0; m->n && (double)d < share * (double)m->capacity;)
                    d += model_drop(m);
            }
        }
        assert_true(trial < 2 || (hits > 2000 && hits < 19900));
        assert_int_equal(fb_block_cache_error(cache), FB_OK);
        fb_block_cache_close(cache);
    }
}

TEST(nothing_is_kept_without_room)
{
    const struct {
        enum fb_cache_policy policy;
        uint64_t capacity;
    } none[] = {{FB_CACHE_NONE, 1000}, {FB_CACHE_LRU, 0}, {FB_CACHE_LRU, 9}};
    for (size_t i = 0; i < 3; i++) {
        struct fb_block_cache *cache;
        assert_int_equal(fb_block_cache_open(none[i].policy, none[i].capacity, &cache), FB_OK);
        for (int j = 0; j < 3; j++)
            assert_false(fb_block_cache_touch(cache, 7, 10));
        fb_block_cache_evict(cache, 1);
        fb_block_cache_close(cache);
    }
    fb_block_cache_close(NULL);
}

/* A hundred blocks, one of them touched between scans: CLOCK and LRU both keep it. */
TEST(popular_blocks_stay)
{
    for (enum fb_cache_policy policy = FB_CACHE_LRU; policy <= FB_CACHE_CLOCK; policy++) {
        struct fb_block_cache *cache;
        assert_int_equal(fb_block_cache_open(policy, 100, &cache), FB_OK);
        uint64_t hits = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            fb_block_cache_touch(cache, 1000 + i, 1);
            hits += i % 10 == 0 && fb_block_cache_touch(cache, 1, 1);
        }
        assert_true(hits == 99);
        fb_block_cache_close(cache);
    }
}

TEST(policies_are_named)
{
    assert_string_equal(fb_cache_policies[FB_CACHE_NONE].name, "none");
    assert_string_equal(fb_cache_policies[FB_CACHE_LRU].name, "lru");
    assert_string_equal(fb_cache_policies[FB_CACHE_CLOCK].name, "clock");
    assert_null(fb_cache_policies[FB_CACHE_CLOCK + 1].name);
}

TESTS(NULL, NULL)
