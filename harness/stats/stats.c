#include "harness/stats/stats.h"

#include "filters/core/math.h"

#include <math.h> /* sqrt, fabs, INFINITY, NAN: exact or correctly rounded */
#include <stdbool.h>

#define TWO_PI 6.28318530717958647693
#define LIMIT  100000000 /* steps of a series; they need a few sqrt of their largest parameter */

/* ---- Binomial and Poisson terms without large cancelling logarithms (Loader 2000) ---- */

/* log of x! over Stirling's sqrt(2 pi x) (x/e)^x, x > 0: the asymptotic series from 15 up, where
 * five terms leave 2e-16, and the recurrence below. */
static double stirling_error(double x)
{
    double sum = 0;
    while (x < 15) {
        sum += (x + 0.5) * fb_log1p(1 / x) - 1;
        x += 1;
    }
    double y = 1 / (x * x);
    double tail = 1.0 / 1260 - y * (1.0 / 1680 - y / 1188);
    return sum + (1.0 / 12 - y * (1.0 / 360 - y * tail)) / x;
}

/* x log(x / mean) + mean - x. Near the mean, with v = (x - mean) / (x + mean), the logarithm is
 * 2 (v + v^3/3 + ...) and the linear parts cancel exactly. */
static double deviance(double x, double mean)
{
    double v = (x - mean) / (x + mean);
    if (fabs(v) > 0.1)
        return x * fb_log(x / mean) + mean - x;
    double sum = 0, v2 = v * v;
    for (int i = 17; i >= 3; i -= 2)
        sum = (sum + 1.0 / i) * v2;
    return (x - mean) * v + 2 * x * v * sum;
}

/* e^-x x^a / Gamma(a + 1) */
static double poisson_term(double a, double x)
{
    return fb_exp(-stirling_error(a) - deviance(a, x)) / sqrt(TWO_PI * a);
}

/* x^a y^b Gamma(a + b + 1) / (Gamma(a + 1) Gamma(b + 1)), y = 1 - x */
static double binomial_term(double a, double b, double x, double y)
{
    double n = a + b;
    double exponent = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                      deviance(a, n * x) - deviance(b, n * y);
    return fb_exp(exponent) * sqrt(n / (TWO_PI * a * b));
}

/* ---- Continued fractions, by Lentz's method ---- */

struct lentz {
    double c, d, value;
    bool done;
};

static double nonzero(double x)
{
    return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* value = first, then one call for each a / (b + ...) */
static void lentz_step(struct lentz *l, double a, double b)
{
    l->d = 1 / nonzero(b + a * l->d);
    l->c = nonzero(b + a / l->c);
    double factor = l->c * l->d;
    l->value *= factor;
    l->done = fabs(factor - 1) < 0x1p-52;
}

/* Upper tail of the gamma distribution with shape a. Abramowitz & Stegun 6.5.29 and 6.5.31. */
static double gamma_tail(double a, double x)
{
    if (x <= 0)
        return 1;
    if (x < a + 1) {
        double term = 1, sum = 1;
        for (int i = 1; i < LIMIT && term > sum * 0x1p-54; i++) {
            term *= x / (a + i);
            sum += term;
        }
        return 1 - poisson_term(a, x) * sum;
    }
    double b = x + 1 - a;
    struct lentz l = {.c = b, .value = b};
    for (int i = 1; i < LIMIT && !l.done; i++)
        lentz_step(&l, -i * (i - a), b + 2.0 * i);
    return poisson_term(a, x) * a / l.value;
}

/*
 * Regularised incomplete beta I_x(a, b), y = 1 - x: the even part of Abramowitz & Stegun 26.5.8.
 * With its coefficients e_i = i (b - i) x / ((a + 2i - 1)(a + 2i)) and -r_i x, where
 * r_i = (a + i)(a + b + i) / ((a + 2i)(a + 2i + 1)), the denominators are 1 + e_i - r_i x. Written
 * as (1 - r_i) + e_i + r_i y they keep the digits of a small y.
 */
static double beta_below(double a, double b, double x, double y)
{
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    if (x > (a + 1) / (a + b + 2))
        return 1 - beta_below(b, a, y, x);
    double r = (a + b) / (a + 1), first = (1 - b) / (a + 1) + r * y;
    struct lentz l = {.c = first, .value = first};
    for (int i = 1; i < LIMIT && !l.done; i++) {
        double even = a + 2.0 * i, next = even * (even + 1);
        double e = i * (b - i) * x / ((even - 1) * even);
        double numerator = r * x * e;
        r = (a + i) * (a + b + i) / next;
        double one_minus_r = (a * (2.0 * i + 1 - b) + i * (3.0 * i + 2 - b)) / next;
        lentz_step(&l, numerator, one_minus_r + e + r * y);
    }
    return binomial_term(a, b, x, y) * b / (a + b) / l.value;
}

/* ---- Tails and their inverses ---- */

double fb_normal_tail(double z)
{
    double tail = gamma_tail(0.5, z * z / 2) / 2;
    return z < 0 ? 1 - tail : tail;
}

double fb_chi2_even(const uint64_t *counts, size_t n, double expected)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    return sum;
}

double fb_chi2_tail(double x, double df)
{
    return gamma_tail(df / 2, x / 2);
}

static double t_tail(double t, double df)
{
    double square = t * t;
    return beta_below(df / 2, 0.5, df / (df + square), square / (df + square)) / 2;
}

struct tail {
    double (*at)(double x, const struct tail *);
    double a, b;
};

/* The x in [low, high] where a falling tail reaches p, to the last bit. */
static double solve(const struct tail *tail, double p, double low, double high)
{
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return middle;
        if (tail->at(middle, tail) > p)
            low = middle;
        else
            high = middle;
    }
}

/* Quantile of a distribution symmetric about 0, from its upper tail. */
static double symmetric_quantile(const struct tail *tail, double p)
{
    if (!(p > 0 && p < 1))
        return p <= 0 ? -INFINITY : p >= 1 ? INFINITY : NAN;
    if (p == 0.5)
        return 0;
    double q = p < 0.5 ? p : 1 - p, high = 1;
    while (tail->at(high, tail) > q)
        high *= 2;
    double x = solve(tail, q, high > 1 ? high / 2 : 0, high);
    return p < 0.5 ? -x : x;
}

static double at_normal(double z, const struct tail *tail)
{
    (void)tail;
    return fb_normal_tail(z);
}

double fb_normal_quantile(double p)
{
    return symmetric_quantile(&(struct tail){.at = at_normal}, p);
}

static double at_t(double t, const struct tail *tail)
{
    return t_tail(t, tail->a);
}

double fb_t_quantile(double p, unsigned df)
{
    return symmetric_quantile(&(struct tail){.at = at_t, .a = df}, p);
}

/* ---- Proportions ---- */

struct fb_interval fb_wilson_rate(double p, double n, double level)
{
    double z = fb_normal_quantile(0.5 + level / 2), z2 = z * z / n;
    double centre = p + z2 / 2, half = sqrt(z2 * (p * (1 - p) + z2 / 4));
    return (struct fb_interval){p == 0 ? 0 : (centre - half) / (1 + z2),
                                p == 1 ? 1 : (centre + half) / (1 + z2)};
}

struct fb_interval fb_wilson(uint64_t x, uint64_t n, double level)
{
    return fb_wilson_rate((double)x / (double)n, (double)n, level);
}

/* P(at most a events in a + b + 1 trials of probability p) */
static double at_binomial(double p, const struct tail *tail)
{
    return beta_below(tail->b, tail->a + 1, 1 - p, p);
}

double fb_binomial_upper(uint64_t x, uint64_t n, double level)
{
    double alpha = 1 - level, trials = (double)n;
    if (x >= n)
        return 1;
    if (x == 0)
        return -fb_expm1(fb_log(alpha) / trials);
    struct tail tail = {at_binomial, (double)x, (double)(n - x)};
    double low = (double)x / trials, high = low;
    do
        high = high * 2 < 1 ? high * 2 : 1;
    while (tail.at(high, &tail) > alpha);
    return solve(&tail, alpha, low, high);
}

/* ---- Samples ---- */

struct fb_mean fb_mean_of(const double *x, size_t n)
{
    struct fb_mean m = {.mean = NAN, .sd = NAN, .se = NAN, .n = n};
    if (n == 0)
        return m;
    double sum = 0, squares = 0, rest = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    m.mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double d = x[i] - m.mean;
        squares += d * d;
        rest += d;
    }
    if (n > 1) {
        m.sd = sqrt((squares - rest * rest / (double)n) / (double)(n - 1));
        m.se = m.sd / sqrt((double)n);
    }
    return m;
}

struct fb_interval fb_t_interval(struct fb_mean m, double level)
{
    if (m.n < 2)
        return (struct fb_interval){-INFINITY, INFINITY};
    double half = m.se * fb_t_quantile(0.5 + level / 2, (unsigned)(m.n - 1));
    return (struct fb_interval){m.mean - half, m.mean + half};
}

/* In place: where adjusted[j] is already the maximum over its own smaller p, the maximum over it is
 * the same as over the products it stands for. */
void fb_holm(const double *p, size_t n, double *adjusted)
{
    for (size_t i = 0; i < n; i++) {
        size_t smaller = 0;
        for (size_t j = 0; j < n; j++)
            smaller += p[j] < p[i] || (p[j] == p[i] && j < i);
        double product = p[i] * (double)(n - smaller);
        adjusted[i] = product < 1 ? product : 1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (p[j] <= p[i] && adjusted[j] > adjusted[i])
                adjusted[i] = adjusted[j];
}
