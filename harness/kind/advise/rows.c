/* The ranking, the front, and what engines are told, as JSON. */
#include <math.h>
#include <string.h>

#include "harness/kind/advise/advise.h"
#include "harness/store/engine_words.h"

json_t *fb_advise_name(const struct fb_candidate *c)
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
static bool find_level_bits(const struct fb_ranking *k, const struct fb_candidate *c,
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

static json_t *level_bits_json(const struct fb_ranking *k, const struct fb_candidate *c)
{
    static double of_level[FB_MAX_RUNS];
    if (!find_level_bits(k, c, of_level))
        return NULL;
    json_t *list = json_array();
    for (size_t l = 0; l < k->q->n_levels; l++)
        json_array_append_new(list, json_real(of_level[l]));
    return list;
}

/* Of single queries as they were timed, with the reads that the counted ones needed, and what an
 * engine takes beside that. */
static json_t *p99_json(const struct fb_ranking *k, const struct fb_ranked *r)
{
    const json_t *lookup = json_array_get(json_object_get(r->cell, "lookups"), 0);
    const json_t *total = json_array_get(json_object_get(lookup, "histograms"), 1);
    const double ps = fb_json_num(total, "percentiles.p99");
    return isfinite(ps) ? json_real(ps / 1e3 + fb_candidate_engine(r->c, k->q->absent)) : NULL;
}

static json_t *row_json(const struct fb_ranking *k, const struct fb_ranked *r)
{
    const double bytes = r->c->outlook.bytes;
    json_t *j = fb_advise_name(r->c);
    fb_json_known(j, "bits_per_key", r->c->by->design ? json_real(r->c->request) : NULL,
                  "no filter");
    fb_json_known(j, "level_bits", level_bits_json(k, r->c), "no filter");
    json_object_set_new(j, "memory_bits", json_real(8 * bytes / (double)k->q->n));
    json_object_set_new(j, "bytes", json_real(bytes));
    json_object_set_new(j, "cost_ns",
                        interval(fb_ranked_cost(k, r), fb_ranked_low(k, r), fb_ranked_high(k, r)));
    json_object_set_new(j, "cpu_ns", interval(r->cpu, r->cpu_low, r->cpu_high));
    json_object_set_new(j, "reads", interval(r->reads, r->reads_low, r->reads_high));
    fb_json_known(j, "p99_ns", p99_json(k, r), "no single queries were timed");
    json_object_set_new(j, "price_ns", json_real(k->w->price * bytes));
    json_object_set_new(j, "false_positives", fb_json_int(r->events));
    fb_json_known(j, "build_ns", json_incref((json_t *)fb_json_at(r->cell, "building.cpu_ns")),
                  "not timed");
    json_object_set_new(
        j, "like_first",
        json_boolean(r > k->rows && fb_ranked_low(k, r) <= fb_ranked_high(k, k->rows)));
    return j;
}

json_t *fb_advise_ranking_json(const struct fb_ranking *k)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < k->n; i++)
        json_array_append_new(rows, row_json(k, &k->rows[i]));
    return rows;
}

json_t *fb_advise_front_json(const struct fb_ranking *k)
{
    json_t *front = json_array();
    for (size_t i = 0; i < k->w->n_front; i++) {
        const struct fb_candidate *c = &k->w->at[k->w->front[i]];
        const double reads = fb_outlook_reads(&c->outlook, k->q->absent);
        const double least = fb_outlook_reads(&k->w->perfect, k->q->absent);
        json_t *j = fb_advise_name(c);
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

/* ---- In the words of engines ---- */

/* What an engine is told for a row; level_bits are what each level is asked for. NULL: no filter.
 */
static json_t *words_of(const struct fb_ranking *k, const struct fb_candidate *c)
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
json_t *fb_advise_engines_json(const struct fb_ranking *k)
{
    json_t *found = json_array();
    for (size_t i = 0; i < k->n; i++) {
        json_t *words = words_of(k, k->rows[i].c), *each, *name = fb_advise_name(k->rows[i].c);
        size_t w, f;
        json_array_foreach(words, w, each) {
            bool known = !*fb_json_str(each, "text");
            json_t *other;
            json_array_foreach(found, f, other)
                known = known || !strcmp(fb_json_str(other, "engine"), fb_json_str(each, "engine"));
            if (known)
                continue;
            json_object_set(each, "name", json_object_get(name, "name"));
            json_object_set_new(
                each, "more",
                json_real(fb_ranked_cost(k, &k->rows[i]) / fb_ranked_cost(k, k->rows) - 1));
            json_array_append(found, each);
        }
        json_decref(name);
        json_decref(words);
    }
    return found;
}
