/* Candidates of every size and split, by formula and with the times of the survey. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/advise/advise.h"

/* ---- What a candidate costs ---- */

double fb_candidate_cpu(const struct fb_candidate *c, double absent)
{
    return c->by->walk_ns + c->by->per_filter_ns * fb_outlook_asked(&c->outlook, absent) +
           fb_candidate_engine(c, absent);
}

double fb_candidate_engine(const struct fb_candidate *c, double absent)
{
    return c->by->engine_walk_ns + c->by->engine_filter_ns * fb_outlook_asked(&c->outlook, absent);
}

double fb_candidate_cost(const struct fb_candidate *c, double absent, double read_ns)
{
    return fb_candidate_cpu(c, absent) + read_ns * fb_outlook_reads(&c->outlook, absent);
}

double fb_question_price(const struct fb_question *q, double read_ns)
{
    const double month_s = 365.25 / 12 * 86400;
    const json_t *d = q->document;
    if (!q->dollars)
        return q->price;
    /* Dollars for a byte and a query, over dollars for a nanosecond of reading. */
    return fb_json_num(d, "memory_dollars") * 1e-9 / (fb_json_num(d, "query_rate") * month_s) /
           (fb_json_num(d, "read_dollars") / read_ns);
}

/* What candidates are chosen by. */
static double value_of(const struct fb_weighed *w, const struct fb_question *q,
                       const struct fb_candidate *c)
{
    return fb_candidate_cost(c, q->absent, w->read_ns) + w->price * c->outlook.bytes;
}

/* ---- Contenders ---- */

const json_t *fb_advise_find(const json_t *part, const char *design)
{
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(part, "cells"), i, cell) {
        if (!strcmp(fb_json_str(cell, "design"), design))
            return cell;
    }
    return NULL;
}

static bool add_contender(struct fb_weighed *w, const json_t *cell)
{
    const json_t *lookup = json_array_get(json_object_get(cell, "lookups"), 0);
    const double median = fb_json_num(lookup, "time.median"), asked = fb_json_num(lookup, "asked");
    const double walk = fmin(median, fb_json_num(cell, "control.median"));
    struct fb_contender *c = &w->contenders[w->n_contenders];
    c->design = fb_design_find(fb_json_str(cell, "design"));
    if (!c->design || !isfinite(walk) || !(asked > 0) || w->n_contenders == FB_MOST_CONTENDERS)
        return false;
    c->walk_ns = walk;
    c->per_filter_ns = (median - walk) / asked;
    w->none.walk_ns = w->n_contenders ? fmin(w->none.walk_ns, walk) : walk;
    w->n_contenders++;
    return true;
}

static const struct fb_contender *contender_of(const struct fb_weighed *w, const char *design)
{
    for (size_t i = 0; i < w->n_contenders; i++)
        if (!strcmp(w->contenders[i].design->name, design))
            return &w->contenders[i];
    return NULL;
}

/* What an engine takes beside what was measured here: its base in place of our walk, and for each
 * filter that is asked what the profile says of the design, or else what the first design of it
 * takes more there than here. */
static void take_engine(struct fb_weighed *w, const struct fb_question *q)
{
    const json_t *checks = json_object_get(q->document, "engine_checks");
    const double base = fb_json_num(q->document, "engine_base_ns");
    double more = NAN;
    size_t i;
    json_t *check;
    json_array_foreach((json_t *)checks, i, check) {
        const struct fb_contender *c = contender_of(w, fb_json_str(check, "design"));
        if (c && !isfinite(more))
            more = fb_json_num(check, "ns") - c->per_filter_ns;
    }
    if (!isfinite(more)) /* none of them was surveyed */
        more = fb_json_num(json_array_get(checks, 0), "ns");
    w->none.engine_walk_ns = base - w->none.walk_ns;
    for (size_t k = 0; k < w->n_contenders; k++) {
        w->contenders[k].engine_walk_ns = base - w->contenders[k].walk_ns;
        w->contenders[k].engine_filter_ns = more;
    }
    json_array_foreach((json_t *)checks, i, check) {
        struct fb_contender *c =
            (struct fb_contender *)contender_of(w, fb_json_str(check, "design"));
        if (c)
            c->engine_filter_ns = fb_json_num(check, "ns") - c->per_filter_ns;
    }
}

/* ---- Sizes ---- */

/* Whole bits per key up to what there is; the last is all of it. */
static size_t list_sizes(const struct fb_question *q, double sizes[FB_MOST_SIZES])
{
    const double most = q->most_bits > 0 ? q->most_bits : FB_MOST_SIZES - 1;
    size_t n = 0;
    for (double bits = 1; bits < most && n < FB_MOST_SIZES - 1; bits++)
        sizes[n++] = bits;
    sizes[n++] = most;
    return n;
}

/* A contender's filters of at most `size` bits per key. FB_EINVAL: it has none so small. */
static enum fb_err look(struct fb_question *q, const struct fb_outlook_run *runs,
                        const struct fb_contender *by, enum fb_allocation allocation, double size,
                        struct fb_candidate *out)
{
    struct fb_curves *curves = fb_question_curves(q, by->design);
    const char *why;
    double taken;
    *out = (struct fb_candidate){.by = by, .allocation = allocation, .size = size};
    enum fb_err err = fb_outlook_request(curves, q->unit_keys, size, &out->request, &taken, &why);
    if (!err)
        err = fb_outlook_of(curves, allocation, out->request, runs, q->n_runs, q->absent,
                            &out->outlook, NULL, &why);
    return err;
}

/* Reads beyond those of filters that never err cost no more than asking the filters. */
static bool is_balanced(const struct fb_weighed *w, const struct fb_question *q,
                        const struct fb_candidate *c)
{
    const double wasted =
        fb_outlook_reads(&c->outlook, q->absent) - fb_outlook_reads(&w->perfect, q->absent);
    return wasted * w->read_ns <= fb_candidate_cpu(c, q->absent) - c->by->engine_walk_ns;
}

/* The best candidates of ascending sizes, in `front`, and the place in it of the knee. */
static void find_front(struct fb_weighed *w, const struct fb_question *q)
{
    double best = INFINITY;
    w->n_front = w->knee = 0;
    for (size_t i = 0; i < w->n;) {
        size_t here = i;
        const double size = w->at[i].size;
        for (; i < w->n && w->at[i].size == size; i++)
            if (fb_candidate_cost(&w->at[i], q->absent, w->read_ns) <
                fb_candidate_cost(&w->at[here], q->absent, w->read_ns))
                here = i;
        const double cost = fb_candidate_cost(&w->at[here], q->absent, w->read_ns);
        if (cost < best)
            w->front[w->n_front++] = here;
        best = fmin(best, cost);
    }
    while (w->knee + 1 < w->n_front && !is_balanced(w, q, &w->at[w->front[w->knee]]))
        w->knee++;
}

/* ---- The shortlist ---- */

/* Whether the filters are those of another split: a tree of one run has one way to split. */
static bool same_filters(const struct fb_candidate *a, const struct fb_candidate *b)
{
    return a->by == b->by && a->outlook.bytes == b->outlook.bytes &&
           a->outlook.reads_absent == b->outlook.reads_absent &&
           a->outlook.reads_present == b->outlook.reads_present;
}

static enum fb_err add(struct fb_weighed *w, struct fb_question *q,
                       const struct fb_outlook_run *runs, const struct fb_contender *by,
                       enum fb_allocation allocation, double size)
{
    struct fb_candidate *c = &w->at[w->n];
    enum fb_err err = look(q, runs, by, allocation, size, c);
    bool is_new = !err && c->outlook.bytes > 0;
    for (size_t i = w->n; is_new && i-- > 0;)
        is_new = !same_filters(&w->at[i], c);
    w->n += is_new && w->n + 1 < FB_MOST_CANDIDATES;
    return fb_err_refuses(err) ? FB_OK : err;
}

struct rated {
    size_t contender;
    double cost;
};

static int by_cost(const void *a, const void *b)
{
    const struct rated *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->contender < y->contender ? -1 : x->contender > y->contender;
}

/*
 * The contenders that cost least at the size where uniform filters of all contenders have their
 * knee; filters of all runs are reckoned as large as those of the largest, since each other size of
 * filter needs curves of its own.
 */
static enum fb_err shortlist(struct fb_weighed *w, struct fb_question *q, const double *sizes,
                             size_t n_sizes, bool chosen[FB_MOST_CONTENDERS])
{
    struct fb_outlook_run *alike = malloc(q->n_runs * sizeof *alike);
    struct rated rated[FB_MOST_CONTENDERS];
    size_t n = 0;
    enum fb_err err = alike ? FB_OK : FB_ENOMEM;
    memset(chosen, 0, FB_MOST_CONTENDERS * sizeof *chosen);
    for (size_t i = 0; alike && i < q->n_runs; i++) {
        alike[i] = q->runs[i];
        alike[i].unit_keys = fb_min_u64(alike[i].keys, q->unit_keys);
    }
    for (size_t s = 0; !err && s < n_sizes; s++)
        for (size_t i = 0; !err && i < w->n_contenders; i++)
            err = add(w, q, alike, &w->contenders[i], FB_ALLOC_UNIFORM, sizes[s]);
    free(alike);
    if (err || !w->n)
        return err;
    find_front(w, q);
    const double size = w->at[w->front[w->knee]].size;
    for (size_t i = 0; i < w->n_contenders; i++) {
        double cost = INFINITY;
        for (size_t c = 0; c < w->n && w->at[c].size <= size; c++)
            if (w->at[c].by == &w->contenders[i])
                cost = fmin(cost, value_of(w, q, &w->at[c]));
        rated[n++] = (struct rated){i, cost};
    }
    qsort(rated, n, sizeof *rated, by_cost);
    for (size_t i = 0; i < n && i < FB_SHORTLIST && isfinite(rated[i].cost); i++)
        chosen[rated[i].contender] = true;
    for (size_t i = 0; i < w->n_contenders; i++)
        if (!strcmp(w->contenders[i].design->name, fb_json_str(q->document, "from")))
            chosen[i] = true;
    w->n = 0;
    return FB_OK;
}

/* ---- Finalists ---- */

/* Of each design and split its best size, which is no larger than the pick's; best first. */
static void choose_finalists(struct fb_weighed *w, const struct fb_question *q)
{
    const struct fb_candidate *pick = &w->at[w->pick];
    w->n_finalists = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct fb_candidate *c = &w->at[i];
        bool best = c->size <= pick->size;
        for (size_t j = 0; best && j < w->n; j++) {
            const struct fb_candidate *d = &w->at[j];
            const bool same = d->by == c->by && d->allocation == c->allocation;
            const double more = value_of(w, q, d) - value_of(w, q, c);
            best = !same || d->size > pick->size || j == i || more > 0 || (more == 0 && j > i);
        }
        size_t at = 0;
        while (best && at < w->n_finalists &&
               value_of(w, q, &w->at[w->finalist[at]]) <= value_of(w, q, c))
            at++;
        if (!best || at == FB_FINALISTS)
            continue;
        w->n_finalists += w->n_finalists < FB_FINALISTS;
        memmove(&w->finalist[at + 1], &w->finalist[at],
                (w->n_finalists - at - 1) * sizeof *w->finalist);
        w->finalist[at] = i;
    }
}

/* ---- Everything ---- */

static enum fb_err weigh(struct fb_weighed *w, struct fb_question *q)
{
    static const enum fb_allocation splits[] = {FB_ALLOC_UNIFORM, FB_ALLOC_OPTIMAL,
                                                FB_ALLOC_DROP_LAST};
    double sizes[FB_MOST_SIZES];
    bool chosen[FB_MOST_CONTENDERS];
    const size_t n_sizes = list_sizes(q, sizes);
    enum fb_err err = fb_question_make_curves(q);
    if (!err)
        err = shortlist(w, q, sizes, n_sizes, chosen);
    for (size_t s = 0; !err && s < n_sizes; s++)
        for (size_t i = 0; !err && i < w->n_contenders; i++)
            for (size_t a = 0; chosen[i] && !err && a < sizeof splits / sizeof *splits; a++)
                if (fb_question_allows(q, w->contenders[i].design, splits[a]))
                    err = add(w, q, q->runs, &w->contenders[i], splits[a], sizes[s]);
    if (err || !w->n)
        return err;
    find_front(w, q);
    w->pick = w->front[w->knee];
    for (size_t i = 0; w->price > 0 && i < w->n; i++)
        if (value_of(w, q, &w->at[i]) < value_of(w, q, &w->at[w->pick]))
            w->pick = i;
    choose_finalists(w, q);
    return FB_OK;
}

bool fb_weigh(struct fb_question *q, const json_t *document, struct fb_weighed *w,
              struct fb_problem *problem)
{
    const json_t *survey = fb_json_at(document, "parts.survey");
    size_t i;
    json_t *cell;
    memset(w, 0, sizeof *w);
    w->read_ns = fb_json_num(json_array_get(json_object_get(survey, "devices"), 0), "read_ns");
    if (!isfinite(w->read_ns))
        return fb_refuse(problem, "parts.survey: devices: read_ns is missing");
    w->price = fb_question_price(q, w->read_ns);
    json_array_foreach(json_object_get(survey, "cells"), i, cell) {
        if (!add_contender(w, cell))
            return fb_refuse(problem, "parts.survey: %.200s: its times cannot be read",
                             fb_json_str(cell, "id"));
    }
    if (json_array_size(json_object_get(q->document, "engine_checks")))
        take_engine(w, q);
    fb_outlook_bounds(q->runs, q->n_runs, &w->nothing.outlook, &w->perfect);
    w->nothing.by = &w->none;
    const enum fb_err err = weigh(w, q);
    if (err)
        return fb_refuse(problem, "%s", fb_err_text(err));
    return w->n || fb_refuse(problem,
                             "bits_per_key: no design has filters of at most %.6g bits "
                             "per key; give more",
                             q->most_bits);
}
