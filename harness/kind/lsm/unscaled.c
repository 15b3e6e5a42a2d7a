/* The filters that a scaled tree would have at scale 1: their rates, where no formula tells. */
#include <math.h>

#include "filters/core/bits.h"
#include "filters/core/simulate.h"
#include "harness/kind/lsm/run.h"

enum {
    MOST_KEYS = 1 << 23, /* of a filter that is built for this */
    SOME_KEYS = 1 << 20, /* of all filters of one size together, about */
    QUERIES = 1 << 18,
};

/* What the filters of one size are measured on. */
struct sample {
    const struct fb_lsm *e;
    const struct fb_lsm_filter *filter;
    const struct fb_lsm_tree *spec;
    const struct fb_tree *tree;
    const struct fb_run *run;
    const struct fb_params *params;
    unsigned n_threads;
};

struct counted {
    uint64_t keys, asked, wrong; /* asked 0: not known */
    bool ideal;                  /* ideal hash words stood for the keys */
};

/* Keys of which n are present: as densely as those of the run, and from the middle of all, where
 * the tree has `times` as many keys as it has. *slice is the part of a file that they come from.
 * False: the file is too small. */
static bool keys_like(const struct sample *s, uint64_t n, double times, struct fb_keys *slice,
                      struct fb_keyspace *out)
{
    const struct fb_keyspace *space = s->tree->space;
    const double present = times * (double)space->n_present;
    if (!space->file) {
        const uint64_t absent = fb_lsm_absent_for_each(s->e, (uint64_t)present);
        const double all = (1 + (double)absent) * present;
        const double each = all / (times * (double)s->run->n_keys);
        const bool mixed = space->order == FB_ORDER_SHUFFLE;
        fb_keyspace_generate_sparse(&s->spec->keygen, s->spec->order, n,
                                    mixed ? (uint64_t)fmax(1, round(each) - 1) : absent, s->e->seed,
                                    out);
        out->base = (uint64_t)fmax(0, (all - (double)out->size) / 2);
        return true;
    }
    *slice = *space->file;
    slice->n =
        (size_t)fmin((double)slice->n, (double)slice->n / (double)s->run->n_keys * (double)n);
    slice->offset += (space->file->n - slice->n) / 2;
    if (slice->n < n + n / 8 + 1)
        return false;
    fb_keyspace_of_file(slice, n, s->e->seed, out);
    return true;
}

/* Builds filters of n keys each and asks them for absent keys. */
static enum fb_err ask_filters(const struct sample *s, uint64_t n, const struct fb_keyspace *space,
                               struct counted *out, bool *complete, const char **why)
{
    const struct fb_tree_shape shape = {.style = FB_FLAT,
                                        .n_runs = 1,
                                        .value_bytes = 1,
                                        .segment_bytes = n,
                                        .scale = 1,
                                        .n_keys = space->n_present};
    const struct fb_query_spec absent = {.absent = 1, .holder = FB_PROPORTIONAL};
    const struct fb_read_spec reading = {
        .policy = FB_CACHE_NONE, .block_bytes = 4096, .entry_bytes = 1, .index_entry_bytes = 1};
    struct fb_tree tree = {0};
    struct fb_forest forest = {0};
    struct fb_queries queries = {0};
    struct fb_read_counts counts = {0};
    const struct fb_forest_spec spec = {.design = s->filter->design,
                                        .hash = s->filter->hash,
                                        .params = s->params,
                                        .prefix = &s->filter->prefix,
                                        .window_bytes = FB_LSM_WINDOW_BYTES,
                                        .n_threads = s->n_threads};
    struct fb_ask ask = {
        .forest = &forest, .queries = &queries, .n = QUERIES, .n_threads = s->n_threads};
    enum fb_err err = fb_tree_make(&shape, space, FB_LSM_LIST_LIMIT, &tree, why);
    if (!err)
        err = fb_forest_build(&spec, &tree, &forest, complete, why);
    if (!err && *complete)
        err = fb_queries_init(&absent, &tree, s->e->seed, &queries, why);
    if (!err && *complete)
        err = fb_read_path_count(&ask, &reading, &counts, complete);
    if (!err && *complete)
        *out = (struct counted){n, counts.asked, counts.data_false, false};
    fb_read_counts_close(&counts);
    fb_queries_close(&queries);
    fb_forest_close(&forest);
    fb_tree_close(&tree);
    return err;
}

/* Filters of n keys each, `times` what they have, of keys like those of the run where there are
 * enough. */
static enum fb_err count(const struct sample *s, uint64_t n, double times, struct counted *out,
                         bool *complete, const char **why)
{
    const enum fb_scheme scheme = s->filter->design->scheme;
    const uint64_t filters = fb_min_u64(fb_run_units(s->run), fb_max_u64(1, SOME_KEYS / n));
    struct fb_params params = *s->params;
    struct fb_geometry geom;
    struct fb_keys slice;
    struct fb_keyspace space;
    *out = (struct counted){.keys = n};
    if (n > MOST_KEYS)
        return FB_OK;
    if (keys_like(s, filters * n, times, &slice, &space) || keys_like(s, n, times, &slice, &space))
        return ask_filters(s, n, &space, out, complete, why);
    if (scheme == FB_SCHEME_CLOSED || s->filter->prefix.kind != FB_PREFIX_NONE)
        return FB_OK;
    *out = (struct counted){n, QUERIES, 0, true};
    enum fb_err err = fb_params_plan(s->filter->design, n, &params, &geom, why);
    return err ? err
               : fb_simulate_filter(scheme, n, geom.n_bits, geom.probes, QUERIES, s->e->seed,
                                    &out->wrong);
}

static json_t *counted_json(const struct counted *c)
{
    return json_pack("{s:o, s:o, s:o, s:b}", "keys", fb_json_int(c->keys), "asked",
                     fb_json_int(c->asked), "false", fb_json_int(c->wrong), "ideal", c->ideal);
}

/* Whether two runs have filters of as many keys, sized alike. */
static bool is_like(const struct fb_run *a, const struct fb_params *of_a, const struct fb_run *b,
                    const struct fb_params *of_b)
{
    return a->n_keys == b->n_keys && fb_run_units(a) == fb_run_units(b) &&
           of_a->bits_per_key == of_b->bits_per_key && of_a->fpr == of_b->fpr;
}

enum fb_err fb_lsm_unscaled(const struct fb_lsm *e, const struct fb_lsm_cell *cell,
                            const struct fb_tree *tree, const struct fb_params *params,
                            unsigned n_threads, json_t **out, bool *complete, const char **why)
{
    const struct fb_lsm_filter *filter = &e->filters[cell->filter];
    enum fb_err err = FB_OK;
    *out = json_array();
    *complete = true;
    for (size_t i = 0; !err && *complete && i < tree->n_runs; i++) {
        const struct fb_run *run = &tree->runs[i];
        const struct sample s = {e,          filter,   &e->trees[cell->tree], tree, run,
                                 &params[i], n_threads};
        const struct fb_lsm_sizes n = fb_lsm_sizes(tree, run);
        struct counted scaled, unscaled;
        json_t *row = NULL;
        if (!fb_lsm_has_filter(run, &params[i]) || fb_lsm_formula_fits(filter, &params[i], n)) {
            row = json_null();
        } else if (i && is_like(run, &params[i], run - 1, &params[i - 1])) {
            row = json_incref(json_array_get(*out, i - 1));
        } else {
            err = count(&s, n.scaled, 1, &scaled, complete, why);
            if (!err && *complete)
                err = count(&s, n.unscaled, (double)n.unscaled / (double)n.scaled, &unscaled,
                            complete, why);
            if (!err && *complete)
                row = json_pack("{s:o, s:o}", "scaled", counted_json(&scaled), "unscaled",
                                counted_json(&unscaled));
        }
        json_array_append_new(*out, row);
    }
    if (err || !*complete) {
        json_decref(*out);
        *out = NULL;
    }
    return err;
}
