/* What is concluded from the counts of an FPR, against figures worked out by hand. */
#include "tests/unit.h"

#include <string.h>

#include "harness/filter/fpr.h"

static struct fb_fpr_summary summary_of(const struct fb_fpr_cell *cell,
                                        const struct fb_fpr_counts *counts)
{
    struct fb_fpr_summary summary;
    fb_fpr_summarise(cell, counts, &summary);
    return summary;
}

static double two_percent(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 0.02;
}

TEST(summary_by_hand)
{
    struct fb_design design = {.name = "constant", .fpr = two_percent};
    const struct fb_fpr_cell cell = {.design = &design, .keygen = &fb_keygens[0]};
    uint64_t events[] = {1, 2, 3, 4};
    struct fb_fpr_counts c = {
        .filters = 4, .events = events, .probes_each = 100, .filter_bytes = 1000, .n_keys = 1000};
    struct fb_fpr_summary s = summary_of(&cell, &c);
    assert_int_equal(s.events, 10);
    assert_int_equal(s.probes, 400);
    assert_near(s.estimate, 0.025, 1e-15);
    assert_near(s.best, 0.01, 1e-15);
    assert_near(s.worst, 0.04, 1e-15);
    assert_near(s.sd_filters, 0.012909944487, 1e-12);
    assert_near(s.se, 0.007806247498, 1e-12); /* binomial: above 0.0064550 over filters */
    assert_near(s.t95.low, 0.025 - 3.182446305 * 0.006454972244, 1e-9);
    assert_near(s.t95.high, 0.025 + 3.182446305 * 0.006454972244, 1e-9);
    assert_false(s.rate95_pooled);
    assert_true(s.rate95.low == s.t95.low && s.rate95.high == s.t95.high);
    assert_near(s.wilson95.low, 0.013635091746, 1e-8);
    assert_near(s.wilson95.high, 0.045401587872, 1e-8);
    assert_near(s.model, 0.02, 0);
    assert_near(s.model_se, 0, 0);
    assert_near(s.ratio, 1.25, 1e-12);
    assert_near(s.z, 0.005 / 0.007, 1e-12);
    assert_near(s.upper95, 0.0420365450, 1e-6);
    assert_near(s.bits_per_key, 8, 1e-15);
    assert_near(s.bound_bits, 5.321928094887, 1e-11);
    assert_near(s.wasted, 1 - 5.321928094887 / 8, 1e-11);

    /* Keys of a file: 30 present and 100 asked are 130 keys, whatever the number of filters. */
    const struct fb_fpr_cell file = {.design = &design};
    c.n_keys = 30;
    assert_near(summary_of(&file, &c).z, 0.005 / sqrt(0.02 * 0.98 / 130), 1e-12);
    assert_near(summary_of(&cell, &c).z, 0.005 / 0.007, 1e-12);
    c.n_keys = 1000;

    /* A simulated model: two filters of 100 probes with 2 and 4 events. */
    c.model_filters = 2, c.model_probes = 200, c.model_events = 6, c.model_squares = 20;
    s = summary_of(&cell, &c);
    assert_near(s.model, 0.03, 1e-15);
    assert_near(s.model_se, 0.012062338081, 1e-12); /* binomial, above 0.01 between filters */
    assert_near(s.z, -0.005 / sqrt(0.03 * 0.97 / 400 + 0.03 * 0.97 / 200), 1e-9);
    c.model_events = 10, c.model_squares = 100; /* 0 and 10 */
    s = summary_of(&cell, &c);
    assert_near(s.model_se, 0.05, 1e-12);

    /* Filters that differ more than chance: their spread is the error. */
    c = (struct fb_fpr_counts){
        .filters = 4, .events = events, .probes_each = 1000000, .n_keys = 1000};
    for (size_t i = 0; i < 4; i++)
        events[i] = 10000 * (i + 1);
    s = summary_of(&cell, &c);
    assert_near(s.se, 0.006454972244, 1e-12);
    /* ... and the model's own error is scaled by as much. */
    assert_near(s.z, 0.005 / 0.006454972244 * sqrt(0.025 * 0.975 / (0.02 * 0.98)), 1e-6);
    assert_true(isnan(s.upper95));
}

/* Two filters, filters that agree, filters that all say no or all yes: t leaves [0, 1] or is a
 * point. */
TEST(interval_of_a_rate)
{
    static const struct {
        uint64_t filters, events[4];
        bool pooled;
    } cases[] = {{2, {10, 12}, true},        {4, {11, 11, 11, 11}, true}, {4, {0, 0, 0, 0}, true},
                 {2, {100, 100}, true},      {2, {99, 90}, true},         {4, {1, 0, 0, 60}, true},
                 {4, {8, 11, 12, 9}, false}, {4, {40, 50, 60, 70}, false}};
    struct fb_design design = {.name = "constant", .fpr = two_percent};
    const struct fb_fpr_cell cell = {.design = &design, .keygen = &fb_keygens[0]};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t events[4];
        memcpy(events, cases[i].events, sizeof events);
        const struct fb_fpr_counts c = {
            .filters = cases[i].filters, .events = events, .probes_each = 100, .n_keys = 1000};
        const struct fb_fpr_summary s = summary_of(&cell, &c);
        assert_int_equal(s.rate95_pooled, cases[i].pooled);
        assert_true(s.rate95.low >= 0 && s.rate95.high <= 1 && s.rate95.low < s.rate95.high);
        assert_true(s.rate95.low <= s.estimate && s.estimate <= s.rate95.high);
    }
    /* Filters that differ as chance makes them: all their probes count. Those that differ more, as
     * 0.15 by 0.15 over 4 filters does, tell less. */
    uint64_t events[] = {10, 10, 0, 61};
    struct fb_fpr_counts c = {.filters = 2, .events = events, .probes_each = 100, .n_keys = 1000};
    struct fb_fpr_summary s = summary_of(&cell, &c);
    assert_true(s.rate95.low == s.wilson95.low && s.rate95.high == s.wilson95.high);
    c.filters = 4;
    s = summary_of(&cell, &c);
    assert_true(s.rate95.low < s.wilson95.low - 0.05 && s.rate95.high > s.wilson95.high + 0.05);
}

static double no_model(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 0;
}

TEST(summary_without_events)
{
    struct fb_design design = {.name = "constant", .fpr = two_percent};
    const struct fb_fpr_cell cell = {.design = &design, .keygen = &fb_keygens[0]};
    uint64_t events[] = {0, 0};
    struct fb_fpr_counts c = {.filters = 2, .events = events, .probes_each = 200, .n_keys = 1000};
    struct fb_fpr_summary s = summary_of(&cell, &c);
    assert_near(s.estimate, 0, 0);
    assert_near(s.ratio, 0, 0);
    assert_near(s.z, -0.02 / 0.007, 1e-12);  /* the model's own chance of none */
    assert_near(s.upper95, 0.0074612, 1e-6); /* 1 - 0.05^(1/400) */
    assert_true(isnan(s.bound_bits));

    design.fpr = no_model;
    assert_near(summary_of(&cell, &c).z, 0, 0);
    assert_true(isnan(summary_of(&cell, &c).ratio));
    events[1] = 1; /* what the model rules out */
    assert_true(isinf(summary_of(&cell, &c).z));
    c.filters = 1, events[0] = 1;
    assert_true(isinf(summary_of(&cell, &c).z));
}

/* Of three filters and one that no attempt made. */
TEST(sums_of_builds)
{
    const struct fb_fpr_outcome o[] = {
        {.done = true, .attempts = 1, .temporary_bytes = 10, .events = 5, .false_negatives = 1},
        {.done = true, .failed = true, .attempts = 9, .temporary_bytes = 99, .events = 9},
        {.done = true, .attempts = 3, .temporary_bytes = 30, .events = 6, .false_negatives = 2},
        {.done = true, .attempts = 2, .temporary_bytes = 20, .events = 7},
        {.attempts = 8, .events = 8}};
    closed_by(fb_fpr_counts_close) struct fb_fpr_counts c = {0};
    assert_int_equal(fb_fpr_add(o, 5, &c), FB_OK);
    assert_true(c.filters == 3 && c.failures == 1 && c.attempts == 6 && c.first_failed == 2);
    assert_true(c.temporary_bytes == 30 && c.false_negatives == 3 && !c.block_checksum);
    assert_true(c.events[0] == 5 && c.events[1] == 6 && c.events[2] == 7);
}

TESTS(NULL, NULL)
