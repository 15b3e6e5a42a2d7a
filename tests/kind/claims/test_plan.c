/* Planning a row's work: from its theory alone, before anything is counted. */
#include "tests/unit.h"

#include <string.h>

#include "harness/kind/claims/claims.h"

enum { BASE = 210000 }; /* probes of 30 filters of 1,000 keys that set 7 bits each */

/* Draws the rate of filters of 10 bits a key, 0.83 %, from what is set in them, as a row that
 * claims from so much below theory to so much above. With the least work an interval, taken 1.7
 * times, is 0.036 wide on either side. */
static struct fb_finding count(enum fb_effort effort, uint64_t root, double below, double above)
{
    closed_by(fb_bench_close) struct fb_bench bench = {
        .effort = effort, .threads = 1, .phase = FB_PREDICT, .root = root};
    struct fb_finding found;
    json_auto_t *measure = json_pack("{s:s, s:i, s:i, s:i}", "design", "bloom-independent", "n",
                                     1000, "bits_per_key", 10, "k", 7);
    assert_int_equal(fb_procedure_run("fpr-by-fill", &bench, measure, &found), FB_OK);
    assert_near(1.7 * (found.theory[0] - found.low[0]), 0.036, 0.0001);
    const struct fb_claim claim = {.id = "x",
                                   .procedure = "fpr-by-fill",
                                   .measure = measure,
                                   .claimed = {.n = 1,
                                               .value = {found.theory[0]},
                                               .low = {found.theory[0] - below},
                                               .high = {found.theory[0] + above},
                                               .relation = FB_EQUAL,
                                               .unit = "%"}};
    bench.phase = FB_MEASURE;
    assert_int_equal(fb_claim_count(&bench, &claim, &found), FB_OK);
    assert_int_equal(bench.phase, FB_MEASURE);
    return found;
}

TEST(the_distance_of_theory_settles_the_work)
{
    const struct fb_finding far = count(FB_DEFAULT, 1, 0.5, 0.5),
                            near = count(FB_DEFAULT, 1, 0.0165, 0.5), /* 4.8 times the work */
        outside = count(FB_DEFAULT, 1, 0.5, -0.0165),
                            nearer = count(FB_DEFAULT, 1, 0.5, -0.0115); /* 9.8 times */
    assert_int_equal(far.probes, BASE);
    assert_int_equal(near.probes, 6 * BASE);
    assert_int_equal(outside.probes, 6 * BASE);
    assert_int_equal(nearer.probes, 12 * BASE);
    assert_int_equal(far.deciding, BASE);
    assert_int_equal(near.deciding, near.probes);
    assert_int_equal(near.deciding_effort, FB_DEFAULT);
    assert_int_equal(count(FB_FULL, 1, 0.0165, 0.5).deciding_effort, FB_FULL);
}

/* Whatever is measured. */
TEST(the_measurement_has_no_say)
{
    const struct fb_finding first = count(FB_DEFAULT, 1, 0.0165, 0.5);
    for (uint64_t root = 2; root < 6; root++) {
        const struct fb_finding other = count(FB_DEFAULT, root, 0.0165, 0.5);
        assert_int_equal(other.probes, first.probes);
        assert_true(other.deciding == first.deciding);
        assert_true(other.theory[0] == first.theory[0]);
        assert_true(other.measured[0] != first.measured[0]);
    }
}

/* What no work that is allowed would decide is given the least. */
TEST(an_effort_has_its_limits)
{
    const struct fb_finding quick = count(FB_QUICK, 1, 0.0165, 0.5),
                            most = count(FB_DEFAULT, 1, 0.5, 1e-4);
    assert_int_equal(quick.probes, BASE);
    assert_true(quick.deciding > 4 * BASE);
    assert_int_equal(quick.deciding_effort, FB_DEFAULT); /* the least that does */
    assert_int_equal(count(FB_QUICK, 1, 0.5, 0.5).deciding_effort, FB_QUICK);
    assert_int_equal(most.probes, BASE); /* 0.0001 from the limit: 3 10^10 probes */
    assert_true(most.deciding > 2e10 && isfinite(most.deciding));
    assert_int_equal(most.deciding_effort, FB_EFFORTS);
    const struct fb_finding near = count(FB_DEFAULT, 1, 0.5, 4e-4);
    assert_int_equal(near.probes, BASE); /* four times as far: 2 10^9 */
    assert_int_equal(near.deciding_effort, FB_FULL);
    /* 645 million of the 800 that the default effort gives. */
    const struct fb_finding most_of_it = count(FB_QUICK, 1, 0.5, 6.6e-4);
    assert_true(most_of_it.deciding > 6e8 && most_of_it.deciding < 8e8);
    assert_int_equal(most_of_it.deciding_effort, FB_DEFAULT);
}

/* On the limit, and where nothing is random. */
TEST(what_no_work_decides)
{
    const struct fb_finding on = count(FB_DEFAULT, 1, 0.5, 0);
    assert_true(isinf(on.deciding));
    assert_int_equal(on.deciding_effort, FB_EFFORTS);
    assert_int_equal(on.probes, BASE);

    closed_by(fb_bench_close) struct fb_bench bench = {.effort = FB_DEFAULT};
    struct fb_finding found;
    json_auto_t *measure = json_pack("{s:i}", "bits_per_key", 10);
    const struct fb_claim slope = {
        .id = "x",
        .procedure = "best-k-slope",
        .measure = measure,
        .claimed = {.n = 1, .value = {0.693}, .low = {0.6925}, .high = {0.6935}, .unit = ""}};
    assert_int_equal(fb_claim_count(&bench, &slope, &found), FB_OK);
    assert_true(found.deciding == 0 && !found.probes);
}

/* 1, 2, 3, 4, 6, 8, 12, ... times, of which 6 times are 1.26 million probes. */
TEST(work_grows_by_thirds_and_halves)
{
    bool seen[33] = {false};
    for (double half = 0.06; half > 0.006; half *= 0.98) {
        const struct fb_finding found = count(FB_QUICK, 1, half, half);
        const double times = found.deciding / BASE;
        assert_true(times == floor(times));
        if (times <= 32)
            seen[(size_t)times] = true;
    }
    for (size_t i = 1; i <= 24; i++)
        if (seen[i] != (!(i & (i - 1)) || (i % 3 == 0 && !(i / 3 & (i / 3 - 1)))))
            fail_msg("%zu times: %d", i, seen[i]);
}

TESTS(NULL, NULL)
