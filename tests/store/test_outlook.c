/* What a query will cost, by formula: sums over runs, splits, bounds. */
#include "tests/unit.h"

#include "harness/store/outlook.h"

enum { RUNS = 3 };

/* 1,000, 10,000 and 100,000 keys in files of at most 50,000. */
static const struct fb_outlook_run tree[RUNS] = {{1000, 1000, 1.0 / 111, false},
                                                 {10000, 10000, 10.0 / 111, false},
                                                 {100000, 50000, 100.0 / 111, true}};

static struct fb_outlook outlook_of(const char *design, enum fb_allocation split, double request,
                                    double absent, double *bits)
{
    closed_by(fb_curves_close) struct fb_curves curves = {.design = fb_design_find(design)};
    struct fb_outlook out;
    const char *why = NULL;
    assert_int_equal(fb_outlook_of(&curves, split, request, tree, RUNS, absent, &out, bits, &why),
                     FB_OK);
    return out;
}

/* Three filters of rate f: 3 f reads of an absent key; of a present one its own, and f for each
 * newer run. */
TEST(reads_are_sums_over_runs)
{
    double bits[RUNS];
    const struct fb_outlook o = outlook_of("bloom-independent", FB_ALLOC_UNIFORM, 10, 1, bits);
    const double f = fb_bloom_fpr(50000, 500000, 7);
    assert_near(o.reads_absent, 3 * f, 0.05 * f);
    assert_near(o.reads_present, 1 + f * (10 + 2 * 100) / 111, 0.05 * f);
    assert_near(o.asked_absent, 3, 1e-12);
    assert_near(o.asked_present, (1 + 2 * 10 + 3 * 100) / 111.0, 1e-12);
    assert_near(o.bytes, 111000 * 10 / 8.0, 20);
    assert_true(bits[0] == 10 && bits[2] == 10);
    assert_near(fb_outlook_reads(&o, 0.7), 0.7 * o.reads_absent + 0.3 * o.reads_present, 1e-12);
    assert_near(fb_outlook_asked(&o, 0.7), 0.7 * 3 + 0.3 * o.asked_present, 1e-12);
}

/* A key of the last level is read there in any case, so without absent keys its filters save
 * nothing; with them, bits go to the small runs. */
TEST(splits_save_reads)
{
    double bits[RUNS];
    const struct fb_outlook uniform = outlook_of("nori", FB_ALLOC_UNIFORM, 5, 1, NULL),
                            optimal = outlook_of("nori", FB_ALLOC_OPTIMAL, 5, 1, bits);
    assert_true(optimal.reads_absent < 0.8 * uniform.reads_absent);
    assert_true(optimal.bytes <= uniform.bytes * (1 + 1e-9));
    assert_true(bits[0] > bits[1] && bits[1] > bits[2]);
    const struct fb_outlook present = outlook_of("nori", FB_ALLOC_OPTIMAL, 5, 0, bits);
    assert_true(bits[2] == -1 && bits[0] > 0);
    assert_near(present.reads_present, 1, 0.01);
    assert_near(present.asked_absent, 2, 1e-12);
    const struct fb_outlook dropped = outlook_of("nori", FB_ALLOC_DROP_LAST, 5, 1, bits);
    assert_true(bits[2] == -1 && dropped.reads_absent > 1);
}

TEST(bounds)
{
    struct fb_outlook none, perfect;
    fb_outlook_bounds(tree, RUNS, &none, &perfect);
    assert_near(none.reads_absent, 3, 1e-12);
    assert_near(none.reads_present, (1 + 2 * 10 + 3 * 100) / 111.0, 1e-12);
    assert_near(none.asked_absent + none.bytes, 0, 1e-12);
    assert_near(perfect.reads_absent, 0, 1e-12);
    assert_near(perfect.reads_present, 1, 1e-12);
    assert_near(perfect.asked_present, none.reads_present, 1e-12);
}

TEST(requests_fit_the_memory)
{
    closed_by(fb_curves_close) struct fb_curves curves = {.design = fb_design_find("fuse-8")};
    const char *why = NULL;
    double request, taken;
    assert_int_equal(fb_outlook_request(&curves, 50000, 12, &request, &taken, &why), FB_OK);
    assert_true(taken > 9 && taken <= 12);
    assert_int_equal(fb_outlook_request(&curves, 50000, 5, &request, &taken, &why), FB_EINVAL);
    assert_non_null(strstr(why, "its least filter takes 9."));
}

TESTS(NULL, NULL)
