#include "harness/stats/serial.h"

#include <math.h>

enum { LEAST_BLOCKS = 4 }; /* that a variance is taken of */

bool fb_memory_add(struct fb_memory *memory, const double *d, size_t n, bool independent)
{
    double means[FB_PAIRED_MAX], variance = n < FB_MEMORY_LEAST ? 0 : pow(fb_mean_of(d, n).sd, 2);
    if (!(variance > 0))
        return false;
    for (size_t scale = 0, m = 2; n / m >= LEAST_BLOCKS; scale++, m *= 2) {
        size_t blocks = n / m;
        for (size_t b = 0; b < blocks; b++)
            means[b] = fb_mean_of(d + b * m, m).mean;
        double freedom = (double)(blocks - 1);
        memory->of[scale].ratio +=
            freedom * pow(fb_mean_of(means, blocks).sd, 2) * (double)m / variance;
        memory->of[scale].weight += freedom;
        memory->of[scale].n++;
        memory->of[scale].independent += independent;
    }
    return true;
}

/* The slope of ln ratio over ln m through the origin, where the observations themselves are. The
 * logarithm of a variance of f degrees of freedom has the variance 2 / f, nearly. */
double fb_memory_exponent(const struct fb_memory *memory)
{
    double xy = 0, xx = 0, variance = 0;
    for (size_t scale = 0; scale < sizeof memory->of / sizeof *memory->of; scale++) {
        double weight = memory->of[scale].weight, x = (double)(scale + 1) * log(2);
        if (!(memory->of[scale].ratio > 0))
            continue;
        double freedom =
            weight * (double)memory->of[scale].independent / (double)memory->of[scale].n;
        xy += weight * x * log(memory->of[scale].ratio / weight);
        xx += weight * x * x;
        variance += pow(weight * x, 2) * 2 / freedom;
    }
    return xx > 0 ? fmin(fmax((xy + sqrt(variance)) / xx, 0), FB_MEMORY_MOST) : 0;
}

struct fb_paired fb_serial_interval(const double *d, size_t n, double level, double memory)
{
    double block[FB_PAIRED_MAX];
    size_t least = fb_paired_least(level),
           blocks = least > FB_SERIAL_BLOCKS ? least : FB_SERIAL_BLOCKS;
    blocks = n < blocks ? n : blocks;
    for (size_t b = 0; b < blocks; b++) {
        size_t first = b * n / blocks, next = (b + 1) * n / blocks;
        block[b] = fb_hodges_lehmann(d + first, next - first, level).estimate;
    }
    struct fb_paired result = fb_hodges_lehmann(block, blocks, level);
    if (!result.bounded)
        return result;
    double share = 1 / (double)blocks;
    double wider = sqrt(pow(share, -memory) * (1 - share) / (1 - pow(share, 1 - memory)));
    result.interval.low = result.estimate - wider * (result.estimate - result.interval.low);
    result.interval.high = result.estimate + wider * (result.interval.high - result.estimate);
    return result;
}
