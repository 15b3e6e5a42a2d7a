/* The proof: the settings that the answer is about in the engine itself, and what it says of them.
 *
 * A sample of the keys is put into a database for each setting, and Gets are timed. What is held
 * against each other are gains: how much more a Get costs with another setting than with the pick.
 * A read costs there what the page cache takes; where the question has another time, the reads that
 * the engine counted cost that. */
#include <math.h>
#include <string.h>

#include "harness/kind/advise/advise.h"

/* How far a predicted gain may be off, as a share of a Get, beside what resamples tell: Gets of 72
 * databases took at most 14 % more or less than predicted (scripts/engine_accuracy), half of it
 * alike for all settings. */
#define MODEL_ERROR 0.05
/* What costs no more than this share too much is as good. */
#define AS_CHEAP 0.05

enum { PICK, TODAY, RUNNER_UP, ROLES };
static const char *const roles[ROLES] = {"pick", "today", "runner-up"};

/* A block cache as engines have one by default, and as `engine cost` has it. */
enum { MOST_KEYS = 500000, QUERIES = 50000, CACHE_BYTES = 8 << 20 };

/* The engine kind has filters of the engine's own, the same in all levels. */
static bool can_prove(const struct fb_question *q, const struct fb_candidate *c)
{
    const char *engine = fb_json_str(q->document, "engine");
    return c && c->design && c->offered && c->allocation == FB_ALLOC_UNIFORM &&
           (!strcmp(engine, "rocksdb") || !strcmp(engine, "leveldb"));
}

/* The settings to prove; NULL where there is none. The runner-up is the cheapest of another filter.
 */
static void find_roles(const struct fb_advice *a, const struct fb_candidate *of[ROLES])
{
    const struct fb_evidence *e = &a->w->evidence;
    memset(of, 0, ROLES * sizeof *of);
    of[PICK] = &e->at[a->pick];
    for (size_t i = 1; i < e->n; i++)
        if (e->at[i].present && i != a->pick)
            of[TODAY] = &e->at[i];
    for (unsigned filter = 1; filter <= a->w->n_filters; filter++) {
        const size_t i = fb_choose(e, &a->in, filter, NULL);
        const struct fb_candidate *c = i < e->n ? &e->at[i] : NULL;
        const bool other = c && c != of[PICK] && c != of[TODAY] && can_prove(a->q, c);
        if (other && (!of[RUNNER_UP] ||
                      fb_candidate_cost(c, &a->in) < fb_candidate_cost(of[RUNNER_UP], &a->in)))
            of[RUNNER_UP] = c;
    }
    for (size_t r = 0; r < ROLES; r++)
        if (!can_prove(a->q, of[r]))
            of[r] = NULL;
}

json_t *fb_advise_proof(const struct fb_advice *a)
{
    const struct fb_candidate *of[ROLES];
    const json_t *d = a->q->document;
    json_t *designs = json_array(), *bits = json_array();
    find_roles(a, of);
    for (size_t r = 0; of[PICK] && r < ROLES; r++) {
        if (!of[r])
            continue;
        if (!fb_json_lists(designs, of[r]->design->name))
            json_array_append_new(designs, json_string(of[r]->design->name));
        json_auto_t *size = json_real(of[r]->request);
        if (!fb_json_has(bits, size))
            json_array_append(bits, size);
    }
    const uint64_t n = fb_min_u64(a->q->file ? a->q->sample : a->q->n_measured, MOST_KEYS);
    json_t *given = json_pack(
        "{s:s, s:s, s:s, s:O, s:[O], s:o, s:o, s:O, s:o, s:i, s:i, s:i, s:O, s:O}", "kind",
        "engine", "name", "proof", "summary", "part of an advice", "engine",
        json_object_get(d, "engine"), "filter_residency", json_object_get(d, "filter_residency"),
        "designs", designs, "bits_per_key", bits, "keys", json_object_get(d, "keys"), "n",
        fb_json_int(n), "value_bytes", (int)fmin(rint(fb_json_num(d, "value_bytes")), 65536),
        "queries", QUERIES, "cache_bytes", CACHE_BYTES, "absent", json_object_get(d, "absent"),
        "seed", json_object_get(d, "seed"));
    if (json_array_size(designs))
        return given;
    json_decref(given);
    return NULL;
}

/* ---- What it says ---- */

/* A mean or a gain in ns, with its 95 % interval. */
struct range {
    double value, low, high;
};

static struct range range_of(const json_t *cost)
{
    return (struct range){fb_json_num(cost, "value"), fb_json_num(cost, "low"),
                          fb_json_num(cost, "high")};
}

static json_t *range_json(struct range r)
{
    return json_pack("{s:f, s:f, s:f}", "value", r.value, "low", r.low, "high", r.high);
}

static struct range gain(struct range other, struct range pick, double beside)
{
    const double value = other.value - pick.value;
    return (struct range){
        value, value - hypot(hypot(other.value - other.low, pick.high - pick.value), beside),
        value + hypot(hypot(other.high - other.value, pick.value - pick.low), beside)};
}

struct proven {
    const struct fb_candidate *c;
    const json_t *cell;
    struct range predicted, observed;
    double reads;
};

static const json_t *cell_of(const json_t *part, const struct fb_candidate *c)
{
    FB_EACH(cell, json_object_get(part, "cells"))
        if (json_is_true(json_object_get(cell, "own")) &&
            !strcmp(fb_json_str(cell, "design"), c->design->name) &&
            fb_json_num(cell, "bits_per_key") == c->request)
            return cell;
    return NULL;
}

/* Of a Get, by the rates of both streams. */
static double mean_of(const struct fb_advice *a, const json_t *cell, const char *by,
                      const char *what)
{
    char absent[60], present[60];
    snprintf(absent, sizeof absent, "rates.absent.%s.%s", by, what);
    snprintf(present, sizeof present, "rates.present.%s.%s", by, what);
    return a->in.absent * fb_json_num(cell, absent) +
           (1 - a->in.absent) * fb_json_num(cell, present);
}

/* False: the engine did not measure it. */
static bool prove(const struct fb_advice *a, const json_t *part, const struct fb_candidate *c,
                  struct proven *out)
{
    const json_t *cell = cell_of(part, c), *told = fb_json_at(cell, "foretold.mixed");
    const double read = a->in.read_ns, checks = mean_of(a, cell, "predicted", "checks"),
                 reads = mean_of(a, cell, "predicted", "reads");
    *out = (struct proven){.c = c, .cell = cell, .reads = mean_of(a, cell, "observed", "reads")};
    out->observed = range_of(fb_json_at(cell, "rates.mixed.ns"));
    out->predicted = range_of(told);
    if (!isfinite(out->predicted.value)) {
        const double ns = c->cpu_scale * (c->walk_ns + c->check_ns * checks) + read * reads,
                     error = c->cpu_error;
        out->predicted = (struct range){ns, ns - 1.96 * error, ns + 1.96 * error};
        const double there = fb_json_num(cell, "costs.read.value"),
                     beside = out->reads * (read - (isfinite(there) ? there : 0));
        out->observed.value += beside;
        out->observed.low += beside;
        out->observed.high += beside;
    }
    return cell && isfinite(out->observed.value) && isfinite(out->predicted.value);
}

/*
 * Of a gain over another setting. Refuted: the pick surely costs more than the other and than was
 * predicted, by more than 5 % of a Get, or 5 % more than one that takes no more memory. Proved: the
 * gain is as large as was predicted, or larger.
 */
static const char *verdict_of(const struct proven *pick, const struct proven *other,
                              struct range predicted, struct range observed)
{
    const double slack = AS_CHEAP * pick->observed.value;
    const bool as_small = other->c->outlook.bytes <= pick->c->outlook.bytes;
    if (observed.high < predicted.low - slack || (as_small && observed.high < -slack))
        return "refuted";
    return observed.low >= predicted.low - slack && observed.high >= predicted.low
               ? "proved"
               : "not told apart";
}

json_t *fb_advise_proof_json(const struct fb_advice *a)
{
    const json_t *part = fb_json_at(a->document, "parts.proof");
    const struct fb_candidate *of[ROLES];
    struct proven pick, other;
    const char *verdict = "proved";
    find_roles(a, of);
    if (!part || !of[PICK] || !prove(a, part, of[PICK], &pick))
        return NULL;
    json_t *rows = json_array();
    for (size_t r = 0; r < ROLES; r++) {
        if (!of[r] || !prove(a, part, of[r], &other))
            continue;
        json_t *row = fb_advise_name(of[r]);
        json_object_set_new(row, "role", json_string(roles[r]));
        json_object_set_new(row, "reads", json_real(other.reads));
        json_object_set_new(row, "predicted_ns", range_json(other.predicted));
        json_object_set_new(row, "observed_ns", range_json(other.observed));
        const struct range predicted = gain(other.predicted, pick.predicted,
                                            MODEL_ERROR * pick.predicted.value),
                           observed = gain(other.observed, pick.observed, 0);
        const char *said = r ? verdict_of(&pick, &other, predicted, observed) : "";
        fb_json_known(row, "predicted_gain_ns", r ? range_json(predicted) : NULL, "it is the pick");
        fb_json_known(row, "observed_gain_ns", r ? range_json(observed) : NULL, "it is the pick");
        json_object_set_new(row, "verdict", json_string(said));
        json_array_append_new(rows, row);
        if (r && strcmp(said, "proved") != 0 && strcmp(verdict, "refuted") != 0)
            verdict = said;
    }
    if (json_array_size(rows) < 2)
        verdict = "not told apart";
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "engine", fb_json_str(part, "engine.name"),
                     "version", fb_json_str(part, "engine.version"), "verdict", verdict, "n",
                     json_incref(json_object_get(json_object_get(part, "engine"), "n")), "settings",
                     rows);
}
