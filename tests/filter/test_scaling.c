/* How lookups of several threads scale. */
#include "tests/unit.h"

#include "harness/filter/scaling.h"

TEST(scaling_is_measured)
{
    static const unsigned threads[] = {1, 3};
    const struct fb_scaling_options options = {
        .threads = threads, .n = 2, .rounds = 2, .round_ns = 1e5, .seed = 1};
    double per_s[2][2] = {{0}};
    const struct fb_params params = {.bits_per_key = 10};
    const char *why;
    closed_by(fb_filter_close) struct fb_filter f;
    uint64_t digests[100];
    for (size_t i = 0; i < 100; i++)
        digests[i] = fb_mix64(i);
    assert_int_equal(
        fb_filter_build_digests(fb_design_find("sbbf-256"), NULL, &params, digests, 100, &f, &why),
        FB_OK);
    assert_int_equal(fb_scaling_measure(&f, &options, per_s[0]), FB_OK);
    for (unsigned i = 0; i < 4; i++)
        assert_true(per_s[i / 2][i % 2] > 0);
}

TEST(speedups_are_of_rounds)
{
    /* The machine became half as fast after the first round: the speedup is 1.5 all the same. */
    const double first[] = {8, 4, 4, 4, 2}, samples[] = {12, 6.4, 7, 1, 2.5};
    struct fb_scaling_point p;
    assert_int_equal(fb_scaling_point(first, samples, 5, &p), FB_OK);
    assert_near(p.per_s, 6.4, 0);
    assert_near(p.per_s_low, 2.5, 0);
    assert_near(p.per_s_high, 7, 0);
    assert_near(p.speedup, 1.5, 0);
    assert_near(p.speedup_low, 1.25, 0);
    assert_near(p.speedup_high, 1.6, 0);
}

TEST(numbers_of_threads_double)
{
    unsigned threads[FB_SCALING_MOST];
    size_t n = fb_scaling_cores(threads);
    assert_int_equal(threads[0], 1);
    for (size_t i = 1; i < n; i++)
        assert_true(threads[i] > threads[i - 1] && threads[i] <= 2 * threads[i - 1]);
}

TESTS(NULL, NULL)
