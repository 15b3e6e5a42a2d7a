#include "harness/document/io_profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"
#include "harness/document/check.h"
#include "harness/engine/predict.h"
#include "harness/store/query_latency.h"

static bool has_costs(const json_t *document)
{
    bool any = false;
    FB_EACH(cell, json_object_get(document, "cells"))
        any |= json_is_object(json_object_get(cell, "costs"));
    return any;
}

/* NULL, or why the profile is not of such an engine or of such blocks. */
static const char *why_not(const json_t *profile, const char *engine, double block_bytes)
{
    static _Thread_local char why[160];
    const char *its = fb_json_str(profile, "engine.name");
    const double its_bytes = fb_json_num(profile, "experiment.block_bytes");
    if (*engine && strcmp(its, engine) != 0)
        snprintf(why, sizeof why, "it is a profile of %.40s, and this is %.40s", its, engine);
    else if (its_bytes != block_bytes)
        snprintf(why, sizeof why,
                 "it is a profile of data blocks of %.0f bytes, and these have %.0f; make one with "
                 "--set block_bytes=%.0f",
                 its_bytes, block_bytes, block_bytes);
    else if (json_is_false(fb_json_at(profile, "experiment.cache_fits")))
        snprintf(why, sizeof why,
                 "its cache is smaller than its filters (cache_fits=false), and "
                 "such costs are of that size alone");
    else
        return NULL;
    return why;
}

enum fb_exit fb_io_profile_load(const char *path, const char *engine, double block_bytes,
                                json_t **document)
{
    char key[17], its_key[17];
    const char *why;
    enum fb_exit code = fb_result_load(path, document);
    if (!code && (strcmp(fb_json_str(*document, "kind"), "engine") != 0 || !has_costs(*document))) {
        fb_error("%s: it says nothing of what Gets cost; 'filterbench engine cost -o FILE' makes a "
                 "profile",
                 path);
        code = FB_EXIT_USAGE;
    }
    if (!code)
        code = fb_document_trust(path, false, *document);
    if (!code && !json_is_true(fb_json_at(*document, "run.complete"))) {
        fb_error("%s: it is of a run that did not finish; go on with it, --resume", path);
        code = FB_EXIT_USAGE;
    }
    if (!code && (why = why_not(*document, engine, block_bytes))) {
        fb_error("%s: %s", path, why);
        code = FB_EXIT_NOT_COMPARABLE;
    }
    if (code) {
        json_decref(*document);
        *document = NULL;
        return code;
    }
    fb_machine_key(key);
    fb_machine_key_of(json_object_get(*document, "machine"), its_key);
    if (strcmp(key, its_key) != 0)
        fb_note("%s: made on another machine: %s", path,
                fb_machine_difference(json_object_get(*document, "machine")));
    return FB_EXIT_OK;
}

/* ---- Cells ---- */

static bool is_of(const json_t *cell, const struct fb_io_gets *gets)
{
    return json_is_object(json_object_get(cell, "costs")) &&
           (gets->filter ? !strcmp(fb_json_str(cell, "filter"), gets->filter)
                         : json_is_true(json_object_get(cell, "own"))) &&
           (!gets->design || !strcmp(fb_json_str(cell, "design"), gets->design)) &&
           !strcmp(fb_json_str(cell, "residency"), gets->residency) &&
           !strcmp(fb_json_str(cell, "reads"), gets->reads);
}

typedef bool cost_fn(const struct fb_costs *, const void *what, struct fb_cost *out);

/* Cells that tell of some Gets, and how often Gets of absent keys there come behind a read. */
struct told {
    double n, mean, spread, least, most; /* spread: sum of squared distances from the mean */
};

static void add_told(struct told *t, const json_t *cell)
{
    const struct fb_cost_work work = fb_cost_work_of(cell, "absent");
    const double behind = fb_cost_behind(&work), from_mean = behind - t->mean;
    t->least = t->n++ > 0 ? fmin(t->least, behind) : behind;
    t->most = fmax(t->most, behind);
    t->mean += from_mean / t->n;
    t->spread += from_mean * (behind - t->mean);
}

/* What a cell weighs: on the line through all cells that is at `behind`, but no further away from
 * them than they are from each other. Gets that find their keys read themselves, and so do not come
 * behind other reads than those of the cell. */
static double weight_of(const struct told *t, const json_t *cell, const struct fb_cost_work *asked)
{
    enum { LEAST_SPREAD_PERCENT = 1 };
    const struct fb_cost_work work = fb_cost_work_of(cell, "absent");
    const double range = t->most - t->least;
    const double at = fmin(fmax(fb_cost_behind(asked), t->least - range), t->most + range);
    if (!(range > LEAST_SPREAD_PERCENT / 100.0))
        return 1 / t->n;
    return 1 / t->n +
           (1 - asked->found) * (at - t->mean) * (fb_cost_behind(&work) - t->mean) / t->spread;
}

/* The mean of the cells that tell of it, weighed for Gets that do such work (NULL: all alike); the
 * interval has those of all. */
static bool mean_of(const json_t *profile, const struct fb_io_gets *gets, cost_fn *cost,
                    const void *what, const struct fb_cost_work *work, struct fb_cost *out)
{
    const struct fb_cost_work found = {.found = 1};
    struct fb_costs *costs = malloc(sizeof *costs);
    struct fb_cost one;
    struct told told = {0};
    *out = (struct fb_cost){0, INFINITY, -INFINITY};
    for (int pass = 0; pass < 2 && costs; pass++)
        FB_EACH(cell, json_object_get(profile, "cells")) {
            if (!is_of(cell, gets) || !fb_costs_of(cell, costs) || !cost(costs, what, &one))
                continue;
            if (!pass) {
                add_told(&told, cell);
                continue;
            }
            const double weight = weight_of(&told, cell, work ? work : &found);
            out->value += weight * one.value;
            out->low = fmin(out->low, one.low);
            out->high = fmax(out->high, one.high);
        }
    free(costs);
    out->low = fmin(out->low, out->value);
    out->high = fmax(out->high, out->value);
    return told.n > 0;
}

static bool of_gets(const struct fb_costs *costs, const void *what, struct fb_cost *out)
{
    *out = fb_costs_get(costs, what);
    return true;
}

static bool of_term(const struct fb_costs *costs, const void *what, struct fb_cost *out)
{
    const enum fb_cost_term term = *(const enum fb_cost_term *)what;
    *out = term == FB_COST_READ || term == FB_COST_CHECK ? fb_costs_cold(costs, term)
                                                         : fb_costs_term(costs, term);
    return costs->known[term];
}

bool fb_io_profile_get(const json_t *profile, const struct fb_io_gets *gets, struct fb_cost *out)
{
    return mean_of(profile, gets, of_gets, &gets->work, &gets->work, out);
}

/* One of the terms of the cost, of the cells that `gets` names; design NULL: of every one. Those of
 * a check and of a read are of a cold level (fb_costs_cold). */
static bool term_of(const json_t *profile, const struct fb_io_gets *gets, enum fb_cost_term term,
                    struct fb_cost *out)
{
    return mean_of(profile, gets, of_term, &term, NULL, out);
}

/* What cells of a profile say of single Gets of one stream. */
struct singly {
    struct fb_histogram none, one; /* of Gets that read no data block, or one; n may be 0 */
    struct fb_cost_work work;      /* of a Get, in the mean */
};

/* Adds the histogram of the kind in a cell. */
static bool add_times(const json_t *cell, const char *kind, struct fb_histogram *sum)
{
    struct fb_histogram *h = malloc(sizeof *h);
    bool done = h;
    FB_EACH(json, json_object_get(cell, "histograms")) {
        if (strcmp(fb_json_str(json, "kind"), kind) != 0 || !done)
            continue;
        done = fb_latency_read(json, h);
        for (unsigned bin = 0; bin < FB_HISTOGRAM_BINS && done; bin++)
            if (h->count[bin])
                fb_histogram_add(sum, fb_histogram_middle(bin), h->count[bin]);
    }
    free(h);
    return done;
}

static bool singly_of(const json_t *profile, const struct fb_io_gets *gets, struct singly *out)
{
    const bool present = gets->work.found > 0;
    double n = 0;
    bool done = true;
    FB_EACH(cell, json_object_get(profile, "cells")) {
        if (!is_of(cell, gets))
            continue;
        const struct fb_cost_work work = fb_cost_work_of(cell, present ? "present" : "absent");
        done = done && add_times(cell, "get_absent_0", &out->none) &&
               add_times(cell, present ? "get_present_1" : "get_absent_1", &out->one);
        n++;
        out->work = fb_cost_work_mix(&out->work, &work, 1 / n);
    }
    return done && n > 0;
}

/* How much longer Gets take that do one work than those that do another, in a stream of neither. */
static double more_of(const json_t *profile, const struct fb_io_gets *gets, struct fb_cost_work one,
                      struct fb_cost_work other)
{
    struct fb_cost longer = {0}, shorter = {0};
    (void)mean_of(profile, gets, of_gets, &one, NULL, &longer);
    (void)mean_of(profile, gets, of_gets, &other, NULL, &shorter);
    return longer.value - shorter.value;
}

/* Of that work the filters that are asked, and one of its reads. */
static struct fb_cost_work checks_in(const struct fb_cost_work *w)
{
    return (struct fb_cost_work){.checks = w->checks, .cold_checks = w->cold_checks};
}

static struct fb_cost_work a_read(const struct fb_cost_work *w)
{
    return (struct fb_cost_work){.reads = 1,
                                 .cold_reads = w->reads > 0 ? w->cold_reads / w->reads : 0};
}

bool fb_io_profile_times(const json_t *profile, const struct fb_io_gets *gets,
                         const json_t *read_bins, struct fb_histogram *out)
{
    enum { FEW = 100 };
    struct singly *s = calloc(1, sizeof *s);
    struct fb_query_class classes[FB_READS_APART];
    const struct fb_cost_work *work = &gets->work, nothing = {0};
    const size_t n = fb_min_u64(json_array_size(read_bins), FB_READS_APART);
    bool done = s && singly_of(profile, gets, s);
    const struct fb_device block = {.read_ns = more_of(profile, gets, a_read(work), nothing)};
    const double checks = done ? more_of(profile, gets, checks_in(work), checks_in(&s->work)) : 0;
    const double read = done ? more_of(profile, gets, a_read(work), a_read(&s->work)) : 0;
    for (size_t k = 0; k < n && done; k++) {
        const bool with_read = s->one.n >= FEW && k;
        classes[k] = (struct fb_query_class){
            .queries = (uint64_t)json_integer_value(json_array_get(read_bins, k)),
            .ns = with_read ? &s->one : &s->none,
            .reads = (unsigned)k - with_read,
            .more_ns = checks + (with_read ? read : 0)};
        done = !(work->found > 0 && !with_read && classes[k].queries);
    }
    done = done && !fb_query_total(classes, n, &block, 0, out);
    free(s);
    return done;
}

/* [{design, ns}], what asking a filter costs, of each design that the cells have. */
static json_t *checks_of(const json_t *profile, const struct fb_io_gets *gets)
{
    struct fb_io_gets of = *gets;
    json_t *seen = json_object(), *checks = json_array();
    FB_EACH(cell, json_object_get(profile, "cells")) {
        struct fb_cost ns;
        of.design = fb_json_str(cell, "design");
        if (json_object_get(seen, of.design))
            continue;
        json_object_set_new(seen, of.design, json_true());
        if (term_of(profile, &of, FB_COST_CHECK, &ns))
            json_array_append_new(
                checks, json_pack("{s:s, s:f}", "design", of.design, "ns", fmax(ns.value, 0)));
    }
    json_decref(seen);
    return checks;
}

bool fb_io_profile_fields(const json_t *profile, const struct fb_io_gets *gets, json_t *fields)
{
    char text[300];
    struct fb_cost read, base;
    json_auto_t *checks = checks_of(profile, gets);
    const bool known = json_array_size(checks) && term_of(profile, gets, FB_COST_READ, &read) &&
                       term_of(profile, gets, FB_COST_BASE, &base);
    if (known) {
        snprintf(text, sizeof text, "%.6gns", fmax(read.value, 1));
        json_object_set_new(fields, "device", json_string(text));
        json_object_set_new(fields, "engine_base_ns", json_real(fmax(base.value, 0)));
        if (!strcmp(fb_json_str(fields, "kind"), "advise")) {
            json_object_set_new(fields, "engine_read_low_ns", json_real(fmax(read.low, 0)));
            json_object_set_new(fields, "engine_read_high_ns", json_real(fmax(read.high, 0)));
        }
        json_object_set(fields, "engine_checks", checks);
        snprintf(text, sizeof text,
                 "%.20s %.20s, %.0f keys, filters %.20s, reads from %.20s, %.10s",
                 fb_json_str(profile, "engine.name"), fb_json_str(profile, "engine.version"),
                 fb_json_num(profile, "engine.n"), gets->residency, gets->reads,
                 fb_json_str(profile, "run.started"));
        json_object_set_new(fields, "costs_from", json_string(text));
    }
    return known;
}

json_t *fb_read_engine_check(struct fb_problem *problem, const struct fb_field *f, const char *path,
                             const json_t *given)
{
    const char *design = fb_json_str(given, "design");
    const double ns = fb_json_num(given, "ns");
    if (json_object_size(given) != 2 || !fb_design_find(design) || !(ns >= 0 && ns <= f->high))
        return fb_reject_value(problem, f, path, given);
    return json_pack("{s:s, s:f}", "design", design, "ns", ns);
}

void fb_io_profile_ways(const json_t *profile, char *out, size_t size)
{
    *out = '\0';
    FB_EACH(cell, json_object_get(profile, "cells")) {
        char way[60];
        snprintf(way, sizeof way, "%.20s from %.20s", fb_json_str(cell, "residency"),
                 fb_json_str(cell, "reads"));
        if (json_is_object(json_object_get(cell, "costs")) && !strstr(out, way))
            fb_append(out, size, "%s%s", *out ? ", " : "", way);
    }
}

json_t *fb_io_profile_about(const json_t *profile)
{
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:f, s:s}", "engine", fb_json_str(profile, "engine.name"),
        "version", fb_json_str(profile, "engine.version"), "cpu_model",
        fb_json_str(profile, "machine.cpu_model"), "kernel", fb_json_str(profile, "machine.kernel"),
        "date", fb_json_str(profile, "run.started"), "block_bytes",
        fb_json_num(profile, "experiment.block_bytes"), "content_xxh3_128",
        fb_json_str(profile, "content_xxh3_128"));
}
