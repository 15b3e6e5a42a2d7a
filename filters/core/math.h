/*
 * Logarithms, exponentials and powers that give the same bits on every machine.
 *
 * The C library's functions differ between versions and processors, and one last bit can change
 * the size of a filter. These use only +, -, *, / and exact operations on doubles, and the build
 * turns contraction off. So the results are equal wherever arithmetic follows IEEE 754.
 *
 * The error is below 2 units in the last place. The functions are pure.
 */
#ifndef FILTERBENCH_FILTERS_CORE_MATH_H
#define FILTERBENCH_FILTERS_CORE_MATH_H

#ifdef __cplusplus
extern "C" {
#endif

#define FB_LN2 0.69314718055994530942

double fb_exp(double x);   /* 0 below -745.2, +inf above 709.8 */
double fb_expm1(double x); /* exp(x) - 1 without cancellation */
double fb_log(double x);   /* -inf for 0, NaN below */
double fb_log1p(double x); /* log(1 + x) without cancellation */
double fb_log2(double x);
/* Returns x^y for x >= 0. For integers |y| <= 64 it multiplies. Otherwise it computes exp(y log x),
 * whose relative error grows as |y log x| units in the last place. */
double fb_pow(double x, double y);

#ifdef __cplusplus
}
#endif

#endif
