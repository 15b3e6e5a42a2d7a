/* Settings, the front, the evidence, and what engines are told, as JSON. */
#include <math.h>
#include <string.h>

#include "harness/kind/advise/advise.h"
#include "harness/store/engine_words.h"

json_t *fb_advise_name(const struct fb_candidate *c)
{
    if (!c->design)
        return json_pack("{s:n, s:n, s:s, s:f}", "design", "allocation", "name", "no filter",
                         "bits_per_key", 0.0);
    const char *split = c->allocation == FB_ALLOC_UNIFORM ? "" : fb_allocations[c->allocation].name;
    json_t *j = json_pack("{s:s, s:s, s:f}", "design", c->design->name, "allocation",
                          fb_allocations[c->allocation].name, "bits_per_key", c->request);
    json_object_set_new(j, "name",
                        json_sprintf("%s%s%s", c->design->name, *split ? " " : "", split));
    return j;
}

static json_t *interval(double value, double error)
{
    return json_pack("{s:f, s:f, s:f}", "value", value, "low", value - 1.96 * error, "high",
                     value + 1.96 * error);
}

/* What the filters of each level are asked for, newest first: the most of its runs; -1: it has
 * none. False: no filter at all. */
static bool find_level_bits(const struct fb_advice *a, const struct fb_candidate *c,
                            double of_level[FB_MAX_RUNS])
{
    static double bits[FB_MAX_RUNS];
    struct fb_question *q = a->q;
    struct fb_outlook again;
    const char *why;
    if (!c->design || fb_outlook_of(fb_question_curves(q, c->design), c->allocation, c->request,
                                    q->runs, q->n_runs, q->absent, &again, bits, &why))
        return false;
    for (size_t l = 0; l < q->n_levels; l++)
        of_level[l] = -1;
    for (size_t i = 0; i < q->n_runs; i++)
        of_level[q->level[i]] = fmax(of_level[q->level[i]], bits[i]);
    return true;
}

static json_t *level_bits_json(const struct fb_advice *a, const struct fb_candidate *c)
{
    static double of_level[FB_MAX_RUNS];
    if (!find_level_bits(a, c, of_level))
        return NULL;
    json_t *list = json_array();
    for (size_t l = 0; l < a->q->n_levels; l++)
        json_array_append_new(list, json_real(of_level[l]));
    return list;
}

/* Of single queries as they were timed, with the reads that the counted ones needed, and what an
 * engine takes beside that. Reads were of the device of then. */
static json_t *p99_json(const struct fb_advice *a, const struct fb_candidate *c)
{
    const json_t *lookup = json_array_get(json_object_get(fb_weighed_cell(a->w, c), "lookups"), 0);
    const json_t *total = json_array_get(json_object_get(lookup, "histograms"), 1);
    const double ps = fb_json_num(total, "percentiles.p99");
    return isfinite(ps) && a->in.absent == a->q->absent &&
                   a->in.read_ns ==
                       fb_json_num(
                           json_array_get(fb_json_at(a->document, "parts.final.devices"), 0),
                           "read_ns")
               ? json_real(ps / 1e3 + c->engine_ns +
                           c->engine_check_ns * fb_outlook_asked(&c->outlook, a->in.absent))
               : NULL;
}

/* ---- Settings ---- */

static double error_of(const struct fb_advice *a, const struct fb_candidate *c)
{
    return hypot(c->cpu_error,
                 a->in.read_ns * c->reads_error * fb_candidate_reads(c, a->in.absent));
}

static json_t *row_json(const struct fb_advice *a, size_t at, double present_ns)
{
    const struct fb_candidate *c = &a->w->at[at], *pick = &a->w->at[a->pick];
    const json_t *cell = fb_weighed_cell(a->w, c);
    const double bytes = c->outlook.bytes, cpu = fb_candidate_cpu(c, a->in.absent),
                 reads = fb_candidate_reads(c, a->in.absent), cost = fb_candidate_time(c, &a->in),
                 away = fabs(cost - fb_candidate_time(pick, &a->in));
    json_t *j = fb_advise_name(c);
    json_object_set_new(j, "pick", json_boolean(c == pick));
    json_object_set_new(j, "present", json_boolean(c->present));
    json_object_set_new(j, "measured", json_boolean(cell != NULL));
    json_object_set_new(j, "like_pick",
                        json_boolean(c != pick && bytes <= 1.02 * pick->outlook.bytes &&
                                     away <= 1.96 * (error_of(a, c) + error_of(a, pick))));
    fb_json_known(j, "level_bits", level_bits_json(a, c), "no filter");
    json_object_set_new(j, "memory_bits", json_real(8 * bytes / (double)a->q->n));
    json_object_set_new(j, "bytes", json_real(bytes));
    json_object_set_new(j, "cost_ns", interval(cost, error_of(a, c)));
    fb_json_real(j, "saves", 1 - cost / present_ns, "the setting of today is not known");
    json_object_set_new(j, "cpu_ns", interval(cpu, c->cpu_error));
    json_object_set_new(j, "reads", interval(reads, reads * c->reads_error));
    fb_json_known(j, "p99_ns", p99_json(a, c), "single queries were not timed");
    json_object_set_new(j, "price_ns", json_real(fb_inputs_price(&a->in) * bytes));
    json_object_set_new(j, "false_positives", fb_json_int(fb_json_uint(cell, "counts.data_false")));
    fb_json_known(j, "build_ns", json_incref((json_t *)fb_json_at(cell, "building.cpu_ns")),
                  "not timed");
    return j;
}

/* The pick, the present setting, of each filter that the engine offers its best size if it was
 * measured, and no filter at all: by cost. */
json_t *fb_advise_ranking_json(const struct fb_advice *a)
{
    const struct fb_evidence *e = &a->w->evidence;
    size_t rows[FB_MOST_FILTERS + 2], n = 0;
    double present_ns = NAN;
    for (size_t i = 0; i < e->n; i++) {
        const struct fb_candidate *c = &e->at[i];
        const bool best =
            !c->filter || (a->w->cell[c->filter][0] && fb_choose(e, &a->in, c->filter, NULL) == i);
        if (c->present)
            present_ns = fb_candidate_time(c, &a->in);
        if (!(best || c->present || i == a->pick) || n == sizeof rows / sizeof *rows)
            continue;
        size_t k = n++;
        for (;
             k > 0 && fb_candidate_cost(c, &a->in) < fb_candidate_cost(&e->at[rows[k - 1]], &a->in);
             k--)
            rows[k] = rows[k - 1];
        rows[k] = i;
    }
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, row_json(a, rows[i], present_ns));
    return list;
}

/* ---- Memory against cost ---- */

json_t *fb_advise_front_json(const struct fb_advice *a)
{
    static struct fb_front front;
    json_t *list = json_array();
    double before = NAN;
    fb_choose_front(&a->w->evidence, &a->in, a->w->at[a->pick].filter, &front);
    for (size_t i = 0; i < front.n; i++) {
        const struct fb_candidate *c = &a->w->at[front.at[i]];
        const double cost = fb_candidate_time(c, &a->in),
                     reads = fb_outlook_reads(&c->outlook, a->in.absent),
                     least = fb_outlook_reads(&a->w->perfect, a->in.absent);
        json_t *j = fb_advise_name(c);
        json_object_set_new(j, "bytes", json_real(c->outlook.bytes));
        json_object_set_new(j, "cost_ns", json_real(cost));
        fb_json_real(j, "saves_ns", before - cost, "it is the first");
        json_object_set_new(j, "false_ns",
                            json_real(a->in.read_ns * c->reads_scale * (reads - least)));
        json_object_set_new(j, "pick", json_boolean(front.at[i] == a->pick));
        json_array_append_new(list, j);
        before = cost;
    }
    return list;
}

/* What fb_choose chooses from. */
json_t *fb_advise_evidence_json(const struct fb_advice *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->w->evidence.n; i++) {
        const struct fb_candidate *c = &a->w->at[i];
        json_t *j = fb_advise_name(c);
        const struct {
            const char *name;
            double value;
        } numbers[] = {{"bytes", c->outlook.bytes},
                       {"reads_absent", c->outlook.reads_absent},
                       {"reads_present", c->outlook.reads_present},
                       {"asked_absent", c->outlook.asked_absent},
                       {"asked_present", c->outlook.asked_present},
                       {"walk_ns", c->walk_ns},
                       {"check_ns", c->check_ns},
                       {"cpu_scale", c->cpu_scale},
                       {"reads_scale", c->reads_scale},
                       {"cpu_error_ns", c->cpu_error},
                       {"reads_error", c->reads_error},
                       {"cost_ns", fb_candidate_time(c, &a->in)}};
        json_object_set_new(j, "offered", json_boolean(c->offered));
        json_object_set_new(j, "present", json_boolean(c->present));
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            json_object_set_new(j, numbers[k].name, json_real(numbers[k].value));
        json_array_append_new(list, j);
    }
    return list;
}

/* ---- In the words of engines ---- */

static const struct fb_candidate *find(const struct fb_advice *a, const json_t *row)
{
    const double bits = fb_json_num(row, "bits_per_key");
    for (size_t i = 1; i < a->w->evidence.n; i++) {
        const struct fb_candidate *c = &a->w->at[i];
        if (!strcmp(c->design->name, fb_json_str(row, "design")) && c->request == bits &&
            !strcmp(fb_allocations[c->allocation].name, fb_json_str(row, "allocation")))
            return c;
    }
    return a->w->at;
}

/* What an engine is told for a row; level_bits are what each level is asked for. */
static json_t *words_of(const struct fb_advice *a, const struct fb_candidate *c)
{
    static double of_level[FB_MAX_RUNS];
    const struct fb_question *q = a->q;
    if (!c->design)
        return fb_engine_words(&(struct fb_engine_asked){.design = "rocksdb-fastlocal"});
    if (!find_level_bits(a, c, of_level))
        return NULL;
    for (size_t l = 0; l < q->n_levels; l++)
        of_level[l] = fmax(of_level[l], 0);
    const bool levels = c->allocation != FB_ALLOC_UNIFORM && q->n_levels <= FB_ENGINE_LEVELS;
    return fb_engine_words(&(struct fb_engine_asked){.design = c->design->name,
                                                     .bits_per_key = c->request,
                                                     .level_bits = levels ? of_level : NULL,
                                                     .n_levels = levels ? q->n_levels : 0,
                                                     .n_keys = q->unit_keys});
}

/* For the engine that is asked for each row, for every other one the best row that it can have:
 * {engine, text, note, name, more}, where `more` is by how much that costs more than the pick. */
json_t *fb_advise_engines_json(const struct fb_advice *a, const json_t *ranking)
{
    const char *asked = fb_json_str(a->asked->document, "engine");
    const double pick_ns = fb_candidate_time(&a->w->at[a->pick], &a->in);
    json_t *found = json_array();
    for (int pass = 0; pass < 2; pass++) { /* the pick first */
        FB_EACH(row, ranking) {
            const struct fb_candidate *c = find(a, row);
            if ((c == &a->w->at[a->pick]) == (pass > 0))
                continue;
            json_auto_t *words = words_of(a, c);
            FB_EACH(each, words) {
                const char *engine = fb_json_str(each, "engine");
                bool known = !*fb_json_str(each, "text") ||
                             (strcmp(asked, "any") != 0 && strcmp(asked, engine) != 0);
                FB_EACH(other, found)
                    known = known || (!strcmp(fb_json_str(other, "engine"), engine) &&
                                      strcmp(asked, engine) != 0);
                if (known || (!c->design && pass))
                    continue;
                json_object_set(each, "name", json_object_get(row, "name"));
                json_object_set(each, "bits_per_key", json_object_get(row, "bits_per_key"));
                json_object_set_new(each, "more",
                                    json_real(fb_candidate_time(c, &a->in) / pick_ns - 1));
                json_array_append(found, each);
            }
        }
    }
    return found;
}
