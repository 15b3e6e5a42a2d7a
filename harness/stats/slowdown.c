#include "harness/stats/slowdown.h"

#include <math.h>

#include "harness/stats/paired.h"
#include "harness/stats/stats.h"

const char *fb_slowdown_name(enum fb_slowdown verdict)
{
    static const char *const names[] = {"none seen", "slower",          "slightly slower",
                                        "faster",    "slightly faster", "not confirmed"};
    return names[verdict];
}

int fb_slowdown_candidate(const double *d, size_t n, double delta)
{
    const double mean = n ? fb_mean_of(d, n).mean : 0, limit = log1p(delta) / 2;
    return mean > limit ? 1 : mean < -limit ? -1 : 0;
}

double fb_slowdown_finds(const struct fb_slowdown_rules *rules, double gate, double sd)
{
    return expm1(fmax(fmax(log1p(rules->delta) / 2 + 0.6 * sd, log1p(gate) + 0.3 * sd), 0.75 * sd));
}

/* The estimate and, of a candidate that was measured again, p. */
static void look_at(const struct fb_slowdown_rules *rules, struct fb_slowdown_cell *cell)
{
    const bool again = cell->n_second > 0;
    double signed_d[FB_PAIRED_MAX];
    cell->candidate = fb_slowdown_candidate(cell->first, cell->n_first, rules->delta);
    cell->p = 1;
    cell->estimate = again ? fb_hodges_lehmann(cell->second, cell->n_second, 0.95).estimate
                     : cell->n_first ? fb_hodges_lehmann(cell->first, cell->n_first, 0.95).estimate
                                     : 0;
    if (!again || !cell->candidate)
        return;
    for (size_t i = 0; i < cell->n_second; i++)
        signed_d[i] = cell->candidate * cell->second[i];
    cell->p = fb_signed_rank_p(signed_d, cell->n_second);
}

/* Holm's step-down procedure over all candidates: from the smallest p on, while each is at most
 * alpha over the number of those left. */
static void test_all(const struct fb_slowdown_rules *rules, struct fb_slowdown_cell *cells,
                     size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += cells[i].candidate != 0;
    for (; left; left--) {
        struct fb_slowdown_cell *least = NULL;
        for (struct fb_slowdown_cell *c = cells; c < cells + n; c++)
            if (c->candidate && c->verdict == FB_NONE_SEEN && (!least || c->p < least->p))
                least = c;
        if (!least || least->p > rules->alpha / (double)left)
            return;
        const bool large = least->candidate * least->estimate > log1p(least->gate);
        least->verdict = least->candidate > 0 ? (large ? FB_SLOWER : FB_SLIGHTLY_SLOWER)
                                              : (large ? FB_FASTER : FB_SLIGHTLY_FASTER);
    }
}

void fb_slowdown_judge(const struct fb_slowdown_rules *rules, struct fb_slowdown_cell *cells,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        look_at(rules, &cells[i]);
        cells[i].verdict = FB_NONE_SEEN;
    }
    test_all(rules, cells, n);
    for (size_t i = 0; i < n; i++)
        if (cells[i].candidate && !cells[i].n_second)
            cells[i].verdict = FB_NOT_CONFIRMED;
}
