#include "harness/stats/change.h"

#include <math.h>

static bool beside_zero(const struct fb_paired *p)
{
    return p->interval.low > 0 || p->interval.high < 0;
}

static enum fb_change change_of(const struct fb_paired *p, double limit)
{
    if (p->interval.low > -limit && p->interval.high < limit)
        return FB_UNCHANGED;
    if (p->interval.low > 0 && p->estimate > limit)
        return FB_REGRESSED;
    if (p->interval.high < 0 && p->estimate < -limit)
        return FB_IMPROVED;
    return FB_INCONCLUSIVE;
}

void fb_change_judge(const struct fb_change_rules *rules, struct fb_change_cell *cells, size_t n)
{
    size_t beside = 0, before;
    for (size_t i = 0; i < n; i++)
        cells[i].paired.interval = (struct fb_interval){-INFINITY, INFINITY};
    do {
        before = beside;
        const double level = 1 - rules->alpha / (double)(n - before);
        for (struct fb_change_cell *cell = cells; cell < cells + n; cell++) {
            if (beside_zero(&cell->paired))
                continue;
            cell->paired = fb_serial_interval(cell->d, cell->n, level, rules->memory);
            beside += beside_zero(&cell->paired);
        }
    } while (beside > before && beside < n);
    for (struct fb_change_cell *cell = cells; cell < cells + n; cell++)
        cell->change = change_of(&cell->paired, log1p(rules->delta));
}
