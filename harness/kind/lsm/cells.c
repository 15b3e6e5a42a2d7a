/* The cells of an experiment of kind "lsm": names, shapes of trees, what they will take. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "harness/base/file.h"
#include "harness/base/parallel.h"
#include "harness/kind/lsm/experiment.h"
#include "harness/tree/answers.h"
#include "workloads/core/tree_plan.h"

enum { PART = 96 };

/* ---- Names ---- */

static void tree_name(const struct fb_lsm_tree *tree, char out[PART])
{
    char runs[24] = "", n[40] = "";
    if (tree->n_runs)
        snprintf(runs, sizeof runs, "-%u", tree->n_runs);
    if (tree->n)
        snprintf(n, sizeof n, "/n=%llu", (unsigned long long)tree->n);
    snprintf(out, PART, "%s%s%s", fb_styles[tree->style].name, runs, n);
}

static void size_name(const struct fb_lsm_filter *f, char out[PART])
{
    *out = '\0';
    switch (f->sizing) {
    case FB_LSM_BITS:
        snprintf(out, PART, "/bpk=%.9g/%s", f->size, fb_allocations[f->allocation].name);
        break;
    case FB_LSM_RATE:
        snprintf(out, PART, "/fpr=%.9g/%s", f->size, fb_allocations[f->allocation].name);
        break;
    case FB_LSM_LEVELS:
        strcpy(out, "/by-level");
        break;
    case FB_LSM_NO_SIZE:
        if (f->allocation)
            snprintf(out, PART, "/%s", fb_allocations[f->allocation].name);
        break;
    }
}

static void stream_name(const struct fb_lsm_stream *s, char out[PART])
{
    bool kind = s->absent > 0 && s->kind != FB_IN_GAP;
    snprintf(out, PART, "absent=%.9g%s%s", s->absent, kind ? "-" : "",
             kind ? fb_absent_kinds[s->kind].name : "");
}

static void reading_name(const struct fb_lsm_reading *r, char out[PART])
{
    char cache[40] = "", filters[32] = "";
    if (r->cache_bytes)
        snprintf(cache, sizeof cache, "/cache=%llu", (unsigned long long)r->cache_bytes);
    if (r->filters != FB_PINNED)
        snprintf(filters, sizeof filters, "/filters=%s", fb_residencies[r->filters].name);
    snprintf(out, PART, "%s%s", cache, filters);
}

const char *fb_lsm_keys_name(const struct fb_lsm_tree *tree)
{
    return tree->trace ? "trace" : tree->file ? "file" : tree->keygen.text;
}

static void name_cell(const struct fb_lsm *e, struct fb_lsm_cell *cell)
{
    const struct fb_lsm_tree *tree = &e->trees[cell->tree];
    const struct fb_lsm_filter *filter = &e->filters[cell->filter];
    char tree_part[PART], size[PART], stream[PART], reading[PART], hash[PART] = "";
    char prefix[PART] = "";
    bool ordered = tree->order != FB_ORDER_SHUFFLE && !tree->trace;
    const char *order = ordered ? fb_orders[tree->order].name : "";
    tree_name(tree, tree_part);
    size_name(filter, size);
    stream_name(&e->streams[cell->stream], stream);
    if (tree->trace)
        strcpy(stream, "gets");
    reading_name(&e->readings[cell->reading], reading);
    if (filter->hash)
        snprintf(hash, sizeof hash, "+%s", filter->hash->name);
    if (filter->prefix.kind != FB_PREFIX_NONE)
        snprintf(prefix, sizeof prefix, "/%s%s", filter->prefix.whole_key ? "key+" : "",
                 filter->prefix.text);
    snprintf(cell->id, sizeof cell->id, "%s/%s%s%s/%s%s%s%s/%s%s", tree_part,
             fb_lsm_keys_name(tree), *order ? "/" : "", order, filter->design->name, hash, prefix,
             size, stream, reading);
}

struct fb_lsm_cell *fb_lsm_cells(const struct fb_lsm *e, size_t *n_cells)
{
    *n_cells = e->n_trees * e->n_filters * e->n_streams * e->n_readings;
    struct fb_lsm_cell *cells = calloc(*n_cells + 1, sizeof *cells);
    for (size_t i = 0; cells && i < *n_cells; i++) {
        size_t rest = i;
        cells[i].reading = rest % e->n_readings;
        rest /= e->n_readings;
        cells[i].stream = rest % e->n_streams;
        rest /= e->n_streams;
        cells[i].filter = rest % e->n_filters;
        cells[i].tree = rest / e->n_filters;
        name_cell(e, &cells[i]);
    }
    return cells;
}

bool fb_lsm_has_adversary(const struct fb_lsm *e)
{
    for (size_t i = 0; i < e->n_streams; i++)
        if (e->streams[i].kind == FB_ADVERSARIAL)
            return true;
    return false;
}

/* ---- Shapes ---- */

static bool trace_shape(const struct fb_lsm *e, struct fb_tree_shape *out,
                        struct fb_problem *problem)
{
    if (!e->trace)
        return fb_refuse(problem, "keys: the experiment needs a trace; give --trace FILE");
    out->n_keys = e->trace->puts;
    out->key_bytes = e->trace->key_bytes;
    out->value_bytes = e->trace->value_bytes;
    return true;
}

static bool holds_keys(const struct fb_tree_shape *s, struct fb_problem *problem)
{
    double entry = fb_tree_entry_bytes(s);
    double whole = floor((double)s->segment_bytes / entry);
    return !(entry > 0) || whole / s->scale >= 1 ||
           fb_refuse(problem,
                     "segment_bytes, scale: %llu bytes hold %.0f keys (mean length %.4g, an entry "
                     "takes %.4g), divided by scale %.4g less than 1; give segment_bytes of %.0f "
                     "or more, or a smaller scale",
                     (unsigned long long)s->segment_bytes, whole, s->key_bytes, entry, s->scale,
                     ceil(fmax(ceil(s->scale), 1) * entry));
}

static bool plan_stands(const struct fb_tree_shape *s, const struct fb_keys *file,
                        struct fb_problem *problem)
{
    struct fb_tree_plan plan;
    const char *why;
    uint64_t in_memory = s->memtables * s->memtable_keys;
    enum fb_err err = fb_tree_plan(s, s->n_keys, &plan, &why);
    if (!err)
        return true;
    if (!s->n_keys || s->n_keys < in_memory || s->n_keys - in_memory >= plan.n_runs)
        return fb_refuse(problem, "tree: %s", why);
    unsigned long long left = s->n_keys - in_memory;
    if (file)
        return fb_refuse(problem,
                         "n: of %zu distinct keys %llu are left for the runs, the others are held "
                         "out; %zu runs need one each; give more keys or fewer levels",
                         file->n, left, plan.n_runs);
    return fb_refuse(problem, "n: %llu keys for %zu runs, which need one each; give a larger n",
                     left, plan.n_runs);
}

bool fb_lsm_shape(const struct fb_lsm *e, size_t i, struct fb_tree_shape *out,
                  struct fb_problem *problem)
{
    const struct fb_lsm_tree *tree = &e->trees[i];
    const struct fb_keys *file = e->file;
    *out = e->shape;
    out->style = tree->style;
    out->n_runs = tree->n_runs;
    out->n_keys = tree->n;
    out->key_bytes = e->key_bytes;
    if (tree->trace)
        return trace_shape(e, out, problem);
    if (tree->file && !file)
        return fb_refuse(problem, "keys: the experiment needs a file of keys; give --keys FILE");
    if (e->key_bytes == 0)
        out->key_bytes = tree->file ? (double)file->offset[file->n] / (double)file->n
                                    : fb_keygen_mean_bytes(&tree->keygen);
    if (tree->file) {
        uint64_t n = tree->n ? tree->n : file->n / 2;
        if (n >= file->n)
            return fb_refuse(problem,
                             "n: %llu of the file's %zu distinct keys leave none to be absent; "
                             "give fewer",
                             (unsigned long long)n, file->n);
        out->n_keys = n;
    }
    return holds_keys(out, problem) && plan_stands(out, tree->file ? file : NULL, problem);
}

/* ---- Keys ---- */

bool fb_lsm_sorts(const struct fb_lsm *e, const struct fb_lsm_tree *tree, uint64_t n)
{
    return e->n_scans && !tree->file && !tree->trace && !tree->keygen.ordered &&
           n < FB_LSM_SORT_LIMIT / (1 + fb_lsm_absent_for_each(e, n));
}

uint64_t fb_lsm_absent_for_each(const struct fb_lsm *e, uint64_t n)
{
    uint64_t asked = e->n_queries + e->warm;
    return asked > n ? (asked + n - 1) / n : 1;
}

/* ---- What a cell takes ---- */

/* Seconds of one core for a key or a query, of the machine this was written on: for estimates. */
#define TREE_KEY_S  60e-9
#define BUILD_KEY_S 30e-9
#define PASS_KEY_S  6.5e-9
#define QUERY_S     400e-9
#define QUERY_RUN_S 40e-9

/* Of a unit: its filter, and places of the keys that wait for it, in each slice of its run. */
#define UNIT_BYTES UINT64_C(500)

/* The sizes of a tree's runs; of a trace only about. */
static bool plan_tree(const struct fb_lsm *e, const struct fb_lsm_tree *tree,
                      struct fb_tree_shape *shape, struct fb_tree_plan *plan,
                      struct fb_problem *problem)
{
    const char *why;
    if (tree->trace)
        shape->levels = 0;
    return !fb_tree_plan(shape, shape->n_keys, plan, &why) ||
           fb_refuse(problem, "%s: tree: %s", e->name, why);
}

/* Of a plan, updates aside. */
static uint64_t n_filters_of(const struct fb_tree_shape *shape, const struct fb_tree_plan *plan)
{
    uint64_t n = 0;
    for (size_t i = 0; i < plan->n_runs; i++) {
        const struct fb_run_plan *run = &plan->run[i];
        const bool listed = run->segments && shape->unit == FB_UNIT_FILE;
        n += run->memtable ? 0 : listed ? run->segments : fb_divide_up(run->n_own, plan->unit_keys);
    }
    return n;
}

bool fb_lsm_demand(const struct fb_lsm *e, const struct fb_lsm_cell *cell,
                   struct fb_lsm_demand *out, struct fb_problem *problem)
{
    const struct fb_lsm_tree *tree = &e->trees[cell->tree];
    const struct fb_lsm_filter *filter = &e->filters[cell->filter];
    const bool prefixed = filter->prefix.kind != FB_PREFIX_NONE;
    const bool cached = e->readings[cell->reading].cache_bytes > 0;
    struct fb_params params = fb_lsm_params_of_level(e, filter, UINT_MAX);
    struct fb_geometry geom = {.digest_words = 1};
    struct fb_tree_shape shape;
    struct fb_tree_plan plan;
    const char *why = NULL;
    enum fb_err err = FB_OK;
    memset(out, 0, sizeof *out);
    if (!fb_lsm_shape(e, cell->tree, &shape, problem) ||
        !plan_tree(e, tree, &shape, &plan, problem))
        return false;
    const uint64_t n = out->n_keys = plan.n_keys, n_filters = n_filters_of(&shape, &plan);
    out->filter_keys = n_filters ? n / n_filters : n;
    if (!(params.bits_per_key < 0))
        err = fb_params_plan(filter->design, fb_max_u64(out->filter_keys, 1), &params, &geom, &why);
    if (err)
        return fb_refuse(problem, "%s", why ? why : fb_err_text(err));
    const bool listed = e->file || n <= FB_LSM_LIST_LIMIT;
    const double cores = fb_parallel_cores();
    const double arenas = prefixed ? 2 : 1.1; /* built aside, then laid out */
    out->filter_bytes = geom.n_bytes * n_filters * (prefixed && filter->prefix.whole_key ? 2 : 1);
    const uint64_t waiting = 8 * geom.digest_words * n;
    uint64_t rest = (listed ? 16 * n : 0) + UNIT_BYTES * n_filters;
    if (fb_lsm_sorts(e, tree, n))
        rest += (1 + fb_lsm_absent_for_each(e, n)) * n * (uint64_t)(2 * shape.key_bytes + 48);
    out->standing_bytes =
        (uint64_t)(arenas * (double)out->filter_bytes) + fb_min_u64(FB_LSM_WINDOW_BYTES, waiting);
    out->room_bytes = e->filter_memory ? e->filter_memory : UINT64_MAX;
    uint64_t windows = fb_divide_up(waiting, FB_LSM_WINDOW_BYTES);
    /* Filters need not stand all at once where a query says itself what it asks. */
    if (out->standing_bytes > out->room_bytes && !prefixed && !fb_lsm_has_adversary(e)) {
        const uint64_t all = out->filter_bytes + waiting;
        rest += fb_answers_bytes(e->n_queries + e->warm, plan.n_runs);
        out->window_bytes = out->room_bytes;
        out->standing_bytes =
            fb_max_u64(out->window_bytes, fb_divide_up(all, fb_max_u64(n_filters, 1)));
        windows = fb_divide_up(all, out->standing_bytes);
    }
    out->memory_bytes = rest + out->standing_bytes;
    out->tree_s = listed ? TREE_KEY_S * (double)n : 0;
    out->build_s = (BUILD_KEY_S + PASS_KEY_S * (double)windows) * (double)n / cores;
    if (out->window_bytes)
        out->build_s += QUERY_S * (double)(e->n_queries + e->warm) * (double)windows / cores;
    out->count_s = (double)(e->n_queries + (cached ? e->warm : 0)) *
                   (QUERY_S + QUERY_RUN_S * (double)plan.n_runs) / (cached ? 1 : cores);
    return true;
}

bool fb_lsm_demand_fits(const struct fb_lsm_demand *demand, struct fb_problem *problem)
{
    uint64_t limit = fb_memory_limit();
    if (demand->standing_bytes > demand->room_bytes)
        return fb_refuse(problem,
                         "--memory: filters take about %.3g GB at a time with their keys, %.3g GB "
                         "are given; give more",
                         (double)demand->standing_bytes * 1e-9, (double)demand->room_bytes * 1e-9);
    return demand->memory_bytes <= limit ||
           fb_refuse(problem,
                     "takes about %.1f GB, half of this machine's memory is %.1f GB; give a larger "
                     "--scale, fewer keys, fewer bits or --memory",
                     (double)demand->memory_bytes * 1e-9, (double)limit * 1e-9);
}

bool fb_lsm_fits(const struct fb_lsm *e, struct fb_problem *problem)
{
    size_t n_cells;
    struct fb_lsm_cell *cells = fb_lsm_cells(e, &n_cells);
    bool all = cells || fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    for (size_t i = 0; all && i < n_cells; i++) {
        struct fb_lsm_demand demand;
        struct fb_problem why;
        bool first = cells[i].stream == 0 && cells[i].reading == 0;
        if (first && fb_lsm_demand(e, &cells[i], &demand, &why) &&
            !fb_lsm_demand_fits(&demand, &why))
            all = fb_refuse(problem, "%.200s: %.300s", cells[i].id, why.text);
    }
    free(cells);
    return all;
}

bool fb_lsm_splits(const struct fb_lsm *e, const struct fb_lsm_cell *cell)
{
    return !e->timed && !e->trees[cell->tree].trace && !e->readings[cell->reading].cache_bytes &&
           e->streams[cell->stream].kind != FB_ADVERSARIAL;
}
