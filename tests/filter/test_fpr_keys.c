/* Which keys a measured filter is given and asked. */
#include "tests/filter/fpr_cells.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "workloads/core/rng.h"

/* The oracle meets no absent key, the yardsticks answer as they do by definition. */
TEST(absent_keys_are_absent)
{
    closed_by(fb_keyset_close) struct fb_keyset file;
    assert_int_equal(fb_keyset_generate(fb_keygen_find("dec6"), 0, 0, 3000, &file), FB_OK);
    for (const struct fb_keygen *gen = fb_keygens;; gen++) {
        struct fb_fpr_cell cell = cell_of("exact", gen->name ? gen->name : "", 1500);
        if (!cell.keygen)
            cell.file = &file.keys;
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts exact = measure(&cell, 0);
        assert_int_equal(total(&exact) + exact.false_negatives, 0);
        assert_int_equal(exact.probes_each, cell.keygen ? 4096 : 1500);
        assert_near(summary_of(&cell, &exact).z, 0, 0.01);

        cell.design = fb_design_find("always");
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts always = measure(&cell, 0);
        assert_int_equal(total(&always), 8 * always.probes_each);
        assert_true(summary_of(&cell, &always).z == 0);
        assert_true(summary_of(&cell, &always).ratio == 1);

        cell.design = fb_design_find("null");
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts null = measure(&cell, 0);
        assert_int_equal(total(&null), 0);
        assert_int_equal(null.false_negatives, 8 * 1500);
        if (!gen->name)
            break;
    }
}

TEST(few_keys_and_one_filter)
{
    for (uint64_t n = 0; n < 3; n++)
        for (const struct fb_keygen *gen = fb_keygens; gen->name; gen++) {
            struct fb_fpr_cell cell = cell_of("nori", gen->name, n);
            cell.filters = 1;
            closed_by(fb_fpr_counts_close) struct fb_fpr_counts c = measure(&cell, 0);
            struct fb_fpr_summary s = summary_of(&cell, &c);
            assert_int_equal(c.filters, 1);
            assert_int_equal(c.false_negatives, 0);
            assert_int_equal(c.n_entries, n);
            assert_true(isnan(s.sd_filters));
            assert_true(isinf(s.t95.low) && isinf(s.t95.high));
            assert_true(n || (s.events == 0 && s.model == 0 && s.z == 0));
            assert_int_equal(isnan(s.bits_per_key) != 0, n == 0);
        }
}

/* ---- Keys of a file ---- */

TEST(file_gives_what_it_has)
{
    closed_by(fb_keyset_close) struct fb_keyset file;
    assert_int_equal(fb_keyset_generate(fb_keygen_find("dec6"), 0, 0, 1000, &file), FB_OK);
    struct fb_fpr_cell cell = cell_of("nori", "", 600);
    cell.file = &file.keys;
    struct fb_fpr_counts c = measure(&cell, 1), again = measure(&cell, 4);
    assert_int_equal(c.probes_each, 400);
    assert_int_equal(c.n_keys, 600);
    assert_int_equal(c.false_negatives, 0);
    assert_near(summary_of(&cell, &c).z, 0, 5);
    assert_equal_counts(&c, &again);
    fb_fpr_counts_close(&again);
    cell.root++; /* another half */
    again = measure(&cell, 1);
    assert_int_not_equal(again.checksum, c.checksum);
    fb_fpr_counts_close(&again);
    fb_fpr_counts_close(&c);
}

TEST(typed_files_need_a_typed_design)
{
    closed_by(fb_keyset_close) struct fb_keyset file;
    struct fb_fpr_counts c;
    bool complete;
    const char *why;
    assert_int_equal(fb_keyset_alloc(2, 2, true, &file), FB_OK);
    fb_keyset_push(&file, "1", 1, FB_KEY_INT);
    fb_keyset_push(&file, "2", 1, FB_KEY_INT);
    struct fb_fpr_cell cell = cell_of("nori", "", 1);
    cell.file = &file.keys;
    assert_int_equal(fb_fpr_measure(&cell, 2, &c, &complete, &why), FB_EUNSUPPORTED);
    assert_non_null(why);
    assert_null(c.events);
}

/* Integers among words: each filter's events are those of the same halves, asked in one go. */
TEST(typed_files_keep_their_types)
{
    enum { KEYS = 3000, PRESENT = 1400 };
    static uint8_t maybe[KEYS];
    closed_by(fb_keyset_close) struct fb_keyset file;
    assert_int_equal(fb_keyset_alloc(KEYS, 8 * KEYS, true, &file), FB_OK);
    for (int i = 0; i < KEYS; i++) {
        char text[12];
        snprintf(text, sizeof text, "%d", i);
        fb_keyset_push(&file, text, strlen(text), i % 3 ? FB_KEY_INT : FB_KEY_BYTES);
    }
    struct fb_fpr_cell cell = cell_of("sbbf-512", "", PRESENT);
    cell.file = &file.keys;
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts c = measure(&cell, 1);
    assert_int_equal(c.false_negatives, 0);
    for (size_t j = 0; j < c.filters; j++) {
        closed_by(fb_keyset_close) struct fb_keyset present, absent;
        closed_by(fb_filter_close) struct fb_filter filter;
        const char *why;
        size_t n_maybe;
        assert_int_equal(fb_keyset_split(&file.keys, fb_stream_key(cell.root, FB_DOMAIN_SPLIT, j),
                                         PRESENT, KEYS - PRESENT, &present, &absent),
                         FB_OK);
        assert_int_equal(
            fb_filter_build(cell.design, NULL, &cell.params, &present.keys, &filter, &why), FB_OK);
        assert_int_equal(fb_filter_query_keys(&filter, &absent.keys, maybe, &n_maybe), FB_OK);
        assert_int_equal(n_maybe, c.events[j]);
    }
}

/* ---- Designs of this test: nori with one part replaced ---- */

static struct fb_kernel odd_kernel;
static const struct fb_kernel *const odd_kernels[] = {&odd_kernel, NULL};

static struct fb_design odd_design(void)
{
    const struct fb_design *nori = fb_design_find("nori");
    struct fb_design design = *nori;
    odd_kernel = *nori->kernels[0];
    design.name = "odd";
    design.kernels = odd_kernels;
    return design;
}

/* Forgets every tenth key. */
static size_t add_forgetfully(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    const struct fb_kernel *kernel = fb_design_find("nori")->kernels[0];
    for (size_t i = 0; i < n; i++)
        if (i % 10 != 3)
            kernel->add_batch(f, digests + 2 * i, 1);
    return n;
}

TEST(false_negatives_are_counted)
{
    struct fb_design design = odd_design();
    odd_kernel.add_batch = add_forgetfully;
    struct fb_fpr_cell cell = cell_of("nori", "sequential", 1005);
    cell.design = &design;
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts c = measure(&cell, 2);
    assert_in_range(c.false_negatives, 8 * 101 - 20, 8 * 101); /* a few are false positives */
}

enum { WINDOW_FILTERS = 3, WINDOW_KEYS = 1300, WINDOW_PROBES = 700 };
static uint8_t added[WINDOW_FILTERS * (WINDOW_KEYS + WINDOW_PROBES)];
static uint8_t asked[WINDOW_FILTERS * (WINDOW_KEYS + WINDOW_PROBES)];

static void digest_index(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    assert_int_equal(len, 8);
    assert_int_equal(n_words, 2);
    words[0] = fb_be64(key);
    assert_in_range(words[0], 0, sizeof added - 1);
}

static size_t add_index(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    (void)f;
    for (size_t i = 0; i < n; i++)
        added[digests[2 * i]]++;
    return n;
}

static size_t ask_index(const struct fb_filter *f, const uint64_t *digests, size_t n,
                        uint8_t *maybe)
{
    (void)f;
    memset(maybe, 1, n);
    for (size_t i = 0; i < n; i++)
        asked[digests[2 * i]]++;
    return n;
}

/* Every index of every window is asked exactly once, the first ones are present. */
TEST(windows_do_not_overlap)
{
    struct fb_design design = odd_design();
    design.digest = digest_index;
    design.digest_batch = NULL;
    odd_kernel.add_batch = add_index;
    odd_kernel.query_batch = ask_index;
    struct fb_fpr_cell cell = cell_of("nori", "sequential", WINDOW_KEYS);
    cell.design = &design;
    cell.filters = WINDOW_FILTERS;
    cell.probes_per_filter = WINDOW_PROBES;
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts c = measure(&cell, 1);
    assert_int_equal(total(&c), WINDOW_FILTERS * WINDOW_PROBES);
    for (size_t i = 0; i < sizeof added; i++) {
        assert_int_equal(asked[i], 1);
        assert_int_equal(added[i], i % (WINDOW_KEYS + WINDOW_PROBES) < WINDOW_KEYS);
    }
}

static unsigned builds, asked_of_third;

static size_t add_and_count(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    (void)f, (void)digests;
    builds++;
    return n;
}

static size_t add_and_interrupt(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    add_and_count(f, digests, n);
    if (builds == 3)
        raise(SIGINT);
    return n;
}

/* The present keys of the third filter, then some of its absent ones. */
static size_t ask_and_interrupt(const struct fb_filter *f, const uint64_t *digests, size_t n,
                                uint8_t *maybe)
{
    (void)f, (void)digests;
    memset(maybe, 1, n);
    if (builds == 3 && ++asked_of_third == 2)
        raise(SIGINT);
    return n;
}

/* A filter that was not asked for all of its keys does not count. */
TEST(interruption_is_reported)
{
    for (int asking = 0; asking < 2; asking++) {
        struct fb_design design = odd_design();
        odd_kernel.add_batch = asking ? add_and_count : add_and_interrupt;
        odd_kernel.query_batch = ask_and_interrupt;
        struct fb_fpr_cell cell = cell_of("nori", "random", 10);
        cell.design = &design;
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts c;
        bool complete = true;
        const char *why;
        builds = asked_of_third = 0;
        fb_interrupt_install();
        assert_int_equal(fb_fpr_measure(&cell, 1, &c, &complete, &why), FB_OK);
        assert_false(complete);
        assert_int_equal(c.filters, 2);
        assert_int_equal(total(&c), 2 * c.probes_each);
        fb_interrupt_install();
    }
}

TESTS(NULL, NULL)
