/* Experiments of kind "lsm": single values, and what fields must be together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/lsm/experiment.h"

enum { MAX_CELLS = 50000 };

/* ---- Single values ---- */

static void load_values(struct fb_lsm *e)
{
    const json_t *doc = e->document, *cpu = json_object_get(doc, "cpu");
    const json_t *bits = json_array_get(json_object_get(doc, "bits_per_key"), 0);
    const char *cpu_name = json_string_value(cpu), *why;
    e->name = fb_json_str(doc, "name");
    e->seed = strtoull(fb_json_str(doc, "seed"), NULL, 16);
    e->shape = (struct fb_tree_shape){
        .value_bytes = fb_json_num(doc, "value_bytes"),
        .entry_overhead = fb_json_num(doc, "entry_overhead"),
        .segment_bytes = fb_json_uint(doc, "segment_bytes"),
        .ratio = fb_json_num(doc, "ratio"),
        .levels = (unsigned)fb_json_uint(doc, "levels"),
        .l0 = (unsigned)fb_json_uint(doc, "l0"),
        .fill = fb_json_num(doc, "fill"),
        .size_ratio = fb_json_num(doc, "size_ratio"),
        .updates = fb_json_num(doc, "updates"),
        .tombstones = fb_json_num(doc, "tombstones"),
        .memtables = (unsigned)fb_json_uint(doc, "memtables"),
        .memtable_keys = fb_json_uint(doc, "memtable_keys"),
        .unit = (enum fb_filter_unit)fb_word_find(fb_filter_units, fb_json_str(doc, "filter_unit")),
        .bits_per_key = bits ? json_number_value(bits) : 10,
        .scale = fb_json_num(doc, "scale"),
    };
    e->shape.given = e->given;
    e->shape.n_given = json_array_size(json_object_get(doc, "run_sizes"));
    e->key_bytes = fb_json_num(doc, "key_bytes");
    e->spec = (struct fb_query_spec){.recent_ratio = e->shape.ratio,
                                     .repeat_keys = fb_json_uint(doc, "repeat_keys"),
                                     .repeat_theta = fb_json_num(doc, "repeat_theta")};
    if (!fb_holder_parse(fb_json_str(doc, "holder"), &e->spec, &why) ||
        !fb_popularity_parse(fb_json_str(doc, "popularity"), &e->spec.popularity, &why) ||
        !fb_device_parse(fb_json_str(doc, "device"), &e->device, &why))
        return; /* all were checked when they were read */
    e->reading = (struct fb_read_spec){
        .policy =
            (enum fb_cache_policy)fb_word_find(fb_cache_policies, fb_json_str(doc, "cache_policy")),
        .block_bytes = fb_json_uint(doc, "block_bytes"),
        .index_entry_bytes = fb_json_num(doc, "index_entry_bytes"),
        .index =
            (enum fb_residency)fb_word_find(fb_residencies, fb_json_str(doc, "index_residency")),
        .evict_every = fb_json_num(doc, "evict_every"),
        .evict_share = fb_json_num(doc, "evict_share"),
    };
    e->trace_memtable_bytes = fb_json_uint(doc, "trace_memtable_bytes");
    e->device_folder = fb_device_folder(fb_json_str(doc, "device"));
    e->device_bytes = fb_json_uint(doc, "device_bytes");
    e->n_queries = fb_json_uint(doc, "queries");
    e->warm = fb_json_uint(doc, "warm");
    e->n_scans = fb_json_uint(doc, "scans");
    e->timed = json_is_true(json_object_get(doc, "timed"));
    e->timed_builds = json_is_true(json_object_get(doc, "timed_builds"));
    e->histograms = json_is_true(json_object_get(doc, "histograms"));
    e->options = (struct fb_group_options){
        .rounds = fb_json_uint(doc, "rounds"),
        .min_processes = fb_json_uint(doc, "min_processes"),
        .max_processes = fb_json_uint(doc, "max_processes"),
        .precision = fb_json_num(doc, "precision"),
        .budget_s = fb_json_num(doc, "budget"),
        .seed = e->seed,
        .cpu = !cpu_name          ? (int)json_integer_value(cpu)
               : *cpu_name == 'a' ? FB_CPU_AUTO
                                  : FB_CPU_NONE,
    };
}

static bool load_runs(struct fb_lsm *e)
{
    const json_t *runs = json_object_get(e->document, "run_sizes");
    e->given = calloc(json_array_size(runs) + 1, sizeof *e->given);
    FB_EACH_AT(i, run, runs) {
        if (e->given)
            e->given[i] = (struct fb_given_run){fb_json_uint(run, "keys"),
                                                (unsigned)fb_json_uint(run, "level"),
                                                fb_json_uint(run, "files")};
    }
    return e->given;
}

/* ---- Resolving ---- */

bool fb_lsm_ci(json_t *document, struct fb_problem *problem)
{
    json_auto_t *ci = json_incref(json_object_get(document, "ci"));
    bool has = json_is_object(ci) && json_object_size(ci);
    if (!has)
        fb_refuse(problem, "ci: this experiment declares no short form; give its fields as an "
                           "object, {\"scale\": 100}");
    json_object_del(document, "ci");
    if (has)
        json_object_set_new(document, "timed", json_false());
    if (has)
        json_object_update(document, ci);
    return has;
}

/* The short form must be an experiment too. */
static bool check_ci(const json_t *document, struct fb_problem *problem)
{
    struct fb_problem inner;
    json_auto_t *short_form = json_copy((json_t *)document);
    json_auto_t *resolved =
        fb_lsm_ci(short_form, &inner) ? fb_fields_resolve(fb_lsm_fields, short_form, &inner) : NULL;
    bool fine = resolved;
    if (!fine)
        fb_refuse(problem, "ci: %.480s", inner.text);
    return fine;
}

/* A trace says what is in the tree and what is asked. */
static bool check_trace(const struct fb_lsm *e, struct fb_problem *problem)
{
    const json_t *keys = json_object_get(e->document, "keys");
    bool trace = false;
    for (size_t i = 0; i < e->n_trees; i++)
        trace = trace || e->trees[i].trace;
    if (!trace)
        return true;
    if (json_array_size(keys) > 1)
        return fb_refuse(problem, "keys: \"trace\" stands alone; leave the others out");
    if (e->n_streams > 1 || e->streams->absent > 0)
        return fb_refuse(problem, "absent: a trace says which keys are asked for; give 0");
    for (size_t i = 0; i < e->n_trees; i++) {
        if (e->trees[i].style != FB_LEVELED && e->trees[i].style != FB_TIERED)
            return fb_refuse(problem,
                             "style: '%s': a trace is compacted as leveled or tiered; give "
                             "one of these",
                             fb_styles[e->trees[i].style].name);
        if (e->trees[i].n)
            return fb_refuse(problem, "n: a trace says how many keys there are; give 0");
    }
    return e->shape.l0 || fb_refuse(problem, "l0: a trace needs runs in level 0; give 1 to 1024");
}

/* Fields that mean something only with another. */
static bool check_pairs(const struct fb_lsm *e, struct fb_problem *problem)
{
    bool cached = false;
    for (size_t i = 0; i < e->n_readings; i++)
        cached = cached || e->readings[i].cache_bytes;
    if (e->histograms && !e->timed)
        return fb_refuse(problem, "histograms: nothing is timed; leave out --histograms or --ci, "
                                  "or give timed=true");
    if (e->shape.memtables && !e->shape.memtable_keys)
        return fb_refuse(problem, "memtables: they are empty; give memtable_keys too, 1 to 1e9");
    if (e->shape.memtable_keys && !e->shape.memtables)
        return fb_refuse(problem, "memtable_keys: no memtable; give memtables too, 1 to 64");
    if (e->reading.evict_every > 0 && !cached)
        return fb_refuse(problem, "evict_every: no cache to evict from; give cache_bytes too, 1Mi");
    return true;
}

/* With an engine's costs every filter needs those of its design. */
static bool check_costs(const struct fb_lsm *e, struct fb_problem *problem)
{
    const json_t *checks = json_object_get(e->document, "engine_checks");
    for (size_t i = 0; i < e->n_filters && json_array_size(checks); i++)
        if (!isfinite(fb_lsm_check_ns(e->document, e->filters[i].design->name)))
            return fb_refuse(problem,
                             "designs: the profile does not say what asking %s costs an engine; "
                             "give designs that it has, -d %s",
                             e->filters[i].design->name,
                             fb_json_str(json_array_get(checks, 0), "design"));
    return true;
}

double fb_lsm_check_ns(const json_t *experiment, const char *design)
{
    const json_t *checks = json_object_get(experiment, "engine_checks");
    return fb_json_num(fb_json_find(checks, "design", design), "ns");
}

static bool check(const struct fb_lsm *e, struct fb_problem *problem)
{
    double n_cells =
        (double)e->n_trees * (double)e->n_filters * (double)e->n_streams * (double)e->n_readings;
    if (!e->n_filters)
        return fb_refuse(problem, "bits_per_key, fpr, run_bits: no size; give at least one of "
                                  "them, {\"bits_per_key\": [10]}");
    if (n_cells > MAX_CELLS)
        return fb_refuse(problem, "%.0f cells; at most %d fit one experiment", n_cells, MAX_CELLS);
    if (e->options.max_processes < e->options.min_processes)
        return fb_refuse(problem, "max_processes: below min_processes; give a count from %zu to 64",
                         e->options.min_processes);
    if (e->n_scans && !e->n_scan_prefixes)
        return fb_refuse(problem, "scans: no prefix to scan for; give scan_prefix or prefixes, "
                                  "fixed:N or capped:N");
    if (!check_pairs(e, problem) || !check_trace(e, problem) || !check_costs(e, problem))
        return false;
    for (size_t i = 0; i < e->n_trees; i++) {
        struct fb_tree_shape shape;
        if (!e->trees[i].file && !e->trees[i].trace && !fb_lsm_shape(e, i, &shape, problem))
            return false;
    }
    return true;
}

bool fb_lsm_resolve(const json_t *document, struct fb_lsm *out, struct fb_problem *problem)
{
    memset(out, 0, sizeof *out);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->document = fb_fields_resolve(fb_lsm_fields, document, problem);
    if (!out->document)
        return false;
    if (json_object_size(json_object_get(document, "ci")) && !check_ci(document, problem))
        return false;
    json_object_del(out->document, "ci");
    if (!load_runs(out))
        return false;
    load_values(out);
    if (!fb_lsm_load_axes(out))
        return false;
    return check(out, problem);
}

void fb_lsm_close(struct fb_lsm *e)
{
    json_decref(e->document);
    free(e->trees);
    free(e->filters);
    free(e->streams);
    free(e->readings);
    free(e->lookups);
    free(e->run_bits);
    free(e->given);
    free(e->scan_prefixes);
    fb_device_close(&e->device);
    json_decref(e->device_about);
    memset(e, 0, sizeof *e);
}
