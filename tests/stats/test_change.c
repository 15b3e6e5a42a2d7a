/* What a look says of observations made by hand. */
#include "tests/unit.h"

#include <math.h>
#include <string.h>

#include "harness/stats/change.h"

enum { N = 16 };
static const struct fb_change_rules rules = {.delta = 0.03, .alpha = 0.01, .looks = 3};

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
    assert_int_equal(judged(N, 0.05, 0.1).change, FB_INCONCLUSIVE); /* reaches below 0 */
    assert_int_equal(judged(N, 0, 0.1).change, FB_INCONCLUSIVE);
    assert_int_equal(judged(N, 0.0295, 0.01).change, FB_INCONCLUSIVE); /* slower, by delta or not */
    assert_string_equal(fb_change_name(FB_REGRESSED), "regressed");
    assert_string_equal(fb_change_name(FB_INCONCLUSIVE), "inconclusive");
}

/* What the machine shows of nothing is no change; it hides none that is larger. */
TEST(floor)
{
    double d[N];
    static const struct {
        double centre, floor;
        enum fb_change change;
    } rows[] = {{0.05, 0, FB_REGRESSED},    {0.05, 0.04, FB_REGRESSED},
                {0.05, 0.08, FB_UNCHANGED}, {-0.05, 0.08, FB_UNCHANGED},
                {0, 0.001, FB_UNCHANGED},   {0.02, 0.001, FB_UNCHANGED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        spread(d, N, rows[i].centre, 0.005);
        struct fb_change_cell cell = {.d = d, .n = N, .floor = rows[i].floor};
        fb_change_judge(&rules, &cell, 1);
        assert_int_equal(cell.change, rows[i].change);
        assert_near(fb_change_delta(&rules, &cell), fmax(0.03, rows[i].floor), 1e-15);
    }
}

/* 1 - 0.01 / 3 / m: m = 1 takes 10 processes, 2 take 11; attained are 1 - 2^-9 and 1 - 2^-10. */
TEST(levels_step_down)
{
    double d[3][N];
    assert_near(judged(N, 0, 0.01).paired.level, 1 - 0x1p-9, 1e-15);
    spread(d[0], N, 0.05, 0.01);
    spread(d[1], N, 0, 0.01);
    spread(d[2], N, 0, 0.01);
    struct fb_change_cell cells[3];
    for (size_t i = 0; i < 3; i++)
        cells[i] = (struct fb_change_cell){.d = d[i], .n = N};
    fb_change_judge(&rules, cells, 2);
    assert_near(cells[0].paired.level, 1 - 0x1p-10, 1e-15); /* of two */
    assert_near(cells[1].paired.level, 1 - 0x1p-9, 1e-15);  /* the only one left */
    fb_change_judge(&rules, cells + 1, 2);
    assert_near(cells[1].paired.level, 1 - 0x1p-10, 1e-15); /* neither is beside 0 */
    fb_change_judge(&(struct fb_change_rules){.delta = 0.03, .alpha = 0.01, .looks = 1}, cells, 1);
    assert_near(cells[0].paired.level, 1 - 0x1p-7, 1e-15); /* one look has all of alpha: 8 blocks */
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

TEST(few_processes)
{
    struct fb_change_cell cell = judged(9, 0.05, 0.001);
    assert_int_equal(cell.change, FB_INCONCLUSIVE); /* no interval of that level */
    assert_near(cell.more, 1, 0);
    assert_true(cell.advisory);
    cell = judged(15, 0.05, 0.001);
    assert_int_equal(cell.change, FB_REGRESSED);
    assert_true(cell.advisory);
    assert_false(judged(16, 0.05, 0.001).advisory);
}

/* The interval has to narrow by a factor f, so f^2 as many processes are needed. */
TEST(more_processes)
{
    struct fb_change_cell cell = judged(N, 0.1, 0.2); /* slower? narrow enough not to reach 0 */
    double low = cell.paired.estimate - cell.paired.interval.low;
    assert_int_equal(cell.change, FB_INCONCLUSIVE);
    assert_near(cell.more, ceil(N * pow(low / cell.paired.estimate, 2) - N), 1e-9);
    cell = judged(N, -0.1, 0.2);
    double high = cell.paired.interval.high - cell.paired.estimate;
    assert_near(cell.more, ceil(N * pow(high / -cell.paired.estimate, 2) - N), 1e-9);
    cell = judged(N, 0.01, 0.1); /* unchanged? narrow enough to stay below delta */
    high = cell.paired.interval.high - cell.paired.estimate;
    assert_near(cell.more, ceil(N * pow(high / (log(1.03) - cell.paired.estimate), 2) - N), 1e-9);
    double d[N];
    spread(d, N, log1p(rules.delta), 0);
    cell = (struct fb_change_cell){.d = d, .n = N};
    d[0] -= 0.01;
    d[1] += 0.01;
    fb_change_judge(&rules, &cell, 1);
    assert_int_equal(cell.change, FB_INCONCLUSIVE);
    assert_true(cell.more > 1e9); /* it stands at delta: no number decides */
    assert_near(judged(N, 0, 0.01).more, 0, 0);
}

TEST(confirmation)
{
    struct fb_change_cell cell = judged(N, 0.05, 0.01), same = judged(N, 0.06, 0.01),
                          other = judged(N, -0.05, 0.01), none = judged(N, 0, 0.01),
                          open = judged(N, 0.05, 0.1), confirmed = cell;
    fb_change_confirm(&confirmed, &same);
    assert_int_equal(confirmed.change, FB_REGRESSED);
    assert_true(confirmed.confirmed && !confirmed.refuted);
    const struct fb_change_cell *const refuting[] = {&other, &none, &open};
    for (size_t i = 0; i < 3; i++) {
        struct fb_change_cell refuted = cell;
        fb_change_confirm(&refuted, refuting[i]);
        assert_int_equal(refuted.change, FB_INCONCLUSIVE);
        assert_true(refuted.refuted && !refuted.confirmed);
        assert_near(refuted.more, refuting[i] == &open ? open.more : N, 0);
    }
}

TEST(modes_are_told)
{
    double d[N];
    for (size_t i = 0; i < N; i++)
        d[i] = (i % 4 == 0 ? 0.1 : 0) + 0.001 * (double)(i % 3);
    struct fb_change_cell cell = {.d = d, .n = N};
    fb_change_judge(&rules, &cell, 1);
    assert_int_equal(cell.modes.n_low, 12);
    assert_near(cell.modes.high, 0.1, 0.002);
}

/* 80 % of ten are eight, which chance makes alike too often; nine are more. */
TEST(uniform_shift)
{
    struct fb_change_cell cells[20] = {0};
    for (size_t i = 0; i < 20; i++)
        cells[i].paired.estimate = 0.01;
    assert_int_equal(fb_change_uniform(cells, 7, 0.01), 0);
    assert_int_equal(fb_change_uniform(cells, 8, 0.01), 1);
    for (size_t i = 16; i < 20; i++)
        cells[i].paired.estimate = -0.01;
    assert_int_equal(fb_change_uniform(cells, 20, 0.01), 0); /* 80 %, not more */
    assert_int_equal(fb_change_uniform(cells, 19, 0.01), 1);
    for (size_t i = 0; i < 20; i++)
        cells[i].paired.estimate = -cells[i].paired.estimate;
    assert_int_equal(fb_change_uniform(cells, 19, 0.01), -1);
}

TESTS(NULL, NULL)
