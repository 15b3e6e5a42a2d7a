/* The facts of a cell of kind "lsm" as JSON. */
#include <math.h>
#include <string.h>

#include "filters/core/bits.h"
#include "harness/document/points.h"
#include "harness/kind/lsm/run.h"

/* ---- What was asked for ---- */

json_t *fb_lsm_params_json(const struct fb_lsm *e, const struct fb_lsm_cell *cell, double absent)
{
    static const char *const control = "a control has no size", *const other = "sized otherwise";
    const struct fb_lsm_filter *f = &e->filters[cell->filter];
    const struct fb_lsm_stream *s = &e->streams[cell->stream];
    const struct fb_lsm_reading *r = &e->readings[cell->reading];
    const char *why = f->sizing == FB_LSM_NO_SIZE ? fb_why_no_size(f->design) : other;
    bool allocated = f->sizing != FB_LSM_LEVELS && !(f->design->traits & FB_CONTROL);
    json_t *p = json_object();
    fb_json_known(p, "bits_per_key", f->sizing == FB_LSM_BITS ? json_real(f->size) : NULL, why);
    fb_json_known(p, "fpr", f->sizing == FB_LSM_RATE ? json_real(f->size) : NULL, why);
    fb_json_known(p, "allocation",
                  allocated ? json_string(fb_allocations[f->allocation].name) : NULL,
                  f->sizing == FB_LSM_LEVELS ? "given by level" : control);
    fb_json_known(p, "hash", f->hash ? json_string(f->hash->name) : NULL, "the design's own");
    bool prefixed = f->prefix.kind != FB_PREFIX_NONE;
    fb_json_known(p, "prefix", prefixed ? json_string(f->prefix.text) : NULL,
                  "the filters hold keys alone");
    json_object_set_new(p, "whole_key", json_boolean(f->prefix.whole_key));
    json_object_set_new(p, "absent", json_real(absent));
    fb_json_known(p, "absent_kind",
                  s->absent > 0 ? json_string(fb_absent_kinds[s->kind].name) : NULL,
                  e->trees[cell->tree].trace ? "the trace says which keys are asked for"
                                             : "no query is for an absent key");
    json_object_set_new(p, "cache_bytes", fb_json_int(r->cache_bytes));
    json_object_set_new(p, "filter_residency", json_string(fb_residencies[r->filters].name));
    return p;
}

/* ---- The tree and its filters ---- */

json_t *fb_lsm_tree_json(const struct fb_lsm_tree *spec, const struct fb_tree *tree)
{
    uint64_t segments = 0, unit_keys = 0;
    bool listed = true;
    for (size_t i = 0; i < tree->n_runs; i++) {
        const struct fb_run *run = &tree->runs[i];
        segments += run->n_segments;
        listed = listed && run->member;
        if (!run->memtable)
            unit_keys = fb_max_u64(unit_keys, fb_lsm_sizes(tree, run).scaled);
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "style",
                     fb_styles[spec->style].name, "order", fb_orders[spec->order].name, "levels",
                     fb_json_int(tree->n_levels), "runs", fb_json_int(tree->n_runs), "segments",
                     fb_json_int(segments), "units", fb_json_int(tree->n_units), "segment_keys",
                     fb_json_int(tree->segment_keys), "unit_keys", fb_json_int(unit_keys),
                     "ranks_exact", listed);
}

bool fb_lsm_has_filter(const struct fb_run *run, const struct fb_params *p)
{
    return !run->memtable && p->bits_per_key >= 0;
}

json_t *fb_lsm_run_json(const struct fb_tree *tree, size_t i, const struct fb_params *p,
                        struct fb_lsm_built built)
{
    const struct fb_run *run = &tree->runs[i];
    const bool has = fb_lsm_has_filter(run, p);
    const char *none = run->memtable ? "a memtable has no filter" : "no filter";
    const char *why = has ? "sized otherwise" : none;
    json_t *j = json_pack("{s:o, s:b, s:o, s:o, s:o, s:o}", "level", fb_json_int(run->level),
                          "memtable", run->memtable, "keys", fb_json_int(run->n_keys), "segments",
                          fb_json_int(run->n_segments), "units", fb_json_int(fb_run_units(run)),
                          "unscaled_unit_keys", fb_json_int(fb_lsm_sizes(tree, run).unscaled));
    fb_json_known(j, "bits_asked", has && p->bits_per_key > 0 ? json_real(p->bits_per_key) : NULL,
                  why);
    fb_json_known(j, "rate_asked", has && p->fpr > 0 ? json_real(p->fpr) : NULL, why);
    json_object_set_new(j, "bytes", fb_json_int(has ? built.bytes : 0));
    fb_json_known(j, "probes", has ? fb_json_int(built.probes) : NULL, none);
    fb_json_real(j, "model", has ? built.rate : NAN,
                 has ? "no closed form fits filters of this size" : none);
    return j;
}

static json_t *built_run_json(const struct fb_forest *forest, const struct fb_params *params,
                              double holder_share, double in_range, size_t i)
{
    const struct fb_run *run = &forest->tree->runs[i];
    bool closed;
    const double rate = fb_forest_run_rate(forest, i, &closed);
    const struct fb_lsm_built built = {
        forest->runs[i].bytes, forest->filters[run->first_unit].geom.probes, closed ? rate : NAN};
    json_t *j = fb_lsm_run_json(forest->tree, i, &params[i], built);
    json_object_set_new(j, "holder_share", json_real(holder_share));
    fb_json_real(j, "in_range", in_range,
                 run->memtable ? "a memtable has no range" : "no query comes by");
    return j;
}

/* How many different keys the queries ask for, in effect: what repeats does not say anything new.
 */
static json_t *effective_json(const struct fb_queries *queries)
{
    const struct fb_query_spec *s = &queries->spec;
    bool repeat = s->absent > 0 && s->absent_kind == FB_REPEAT;
    json_t *j = json_object();
    fb_json_real(j, "present", fb_queries_effective(queries), "no query is for a present key");
    if (s->given) {
        fb_json_real(j, "absent", queries->given_absent, "no query is for an absent key");
        return j;
    }
    double absent = repeat ? fb_popularity_effective(&queries->repeat) : (double)queries->n_slots;
    if (s->absent_kind == FB_ADVERSARIAL)
        absent = (double)s->n_adversarial;
    fb_json_real(j, "absent", s->absent > 0 && absent < 0x1p62 ? absent : NAN,
                 s->absent > 0 ? "each is asked once" : "no query is for an absent key");
    return j;
}

/* ---- Counts ---- */

/* Without its empty last bins. */
static json_t *histogram_json(const uint64_t bins[FB_READ_BINS])
{
    json_t *list = json_array();
    size_t n = FB_READ_BINS;
    while (n && !bins[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, fb_json_int(bins[i]));
    return list;
}

static json_t *counts_json(const struct fb_read_counts *c)
{
    static const char *const by_run[] = {"run_reached", "run_asked", "run_false", "run_held"};
    json_t *j = json_object();
    for (size_t i = 0; i < FB_READ_WORDS; i++)
        json_object_set_new(j, fb_read_count_names[i], fb_json_int((&c->queries)[i]));
    if (c->memtable_searches && !c->memtable_comparisons)
        fb_json_known(j, "memtable_comparisons", NULL,
                      "memtables of more than 262144 keys together are not searched");
    for (size_t i = 0; i < sizeof by_run / sizeof *by_run; i++) {
        json_t *list = json_array();
        for (size_t r = 0; r < c->n_runs; r++)
            json_array_append_new(list, fb_json_int((&c->run[r].reached)[i]));
        json_object_set_new(j, by_run[i], list);
    }
    json_object_set_new(j, "asked_histogram", histogram_json(c->asked_histogram));
    json_object_set_new(j, "io_histogram", histogram_json(c->io_histogram));
    return j;
}

json_t *fb_lsm_scan_json(const char *prefix, const struct fb_scan_counts *c)
{
    json_t *j = json_pack("{s:s}", "prefix", prefix);
    for (size_t i = 0; i < FB_SCAN_WORDS; i++)
        json_object_set_new(j, fb_scan_count_names[i], fb_json_int((&c->scans)[i]));
    json_object_set_new(j, "io_histogram", histogram_json(c->io_histogram));
    return j;
}

/* ---- All of it ---- */

json_t *fb_lsm_cell_json(const struct fb_lsm *e, const struct fb_lsm_cell *cell,
                         const struct fb_ask *ask, const struct fb_params *params,
                         const double *in_range, const struct fb_read_counts *c)
{
    const struct fb_lsm_tree *spec = &e->trees[cell->tree];
    const struct fb_forest *forest = ask->forest;
    double share[FB_MAX_RUNS];
    json_t *runs = json_array();
    fb_queries_shares(ask->queries, share);
    for (size_t i = 0; i < forest->tree->n_runs; i++)
        json_array_append_new(runs, built_run_json(forest, params, share[i], in_range[i], i));
    json_t *filter =
        json_pack("{s:o, s:o, s:o}", "bytes", fb_json_int(forest->filter_bytes), "digest_words",
                  fb_json_int(forest->digest_words), "checksum", fb_json_word(forest->checksum));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id", cell->id, "design",
                     forest->design->name, "keys", fb_lsm_keys_name(spec), "n",
                     fb_json_int(forest->tree->n_keys), "params",
                     fb_lsm_params_json(e, cell, ask->queries->spec.absent), "tree",
                     fb_lsm_tree_json(spec, forest->tree), "filter", filter, "runs", runs,
                     "effective", effective_json(ask->queries), "counts", counts_json(c));
}
