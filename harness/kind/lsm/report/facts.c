/* Facts of a cell of kind "lsm" that contradict each other or what was asked for. */
#include <math.h>
#include <string.h>

#include "filters/core/simulate.h"
#include "harness/kind/lsm/report/report.h"
#include "harness/kind/lsm/run.h"

static uint64_t whole(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

/* The first of names [ends with NULL] that both have otherwise; NULL: none. Steals `asked`. */
static const char *differing(json_t *asked, const json_t *given, const char *const *names)
{
    const char *where = NULL;
    while (*names &&
           fb_json_agree(json_object_get(asked, *names), json_object_get(given, *names), &where))
        names++;
    json_decref(asked);
    return *names;
}

/* ---- What was asked for ---- */

static const char *wrong_params(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                                const json_t *params)
{
    static const char *const names[] = {
        "bits_per_key", "fpr",         "allocation",       "hash", "prefix", "whole_key", "absent",
        "absent_kind",  "cache_bytes", "filter_residency", NULL};
    double absent = e->streams[planned->stream].absent;
    if (e->trees[planned->tree].trace) /* the trace says */
        absent = json_number_value(json_object_get(params, "absent"));
    return differing(fb_lsm_params_json(e, planned, absent), params, names);
}

/* How many keys the queries ask for, in effect: null where they ask for none. */
static const char *wrong_effective(const json_t *cell)
{
    const json_t *effective = json_object_get(cell, "effective");
    const double absent = fb_json_num(cell, "params.absent");
    if (absent >= 1 && !json_is_null(json_object_get(effective, "present")))
        return "effective.present";
    return absent > 0 || json_is_null(json_object_get(effective, "absent")) ? NULL
                                                                            : "effective.absent";
}

/* ---- The tree ---- */

/* Designs that take a word for each probe have as many as the most probes of any filter. */
static const char *wrong_words(const struct fb_design *design, const json_t *cell)
{
    const json_t *runs = json_object_get(cell, "runs");
    uint64_t words = whole(json_object_get(cell, "filter"), "digest_words"), most = 1;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        uint64_t probes = whole(json_array_get(runs, i), "probes");
        most = probes > most ? probes : most;
    }
    return design->digest_words ? (words == design->digest_words ? NULL : "filter.digest_words")
                                : (words >= most ? NULL : "filter.digest_words");
}

/* The tree of generated keys; false: there is none of this shape. */
static bool stand_up(const struct fb_lsm *e, size_t number, struct fb_lsm_facts *facts)
{
    const struct fb_lsm_tree *spec = &e->trees[number];
    struct fb_tree_shape shape;
    struct fb_problem problem;
    const char *why = NULL;
    uint64_t n;
    if (facts->tree.runs && facts->number == number)
        return true;
    fb_tree_close(&facts->tree);
    facts->number = number;
    if (!fb_lsm_shape(e, number, &shape, &problem) || fb_tree_n_keys(&shape, &n, &why))
        return false;
    fb_keyspace_generate(&spec->keygen, FB_ORDER_SHUFFLE, n, e->seed, &facts->space);
    return fb_tree_make(&shape, &facts->space, 0, &facts->tree, &why) == FB_OK;
}

/* The filter of a run that has one, of all of its keys, planned again. */
static const char *wrong_single(const struct fb_lsm_filter *filter, const struct fb_params *asked,
                                uint64_t n_keys, const json_t *j)
{
    const struct fb_design *design = filter->design;
    const json_t *model = json_object_get(j, "model");
    struct fb_params params = *asked;
    struct fb_geometry geom;
    const char *why;
    if (fb_params_plan(design, n_keys, &params, &geom, &why) || geom.n_bytes != whole(j, "bytes"))
        return "bytes";
    if (geom.probes != whole(j, "probes"))
        return "probes";
    const bool closed =
        !fb_scheme_needs_simulation(design->scheme, n_keys, geom.n_bits, geom.probes);
    const double rate = closed ? design->fpr(&geom, n_keys) : NAN;
    return isfinite(rate) ? (fabs(json_number_value(model) - rate) <= 1e-9 * rate ? NULL : "model")
                          : (json_is_null(model) ? NULL : "model");
}

static const char *wrong_run(const struct fb_lsm_filter *filter, const struct fb_tree *tree,
                             size_t i, const struct fb_params *params, const json_t *j)
{
    static const char *const names[] = {
        "level",      "keys",       "segments",           "units", "memtable",
        "bits_asked", "rate_asked", "unscaled_unit_keys", NULL};
    const struct fb_run *run = &tree->runs[i];
    const json_t *model = json_object_get(j, "model");
    const bool has = fb_lsm_has_filter(run, params);
    const char *wrong = differing(fb_lsm_run_json(tree, i, params), j, names);
    if (wrong)
        return wrong;
    if (json_is_number(model)
            ? !has || !(json_number_value(model) >= 0) || json_number_value(model) > 1
            : !json_is_null(model))
        return "model";
    if (!has && whole(j, "bytes"))
        return "bytes";
    if (has != json_is_integer(json_object_get(j, "probes")))
        return "probes";
    const bool planned = has && fb_run_units(run) == 1 && filter->prefix.kind == FB_PREFIX_NONE &&
                         !(filter->design->traits & FB_DROPS_ADJACENT);
    return planned ? wrong_single(filter, params, run->n_keys, j) : NULL;
}

static const char *wrong_tree(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                              const json_t *cell, struct fb_lsm_facts *facts)
{
    static const char *const names[] = {"style",        "order",     "levels",
                                        "segment_keys", "unit_keys", NULL};
    static const char *const of_any[] = {"style", "order", NULL};
    const struct fb_lsm_tree *spec = &e->trees[planned->tree];
    const json_t *j = json_object_get(cell, "tree"), *runs = json_object_get(cell, "runs");
    const bool made = !spec->file && !spec->trace;
    const struct fb_tree *tree = &facts->tree;
    struct fb_params params[FB_MAX_RUNS];
    double share[FB_MAX_RUNS], shares = 0, absent = fb_json_num(cell, "params.absent");
    const char *why = NULL;
    if (made && (!stand_up(e, planned->tree, facts) || tree->n_runs != json_array_size(runs)))
        return "tree.runs";
    const char *wrong = differing(fb_lsm_tree_json(spec, tree), j, made ? names : of_any);
    if (wrong || !made)
        return wrong;
    if (json_is_true(json_object_get(j, "ranks_exact")) != (tree->n_keys <= FB_LSM_LIST_LIMIT))
        return "ranks_exact";
    for (size_t i = 0; i < tree->n_runs; i++)
        shares += share[i] =
            json_number_value(json_object_get(json_array_get(runs, i), "holder_share"));
    if (fabs(shares - (absent < 1 ? 1 : 0)) > 1e-9)
        return "holder_share";
    if (fb_lsm_params(e, &e->filters[planned->filter], tree, absent, share, params, &why))
        return "params";
    for (size_t i = 0; i < tree->n_runs && !wrong; i++)
        wrong =
            wrong_run(&e->filters[planned->filter], tree, i, &params[i], json_array_get(runs, i));
    return wrong;
}

/* ---- All of it ---- */

const char *fb_lsm_contradiction(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                                 const json_t *cell, struct fb_lsm_facts *facts)
{
    const json_t *runs = json_object_get(cell, "runs");
    const char *wrong;
    if (!json_array_size(runs) || json_array_size(runs) > FB_MAX_RUNS)
        return "runs";
    if (strcmp(fb_json_str(cell, "design"), e->filters[planned->filter].design->name))
        return "design";
    if (strcmp(fb_json_str(cell, "keys"), fb_lsm_keys_name(&e->trees[planned->tree])))
        return "keys";
    if (!(wrong = wrong_params(e, planned, json_object_get(cell, "params"))) &&
        !(wrong = wrong_effective(cell)) &&
        !(wrong = wrong_words(e->filters[planned->filter].design, cell)) &&
        !(wrong = fb_lsm_wrong_counts(e, planned, cell)) &&
        !(wrong = fb_lsm_wrong_unscaled(e, planned, cell)) &&
        !(wrong = wrong_tree(e, planned, cell, facts)) &&
        !(wrong = fb_lsm_wrong_build(e, planned, cell)))
        wrong = fb_lsm_wrong_scans(cell);
    return wrong;
}

/* Whether the design has all the sizes that the runs are to have, at the mean of their units. */
static bool all_planned(const struct fb_design *design, const struct fb_tree *tree,
                        const struct fb_params *asked)
{
    for (size_t i = 0; i < tree->n_runs; i++) {
        struct fb_params params = asked[i];
        struct fb_geometry geom;
        const char *why;
        if (fb_lsm_has_filter(&tree->runs[i], &params) &&
            fb_params_plan(design, fb_lsm_sizes(tree, &tree->runs[i]).scaled, &params, &geom, &why))
            return false;
    }
    return true;
}

bool fb_lsm_is_countable(const struct fb_lsm *e, const struct fb_lsm_cell *cell,
                         struct fb_lsm_facts *facts)
{
    const struct fb_lsm_tree *tree = &e->trees[cell->tree];
    const struct fb_lsm_filter *filter = &e->filters[cell->filter];
    const struct fb_lsm_stream *stream = &e->streams[cell->stream];
    struct fb_query_spec spec = e->spec;
    struct fb_queries queries;
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    struct fb_params params[FB_MAX_RUNS];
    double share[FB_MAX_RUNS];
    const char *why = NULL;
    spec.absent = stream->absent;
    spec.absent_kind = stream->kind;
    if (tree->file || tree->trace || stream->kind == FB_ADVERSARIAL || filter->hash ||
        filter->design->when_full || filter->prefix.kind != FB_PREFIX_NONE ||
        !fb_lsm_demand(e, cell, &demand, &problem) || !stand_up(e, cell->tree, facts) ||
        fb_queries_init(&spec, &facts->tree, e->seed, &queries, &why))
        return false;
    fb_queries_shares(&queries, share);
    const enum fb_err err =
        fb_lsm_params(e, filter, &facts->tree, spec.absent, share, params, &why);
    fb_queries_close(&queries);
    return !err && all_planned(filter->design, &facts->tree, params);
}
