/* The estimates of a group, from its samples alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure/group.h"
#include "harness/stats/serial.h"

/* Wall time, unless so many batches were disturbed that it says more about the machine. */
static double headline(const struct fb_group *g, const struct fb_sample *sample)
{
    return g->cpu_clock ? sample->cpu_ns : sample->wall_ns;
}

static size_t processes_of(const struct fb_group *g, size_t member)
{
    return g->parts[g->members[member].part].processes;
}

static bool too_disturbed(const struct fb_group *g)
{
    double batches = 0, retries = 0;
    for (size_t i = 0; i < g->n_members; i++) {
        const size_t n = processes_of(g, i) * g->rounds;
        for (size_t s = 0; s < n; s++)
            retries += g->members[i].samples[s].retries;
        batches += 2 * (double)n;
    }
    return retries > 0.1 * (batches + retries);
}

static double sd_of(const double *x, size_t n)
{
    return n > 1 ? fb_mean_of(x, n).sd : 0;
}

size_t fb_group_logs(const struct fb_group *g, size_t member, int32_t to, double out[FB_PAIRED_MAX],
                     double *sd_round)
{
    const size_t n = processes_of(g, member), rounds = g->rounds;
    const struct fb_sample *own = g->members[member].samples;
    const struct fb_sample *base = to < 0 ? NULL : g->members[to].samples;
    double x[FB_GROUP_ROUNDS], sd = 0;
    for (size_t p = 0; p < n; p++) {
        for (size_t r = 0; r < rounds; r++) {
            x[r] = log(headline(g, &own[p * rounds + r]));
            if (base)
                x[r] -= log(headline(g, &base[p * rounds + r]));
        }
        sd += sd_of(x, rounds) / (double)n;
        out[p] = fb_median(x, rounds);
    }
    if (sd_round)
        *sd_round = sd;
    return n;
}

/* Of the noise of all ratios, or of all times. */
static enum fb_err memory_of(const struct fb_group *g, bool ratio, double *out)
{
    struct fb_memory memory = {0};
    uint32_t most = 0;
    double d[FB_PAIRED_MAX];
    for (size_t i = 0; i < g->n_members; i++)
        most = g->members[i].series > most ? g->members[i].series : most;
    bool *seen = calloc((size_t)most + 1, sizeof *seen);
    for (size_t i = 0; seen && i < g->n_members; i++) {
        const struct fb_member *m = &g->members[i];
        if (ratio && m->to < 0)
            continue;
        size_t n = fb_group_logs(g, i, ratio ? m->to : -1, d, NULL);
        seen[m->series] |= fb_memory_add(&memory, d, n, !seen[m->series]);
    }
    *out = fb_memory_exponent(&memory);
    free(seen);
    return seen ? FB_OK : FB_ENOMEM;
}

/* exp of an interval of logarithms over processes. */
static struct fb_interval interval_of(const double *d, size_t n, double level, double memory)
{
    struct fb_interval x = fb_serial_interval(d, n, level, memory).interval;
    return (struct fb_interval){exp(x.low), exp(x.high)};
}

/* scratch: twice as many as the member has samples. */
static void estimate(const struct fb_group *g, size_t member, double *scratch,
                     struct fb_estimate *out)
{
    const struct fb_member *m = &g->members[member];
    const size_t total = processes_of(g, member) * g->rounds;
    double d[FB_PAIRED_MAX], *all = scratch, *rest = scratch + total;
    *out = (struct fb_estimate){.ratio = NAN};
    for (size_t s = 0; s < total; s++) {
        all[s] = headline(g, &m->samples[s]);
        out->retries += m->samples[s].retries;
        out->flagged += m->samples[s].flags != 0;
    }
    out->ns_mean = fb_mean_of(all, total).mean;
    out->ns = fb_median(all, total);
    out->ns_min = all[0];
    out->ns_mad = fb_median_deviation(all, total, out->ns, rest);
    size_t n = fb_group_logs(g, member, -1, d, &out->sd_round);
    out->sd_process = sd_of(d, n);
    out->ns95 = interval_of(d, n, 0.95, g->memory_ns);
    out->ns99 = interval_of(d, n, 0.99, g->memory_ns);
    if (m->to < 0)
        return;
    fb_group_logs(g, member, m->to, d, NULL);
    out->ratio = exp(fb_serial_interval(d, n, 0.95, g->memory).estimate);
    out->ratio95 = interval_of(d, n, 0.95, g->memory);
    out->ratio99 = interval_of(d, n, 0.99, g->memory);
}

double fb_group_half_width(const struct fb_group *g, size_t part)
{
    double width = 0;
    for (const struct fb_member *m = g->members; m < g->members + g->n_members; m++)
        if (m->part == part && m->to >= 0 && !m->aside && g->parts[part].processes)
            width = fmax(width, log(m->estimate.ratio95.high / m->estimate.ratio95.low) / 2);
    return width;
}

/* The half-width of a part that has no interval yet, as far as two processes tell; else infinite.
 */
static double likely_width(const struct fb_group *g, size_t part)
{
    double d[FB_PAIRED_MAX], width = fb_group_half_width(g, part);
    if (isfinite(width) || g->parts[part].processes < 2)
        return width;
    width = 0;
    for (size_t i = 0; i < g->n_members; i++) {
        const struct fb_member *m = &g->members[i];
        if (m->part == part && m->to >= 0 && !m->aside) {
            const size_t n = fb_group_logs(g, i, m->to, d, NULL);
            width = fmax(width, 2 * sd_of(d, n) / sqrt((double)n));
        }
    }
    return width;
}

/* Processes that a part is likely to have in the end; it is asked at the least number and at twice
 * and four times that. */
static size_t likely_processes(const struct fb_group *g, const struct fb_group_options *o,
                               size_t part)
{
    const struct fb_part *p = &g->parts[part];
    const double width = likely_width(g, part);
    if (p->ended)
        return p->processes;
    for (size_t look = o->min_processes; look && look <= 4 * o->min_processes; look *= 2)
        if (look >= p->processes && look <= o->max_processes &&
            width * sqrt((double)p->processes / (double)look) <= o->precision)
            return look;
    return o->max_processes;
}

double fb_group_expected_s(const struct fb_group *g, const struct fb_group_options *o,
                           double budget_s)
{
    double least_s = 0, likely_s = 0, spent_s = 0;
    for (size_t p = 0; p < g->n_parts; p++)
        spent_s += g->parts[p].spent_s;
    for (size_t p = 0; p < g->n_parts; p++) {
        const struct fb_part *part = &g->parts[p];
        if (!part->processes && part->ended) /* it has no members */
            continue;
        const double each_s = part->processes ? part->spent_s / (double)part->processes
                                              : spent_s / (double)fb_group_processes(g);
        least_s += each_s * (double)(part->ended ? part->processes : o->min_processes);
        likely_s += each_s * (double)likely_processes(g, o, p);
    }
    return fmax(least_s, fmin(likely_s, budget_s));
}

size_t fb_group_processes(const struct fb_group *g)
{
    size_t n = 0;
    for (size_t p = 0; p < g->n_parts; p++)
        n += g->parts[p].processes;
    return n;
}

enum fb_err fb_group_estimate(struct fb_group *g)
{
    size_t most = 0;
    for (size_t p = 0; p < g->n_parts; p++)
        most = g->parts[p].processes > most ? g->parts[p].processes : most;
    double *scratch = calloc(2 * most * g->rounds + 1, sizeof *scratch);
    enum fb_err err = scratch ? FB_OK : FB_ENOMEM;
    g->independent = most < FB_MEMORY_LEAST;
    g->cpu_clock = too_disturbed(g);
    g->half_width = 0;
    if (!err)
        err = memory_of(g, true, &g->memory);
    if (!err)
        err = memory_of(g, false, &g->memory_ns);
    for (size_t i = 0; !err && i < g->n_members; i++)
        if (processes_of(g, i))
            estimate(g, i, scratch, &g->members[i].estimate);
    for (size_t p = 0; p < g->n_parts; p++)
        g->half_width = fmax(g->half_width, fb_group_half_width(g, p));
    free(scratch);
    return err;
}
