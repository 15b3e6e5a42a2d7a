#include "harness/kind/claims/procedure/grove.h"

#include <stdlib.h>
#include <string.h>

#define LIST_LIMIT   (UINT64_C(1) << 24)
#define WINDOW_BYTES (UINT64_C(1) << 28)

struct fb_tree_shape fb_claim_shape(struct fb_bench *bench, const json_t *args)
{
    const char *style = fb_arg_text(args, "style", "flat");
    struct fb_tree_shape shape = {.style = (enum fb_style)fb_word_find(fb_styles, style),
                                  .n_keys = fb_arg_count(args, "n", 0),
                                  .key_bytes = FB_CLAIM_KEY_BYTES,
                                  .value_bytes = FB_CLAIM_VALUE_BYTES,
                                  .entry_overhead = FB_CLAIM_OVERHEAD,
                                  .segment_bytes = FB_CLAIM_ENTRY_BYTES *
                                                   fb_arg_count(args, "segment_keys", 1000000),
                                  .ratio = fb_arg_number(args, "ratio", 10),
                                  .levels = (unsigned)fb_arg_count(args, "levels", 0),
                                  .l0 = (unsigned)fb_arg_count(args, "l0", 0),
                                  .n_runs = (unsigned)fb_arg_count(args, "runs", 1),
                                  .fill = 1,
                                  .scale = 1};
    if (!fb_styles[shape.style].name)
        fb_bench_fail(bench, FB_EINVAL, "no style '%.40s'", style);
    return shape;
}

void fb_claim_tree(struct fb_bench *bench, const json_t *args, const char *keys, uint64_t n_absent,
                   struct fb_keyspace *space, struct fb_tree *tree)
{
    struct fb_tree_shape shape = fb_claim_shape(bench, args);
    struct fb_keygen keygen;
    const char *why = NULL;
    uint64_t n_keys;
    memset(tree, 0, sizeof *tree);
    if (bench->err)
        return;
    enum fb_err err = fb_tree_n_keys(&shape, &n_keys, &why);
    if (!err && !fb_keygen_parse(keys, &keygen, &why))
        err = FB_EINVAL;
    if (!err) {
        fb_keyspace_generate_sparse(&keygen, FB_ORDER_SHUFFLE, n_keys, 1 + n_absent / n_keys,
                                    bench->root, space);
        err = fb_tree_make(&shape, space, LIST_LIMIT, tree, &why);
    }
    fb_bench_check(bench, err, "tree", why);
}

/* Filters of one size for all runs. */
static enum fb_err plant(struct fb_bench *bench, const json_t *args, struct fb_grove *g,
                         const char **why)
{
    struct fb_params *params = fb_bench_alloc(bench, g->tree.n_runs, sizeof *params);
    const struct fb_forest_spec spec = {.design = fb_arg_design(bench, args),
                                        .params = params,
                                        .window_bytes = WINDOW_BYTES,
                                        .n_threads = bench->threads};
    bool complete = true;
    for (size_t r = 0; params && r < g->tree.n_runs; r++)
        params[r] = fb_arg_params(args);
    enum fb_err err =
        bench->err ? bench->err : fb_forest_build(&spec, &g->tree, &g->forest, &complete, why);
    free(params);
    if (!complete)
        fb_bench_interrupt(bench);
    return err ? err : bench->err;
}

static enum fb_err pose(struct fb_bench *bench, const json_t *args, struct fb_grove *g,
                        const char **why)
{
    struct fb_query_spec spec = {
        .absent = fb_arg_number(args, "absent", 1), .recent_ratio = 10, .repeat_keys = 1};
    if (!fb_holder_parse(fb_arg_text(args, "holder", "proportional"), &spec, why) ||
        !fb_popularity_parse(fb_arg_text(args, "popularity", "uniform"), &spec.popularity, why))
        return FB_EINVAL;
    return fb_queries_init(&spec, &g->tree, bench->root, &g->queries, why);
}

void fb_grove_open(struct fb_bench *bench, const json_t *args, const char *keys, uint64_t n_absent,
                   struct fb_grove *out)
{
    const char *why = NULL;
    memset(out, 0, sizeof *out);
    fb_claim_tree(bench, json_object_get(args, "tree"), keys, n_absent, &out->space, &out->tree);
    enum fb_err err = bench->err;
    if (!err)
        err = plant(bench, args, out, &why);
    if (!err)
        err = pose(bench, args, out, &why);
    fb_bench_check(bench, err, "tree", why);
}

void fb_grove_close(struct fb_grove *g)
{
    fb_forest_close(&g->forest);
    fb_queries_close(&g->queries);
    fb_tree_close(&g->tree);
}
