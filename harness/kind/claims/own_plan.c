/* How much an experiment measures whose row leaves it open: planned from theory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "filters/core/simulate.h"
#include "harness/document/kind.h"
#include "harness/kind/claims/own.h"

/* Fields that say how much is measured. A row that gives none of them leaves it to us. */
static const char *const work_fields[] = {
    "filters",       "probes", "precision", "max_probes", "min_processes",
    "max_processes", "rounds", "budget",    "queries",    NULL};

static bool says_work(const json_t *experiment)
{
    for (const char *const *field = work_fields; *field; field++)
        if (json_object_get(experiment, *field))
            return true;
    return false;
}

/* A filter of an experiment as theory has it. */
struct expected {
    double n, bits, asked; /* keys; bits per key, and the rate that was asked for */
    double cells;          /* of the experiment */
    double rate;           /* NaN: theory has none */
    double excess;         /* the rate may be larger by such a share of it: no formula fits it */
};

/* The largest number of a list, or its smallest; of texts the first. */
static const json_t *outermost(const json_t *list, bool largest)
{
    const json_t *found = json_array_get(list, 0);
    FB_EACH(each, list)
        if (json_number_value(each) != json_number_value(found) &&
            (json_number_value(each) > json_number_value(found)) == largest)
            found = each;
    return found;
}

/* Of the filters that are such the one of the lowest rate. */
static struct expected expect(const json_t *experiment, const json_t *where)
{
    static const char *const axes[][2] = {{"design", "designs"},
                                          {"n", "n"},
                                          {"params.bits_per_key", "bits_per_key"},
                                          {"params.fpr", "fpr"},
                                          {"params.k", "k"}};
    const json_t *of[sizeof axes / sizeof *axes];
    struct expected e = {.rate = NAN, .cells = 1};
    struct fb_opened opened = {0};
    struct fb_problem ignored;
    struct fb_geometry geom;
    const char *why;
    const bool read = fb_kind_open(experiment, &opened, &ignored);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const json_t *all = json_object_get(opened.resolved, axes[i][1]);
        of[i] = json_object_get(where, axes[i][0]);
        if (!of[i] && read)
            of[i] = outermost(all, strcmp(axes[i][1], "fpr") != 0);
        e.cells *= fmax(1, (double)json_array_size(all));
    }
    const char *name = json_string_value(of[0]);
    const struct fb_design *design = name ? fb_design_find(name) : NULL;
    struct fb_params params = {.bits_per_key = json_number_value(of[2]),
                               .fpr = of[2] ? 0 : json_number_value(of[3]),
                               .probes = (uint32_t)json_integer_value(of[4])};
    e.n = json_number_value(of[1]);
    e.asked = params.fpr;
    if (design && design->fpr && !fb_params_plan(design, (uint64_t)e.n, &params, &geom, &why)) {
        e.rate = design->fpr(&geom, (uint64_t)e.n);
        e.bits = 8 * (double)geom.n_bytes / e.n;
        if (fb_scheme_needs_simulation(design->scheme, (uint64_t)e.n, geom.n_bits, geom.probes))
            e.excess =
                fb_scheme_excess(design->scheme, (uint64_t)e.n, geom.n_bits, geom.probes) / e.rate;
    }
    fb_kind_close(&opened);
    return e;
}

/* A member of its cell, were the rate so many times what is expected; NaN: not one that follows
 * from the rate. */
static double expected_number(const struct expected *e, const char *take, double times)
{
    const double rate = times * e->rate, bound = -fb_log(rate) / FB_LN2;
    return !strcmp(take, "fpr.estimate")       ? rate
           : !strcmp(take, "fpr.bound_bits")   ? bound
           : !strcmp(take, "fpr.wasted")       ? 1 - bound / e->bits
           : !strcmp(take, "fpr.bits_per_key") ? e->bits
           : !strcmp(take, "fpr.model.value")  ? e->rate
           : !strcmp(take, "params.fpr")       ? e->asked
                                               : (double)NAN;
}

/* The filters of a row: its own, and what they are divided by. */
struct sides {
    struct expected own, over;
};

static struct sides sides_of(const json_t *measure)
{
    const json_t *over = json_object_get(measure, "over"),
                 *experiment = json_object_get(measure, "experiment"),
                 *other = json_object_get(over, "experiment");
    json_auto_t *where = json_copy(json_object_get(measure, "where"));
    where = where ? where : json_object();
    const struct expected own = expect(experiment, where);
    if (other)
        json_object_clear(where);
    json_object_update(where, json_object_get(over, "where"));
    const struct sides sides = {own, expect(other ? other : experiment, where)};
    return sides;
}

/* Whether an interval of 95 % that is such a share of a rate on either side, made one of 99.9 % and
 * 1.7 times as wide (plan.c says why), is clear of the limits, wherever the rate may be. */
static bool would_decide(const json_t *measure, const struct fb_claimed *claimed,
                         const struct sides *sides, double precision)
{
    const json_t *over = json_object_get(measure, "over"),
                 *given = json_object_get(measure, "scale");
    const double scale = given ? json_number_value(given) : 1,
                 offset = json_number_value(json_object_get(measure, "offset"));
    const char *take = fb_json_str(measure, "take"), *below = fb_json_str(over, "take");
    const bool both = over && (!*below || !strcmp(below, "fpr.estimate"));
    const bool picks = json_object_get(measure, "pick"); /* the interval of several */
    const double half = 1.7 * 3.29 / 1.96 * precision * (both ? sqrt(2) : 1) * (picks ? 1.3 : 1),
                 more = 1 + sides->own.excess, less = 1 + sides->over.excess;
    double x[2];
    for (int i = 0; i < 2; i++) {
        const double times = i ? (1 + half) * more : (1 - half) / less;
        const bool upper = !strcmp(take, "fpr.estimate"); /* the error is the upper rate's */
        x[i] = expected_number(&sides->own, take, times);
        if (over)
            x[i] /= expected_number(&sides->over, *below ? below : take, upper ? 1 : times) +
                    fmax(0, json_number_value(json_object_get(over, "offset")));
        x[i] = x[i] * scale + offset;
    }
    const double low = fmin(x[0], x[1]), high = fmax(x[0], x[1]);
    return isfinite(low) && isfinite(high) && fb_claimed_stand(claimed, &low, &high) != FB_BETWEEN;
}

/* The lower rate of the two. */
static double lower_rate(const struct sides *sides)
{
    return fmin(sides->own.rate, isnan(sides->over.rate) ? 1 : sides->over.rate);
}

/* Probes after which half of the 95 % interval is such a share of the rate. */
static double probes_for(double precision, double rate)
{
    return 3.84 / precision / precision * (1 - rate) / rate;
}

/* The share that decides the row. What none would decide, or none that may be spent, is given less,
 * and more where nothing but the measurement tells the rate. The coarsest are for rates so low that
 * no finer one may be spent. */
static double precision_for(const json_t *measure, const struct fb_claimed *claimed,
                            const struct sides *sides, double most_probes)
{
    static const double steps[] = {0.05,   0.035,  0.025,  0.018,  0.012, 0.009,  0.006, 0.0045,
                                   0.0032, 0.0022, 0.0016, 0.0011, 8e-4,  0.0006, 0.25,  0.1};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (would_decide(measure, claimed, sides, steps[i]) &&
            probes_for(steps[i], lower_rate(sides)) <= most_probes)
            return steps[i];
    return sides->own.excess + sides->over.excess > 0 ? 0.005
           : isnan(lower_rate(sides))                 ? 0.01
                                                      : 0.05;
}

/* Filters and probes of each: a filter of many keys takes longer to build than to ask, and as many
 * probes as tell one filter's rate as well as filters agree, n / rate or so, are enough for it. */
static void set_batch(json_t *experiment, const struct sides *sides, double precision,
                      double most_probes)
{
    enum { FEW = 16384, ENOUGH = 65536, MANY = 1048576 };
    const double n = fmax(sides->own.n, 1), rate = lower_rate(sides);
    const double filters = n >= 5e6 ? 4 : n >= 5e5 ? 8 : 32;
    const double wanted = fmin(fmin(probes_for(precision, rate), most_probes) / filters,
                               fmin(n / rate, filters < 32 ? 16 * MANY : MANY));
    double probes = n < ENOUGH ? FEW : ENOUGH;
    while (filters < 32 ? probes < wanted : 2 * probes <= wanted)
        probes *= 2;
    json_object_set_new(experiment, "filters", json_integer((json_int_t)filters));
    json_object_set_new(experiment, "probes", json_integer((json_int_t)probes));
}

/* What each effort spends on an experiment whose row leaves it open. */
static const struct {
    double max_probes;
    const char *kernels;
} spent[] = {
    [FB_QUICK] = {4e6, "{\"rounds\": 1, \"min_processes\": 8, \"max_processes\": 8, "
                       "\"budget\": 10}"},
    [FB_DEFAULT] = {4e8, "{\"min_processes\": 16, \"max_processes\": 48, \"budget\": 30}"},
    [FB_FULL] = {2e10, "{\"min_processes\": 32, \"max_processes\": 64, \"budget\": 120}"},
};

/* What one filter tells. */
static bool is_size(const char *take)
{
    return !strncmp(take, "geometry.", 9) || !strcmp(take, "fpr.bits_per_key") ||
           !strcmp(take, "counts.filter_bytes") || !strcmp(take, "counts.block_bytes");
}

void fb_own_plan(json_t *measure, const struct fb_claimed *claimed, enum fb_effort effort)
{
    json_t *experiment = json_object_get(measure, "experiment"),
           *other = (json_t *)fb_json_at(measure, "over.experiment");
    const char *named = fb_json_str(experiment, "kind"), *kind = *named ? named : "fpr";
    const char *below = fb_json_str(measure, "over.take");
    if (says_work(experiment))
        return;
    if (!strcmp(kind, "fpr") && is_size(fb_json_str(measure, "take")) &&
        (!*below || is_size(below))) {
        json_object_set_new(experiment, "filters", json_integer(2));
    } else if (!strcmp(kind, "fpr")) {
        const struct sides sides = sides_of(measure);
        const double most = ceil(spent[effort].max_probes / fmax(1, sides.own.cells / 2)),
                     precision = precision_for(measure, claimed, &sides, most);
        json_t *both[] = {experiment, other && !says_work(other) ? other : NULL};
        for (size_t i = 0; i < 2; i++) {
            json_object_set_new(both[i], "precision", json_real(precision));
            json_object_set_new(both[i], "max_probes", json_integer((json_int_t)most));
            if (both[i])
                set_batch(both[i], &sides, precision, most);
        }
    } else if (!strcmp(kind, "kernels")) {
        json_auto_t *work = json_loads(spent[effort].kernels, 0, NULL);
        json_object_update(experiment, work);
    } else if (!strcmp(kind, "lsm") && !json_object_get(experiment, "timed") &&
               fb_take_nature(kind, measure) == FB_COUNTED) {
        json_object_set_new(experiment, "timed", json_false());
    }
}

void fb_own_share(json_t *measures)
{
    FB_EACH(a, measures) {
        FB_EACH(b, measures) {
            json_t *x = json_object_get(a, "experiment"), *y = json_object_get(b, "experiment");
            const double own = fb_json_num(x, "precision"), other = fb_json_num(y, "precision");
            if (!(other < own))
                continue;
            json_auto_t *copy = json_copy(x);
            json_object_set(copy, "precision", json_object_get(y, "precision"));
            json_object_set(copy, "probes", json_object_get(y, "probes"));
            if (json_equal(copy, y))
                json_object_update(x, copy);
        }
    }
}
