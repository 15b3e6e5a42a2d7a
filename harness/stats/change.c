#include "harness/stats/change.h"

#include <math.h>

#define UNIFORM_SHARE 0.8 /* of the cells */

const char *fb_change_name(enum fb_change change)
{
    static const char *const names[] = {"inconclusive", "unchanged", "improved", "regressed"};
    return names[change];
}

static bool beside_zero(const struct fb_paired *p)
{
    return p->interval.low > 0 || p->interval.high < 0;
}

/* ---- Processes that would decide ---- */

/* The factor by which the interval has to narrow. Infinite: no factor is enough. */
static double too_wide(const struct fb_paired *p, double limit)
{
    double low = p->estimate - p->interval.low, high = p->interval.high - p->estimate;
    if (p->estimate > limit)
        return low / p->estimate;
    if (p->estimate < -limit)
        return high / -p->estimate;
    return fmax(low / (limit + p->estimate), high / (limit - p->estimate));
}

static double more_of(const struct fb_change_cell *cell, const struct fb_change_rules *rules,
                      double level)
{
    const double n = (double)cell->n;
    if (!cell->paired.bounded)
        return (double)fb_paired_least(level) - n;
    double factor = too_wide(&cell->paired, log1p(fb_change_delta(rules, cell)));
    return fmax(1, ceil(n * pow(factor, 2 / (1 - rules->memory)) - n));
}

/* ---- Judging ---- */

double fb_change_delta(const struct fb_change_rules *rules, const struct fb_change_cell *cell)
{
    return fmax(rules->delta, cell->floor);
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
    double level;
    for (size_t i = 0; i < n; i++)
        cells[i].paired.interval = (struct fb_interval){-INFINITY, INFINITY};
    do {
        before = beside;
        level = 1 - rules->alpha / rules->looks / (double)(n - before);
        for (struct fb_change_cell *cell = cells; cell < cells + n; cell++) {
            if (beside_zero(&cell->paired))
                continue;
            cell->paired = fb_serial_interval(cell->d, cell->n, level, rules->memory);
            beside += beside_zero(&cell->paired);
        }
    } while (beside > before && beside < n);
    for (struct fb_change_cell *cell = cells; cell < cells + n; cell++) {
        cell->change = change_of(&cell->paired, log1p(fb_change_delta(rules, cell)));
        cell->confirmed = cell->refuted = false;
        cell->advisory = cell->n < FB_CHANGE_LEAST;
        cell->more = cell->change == FB_INCONCLUSIVE ? more_of(cell, rules, level) : 0;
        cell->modes = fb_modes_of(cell->d, cell->n);
    }
}

void fb_change_confirm(struct fb_change_cell *cell, const struct fb_change_cell *again)
{
    cell->confirmed = again->change == cell->change;
    cell->refuted = !cell->confirmed;
    if (cell->confirmed)
        return;
    cell->change = FB_INCONCLUSIVE;
    cell->more = again->change == FB_INCONCLUSIVE ? again->more : (double)again->n;
}

int fb_change_uniform(const struct fb_change_cell *cells, size_t n, double alpha)
{
    size_t up = 0, down = 0;
    for (size_t i = 0; i < n; i++) {
        up += cells[i].paired.estimate > 0;
        down += cells[i].paired.estimate < 0;
    }
    size_t most = up > down ? up : down;
    /* P(at most n - most of n fair coins) < alpha / 2 where its upper bound excludes 1/2. */
    if ((double)most <= UNIFORM_SHARE * (double)n ||
        fb_binomial_upper(n - most, n, 1 - alpha / 2) >= 0.5)
        return 0;
    return up > down ? 1 : -1;
}
