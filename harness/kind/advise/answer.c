/* The answer: finalists ranked by what was measured, and what would change the ranking. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/advise/advise.h"
#include "harness/stats/stats.h"
#include "harness/store/engine_words.h"

/* A finalist, or no filter at all: the candidate as it was reckoned, and how what was measured
 * differs from that. Prices are in no cost here. */
struct ranked {
    const struct fb_candidate *c;
    const json_t *cell; /* of the final part; NULL: no filter */
    double cpu, cpu_low, cpu_high, reads, reads_low, reads_high;
    double cpu_scale, reads_scale; /* measured over reckoned */
    uint64_t events;               /* false positives that were counted */
};

struct ranking {
    struct fb_question *q;
    struct fb_weighed *w;
    struct ranked rows[FB_FINALISTS + 1];
    size_t n;
    double without_ns; /* what a query costs without filters */
    json_t *document;
};

/* ---- Costs of what was measured ---- */

/* Of a query, prices included, where a share `absent` is for absent keys, a read takes read_ns, and
 * the processor `slower` times as long. */
static double cost_if(const struct ranking *k, const struct ranked *r, double absent,
                      double read_ns, double slower)
{
    return slower * r->cpu_scale * fb_candidate_cpu(r->c, absent) +
           read_ns * r->reads_scale * fb_outlook_reads(&r->c->outlook, absent) +
           fb_question_price(k->q, read_ns) * r->c->outlook.bytes;
}

static double cost_of(const struct ranking *k, const struct ranked *r)
{
    return cost_if(k, r, k->q->absent, k->w->read_ns, 1);
}

static double low_of(const struct ranking *k, const struct ranked *r)
{
    return cost_of(k, r) - hypot(r->cpu - r->cpu_low, k->w->read_ns * (r->reads - r->reads_low));
}

static double high_of(const struct ranking *k, const struct ranked *r)
{
    return cost_of(k, r) + hypot(r->cpu_high - r->cpu, k->w->read_ns * (r->reads_high - r->reads));
}

static bool is_scaled(const struct ranking *k)
{
    return k->q->n_measured < k->q->n;
}

/* The cell that was measured of a candidate; of each design and split there is one finalist. */
static const json_t *cell_of(const struct fb_candidate *c, const json_t *document)
{
    const char *split = fb_allocations[c->allocation].name;
    size_t i;
    json_t *cell;
    json_array_foreach(fb_json_at(document, "parts.final.cells"), i, cell) {
        if (!strcmp(fb_json_str(cell, "design"), c->by->design->name) &&
            !strcmp(fb_json_str(cell, "params.allocation"), split))
            return cell;
    }
    return NULL;
}

/* Reads per query: as counted, or, where the tree that was measured is smaller than the real one,
 * as reckoned for that, less what the block cache kept. */
static void take_reads(const struct ranking *k, struct ranked *r)
{
    const double reckoned = fb_outlook_reads(&r->c->outlook, k->q->absent);
    const double counted = fb_json_num(r->cell, "reads.io");
    const double blocks = fb_json_num(r->cell, "expectation.simulated");
    r->reads = counted;
    if (is_scaled(k))
        r->reads = reckoned * (blocks > 0 ? counted / blocks : 1);
    const double scale = counted > 0 ? r->reads / counted : 1;
    r->reads_low = r->reads - scale * (counted - fb_json_num(r->cell, "reads.io_ci95.low"));
    r->reads_high = r->reads + scale * (fb_json_num(r->cell, "reads.io_ci95.high") - counted);
    r->reads_scale = reckoned > 0 ? r->reads / reckoned : 1;
    r->events = fb_json_uint(r->cell, "counts.data_false");
}

static void take_times(const struct ranking *k, struct ranked *r)
{
    const json_t *time = fb_json_at(json_array_get(json_object_get(r->cell, "lookups"), 0), "time");
    r->cpu = fb_json_num(time, "median");
    r->cpu_low = fb_json_num(time, "ci95.low");
    r->cpu_high = fb_json_num(time, "ci95.high");
    r->cpu_scale = r->cpu / fb_candidate_cpu(r->c, k->q->absent);
}

/* ---- Ranking ---- */

/* The block cache is taken to keep the same share of reads as with the best of the finalists. */
static void add_nothing(struct ranking *k)
{
    struct ranked *r = &k->rows[k->n++];
    const double kept =
        k->n > 1 && fb_json_uint(k->q->document, "cache_bytes") ? k->rows[0].reads_scale : 1;
    *r = (struct ranked){.c = &k->w->nothing, .cpu_scale = 1, .reads_scale = kept};
    r->cpu = r->cpu_low = r->cpu_high = fb_candidate_cpu(r->c, k->q->absent);
    r->reads = r->reads_low = r->reads_high = kept * fb_outlook_reads(&r->c->outlook, k->q->absent);
    k->without_ns = cost_of(k, r);
}

static bool rank(struct ranking *k, struct fb_problem *problem)
{
    k->n = 0;
    for (size_t i = 0; i < k->w->n_finalists; i++) {
        struct ranked *r = &k->rows[k->n];
        *r = (struct ranked){.c = &k->w->at[k->w->finalist[i]]};
        if (!(r->cell = cell_of(r->c, k->document)))
            continue; /* that it could not be built is said by the part */
        take_times(k, r);
        take_reads(k, r);
        if (!isfinite(r->cpu) || !isfinite(r->reads))
            return fb_refuse(problem, "parts.final: %.200s: its costs cannot be read",
                             fb_json_str(r->cell, "id"));
        k->n++;
    }
    add_nothing(k);
    for (size_t i = 1; i < k->n; i++)
        for (size_t j = i; j > 0 && cost_of(k, &k->rows[j]) < cost_of(k, &k->rows[j - 1]); j--) {
            const struct ranked moved = k->rows[j];
            k->rows[j] = k->rows[j - 1];
            k->rows[j - 1] = moved;
        }
    return true;
}

/* ---- JSON ---- */

static json_t *named(const struct fb_candidate *c)
{
    if (!c->by->design)
        return json_pack("{s:n, s:n, s:s}", "design", "allocation", "name", "no filter");
    const char *split = fb_allocations[c->allocation].name;
    json_t *j = json_pack("{s:s, s:s}", "design", c->by->design->name, "allocation", split);
    json_object_set_new(j, "name",
                        json_sprintf("%s%s%s", c->by->design->name,
                                     c->allocation == FB_ALLOC_UNIFORM ? "" : " ",
                                     c->allocation == FB_ALLOC_UNIFORM ? "" : split));
    return j;
}

static json_t *interval(double value, double low, double high)
{
    json_t *j = json_pack("{s:f}", "value", value);
    fb_json_real(j, "low", low, "too few processes");
    fb_json_real(j, "high", high, "too few processes");
    return j;
}

/* What the filters of each level are asked for, newest first: the most of its runs; -1: it has
 * none. False: no filter at all. */
static bool find_level_bits(const struct ranking *k, const struct fb_candidate *c,
                            double of_level[FB_MAX_RUNS])
{
    static double bits[FB_MAX_RUNS];
    const struct fb_question *q = k->q;
    struct fb_outlook again;
    const char *why;
    if (!c->by->design ||
        fb_outlook_of(fb_question_curves(k->q, c->by->design), c->allocation, c->request, q->runs,
                      q->n_runs, q->absent, &again, bits, &why))
        return false;
    for (size_t l = 0; l < q->n_levels; l++)
        of_level[l] = -1;
    for (size_t i = 0; i < q->n_runs; i++)
        of_level[q->level[i]] = fmax(of_level[q->level[i]], bits[i]);
    return true;
}

static json_t *level_bits_json(const struct ranking *k, const struct fb_candidate *c)
{
    static double of_level[FB_MAX_RUNS];
    if (!find_level_bits(k, c, of_level))
        return NULL;
    json_t *list = json_array();
    for (size_t l = 0; l < k->q->n_levels; l++)
        json_array_append_new(list, json_real(of_level[l]));
    return list;
}

static json_t *row_json(const struct ranking *k, const struct ranked *r)
{
    const double bytes = r->c->outlook.bytes;
    json_t *j = named(r->c);
    fb_json_known(j, "bits_per_key", r->c->by->design ? json_real(r->c->request) : NULL,
                  "no filter");
    fb_json_known(j, "level_bits", level_bits_json(k, r->c), "no filter");
    json_object_set_new(j, "memory_bits", json_real(8 * bytes / (double)k->q->n));
    json_object_set_new(j, "bytes", json_real(bytes));
    json_object_set_new(j, "cost_ns", interval(cost_of(k, r), low_of(k, r), high_of(k, r)));
    json_object_set_new(j, "cpu_ns", interval(r->cpu, r->cpu_low, r->cpu_high));
    json_object_set_new(j, "reads", interval(r->reads, r->reads_low, r->reads_high));
    json_object_set_new(j, "price_ns", json_real(k->w->price * bytes));
    json_object_set_new(j, "false_positives", fb_json_int(r->events));
    fb_json_known(j, "build_ns", json_incref((json_t *)fb_json_at(r->cell, "building.cpu_ns")),
                  "not timed");
    json_object_set_new(j, "like_first",
                        json_boolean(r > k->rows && low_of(k, r) <= high_of(k, k->rows)));
    return j;
}

static json_t *rows_json(const struct ranking *k)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < k->n; i++)
        json_array_append_new(rows, row_json(k, &k->rows[i]));
    return rows;
}

static json_t *front_json(const struct ranking *k)
{
    json_t *front = json_array();
    for (size_t i = 0; i < k->w->n_front; i++) {
        const struct fb_candidate *c = &k->w->at[k->w->front[i]];
        const double reads = fb_outlook_reads(&c->outlook, k->q->absent);
        const double least = fb_outlook_reads(&k->w->perfect, k->q->absent);
        json_t *j = named(c);
        json_object_set_new(j, "size", json_real(c->size));
        json_object_set_new(j, "bytes", json_real(c->outlook.bytes));
        json_object_set_new(j, "cost_ns",
                            json_real(fb_candidate_cost(c, k->q->absent, k->w->read_ns)));
        json_object_set_new(j, "false_ns", json_real(k->w->read_ns * (reads - least)));
        json_object_set_new(j, "asking_ns", json_real(fb_candidate_cpu(c, k->q->absent)));
        json_object_set_new(j, "knee", json_boolean(i == k->w->knee));
        json_array_append_new(front, j);
    }
    return front;
}

/* ---- What would a wrong input cost ---- */

static const struct ranked *best_if(const struct ranking *k, double absent, double read_ns,
                                    double slower)
{
    const struct ranked *best = k->rows;
    for (size_t i = 1; i < k->n; i++)
        if (cost_if(k, &k->rows[i], absent, read_ns, slower) <
            cost_if(k, best, absent, read_ns, slower))
            best = &k->rows[i];
    return best;
}

static json_t *regret_json(const struct ranking *k)
{
    const double a = k->q->absent, c = k->w->read_ns;
    const struct {
        const char *input;
        double absent, read_ns, slower;
    } worlds[] = {
        {"absent keys half as often", a / (2 - a), c, 1},
        {"absent keys twice as often", 2 * a / (1 + a), c, 1},
        {"reads take half the time", a, c / 2, 1},
        {"reads take twice the time", a, 2 * c, 1},
        {"a processor half as fast", a, c, 2},
        {"a processor twice as fast", a, c, 0.5},
    };
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        const struct ranked *best =
            best_if(k, worlds[i].absent, worlds[i].read_ns, worlds[i].slower);
        const double least =
            cost_if(k, best, worlds[i].absent, worlds[i].read_ns, worlds[i].slower);
        const double ours =
            cost_if(k, k->rows, worlds[i].absent, worlds[i].read_ns, worlds[i].slower);
        json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:o, s:f, s:f}", "input",
                                              worlds[i].input, "absent", worlds[i].absent,
                                              "read_ns", worlds[i].read_ns, "slower",
                                              worlds[i].slower, "best", named(best->c), "cost_ns",
                                              ours, "regret", ours / least - 1));
    }
    return rows;
}

/* ---- What would flip the ranking ---- */

enum input { READ_NS, ABSENT };

/* How much more than the first row another costs at x. */
static double lead(const struct ranking *k, const struct ranked *r, enum input input, double x)
{
    const double absent = input == ABSENT ? x : k->q->absent;
    const double read_ns = input == READ_NS ? x : k->w->read_ns;
    return cost_if(k, r, absent, read_ns, 1) - cost_if(k, k->rows, absent, read_ns, 1);
}

/* The nearest x on one side of the input's value where a row costs as much as the first: leads are
 * linear in x. NAN: there is none. */
static double crossing(const struct ranking *k, enum input input, bool below,
                       const struct ranked **by)
{
    const double here = input == ABSENT ? k->q->absent : k->w->read_ns;
    double nearest = NAN;
    for (size_t i = 1; i < k->n; i++) {
        const double at_0 = lead(k, &k->rows[i], input, 0), at_1 = lead(k, &k->rows[i], input, 1);
        const double x = at_0 / (at_0 - at_1);
        const bool there =
            isfinite(x) && x > 0 && (input == READ_NS || x < 1) && (below ? x < here : x > here);
        if (there && !(fabs(x - here) >= fabs(nearest - here))) {
            nearest = x;
            *by = &k->rows[i];
        }
    }
    return nearest;
}

/* Four digits: it is the quotient of differences, of which a stored answer keeps no more. */
static double rounded(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", x);
    return strtod(text, NULL);
}

static json_t *flips_json(const struct ranking *k)
{
    static const char *const names[] = {[READ_NS] = "read_ns", [ABSENT] = "absent"};
    json_t *flips = json_array();
    for (int i = 0; i < 4; i++) {
        const struct ranked *by = NULL;
        const enum input input = i / 2 ? ABSENT : READ_NS;
        const double x = crossing(k, input, !(i % 2), &by);
        if (isfinite(x))
            json_array_append_new(flips, json_pack("{s:s, s:s, s:f, s:o}", "input", names[input],
                                                   "side", i % 2 ? "above" : "below", "at",
                                                   rounded(x), "first", named(by->c)));
    }
    return flips;
}

/* ---- One step at a time ---- */

/* The best of that design and split of at most the pick's memory; NULL: none. */
static const struct fb_candidate *find(const struct ranking *k, const char *design,
                                       enum fb_allocation split)
{
    const struct fb_candidate *best = NULL;
    for (size_t i = 0; i < k->w->n; i++) {
        const struct fb_candidate *c = &k->w->at[i];
        if (c->allocation == split && c->size <= k->w->at[k->w->pick].size &&
            !strcmp(c->by->design->name, design) &&
            (!best || fb_candidate_cost(c, k->q->absent, k->w->read_ns) <
                          fb_candidate_cost(best, k->q->absent, k->w->read_ns)))
            best = c;
    }
    return best;
}

static json_t *step_json(const struct ranking *k, const struct fb_candidate *c)
{
    if (!c)
        return NULL;
    json_t *j = named(c);
    json_object_set_new(j, "cost_ns", json_real(fb_candidate_cost(c, k->q->absent, k->w->read_ns)));
    return j;
}

/* By formula, of the same memory: today's design, its bits split over levels, another design, both;
 * and which of the two steps gains more. */
static json_t *steps_json(const struct ranking *k)
{
    static const char *const none = "it has no filters of that size, or did not pass";
    const char *from = fb_json_str(k->q->document, "from");
    const struct fb_candidate *pick = &k->w->at[k->w->pick];
    const char *to = pick->by->design->name;
    const struct fb_candidate *today = find(k, from, FB_ALLOC_UNIFORM),
                              *split = find(k, from, FB_ALLOC_OPTIMAL),
                              *family = find(k, to, FB_ALLOC_UNIFORM);
    json_t *j = json_object();
    fb_json_known(j, "today", step_json(k, today), none);
    fb_json_known(j, "split", step_json(k, split), none);
    fb_json_known(j, "design", step_json(k, family), none);
    fb_json_known(j, "both", step_json(k, find(k, to, FB_ALLOC_OPTIMAL)), none);
    const double now = fb_json_num(j, "today.cost_ns");
    const double by_split = now - fb_json_num(j, "split.cost_ns"),
                 by_design = now - fb_json_num(j, "design.cost_ns");
    const bool known = isfinite(by_split) && isfinite(by_design);
    fb_json_known(j, "first",
                  !known ? NULL
                         : json_string(by_split <= 0 && by_design <= 0 ? "neither"
                                       : by_split >= by_design         ? "split"
                                                                       : "design"),
                  none);
    return j;
}

/* ---- In the words of engines ---- */

/* What an engine is told for a row; level_bits are what each level is asked for. NULL: no filter.
 */
static json_t *words_of(const struct ranking *k, const struct fb_candidate *c)
{
    static double of_level[FB_MAX_RUNS];
    if (!find_level_bits(k, c, of_level))
        return NULL;
    for (size_t l = 0; l < k->q->n_levels; l++)
        of_level[l] = fmax(of_level[l], 0);
    const bool levels = c->allocation != FB_ALLOC_UNIFORM && k->q->n_levels <= FB_ENGINE_LEVELS;
    return fb_engine_words(&(struct fb_engine_asked){.design = c->by->design->name,
                                                     .bits_per_key = c->request,
                                                     .level_bits = levels ? of_level : NULL,
                                                     .n_levels = levels ? k->q->n_levels : 0,
                                                     .n_keys = k->q->unit_keys});
}

/* For each engine the best row that it can have: {engine, text, note, name, more}, where `more` is
 * by how much that costs more than the first row. */
static json_t *engines_json(const struct ranking *k)
{
    json_t *found = json_array();
    for (size_t i = 0; i < k->n; i++) {
        json_t *words = words_of(k, k->rows[i].c), *each, *name = named(k->rows[i].c);
        size_t w, f;
        json_array_foreach(words, w, each) {
            bool known = !*fb_json_str(each, "text");
            json_t *other;
            json_array_foreach(found, f, other)
                known = known || !strcmp(fb_json_str(other, "engine"), fb_json_str(each, "engine"));
            if (known)
                continue;
            json_object_set(each, "name", json_object_get(name, "name"));
            json_object_set_new(each, "more",
                                json_real(cost_of(k, &k->rows[i]) / cost_of(k, k->rows) - 1));
            json_array_append(found, each);
        }
        json_decref(name);
        json_decref(words);
    }
    return found;
}

/* ---- What the store in use has counted ---- */

enum { ENOUGH_EVENTS = 400 };

static json_t *deployed_json(const struct ranking *k)
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
static bool holds_in_range(const struct ranking *k)
{
    return best_if(k, k->q->low, k->w->read_ns, 1) == k->rows &&
           best_if(k, k->q->high, k->w->read_ns, 1) == k->rows;
}

/* Whether the first two differ by reads that rest on too few false positives. */
static bool is_thin(const struct ranking *k)
{
    const struct ranked *a = &k->rows[0], *b = &k->rows[1];
    const double by_reads = fabs(b->reads - a->reads) * k->w->read_ns,
                 by_cpu = fabs(b->cpu - a->cpu);
    const uint64_t events = a->events > b->events ? a->events : b->events;
    return a->cell && b->cell && by_reads > by_cpu && events < ENOUGH_EVENTS;
}

/* What lookups slow down by, at most, from one cache to the next. */
#define FARTHER_CACHE 4

static void set_confidence(const struct ranking *k, json_t *answer)
{
    const json_t *caches = fb_json_at(k->document, "parts.final.timing.caches");
    const double bytes = k->rows->c->outlook.bytes,
                 measured = fb_json_num(k->rows->cell, "filter.bytes");
    bool alike = false;
    for (size_t i = 1; i < k->n; i++)
        alike = alike || low_of(k, &k->rows[i]) <= high_of(k, k->rows);
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
    } else if (k->rows->cell && is_scaled(k) &&
               footprint(caches, bytes) != footprint(caches, measured) &&
               best_if(k, k->q->absent, k->w->read_ns, FARTHER_CACHE) != k->rows) {
        level = "MEDIUM";
        why = "times are of smaller filters in a nearer cache, and slower lookups would change it";
    }
    json_object_set_new(answer, "confidence", json_string(level));
    json_object_set_new(answer, "why", json_string(why));
}

/* ---- Everything ---- */

static json_t *answer_of(struct ranking *k)
{
    const struct fb_question *q = k->q;
    json_t *answer =
        json_pack("{s:o, s:o, s:f, s:f, s:f, s:f, s:o, s:i, s:i, s:f, s:f}", "n", fb_json_int(q->n),
                  "measured", fb_json_int(q->n_measured), "absent", q->absent, "low", q->low,
                  "high", q->high, "read_ns", k->w->read_ns, "unit_keys", fb_json_int(q->unit_keys),
                  "levels", (int)q->n_levels, "runs", (int)q->n_runs, "without_ns", k->without_ns,
                  "price_ns_per_byte", k->w->price);
    json_object_set_new(answer, "ranking", rows_json(k));
    json_object_set_new(answer, "front", front_json(k));
    json_object_set_new(answer, "steps", steps_json(k));
    json_object_set_new(answer, "regret", regret_json(k));
    json_object_set_new(answer, "engines", engines_json(k));
    fb_json_known(answer, "deployed", deployed_json(k), "no counts of a store in use were given");
    json_object_set_new(answer, "flips", flips_json(k));
    set_confidence(k, answer);
    fb_advise_say(q, answer);
    return answer;
}

bool fb_advise_answer(struct fb_question *q, json_t *document, struct fb_problem *problem)
{
    struct ranking *k = calloc(1, sizeof *k);
    struct fb_weighed *w = malloc(sizeof *w);
    bool complete = fb_json_at(document, "parts.final"), fine = k && w;
    if (fine && complete) {
        *k = (struct ranking){.q = q, .w = w, .document = document};
        fine = fb_weigh(q, document, w, problem) && rank(k, problem);
    }
    if (fine)
        fb_json_known(document, "answer", complete ? answer_of(k) : NULL,
                      "the parts are not all there");
    free(w);
    free(k);
    return fine;
}
