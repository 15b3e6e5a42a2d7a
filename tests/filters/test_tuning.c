/*
 * The tuning (filters/core/tuning.h): what is refused, where reaches end, that the rows are valid;
 * and that no look-ahead and no hint changes a bit: every kernel of every design answers and
 * inserts as the design's first one, the plain loop, also in batches shorter than the look-ahead.
 */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "filters/core/filter.h"
#include "filters/core/tuning.h"
#include "harness/filter/bits_taken.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static int restore(void **state)
{
    (void)state;
    return fb_tuning_set(NULL);
}

/* ---- What is in force ---- */

static struct fb_tuning some_tuning(void)
{
    struct fb_tuning t = *fb_tuning_find("default");
    t.l2_bytes = 1 << 20;
    t.l3_bytes = 32 << 20;
    return t;
}

static void is_refused(const struct fb_tuning *t)
{
    const struct fb_tuning before = *fb_tuning_now();
    assert_int_equal(fb_tuning_set(t), FB_EINVAL);
    assert_memory_equal(&before, fb_tuning_now(), sizeof before);
}

TEST(what_is_detected_is_in_force_at_first)
{
    struct fb_tuning t;
    fb_tuning_detect(&t);
    assert_memory_equal(fb_tuning_now(), &t, sizeof t);
    assert_non_null(fb_tuning_find(t.name));
    assert_int_equal(fb_tuning_set(&t), FB_OK);
    assert_in_range(t.l3_bytes, t.l2_bytes, 16 * t.l2_bytes);
}

TEST(wrong_caches_and_names_are_refused)
{
    struct fb_tuning t = some_tuning();
    t.l2_bytes = 0;
    is_refused(&t);
    t.l2_bytes = t.l3_bytes + 1;
    is_refused(&t);
    t.l2_bytes = t.l3_bytes;
    assert_int_equal(fb_tuning_set(&t), FB_OK);
    t.l3_bytes = 0;
    is_refused(&t);
    t = some_tuning();
    memset(t.name, 'x', sizeof t.name);
    is_refused(&t);
}

TEST(wrong_entries_are_refused)
{
    static const struct {
        struct fb_prefetch entry;
        bool query, insert; /* accepted */
    } entries[] = {
        {{0, FB_HINT_NONE}, true, true},
        {{8, FB_HINT_NONE}, false, false},
        {{0, FB_HINT_T0}, false, false},
        {{8, FB_HINT_T0}, true, true},
        {{12, FB_HINT_T0}, false, false},
        {{FB_AHEAD_MOST, FB_HINT_T1}, true, true},
        {{FB_AHEAD_MOST + 8, FB_HINT_T1}, false, false},
        {{64, FB_HINT_WRITE}, false, true},
        {{0, FB_HINT_WRITE}, false, false},
        {{64, FB_N_HINTS}, false, false},
    };
    for (size_t i = 0; i < COUNT_OF(entries); i++)
        for (size_t at = 0; at < (size_t)FB_N_TUNED_WORKS * FB_N_TUNED * FB_N_REACHES; at++) {
            const size_t work = at / (FB_N_TUNED * FB_N_REACHES);
            struct fb_tuning t = some_tuning();
            t.prefetch[work][at / FB_N_REACHES % FB_N_TUNED][at % FB_N_REACHES] = entries[i].entry;
            if (work == FB_TUNED_INSERT ? entries[i].insert : entries[i].query)
                assert_int_equal(fb_tuning_set(&t), FB_OK);
            else
                is_refused(&t);
        }
}

/* The first bound that the bytes do not pass. */
TEST(reaches_end_where_caches_do)
{
    struct fb_tuning t = some_tuning();
    const uint64_t l2 = t.l2_bytes, l3 = t.l3_bytes;
    const uint64_t bounds[FB_REACH_MEMORY] = {l2 / 2, l2, 2 * l2, l3 / 4, l3};
    assert_int_equal(fb_tuning_reach(&t, 0), FB_REACH_NEAR);
    assert_int_equal(fb_tuning_reach(&t, UINT64_MAX), FB_REACH_MEMORY);
    for (int i = 0; i < FB_REACH_MEMORY; i++) {
        assert_int_equal(fb_tuning_reach(&t, bounds[i]), i);
        assert_int_equal(fb_tuning_reach(&t, bounds[i] + 1), i + 1);
    }
    t.l3_bytes = l2; /* a quarter of L3 is below half of L2 */
    assert_int_equal(fb_tuning_reach(&t, l2), FB_REACH_L2);
    assert_int_equal(fb_tuning_reach(&t, 2 * l2), FB_REACH_TWICE_L2);
    assert_int_equal(fb_tuning_reach(&t, 2 * l2 + 1), FB_REACH_MEMORY);
}

TEST(an_entry_is_that_of_its_reach)
{
    enum { EACH = FB_N_TUNED * FB_N_REACHES };
    struct fb_tuning t = some_tuning();
    static const uint64_t bytes[FB_N_REACHES] = {100,     1 << 20,  2 << 20,
                                                 8 << 20, 32 << 20, 33 << 20};
    for (unsigned at = 0; at < FB_N_TUNED_WORKS * EACH; at++)
        t.prefetch[at / EACH][at / FB_N_REACHES % FB_N_TUNED][at % FB_N_REACHES] =
            (struct fb_prefetch){(uint16_t)(8 * (at % 32 + 1)), FB_HINT_T0};
    assert_int_equal(fb_tuning_set(&t), FB_OK);
    for (unsigned at = 0; at < FB_N_TUNED_WORKS * EACH; at++) {
        const unsigned work = at / EACH, tuned = at / FB_N_REACHES % FB_N_TUNED,
                       reach = at % FB_N_REACHES;
        const struct fb_prefetch got =
            fb_prefetch_for((enum fb_tuned_work)work, (enum fb_tuned)tuned, bytes[reach]);
        assert_memory_equal(&got, &t.prefetch[work][tuned][reach], sizeof got);
    }
}

/* A guest's L3 is bounded both ways; "default" alone follows the size of L2, back as well. */
TEST(a_row_is_fitted_to_caches)
{
    static const uint64_t small = 1 << 20, large = 2 << 20;
    for (size_t i = 0; i < fb_n_tunings(); i++) {
        struct fb_tuning t = *fb_tuning_at(i);
        const bool follows = !strcmp(t.name, "default");
        fb_tuning_fit(&t, small, 300 * small);
        assert_int_equal(t.l2_bytes, small);
        assert_int_equal(t.l3_bytes, 16 * small);
        assert_memory_equal(t.prefetch, fb_tuning_at(i)->prefetch, sizeof t.prefetch);
        fb_tuning_fit(&t, large, small);
        assert_int_equal(t.l3_bytes, large);
        assert_int_equal(!memcmp(t.prefetch, fb_tuning_at(i)->prefetch, sizeof t.prefetch),
                         !follows);
        assert_memory_equal(t.prefetch[FB_TUNED_QUERY][FB_TUNED_TOUCH_32],
                            t.prefetch[FB_TUNED_QUERY][FB_TUNED_BLOCK_32], sizeof t.prefetch[0][0]);
        assert_int_equal(fb_tuning_set(&t), FB_OK);
        fb_tuning_fit(&t, small, small);
        assert_memory_equal(t.prefetch, fb_tuning_at(i)->prefetch, sizeof t.prefetch);
    }
}

TEST(rows_are_valid_and_found)
{
    assert_null(fb_tuning_find("no-such-row"));
    assert_non_null(fb_tuning_find("default"));
    for (size_t i = 0; i < fb_n_tunings(); i++) {
        struct fb_tuning t = *fb_tuning_at(i);
        assert_ptr_equal(fb_tuning_find(t.name), fb_tuning_at(i));
        assert_int_equal(t.l2_bytes, 0);
        is_refused(&t);
        t.l2_bytes = t.l3_bytes = 1 << 20;
        assert_int_equal(fb_tuning_set(&t), FB_OK);
        assert_memory_equal(fb_tuning_now(), &t, sizeof t);
    }
}

/* ---- Bits ---- */

enum { MOST = 1024, N_BATCHES = 10 };
static const size_t batches[N_BATCHES] = {0, 1, 7, 8, 9, 63, 64, 65, 300, MOST};

/* One entry for every class in every reach; lookups take T0 for the hint that only inserts have. */
static void set_everywhere(enum fb_hint hint, unsigned ahead)
{
    struct fb_tuning t = some_tuning();
    const struct fb_prefetch entry = {(uint16_t)ahead, (uint16_t)hint},
                             query = {(uint16_t)ahead, FB_HINT_T0};
    for (int tuned = 0; tuned < FB_N_TUNED; tuned++)
        for (int reach = 0; reach < FB_N_REACHES; reach++) {
            t.prefetch[FB_TUNED_QUERY][tuned][reach] = hint == FB_HINT_WRITE ? query : entry;
            t.prefetch[FB_TUNED_INSERT][tuned][reach] = entry;
        }
    assert_int_equal(fb_tuning_set(&t), FB_OK);
}

/* A design's filter of MOST keys, what the plain loop answers to as many digests of which every
 * other one is a key, and what it inserts of each batch. */
struct scene {
    struct fb_filter filter;
    uint64_t *digests; /* [MOST * words] */
    uint8_t want[MOST], *inserted[N_BATCHES];
};

static uint64_t *digests_of(uint64_t stream, size_t words)
{
    uint64_t *digests = malloc(MOST * words * sizeof *digests);
    assert_non_null(digests);
    for (size_t i = 0; i < MOST * words; i++)
        digests[i] = fb_mix64(stream + i * UINT64_C(0x9E3779B97F4A7C15));
    return digests;
}

static const uint8_t *insert(const struct scene *s, const struct fb_kernel *kernel, size_t n,
                             struct fb_filter *out)
{
    assert_int_equal(fb_filter_alloc(s->filter.design, &s->filter.geom, out), FB_OK);
    out->params = s->filter.params;
    out->kernel = kernel;
    assert_int_equal(kernel->add_batch(out, s->digests, n), n);
    return out->bytes;
}

static bool scene_open(const struct fb_design *design, struct scene *s)
{
    struct fb_params params = {.bits_per_key =
                                   design->traits & FB_CONTROL ? 0 : fb_bits_taken(design, 10)};
    const char *why;
    struct fb_geometry geom;
    *s = (struct scene){.digests = NULL};
    assert_int_equal(fb_params_resolve(design, MOST, &params, &why), FB_OK);
    assert_int_equal(fb_design_plan(design, &params, MOST, &geom, &why), FB_OK);
    const size_t words = geom.digest_words;
    auto_free uint64_t *absent = digests_of(2, words);
    s->digests = digests_of(1, words);
    assert_int_equal(
        fb_filter_build_digests(design, NULL, &params, s->digests, MOST, &s->filter, &why), FB_OK);
    for (size_t i = 0; i < MOST; i += 2)
        memcpy(s->digests + i * words, absent + i * words, words * sizeof *absent);
    const struct fb_kernel *plain = design->kernels[0];
    for (size_t i = 0; i < MOST; i++)
        s->want[i] = plain->query(&s->filter, s->digests + i * words);
    for (size_t b = 0; b < N_BATCHES && plain->add_batch && !design->when_full; b++) {
        struct fb_filter filled;
        (void)insert(s, plain, 0, &filled);
        for (size_t i = 0; i < batches[b]; i++)
            plain->add_batch(&filled, s->digests + i * words, 1);
        s->inserted[b] = filled.bytes;
    }
    return plain->add_batch && !design->when_full;
}

static void scene_close(struct scene *s)
{
    fb_filter_close(&s->filter);
    free(s->digests);
    for (size_t b = 0; b < N_BATCHES; b++)
        free(s->inserted[b]);
}

static void compare(const struct scene *s, const struct fb_kernel *kernel, bool inserts)
{
    for (size_t b = 0; b < N_BATCHES; b++) {
        const size_t n = batches[b];
        uint8_t maybe[MOST + 1];
        size_t hits = 0;
        for (size_t i = 0; i < n; i++)
            hits += s->want[i];
        memset(maybe, 0xAA, sizeof maybe);
        assert_int_equal(kernel->query_batch(&s->filter, s->digests, n, maybe), hits);
        assert_memory_equal(maybe, s->want, n);
        assert_int_equal(maybe[n], 0xAA);
        if (!inserts || !kernel->add_batch)
            continue;
        closed_by(fb_filter_close) struct fb_filter filled;
        assert_memory_equal(insert(s, kernel, n, &filled), s->inserted[b], s->filter.geom.n_bytes);
    }
}

TEST(no_entry_changes_a_bit)
{
    static const unsigned aheads[] = {8, 16, 24, 32, 40, 48, 64, 96, 128, 144, 192, 248, 256};
    for (size_t d = 0; d < fb_n_designs(); d++) {
        const struct fb_design *design = fb_design_at(d);
        closed_by(scene_close) struct scene s;
        const bool inserts = scene_open(design, &s);
        for (size_t e = 0; e < 1 + COUNT_OF(aheads) * (FB_N_HINTS - 1); e++) {
            const enum fb_hint hint = e ? (enum fb_hint)((e - 1) % (FB_N_HINTS - 1) + 1) : 0;
            set_everywhere(hint, e ? aheads[(e - 1) / (FB_N_HINTS - 1)] : 0);
            for (const struct fb_kernel *const *k = design->kernels; *k; k++)
                if (fb_cpu_has((*k)->isa))
                    compare(&s, *k, inserts);
        }
    }
}

TESTS_EACH(NULL, restore)
