/* The experiments that an answer rests on, and what they say of each design. */
#include <string.h>

#include "filters/core/bits.h"
#include "harness/kind/advise/advise.h"

/* ---- Does a design keep its promise? ---- */

/* A rate rests on this many false positives, or nothing is said of it. */
enum { ENOUGH_EVENTS = 400 };
/* How far above its theory a rate may be. */
#define MOST_ABOVE 1.1

static bool misses_theory(const json_t *screened)
{
    return fb_json_uint(screened, "fpr.events") >= ENOUGH_EVENTS &&
           fb_json_num(screened, "fpr.t95.low") >
               MOST_ABOVE * fb_json_num(screened, "fpr.model.value");
}

/* Where a design's own formula, by which all sizes are reckoned, is not what is counted; in text,
 * else NULL. */
static const char *lies_at(const json_t *sizes, const char *design)
{
    static char text[160];
    FB_EACH(cell, json_object_get(sizes, "cells")) {
        const double theory = fb_json_num(cell, "fpr.model.value");
        if (strcmp(fb_json_str(cell, "design"), design) != 0 ||
            fb_json_uint(cell, "fpr.events") < ENOUGH_EVENTS ||
            (fb_json_num(cell, "fpr.t95.low") <= MOST_ABOVE * theory &&
             fb_json_num(cell, "fpr.t95.high") >= theory / MOST_ABOVE))
            continue;
        snprintf(text, sizeof text,
                 "at %.4g bits per key its formula gives a rate of %.3g, and %.3g is counted",
                 fb_json_num(cell, "params.bits_per_key"), theory,
                 fb_json_num(cell, "fpr.estimate"));
        return text;
    }
    return NULL;
}

static const char *reason_of(const json_t *part, const char *design)
{
    static char text[200];
    FB_EACH(skipped, json_object_get(part, "skipped")) {
        const char *id = fb_json_str(skipped, "id");
        const size_t n = strlen(design);
        if (!strncmp(id, design, n) && id[n] == '/') {
            snprintf(text, sizeof text, "%.190s", fb_json_str(skipped, "why"));
            return text;
        }
    }
    return NULL;
}

/* Why a design is not surveyed; NULL: it is. The text lives until the next call. */
static const char *rejects(const struct fb_question *q, const json_t *document,
                           const struct fb_design *design)
{
    static char text[200];
    const json_t *screen = fb_json_at(document, "parts.screen");
    const json_t *screened = fb_advise_find(screen, design->name);
    const double most = fb_json_num(q->document, "build_bytes");
    const double held = fb_json_num(screened, "counts.builds.temporary_bytes") /
                        fb_json_num(screened, "counts.n_keys");
    if (!screened)
        return reason_of(screen, design->name) ? reason_of(screen, design->name)
                                               : "no filter of it could be built";
    if (misses_theory(screened)) {
        snprintf(text, sizeof text,
                 "on these keys its rate is %.3g times what theory gives for a perfect hash: its "
                 "hash does not tell these keys apart",
                 fb_json_num(screened, "fpr.ratio"));
        return text;
    }
    const char *lie = lies_at(fb_json_at(document, "parts.sizes"), design->name);
    if (lie)
        return lie;
    if (most > 0 && held > most) {
        snprintf(text, sizeof text, "building it holds %.3g bytes a key beside the filter", held);
        return text;
    }
    return NULL;
}

/* ---- What all have in common ---- */

static void set(json_t *given, const struct fb_question *q, const char *name, const char *as)
{
    json_object_set(given, as, json_object_get(q->document, name));
}

static json_t *runs_json(const struct fb_question *q)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < q->n_runs; i++)
        json_array_append_new(runs, json_pack("{s:i, s:o, s:o*}", "level", (int)q->level[i], "keys",
                                              fb_json_int(q->runs[i].keys), "files",
                                              q->files[i] ? fb_json_int(q->files[i]) : NULL));
    return runs;
}

/* An experiment of the tree, its filters to be listed in "filters". */
static json_t *tree_json(const struct fb_question *q, const char *name, double budget_s)
{
    json_t *given =
        json_pack("{s:s, s:s, s:s, s:[], s:[s], s:o, s:o, s:f, s:[s], s:i, s:i, s:i, s:i, s:f}",
                  "kind", "lsm", "name", name, "summary", "part of an advice", "filters", "lookups",
                  "shared-digest", "n", fb_json_int(q->n_measured), "run_sizes", runs_json(q),
                  "key_bytes", q->key_bytes, "keys", q->keys, "levels", 0, "rounds", 2,
                  "min_processes", 16, "max_processes", 16, "budget", budget_s);
    static const char *const same[] = {"style",       "ratio",  "segment_bytes",
                                       "value_bytes", "absent", "popularity",
                                       "seed",        "cpu",    NULL};
    for (const char *const *field = same; *field; field++)
        set(given, q, *field, *field);
    return given;
}

static void add_filter(json_t *given, const struct fb_design *design, double request,
                       enum fb_allocation allocation)
{
    json_array_append_new(json_object_get(given, "filters"),
                          json_pack("{s:s, s:f, s:s}", "design", design->name, "bits_per_key",
                                    request, "allocation", fb_allocations[allocation].name));
}

/* ---- The three ---- */

/* Of kind fpr: `filters` of n keys of each design, of each of these sizes. */
static json_t *rates_json(const struct fb_question *q, const char *name, const char *keys,
                          uint64_t n, uint64_t filters, json_t *bits_per_key)
{
    json_t *designs = json_array();
    FB_EACH(design, json_object_get(q->document, "designs")) {
        if (!fb_question_excludes(q, fb_design_find(json_string_value(design))))
            json_array_append(designs, design);
    }
    json_t *given = json_pack("{s:s, s:s, s:s, s:o, s:o, s:[o], s:o, s:[s]}", "kind", "fpr", "name",
                              name, "summary", "part of an advice", "designs", designs,
                              "bits_per_key", bits_per_key, !strcmp(keys, "file") ? "file_n" : "n",
                              fb_json_int(n), "filters", fb_json_int(filters), "keys", keys);
    set(given, q, "seed", "seed");
    return given;
}

json_t *fb_advise_screen(struct fb_question *q)
{
    const uint64_t whole = q->file ? fb_min_u64(q->unit_keys, q->sample) : q->unit_keys;
    const uint64_t n = fb_min_u64(whole, UINT64_C(1) << 20);
    const uint64_t filters = (UINT64_C(1) << 21) / fb_max_u64(n, 1);
    return rates_json(q, "screen", fb_json_str(q->document, "keys"), n,
                      fb_min_u64(fb_max_u64(filters, 4), 32),
                      json_pack("[f]", fb_question_first_bits(q)));
}

/* Few keys, of many sizes: as many false positives as a formula needs to be held against. */
json_t *fb_advise_sizes(struct fb_question *q)
{
    return rates_json(q, "sizes", "random", fb_min_u64(q->unit_keys, UINT64_C(1) << 15), 8,
                      json_pack("[i, i, i, i, i, i, i, i]", 1, 2, 4, 6, 8, 10, 12, 16));
}

json_t *fb_advise_survey(struct fb_question *q, const json_t *document)
{
    if (fb_question_make_curves(q))
        return NULL;
    const double bits = fb_question_first_bits(q);
    json_t *given = tree_json(q, "survey", 0.4 * fb_json_num(q->document, "budget"));
    json_object_set_new(given, "queries", json_integer(1000));
    json_object_set_new(given, "timed_builds", json_false());
    set(given, q, "device", "device");
    set(given, q, "device_bytes", "device_bytes");
    FB_EACH(name, json_object_get(q->document, "designs")) {
        const struct fb_design *design = fb_design_find(json_string_value(name));
        double request, taken;
        const char *why;
        if (fb_question_excludes(q, design) || rejects(q, document, design))
            continue;
        /* The least that it has, where it has none so small. */
        struct fb_curves *curves = fb_question_curves(q, design);
        bool fits = !fb_outlook_request(curves, q->unit_keys, bits, &request, &taken, &why);
        for (double more = bits; !fits && q->most_bits == 0 && more < FB_MOST_SIZES; more++)
            fits = !fb_outlook_request(curves, q->unit_keys, more, &request, &taken, &why);
        if (fits)
            add_filter(given, design, request, FB_ALLOC_UNIFORM);
    }
    return given;
}

json_t *fb_advise_final(struct fb_question *q, const struct fb_weighed *w, const json_t *document)
{
    const json_t *survey = fb_json_at(document, "parts.survey");
    const double read_ns =
        fb_json_num(json_array_get(json_object_get(survey, "devices"), 0), "read_ns");
    char device[40];
    json_t *given = tree_json(q, "final", 0.5 * fb_json_num(q->document, "budget"));
    set(given, q, "queries", "queries");
    set(given, q, "cache_bytes", "cache_bytes");
    json_object_set_new(given, "histograms", json_true());
    /* What was measured is not measured again. */
    snprintf(device, sizeof device, "%.15gns", read_ns);
    if (fb_json_at(json_array_get(json_object_get(survey, "devices"), 0), "about"))
        json_object_set_new(given, "device", json_string(device));
    else
        set(given, q, "device", "device");
    for (size_t i = 0; i < w->n_finalists; i++) {
        const struct fb_candidate *c = &w->at[w->finalist[i]];
        add_filter(given, c->design, c->request, c->allocation);
    }
    return given;
}

/* ---- Cells ---- */

static json_t *screened_json(const json_t *cell)
{
    json_t *j = json_object();
    fb_json_real(j, "rate", fb_json_num(cell, "fpr.estimate"), "it was not screened");
    json_t *interval = json_incref((json_t *)fb_json_at(cell, "fpr.t95"));
    fb_json_known(j, "rate95", json_is_object(interval) ? interval : NULL, "it was not screened");
    fb_json_real(j, "theory", fb_json_num(cell, "fpr.model.value"), "it was not screened");
    fb_json_real(j, "ratio", fb_json_num(cell, "fpr.ratio"), "no theory to hold it against");
    json_object_set_new(j, "events", fb_json_int(fb_json_uint(cell, "fpr.events")));
    json_object_set_new(j, "enough",
                        json_boolean(fb_json_uint(cell, "fpr.events") >= ENOUGH_EVENTS));
    return j;
}

json_t *fb_advise_cells(struct fb_question *q, const json_t *document)
{
    const json_t *screen = fb_json_at(document, "parts.screen");
    const json_t *survey = fb_json_at(document, "parts.survey");
    json_t *cells = json_array();
    FB_EACH(name, json_object_get(q->document, "designs")) {
        const struct fb_design *design = fb_design_find(json_string_value(name));
        const char *out = fb_question_excludes(q, design);
        const json_t *timed = fb_advise_find(survey, design->name);
        const json_t *lookup = json_array_get(json_object_get(timed, "lookups"), 0);
        if (!out && screen)
            out = rejects(q, document, design);
        if (!out && survey && !timed)
            out = reason_of(survey, design->name) ? reason_of(survey, design->name)
                                                  : "it has no filters that small";
        json_t *cell = json_pack("{s:s, s:s, s:o}", "id", design->name, "design", design->name,
                                 "screen", screened_json(fb_advise_find(screen, design->name)));
        fb_json_known(cell, "left_out", out ? json_string(out) : NULL, "it was compared");
        fb_json_real(cell, "bits_per_key", fb_json_num(timed, "memory.bits_per_key"),
                     "it was not timed");
        fb_json_real(cell, "cpu_ns", fb_json_num(lookup, "time.median"), "it was not timed");
        json_array_append_new(cells, cell);
    }
    return cells;
}
