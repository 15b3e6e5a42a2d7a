#include "harness/kind/claims/procedure/procedure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/stats/serial.h"

double fb_find_z(void)
{
    return fb_normal_quantile(1 - FB_FIND_TAIL);
}

void fb_find_interval(struct fb_finding *found, double theory, double measured, double low,
                      double high)
{
    if (found->n == FB_CLAIM_VALUES)
        return;
    size_t i = found->n++;
    found->theory[i] = theory;
    found->measured[i] = measured;
    found->low[i] = low;
    found->high[i] = high;
}

void fb_find_normal(struct fb_finding *found, double theory, double measured, double se)
{
    double half = fb_find_z() * se;
    fb_find_interval(found, theory, measured, measured - half, measured + half);
    fb_find_clip(found, 0, INFINITY);
}

void fb_find_clip(struct fb_finding *found, double least, double most)
{
    const size_t i = found->n - 1;
    found->low[i] = fmax(found->low[i], fmin(least, found->measured[i]));
    found->high[i] = fmin(found->high[i], fmax(most, found->measured[i]));
}

void fb_find_within(struct fb_finding *found, double theory, double measured, double tolerance)
{
    fb_find_interval(found, theory, measured, measured, measured);
    found->tolerance = tolerance;
}

void fb_find_exact(struct fb_finding *found, double theory, double measured)
{
    fb_find_within(found, theory, measured, 0);
}

void fb_find_time(struct fb_finding *found, double measured, struct fb_interval interval,
                  double level)
{
    fb_find_interval(found, NAN, measured, interval.low, interval.high);
    found->level = level;
}

void fb_find_require(struct fb_finding *found, bool holds)
{
    if (!holds)
        found->tolerance = -1;
}

void fb_find_remark(struct fb_finding *found, const char *format, ...)
{
    size_t used = strlen(found->remark);
    va_list list;
    va_start(list, format);
    vsnprintf(found->remark + used, sizeof found->remark - used, format, list);
    va_end(list);
}

bool fb_find_independent(const struct fb_finding *found)
{
    return found->processes && found->processes < FB_MEMORY_LEAST;
}

double fb_p_normal(double z)
{
    return fmin(1, 2 * fb_normal_tail(fabs(z)));
}

double fb_p_chi2(double chi2, double df)
{
    double tail = fb_chi2_tail(chi2, df);
    return fmin(1, 2 * fmin(tail, 1 - tail));
}
