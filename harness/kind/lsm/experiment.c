/* Experiments of kind "lsm": from fields to axes. */
#include <stdlib.h>
#include <string.h>

#include "harness/document/fields.h"
#include "harness/kind/lsm/lsm.h"

enum { MAX_CELLS = 50000 };

/* ---- Reading resolved fields ---- */

static const char *text_at(const json_t *list, size_t i)
{
    return json_string_value(json_array_get(list, i));
}

/* ---- Axes ---- */

/* styles x n x runs x keys x orders; only flat and universal trees have a number of runs. */
static bool load_trees(struct fb_lsm *e)
{
    const json_t *doc = e->document, *styles = json_object_get(doc, "style");
    const json_t *n = json_object_get(doc, "n"), *runs = json_object_get(doc, "runs");
    const json_t *keys = json_object_get(doc, "keys"), *orders = json_object_get(doc, "order");
    size_t n_orders = json_array_size(orders), n_keys = json_array_size(keys) * n_orders;
    e->trees =
        calloc(json_array_size(styles) * json_array_size(n) * json_array_size(runs) * n_keys + 1,
               sizeof *e->trees);
    for (size_t s = 0; e->trees && s < json_array_size(styles); s++) {
        enum fb_style style = (enum fb_style)fb_word_find(fb_styles, text_at(styles, s));
        bool by_runs = style == FB_FLAT || style == FB_UNIVERSAL;
        size_t n_runs = by_runs ? json_array_size(runs) : 1;
        for (size_t i = 0; i < json_array_size(n) * n_runs * n_keys; i++) {
            size_t k = i % n_keys / n_orders, r = i / n_keys % n_runs, at = i / n_keys / n_runs;
            const char *why, *format = text_at(keys, k);
            bool file = !strcmp(format, "file"), trace = !strcmp(format, "trace");
            if ((file || trace) && i % n_orders)
                continue; /* these have an order of their own */
            struct fb_lsm_tree *tree = &e->trees[e->n_trees++];
            tree->style = style;
            tree->n = (uint64_t)json_integer_value(json_array_get(n, at));
            tree->n_runs = by_runs ? (unsigned)json_integer_value(json_array_get(runs, r)) : 0;
            tree->order =
                file    ? FB_ORDER_SHUFFLE
                : trace ? FB_ORDER_ARRIVAL
                        : (enum fb_order)fb_word_find(fb_orders, text_at(orders, i % n_orders));
            tree->file = file;
            tree->trace = trace;
            if (!file && !trace && !fb_keygen_parse(format, &tree->keygen, &why))
                return false;
        }
    }
    return e->trees;
}

struct size {
    enum fb_lsm_sizing sizing;
    double value;
    enum fb_allocation allocation;
};

/* sizes x allocations; bits that are given by level are not allocated. */
static size_t load_sizes(const struct fb_lsm *e, struct size *sizes)
{
    static const char *const names[] = {"bits_per_key", "fpr"};
    const json_t *allocations = json_object_get(e->document, "allocations");
    const size_t n_allocations = json_array_size(allocations);
    size_t n = 0;
    for (size_t kind = 0; kind < 2; kind++) {
        const json_t *list = json_object_get(e->document, names[kind]);
        for (size_t i = 0; i < json_array_size(list) * n_allocations; i++)
            sizes[n++] =
                (struct size){kind ? FB_LSM_RATE : FB_LSM_BITS,
                              json_number_value(json_array_get(list, i / n_allocations)),
                              (enum fb_allocation)fb_word_find(
                                  fb_allocations, text_at(allocations, i % n_allocations))};
    }
    if (e->n_run_bits)
        sizes[n++] = (struct size){FB_LSM_LEVELS, 0, FB_ALLOC_UNIFORM};
    return n;
}

/* designs x sizes x hashes x prefixes; a control has no size and holds no prefixes. */
static bool load_filters(struct fb_lsm *e)
{
    static const struct size no_size = {FB_LSM_NO_SIZE, 0, FB_ALLOC_UNIFORM};
    static const struct fb_prefix no_prefix = {.whole_key = true};
    const json_t *doc = e->document, *designs = json_object_get(doc, "designs");
    const json_t *hashes = json_object_get(doc, "hash");
    const size_t n_hashes = json_array_size(hashes);
    size_t n_sizes = (json_array_size(json_object_get(doc, "bits_per_key")) +
                      json_array_size(json_object_get(doc, "fpr"))) *
                         json_array_size(json_object_get(doc, "allocations")) +
                     1;
    struct size *sizes = calloc(n_sizes, sizeof *sizes);
    e->filters = calloc(json_array_size(designs) * n_sizes * n_hashes * (e->n_prefixes + 1) + 1,
                        sizeof *e->filters);
    n_sizes = sizes ? load_sizes(e, sizes) : 0;
    for (size_t d = 0; sizes && e->filters && d < json_array_size(designs); d++) {
        const struct fb_design *design = fb_design_find(text_at(designs, d));
        const bool control = design->traits & FB_CONTROL;
        const size_t n_prefixes = control ? 1 : e->n_prefixes;
        for (size_t i = 0; i < (control ? 1 : n_sizes) * n_hashes * n_prefixes; i++) {
            const char *hash = text_at(hashes, i / n_prefixes % n_hashes);
            const struct size size = control ? no_size : sizes[i / n_prefixes / n_hashes];
            e->filters[e->n_filters++] =
                (struct fb_lsm_filter){.design = design,
                                       .hash = hash ? fb_hash_find(hash) : NULL,
                                       .sizing = size.sizing,
                                       .size = size.value,
                                       .allocation = size.allocation,
                                       .prefix = control ? no_prefix : e->prefixes[i % n_prefixes]};
        }
    }
    bool loaded = sizes && e->filters;
    free(sizes);
    return loaded;
}

/* absent x kinds; without absent queries there is no kind. */
static bool load_streams(struct fb_lsm *e)
{
    const json_t *shares = json_object_get(e->document, "absent");
    const json_t *kinds = json_object_get(e->document, "absent_kind");
    e->streams = calloc(json_array_size(shares) * json_array_size(kinds) + 1, sizeof *e->streams);
    for (size_t i = 0; e->streams && i < json_array_size(shares); i++) {
        double absent = json_number_value(json_array_get(shares, i));
        for (size_t k = 0; k < (absent > 0 ? json_array_size(kinds) : 1); k++)
            e->streams[e->n_streams++] = (struct fb_lsm_stream){
                absent, absent > 0
                            ? (enum fb_absent_kind)fb_word_find(fb_absent_kinds, text_at(kinds, k))
                            : FB_IN_GAP};
    }
    return e->streams;
}

static bool load_readings(struct fb_lsm *e)
{
    const json_t *caches = json_object_get(e->document, "cache_bytes");
    const json_t *residencies = json_object_get(e->document, "filter_residency");
    e->readings =
        calloc(json_array_size(caches) * json_array_size(residencies) + 1, sizeof *e->readings);
    for (size_t c = 0; e->readings && c < json_array_size(caches); c++)
        for (size_t r = 0; r < json_array_size(residencies); r++)
            e->readings[e->n_readings++] = (struct fb_lsm_reading){
                (uint64_t)json_integer_value(json_array_get(caches, c)),
                (enum fb_residency)fb_word_find(fb_residencies, text_at(residencies, r))};
    return e->readings;
}

static bool load_lists(struct fb_lsm *e)
{
    const json_t *bits = json_object_get(e->document, "run_bits");
    const json_t *lookups = json_object_get(e->document, "lookups");
    e->n_run_bits = json_array_size(bits);
    e->run_bits = calloc(e->n_run_bits + 1, sizeof *e->run_bits);
    e->lookups = calloc(json_array_size(lookups) + 1, sizeof *e->lookups);
    if (!e->run_bits || !e->lookups)
        return false;
    for (size_t i = 0; i < e->n_run_bits; i++)
        e->run_bits[i] = json_number_value(json_array_get(bits, i));
    for (size_t i = 0; i < json_array_size(lookups); i++)
        e->lookups[e->n_lookups++] = fb_lookup_find(text_at(lookups, i));
    return load_trees(e) && fb_lsm_load_prefixes(e) && load_filters(e) && load_streams(e) &&
           load_readings(e);
}

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

/* ---- Resolving ---- */

bool fb_lsm_ci(json_t *document, struct fb_problem *problem)
{
    json_t *ci = json_incref(json_object_get(document, "ci"));
    bool has = json_is_object(ci) && json_object_size(ci);
    if (!has)
        fb_refuse(problem, "ci: this experiment declares no short form; give its fields as an "
                           "object, {\"scale\": 100}");
    json_object_del(document, "ci");
    if (has)
        json_object_set_new(document, "timed", json_false());
    if (has)
        json_object_update(document, ci);
    json_decref(ci);
    return has;
}

/* The short form must be an experiment too. */
static bool check_ci(const json_t *document, struct fb_problem *problem)
{
    struct fb_problem inner;
    json_t *short_form = json_copy((json_t *)document);
    json_t *resolved =
        fb_lsm_ci(short_form, &inner) ? fb_fields_resolve(fb_lsm_fields, short_form, &inner) : NULL;
    bool fine = resolved;
    if (!fine)
        fb_refuse(problem, "ci: %.480s", inner.text);
    json_decref(resolved);
    json_decref(short_form);
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
    if (!check_pairs(e, problem) || !check_trace(e, problem))
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
    load_values(out);
    if (!load_lists(out))
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
    free(e->prefixes);
    free(e->scan_prefixes);
    fb_device_close(&e->device);
    json_decref(e->device_about);
    memset(e, 0, sizeof *e);
}
