/* The rate of a cell, from its counts or as it is predicted. */
#include <math.h>

#include "filters/core/math.h"
#include "filters/core/simulate.h"
#include "harness/kind/claims/procedure/cell.h"

/* Below this many events the normal approximation gives way to exact Poisson tails. */
enum { FEW_EVENTS = 100 };

/* ---- What counts say ---- */

/* P(X <= x), P(X >= x) of a Poisson variable: chi-square tails. */
static double poisson_at_most(uint64_t x, double mean)
{
    return fb_chi2_tail(2 * mean, 2 * ((double)x + 1));
}

static double poisson_at_least(uint64_t x, double mean)
{
    return x ? 1 - fb_chi2_tail(2 * mean, 2 * (double)x) : 1;
}

/* Mean at which x events are just unlikely enough, by bisection. */
static double poisson_bound(uint64_t x, bool upper)
{
    double low = 0, high = 4 * (double)x + 50;
    for (int i = 0; i < 100; i++) {
        double mid = (low + high) / 2;
        bool raise = upper ? poisson_at_most(x, mid) > FB_FIND_TAIL
                           : poisson_at_least(x, mid) < FB_FIND_TAIL;
        *(raise ? &low : &high) = mid;
    }
    return (low + high) / 2;
}

/* Rate, model, interval and p of so many filters. */
static void judge(const struct fb_fpr_summary *s, size_t filters, struct fb_rate *out)
{
    double n = (double)s->probes, x = (double)s->events, f = x / n, model = s->model;
    double spread = filters > 1 ? s->sd_filters / sqrt((double)filters) : 0;
    double binomial = sqrt(fmax(model * (1 - model), f * (1 - f)) / n);
    double se = fmax(binomial, spread);
    /* Where the spread over filters decides, its own uncertainty widens the interval. */
    double z999 =
        spread > binomial ? fb_t_quantile(1 - FB_FIND_TAIL, (unsigned)filters - 1) : fb_find_z();
    out->rate = f;
    out->model = model;
    out->events = s->events;
    out->probes = s->probes;
    if (s->events < FEW_EVENTS) {
        double mean = model * n;
        out->low = s->events ? poisson_bound(s->events, false) / n : 0;
        out->high = poisson_bound(s->events, true) / n;
        out->p =
            fmin(1, 2 * fmin(poisson_at_most(s->events, mean), poisson_at_least(s->events, mean)));
        se = sqrt(fmax(x, 1)) / n;
    } else {
        double z = (f - model) / sqrt(se * se + s->model_se * s->model_se);
        out->low = fmax(0, f - z999 * se);
        out->high = fmin(1, f + z999 * se);
        out->p = f == model ? 1 : fb_p_normal(z * fb_find_z() / z999);
    }
    out->relative_se = sqrt((f > 0 ? se * se / (f * f) : 0) +
                            (model > 0 ? s->model_se * s->model_se / (model * model) : 0));
}

/* ---- What is expected ---- */

/* k sd(rho) / rho, with the variance of the number of empty cells of an occupancy problem, m e^-x
 * (1 - (1 + x) e^-x), x = kn/m. */
double fb_fill_noise(const struct fb_geometry *geom, uint64_t n_keys)
{
    double m = (double)geom->n_bits, k = geom->probes;
    if (m == 0 || n_keys == 0)
        return 0;
    double x = k * (double)n_keys / m, empty = fb_exp(-x), rho = 1 - empty;
    return k * sqrt(empty * (1 - (1 + x) * empty) / m) / rho;
}

/* Standard deviation of the rate between filters that is to be expected of few of them: one sigma
 * of its own above the true one, 1 / sqrt(2 (filters - 1)). */
static double expected_spread(const struct fb_fpr_cell *cell, const struct fb_geometry *geom,
                              double model)
{
    const double chance = sqrt(model * (1 - model) / (double)cell->probes_per_filter),
                 noise = model * fb_fill_noise(geom, cell->n_keys);
    if (cell->filters < 2)
        return 0;
    return hypot(chance, noise) * (1 + 1 / sqrt(2 * ((double)cell->filters - 1)));
}

/* The rate of a short simulation; of the formula, where it sees too little. */
static double simulate(struct fb_bench *bench, const struct fb_fpr_cell *cell,
                       const struct fb_geometry *geom)
{
    enum { FILTERS = 4, PROBES = 4000000, LEAST = 100 };
    struct fb_fpr_counts counts = {.filters = FILTERS, .probes_each = PROBES, .geom = *geom};
    bool complete = true;
    fb_bench_check(bench, fb_fpr_simulate(cell, bench->threads, &counts, &complete), "simulation",
                   NULL);
    if (!complete)
        fb_bench_interrupt(bench);
    return counts.model_events < LEAST ? cell->design->fpr(geom, cell->n_keys)
                                       : (double)counts.model_events / (double)counts.model_probes;
}

static double simulated(struct fb_bench *bench, const struct fb_fpr_cell *cell,
                        const struct fb_geometry *geom)
{
    for (size_t i = 0; i < bench->n_simulations; i++) {
        const struct fb_short_simulation *known = &bench->simulations[i];
        if (known->design == cell->design && known->n_keys == cell->n_keys &&
            known->n_bits == geom->n_bits && known->probes == geom->probes)
            return known->rate;
    }
    const double rate = simulate(bench, cell, geom);
    if (bench->n_simulations < FB_SHORT_SIMULATIONS)
        bench->simulations[bench->n_simulations++] = (struct fb_short_simulation){
            cell->design, cell->n_keys, geom->n_bits, geom->probes, rate};
    return rate;
}

/* What is known of a cell before anything is counted. */
static struct fb_rate planned(struct fb_bench *bench, const struct fb_fpr_cell *cell)
{
    struct fb_rate out = {.p = 1};
    struct fb_params params = cell->params;
    if (!fb_bench_plan(bench, cell->design, cell->n_keys, &params, &out.geom))
        out.simulated = fb_scheme_needs_simulation(cell->design->scheme, cell->n_keys,
                                                   out.geom.n_bits, out.geom.probes);
    return out;
}

struct fb_rate fb_cell_predict(struct fb_bench *bench, const struct fb_fpr_cell *cell)
{
    struct fb_rate out = planned(bench, cell);
    bench->taken++; /* there will be a record */
    if (bench->err)
        return out;
    const double model = out.simulated ? simulated(bench, cell, &out.geom)
                                       : cell->design->fpr(&out.geom, cell->n_keys);
    const double probes = (double)cell->filters * (double)cell->probes_per_filter;
    const struct fb_fpr_summary expected = {.probes = (uint64_t)probes,
                                            .events = (uint64_t)rint(model * probes),
                                            .model = model,
                                            .sd_filters = expected_spread(cell, &out.geom, model)};
    judge(&expected, cell->filters, &out);
    out.rate = model;
    return out;
}

/* Whether `filters` of at most `each` events have these sums: equal filters have the least squares,
 * filters of all or nothing the most. */
static bool possible(uint64_t filters, uint64_t each, uint64_t sum, uint64_t squares)
{
    return sum <= filters * each && (fb_u128)filters * squares >= (fb_u128)sum * sum &&
           squares <= (fb_u128)sum * each;
}

struct fb_rate fb_cell_judge(struct fb_bench *bench, const struct fb_fpr_cell *cell,
                             const struct fb_rate_counts *c)
{
    struct fb_rate out = planned(bench, cell);
    const uint64_t filters = cell->filters, each = cell->probes_per_filter;
    if (!bench->err &&
        (!possible(filters, each, c->events, c->squares) ||
         !possible(out.simulated ? filters : 0, each, c->model_events, c->model_squares)))
        fb_bench_fail(bench, FB_EINVAL, "facts: %zu filters of %llu probes have no such events",
                      cell->filters, (unsigned long long)each);
    if (bench->err)
        return out;
    struct fb_fpr_summary s = {.events = c->events, .probes = filters * each};
    s.sd_filters = fb_fpr_mean(filters, each, c->events, c->squares).sd;
    s.model = cell->design->fpr(&out.geom, cell->n_keys);
    if (out.simulated) {
        struct fb_mean model = fb_fpr_mean(filters, each, c->model_events, c->model_squares);
        s.model = model.mean;
        s.model_se = fb_fpr_se(model, s.probes);
    }
    judge(&s, filters, &out);
    out.false_negatives = c->false_negatives;
    out.model_error = s.model > 0 ? s.model_se / s.model : 0;
    return out;
}
