/* What follows from the counts of attacks, and what the counts must be. */
#include <math.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/attack/attack.h"
#include "harness/stats/stats.h"

/* ---- Counts that cannot be ---- */

static uint64_t entry(const json_t *counts, const char *list, size_t i)
{
    return (uint64_t)json_integer_value(json_array_get(json_object_get(counts, list), i));
}

static size_t length(const json_t *counts, const char *list)
{
    return json_array_size(json_object_get(counts, list));
}

/* How many of the keys found are asked of one filter of the cell: all, or those of that filter. */
static bool asks_all(const struct fb_attack_cell *cell)
{
    return cell->hash || cell->attack == FB_ATTACK_DEGENERATE || cell->attack == FB_ATTACK_FLOOD;
}

static bool check_filters(const struct fb_attack_cell *cell, const json_t *counts,
                          struct fb_problem *problem)
{
    static const char *const lists[] = {"asked", "passed", "random_asked", "random_passed"};
    const struct fb_attack_spec *spec = &cell->group->spec;
    const uint64_t found = fb_json_uint(counts, "found");
    uint64_t asked = 0, failed = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (length(counts, lists[i]) != spec->filters)
            return fb_refuse(problem, "counts.%s: give one count for each filter", lists[i]);
    for (size_t j = 0; j < spec->filters; j++) {
        const bool is_failed = !entry(counts, "random_asked", j);
        const uint64_t of = entry(counts, "asked", j);
        failed += is_failed;
        asked += of;
        if (of > found || entry(counts, "passed", j) > of ||
            (asks_all(cell) && of != (is_failed ? 0 : found)))
            return fb_refuse(problem, "counts.asked, counts.passed: not of keys that were found");
        if (!asks_all(cell) && entry(counts, "passed", j) != of)
            return fb_refuse(problem, "counts.passed: each of these keys passes its filter");
        if ((!is_failed && entry(counts, "random_asked", j) != spec->probes) ||
            entry(counts, "random_passed", j) > entry(counts, "random_asked", j))
            return fb_refuse(problem, "counts.random_asked: not what the experiment asks for");
    }
    if (!asks_all(cell) && asked != found)
        return fb_refuse(problem, "counts.asked: each key is asked of one filter");
    if (failed != fb_json_uint(counts, "failed") || (failed && !fb_json_uint(counts, "inserted")))
        return fb_refuse(problem, "counts.failed: not what the other counts say");
    return true;
}

static bool check_counts(const struct fb_attack_cell *cell, const json_t *counts,
                         struct fb_problem *problem)
{
    const struct fb_attack_spec *spec = &cell->group->spec;
    const uint64_t found = fb_json_uint(counts, "found"), tries = fb_json_uint(counts, "tries");
    uint64_t sampled = 0;
    if (found > spec->most || tries > spec->tries || tries < found ||
        (found < spec->most && tries != spec->tries))
        return fb_refuse(problem, "counts.found, counts.tries: not what the experiment asks for");
    if (fb_json_uint(counts, "inserted") > (cell->attack == FB_ATTACK_FLOOD ? spec->insert : 0))
        return fb_refuse(problem, "counts.inserted: more than a flood may insert");
    for (size_t i = 0; i < length(counts, "bits"); i++)
        sampled += fb_min_u64(entry(counts, "bits", i), found + 1);
    const bool adds = fb_attack_adds(spec->design);
    if (length(counts, "bits") > FB_MAX_PROBES + 1 ||
        sampled != (adds ? fb_min_u64(found, FB_ATTACK_SAMPLE) : 0))
        return fb_refuse(problem, "counts.bits: not of the first keys found");
    return check_filters(cell, counts, problem);
}

/* The first filter that was built; without one all are 0. */
static bool check_filter(const struct fb_attack_cell *cell, const json_t *json,
                         struct fb_problem *problem)
{
    const struct fb_design *design = cell->group->spec.design;
    const struct fb_geometry *geom = &cell->group->geom;
    const bool built = fb_json_uint(json, "counts.failed") < cell->group->spec.filters;
    const uint64_t most = !built ? 0 : design->retry ? FB_MAX_ATTEMPTS : 1;
    const uint64_t attempts = fb_json_uint(json, "counts.attempts");
    const uint64_t bytes = fb_json_uint(json, "filter.bytes"),
                   bits = fb_json_uint(json, "filter.bits");
    if (attempts < built || attempts > most)
        return fb_refuse(problem, "counts.attempts: %llu; the design's builds make %d to %llu",
                         (unsigned long long)attempts, built, (unsigned long long)most);
    if (!built && bytes)
        return fb_refuse(problem, "filter.bytes: no filter was built");
    if (built && fb_design_keeps_plan(design) && bytes != geom->n_bytes)
        return fb_refuse(problem, "filter.bytes: this filterbench sizes that filter otherwise");
    if (built && fb_design_keeps_plan(design) && bits != geom->n_bits)
        return fb_refuse(problem, "filter.bits: this filterbench sizes that filter otherwise");
    return true;
}

const char *fb_attack_contradiction(const struct fb_attack_plan *p,
                                    const struct fb_attack_cell *cell, const json_t *json)
{
    static struct fb_problem problem;
    const json_t *counts = json_object_get(json, "counts");
    json_t *planned = json_deep_copy(json);
    json_object_del(planned, "hash_reason");
    fb_attack_describe(p, cell, planned);
    const bool same_reason =
        !strcmp(fb_json_str(planned, "hash_reason"), fb_json_str(json, "hash_reason"));
    const char *otherwise = fb_otherwise(planned, json);
    if (otherwise || !same_reason)
        return otherwise ? otherwise : "hash_reason: this filterbench has it otherwise";
    return check_filter(cell, json, &problem) && check_counts(cell, counts, &problem)
               ? NULL
               : problem.text;
}

/* ---- Rates ---- */

/* A table has some 200 verdicts: few of them may err. */
static const double level = 0.999;

struct rate {
    uint64_t asked, passed;
    double rate; /* NaN: nothing was asked */
    struct fb_interval interval;
};

/* Pooled over filters; where those differ more than chance makes them, of as many fewer keys. */
static struct rate pool(const json_t *counts, const char *asked, const char *passed)
{
    struct rate r = {.rate = NAN, .interval = {NAN, NAN}};
    const size_t n = length(counts, asked);
    double squares = 0;
    for (size_t j = 0; j < n; j++) {
        r.asked += entry(counts, asked, j);
        r.passed += entry(counts, passed, j);
    }
    if (!r.asked || r.passed > r.asked)
        return r;
    r.rate = (double)r.passed / (double)r.asked;
    for (size_t j = 0; j < n; j++) {
        const double off =
            (double)entry(counts, passed, j) - r.rate * (double)entry(counts, asked, j);
        squares += off * off;
    }
    const double chance = (double)r.asked * r.rate * (1 - r.rate);
    const double more = n > 1 && chance > 0 ? squares * (double)n / ((double)n - 1) / chance : 1;
    r.interval = fb_wilson_rate(r.rate, (double)r.asked / fmax(1, more), level);
    return r;
}

static json_t *rate_json(const struct rate *r)
{
    static const char *const nothing = "nothing was asked";
    json_t *json =
        json_pack("{s:o, s:o}", "asked", fb_json_int(r->asked), "passed", fb_json_int(r->passed));
    fb_json_real(json, "rate", r->rate, nothing);
    fb_json_known(json, "interval", fb_json_interval(r->interval.low, r->interval.high), nothing);
    return json;
}

/* ---- Theory ---- */

static double model_of_random(const struct fb_attack_cell *cell)
{
    const struct fb_attack_spec *spec = &cell->group->spec;
    return spec->design->scheme == FB_SCHEME_CLOSED
               ? spec->design->fpr(&cell->group->geom, spec->n_keys)
               : NAN;
}

/* A key of d bits passes where d bits are set: the share of set bits to the power of d. That holds
 * where bits are set independently: not within one block, and not of keys that set as many bits as
 * others do, which something else lets pass: NaN. */
static double model_of_bits(const struct fb_attack_cell *cell, const json_t *json)
{
    const double fill = fb_json_num(json, "filter.set_bits") / fb_json_num(json, "filter.bits");
    const json_t *counts = json_object_get(json, "counts");
    double keys = 0, passes = 0;
    if (cell->group->geom.n_blocks || length(counts, "bits") > cell->group->geom.probes)
        return NAN;
    for (size_t d = 0; d < length(counts, "bits"); d++) {
        keys += (double)entry(counts, "bits", d);
        passes += (double)entry(counts, "bits", d) * fb_pow(fill, (double)d);
    }
    return passes / keys;
}

/*
 * A filter of one block, of the keys inserted and its share of the others. All filters are given
 * the same keys, so a bit that these leave unset is unset in all of them: where such a bit is left
 * more than once in 1000 times, one set of keys says little of another, and there is none: NaN.
 * Example: 551 keys of 8 bits in 512 leave 512 (1 - 1/512)^4408 = 0.09 bits, of 256 eight in 10^6.
 */
static double model_of_block(const struct fb_attack_cell *cell, uint64_t inserted)
{
    const struct fb_geometry *g = &cell->group->geom;
    const uint64_t others = cell->group->spec.n_keys - inserted;
    const double rate =
        fb_blocked_fpr(inserted + others / g->n_blocks, 1, g->block_bits, g->probes);
    const double unset = (1 - rate) * g->block_bits / g->probes;
    return unset <= 1 - level ? rate : NAN;
}

/* NaN with *why: there is none. */
static double expected(const struct fb_attack_cell *cell, const json_t *json, const char **why)
{
    const struct fb_design *design = cell->group->spec.design;
    const struct fb_geometry *g = &cell->group->geom;
    const bool sets_bits = fb_attack_adds(design) && !fb_design_removes(design);
    *why = "no key was found";
    if (!fb_json_uint(json, "counts.found"))
        return NAN;
    *why = "it takes a simulation";
    if (cell->hash)
        return model_of_random(cell);
    *why = "no formula for what is no Bloom filter of one kind of bits";
    switch (cell->attack) {
    case FB_ATTACK_DEGENERATE:
        if (sets_bits)
            *why = "the bits of these keys are not set independently of each other";
        return sets_bits ? model_of_bits(cell, json) : NAN;
    case FB_ATTACK_FLOOD:
        if (!sets_bits || !g->n_blocks)
            return NAN;
        *why = "it turns on the few bits of the block that the keys inserted leave unset";
        return model_of_block(cell, fb_json_uint(json, "counts.inserted"));
    default:
        return 1;
    }
}

/* ---- Verdicts ---- */

/* Less than twice as many false positives are no attack. */
static const double gain_of_an_attack = 2;

static const char *verdict(const json_t *counts, const struct rate *attacked,
                           const struct rate *random, const char **why)
{
    *why = NULL;
    if (fb_json_uint(counts, "failed")) {
        *why = "filters could not be built of the keys inserted";
        return "falls";
    }
    if (!fb_json_uint(counts, "found")) {
        *why = "no key was found in all tries";
        return "none found";
    }
    if (attacked->interval.low > gain_of_an_attack * random->interval.high)
        return "falls";
    if (attacked->interval.high <= gain_of_an_attack * random->interval.low)
        return "holds";
    *why = "the intervals leave open whether the keys pass twice as often as random ones";
    return "undecided";
}

static void derive_cell(const struct fb_attack_cell *cell, json_t *json)
{
    const json_t *counts = json_object_get(json, "counts");
    const struct rate attacked = pool(counts, "asked", "passed"),
                      random = pool(counts, "random_asked", "random_passed");
    const uint64_t found = fb_json_uint(counts, "found");
    const char *why;
    json_t *beside = rate_json(&random);
    double bits = 0, sampled = 0;
    for (size_t d = 0; d < length(counts, "bits"); d++) {
        sampled += (double)entry(counts, "bits", d);
        bits += (double)d * (double)entry(counts, "bits", d);
    }
    fb_json_real(beside, "model", model_of_random(cell), "it takes a simulation");
    json_object_set_new(json, "random", beside);
    json_object_set_new(json, "attacked", rate_json(&attacked));
    const double model = expected(cell, json, &why);
    fb_json_real(json, "expected", model, why);
    fb_json_real(json, "tries_per_key", found ? fb_json_num(counts, "tries") / (double)found : NAN,
                 "no key was found");
    fb_json_real(json, "bits_per_found", bits / sampled, "no key's bits were counted");
    fb_json_real(json, "gain", attacked.rate / random.rate,
                 "no key was found, or no random key passed");
    const char *is = verdict(counts, &attacked, &random, &why);
    json_object_set_new(json, "verdict", json_string(is));
    if (why)
        json_object_set_new(json, "verdict_reason", json_string(why));
}

bool fb_attack_derive(void *self, json_t *document, struct fb_problem *problem)
{
    const struct fb_attack_plan *p = self;
    size_t next = 0;
    FB_EACH(json, json_object_get(document, "cells")) {
        const char *id = fb_json_str(json, "id");
        size_t tried = 0;
        while (tried < p->n_cells && strcmp(p->cells[(next + tried) % p->n_cells].id, id) != 0)
            tried++;
        if (tried == p->n_cells)
            return fb_refuse(problem, "%.120s: the experiment has no such cell", id);
        next = (next + tried) % p->n_cells;
        derive_cell(&p->cells[next], json);
    }
    return true;
}
