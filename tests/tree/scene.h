/* A tree, its filters and a stream of queries. */
#ifndef FILTERBENCH_TESTS_TREE_SCENE_H
#define FILTERBENCH_TESTS_TREE_SCENE_H

#include "tests/trees.h"

#include <string.h>

#include "harness/tree/forest.h"
#include "harness/tree/read_path.h"

/* Zeroed, then: keys, tree, params, filters, queries. */
struct scene {
    struct fb_keyset file; /* that space is of, if it is of one */
    struct fb_keyspace space;
    struct fb_tree tree;
    struct fb_params params[FB_MAX_RUNS];
    struct fb_forest forest;
    struct fb_queries queries;
};

/* Three levels of files of 400 entries, with updates, tombstones and memtables. */
static const struct fb_tree_shape small = {
    .style = FB_LEVELED,
    .key_bytes = 16,
    .value_bytes = 100,
    .entry_overhead = 8,
    .segment_bytes = 124 * 400,
    .ratio = 4,
    .levels = 3,
    .l0 = 3,
    .fill = 1,
    .updates = 0.2,
    .tombstones = 0.3,
    .memtables = 2,
    .memtable_keys = 300,
    .bits_per_key = 10,
    .scale = 1,
};

/* Nothing is cached, filters and index are in memory. */
static const struct fb_read_spec uncached = {
    .block_bytes = 4096, .entry_bytes = 124, .index_entry_bytes = 30};

/* By s->params; a prefix or NULL. */
static inline void scene_filters(struct scene *s, const char *design,
                                 const struct fb_prefix *prefix, unsigned threads)
{
    const struct fb_forest_spec spec = {.design = fb_design_find(design),
                                        .params = s->params,
                                        .prefix = prefix,
                                        .window_bytes = UINT64_C(1) << 26,
                                        .n_threads = threads};
    const char *why = NULL;
    bool complete;
    assert_int_equal(fb_forest_build(&spec, &s->tree, &s->forest, &complete, &why), FB_OK);
    assert_true(complete);
}

static inline void scene_ask(struct scene *s, const struct fb_query_spec *spec, uint64_t root)
{
    const char *why = NULL;
    assert_int_equal(fb_queries_init(spec, &s->tree, root, &s->queries, &why), FB_OK);
}

static inline struct fb_ask scene_queries(const struct scene *s, uint64_t first, uint64_t n,
                                          unsigned threads)
{
    return (struct fb_ask){
        .forest = &s->forest, .queries = &s->queries, .first = first, .n = n, .n_threads = threads};
}

/* Of random keys; the oldest run with last_bits. Queries are yet to be asked. */
static inline void scene_open(struct scene *s, const struct fb_tree_shape *shape,
                              uint64_t list_limit, const char *design, double bits_per_key,
                              double last_bits)
{
    const uint64_t n_keys = keys_of(shape);
    assert_true(n_keys < 200000);
    memset(s, 0, sizeof *s);
    s->space = space_of(FB_ORDER_SHUFFLE, n_keys, 5);
    s->tree = tree_of(shape, &s->space, list_limit);
    for (size_t r = 0; r < s->tree.n_runs; r++)
        s->params[r].bits_per_key = r + 1 < s->tree.n_runs ? bits_per_key : last_bits;
    scene_filters(s, design, NULL, 1);
}

static inline void scene_close(struct scene *s)
{
    fb_queries_close(&s->queries);
    fb_forest_close(&s->forest);
    fb_tree_close(&s->tree);
    fb_keyset_close(&s->file);
}

#endif
