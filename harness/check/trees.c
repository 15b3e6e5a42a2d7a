/* Shapes of trees and places in them, filters on them, and the reads of a query and of a scan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/parts.h"
#include "harness/store/expectation.h"
#include "harness/tree/ask.h"
#include "harness/tree/read_path.h"
#include "workloads/core/tree_plan.h"

enum { ROOT = 0x5eed };

/* ---- Shapes ---- */

/* Small files, so that many keys fall between two of them. */
static struct fb_tree_shape shape_of(enum fb_style style)
{
    return (struct fb_tree_shape){.style = style,
                                  .n_keys = style == FB_FLAT || style == FB_UNIVERSAL ? 1500 : 0,
                                  .key_bytes = 16,
                                  .value_bytes = 100,
                                  .entry_overhead = 8,
                                  .segment_bytes = 124 * 50,
                                  .ratio = 3,
                                  .levels = 4,
                                  .l0 = 2,
                                  .fill = 0.9,
                                  .n_runs = style == FB_FLAT ? 9 : 0,
                                  .size_ratio = 1.5,
                                  .bits_per_key = 10,
                                  .scale = 1};
}

static void answer_plan(const struct fb_tree_shape *shape, uint64_t n, struct fb_answers *a)
{
    static struct fb_tree_plan plan;
    const char *why = NULL;
    const enum fb_err err = fb_tree_plan(shape, n, &plan, &why);
    fb_answer_word(a, (uint64_t)err);
    for (size_t r = 0; !err && r < plan.n_runs; r++) {
        fb_answer_word(a, plan.run[r].n_own);
        fb_answer_word(a, plan.run[r].level);
        fb_answer_word(a, plan.run[r].segments == 1);
    }
    fb_answer_word(a, plan.segment_keys);
    fb_answer_word(a, plan.unit_keys);
    fb_answer_word(a, plan.whole_unit_keys);
}

/* Where every key of the universe lies in every run. */
static void answer_places(const struct fb_tree *tree, struct fb_answers *a)
{
    for (size_t r = 0; r < tree->n_runs; r++) {
        const struct fb_run *run = &tree->runs[r];
        fb_answer_word(a, run->n_keys);
        fb_answer_word(a, fb_run_units(run));
        for (uint64_t i = 0; i < tree->space->size; i += 1 + i % 3) {
            struct fb_place place = {0};
            size_t unit = 0;
            bool here = fb_run_locate(run, i, &place);
            if (fb_run_unit(run, i, &unit) != here || (here && unit != place.unit))
                fb_answer_wrong(a, "two ways to a key's file differ");
            fb_answer_word(a, here ? place.unit << 32 | place.rank : UINT64_MAX);
        }
    }
}

static void ask_style(size_t style, struct fb_answers *a)
{
    static const enum fb_order orders[] = {FB_ORDER_SHUFFLE, FB_ORDER_ARRIVAL};
    for (int i = 0; i < 4; i++) {
        struct fb_tree_shape shape = shape_of((enum fb_style)style);
        struct fb_keyspace space;
        struct fb_tree tree = {0};
        const char *why = NULL;
        uint64_t n = 0;
        shape.unit = i % 2 ? FB_UNIT_BLOCK : FB_UNIT_FILE;
        for (uint64_t keys = 40; keys < 40000; keys *= 9) {
            struct fb_tree_shape grown = shape;
            answer_plan(&shape, keys, a);
            grown.levels = 0; /* as many as the keys need */
            grown.n_keys = keys;
            grown.scale = 1.5;
            grown.memtables = 2;
            grown.memtable_keys = 15;
            answer_plan(&grown, keys, a);
        }
        shape.updates = 0.25;
        if (!fb_answer_ok(a, fb_tree_n_keys(&shape, &n, &why), "shape"))
            return;
        fb_keyspace_generate(fb_keygen_find("random"), orders[i / 2], n, ROOT, &space);
        if (fb_answer_ok(a, fb_tree_make(&shape, &space, i % 2 ? UINT64_MAX : 0, &tree, &why),
                         "tree"))
            answer_places(&tree, a);
        fb_tree_close(&tree);
    }
}

/* ---- Reads ---- */

/* A tree, its filters and what is asked of them. */
struct scene {
    struct fb_keyspace space;
    struct fb_tree tree;
    struct fb_forest forest;
    struct fb_queries queries;
};

/* Whether it stands; close it in any case. */
static bool scene_open(struct scene *s, const char *keys, const char *popularity,
                       const struct fb_prefix *prefix, struct fb_answers *a)
{
    struct fb_tree_shape shape = shape_of(FB_LEVELED);
    static struct fb_params params[FB_MAX_RUNS];
    struct fb_query_spec spec = {.absent = 0.4, .holder = FB_PROPORTIONAL, .repeat_keys = 1};
    const char *why = NULL;
    uint64_t n = 0;
    bool complete = true;
    shape.updates = 0.1;
    shape.tombstones = 0.2;
    shape.memtables = 1;
    shape.memtable_keys = 40;
    memset(s, 0, sizeof *s);
    enum fb_err err = fb_tree_n_keys(&shape, &n, &why);
    if (!err) {
        fb_keyspace_generate(fb_keygen_find(keys), FB_ORDER_SHUFFLE, n, ROOT, &s->space);
        err = fb_tree_make(&shape, &s->space, UINT64_MAX, &s->tree, &why);
    }
    for (size_t r = 0; r < s->tree.n_runs; r++)
        params[r].bits_per_key = r + 1 < s->tree.n_runs ? 4 : -1;
    const struct fb_forest_spec filters = {.design = fb_design_find("bloom-double"),
                                           .params = params,
                                           .prefix = prefix,
                                           .window_bytes = 1 << 20,
                                           .n_threads = 1};
    if (!err)
        err = fb_forest_build(&filters, &s->tree, &s->forest, &complete, &why);
    if (!fb_answer_complete(a, err, complete, "tree"))
        return false;
    err = fb_popularity_parse(popularity, &spec.popularity, &why)
              ? fb_queries_init(&spec, &s->tree, ROOT, &s->queries, &why)
              : FB_EINVAL;
    return fb_answer_ok(a, err, "queries");
}

static void scene_close(struct scene *s)
{
    fb_queries_close(&s->queries);
    fb_forest_close(&s->forest);
    fb_tree_close(&s->tree);
}

static void answer_counts(const struct fb_read_counts *c, struct fb_answers *a)
{
    const uint64_t *words = (const uint64_t *)c;
    for (size_t i = 0; i < FB_READ_WORDS; i++)
        fb_answer_word(a, words[i]);
    for (size_t i = 0; i < FB_READ_BINS; i++) {
        fb_answer_word(a, c->asked_histogram[i]);
        fb_answer_word(a, c->io_histogram[i]);
    }
    for (size_t r = 0; r < c->n_runs; r++) {
        fb_answer_word(a, c->run[r].reached);
        fb_answer_word(a, c->run[r].asked);
        fb_answer_word(a, c->run[r].wrong);
        fb_answer_word(a, c->run[r].held);
    }
}

static const struct reading {
    const char *name;
    enum fb_cache_policy policy;
    enum fb_residency filters, index;
    double evict_every;
} readings[] = {
    {"uncached", FB_CACHE_NONE, FB_PINNED, FB_PINNED, 0},
    {"cached", FB_CACHE_LRU, FB_PINNED, FB_PINNED, 0},
    {"of cached filters", FB_CACHE_LRU, FB_CACHED, FB_CACHED, 0},
    {"of partitions", FB_CACHE_CLOCK, FB_PARTITIONED, FB_CACHED, 0},
    {"beside other work", FB_CACHE_LRU, FB_CACHED, FB_PINNED, 10},
    {0},
};

/* What is read must be in the cache or not by file and block: few of them fit. */
static void ask_reading(size_t i, struct fb_answers *a)
{
    const struct reading *r = &readings[i];
    const struct fb_read_spec spec = {.policy = r->policy,
                                      .cache_bytes = r->policy ? 40000 : 0,
                                      .block_bytes = 1024,
                                      .entry_bytes = 124,
                                      .index_entry_bytes = 24,
                                      .filters = r->filters,
                                      .index = r->index,
                                      .evict_every = r->evict_every,
                                      .evict_share = 0.5};
    struct scene s;
    struct fb_read_counts counts = {0};
    bool complete = true;
    if (scene_open(&s, "random", "zipf:0.9", NULL, a)) {
        const struct fb_ask ask = {.forest = &s.forest,
                                   .queries = &s.queries,
                                   .first = r->policy ? 200 : 0,
                                   .n = 2000,
                                   .n_threads = 1};
        const enum fb_err err = fb_read_path_count(&ask, &spec, &counts, &complete);
        if (fb_answer_complete(a, err, complete, "reads"))
            answer_counts(&counts, a);
        fb_answer_word(a, s.forest.checksum);
    }
    fb_read_counts_close(&counts);
    scene_close(&s);
}

/* ---- Prefixes ---- */

static const char *const prefixes[] = {"fixed:18", "capped:19", NULL};

static void ask_prefix(size_t i, struct fb_answers *a)
{
    for (int whole = 0; whole < 2; whole++) {
        struct fb_prefix prefix;
        struct scene s = {0};
        struct fb_scan_counts counts;
        const char *why = NULL;
        bool complete = true;
        if (!fb_prefix_parse(prefixes[i], whole, &prefix, &why)) {
            fb_answer_wrong(a, "%s", why);
            return;
        }
        if (scene_open(&s, "pad40", "uniform", &prefix, a)) {
            const struct fb_ask ask = {
                .forest = &s.forest, .queries = &s.queries, .n = 300, .n_threads = 1};
            enum fb_err err = fb_prefix_path_count(&ask, &prefix, &counts, &complete, &why);
            fb_answer_word(a, s.forest.checksum);
            if (fb_answer_complete(a, err, complete, "scans"))
                for (size_t w = 0; w < FB_SCAN_WORDS; w++)
                    fb_answer_word(a, ((const uint64_t *)&counts)[w]);
        }
        scene_close(&s);
    }
}

/* ---- What theory says of walks ---- */

static const char *const theories[] = {"ranges", "reads", NULL};

static void ask_ranges(struct fb_answers *a)
{
    struct scene s;
    double in_range[FB_MAX_RUNS];
    if (scene_open(&s, "random", "zipf:0.9", NULL, a) &&
        fb_answer_ok(a, fb_reach(&s.queries, 2000, in_range), "ranges"))
        for (size_t r = 1; r < s.tree.n_runs; r++) { /* the memtable has none */
            bool closed;
            fb_answer_real(a, in_range[r]);
            fb_answer_real(a, fb_forest_run_rate(&s.forest, r, &closed));
        }
    scene_close(&s);
}

static void ask_theory(size_t which, struct fb_answers *a)
{
    struct fb_expected_run runs[7];
    struct fb_expectation e;
    if (which == 0) {
        ask_ranges(a);
        return;
    }
    for (int i = 0; i < 7; i++)
        runs[i] = (struct fb_expected_run){
            .f = 0.01 * (i + 1), .r = 1 - 0.1 * i, .pi = (i + 0.5) / 24.5, .memtable = i == 0};
    for (double absent = 0; absent <= 1; absent += 0.25) {
        fb_expect(runs, 7, absent, &e);
        fb_answer_real(a, e.io);
        fb_answer_real(a, e.any_false);
        fb_answer_real(a, e.asked);
        fb_answer_real(a, e.io_variance);
    }
}

const struct fb_check_part fb_check_trees[] = {
    {"tree", ask_style, FB_NAMED(fb_styles)},
    {"reads", ask_reading, FB_NAMED(readings)},
    {"prefixes", ask_prefix, FB_NAMED(prefixes)},
    {"theory of", ask_theory, FB_NAMED(theories)},
    {0},
};
