/* What intervals of observations made by hand say. */
#include "tests/unit.h"

#include "harness/stats/change.h"

enum { N = 16 };
static const struct fb_change_rules rules = {.delta = 0.03, .alpha = 0.01};

/* Observations about a centre, spread evenly over +-half. */
static void spread(double *d, size_t n, double centre, double half)
{
    for (size_t i = 0; i < n; i++)
        d[i] = centre + half * (2 * (double)(i * 7 % n) / (double)(n - 1) - 1);
}

static struct fb_change_cell judged(size_t n, double centre, double half)
{
    static double d[FB_PAIRED_MAX];
    spread(d, n, centre, half);
    struct fb_change_cell cell = {.d = d, .n = n};
    fb_change_judge(&rules, &cell, 1);
    return cell;
}

TEST(verdicts)
{
    assert_int_equal(judged(N, 0, 0.01).change, FB_UNCHANGED);
    assert_int_equal(judged(N, 0.01, 0.005).change,
                     FB_UNCHANGED); /* slower, by less than matters */
    assert_int_equal(judged(N, 0.05, 0.01).change, FB_REGRESSED);
    assert_int_equal(judged(N, -0.05, 0.01).change, FB_IMPROVED);
    assert_int_equal(judged(N, 0.05, 0.2).change, FB_INCONCLUSIVE); /* reaches below 0 */
    assert_int_equal(judged(N, 0, 0.1).change, FB_INCONCLUSIVE);
    assert_int_equal(judged(N, 0.0295, 0.01).change, FB_INCONCLUSIVE); /* slower, by delta or not */
    assert_int_equal(judged(6, 0.05, 0.001).change,
                     FB_INCONCLUSIVE); /* no interval of that level */
}

/* 1 - 0.01 / m: m = 1 takes 8 processes, 2 take 9; attained are 1 - 2^-7 and 1 - 2^-8. */
TEST(levels_step_down)
{
    double d[3][N];
    assert_near(judged(N, 0, 0.01).paired.level, 1 - 0x1p-7, 1e-15);
    spread(d[0], N, 0.05, 0.01);
    spread(d[1], N, 0, 0.01);
    spread(d[2], N, 0, 0.01);
    struct fb_change_cell cells[3];
    for (size_t i = 0; i < 3; i++)
        cells[i] = (struct fb_change_cell){.d = d[i], .n = N};
    fb_change_judge(&rules, cells, 2);
    assert_near(cells[0].paired.level, 1 - 0x1p-8, 1e-15); /* of two */
    assert_near(cells[1].paired.level, 1 - 0x1p-7, 1e-15); /* the only one left */
    fb_change_judge(&rules, cells + 1, 2);
    assert_near(cells[1].paired.level, 1 - 0x1p-8, 1e-15); /* neither is beside 0 */
}

TEST(memory_widens)
{
    double d[N];
    spread(d, N, 0.05, 0.025);
    struct fb_change_cell cell = {.d = d, .n = N};
    fb_change_judge(&rules, &cell, 1);
    assert_int_equal(cell.change, FB_REGRESSED);
    struct fb_change_rules remembering = rules;
    remembering.memory = 0.9;
    fb_change_judge(&remembering, &cell, 1);
    assert_int_equal(cell.change, FB_INCONCLUSIVE);
}

TESTS(NULL, NULL)
