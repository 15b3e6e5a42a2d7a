/* The answer: the pick, how sure it is, and what it depends on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/advise/advise.h"
#include "harness/stats/stats.h"

/* ---- What the store in use has counted ---- */

enum { ENOUGH_EVENTS = 400 };

static json_t *deployed_json(const struct fb_advice *a)
{
    const uint64_t x = fb_json_uint(a->asked->document, "deployed_false"),
                   n = fb_json_uint(a->asked->document, "deployed_negatives");
    if (!n || x > n)
        return NULL;
    const struct fb_interval i = fb_wilson(x, n, 0.95);
    return json_pack("{s:f, s:f, s:f, s:o, s:b}", "rate", (double)x / (double)n, "low", i.low,
                     "high", i.high, "false_positives", fb_json_int(x), "enough",
                     x >= ENOUGH_EVENTS);
}

/* ---- How sure ---- */

static unsigned footprint(const json_t *caches, double bytes)
{
    return (bytes > fb_json_num(caches, "l2_bytes")) + (bytes > fb_json_num(caches, "l3_bytes"));
}

/* What lookups slow down by, at most, from one cache to the next. */
#define FARTHER_CACHE 4

/* Whether times are of smaller filters in a nearer cache, and the pick is another if lookups are
 * slower. */
static bool rests_on_cache(const struct fb_advice *a)
{
    const json_t *caches = fb_json_at(a->document, "parts.final.timing.caches");
    const struct fb_candidate *pick = &a->w->at[a->pick];
    const double measured =
        fb_json_num(fb_weighed_cell(a->w, pick), "filter.bytes") / (double)a->q->n_measured;
    if (a->q->n_measured == a->q->n || !isfinite(measured) ||
        footprint(caches, pick->outlook.bytes) ==
            footprint(caches, measured * (double)a->q->n_measured))
        return false;
    struct fb_weighed *slower = malloc(sizeof *slower);
    bool other = false;
    if (slower) {
        *slower = *a->w;
        slower->evidence.at = slower->at;
        for (size_t i = 0; i < slower->evidence.n; i++)
            slower->at[i].cpu_scale *= FARTHER_CACHE;
        other = fb_choose_confidence(&slower->evidence, &a->in, a->pick) < 0.5;
    }
    free(slower);
    return other;
}

/* Whether the profile, where there is one, tells what the engine takes for the pick's filters. */
static bool is_in_profile(const struct fb_advice *a)
{
    const json_t *checks = json_object_get(a->asked->document, "engine_checks");
    const struct fb_design *design = a->w->at[a->pick].design;
    return !design || !json_array_size(checks) || fb_json_find(checks, "design", design->name);
}

/* HIGH from 95 % on, MEDIUM from 80 %; what was not measured earns no HIGH. */
static void set_confidence(const struct fb_advice *a, json_t *answer)
{
    const double p = fb_choose_confidence(&a->w->evidence, &a->in, a->pick);
    const bool is_none = !a->w->at[a->pick].design;
    const struct {
        bool is;
        const char *why;
    } caps[] = {
        {fb_device_is_assumed(fb_json_str(a->asked->document, "device")),
         "The time of a read is assumed; give yours with --io"},
        {!is_none && !fb_weighed_cell(a->w, &a->w->at[a->pick]) &&
             !a->w->cell[a->w->at[a->pick].filter][0],
         "This filter was not measured; ask anew without --again"},
        {!is_in_profile(a), "The profile does not time this filter"},
        {!is_none && rests_on_cache(a),
         "Times are of smaller filters in a nearer cache, and slower lookups would change it"},
    };
    const char *level = p >= 0.95 ? "HIGH" : p >= 0.8 ? "MEDIUM" : "LOW", *why = "";
    if (!strcmp(fb_json_str(answer, "proof.verdict"), "refuted")) {
        level = "LOW";
        why = "The engine refuted it";
    }
    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++)
        if (caps[i].is && strcmp(level, "LOW") != 0) {
            level = "MEDIUM";
            why = *why ? why : caps[i].why;
        }
    json_object_set_new(answer, "p", json_real(p));
    json_object_set_new(answer, "confidence", json_string(level));
    json_object_set_new(answer, "why", json_string(why));
}

/* ---- What it depends on ---- */

static json_t *flip_json(const struct fb_advice *a, const struct fb_flip *f)
{
    static const char *const names[] = {"read_ns", "absent"};
    const struct fb_candidate *after = &a->w->at[f->after];
    json_t *j =
        json_pack("{s:s, s:s, s:f, s:f, s:f, s:o, s:o}", "input", names[f->input], "side",
                  f->above ? "above" : "below", "at", f->at, "low", f->low, "high", f->high,
                  "before", fb_advise_name(&a->w->at[f->before]), "after", fb_advise_name(after));
    json_object_set_new(j, "next", fb_advise_name(&a->w->at[f->next]));
    json_object_set_new(j, "bytes", json_real(after->outlook.bytes));
    return j;
}

/* On each side of each input the nearest change, and the nearest change of more than the size. */
static json_t *flips_json(const struct fb_advice *a)
{
    json_t *flips = json_array();
    for (int i = 0; i < 8; i++) {
        struct fb_flip flip, first;
        const enum fb_input input = i / 4 ? FB_INPUT_ABSENT : FB_INPUT_READ_NS;
        const bool above = i / 2 % 2, filters = i % 2;
        if (!fb_choose_flip(&a->w->evidence, &a->in, input, above, filters, &flip))
            continue;
        const bool same = filters &&
                          fb_choose_flip(&a->w->evidence, &a->in, input, above, false, &first) &&
                          first.after == flip.after;
        if (!same)
            json_array_append_new(flips, flip_json(a, &flip));
    }
    return flips;
}

/* The cheapest that the engine does not offer, of no more memory than the pick; NULL where it costs
 * no less. */
static json_t *beyond_json(const struct fb_advice *a)
{
    const struct fb_candidate *at = a->w->at, *pick = &at[a->pick], *best = pick;
    for (size_t i = 0; i < a->w->evidence.n; i++)
        if (!at[i].offered && at[i].outlook.bytes <= fmax(pick->outlook.bytes, 1) &&
            fb_candidate_time(&at[i], &a->in) < fb_candidate_time(best, &a->in))
            best = &at[i];
    if (best == pick)
        return NULL;
    const double cost = fb_candidate_time(best, &a->in);
    json_t *j = fb_advise_name(best);
    json_object_set_new(j, "bytes", json_real(best->outlook.bytes));
    json_object_set_new(j, "cost_ns", json_real(cost));
    json_object_set_new(j, "saves", json_real(1 - cost / fb_candidate_time(pick, &a->in)));
    return j;
}

/* ---- Everything ---- */

static json_t *answer_of(const struct fb_advice *a)
{
    const struct fb_question *q = a->asked;
    json_t *answer = json_pack(
        "{s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:i, s:i, s:f, s:f}", "n", fb_json_int(q->n),
        "measured", fb_json_int(q->n_measured), "absent", a->in.absent, "low", a->in.low, "high",
        a->in.high, "read_ns", a->in.read_ns, "read_low_ns", a->in.read_low, "read_high_ns",
        a->in.read_high, "unit_keys", fb_json_int(q->unit_keys), "levels", (int)q->n_levels, "runs",
        (int)q->n_runs, "without_ns", fb_candidate_time(a->w->at, &a->in), "price_ns_per_byte",
        fb_inputs_price(&a->in));
    fb_json_real(answer, "most_bytes", a->in.most_bytes, "as much as pays");
    json_object_set_new(answer, "ranking", fb_advise_ranking_json(a));
    json_object_set_new(answer, "front", fb_advise_front_json(a));
    json_object_set_new(answer, "evidence", fb_advise_evidence_json(a));
    json_object_set_new(answer, "engines",
                        fb_advise_engines_json(a, json_object_get(answer, "ranking")));
    fb_json_known(answer, "deployed", deployed_json(a), "no counts of a store in use were given");
    fb_json_known(answer, "beyond", beyond_json(a), "nothing else was compared, or costs less");
    json_object_set_new(answer, "flips", flips_json(a));
    fb_json_known(answer, "proof", fb_advise_proof_json(a), "it was not asked for, or of the pick");
    set_confidence(a, answer);
    fb_advise_say(answer);
    return answer;
}

bool fb_advise_open(struct fb_question *q, const struct fb_question *asked, const json_t *document,
                    struct fb_weighed *w, struct fb_advice *out, struct fb_problem *problem)
{
    *out = (struct fb_advice){.q = q, .asked = asked, .w = w, .document = document};
    if (!fb_weigh(q, asked, document, w, problem) || !fb_question_inputs(asked, document, &out->in))
        return false;
    out->pick = fb_choose(&w->evidence, &out->in, 0, NULL);
    bool today = asked == q || !(fb_json_num(asked->document, "from_bits") > 0);
    for (size_t i = 0; i < w->evidence.n; i++)
        today = today || w->at[i].present;
    return today || fb_refuse(problem, "inputs: from: %.60s was not measured; ask anew",
                              fb_json_str(asked->document, "from"));
}

bool fb_advise_answer(struct fb_question *q, json_t *document, struct fb_problem *problem)
{
    struct fb_weighed *w = malloc(sizeof *w);
    struct fb_question again = {0};
    struct fb_advice a;
    const bool complete = json_is_true(fb_json_at(document, "parts.final.run.complete")),
               other = json_object_get(document, "inputs");
    bool fine = w;
    if (fine && complete && other)
        fine = fb_question_again(q, document, &again, problem);
    if (fine && complete)
        fine = fb_advise_open(q, other ? &again : q, document, w, &a, problem);
    if (fine)
        fb_json_known(document, "answer", complete ? answer_of(&a) : NULL,
                      "the parts are not all there");
    fb_question_close(&again);
    free(w);
    return fine;
}
