/* Ledgers of the user's own: reading and planning. */
#include "harness/kind/claims/own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/document/kind.h"
#include "harness/document/members.h"
#include "harness/filter/fpr.h"

/* ---- Reading ---- */

/* An experiment with every field, by the kind that it names. */
static json_t *resolve_experiment(const json_t *given, struct fb_problem *problem)
{
    struct fb_opened e = {0};
    json_t *resolved = NULL;
    if (fb_kind_open(given, &e, problem)) {
        if (!strcmp(e.kind->name, "claims") || !strcmp(e.kind->name, "advise"))
            fb_refuse(problem,
                      "kind: %s is not measured as a part of a ledger; give fpr, kernels, "
                      "lsm or another",
                      e.kind->name);
        else
            resolved = json_deep_copy(e.resolved);
    }
    fb_kind_close(&e);
    return resolved;
}

/* Value and relation, written out, and of ratios of times the limits. */
static const char *complete_claimed(json_t *claimed, bool timed, struct fb_claimed *out)
{
    const char *printed = fb_json_str(claimed, "printed");
    double value, half;
    if (!json_object_get(claimed, "value")) {
        if (!fb_printed_number(printed, &value, &half))
            return "printed: it is no number; write digits, and the words into text";
        json_object_set_new(claimed, "value", json_real(value));
    }
    if (!json_object_get(claimed, "relation"))
        json_object_set_new(claimed, "relation", json_string(fb_relation_texts[FB_EQUAL]));
    json_t *tolerance = json_object_get(claimed, "tolerance");
    const bool given = json_object_get(tolerance, "half") || json_object_get(tolerance, "low");
    if (given &&
        !json_object_get(tolerance, "whose")) /* the row's own limits are no printed ones */
        json_object_set_new(tolerance, "whose", json_string(fb_whose_texts[FB_OURS]));
    if (timed && !json_object_get(claimed, "tolerance") &&
        !strcmp(fb_json_str(claimed, "relation"), fb_relation_texts[FB_EQUAL]))
        json_object_set_new(claimed, "tolerance", json_pack("{s:b}", "times", 1));
    return fb_claimed_read(claimed, out);
}

/* Members that are taken, and that cells are chosen by. */
static bool check_side(const char *lead, const json_t *side, const char *kind, const char *take,
                       struct fb_problem *problem)
{
    const char *path;
    json_t *value;
    const json_t *scale = json_object_get(side, "scale");
    if (!strcmp(lead, "measure.over.") && !json_object_get(side, "take") &&
        !json_object_get(side, "where") && !json_object_get(side, "experiment"))
        return fb_refuse(problem,
                         "measure.over: say another member (take), another cell (where) or "
                         "another experiment");
    if (scale && json_number_value(scale) == 0)
        return fb_refuse(problem, "measure.scale: 0 makes every number 0; give another");
    if (!fb_take_exists(kind, take))
        return fb_refuse(problem,
                         "%stake: cells of kind %s have no number '%.60s' ('filterbench list "
                         "members' names what they have)",
                         lead, kind, take);
    json_object_foreach(json_object_get(side, "where"), path, value) {
        char inner[160];
        snprintf(inner, sizeof inner, "cells.%.140s", path);
        if (!fb_member_at(kind, inner))
            return fb_refuse(problem, "%swhere: cells of kind %s have no member '%.60s'", lead,
                             kind, path);
        if (json_is_object(value) || json_is_array(value))
            return fb_refuse(problem, "%swhere.%.60s: give a text, a number, true or null", lead,
                             path);
    }
    return true;
}

static bool complete_measure(json_t *measure, const json_t *seed, struct fb_problem *problem)
{
    static const char *const paths[] = {"experiment", "over.experiment"};
    json_t *holders[] = {measure, json_object_get(measure, "over")};
    struct fb_problem why;
    for (size_t i = 0; i < 2; i++) {
        json_t *given = json_object_get(holders[i], "experiment");
        if (given && !json_object_get(given, "seed"))
            json_object_set(given, "seed", (json_t *)seed);
        json_t *resolved = given ? resolve_experiment(given, &why) : NULL;
        if (given && !resolved)
            return fb_refuse(problem, "measure.%s: %s", paths[i], why.text);
        if (resolved)
            json_object_set_new(holders[i], "experiment", resolved);
    }
    const char *kind = fb_json_str(measure, "experiment.kind"),
               *other = fb_json_str(measure, "over.experiment.kind"),
               *take = fb_json_str(measure, "take"), *below = fb_json_str(measure, "over.take");
    return check_side("measure.", measure, kind, take, problem) &&
           (!holders[1] || check_side("measure.over.", holders[1], *other ? other : kind,
                                      *below ? below : take, problem));
}

/* ---- Planning ---- */

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
    bool rough;            /* no formula fits it */
};

/* The largest number of a list, or its smallest; of texts the first. */
static const json_t *outermost(const json_t *list, bool largest)
{
    const json_t *found = json_array_get(list, 0), *each;
    size_t i;
    json_array_foreach((json_t *)list, i, each)
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
        e.rough = fb_fpr_needs_model(
            &(struct fb_fpr_cell){.design = design, .n_keys = (uint64_t)e.n}, &geom);
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
    json_t *where = json_copy(json_object_get(measure, "where"));
    where = where ? where : json_object();
    const struct expected own = expect(experiment, where);
    if (other)
        json_object_clear(where);
    json_object_update(where, json_object_get(over, "where"));
    const struct sides sides = {own, expect(other ? other : experiment, where)};
    json_decref(where);
    return sides;
}

/* Whether an interval of 95 % that is such a share of a rate on either side, made one of 99.9 % and
 * 1.7 times as wide (plan.c says why), is clear of the limits. */
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
    const double half = 1.7 * 3.29 / 1.96 * precision * (both ? sqrt(2) : 1) * (picks ? 1.3 : 1);
    double x[2];
    for (int i = 0; i < 2; i++) {
        const double times = i ? 1 + half : 1 - half;
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

/* The share that decides the row. What none would decide, or none that may be spent, is given less;
 * so much where nothing but the measurement tells the rate. */
static double precision_for(const json_t *measure, const struct fb_claimed *claimed,
                            const struct sides *sides, double most_probes)
{
    static const double steps[] = {0.05,   0.035,  0.025,  0.018,  0.012, 0.009,  0.006, 0.0045,
                                   0.0032, 0.0022, 0.0016, 0.0011, 8e-4,  0.0006, 0.25,  0.1};
    if (sides->own.rough || sides->over.rough)
        return 0.005;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (would_decide(measure, claimed, sides, steps[i]) &&
            probes_for(steps[i], lower_rate(sides)) <= most_probes)
            return steps[i];
    return isnan(lower_rate(sides)) ? 0.01 : 0.05;
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

static void plan(json_t *measure, const struct fb_claimed *claimed, enum fb_effort effort)
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
        json_t *work = json_loads(spent[effort].kernels, 0, NULL);
        json_object_update(experiment, work);
        json_decref(work);
    } else if (!strcmp(kind, "lsm") && !json_object_get(experiment, "timed") &&
               fb_take_nature(kind, measure) == FB_COUNTED) {
        json_object_set_new(experiment, "timed", json_false());
    }
}

/* Experiments that differ in what was planned alone get that of the most precise. */
static void share_precision(json_t *measures)
{
    size_t i, j;
    json_t *a, *b;
    json_array_foreach(measures, i, a) {
        json_array_foreach(measures, j, b) {
            json_t *x = json_object_get(a, "experiment"), *y = json_object_get(b, "experiment");
            const double own = fb_json_num(x, "precision"), other = fb_json_num(y, "precision");
            if (!(other < own))
                continue;
            json_t *copy = json_copy(x);
            json_object_set(copy, "precision", json_object_get(y, "precision"));
            json_object_set(copy, "probes", json_object_get(y, "probes"));
            if (json_equal(copy, y))
                json_object_update(x, copy);
            json_decref(copy);
        }
    }
}

/* ---- The ledger ---- */

static bool read_row(json_t *claims, size_t i, enum fb_effort effort, const json_t *seed,
                     struct fb_problem *problem)
{
    json_t *row = json_array_get(claims, i);
    struct fb_claimed claimed;
    const char *wrong = fb_record_wrong("own_claim", row);
    if (wrong)
        return fb_refuse(problem, "%s", wrong);
    for (size_t j = 0; j < i; j++)
        if (!strcmp(fb_json_str(json_array_get(claims, j), "id"), fb_json_str(row, "id")))
            return fb_refuse(problem, "id: claims[%zu] has it too; give another", j);
    const json_t *measure = json_object_get(row, "measure");
    wrong = complete_claimed(
        json_object_get(row, "claimed"),
        fb_take_nature(fb_json_str(measure, "experiment.kind"), measure) == FB_TIMED, &claimed);
    if (wrong)
        return fb_refuse(problem, "claimed: %s", wrong);
    plan(json_object_get(row, "measure"), &claimed, effort);
    return complete_measure(json_object_get(row, "measure"), seed, problem);
}

json_t *fb_own_resolve(const json_t *given, enum fb_effort effort, const json_t *seed,
                       struct fb_problem *problem)
{
    const char *wrong = fb_record_wrong("own_ledger", given);
    json_t *ledger = json_deep_copy(given), *claims = json_object_get(ledger, "claims");
    const bool of_row = wrong && !strncmp(wrong, "claims[", 7);
    bool read = !wrong   ? ledger != NULL
                : of_row ? fb_refuse(problem, "%s", wrong)
                         : fb_refuse(problem,
                                     "%s; give a list of rows, as 'reproduce --new-ledger FILE' "
                                     "writes one",
                                     wrong);
    for (size_t i = 0; read && i < json_array_size(claims); i++) {
        struct fb_problem why;
        read = read_row(claims, i, effort, seed, &why) ||
               fb_refuse(problem, "claims[%zu] (%.60s): %s", i,
                         fb_json_str(json_array_get(claims, i), "id"), why.text);
    }
    json_t *measures = json_array();
    for (size_t i = 0; read && i < json_array_size(claims); i++)
        json_array_append(measures, json_object_get(json_array_get(claims, i), "measure"));
    share_precision(measures);
    json_decref(measures);
    if (!read)
        json_decref(ledger);
    return read ? ledger : NULL;
}

/* What our ledgers say of the work is that of the default effort. */
static void change_work(json_t *experiment, enum fb_effort effort)
{
    static const int times[] = {[FB_QUICK] = 0, [FB_DEFAULT] = 1, [FB_FULL] = 10};
    enum { SHARE = 5 };
    const json_int_t queries = json_integer_value(json_object_get(experiment, "queries"));
    if (queries)
        json_object_set_new(
            experiment, "queries",
            json_integer(times[effort] ? times[effort] * queries : queries / SHARE));
}

bool fb_own_complete(struct fb_claims *e, struct fb_problem *problem)
{
    const json_t *seed = json_object_get(e->document, "seed");
    struct fb_problem why;
    size_t next = 0;
    e->measures = json_array();
    for (size_t i = 0; i < e->n && !e->ledger.own; i++) {
        struct fb_claim *claim = &e->ledger.claims[e->judged[i].claim - e->ledger.claims];
        if (!claim->own)
            continue;
        json_t *measure = json_deep_copy(claim->measure);
        json_array_append_new(e->measures, measure);
        change_work(json_object_get(measure, "experiment"), e->effort);
        change_work((json_t *)fb_json_at(measure, "over.experiment"), e->effort);
        plan(measure, &claim->claimed, e->effort);
        claim->measure = measure;
    }
    share_precision(e->measures);
    for (size_t i = 0; i < e->n && !e->ledger.own; i++)
        if (e->judged[i].claim->own &&
            !complete_measure(json_array_get(e->measures, next++), seed, &why))
            return fb_refuse(problem, "%s: %s", e->judged[i].claim->id, why.text);
    return e->measures || fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
}

/* What sort of claim a row is (record claim). */
static const char *sort_of(const json_t *measure, enum fb_nature nature)
{
    const char *kind = fb_json_str(measure, "experiment.kind");
    return nature == FB_MACHINE_ONLY ? "time-absolute"
           : nature == FB_TIMED      ? "time-ratio"
           : !strcmp(kind, "lsm")    ? "cost-model"
           : strstr(fb_json_str(measure, "take"), "bits") ||
                   strstr(fb_json_str(measure, "take"), "bytes")
               ? "size"
               : "fpr";
}

bool fb_own_open(json_t *resolved, struct fb_ledger *out, struct fb_problem *problem)
{
    const json_t *claims = json_object_get(resolved, "claims");
    const char *title = fb_json_str(resolved, "title"), *source = fb_json_str(resolved, "source");
    *out = (struct fb_ledger){.name = "own", .own = true, .documents = json_array()};
    out->claims = calloc(json_array_size(claims) + 1, sizeof *out->claims);
    if (!out->claims)
        return fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    json_array_append_new(out->documents,
                          json_pack("{s:s, s:o}", "document", "own", "title",
                                    json_sprintf("%s%s%s", *title ? title : "a ledger of your own",
                                                 *source ? ", " : "", source)));
    for (; out->n < json_array_size(claims); out->n++) {
        const json_t *row = json_array_get(claims, out->n), *measure;
        struct fb_claim *claim = &out->claims[out->n];
        const char *note = fb_json_str(row, "note");
        *claim = (struct fb_claim){.id = fb_json_str(row, "id"),
                                   .document = "own",
                                   .section = fb_json_str(row, "section"),
                                   .claim = fb_json_str(row, "claim"),
                                   .note = *note ? note : NULL,
                                   .measure = measure = json_object_get(row, "measure"),
                                   .row = row,
                                   .own = true};
        claim->nature = fb_take_nature(fb_json_str(measure, "experiment.kind"), measure);
        claim->kind = sort_of(measure, claim->nature);
        const char *wrong = fb_claimed_read(json_object_get(row, "claimed"), &claim->claimed);
        if (wrong)
            return fb_refuse(problem, "%s: %s", claim->id, wrong);
    }
    return true;
}
