#include <math.h>

#include "harness/filter/fpr.h"

static double rate_of(const struct fb_fpr_counts *c, size_t i)
{
    return (double)c->events[i] / (double)c->probes_each;
}

/* The rate over filters that were asked `each`, from the sums of their events and of the squares,
 * in integers: no cancellation. sd and se are NaN of one filter. */
static struct fb_mean mean_of(uint64_t filters, uint64_t each, fb_u128 sum, fb_u128 squares)
{
    double n = (double)filters;
    struct fb_mean m = {.n = filters, .mean = (double)sum / n / (double)each, .sd = NAN, .se = NAN};
    if (filters > 1) {
        m.sd = sqrt((double)(filters * squares - sum * sum) / n / (n - 1)) / (double)each;
        m.se = m.sd / sqrt(n);
    }
    return m;
}

static struct fb_mean measured_rate(const struct fb_fpr_counts *c)
{
    fb_u128 sum = 0, squares = 0;
    for (size_t i = 0; i < c->filters; i++) {
        sum += c->events[i];
        squares += (fb_u128)c->events[i] * c->events[i];
    }
    return mean_of(c->filters, c->probes_each, sum, squares);
}

static struct fb_mean simulated_rate(const struct fb_fpr_counts *c)
{
    return mean_of(c->model_filters, c->model_filters ? c->model_probes / c->model_filters : 0,
                   c->model_events, c->model_squares);
}

static double binomial_se(double rate, uint64_t probes)
{
    return sqrt(rate * (1 - rate) / (double)probes);
}

/* How many times the filters differ more than chance makes them, at least 1. */
static double dispersion(struct fb_mean m, uint64_t probes)
{
    double chance = binomial_se(m.mean, probes);
    return m.n > 1 && chance > 0 ? fmax(1, m.se / chance) : 1;
}

/* The larger of binomial, of so many probes in all, and over filters. */
static double error_of(struct fb_mean m, uint64_t probes)
{
    return dispersion(m, probes) * binomial_se(m.mean, probes);
}

static double both(double a, double b)
{
    return sqrt(a * a + b * b);
}

static double deviation(double difference, double error)
{
    if (difference == 0)
        return 0;
    return error > 0 ? difference / error : copysign(INFINITY, difference);
}

/* Questions that were independent. Filters over halves of one file share its keys, and with them
 * how these happen to fall into the blocks: no more was asked than there are keys. */
static uint64_t independent_probes(const struct fb_fpr_cell *cell, const struct fb_fpr_counts *c)
{
    uint64_t probes = c->filters * c->probes_each, keys = c->n_keys + c->probes_each;
    return cell->keygen || probes < keys ? probes : keys;
}

void fb_fpr_summarise(const struct fb_fpr_cell *cell, const struct fb_fpr_counts *c,
                      struct fb_fpr_summary *out)
{
    *out = (struct fb_fpr_summary){.probes = c->filters * c->probes_each, .worst = 0, .best = 1};
    for (size_t i = 0; i < c->filters; i++) {
        out->events += c->events[i];
        out->worst = fmax(out->worst, rate_of(c, i));
        out->best = fmin(out->best, rate_of(c, i));
    }
    struct fb_mean measured = measured_rate(c);
    out->estimate = measured.mean;
    out->wilson95 = fb_wilson(out->events, out->probes, 0.95);
    out->t95 = fb_t_interval(measured, 0.95);
    out->sd_filters = measured.sd;
    double over_chance = dispersion(measured, out->probes);
    out->se = error_of(measured, out->probes);
    out->rate95 = out->t95;
    out->rate95_pooled = out->t95.low < 0 || out->t95.high > 1 || !(out->t95.low < out->t95.high);
    if (out->rate95_pooled)
        out->rate95 =
            fb_wilson_rate(out->estimate, (double)out->probes / over_chance / over_chance, 0.95);
    if (c->model_probes) {
        struct fb_mean simulated = simulated_rate(c);
        out->model = simulated.mean;
        out->model_se = error_of(simulated, c->model_probes);
    } else {
        out->model = cell->design->fpr(&c->geom, c->n_keys);
    }
    out->ratio = out->model > 0 ? out->estimate / out->model : NAN;
    out->z = deviation(
        out->estimate - out->model,
        both(over_chance * binomial_se(out->model, independent_probes(cell, c)), out->model_se));
    out->upper95 = out->events < 100 ? fb_binomial_upper(out->events, out->probes, 0.95) : NAN;
    out->bits_per_key = c->n_keys ? 8 * (double)c->filter_bytes / (double)c->n_keys : NAN;
    out->bound_bits = out->events ? fb_bound_bits(out->estimate) : NAN;
    out->wasted = 1 - out->bound_bits / out->bits_per_key;
}
