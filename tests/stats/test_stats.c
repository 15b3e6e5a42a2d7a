/* harness/stats/stats.h: against 40-digit values, exact binomial sums, and the coverage that its
 * intervals promise, on samples from a counter-based generator. */
#include "tests/unit.h"

#include <stdlib.h>

#include "harness/stats/paired.h"
#include "harness/stats/stats.h"
#include "workloads/core/rng.h"

static void check(const char *what, double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%s: %.17g, expected %.17g", what, got, want);
}

#define CHECK(got, want, relative) check(#got, got, want, relative)

TEST(normal)
{
    CHECK(fb_normal_quantile(0.975), 1.95996398454005424, 1e-13);
    CHECK(fb_normal_quantile(0.995), 2.57582930354890076, 1e-13);
    CHECK(fb_normal_quantile(0.9995), 3.29052673149189479, 1e-13);
    CHECK(fb_normal_quantile(0.025), -1.95996398454005424, 1e-13);
    CHECK(fb_normal_quantile(1e-300), -37.0470962993611992, 1e-13);
    assert_true(fb_normal_quantile(0.5) == 0 && isnan(fb_normal_quantile(NAN)));
    assert_true(fb_normal_quantile(0) == -INFINITY && fb_normal_quantile(1) == INFINITY);
    CHECK(fb_normal_tail(5), 2.86651571879193912e-7, 1e-13);
    CHECK(fb_normal_tail(38), 2.88542836006878431e-316, 1e-6); /* subnormal */
    CHECK(fb_normal_tail(0), 0.5, 0);
    for (int i = -48; i <= 48; i++)
        CHECK(fb_normal_tail(i / 8.0), erfc(i / 8.0 / sqrt(2)) / 2, 1e-13);
}

TEST(t)
{
    CHECK(fb_t_quantile(0.975, 1), 12.7062047361747046, 1e-12);
    CHECK(fb_t_quantile(0.975, 2), 4.30265272974946385, 1e-12);
    CHECK(fb_t_quantile(0.975, 10), 2.22813885198627475, 1e-12);
    CHECK(fb_t_quantile(0.995, 31), 2.74404191929426932, 1e-12);
    CHECK(fb_t_quantile(0.975, 1000000), 1.95996635681410704, 1e-12);
    CHECK(fb_t_quantile(1e-12, 3), -10331.1082442924861, 1e-12);
    assert_true(fb_t_quantile(0.5, 7) == 0);
    for (int i = 1; i < 100; i += 7) { /* Cauchy, and the closed form for two */
        double p = i / 100.0, alpha = 4 * p * (1 - p), q = 2 * (p - 0.5) * sqrt(2 / alpha);
        CHECK(fb_t_quantile(p, 1), tan(3.14159265358979324 * (p - 0.5)), 1e-11);
        CHECK(fb_t_quantile(p, 2), q, 1e-11);
    }
}

TEST(chi_square)
{
    CHECK(fb_chi2_tail(3.841458820694124, 1), 0.0500000000000000574, 1e-12);
    CHECK(fb_chi2_tail(100, 100), 0.481191684527956718, 1e-12);
    CHECK(fb_chi2_tail(1000, 10), 1.8702907209159497e-208, 1e-11);
    CHECK(fb_chi2_tail(1e6, 1e6), 0.4998119368033945, 1e-11);
    CHECK(fb_chi2_tail(0.001, 4), 0.999999875041658855, 1e-13);
    assert_true(fb_chi2_tail(0, 5) == 1);
    assert_true(fb_chi2_even((uint64_t[]){2, 7, 3}, 3, 4) == 3.5); /* (4 + 9 + 1) / 4 */
    for (int i = 1; i < 240; i += 2) { /* df = 2 is the exponential, 4 once integrated */
        double x = i / 4.0;
        CHECK(fb_chi2_tail(x, 2), exp(-x / 2), 1e-12);
        CHECK(fb_chi2_tail(x, 4), exp(-x / 2) * (1 + x / 2), 1e-12);
    }
}

/* P(X <= x), X ~ Binomial(n, p), term by term. */
static double at_most(uint64_t x, uint64_t n, double p)
{
    double term = exp((double)n * log1p(-p)), sum = 0;
    for (uint64_t i = 0; i <= x; i++) {
        sum += term;
        term *= (double)(n - i) / (double)(i + 1) * p / (1 - p);
    }
    return sum;
}

TEST(binomial_upper)
{
    CHECK(fb_binomial_upper(0, 1000000, 0.975), 3.68887265020648908e-6, 1e-12);
    CHECK(fb_binomial_upper(10, 100, 0.95), 0.163717623275814791, 1e-12);
    CHECK(fb_binomial_upper(999, 1000, 0.95), 0.999948708021090982, 1e-12);
    CHECK(fb_binomial_upper(1, 1000000000000, 0.95), 4.74386451838169818e-12, 1e-11);
    assert_true(fb_binomial_upper(5, 5, 0.95) == 1);
    for (uint64_t x = 0; x < 60; x += 7)
        CHECK(at_most(x, 500, fb_binomial_upper(x, 500, 0.99)), 0.01, 1e-9);
    /* a billion trials: within 2 standard deviations' curvature of the normal bound */
    double p = 0.01, sd = sqrt(p * (1 - p) / 1e9);
    CHECK(fb_binomial_upper(10000000, 1000000000, 0.95), p + 1.6448536 * sd, 1e-6);
}

TEST(wilson)
{
    struct fb_interval w = fb_wilson(10, 100, 0.95);
    CHECK(w.low, 0.0552291370606750, 1e-11);
    CHECK(w.high, 0.174365661504913, 1e-11);
    w = fb_wilson(0, 100, 0.95);
    assert_true(w.low == 0);
    CHECK(w.high, 0.0369934982069857, 1e-11);
    w = fb_wilson(100, 100, 0.95);
    assert_true(w.high == 1);
    CHECK(w.low, 1 - 0.0369934982069857, 1e-11);
}

static double unit(uint64_t stream, uint64_t i)
{
    return ((double)(fb_stream_word(stream, i) >> 12) + 0.5) * 0x1p-52;
}

/* The share of trials that cover is within 4 standard deviations of what it should be. */
static void check_coverage(unsigned covered, unsigned trials, double expected)
{
    double sd = sqrt(expected * (1 - expected) / trials);
    if (!(fabs((double)covered / trials - expected) < 4 * sd))
        fail_msg("covered %u of %u, expected %.4f", covered, trials, expected);
}

/* What an interval covers is known exactly: the probability of the counts whose interval does. */
TEST(coverage_of_proportions)
{
    enum { N = 400, TRIALS = 2000 };
    const double p = 0.03;
    struct fb_interval wilson[N + 1];
    double upper[N + 1], wilson_exact = 0, upper_exact = 0;
    for (uint64_t x = 0; x <= N; x++) {
        double share = at_most(x, N, p) - (x ? at_most(x - 1, N, p) : 0);
        wilson[x] = fb_wilson(x, N, 0.95);
        upper[x] = fb_binomial_upper(x, N, 0.95);
        wilson_exact += share * (wilson[x].low <= p && p <= wilson[x].high);
        upper_exact += share * (p <= upper[x]);
    }
    assert_true(wilson_exact > 0.93 && wilson_exact < 0.97);
    assert_true(upper_exact >= 0.95);
    unsigned by_wilson = 0, by_upper = 0;
    for (unsigned t = 0; t < TRIALS; t++) {
        uint64_t x = 0;
        for (unsigned i = 0; i < N; i++)
            x += unit(t, i) < p;
        by_wilson += wilson[x].low <= p && p <= wilson[x].high;
        by_upper += p <= upper[x];
    }
    check_coverage(by_wilson, TRIALS, wilson_exact);
    check_coverage(by_upper, TRIALS, upper_exact);
}

TEST(coverage_of_means)
{
    enum { N = 6, TRIALS = 1500 };
    unsigned covered = 0;
    for (unsigned t = 0; t < TRIALS; t++) {
        double x[N];
        for (unsigned i = 0; i < N; i++)
            x[i] = 5 + 3 * fb_normal_quantile(unit(1000000 + t, i));
        struct fb_interval in = fb_t_interval(fb_mean_of(x, N), 0.9);
        covered += in.low <= 5 && 5 <= in.high;
    }
    check_coverage(covered, TRIALS, 0.9);
}

TEST(mean)
{
    const double x[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    struct fb_mean m = fb_mean_of(x, 4);
    assert_true(m.mean == 1e9 + 10 && m.n == 4);
    CHECK(m.sd, sqrt(30), 1e-14);
    CHECK(m.se, sqrt(7.5), 1e-14);
    struct fb_interval in = fb_t_interval(m, 0.95);
    CHECK(in.high - m.mean, 3.18244630528371 * sqrt(7.5), 1e-7);
    m = fb_mean_of(x, 1);
    in = fb_t_interval(m, 0.95);
    assert_true(m.mean == x[0] && isnan(m.sd) && in.low == -INFINITY && in.high == INFINITY);
    assert_true(isnan(fb_mean_of(x, 0).mean));
}

TEST(median)
{
    double odd[] = {9, 1, 5}, even[] = {8, 2, 4, 1}, scratch[4];
    assert_true(fb_median(odd, 3) == 5);
    assert_true(fb_median(even, 4) == 3);
    const double x[] = {100, 1, 2, 4};
    assert_true(fb_median_deviation(x, 4, 3, scratch) == 1.5); /* of 97, 2, 1, 1 */
}

TEST(holm)
{
    const double p[] = {0.01, 0.04, 0.03, 0.005}, want[] = {0.03, 0.06, 0.06, 0.02};
    double adjusted[4];
    fb_holm(p, 4, adjusted);
    for (int i = 0; i < 4; i++)
        CHECK(adjusted[i], want[i], 1e-15);
    const double ties[] = {0.5, 0.01, 0.01, 0.9}, tied[] = {1, 0.04, 0.04, 1};
    fb_holm(ties, 4, adjusted);
    for (int i = 0; i < 4; i++)
        CHECK(adjusted[i], tied[i], 1e-15);
    const double high[] = {0.9, 0.95};
    fb_holm(high, 2, adjusted);
    assert_true(adjusted[0] == 1 && adjusted[1] == 1);
    fb_holm(p, 1, adjusted);
    assert_true(adjusted[0] == p[0]);
    fb_holm(NULL, 0, NULL);
}

TESTS(NULL, NULL)
