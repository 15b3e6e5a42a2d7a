/* One number of a result, with its interval. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/document/members.h"
#include "harness/kind/claims/own.h"
#include "harness/measure/group_json.h"

#define Z95 1.959963984540054

/* ---- Members of a cell ---- */

/* As fb_json_at; an element of a list may be asked for by its number, and a list of one needs none.
 */
static const json_t *at(const json_t *object, const char *path)
{
    while (*path && object) {
        char name[40];
        const size_t len = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)len, path);
        const bool index = name[0] && strspn(name, "0123456789") == len;
        if (json_is_array(object) && !index && json_array_size(object) == 1)
            object = json_array_get(object, 0);
        object = json_is_array(object) ? index ? json_array_get(object, (size_t)atoi(name)) : NULL
                                       : json_object_get(object, name);
        path += len + (path[len] == '.');
    }
    return object;
}

static const json_t *member_of(const char *kind, const char *path)
{
    char inner[160];
    snprintf(inner, sizeof inner, "cells.%.140s", path);
    return fb_member_at(kind, inner);
}

bool fb_take_exists(const char *kind, const char *path)
{
    const char *type = fb_json_str(member_of(kind, path), "x-type");
    return !strncmp(type, "number", 6) || !strncmp(type, "count", 5) || !strncmp(type, "rate", 4) ||
           !strncmp(type, "integer", 7);
}

static bool is_time(const char *kind, const char *path)
{
    const char *unit = fb_json_str(member_of(kind, path), "x-unit");
    return !strcmp(unit, "ns") || !strncmp(unit, "ns ", 3) || strstr(path, "time.");
}

/* Of two times of the same rounds. */
static bool is_ratio(const char *path)
{
    return strstr(path, "time.ratio") != NULL;
}

enum fb_nature fb_take_nature(const char *kind, const json_t *measure)
{
    const char *take = fb_json_str(measure, "take");
    return !is_time(kind, take)                                 ? FB_COUNTED
           : json_object_get(measure, "over") || is_ratio(take) ? FB_TIMED
                                                                : FB_MACHINE_ONLY;
}

/* ---- Cells ---- */

static bool has(const json_t *cell, const json_t *where)
{
    FB_EACH_MEMBER(path, value, where) {
        const json_t *own = at(cell, path);
        const bool equal = json_is_number(value) && json_is_number(own)
                               ? json_number_value(value) == json_number_value(own)
                               : json_equal(value, own);
        if (!equal)
            return false;
    }
    return true;
}

/* Whether two cells of one experiment differ only in what `differ` names. A design of one size has
 * no size that was asked for. */
static bool alike(const json_t *a, const json_t *b, const json_t *differ)
{
    static const char *const axes[] = {"design",
                                       "keys",
                                       "n",
                                       "params.bits_per_key",
                                       "params.fpr",
                                       "params.k",
                                       "footprint",
                                       "operation",
                                       "hit_ratio",
                                       "params.capacity_factor",
                                       "runs",
                                       "load",
                                       "params.allocation",
                                       "params.absent",
                                       "params.prefix",
                                       "tree.style"};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const json_t *x = fb_json_at(a, axes[i]), *y = fb_json_at(b, axes[i]);
        bool may = json_object_get(differ, axes[i]) || json_is_null(x) || json_is_null(y);
        may = may || json_is_array(x); /* runs of a tree have filters of the design */
        if (!may && x != y && !json_equal(x, y))
            return false;
    }
    return true;
}

/* ---- One number with its interval ---- */

struct number {
    double value, low, high; /* 99.9 % of counts, 95 % of times */
    double theory, z;        /* NaN: there is none */
    double theory_error;     /* relative standard error of a simulated theory; 0: a formula */
    const json_t *time;      /* the record, where the number is its median or ratio */
};

/* What widens an interval of 95 % to one of 99.9 %. */
static double widening(const json_t *cell, const char *interval)
{
    const uint64_t filters = fb_json_uint(cell, "counts.filters");
    const bool student =
        !strncmp(interval, "t95", 3) && filters > 1 && !fb_json_at(cell, "fpr.t95_pooled");
    return student ? fb_t_quantile(1 - FB_FIND_TAIL, (unsigned)filters - 1) /
                         fb_t_quantile(0.975, (unsigned)filters - 1)
                   : fb_find_z() / Z95;
}

/* Intervals have the name of what they are of, or, of an estimate and of a median, their own. */
static const json_t *interval_of(const json_t *record, const char *name, const char **found)
{
    static const struct {
        const char *of, *is;
    } names[] = {{"ratio", "ratio_ci99"}, {NULL, "%s_ci95"},        {NULL, "%s_wilson95"},
                 {"estimate", "t95"},     {"estimate", "wilson95"}, {"median", "ci95"},
                 {"value", "ci95"}};
    static char path[80];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].of && strcmp(names[i].of, name) != 0)
            continue;
        snprintf(path, sizeof path, "%s", names[i].is);
        if (!names[i].of)
            snprintf(path, sizeof path, "%.60s%s", name, names[i].is + 2);
        *found = path;
        if (json_is_object(json_object_get(record, path)))
            return json_object_get(record, path);
    }
    return NULL;
}

/* Predictions that stand in a cell, and by how many standard errors they are missed. */
static const struct {
    const char *take, *theory, *z;
} predicted[] = {{"fpr.estimate", "fpr.model.value", "fpr.z"},
                 {"fpr.model.value", "fpr.model.value", NULL},
                 {"fpr.bits_per_key", "fpr.bits_per_key", NULL},
                 {"params.fpr", "params.fpr", NULL},
                 {"reads.io", "expectation.data_blocks", "expectation.z"},
                 {"reads.any_false", "expectation.any_false", NULL},
                 {"reads.asked", "expectation.asked", NULL}};

/* Numbers per query that a result has without an interval, and what each query adds at most: runs
 * of the tree, or one. A variable from 0 to R with mean a has a variance of at most a (R - a)
 * (Bhatia and Davis 2000). */
static void bound_mean(const json_t *cell, const char *path, struct number *out)
{
    static const struct {
        const char *path;
        bool runs;
    } means[] = {{"reads.asked", true},
                 {"reads.pruned", true},
                 {"reads.by_cause.false", true},
                 {"reads.by_cause.found", false},
                 {"reads.by_cause.tombstone", false}};
    const double a = out->value, queries = fb_json_num(cell, "counts.queries");
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        if (strcmp(means[i].path, path) != 0)
            continue;
        const double most = means[i].runs ? fb_json_num(cell, "tree.runs") : 1;
        const double half = fb_find_z() * sqrt(fmax(0, a * (most - a)) / queries);
        out->low = fmax(0, a - half);
        out->high = a + half;
    }
}

/* What follows from the estimate of a rate has an interval by way of that. */
static void follow_rate(const json_t *cell, const char *path, const struct number *rate,
                        struct number *out)
{
    const double bits = fb_json_num(cell, "fpr.bits_per_key");
    const double low = -fb_log(rate->high) / FB_LN2, theory = -fb_log(rate->theory) / FB_LN2,
                 high = rate->low > 0 ? -fb_log(rate->low) / FB_LN2 : INFINITY;
    const bool wasted = !strcmp(path, "fpr.wasted");
    out->low = wasted ? 1 - high / bits : low;
    out->high = wasted ? 1 - low / bits : high;
    out->theory = wasted ? 1 - theory / bits : theory;
    out->theory_error =
        rate->theory_error / FB_LN2 / (wasted ? fabs(bits - theory) : theory); /* relative */
    out->z = -rate->z;
}

static bool number_of(const char *kind, const json_t *cell, const char *path, struct number *out,
                      struct fb_problem *problem)
{
    struct number rate;
    const json_t *value = at(cell, path);
    const char *dot = strrchr(path, '.'), *name = dot ? dot + 1 : path, *found = "";
    char parent[120];
    snprintf(parent, sizeof parent, "%.*s", dot ? (int)(dot - path) : 0, path);
    const json_t *record = dot ? at(cell, parent) : cell;
    if (!json_is_number(value)) {
        char reason[160];
        snprintf(reason, sizeof reason, "%.120s_reason", path);
        return fb_refuse(problem, "take: %.80s of %.80s is not known: %s", path,
                         fb_json_str(cell, "id"),
                         json_string_value(at(cell, reason)) ? json_string_value(at(cell, reason))
                                                             : "the cell has no such number");
    }
    const double x = json_number_value(value);
    *out = (struct number){.value = x, .low = x, .high = x, .theory = NAN, .z = NAN};
    const json_t *interval = interval_of(record, name, &found);
    const double wide = is_time(kind, path) ? 1 : widening(cell, found);
    if (interval) {
        out->low = x - wide * (x - fb_json_num(interval, "low"));
        out->high = x + wide * (fb_json_num(interval, "high") - x);
    }
    bound_mean(cell, path, out);
    if (x >= 0)
        out->low = fmax(0, out->low);
    if (!strncmp(fb_json_str(member_of(kind, path), "x-type"), "rate", 4))
        out->high = fmin(1, out->high);
    if (!strcmp(name, "median") || is_ratio(path))
        out->time = record;
    if ((!strcmp(path, "fpr.bound_bits") || !strcmp(path, "fpr.wasted")) &&
        number_of(kind, cell, "fpr.estimate", &rate, problem))
        follow_rate(cell, path, &rate, out);
    /* Formulas know no block cache, and no index blocks. */
    const bool known = !(fb_json_num(cell, "params.cache_bytes") > 0) &&
                       !(fb_json_num(cell, "reads.by_cause.index") > 0) &&
                       !(fb_json_num(cell, "reads.by_cause.filter") > 0);
    if (!strcmp(path, "fpr.estimate") && !strcmp(fb_json_str(cell, "fpr.model.kind"), "simulated"))
        out->theory_error =
            fb_json_num(cell, "fpr.model.se") / fb_json_num(cell, "fpr.model.value");
    for (size_t i = 0; known && i < sizeof predicted / sizeof *predicted; i++)
        if (!strcmp(predicted[i].take, path)) {
            out->theory = fb_json_num(cell, predicted[i].theory);
            out->z = predicted[i].z ? fb_json_num(cell, predicted[i].z) : NAN;
        }
    return true;
}

/* ---- Quotients ---- */

/* Of two times of one experiment, round by round. */
static bool ratio_of_times(const struct number *a, const struct number *b, struct fb_finding *out,
                           struct fb_problem *problem)
{
    json_auto_t *holder = json_pack("{s:O, s:O}", "a", a->time, "b", b->time);
    const struct fb_group_place places[] = {
        {.object = holder, .name = "b", .id = "b", .to = -1},
        {.object = holder, .name = "a", .id = "a", .series = 1, .to = 0}};
    struct fb_group group = {0};
    const bool read = !fb_group_read(&group, places, 2, 1);
    if (read) {
        const struct fb_estimate *e = &group.members[1].estimate;
        fb_find_time(out, e->ratio, e->ratio99, 0.99);
        out->processes = group.parts[0].processes;
        out->cpu_clock = group.cpu_clock;
        fb_find_remark(out, "%.3g ns against %.3g ns", a->value, b->value);
    } else {
        fb_refuse(problem, "over: the two times were not taken in the same rounds");
    }
    fb_group_close(&group);
    return read;
}

/* Half of an interval in logarithms; 0 where a number is a point. */
static double log_half(double from, double to)
{
    return from > 0 && to > 0 ? fabs(fb_log(to) - fb_log(from)) : from == to ? 0 : INFINITY;
}

static void quotient_of(const struct number *a, const struct number *b, struct fb_finding *out)
{
    const double q = a->value / b->value, theory = a->theory / b->theory;
    const double down = hypot(log_half(a->low, a->value), log_half(b->value, b->high));
    const double up = hypot(log_half(a->value, a->high), log_half(b->low, b->value));
    const double se = fmax(down, up) / fb_find_z();
    fb_find_interval(out, se > 0 ? theory : NAN, q, a->value > 0 ? q * fb_exp(-down) : 0,
                     q * fb_exp(up));
    out->theory_error = hypot(a->theory_error, b->theory_error);
    if (se > 0 && q > 0 && theory > 0)
        out->p = fb_p_normal((fb_log(q) - fb_log(theory)) / hypot(se, out->theory_error));
    fb_find_remark(out, "%.4g against %.4g", a->value, b->value);
}

/* ---- What a row takes ---- */

/* The cell of `over` that stands beside this one. */
static const json_t *partner_of(const json_t *measure, const json_t *cell, const json_t *cells,
                                bool elsewhere, struct fb_problem *problem)
{
    const json_t *over = json_object_get(measure, "over"), *differ = json_object_get(over, "where");
    json_auto_t *where = json_object();
    const json_t *found = NULL;
    size_t n = 0;
    if (!elsewhere && !differ)
        return cell;
    if (!elsewhere || !differ)
        json_object_update(where, json_object_get(measure, "where"));
    json_object_update(where, (json_t *)differ);
    FB_EACH(each, cells)
        if (has(each, where) && (elsewhere || alike(cell, each, differ))) {
            found = each;
            n++;
        }
    if (n == 1)
        return found;
    fb_refuse(problem,
              n ? "over.where: %zu cells of the result are such: say more of the one"
                : "over.where: no cell of the result is such",
              n);
    return NULL;
}

static bool take_cell(const json_t *measure, const char *kind, const json_t *cell,
                      const json_t *cells, const char *over_kind, bool elsewhere,
                      struct fb_finding *out, struct fb_problem *problem)
{
    const json_t *over = json_object_get(measure, "over");
    const char *take = fb_json_str(measure, "take"), *other = fb_json_str(over, "take"),
               *below = *other ? other : take;
    struct number a, b;
    if (!number_of(kind, cell, take, &a, problem))
        return false;
    if (over) {
        const json_t *partner = partner_of(measure, cell, cells, elsewhere, problem);
        if (!partner || !number_of(over_kind, partner, below, &b, problem))
            return false;
        const double more = fb_json_num(over, "offset");
        if (!isnan(more)) {
            b.value += more;
            b.low += more;
            b.high += more;
            b.theory += more;
        }
        if (!(b.value > 0))
            return fb_refuse(problem, "over: %.80s is 0, and nothing can be divided by it",
                             fb_json_str(partner, "id"));
        if (is_ratio(take) && is_ratio(below)) {
            fb_find_time(out, a.value / b.value,
                         (struct fb_interval){a.low / b.high, a.high / b.low}, 0.99);
            out->processes = (size_t)fb_json_uint(a.time, "processes");
            return true;
        }
        if (a.time && b.time && !elsewhere)
            return ratio_of_times(&a, &b, out, problem);
        if (is_time(kind, take) || is_time(over_kind, below))
            return fb_refuse(problem, "over: a ratio of times is that of two time.median of one "
                                      "experiment, or time.ratio alone");
        quotient_of(&a, &b, out);
        return true;
    }
    if (is_time(kind, take)) {
        fb_find_time(out, a.value, (struct fb_interval){a.low, a.high},
                     is_ratio(take) ? 0.99 : 0.95);
        out->processes = (size_t)fmax(1, (double)fb_json_uint(a.time, "processes"));
        return true;
    }
    /* Of a prediction without a z of its own the interval tells how far it is missed. */
    if (isnan(a.z) && a.high > a.low)
        a.z = (a.value - a.theory) / ((a.high - a.low) / 2 / fb_find_z());
    fb_find_interval(out, isnan(a.z) ? NAN : a.theory, a.value, a.low, a.high);
    out->p = isnan(a.z) ? NAN : fb_p_normal(a.z);
    out->theory_error = a.theory_error;
    return true;
}

/* Of several cells the largest or smallest number: its interval ends where the ends of all do. */
static void pick(struct fb_finding *best, const struct fb_finding *each, bool largest)
{
    const double low = best->low[0], high = best->high[0], p = best->p;
    if (largest ? each->measured[0] > best->measured[0] : each->measured[0] < best->measured[0])
        *best = *each;
    best->low[0] = largest ? fmax(low, each->low[0]) : fmin(low, each->low[0]);
    best->high[0] = largest ? fmax(high, each->high[0]) : fmin(high, each->high[0]);
    best->p = fmin(p, each->p); /* of all */
}

static void put_in_unit(const json_t *measure, struct fb_finding *out)
{
    const json_t *given = json_object_get(measure, "scale");
    const double scale = given ? json_number_value(given) : 1,
                 offset = json_number_value(json_object_get(measure, "offset"));
    double *all[] = {out->theory, out->measured, out->low, out->high};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i][0] = all[i][0] * scale + offset;
    if (scale < 0) {
        const double low = out->low[0];
        out->low[0] = out->high[0];
        out->high[0] = low;
    }
}

/* Why the design that is asked for has no cell; NULL: nothing says it. */
static const char *why_skipped(const json_t *result, const json_t *where)
{
    const char *design = fb_json_str(where, "design");
    const size_t len = strlen(design);
    FB_EACH(row, json_object_get(result, "skipped")) {
        const char *id = fb_json_str(row, "id");
        if (len && !strncmp(id, design, len) && id[len] == '/')
            return fb_json_str(row, "why");
    }
    return NULL;
}

bool fb_take(const json_t *measure, const json_t *result, const json_t *over,
             struct fb_finding *out, struct fb_problem *problem)
{
    const json_t *where = json_object_get(measure, "where"),
                 *cells = json_object_get(result, "cells");
    const char *picked = fb_json_str(measure, "pick"), *kind = fb_json_str(result, "kind");
    const char *over_kind = fb_json_str(over ? over : result, "kind");
    size_t n = 0;
    *out = (struct fb_finding){.tolerance = NAN, .p = NAN};
    FB_EACH(cell, cells) {
        struct fb_finding each = {.tolerance = NAN, .p = NAN};
        if (!has(cell, where))
            continue;
        if (!take_cell(measure, kind, cell, json_object_get(over ? over : result, "cells"),
                       over_kind, over != NULL, &each, problem)) {
            const json_t *differ = json_object_get(json_object_get(measure, "over"), "where");
            const char *why = why_skipped(over ? over : result, differ);
            if (why && !strncmp(problem->text, "over.where: no", 14))
                fb_refuse(problem, "over.where: no cell of the result is such: %.150s", why);
            return false;
        }
        each.events = fb_json_uint(cell, "fpr.events");
        each.probes = fb_json_uint(cell, "fpr.probes");
        each.false_negatives = fb_json_uint(cell, "counts.false_negatives");
        if (n++ == 0)
            *out = each;
        else
            pick(out, &each, !strcmp(picked, "largest"));
    }
    if (!n)
        return fb_refuse(problem, "where: no cell of the result is such%s%.150s",
                         why_skipped(result, where) ? ": " : "",
                         why_skipped(result, where) ? why_skipped(result, where) : "");
    if (n > 1 && !*picked)
        return fb_refuse(problem,
                         "where: %zu cells of the result are such; say more of the one, or pick "
                         "the largest or smallest",
                         n);
    if (!isnan(out->p))
        out->p = fmin(1, (double)n * out->p);
    out->simulated = out->theory_error > 0;
    put_in_unit(measure, out);
    return true;
}
