/* Measuring a false-positive rate: what is counted, how it compares, when it stops. */
#include "tests/filter/fpr_cells.h"

#include <stdlib.h>

#include "workloads/core/rng.h"

/* ---- Counts ---- */

TEST(threads_do_not_change_counts)
{
    static const char *const designs[] = {"nori", "leveldb", "bloom-independent"};
    for (size_t i = 0; fb_keygens[i].name; i++) {
        struct fb_fpr_cell cell = cell_of(designs[i % 3], fb_keygens[i].name, 700);
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts one = measure(&cell, 1),
                                                            two = measure(&cell, 2);
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts many = measure(&cell, 7);
        assert_equal_counts(&one, &two);
        assert_equal_counts(&one, &many);
        assert_int_equal(one.false_negatives, 0);
    }
}

/* Events and checksum agree with a separate program in another language. */
TEST(counts_are_pinned)
{
    struct fb_fpr_cell cell = cell_of("nori", "random", 1000);
    cell.filters = 4;
    struct fb_fpr_counts c = measure(&cell, 2);
    static const uint64_t events[] = {37, 29, 38, 35};
    assert_int_equal(c.filters, 4);
    assert_memory_equal(c.events, events, sizeof events);
    assert_int_equal(c.checksum, UINT64_C(0xf446788807878868));
    assert_int_equal(c.filter_bytes, 1250);
    assert_int_equal(c.block_bytes, 1266);
    assert_int_equal(c.n_entries, 1000);
    assert_int_equal(c.geom.n_bits, 10000);
    assert_int_equal(c.geom.probes, 7);
    assert_false(c.derived);
    fb_fpr_counts_close(&c);

    cell.params = (struct fb_params){.fpr = 0.01}; /* nori sizes by bits */
    c = measure(&cell, 1);
    assert_true(c.derived);
    fb_fpr_counts_close(&c);

    cell.root++;
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts other = measure(&cell, 1);
    assert_int_not_equal(other.checksum, c.checksum);
}

static uint64_t chained(uint64_t checksum, uint64_t next)
{
    const uint64_t pair[2] = {checksum, next};
    return fb_xxh64(pair, sizeof pair, 0);
}

/* The checksum of blocks is that of what fb_filter_write writes of the same keys. */
TEST(blocks_are_those_written)
{
    static const char *const designs[] = {"nori", "sbbf-512", "leveldb"};
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        struct fb_fpr_cell cell = cell_of(designs[d], "random", 300);
        const struct fb_format *native = cell.design->formats;
        uint64_t expected = 0;
        const char *why;
        cell.filters = 2;
        for (size_t j = 0; j < cell.filters; j++) {
            closed_by(fb_keyset_close) struct fb_keyset keys;
            closed_by(fb_filter_close) struct fb_filter filter;
            const uint64_t stream = fb_stream_key(cell.root, FB_DOMAIN_KEYS, j);
            assert_int_equal(fb_keyset_generate(cell.keygen, stream, 0, 300, &keys), FB_OK);
            assert_int_equal(
                fb_filter_build(cell.design, NULL, &cell.params, &keys.keys, &filter, &why), FB_OK);
            auto_free uint8_t *block = malloc((size_t)native->size(&filter));
            assert_int_equal(fb_filter_write(&filter, native, block, &why), FB_OK);
            expected = chained(expected, fb_xxh64(block, (size_t)native->size(&filter), 0));
        }
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts counts = measure(&cell, 1);
        assert_int_equal(counts.block_checksum, expected);
        assert_int_not_equal(counts.block_checksum, counts.checksum);
    }
    struct fb_fpr_cell null = cell_of("null", "random", 300);
    null.params = (struct fb_params){0};
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts counts = measure(&null, 1);
    assert_int_equal(counts.block_checksum, 0);
    assert_int_equal(counts.block_bytes, 0);
}

/* ---- Against theory ---- */

TEST(rates_match_the_model)
{
    static const struct {
        const char *design, *keygen;
        uint64_t n, capacity;
        bool simulated;
    } cases[] = {
        {"nori", "random", 20000, 0, false},     {"nori", "sequential", 20000, 0, false},
        {"nori", "dec6", 20000, 0, false},       {"nori", "random", 100, 0, true},
        {"leveldb", "dec6", 5000, 0, true},      {"bloom-independent", "dec6", 2000, 0, false},
        {"nori", "random", 20000, 10000, false}, {"nori", "random", 20000, 40000, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fb_fpr_cell cell = cell_of(cases[i].design, cases[i].keygen, cases[i].n);
        cell.params.capacity = cases[i].capacity;
        cell.probes_per_filter = 16384;
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts c = measure(&cell, 0);
        struct fb_fpr_summary s = summary_of(&cell, &c);
        assert_int_equal(c.false_negatives, 0);
        if (c.model_probes != (cases[i].simulated ? 8 * 16384 : 0))
            fail_msg("case %zu", i);
        assert_int_equal(c.model_filters, cases[i].simulated ? 8 : 0);
        assert_true(s.model_se > 0 || !cases[i].simulated);
        assert_near(s.z, 0, 5);
    }
}

TEST(hash_can_be_replaced)
{
    struct fb_fpr_cell cell = cell_of("nori", "dec6", 10000);
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts own = measure(&cell, 0);
    cell.hash = fb_hash_find("xxh3-64");
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts other = measure(&cell, 0);
    assert_int_not_equal(own.checksum, other.checksum);
    assert_int_equal(other.false_negatives, 0);
    assert_near(summary_of(&cell, &other).z, 0, 5);
}

/* A filter sized for half or twice its keys: 5 and 20 bits a key, with 7 probes either way. */
TEST(misjudged_capacity)
{
    struct fb_fpr_cell cell = cell_of("bloom-independent", "random", 5000);
    const uint64_t capacity[] = {2500, 0, 10000};
    const double expected[] = {0.13778, 0.0081937, 0.00019587}; /* (1 - e^(-7/b))^7 */
    for (size_t i = 0; i < 3; i++) {
        cell.params.capacity = capacity[i];
        closed_by(fb_fpr_counts_close) struct fb_fpr_counts c = measure(&cell, 0);
        struct fb_fpr_summary s = summary_of(&cell, &c);
        assert_int_equal(c.geom.n_bits, 10 * (capacity[i] ? capacity[i] : 5000));
        assert_int_equal(c.n_keys, 5000);
        assert_near(s.model / expected[i], 1, 0.01);
        assert_near(s.z, 0, 5);
        assert_near(s.bits_per_key, 5 << i, 1e-9);
    }
}

/* ---- When it stops ---- */

static double half_width(const struct fb_fpr_summary *s)
{
    return (s->t95.high - s->t95.low) / 2;
}

TEST(stops_once_precise)
{
    struct fb_fpr_cell cell = cell_of("nori", "random", 500);
    cell.filters = 4;
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts fixed = measure(&cell, 2);
    cell.precision = 0.05;
    cell.max_probes = 1 << 22;
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts c = measure(&cell, 2);
    struct fb_fpr_summary s = summary_of(&cell, &c);
    assert_in_range(c.filters, 8, 1000);
    assert_int_equal(c.filters % 4, 0);
    assert_true(half_width(&s) <= 0.05 * s.estimate);
    assert_memory_equal(c.events, fixed.events, 4 * sizeof *c.events);
    /* Not one batch earlier. */
    size_t enough = c.filters;
    for (c.filters = 4; c.filters < enough; c.filters += 4) {
        s = summary_of(&cell, &c);
        assert_true(half_width(&s) > 0.05 * s.estimate);
    }
}

TEST(stops_at_the_budget)
{
    struct fb_fpr_cell cell = cell_of("nori", "random", 50);
    cell.filters = 2;
    cell.precision = 1e-9;
    cell.max_probes = 7 * 2 * 4096 + 5000; /* seven batches and not enough for an eighth */
    struct fb_fpr_counts c = measure(&cell, 2);
    assert_int_equal(c.filters, 14);
    fb_fpr_counts_close(&c);
    cell.max_probes = 1; /* at least one batch */
    c = measure(&cell, 2);
    assert_int_equal(c.filters, 2);
    fb_fpr_counts_close(&c);
    cell.design = fb_design_find("exact"); /* no event at all is not precise */
    cell.precision = 0.1;
    cell.max_probes = 3 * 2 * 4096;
    c = measure(&cell, 2);
    assert_int_equal(c.filters, 6);
    fb_fpr_counts_close(&c);
}

/* ---- Refusals ---- */

static void refuses(const struct fb_fpr_cell *cell)
{
    struct fb_fpr_counts c;
    bool complete = true;
    const char *why = NULL;
    assert_int_equal(fb_fpr_measure(cell, 1, &c, &complete, &why), FB_EINVAL);
    assert_non_null(why);
    assert_false(complete);
    assert_null(c.events);
    assert_int_equal(c.filters, 0);
}

TEST(impossible_cells_are_refused)
{
    const struct fb_fpr_cell good = cell_of("nori", "random", 100);
    struct fb_fpr_cell bad = good;
    bad.filters = 0;
    refuses(&bad);
    bad = good;
    bad.probes_per_filter = 0;
    refuses(&bad);
    bad = good;
    bad.params.bits_per_key = -1;
    refuses(&bad);
    bad.params.bits_per_key = NAN;
    refuses(&bad);
    bad.params.bits_per_key = 0;
    refuses(&bad);
    bad = good;
    bad.n_keys = UINT64_MAX;
    refuses(&bad);
    bad = good;
    bad.probes_per_filter = UINT64_MAX / 2;
    refuses(&bad);
    bad = cell_of("nori", "sequential", FB_MAX_KEYS);
    bad.filters = 1 << 24;
    refuses(&bad);

    closed_by(fb_keyset_close) struct fb_keyset file;
    assert_int_equal(fb_keyset_generate(fb_keygens, 0, 0, 10, &file), FB_OK);
    bad = good;
    bad.keygen = NULL;
    bad.file = &file.keys;
    bad.n_keys = 11;
    refuses(&bad);
    bad.n_keys = 10; /* none left to ask */
    refuses(&bad);
}

TESTS(NULL, NULL)
