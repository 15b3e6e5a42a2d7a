#include "filters/core/math.h"

#include <math.h> /* only exact or correctly rounded operations: frexp, ldexp, rint, INFINITY */

/* ln 2 split so that k * high is exact for |k| < 2^20. */
static const double ln2_high = 0x1.62e42fee00000p-1;
static const double ln2_low = 0x1.a39ef35793c76p-33;

/* exp(r) - 1 for |r| <= ln2 / 2: the Taylor series to r^14 / 14!, whose remainder is below 2^-60 of
 * r; summed from the small end. */
static double expm1_small(double r)
{
    double sum = 0;
    for (int i = 14; i >= 2; i--)
        sum = (sum + 1) * r / i;
    return r + r * sum;
}

double fb_exp(double x)
{
    if (x != x)
        return x;
    if (x > 709.8)
        return INFINITY;
    if (x < -745.2)
        return 0;
    double k = rint(x / FB_LN2);
    double r = (x - k * ln2_high) - k * ln2_low;
    return ldexp(1 + expm1_small(r), (int)k);
}

double fb_expm1(double x)
{
    if (x > -0.34 && x < 0.34)
        return expm1_small(x);
    return fb_exp(x) - 1;
}

/* log((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...) for |s| <= 0.1716: the term after s^25
 * is below 2^-66 of the first. */
static double log_ratio(double s)
{
    double s2 = s * s, sum = 0;
    for (int i = 25; i >= 3; i -= 2)
        sum = (sum + 1.0 / i) * s2;
    return 2 * s + 2 * s * sum;
}

double fb_log(double x)
{
    if (x != x || x < 0)
        return NAN;
    if (x == 0)
        return -INFINITY;
    if (isinf(x))
        return x;
    int k;
    double f = frexp(x, &k); /* [0.5, 1) */
    if (f < 0.70710678118654752440) {
        f *= 2;
        k--;
    }
    return k * ln2_high + (log_ratio((f - 1) / (f + 1)) + k * ln2_low);
}

double fb_log1p(double x)
{
    if (x > -0.25 && x < 0.4)
        return log_ratio(x / (2 + x));
    return fb_log(1 + x);
}

double fb_log2(double x)
{
    int k;
    if (x > 0 && frexp(x, &k) == 0.5)
        return k - 1; /* a power of two, exactly */
    return fb_log(x) / FB_LN2;
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
