#include "filters/core/math.h"

#include <math.h> /* only exact or correctly rounded operations: frexp, ldexp, rint, INFINITY */

/* ln 2 split so that k * high is exact for |k| < 2^20. */
static const double ln2_high = 0x1.62e42fee00000p-1;
static const double ln2_low = 0x1.a39ef35793c76p-33;

/* exp(r) - 1 for |r| <= 0.42: the Taylor series to r^14 / 14!, whose remainder is below 2^-57 of
 * r; summed from the small end. */
static double expm1_small(double r)
{
    double sum = 0;
    for (int i = 14; i >= 2; i--)
        sum = (sum + 1) * r / i;
    return r + r * sum;
}

/* x = k ln2 + r, e = exp(r) - 1; returns k. */
static int reduce(double x, double *e)
{
    double k = rint(x / FB_LN2);
    *e = expm1_small((x - k * ln2_high) - k * ln2_low);
    return (int)k;
}

double fb_exp(double x)
{
    if (x != x)
        return x;
    if (x > 709.8)
        return INFINITY;
    if (x < -745.2)
        return 0;
    double e;
    int k = reduce(x, &e);
    return ldexp(1 + e, k);
}

double fb_expm1(double x)
{
    if (x > -0.42 && x < 0.42)
        return expm1_small(x);
    if (!(x > -40 && x < 40))
        return fb_exp(x) - 1; /* one of the two does not count */
    double e, scale = ldexp(1, reduce(x, &e));
    return scale * e + (scale - 1);
}

/*
 * log(1 + t) for |t| <= 0.4143. With s = t / (2 + t) it is 2 (s + s^3/3 + s^5/5 + ...), |s| <=
 * 0.1716; the term after s^25 is below 2^-66 of the first. As 2s = t - st and st = t^2/2 - s t^2/2,
 * the exact t leads and only small terms are rounded. `low` joins the small terms.
 */
static double log1p_small(double t, double low)
{
    double s = t / (2 + t), s2 = s * s, sum = 0;
    for (int i = 25; i >= 3; i -= 2)
        sum = (sum + 2.0 / i) * s2;
    double half_square = 0.5 * t * t;
    return t - (half_square - (s * (half_square + sum) + low));
}

/* x = 2^k (1 + t), 1 + t in [sqrt(1/2), sqrt(2)); x positive and finite. */
static int split(double x, double *t)
{
    int k;
    double f = frexp(x, &k); /* [0.5, 1) */
    if (f < 0.70710678118654752440) {
        f *= 2;
        k--;
    }
    *t = f - 1;
    return k;
}

double fb_log(double x)
{
    if (!(x > 0))
        return x == 0 ? -INFINITY : NAN;
    if (isinf(x))
        return x;
    double t;
    int k = split(x, &t);
    return k * ln2_high + log1p_small(t, k * ln2_low);
}

double fb_log1p(double x)
{
    if (x > -0.29 && x < 0.41)
        return log1p_small(x, 0);
    double u = 1 + x, lost = x < 1 ? x - (u - 1) : 1 - (u - x);
    return isinf(u) || !(u > 0) ? fb_log(u) : fb_log(u) + lost / u;
}

double fb_log2(double x)
{
    if (!(x > 0) || isinf(x))
        return fb_log(x);
    double t;
    int k = split(x, &t);
    return k + log1p_small(t, 0) / FB_LN2;
}

double fb_pow(double x, double y)
{
    if (y == rint(y) && y >= -64 && y <= 64) {
        double base = y < 0 ? 1 / x : x, product = 1;
        for (unsigned n = (unsigned)(y < 0 ? -y : y); n; n >>= 1) {
            if (n & 1)
                product *= base;
            base *= base;
        }
        return product;
    }
    return fb_exp(y * fb_log(x));
}
