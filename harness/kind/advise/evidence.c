/* Candidates of every size and split, by formula and with the times of the survey; and how what was
 * measured of the finalists differs from that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/advise/advise.h"

/* ---- Contenders ---- */

const json_t *fb_advise_find(const json_t *part, const char *design)
{
    return fb_json_find(json_object_get(part, "cells"), "design", design);
}

/* The standard error of a time that was measured, by the lower side of its interval: where other
 * work disturbs, the upper one tells of that work. Without an interval a tenth of it. */
static double error_of(const json_t *time)
{
    const double median = fb_json_num(time, "median"), low = fb_json_num(time, "ci95.low"),
                 high = fb_json_num(time, "ci95.high");
    return !isfinite(low) || !isfinite(high) ? median / 10
           : low < median                    ? (median - low) / 1.96
                                             : (high - low) / (2 * 1.96);
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
    c->check_ns = (median - walk) / asked;
    c->error = error_of(json_object_get(lookup, "time"));
    w->walk_ns = w->n_contenders ? fmin(w->walk_ns, walk) : walk;
    w->n_contenders++;
    return true;
}

static struct fb_contender *contender_of(struct fb_weighed *w, const char *design)
{
    for (size_t i = 0; i < w->n_contenders; i++)
        if (!strcmp(w->contenders[i].design->name, design))
            return &w->contenders[i];
    return NULL;
}

/* What an engine takes beside what was measured here: its base in place of our walk, and for each
 * filter that is asked what the profile says of the design, or else what the first design of it
 * takes more there than here. */
static void take_engine(struct fb_weighed *w, const struct fb_question *asked)
{
    const json_t *checks = json_object_get(asked->document, "engine_checks");
    const double base = fb_json_num(asked->document, "engine_base_ns");
    double more = NAN;
    w->in_engine = json_array_size(checks);
    if (!w->in_engine)
        return;
    FB_EACH(check, checks) {
        const struct fb_contender *c = contender_of(w, fb_json_str(check, "design"));
        if (c && !isfinite(more))
            more = fb_json_num(check, "ns") - c->check_ns;
    }
    if (!isfinite(more)) /* none of them was surveyed */
        more = fb_json_num(json_array_get(checks, 0), "ns");
    w->engine_base_ns = base - w->walk_ns;
    for (size_t k = 0; k < w->n_contenders; k++) {
        w->contenders[k].engine_ns = base - w->contenders[k].walk_ns;
        w->contenders[k].engine_check_ns = more;
    }
    FB_EACH(check, checks) {
        struct fb_contender *c = contender_of(w, fb_json_str(check, "design"));
        if (c)
            c->engine_check_ns = fb_json_num(check, "ns") - c->check_ns;
    }
}

/* ---- Candidates ---- */

static const enum fb_allocation splits[] = {FB_ALLOC_UNIFORM, FB_ALLOC_OPTIMAL, FB_ALLOC_DROP_LAST};

/* Whether the filters are those of another split: a tree of one run has one way to split. */
static bool same_filters(const struct fb_candidate *a, const struct fb_candidate *b)
{
    return a->design == b->design && a->outlook.bytes == b->outlook.bytes &&
           a->outlook.reads_absent == b->outlook.reads_absent &&
           a->outlook.reads_present == b->outlook.reads_present;
}

/* Adds a contender's filters of `bits` bits per key: what the design is asked for, or, where it has
 * no such size, the most memory that they may take. Refusals are no failure. */
static enum fb_err add(struct fb_weighed *w, struct fb_question *q,
                       const struct fb_outlook_run *runs, const struct fb_contender *by,
                       enum fb_allocation allocation, double bits, bool present)
{
    struct fb_curves *curves = fb_question_curves(q, by->design);
    struct fb_candidate *c = &w->at[w->evidence.n];
    const char *why;
    double taken;
    *c = (struct fb_candidate){.design = by->design,
                               .allocation = allocation,
                               .request = bits,
                               .offered = fb_question_offers(q, by->design, allocation),
                               .present = present,
                               .walk_ns = by->walk_ns + by->engine_ns,
                               .check_ns = by->check_ns + by->engine_check_ns,
                               .engine_ns = by->engine_ns,
                               .engine_check_ns = by->engine_check_ns,
                               .cpu_scale = 1,
                               .reads_scale = 1,
                               .cpu_error = by->error,
                               .reads_error = 0.05};
    enum fb_err err = fb_outlook_of(curves, allocation, bits, runs, q->n_runs, q->absent,
                                    &c->outlook, NULL, &why);
    if (fb_err_refuses(err))
        err = fb_outlook_request(curves, q->unit_keys, bits, &c->request, &taken, &why);
    if (!err && c->request != bits)
        err = fb_outlook_of(curves, allocation, c->request, runs, q->n_runs, q->absent, &c->outlook,
                            NULL, &why);
    bool is_new = !err && c->outlook.bytes > 0;
    for (size_t i = 1; is_new && i < w->evidence.n; i++) {
        is_new = !same_filters(&w->at[i], c);
        w->at[i].present = w->at[i].present || (!is_new && present);
    }
    w->evidence.n += is_new && w->evidence.n + 1 < FB_MOST_CANDIDATES;
    return fb_err_refuses(err) ? FB_OK : err;
}

static void add_nothing(struct fb_weighed *w, const struct fb_question *q)
{
    struct fb_candidate *none = &w->at[0];
    *none = (struct fb_candidate){.offered = true,
                                  .walk_ns = w->walk_ns + w->engine_base_ns,
                                  .engine_ns = w->engine_base_ns,
                                  .cpu_scale = 1,
                                  .reads_scale = 1};
    fb_outlook_bounds(q->runs, q->n_runs, &none->outlook, &w->perfect);
    w->evidence = (struct fb_evidence){.at = w->at, .n = 1};
}

/* By size; of one size in the order of designs and splits. */
static int by_size(const void *a, const void *b)
{
    const struct fb_candidate *x = a, *y = b;
    if (x->outlook.bytes != y->outlook.bytes)
        return x->outlook.bytes < y->outlook.bytes ? -1 : 1;
    const int names = x->design && y->design ? strcmp(x->design->name, y->design->name)
                                             : (x->design != NULL) - (y->design != NULL);
    return names ? names : (int)x->allocation - (int)y->allocation;
}

static void number_filters(struct fb_weighed *w)
{
    w->n_filters = 0;
    for (size_t i = 1; i < w->evidence.n; i++) {
        struct fb_candidate *c = &w->at[i];
        for (size_t j = 1; j < i && !c->filter; j++)
            if (w->at[j].design == c->design && w->at[j].allocation == c->allocation)
                c->filter = w->at[j].filter;
        if (!c->filter && w->n_filters + 1 < FB_MOST_FILTERS)
            c->filter = ++w->n_filters;
    }
}

/* Whole bits per key, and all that there are. */
static size_t list_sizes(const struct fb_question *q, double sizes[FB_MOST_SIZES])
{
    size_t n = 0;
    for (double bits = 1; bits < FB_MOST_SIZES; bits++)
        sizes[n++] = bits;
    if (q->most_bits > 0 && (q->most_bits != floor(q->most_bits) || q->most_bits >= FB_MOST_SIZES))
        sizes[n++] = q->most_bits;
    return n;
}

/* ---- The shortlist ---- */

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
 * The contenders that cost least at the size that would be picked of uniform filters, and all that
 * the engine offers where they are few; filters of all runs are taken to be as large as those of
 * the largest, since each other size of filter needs curves of its own.
 */
static enum fb_err shortlist(struct fb_weighed *w, struct fb_question *q,
                             const struct fb_inputs *in, const double *sizes, size_t n_sizes,
                             bool chosen[FB_MOST_CONTENDERS])
{
    struct fb_outlook_run *alike = malloc(q->n_runs * sizeof *alike);
    struct rated rated[FB_MOST_CONTENDERS];
    size_t n = 0;
    enum fb_err err = alike ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; alike && i < q->n_runs; i++) {
        alike[i] = q->runs[i];
        alike[i].unit_keys = fb_min_u64(alike[i].keys, q->unit_keys);
    }
    for (size_t s = 0; !err && s < n_sizes; s++)
        for (size_t i = 0; !err && i < w->n_contenders; i++)
            err = add(w, q, alike, &w->contenders[i], FB_ALLOC_UNIFORM, sizes[s], false);
    free(alike);
    if (err)
        return err;
    qsort(w->at, w->evidence.n, sizeof *w->at, by_size);
    const double most = w->at[fb_choose(&w->evidence, in, 0, NULL)].outlook.bytes;
    for (size_t i = 0; i < w->n_contenders; i++) {
        rated[n] = (struct rated){i, INFINITY};
        for (size_t c = 1; c < w->evidence.n && w->at[c].outlook.bytes <= most; c++)
            if (w->at[c].design == w->contenders[i].design)
                rated[n].cost = fmin(rated[n].cost, fb_candidate_cost(&w->at[c], in));
        n++;
    }
    qsort(rated, n, sizeof *rated, by_cost);
    for (size_t i = 0; i < n; i++)
        chosen[rated[i].contender] =
            i < FB_SHORTLIST || !strcmp(w->contenders[rated[i].contender].design->name,
                                        fb_json_str(q->document, "from"));
    return FB_OK;
}

static enum fb_err find_candidates(struct fb_weighed *w, struct fb_question *q,
                                   const struct fb_question *asked, const struct fb_inputs *in)
{
    double sizes[FB_MOST_SIZES];
    bool chosen[FB_MOST_CONTENDERS];
    const size_t n_sizes = list_sizes(q, sizes);
    const json_t *d = asked->document;
    const struct fb_contender *today = contender_of(w, fb_json_str(d, "from"));
    const double bits = fb_json_num(d, "from_bits");
    enum fb_err err = fb_question_make_curves(q);
    memset(chosen, 1, sizeof chosen);
    add_nothing(w, q);
    if (!err && w->n_contenders > FB_SHORTLIST)
        err = shortlist(w, q, in, sizes, n_sizes, chosen);
    add_nothing(w, q);
    for (size_t s = 0; !err && s < n_sizes; s++)
        for (size_t i = 0; !err && i < w->n_contenders; i++)
            for (size_t a = 0; chosen[i] && !err && a < sizeof splits / sizeof *splits; a++)
                if (q->all_designs || fb_question_offers(q, w->contenders[i].design, splits[a]))
                    err = add(w, q, q->runs, &w->contenders[i], splits[a], sizes[s], false);
    if (!err && today && bits > 0)
        err = add(w, q, q->runs, today,
                  (enum fb_allocation)fb_word_find(fb_allocations, fb_json_str(d, "from_split")),
                  bits, true);
    qsort(w->at, w->evidence.n, sizeof *w->at, by_size);
    number_filters(w);
    return err;
}

/* ---- What was measured ---- */

static double request_of(const json_t *cell)
{
    return fb_json_num(cell, "params.bits_per_key");
}

/* The two cells of each filter at most: those of its own pick and of the present setting. */
static void find_cells(struct fb_weighed *w, const json_t *document)
{
    FB_EACH(cell, fb_json_at(document, "parts.final.cells")) {
        const char *design = fb_json_str(cell, "design"),
                   *split = fb_json_str(cell, "params.allocation");
        for (size_t c = 1; c < w->evidence.n; c++) {
            const json_t **of = w->cell[w->at[c].filter];
            if (strcmp(w->at[c].design->name, design) != 0 ||
                strcmp(fb_allocations[w->at[c].allocation].name, split) != 0)
                continue;
            of[of[0] ? 1 : 0] = cell;
            break;
        }
    }
}

const json_t *fb_weighed_cell(const struct fb_weighed *w, const struct fb_candidate *c)
{
    for (size_t k = 0; k < 2; k++)
        if (w->cell[c->filter][k] && request_of(w->cell[c->filter][k]) == c->request)
            return w->cell[c->filter][k];
    return NULL;
}

/* Reads per query: as counted, or, where the tree that was measured is smaller than the real one,
 * as predicted for that, less what the block cache kept. */
static void take_reads(const struct fb_question *q, const json_t *cell, struct fb_candidate *c)
{
    const double predicted = fb_outlook_reads(&c->outlook, q->absent);
    const double counted = fb_json_num(cell, "reads.io");
    const double blocks = fb_json_num(cell, "expectation.simulated");
    const double half =
        (fb_json_num(cell, "reads.io_ci95.high") - fb_json_num(cell, "reads.io_ci95.low")) / 2;
    c->reads_scale = q->n_measured < q->n ? (blocks > 0 ? counted / blocks : 1)
                     : predicted > 0      ? counted / predicted
                                          : 1;
    c->reads_error = counted > 0 ? half / 1.96 / counted : 0;
}

/* What a cell says of the candidate that it measured; false: it cannot be read. */
static bool take_cell(const struct fb_question *q, const json_t *cell, struct fb_candidate *c)
{
    const json_t *time = fb_json_at(json_array_get(json_object_get(cell, "lookups"), 0), "time");
    const double asked = fb_outlook_asked(&c->outlook, q->absent);
    const double cpu = fb_json_num(time, "median") + c->engine_ns + c->engine_check_ns * asked;
    take_reads(q, cell, c);
    c->cpu_scale = cpu / (c->walk_ns + c->check_ns * asked);
    c->cpu_error = error_of(time);
    return isfinite(c->cpu_scale) && isfinite(c->reads_scale) && isfinite(c->reads_error);
}

/* Of each filter that was measured the candidates differ from their prediction as the nearest one
 * does that was measured itself. */
static bool take_measured(struct fb_weighed *w, const struct fb_question *q,
                          struct fb_problem *problem)
{
    struct fb_candidate *measured[FB_MOST_FILTERS][2] = {{0}};
    for (size_t i = 1; i < w->evidence.n; i++) {
        struct fb_candidate *c = &w->at[i];
        const json_t *cell = fb_weighed_cell(w, c);
        if (cell && !take_cell(q, cell, c))
            return fb_refuse(problem, "parts.final: %.200s: its costs cannot be read",
                             fb_json_str(cell, "id"));
        if (cell)
            measured[c->filter][measured[c->filter][0] ? 1 : 0] = c;
    }
    for (size_t i = 1; i < w->evidence.n; i++) {
        struct fb_candidate *c = &w->at[i];
        struct fb_candidate **of = measured[c->filter];
        const bool second =
            of[1] && fabs(of[1]->request - c->request) < fabs(of[0]->request - c->request);
        const struct fb_candidate *near = of[second];
        if (!near)
            continue;
        c->cpu_scale = near->cpu_scale;
        c->reads_scale = near->reads_scale;
        c->cpu_error = near->cpu_error;
        c->reads_error = near->reads_error;
    }
    /* Without a profile the engine may take as long again for a check as it takes here. */
    for (size_t i = 1; i < w->evidence.n && !w->in_engine; i++)
        w->at[i].cpu_error =
            hypot(w->at[i].cpu_error, w->at[i].cpu_scale * w->at[i].check_ns *
                                          fb_outlook_asked(&w->at[i].outlook, q->absent));
    /* The block cache is taken to keep the same share of reads without filters. */
    for (size_t i = 1; i < w->evidence.n && fb_json_uint(q->document, "cache_bytes"); i++)
        if (fb_weighed_cell(w, &w->at[i]))
            w->at[0].reads_scale = w->at[i].reads_scale;
    return true;
}

/* ---- Finalists ---- */

/* The present setting, then of each filter its pick, the cheapest first. */
static void choose_finalists(struct fb_weighed *w, const struct fb_inputs *in)
{
    struct rated rated[FB_MOST_FILTERS];
    size_t n = 0;
    for (unsigned filter = 1; filter <= w->n_filters; filter++) {
        const size_t best = fb_choose(&w->evidence, in, filter, NULL);
        if (best < w->evidence.n)
            rated[n++] = (struct rated){best, fb_candidate_cost(&w->at[best], in)};
    }
    qsort(rated, n, sizeof *rated, by_cost);
    w->n_finalists = 0;
    for (size_t i = 1; i < w->evidence.n; i++)
        if (w->at[i].present)
            w->finalist[w->n_finalists++] = i;
    for (size_t i = 0; i < n && w->n_finalists < FB_FINALISTS; i++)
        if (!w->n_finalists || rated[i].contender != w->finalist[0])
            w->finalist[w->n_finalists++] = rated[i].contender;
}

/* ---- Everything ---- */

bool fb_weigh(struct fb_question *q, const struct fb_question *asked, const json_t *document,
              struct fb_weighed *w, struct fb_problem *problem)
{
    const json_t *survey = fb_json_at(document, "parts.survey");
    struct fb_inputs in;
    memset(w, 0, sizeof *w);
    if (!fb_question_inputs(q, document, &in))
        return fb_refuse(problem, "parts.survey: devices: read_ns is missing");
    FB_EACH(cell, json_object_get(survey, "cells")) {
        if (!add_contender(w, cell))
            return fb_refuse(problem, "parts.survey: %.200s: its times cannot be read",
                             fb_json_str(cell, "id"));
    }
    take_engine(w, asked);
    const enum fb_err err = find_candidates(w, q, asked, &in);
    if (err)
        return fb_refuse(problem, "%s", fb_err_text(err));
    choose_finalists(w, &in);
    find_cells(w, document);
    if (!take_measured(w, q, problem))
        return false;
    return w->n_finalists || fb_refuse(problem,
                                       "bits_per_key: no design has filters of at most %.6g bits "
                                       "per key; give more",
                                       q->most_bits);
}
