/* Planning a row's work: from its theory alone, before anything is counted. */
#include "tests/unit.h"

#include <string.h>

#include "harness/kind/claims/claims.h"

enum { BASE = 20000 }; /* probes that the row below asks for, of 10 filters */

/* Counts the rate of ten filters of 1,000 keys and 10 bits each, 0.82 %, as a row that claims so
 * much percent. */
static struct fb_finding count(enum fb_effort effort, uint64_t root, double claimed, double half)
{
    closed_by(fb_bench_close) struct fb_bench bench = {
        .effort = effort, .threads = 1, .root = root};
    struct fb_finding found;
    json_auto_t *measure = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i}", "procedure", "fpr", "design",
                                     "bloom-independent", "n", 1000, "bits_per_key", 10, "probes",
                                     BASE, "filters", 10);
    const struct fb_claim claim = {.id = "x",
                                   .procedure = "fpr",
                                   .measure = measure,
                                   .claimed = {.n = 1,
                                               .value = {claimed},
                                               .low = {claimed - half},
                                               .high = {claimed + half},
                                               .relation = FB_EQUAL,
                                               .unit = "%"}};
    assert_int_equal(fb_claim_count(&bench, &claim, &found), FB_OK);
    assert_int_equal(bench.phase, FB_MEASURE);
    return found;
}

/* An interval of 20,000 probes is 0.3 % wide on either side of 0.82 %. */
TEST(the_distance_of_theory_settles_the_work)
{
    const struct fb_finding far = count(FB_DEFAULT, 1, 5, 0.5),
                            near = count(FB_DEFAULT, 1, 1.5, 0.5),
                            nearer = count(FB_DEFAULT, 1, 1.4, 0.5);
    assert_int_equal(far.probes, BASE);
    assert_int_equal(far.deciding, BASE);
    assert_true(near.probes > 4 * BASE);          /* 0.18 from the limit of 1.0 */
    assert_true(nearer.probes > 2 * near.probes); /* 0.08 */
    assert_int_equal(near.deciding, near.probes);
    assert_int_equal(near.deciding_effort, FB_DEFAULT);
    assert_int_equal(count(FB_FULL, 1, 1.5, 0.5).deciding_effort, FB_FULL);
}

/* Whatever is measured. */
TEST(the_measurement_has_no_say)
{
    const struct fb_finding first = count(FB_DEFAULT, 1, 1.5, 0.5);
    for (uint64_t root = 2; root < 6; root++) {
        const struct fb_finding other = count(FB_DEFAULT, root, 1.5, 0.5);
        assert_int_equal(other.probes, first.probes);
        assert_true(other.deciding == first.deciding);
        assert_true(other.theory[0] == first.theory[0]);
        assert_true(other.events != first.events);
    }
}

/* What no work that is allowed would decide is given the least. */
TEST(an_effort_has_its_limits)
{
    const struct fb_finding quick = count(FB_QUICK, 1, 1.5, 0.5),
                            most = count(FB_DEFAULT, 1, quick.theory[0] + 0.5 - 1e-4, 0.5);
    assert_int_equal(quick.probes, BASE);
    assert_true(quick.deciding > 4 * BASE);
    assert_int_equal(quick.deciding_effort, FB_DEFAULT); /* the least that does */
    assert_int_equal(count(FB_QUICK, 1, 5, 0.5).deciding_effort, FB_QUICK);
    assert_int_equal(most.probes, BASE); /* 0.0001 from the limit: 10^12 probes */
    assert_true(most.deciding > 2e10 && isfinite(most.deciding));
    assert_int_equal(most.deciding_effort, FB_EFFORTS);
    const struct fb_finding near = count(FB_DEFAULT, 1, quick.theory[0] + 0.5 - 1e-3, 0.5);
    assert_int_equal(near.probes, BASE); /* ten times as far: 10^10 */
    assert_int_equal(near.deciding_effort, FB_FULL);
}

/* On the limit, and where nothing is random. */
TEST(what_no_work_decides)
{
    const double theory = count(FB_QUICK, 1, 5, 0.5).theory[0];
    const struct fb_finding on = count(FB_DEFAULT, 1, theory + 0.5, 0.5);
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

/* Where 4 times the work leaves the interval, taken 1.7 times, on the limit and 6 times do not.
 * Each time is 30 filters of 20,000 keys, 30 probes a key. */
static struct fb_finding count_fill(enum fb_effort effort)
{
    enum { TIMES = 5 };
    closed_by(fb_bench_close) struct fb_bench bench = {
        .effort = effort, .phase = FB_PREDICT, .root = 3};
    struct fb_finding found;
    json_auto_t *measure =
        json_pack("{s:s, s:i, s:i, s:i, s:i, s:i}", "design", "bloom-independent", "n", 20000,
                  "bits_per_key", 8, "k", 30, "probes", 1000, "filters", 10);
    assert_int_equal(fb_procedure_run("fpr-by-fill", &bench, measure, &found), FB_OK);
    const double half = 1.7 * (found.theory[0] - found.low[0]) / sqrt(TIMES);
    const struct fb_claim claim = {.id = "x",
                                   .procedure = "fpr-by-fill",
                                   .measure = measure,
                                   .claimed = {.n = 1,
                                               .value = {found.theory[0]},
                                               .low = {found.theory[0] - half},
                                               .high = {found.theory[0] + half},
                                               .relation = FB_EQUAL,
                                               .unit = "%"}};
    assert_int_equal(fb_claim_count(&bench, &claim, &found), FB_OK);
    return found;
}

/* 108 million probes. */
TEST(the_default_effort_gives_800_million_probes)
{
    const struct fb_finding quick = count_fill(FB_QUICK), all = count_fill(FB_DEFAULT);
    assert_in_range(quick.probes, 18000000, 18100000);
    assert_in_range(all.probes, 6 * 18000000, 6 * 18100000);
    assert_true(quick.deciding == (double)all.probes && all.deciding == quick.deciding);
}

/* 1, 2, 3, 4, 6, 8, 12, ... times. */
TEST(work_grows_by_thirds_and_halves)
{
    bool seen[33] = {false};
    for (double half = 1.2; half > 0.08; half *= 0.98) {
        const struct fb_finding found = count(FB_QUICK, 1, 0.82, half);
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
