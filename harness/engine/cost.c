#include "harness/engine/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "harness/base/json.h"
#include "harness/stats/paired.h"
#include "harness/stats/stats.h"
#include "workloads/core/rng.h"

/* The share of a column that others must leave for its coefficient to be known; of cold ones more,
 * since few Gets that differ would decide. */
static const double least_left = 1e-9, least_left_cold = 1e-3;
/* What a Get that finds its key weighs. */
static const double weight_found = 1e-3;

/* ---- Least squares ---- */

/* The terms, after which come what groups are faster by: nobody asks for these. */
enum { ABSENT_GROUP = FB_COST_TERMS, FOUND_GROUP, COLUMNS };
/* In the order in which they are told apart. */
static const unsigned order[COLUMNS] = {FB_COST_BASE,  FB_COST_FOUND,     ABSENT_GROUP,
                                        FOUND_GROUP,   FB_COST_READ,      FB_COST_COLD_READ,
                                        FB_COST_CHECK, FB_COST_COLD_CHECK};

static double column(const struct fb_cost_group *g, unsigned i)
{
    const struct fb_cost_work *w = &g->work;
    const double columns[COLUMNS] = {
        [FB_COST_BASE] = 1,
        [FB_COST_FOUND] = w->found,
        [FB_COST_READ] = w->reads,
        [FB_COST_COLD_READ] = w->cold_reads,
        [FB_COST_CHECK] = w->checks,
        [FB_COST_COLD_CHECK] = w->cold_checks,
        [ABSENT_GROUP] = !g->stream && w->found <= 0,
        [FOUND_GROUP] = !g->stream && w->found > 0,
    };
    return columns[i];
}

/* Weighted sums of products of columns, and of columns with the times. */
struct sums {
    double squares[COLUMNS][COLUMNS], times[COLUMNS];
};

static void add(struct sums *s, const struct fb_cost_group *g, double ns)
{
    const double weight = (double)g->keys * (g->work.found > 0 ? weight_found : 1);
    for (unsigned i = 0; i < COLUMNS; i++) {
        for (unsigned j = 0; j < COLUMNS; j++)
            s->squares[i][j] += weight * column(g, i) * column(g, j);
        s->times[i] += weight * column(g, i) * ns;
    }
}

/* Gauss-Jordan on the diagonal; a column that those before it explain is left out. */
static void solve(struct sums *s, bool known[FB_COST_TERMS], double terms[FB_COST_TERMS])
{
    double whole[COLUMNS];
    bool told[COLUMNS];
    for (unsigned i = 0; i < COLUMNS; i++)
        whole[i] = s->squares[i][i];
    for (unsigned k = 0; k < COLUMNS; k++) {
        const unsigned i = order[k];
        const double pivot = s->squares[i][i];
        const bool cold = i == FB_COST_COLD_READ || i == FB_COST_COLD_CHECK;
        told[i] = pivot > (cold ? least_left_cold : least_left) * whole[i];
        for (unsigned r = 0; told[i] && r < COLUMNS; r++) {
            const double factor = r == i ? 0 : s->squares[r][i] / pivot;
            for (unsigned c = 0; c < COLUMNS; c++)
                s->squares[r][c] -= factor * s->squares[i][c];
            s->times[r] -= factor * s->times[i];
        }
    }
    memcpy(known, told, FB_COST_TERMS * sizeof *known);
    for (unsigned i = 0; i < FB_COST_TERMS; i++)
        terms[i] = known[i] ? s->times[i] / s->squares[i][i] : 0;
}

bool fb_costs_fit(const struct fb_cost_group *groups, size_t n, struct fb_costs *out)
{
    const uint64_t stream = fb_stream_key(0, FB_DOMAIN_TRIAL, n);
    size_t most = 1;
    for (size_t i = 0; i < n; i++)
        most = groups[i].n > most ? groups[i].n : most;
    double *drawn = malloc(most * sizeof *drawn);
    for (unsigned d = 0; drawn && d <= FB_COST_DRAWS; d++) {
        struct sums s = {0};
        bool known[FB_COST_TERMS];
        for (size_t i = 0; i < n; i++) {
            const struct fb_cost_group *g = &groups[i];
            for (size_t j = 0; j < g->n; j++)
                drawn[j] = g->ns[d ? fb_mulhi64(fb_stream_word(stream, d * most + j), g->n) : j];
            add(&s, g, fb_median(drawn, g->n));
        }
        solve(&s, d ? known : out->known, out->terms[d]);
    }
    const bool done = drawn && n;
    free(drawn);
    return done;
}

/* A group whose laps are such a list; ns == NULL: there are none, or no memory. */
static struct fb_cost_group group_of(const json_t *laps, const struct fb_cost_group *about)
{
    const size_t n = json_array_size(laps);
    double *x = n ? malloc(n * sizeof *x) : NULL;
    for (size_t i = 0; x && i < n; i++)
        x[i] = json_number_value(json_array_get(laps, i));
    struct fb_cost_group g = *about;
    g.ns = x;
    g.n = n;
    return g;
}

/* A number, or 0 where there is none. */
static double number(const json_t *object, const char *member)
{
    const double x = fb_json_num(object, member);
    return isfinite(x) ? x : 0;
}

struct fb_cost_work fb_cost_work_of(const json_t *cell, const char *stream)
{
    const json_t *counts = json_object_get(json_object_get(cell, "predicted"), stream);
    const double gets = fmax(number(counts, "gets"), 1);
    return (struct fb_cost_work){.checks = number(counts, "checks") / gets,
                                 .cold_checks = number(counts, "cold_checks") / gets,
                                 .reads = number(counts, "data_reads") / gets,
                                 .cold_reads = number(counts, "cold_reads") / gets,
                                 .found = number(counts, "found") / gets};
}

double fb_cost_behind(const struct fb_cost_work *w)
{
    double none = 1;
    for (unsigned i = 0; i < 8; i++)
        none *= fmax(1 - w->reads, 0);
    return 1 - none;
}

struct fb_cost_work fb_cost_work_mix(const struct fb_cost_work *a, const struct fb_cost_work *b,
                                     double share)
{
    const double rest = 1 - share;
    return (struct fb_cost_work){.checks = rest * a->checks + share * b->checks,
                                 .cold_checks = rest * a->cold_checks + share * b->cold_checks,
                                 .reads = rest * a->reads + share * b->reads,
                                 .cold_reads = rest * a->cold_reads + share * b->cold_reads,
                                 .found = rest * a->found + share * b->found};
}

static struct fb_cost_group stream_of(const json_t *cell, const char *name)
{
    const json_t *times = json_object_get(json_object_get(cell, "times"), name);
    return group_of(json_object_get(times, "laps_ns"),
                    &(struct fb_cost_group){
                        .work = fb_cost_work_of(cell, name),
                        .stream = true,
                        .keys = fb_json_uint(
                            json_object_get(json_object_get(cell, "predicted"), name), "gets")});
}

static struct fb_cost_group group_in(const json_t *g)
{
    return group_of(
        json_object_get(g, "ns"),
        &(struct fb_cost_group){.work = {.checks = number(g, "checks"),
                                         .cold_checks = number(g, "cold_checks"),
                                         .reads = number(g, "reads"),
                                         .cold_reads = number(g, "cold_reads"),
                                         .found = json_is_true(json_object_get(g, "found"))},
                                .keys = fb_json_uint(g, "keys")});
}

bool fb_costs_of(const json_t *cell, struct fb_costs *out)
{
    const json_t *list = json_object_get(cell, "groups");
    const size_t n = json_array_size(list) ? json_array_size(list) + 2 : 0;
    struct fb_cost_group *groups = calloc(n + 1, sizeof *groups);
    bool done = groups && n;
    for (size_t i = 0; done && i < n; i++) {
        const json_t *g = json_array_get(list, i);
        groups[i] = g ? group_in(g) : stream_of(cell, i + 1 < n ? "absent" : "present");
        done = groups[i].ns;
    }
    done = done && fb_costs_fit(groups, n, out);
    for (size_t i = 0; groups && i < n; i++)
        free((void *)groups[i].ns);
    free(groups);
    return done;
}

/* ---- What follows ---- */

static struct fb_cost of_draws(double value, double *draws)
{
    enum { BEYOND = FB_COST_DRAWS / 40 };
    (void)fb_median(draws, FB_COST_DRAWS); /* sorts them */
    return (struct fb_cost){value, fmin(value, draws[BEYOND]),
                            fmax(value, draws[FB_COST_DRAWS - 1 - BEYOND])};
}

/* The sum of all terms, each so often. */
static struct fb_cost sum_of(const struct fb_costs *c, const double times[FB_COST_TERMS])
{
    double draws[1 + FB_COST_DRAWS] = {0};
    for (unsigned d = 0; d <= FB_COST_DRAWS; d++)
        for (unsigned t = 0; t < FB_COST_TERMS; t++)
            draws[d] += c->terms[d][t] * times[t];
    return of_draws(draws[0], draws + 1);
}

struct fb_cost fb_costs_term(const struct fb_costs *c, enum fb_cost_term term)
{
    double times[FB_COST_TERMS] = {0};
    times[term] = 1;
    return sum_of(c, times);
}

struct fb_cost fb_costs_get(const struct fb_costs *c, const struct fb_cost_work *work)
{
    double times[FB_COST_TERMS];
    for (unsigned t = 0; t < FB_COST_TERMS; t++)
        times[t] = column(&(struct fb_cost_group){.work = *work, .stream = true}, t);
    return sum_of(c, times);
}

struct fb_cost fb_costs_cold(const struct fb_costs *c, enum fb_cost_term term)
{
    double times[FB_COST_TERMS] = {0};
    times[term] = times[term == FB_COST_CHECK ? FB_COST_COLD_CHECK : FB_COST_COLD_READ] = 1;
    return sum_of(c, times);
}

struct fb_cost fb_cost_median(const double *x, size_t n)
{
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return (struct fb_cost){NAN, NAN, NAN};
    memcpy(sorted, x, n * sizeof *x);
    const double value = fb_median(sorted, n);
    const double beside = fb_normal_quantile(0.975) * sqrt((double)n) / 2,
                 middle = (double)(n - 1) / 2;
    const struct fb_cost cost = {value, sorted[(size_t)fmax(0, floor(middle - beside))],
                                 sorted[(size_t)fmin((double)(n - 1), ceil(middle + beside))]};
    free(sorted);
    return cost;
}

json_t *fb_cost_json(struct fb_cost c)
{
    return json_pack("{s:f, s:f, s:f}", "value", c.value, "low", c.low, "high", c.high);
}
