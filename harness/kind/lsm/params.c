/* The sizes of the filters of a tree: what is asked for of each run. */
#include <stdlib.h>
#include <string.h>

#include "harness/kind/lsm/lsm.h"

/* How often each run is asked in vain: a + (1 - a) * (holders behind it). */
static void weigh(const struct fb_tree *tree, double absent, const double *share, double *weight)
{
    double behind = 0;
    for (size_t i = tree->n_runs; i-- > 0;) {
        weight[i] = absent + (1 - absent) * behind;
        behind += share[i];
    }
}

static unsigned last_level(const struct fb_tree *tree)
{
    return tree->n_runs ? tree->runs[tree->n_runs - 1].level : 0;
}

/* Bits per key of a filter that is sized by rate, at the keys of one unit. */
static enum fb_err bits_of(const struct fb_lsm_filter *filter, const struct fb_tree *tree,
                           double *bits, const char **why)
{
    struct fb_params params = {.fpr = filter->size};
    struct fb_geometry geom;
    uint64_t n = tree->unit_keys ? tree->unit_keys : 1;
    *bits = filter->size;
    if (filter->sizing == FB_LSM_BITS)
        return FB_OK;
    enum fb_err err = fb_params_plan(filter->design, n, &params, &geom, why);
    if (!err)
        *bits = 8 * (double)geom.n_bytes / (double)n;
    return err;
}

/* Memory split over the runs on disk. */
static enum fb_err allocate(const struct fb_lsm_filter *filter, const struct fb_tree *tree,
                            double absent, const double *share, struct fb_params *params,
                            const char **why)
{
    size_t n = 0;
    struct fb_allocation_run *runs = calloc(tree->n_runs + 1, sizeof *runs);
    double *numbers = calloc(2 * tree->n_runs + 1, sizeof *numbers), spent, bits_per_key;
    double *weight = numbers, *bits = weight + tree->n_runs;
    enum fb_err err = runs && numbers ? bits_of(filter, tree, &bits_per_key, why) : FB_ENOMEM;
    if (err)
        goto out;
    weigh(tree, absent, share, weight);
    for (size_t i = 0; i < tree->n_runs; i++) {
        const struct fb_run *run = &tree->runs[i];
        size_t units = run->n_segments * run->units_per_segment;
        if (run->memtable)
            continue;
        runs[n++] = (struct fb_allocation_run){
            .n_keys = run->n_keys,
            .unit_keys = units ? (run->n_keys + units - 1) / units : run->n_keys,
            .weight = weight[i],
            .last = run->level == last_level(tree),
        };
    }
    err = fb_allocate(filter->allocation, filter->design, bits_per_key, runs, n, bits, &spent, why);
    n = 0;
    for (size_t i = 0; i < tree->n_runs && !err; i++)
        params[i] = (struct fb_params){.bits_per_key = tree->runs[i].memtable ? -1 : bits[n++]};
out:
    free(runs);
    free(numbers);
    return err;
}

enum fb_err fb_lsm_params(const struct fb_lsm *e, const struct fb_lsm_filter *filter,
                          const struct fb_tree *tree, double absent, const double *share,
                          struct fb_params *params, const char **why)
{
    bool split = filter->allocation == FB_ALLOC_MONKEY || filter->allocation == FB_ALLOC_OPTIMAL;
    bool drop = filter->allocation == FB_ALLOC_DROP_LAST;
    if (split)
        return allocate(filter, tree, absent, share, params, why);
    for (size_t i = 0; i < tree->n_runs; i++) {
        const struct fb_run *run = &tree->runs[i];
        size_t level = run->level < e->n_run_bits ? run->level : e->n_run_bits - 1;
        struct fb_params *p = &params[i];
        memset(p, 0, sizeof *p);
        if (filter->sizing == FB_LSM_RATE)
            p->fpr = filter->size;
        else if (filter->sizing == FB_LSM_BITS)
            p->bits_per_key = filter->size;
        else if (filter->sizing == FB_LSM_LEVELS)
            p->bits_per_key = e->run_bits[level] > 0 ? e->run_bits[level] : -1;
        if (run->memtable || (drop && run->level == last_level(tree)))
            *p = (struct fb_params){.bits_per_key = -1};
    }
    return FB_OK;
}
