/* What follows from the counts of an engine's Gets and of their prediction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/engine/cost.h"
#include "harness/kind/engine/gets.h"
#include "harness/stats/stats.h"

static const double level = 0.95;

/* ---- A stream ---- */

static json_t *interval_json(struct fb_interval i)
{
    return fb_json_interval(i.low, i.high);
}

/* Filters that were asked for a key that their table does not have. */
struct wrong {
    uint64_t asked, passed;
};

static bool wrong_of(const json_t *counts, struct wrong *out)
{
    const uint64_t found = fb_json_uint(counts, "found"), checks = fb_json_uint(counts, "checks");
    const uint64_t negatives = fb_json_uint(counts, "negatives");
    *out = (struct wrong){checks - found, checks - found - negatives};
    return json_is_integer(json_object_get(counts, "checks")) &&
           json_is_integer(json_object_get(counts, "negatives")) && found <= checks &&
           negatives <= checks - found;
}

static json_t *rates_of(const json_t *counts)
{
    static const char *const unknown = "the engine does not tell", *const none = "none was asked";
    const double gets = fb_json_num(counts, "gets"), reads = fb_json_num(counts, "data_reads");
    const double mean = reads / gets;
    const double variance = fb_json_num(counts, "read_squares") / gets - mean * mean;
    const double half =
        fb_normal_quantile(0.5 + level / 2) * sqrt(fmax(variance, 0) / fmax(gets - 1, 1));
    struct wrong wrong;
    const bool known = wrong_of(counts, &wrong);
    const bool asked = known && wrong.asked;
    json_t *json = json_object();
    fb_json_real(json, "checks", fb_json_num(counts, "checks") / gets, unknown);
    fb_json_real(json, "fpr", asked ? (double)wrong.passed / (double)wrong.asked : NAN,
                 known ? none : unknown);
    fb_json_known(json, "fpr_interval",
                  asked ? interval_json(fb_wilson(wrong.passed, wrong.asked, level)) : NULL,
                  known ? none : unknown);
    fb_json_real(json, "reads", mean, unknown);
    fb_json_known(json, "reads_interval", fb_json_interval(mean - half, mean + half), unknown);
    return json;
}

static bool is_within(const json_t *observed, const json_t *predicted, const char *name)
{
    char interval[32];
    snprintf(interval, sizeof interval, "%s_interval", name);
    const json_t *limits = json_object_get(observed, interval);
    const double x = fb_json_num(predicted, name);
    return !json_is_object(limits) || !isfinite(x) ||
           (x >= fb_json_num(limits, "low") && x <= fb_json_num(limits, "high"));
}

/* "equal": every Get read as many data blocks as predicted, and as many filters said no; "within":
 * the prediction lies in the intervals of what was observed; "differs". */
static const char *verdict_of(const json_t *cell, const char *stream, const json_t *rates)
{
    static const char *const exact[] = {"gets", "found", "checks", "negatives", "data_reads", NULL};
    const json_t *observed = json_object_get(json_object_get(cell, "observed"), stream);
    const json_t *predicted = json_object_get(json_object_get(cell, "predicted"), stream);
    const json_t *differ = json_object_get(json_object_get(cell, "differ"), stream);
    if (json_is_integer(differ) && !json_integer_value(differ) &&
        fb_json_same(observed, predicted, exact))
        return "equal";
    const json_t *o = json_object_get(rates, "observed"), *p = json_object_get(rates, "predicted");
    return is_within(o, p, "reads") && is_within(o, p, "fpr") ? "within" : "differs";
}

static json_t *lap_json(const json_t *laps)
{
    const size_t n = json_array_size(laps);
    double *x = malloc(n * sizeof *x);
    for (size_t i = 0; x && i < n; i++)
        x[i] = json_number_value(json_array_get(laps, i));
    json_t *json = x ? fb_cost_json(fb_cost_median(x, n)) : NULL;
    free(x);
    return json;
}

/* costs: of its groups; NULL: it has none. */
static void derive_stream(json_t *cell, const char *stream, const struct fb_costs *costs)
{
    const json_t *observed = json_object_get(json_object_get(cell, "observed"), stream);
    const json_t *predicted = json_object_get(json_object_get(cell, "predicted"), stream);
    const json_t *times = json_object_get(json_object_get(cell, "times"), stream);
    json_t *rates =
        json_pack("{s:o, s:o}", "observed", rates_of(observed), "predicted", rates_of(predicted));
    const char *verdict = verdict_of(cell, stream, rates);
    json_object_set_new(rates, "verdict", json_string(verdict));
    if (!strcmp(stream, "absent"))
        fb_json_known(rates, "by_table",
                      json_is_object(json_object_get(cell, "by_table"))
                          ? rates_of(json_object_get(cell, "by_table"))
                          : NULL,
                      fb_json_str(cell, "by_table_reason"));
    fb_json_real(rates, "gets_per_s",
                 1e9 * fb_json_num(observed, "gets") / fb_json_num(times, "spent_ns"),
                 "they took no time");
    if (json_array_size(json_object_get(times, "laps_ns")))
        json_object_set_new(rates, "ns", lap_json(json_object_get(times, "laps_ns")));
    const struct fb_cost_work work = fb_cost_work_of(cell, stream);
    if (costs)
        json_object_set_new(rates, "fitted", fb_cost_json(fb_costs_get(costs, &work)));
    json_object_set_new(json_object_get(cell, "rates"), stream, rates);
}

static json_t *costs_json(const struct fb_costs *c)
{
    static const char *const names[FB_COST_TERMS] = {
        [FB_COST_BASE] = "base",   [FB_COST_READ] = "read",   [FB_COST_COLD_READ] = "cold_read",
        [FB_COST_FOUND] = "found", [FB_COST_CHECK] = "check", [FB_COST_COLD_CHECK] = "cold_check",
    };
    json_t *json = json_object();
    for (unsigned t = 0; t < FB_COST_TERMS; t++)
        fb_json_known(json, names[t], c->known[t] ? fb_cost_json(fb_costs_term(c, t)) : NULL,
                      "no group of Gets tells it apart from the others");
    return json;
}

static bool derive_costs(json_t *cell)
{
    const json_t *groups = json_object_get(cell, "groups");
    struct fb_costs *costs = malloc(sizeof *costs);
    const bool any = costs && fb_costs_of(cell, costs);
    if (groups)
        fb_json_known(cell, "costs", any ? costs_json(costs) : NULL,
                      "fewer than 256 Gets did the same work");
    json_object_set_new(cell, "rates", json_object());
    derive_stream(cell, "absent", any ? costs : NULL);
    derive_stream(cell, "present", any ? costs : NULL);
    const json_t *mixed = fb_json_at(cell, "times.mixed.laps_ns");
    if (json_array_size(mixed))
        json_object_set_new(json_object_get(cell, "rates"), "mixed",
                            json_pack("{s:o}", "ns", lap_json(mixed)));
    free(costs);
    return costs;
}

/* ---- The order of the filters ---- */

/* One more than the cells of that size, read in the same way, with fewer reads per absent Get. */
static void derive_rank(const json_t *cells, json_t *cell, const char *by)
{
    char path[64];
    snprintf(path, sizeof path, "rates.absent.%s.reads", by);
    const double own = fb_json_num(cell, path), bits = fb_json_num(cell, "bits_per_key");
    json_int_t rank = 1;
    FB_EACH(other, cells)
        rank += fb_json_num(other, "bits_per_key") == bits && fb_json_num(other, path) < own &&
                !strcmp(fb_json_str(other, "residency"), fb_json_str(cell, "residency")) &&
                !strcmp(fb_json_str(other, "reads"), fb_json_str(cell, "reads"));
    fb_json_known(json_object_get(cell, "rank"), by, isfinite(own) ? json_integer(rank) : NULL,
                  "the engine does not tell");
}

bool fb_gets_derive(void *self, json_t *document, struct fb_problem *problem)
{
    (void)self;
    const json_t *cells = json_object_get(document, "cells");
    FB_EACH(cell, cells) {
        if (!fb_json_uint(cell, "observed.absent.gets") ||
            !fb_json_uint(cell, "observed.present.gets"))
            return fb_refuse(problem, "%.100s: observed: nothing was asked",
                             fb_json_str(cell, "id"));
        json_object_set_new(cell, "rank", json_object());
        if (!derive_costs(cell))
            return false;
    }
    FB_EACH(cell, cells) {
        derive_rank(cells, cell, "observed");
        derive_rank(cells, cell, "predicted");
    }
    return true;
}
