/* Facts of a cell of kind "lsm" that contradict what was asked for. Those that contradict each
 * other break a rule of members.txt. */
#include <math.h>

#include "filters/core/bits.h"
#include "filters/core/simulate.h"
#include "harness/kind/lsm/report/report.h"
#include "harness/kind/lsm/run.h"

static uint64_t whole_at(const json_t *list, size_t i)
{
    return (uint64_t)json_integer_value(json_array_get(list, i));
}

/* ---- What was asked for ---- */

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

/* What the filters of a run take: as the run says, or planned again where there is one of all keys.
 */
static struct fb_lsm_built built_of(const struct fb_lsm_filter *filter, const struct fb_run *run,
                                    const struct fb_params *asked, const json_t *given)
{
    const struct fb_design *design = filter->design;
    struct fb_params params = *asked;
    struct fb_geometry geom;
    const char *why;
    if (!fb_lsm_has_filter(run, asked) || fb_run_units(run) != 1 ||
        filter->prefix.kind != FB_PREFIX_NONE || design->traits & FB_DROPS_ADJACENT)
        return (struct fb_lsm_built){fb_json_uint(given, "bytes"), fb_json_uint(given, "probes"),
                                     fb_json_num(given, "model")};
    if (fb_params_plan(design, run->n_keys, &params, &geom, &why))
        return (struct fb_lsm_built){UINT64_MAX, 0, NAN};
    const bool closed =
        !fb_scheme_needs_simulation(design->scheme, run->n_keys, geom.n_bits, geom.probes);
    return (struct fb_lsm_built){geom.n_bytes, geom.probes,
                                 closed ? design->fpr(&geom, run->n_keys) : NAN};
}

/* "runs" of a tree of generated keys. NULL: such filters cannot be asked for. */
static json_t *runs_json(const struct fb_lsm *e, const struct fb_lsm_filter *filter,
                         const struct fb_tree *tree, double absent, const json_t *given)
{
    struct fb_params params[FB_MAX_RUNS];
    double share[FB_MAX_RUNS];
    const char *why = NULL;
    for (size_t i = 0; i < tree->n_runs; i++)
        share[i] = json_number_value(json_object_get(json_array_get(given, i), "holder_share"));
    if (fb_lsm_params(e, filter, tree, absent, share, params, &why))
        return NULL;
    json_t *runs = json_array();
    for (size_t i = 0; i < tree->n_runs; i++)
        json_array_append_new(runs, fb_lsm_run_json(tree, i, &params[i],
                                                    built_of(filter, &tree->runs[i], &params[i],
                                                             json_array_get(given, i))));
    return runs;
}

/* What the experiment decides of a cell: of a tree of files or a trace its shape is not known.
 * NULL: there can be no such cell. */
static json_t *planned_json(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                            const json_t *cell, struct fb_lsm_facts *facts)
{
    const struct fb_lsm_tree *spec = &e->trees[planned->tree];
    const struct fb_lsm_filter *filter = &e->filters[planned->filter];
    const bool made = !spec->file && !spec->trace;
    const double absent = spec->trace ? fb_json_num(cell, "params.absent") /* the trace says */
                                      : e->streams[planned->stream].absent;
    if (made && !stand_up(e, planned->tree, facts))
        return NULL;
    json_t *tree = made ? fb_lsm_tree_json(spec, &facts->tree)
                        : json_pack("{s:s, s:s}", "style", fb_styles[spec->style].name, "order",
                                    fb_orders[spec->order].name);
    json_t *j = json_pack("{s:s, s:s, s:o, s:o}", "design", filter->design->name, "keys",
                          fb_lsm_keys_name(spec), "params", fb_lsm_params_json(e, planned, absent),
                          "tree", tree);
    if (!made)
        return j;
    json_object_set_new(tree, "ranks_exact", json_boolean(facts->tree.n_keys <= FB_LSM_LIST_LIMIT));
    json_object_set_new(j, "runs",
                        runs_json(e, filter, &facts->tree, absent, json_object_get(cell, "runs")));
    return j;
}

/* ---- What follows from it ---- */

/* Designs that take a word for each probe have as many as the most probes of any filter. */
static bool words_fit(const struct fb_design *design, const json_t *cell)
{
    const json_t *runs = json_object_get(cell, "runs");
    const uint64_t words = fb_json_uint(cell, "filter.digest_words");
    uint64_t most = 1;
    for (size_t i = 0; i < json_array_size(runs); i++)
        most = fb_max_u64(most, fb_json_uint(json_array_get(runs, i), "probes"));
    return design->digest_words ? words == design->digest_words : words >= most;
}

/* All queries come to a run that were not answered by those before it. */
static bool queries_go_on(const json_t *counts)
{
    const json_t *reached = json_object_get(counts, "run_reached"),
                 *held = json_object_get(counts, "run_held");
    uint64_t left = (uint64_t)json_integer_value(json_object_get(counts, "queries"));
    size_t i = 0;
    for (; i < json_array_size(reached) && whole_at(reached, i) == left; i++)
        left -= whole_at(held, i);
    return i == json_array_size(reached);
}

const char *fb_lsm_contradiction(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                                 const json_t *cell, struct fb_lsm_facts *facts)
{
    json_auto_t *asked = planned_json(e, planned, cell, facts);
    const char *where = NULL;
    const bool agree = asked && fb_json_agree(asked, cell, &where);
    if (!agree)
        return where ? where : "tree";
    if (!words_fit(e->filters[planned->filter].design, cell))
        return "filter.digest_words";
    if (!queries_go_on(json_object_get(cell, "counts")))
        return "counts.run_reached";
    const char *wrong = fb_lsm_wrong_unscaled(e, planned, cell);
    return wrong ? wrong : fb_lsm_wrong_build(e, planned, cell);
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
