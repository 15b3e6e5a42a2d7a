#include "harness/stats/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/stats/paired.h"

enum { LEAST_OBSERVATIONS = 12, LEAST_OF_A_GROUP = 3, LEAST_SHARE = 6 };
#define APART 6.0 /* standard deviations within a group */

static double squares_about_mean(const double *x, size_t n)
{
    return pow(fb_mean_of(x, n).sd, 2) * (double)(n - 1);
}

struct fb_modes fb_modes_of(const double *d, size_t n)
{
    struct fb_modes modes = {0};
    double x[FB_PAIRED_MAX], least = INFINITY;
    size_t group = n / LEAST_SHARE > LEAST_OF_A_GROUP ? n / LEAST_SHARE : LEAST_OF_A_GROUP;
    if (n < LEAST_OBSERVATIONS)
        return modes;
    memcpy(x, d, n * sizeof *x);
    fb_median(x, n); /* sorts */
    for (size_t cut = group; cut <= n - group; cut++) {
        double squares = squares_about_mean(x, cut) + squares_about_mean(x + cut, n - cut);
        if (squares < least) {
            least = squares;
            modes =
                (struct fb_modes){fb_mean_of(x, cut).mean, fb_mean_of(x + cut, n - cut).mean, cut};
        }
    }
    if (modes.high - modes.low <= APART * sqrt(least / (double)(n - 2)))
        modes.n_low = 0;
    return modes;
}
