/* The answer: the ranking, how sure it is, and what it depends on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/advise/advise.h"
#include "harness/stats/stats.h"

/* ---- What the store in use has counted ---- */

enum { ENOUGH_EVENTS = 400 };

static json_t *deployed_json(const struct fb_ranking *k)
{
    const uint64_t x = fb_json_uint(k->q->document, "deployed_false"),
                   n = fb_json_uint(k->q->document, "deployed_negatives");
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

/* Whether the first row costs least at every corner of the range that absent keys may have. */
static bool holds_in_range(const struct fb_ranking *k)
{
    return fb_ranking_best_if(k, k->q->low, k->w->read_ns, 1) == k->rows &&
           fb_ranking_best_if(k, k->q->high, k->w->read_ns, 1) == k->rows;
}

/* Whether the first two differ by reads that rest on too few false positives. */
static bool is_thin(const struct fb_ranking *k)
{
    const struct fb_ranked *a = &k->rows[0], *b = &k->rows[1];
    const double by_reads = fabs(b->reads - a->reads) * k->w->read_ns,
                 by_cpu = fabs(b->cpu - a->cpu);
    const uint64_t events = a->events > b->events ? a->events : b->events;
    return a->cell && b->cell && by_reads > by_cpu && events < ENOUGH_EVENTS;
}

/* What lookups slow down by, at most, from one cache to the next. */
#define FARTHER_CACHE 4

/* Whether the profile, where there is one, tells what an engine takes for the filters of all rows.
 */
static bool is_in_profile(const struct fb_ranking *k)
{
    const json_t *checks = json_object_get(k->q->document, "engine_checks");
    bool all = true;
    for (size_t r = 0; r < k->n && json_array_size(checks); r++) {
        const struct fb_design *design = k->rows[r].c->by->design;
        bool found = !design;
        size_t i;
        json_t *check;
        json_array_foreach((json_t *)checks, i, check)
            found = found || !strcmp(fb_json_str(check, "design"), design->name);
        all = all && found;
    }
    return all;
}

static void set_confidence(const struct fb_ranking *k, json_t *answer)
{
    const json_t *caches = fb_json_at(k->document, "parts.final.timing.caches");
    const double bytes = k->rows->c->outlook.bytes,
                 measured = fb_json_num(k->rows->cell, "filter.bytes");
    bool alike = false;
    for (size_t i = 1; i < k->n; i++)
        alike = alike || fb_ranked_low(k, &k->rows[i]) <= fb_ranked_high(k, k->rows);
    const char *level = "HIGH", *why = "its interval lies below every other, over the whole range";
    if (alike) {
        level = "LOW";
        why = "indistinguishable here: intervals of others reach its own";
    } else if (is_thin(k)) {
        level = "LOW";
        why = "the difference rests on fewer than 400 false positives; give more --queries";
    } else if (!holds_in_range(k)) {
        level = "MEDIUM";
        why = "first here, and not over the whole range of absent keys";
    } else if (k->rows->cell && fb_ranking_is_scaled(k) &&
               footprint(caches, bytes) != footprint(caches, measured) &&
               fb_ranking_best_if(k, k->q->absent, k->w->read_ns, FARTHER_CACHE) != k->rows) {
        level = "MEDIUM";
        why = "times are of smaller filters in a nearer cache, and slower lookups would change it";
    } else if (!is_in_profile(k)) {
        level = "MEDIUM";
        why = "first here, and what an engine takes for some filters is not in the profile";
    } else if (fb_device_is_assumed(fb_json_str(k->q->document, "device"))) {
        level = "MEDIUM";
        why = "first here, and the time of a read is assumed; give yours with --io";
    }
    json_object_set_new(answer, "confidence", json_string(level));
    json_object_set_new(answer, "why", json_string(why));
}

/* ---- Everything ---- */

static json_t *answer_of(struct fb_ranking *k)
{
    const struct fb_question *q = k->q;
    json_t *answer =
        json_pack("{s:o, s:o, s:f, s:f, s:f, s:f, s:o, s:i, s:i, s:f, s:f}", "n", fb_json_int(q->n),
                  "measured", fb_json_int(q->n_measured), "absent", q->absent, "low", q->low,
                  "high", q->high, "read_ns", k->w->read_ns, "unit_keys", fb_json_int(q->unit_keys),
                  "levels", (int)q->n_levels, "runs", (int)q->n_runs, "without_ns", k->without_ns,
                  "price_ns_per_byte", k->w->price);
    json_object_set_new(answer, "ranking", fb_advise_ranking_json(k));
    json_object_set_new(answer, "front", fb_advise_front_json(k));
    json_object_set_new(answer, "steps", fb_advise_steps_json(k));
    json_object_set_new(answer, "regret", fb_advise_regret_json(k));
    json_object_set_new(answer, "engines", fb_advise_engines_json(k));
    fb_json_known(answer, "deployed", deployed_json(k), "no counts of a store in use were given");
    json_object_set_new(answer, "flips", fb_advise_flips_json(k));
    set_confidence(k, answer);
    fb_advise_say(answer);
    return answer;
}

bool fb_advise_answer(struct fb_question *q, json_t *document, struct fb_problem *problem)
{
    struct fb_ranking *k = calloc(1, sizeof *k);
    struct fb_weighed *w = malloc(sizeof *w);
    bool complete = json_is_true(fb_json_at(document, "parts.final.run.complete")), fine = k && w;
    if (fine && complete) {
        *k = (struct fb_ranking){.q = q, .w = w, .document = document};
        fine = fb_weigh(q, document, w, problem) && fb_ranking_make(k, problem);
    }
    if (fine)
        fb_json_known(document, "answer", complete ? answer_of(k) : NULL,
                      "the parts are not all there");
    free(w);
    free(k);
    return fine;
}
