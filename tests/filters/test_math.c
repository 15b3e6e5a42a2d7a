/* filters/core/math.h against the C library's long double functions, and its bits against a
 * constant: they must be the same on every machine. */
#include "tests/unit.h"

#include <string.h>

#include "filters/core/math.h"

#define N_GRID 20011

static const struct function {
    const char *name;
    double (*ours)(double);
    long double (*reference)(long double);
    struct {
        double low, high;
    } ranges[5]; /* linear grids, ended by an empty one */
} functions[] = {
    {"exp", fb_exp, expl, {{-745, 709.7}, {-1, 1}, {-0x1p-30, 0x1p-30}}},
    {"expm1", fb_expm1, expm1l, {{-45, 709.7}, {-1.2, 1.2}, {0.3, 0.6}, {-0x1p-30, 0x1p-30}}},
    {"log", fb_log, logl, {{0x1p-1060, 0x1p-1030}, {1e-3, 3}, {0.99, 1.01}, {1, 1e300}}},
    {"log1p", fb_log1p, log1pl, {{-0.999999, 3}, {-0.5, 0.5}, {-0x1p-30, 0x1p-30}, {1, 1e300}}},
    {"log2", fb_log2, log2l, {{0x1p-1060, 0x1p-1030}, {0.4, 2.5}, {0.99, 1.01}, {1, 1e300}}},
};

#define N_FUNCTIONS (sizeof functions / sizeof functions[0])

/* Units in the last place of the correctly rounded value. */
static double error_in_ulp(double got, long double want)
{
    if (want == 0)
        return got == 0 ? 0 : INFINITY;
    double size = fabs((double)want);
    return (double)(fabsl((long double)got - want) / (nextafter(size, INFINITY) - size));
}

/* Calls visit for every function and grid point. */
static void over_grids(void (*visit)(const struct function *, double x, void *), void *context)
{
    for (size_t f = 0; f < N_FUNCTIONS; f++)
        for (unsigned r = 0; functions[f].ranges[r].low < functions[f].ranges[r].high; r++) {
            double low = functions[f].ranges[r].low, high = functions[f].ranges[r].high;
            for (int i = 0; i <= N_GRID; i++)
                visit(&functions[f], low + (high - low) * ((double)i / N_GRID), context);
        }
}

static void check_error(const struct function *f, double x, void *context)
{
    (void)context;
    double got = f->ours(x), error = error_in_ulp(got, f->reference(x));
    if (!(error < 2))
        fail_msg("fb_%s(%.17g) = %.17g is %.3g ulp off", f->name, x, got, error);
}

TEST(error_is_below_two_ulp)
{
    over_grids(check_error, NULL);
    for (size_t f = 0; f < N_FUNCTIONS; f++) /* every scale, both signs */
        for (int e = -1070; e < 1024; e++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double x = sign * ldexp(1.37, e);
                long double want = functions[f].reference(x);
                if (fabsl(want) >= 0x1p-1074L && fabsl(want) <= 0x1.fffffffffffffp1023L)
                    check_error(&functions[f], x, NULL);
            }
}

static void fold_bits(const struct function *f, double x, void *context)
{
    double y = f->ours(x);
    uint64_t bits, *sum = context;
    memcpy(&bits, &y, sizeof bits);
    *sum = (*sum ^ bits) * 0x9E3779B97F4A7C15u;
    *sum ^= *sum >> 29;
}

TEST(bits_are_the_same_everywhere)
{
    uint64_t sum = 0;
    over_grids(fold_bits, &sum);
    assert_int_equal(sum, UINT64_C(0xFCC06C8303C31B4E));
}

TEST(extremes)
{
    assert_true(fb_exp(-746) == 0 && isinf(fb_exp(710)) && fb_exp(0) == 1);
    assert_true(fb_exp(-INFINITY) == 0 && isinf(fb_exp(INFINITY)) && isnan(fb_exp(NAN)));
    assert_true(fb_expm1(-INFINITY) == -1 && fb_expm1(0) == 0 && fb_expm1(1e-300) == 1e-300);
    assert_true(isinf(fb_log(0)) && fb_log(0) < 0 && isnan(fb_log(-1)) && fb_log(1) == 0);
    assert_true(isinf(fb_log(INFINITY)) && isnan(fb_log(NAN)) && isnan(fb_log2(-1)));
    assert_true(isinf(fb_log1p(-1)) && isnan(fb_log1p(-1.5)) && fb_log1p(1e-300) == 1e-300);
    assert_true(isinf(fb_log1p(INFINITY)) && isinf(fb_log2(0)));
    for (int e = -1074; e < 1024; e++)
        assert_true(fb_log2(ldexp(1, e)) == e);
}

TEST(powers)
{
    assert_true(fb_pow(3, 5) == 243 && fb_pow(2, -3) == 0.125 && fb_pow(0, 0) == 1);
    assert_true(fb_pow(0, 7) == 0 && fb_pow(0, 0.5) == 0 && fb_pow(1, 1e9) == 1);
    for (int i = 1; i < 400; i++) {
        double x = i / 100.0, y = (i % 37) - 18.25;
        double exponent = fabs(y * log(x));
        assert_true(error_in_ulp(fb_pow(x, y), powl(x, y)) < 4 + 2 * exponent);
        assert_true(error_in_ulp(fb_pow(x, i % 64), powl(x, i % 64)) < 64);
    }
}

TESTS(NULL, NULL)
