/* Procedures: what the shape of a tree alone decides. Kind lsm shows trees and judges none. */
#include <string.h>

#include "harness/kind/claims/procedure/procedure.h"
#include "workloads/core/tree.h"

#define LIST_LIMIT (UINT64_C(1) << 24)
enum {
    KEY_BYTES = 16,
    VALUE_BYTES = 100,
    OVERHEAD = 8,
    ENTRY_BYTES = KEY_BYTES + VALUE_BYTES + OVERHEAD,
};

/* The shape that the arguments ask for: style, segment_keys, levels, l0, ratio. Entries are 16-byte
 * keys and 100-byte values. */
static struct fb_tree_shape shape_of(struct fb_bench *bench, const json_t *args)
{
    const char *style = fb_arg_text(args, "style", "flat");
    struct fb_tree_shape shape = {.style = (enum fb_style)fb_word_find(fb_styles, style),
                                  .key_bytes = KEY_BYTES,
                                  .value_bytes = VALUE_BYTES,
                                  .entry_overhead = OVERHEAD,
                                  .segment_bytes =
                                      ENTRY_BYTES * fb_arg_count(args, "segment_keys", 1000000),
                                  .ratio = fb_arg_number(args, "ratio", 10),
                                  .levels = (unsigned)fb_arg_count(args, "levels", 0),
                                  .l0 = (unsigned)fb_arg_count(args, "l0", 0),
                                  .n_runs = 1,
                                  .fill = 1,
                                  .scale = 1};
    if (!fb_styles[shape.style].name)
        fb_bench_fail(bench, FB_EINVAL, "no style '%.40s'", style);
    return shape;
}

/* A tree of that shape. It refers to the space. */
static void make_tree(struct fb_bench *bench, const json_t *args, struct fb_keyspace *space,
                      struct fb_tree *tree)
{
    struct fb_tree_shape shape = shape_of(bench, args);
    struct fb_keygen keygen;
    const char *why = NULL;
    uint64_t n_keys;
    memset(tree, 0, sizeof *tree);
    if (bench->err)
        return;
    enum fb_err err = fb_tree_n_keys(&shape, &n_keys, &why);
    if (!err && !fb_keygen_parse("random", &keygen, &why))
        err = FB_EINVAL;
    if (!err) {
        fb_keyspace_generate_sparse(&keygen, FB_ORDER_SHUFFLE, n_keys, 1, bench->root, space);
        err = fb_tree_make(&shape, space, LIST_LIMIT, tree, &why);
    }
    fb_bench_check(bench, err, "tree", why);
}

/* Runs that one absent key may meet: the most over keys spread evenly over the tree, as some fall
 * between two segments. */
static size_t runs_met(const struct fb_tree *tree)
{
    enum { KEYS = 256 };
    size_t most = 0;
    for (uint64_t k = 0; k < KEYS; k++) {
        uint64_t index = fb_mulhi64(k << 56, tree->space->size);
        size_t met = 0;
        for (size_t r = 0; r < tree->n_runs; r++) {
            struct fb_place place;
            met += fb_run_locate(&tree->runs[r], index, &place);
        }
        most = met > most ? met : most;
    }
    return most;
}

/* The named fact of the tree of these arguments. */
static struct fb_pair fact_of(struct fb_bench *bench, const json_t *args, const char *name)
{
    struct fb_keyspace space;
    struct fb_tree tree;
    double l0 = fb_arg_number(args, "l0", 0), levels = fb_arg_number(args, "levels", 1),
           each = fb_arg_is(args, "style", "tiered") ? fb_arg_number(args, "ratio", 10) - 1 : 1;
    make_tree(bench, args, &space, &tree);
    double met = bench->err ? 0 : (double)runs_met(&tree), n_runs = (double)tree.n_runs;
    fb_tree_close(&tree);
    if (!strcmp(name, "worst"))
        return (struct fb_pair){l0 + each * (levels - 1), met};
    if (strcmp(name, "every-run") != 0)
        fb_bench_fail(bench, FB_EINVAL, "no fact '%.40s' of a tree", name);
    return (struct fb_pair){n_runs, met};
}

/* A fact of one tree, or, with lists "l0" and "levels" beside it, how many trees of the grid break
 * it. */
FB_PROCEDURE(tree_fact)
{
    const char *name = fb_arg_text(args, "report", "worst");
    json_auto_t *shape = json_deep_copy(json_object_get(args, "tree"));
    unsigned off = 0, n = 0;
    FB_EACH(l0, json_object_get(args, "l0")) {
        FB_EACH(levels, json_object_get(args, "levels")) {
            json_object_set(shape, "l0", l0);
            json_object_set(shape, "levels", levels);
            struct fb_pair fact = fact_of(bench, shape, name);
            off += fact.theory != fact.measured;
            n++;
        }
    }
    if (n) {
        fb_find_exact(out, 0, off);
        fb_find_remark(out, "%u trees", n);
    } else {
        struct fb_pair fact = fact_of(bench, shape, name);
        fb_find_exact(out, fact.theory, fact.measured);
        fb_find_remark(out, "1 tree");
    }
}

/*
 * Most segments that a tiered tree has had after 1, 2, ..., `flushes` flushes of as many items
 * each. A flush adds a segment to level 0. A level of `ratio` segments becomes one segment of the
 * next. No tree is drawn up from its size here: this one grows.
 */
static double most_segments(uint64_t flushes, uint64_t ratio)
{
    enum { MOST_LEVELS = 64 };
    uint64_t level[MOST_LEVELS] = {0}, segments = 0, most = 0;
    for (uint64_t i = 0; i < flushes; i++) {
        level[0]++;
        segments++;
        for (size_t l = 0; level[l] == ratio; l++) {
            level[l] = 0;
            level[l + 1]++;
            segments -= ratio - 1;
        }
        most = segments > most ? segments : most;
    }
    return (double)most;
}

/* How many times the segments a tiered tree has at worst when its items are squared: just before
 * `levels` levels, and twice as many, are full. Theory: ratio - 1 segments a level. */
FB_PROCEDURE(tiered_growth)
{
    const uint64_t ratio = fb_arg_count(args, "ratio", 0), levels = fb_arg_count(args, "levels", 0);
    uint64_t flushes = 1;
    for (uint64_t l = 0; l < levels && flushes <= UINT16_MAX; l++)
        flushes *= ratio;
    if (ratio < 2 || !levels || flushes > UINT16_MAX)
        fb_bench_fail(bench, FB_EINVAL, "a ratio of 2 or more, and at most 65535 flushes");
    if (bench->err)
        return;
    const double few = most_segments(flushes - 1, ratio),
                 many = most_segments(flushes * flushes - 1, ratio), each = (double)(ratio - 1),
                 n = (double)levels;
    fb_find_exact(out, 2 * n * each / (n * each), many / few);
    fb_find_remark(out, "at most %.0f segments in %.0f flushes, %.0f in %.0f", few,
                   (double)flushes - 1, many, (double)(flushes * flushes) - 1);
}
