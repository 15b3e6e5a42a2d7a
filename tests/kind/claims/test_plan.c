/* Planning a row's work: from its theory alone, before anything is counted. */
#include "tests/unit.h"

#include <string.h>

#include "harness/kind/claims/plan.h"
#include "harness/kind/claims/procedure/table.h"

enum { BASE = 20000 }; /* probes that the row below asks for, of 10 filters */

/* Counts the rate of ten filters of 1,000 keys and 10 bits each, 0.82 %, as a row that claims so
 * much percent. */
static struct fb_finding count(enum fb_effort effort, uint64_t root, double claimed, double half)
{
    struct fb_bench bench = {.effort = effort, .threads = 1, .root = root};
    struct fb_finding found;
    json_t *measure = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i}", "procedure", "fpr", "design",
                                "bloom-independent", "n", 1000, "bits_per_key", 10, "probes", BASE,
                                "filters", 10);
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
    json_decref(measure);
    fb_bench_close(&bench);
    return found;
}

/* An interval of 20,000 probes is 0.3 % wide on either side of 0.82 %. */
static void the_distance_of_theory_settles_the_work(void **state)
{
    (void)state;
    const struct fb_finding far = count(FB_DEFAULT, 1, 5, 0.5),
                            near = count(FB_DEFAULT, 1, 1.5, 0.5),
                            nearer = count(FB_DEFAULT, 1, 1.4, 0.5);
    assert_int_equal(far.probes, BASE);
    assert_int_equal(far.deciding, BASE);
    assert_true(near.probes > 4 * BASE);          /* 0.18 from the limit of 1.0 */
    assert_true(nearer.probes > 2 * near.probes); /* 0.08 */
    assert_int_equal(near.deciding, near.probes);
    assert_true(near.full_decides);
}

/* Whatever is measured. */
static void the_measurement_has_no_say(void **state)
{
    (void)state;
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
static void an_effort_has_its_limits(void **state)
{
    (void)state;
    const struct fb_finding quick = count(FB_QUICK, 1, 1.5, 0.5),
                            most = count(FB_DEFAULT, 1, quick.theory[0] + 0.5 - 1e-4, 0.5);
    assert_int_equal(quick.probes, BASE);
    assert_true(quick.deciding > 4 * BASE && quick.full_decides);
    assert_int_equal(most.probes, BASE); /* 0.0001 from the limit: 10^12 probes */
    assert_true(most.deciding > 2e10 && isfinite(most.deciding) && !most.full_decides);
}

/* On the limit, and where nothing is random. */
static void what_no_work_decides(void **state)
{
    (void)state;
    const double theory = count(FB_QUICK, 1, 5, 0.5).theory[0];
    const struct fb_finding on = count(FB_DEFAULT, 1, theory + 0.5, 0.5);
    assert_true(isinf(on.deciding) && !on.full_decides);
    assert_int_equal(on.probes, BASE);

    struct fb_bench bench = {.effort = FB_DEFAULT};
    struct fb_finding found;
    json_t *measure = json_pack("{s:i}", "bits_per_key", 10);
    const struct fb_claim slope = {
        .id = "x",
        .procedure = "best-k-slope",
        .measure = measure,
        .claimed = {.n = 1, .value = {0.693}, .low = {0.6925}, .high = {0.6935}, .unit = ""}};
    assert_int_equal(fb_claim_count(&bench, &slope, &found), FB_OK);
    assert_true(found.deciding == 0 && !found.probes);
    json_decref(measure);
    fb_bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distance_of_theory_settles_the_work),
        cmocka_unit_test(the_measurement_has_no_say),
        cmocka_unit_test(an_effort_has_its_limits),
        cmocka_unit_test(what_no_work_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
