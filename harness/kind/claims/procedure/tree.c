/* Procedures: what the shape of a tree alone decides. */
#include <string.h>

#include "harness/kind/claims/procedure/grove.h"
#include "harness/kind/claims/procedure/table.h"

/* Runs that one absent key may meet, and of one level other than the first: the most over keys
 * spread evenly over the tree, as some fall between two segments. */
static void runs_met(const struct fb_tree *tree, size_t *all, size_t *most_per_level)
{
    enum { KEYS = 256 };
    *all = *most_per_level = 0;
    for (uint64_t k = 0; k < KEYS; k++) {
        uint64_t index = fb_mulhi64(k << 56, tree->space->size);
        size_t met = 0, per_level = 0;
        for (size_t r = 0; r < tree->n_runs; r++) {
            const struct fb_run *run = &tree->runs[r];
            struct fb_place place;
            bool here = fb_run_locate(run, index, &place);
            met += here;
            per_level = r && run->level == run[-1].level ? per_level + here : here;
            if (run->level && per_level > *most_per_level)
                *most_per_level = per_level;
        }
        *all = met > *all ? met : *all;
    }
}

/* The named fact of the tree of these arguments. */
static struct fb_pair fact_of(struct fb_bench *bench, const json_t *args, const char *name)
{
    struct fb_keyspace space;
    struct fb_tree tree;
    size_t all = 0, most = 0;
    double segments[3] = {0};
    double l0 = fb_arg_number(args, "l0", 0), levels = fb_arg_number(args, "levels", 1),
           ratio = fb_arg_number(args, "ratio", 10),
           each = fb_arg_is(args, "style", "tiered") ? ratio - 1 : 1;
    fb_claim_tree(bench, args, "random", 1, &space, &tree);
    if (!bench->err)
        runs_met(&tree, &all, &most);
    for (size_t r = 0; r < tree.n_runs; r++)
        if (tree.runs[r].level < 3)
            segments[tree.runs[r].level] += (double)tree.runs[r].n_segments;
    fb_tree_close(&tree);
    if (!strcmp(name, "worst"))
        return (struct fb_pair){l0 + each * (levels - 1), (double)all};
    if (!strcmp(name, "per-level"))
        return (struct fb_pair){1, (double)most};
    if (strcmp(name, "l2-to-l1") != 0)
        fb_bench_fail(bench, FB_EINVAL, "no fact '%.40s' of a tree", name);
    return (struct fb_pair){ratio, segments[2] / segments[1]};
}

/* A fact of one tree, or, with lists "l0" and "levels" beside it, how many trees of the grid break
 * it. */
static void tree_fact(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const char *name = fb_arg_text(args, "report", "worst");
    json_t *shape = json_deep_copy(json_object_get(args, "tree")), *l0, *levels;
    unsigned off = 0, n = 0;
    size_t i, j;
    json_array_foreach(json_object_get(args, "l0"), i, l0) {
        json_array_foreach(json_object_get(args, "levels"), j, levels) {
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
    json_decref(shape);
}

const struct fb_procedure fb_tree_procedures[] = {{"tree-fact", tree_fact, FB_COUNTED}, {0}};
