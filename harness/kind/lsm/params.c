/* The sizes of the filters of a tree: what is asked for of each run, and how many keys it gets. */
#include <math.h>

#include "filters/core/bits.h"
#include "filters/core/simulate.h"
#include "harness/kind/lsm/experiment.h"

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

/* Memory split over the runs on disk, which follow the memtables. A run is asked in vain by a share
 * absent + (1 - absent) * (holders behind it) of the queries. */
static enum fb_err allocate(const struct fb_lsm_filter *filter, const struct fb_tree *tree,
                            double absent, const double *share, struct fb_params *params,
                            const char **why)
{
    struct fb_allocation_run runs[FB_MAX_RUNS];
    size_t first = 0;
    double bits_per_key, behind = 0;
    enum fb_err err = bits_of(filter, tree, &bits_per_key, why);
    while (first < tree->n_runs && tree->runs[first].memtable)
        first++;
    for (size_t i = tree->n_runs; i-- > first;) {
        const struct fb_run *run = &tree->runs[i];
        runs[i - first] =
            (struct fb_allocation_run){.n_keys = run->n_keys,
                                       .unit_keys = fb_divide_up(run->n_keys, fb_run_units(run)),
                                       .weight = absent + (1 - absent) * behind,
                                       .last = run->level == last_level(tree)};
        behind += share[i];
    }
    if (!err)
        err = fb_allocate(filter->allocation, filter->design, bits_per_key, runs,
                          tree->n_runs - first, why);
    for (size_t i = 0; i < tree->n_runs && !err; i++)
        params[i] = (struct fb_params){.bits_per_key = i < first ? -1 : runs[i - first].bits};
    return err;
}

struct fb_params fb_lsm_params_of_level(const struct fb_lsm *e, const struct fb_lsm_filter *filter,
                                        unsigned level)
{
    struct fb_params params = {0};
    if (filter->sizing == FB_LSM_RATE)
        params.fpr = filter->size;
    else if (filter->sizing == FB_LSM_BITS)
        params.bits_per_key = filter->size;
    else if (filter->sizing == FB_LSM_LEVELS)
        params.bits_per_key = e->run_bits[level < e->n_run_bits ? level : e->n_run_bits - 1];
    if (filter->sizing == FB_LSM_LEVELS && params.bits_per_key <= 0)
        params.bits_per_key = -1;
    return params;
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
        bool none = run->memtable || (drop && run->level == last_level(tree));
        params[i] = none ? (struct fb_params){.bits_per_key = -1}
                         : fb_lsm_params_of_level(e, filter, run->level);
    }
    return FB_OK;
}

/* ---- Keys and rates ---- */

struct fb_lsm_sizes fb_lsm_sizes(const struct fb_tree *tree, const struct fb_run *run)
{
    const uint64_t n = fb_divide_up(run->n_keys, fb_run_units(run));
    const fb_u128 whole = (fb_u128)n * tree->whole_unit_keys + tree->unit_keys / 2;
    return (struct fb_lsm_sizes){n, run->memtable ? n : (uint64_t)(whole / tree->unit_keys)};
}

struct fb_lsm_rate fb_lsm_formula(const struct fb_design *design, const struct fb_params *asked,
                                  uint64_t n)
{
    struct fb_params params = *asked;
    struct fb_geometry geom;
    const char *why;
    if (fb_params_plan(design, n, &params, &geom, &why))
        return (struct fb_lsm_rate){NAN, 0};
    return (struct fb_lsm_rate){design->fpr(&geom, n),
                                fb_scheme_excess(design->scheme, n, geom.n_bits, geom.probes)};
}

bool fb_lsm_formula_fits(const struct fb_lsm_filter *filter, const struct fb_params *params,
                         struct fb_lsm_sizes n)
{
    const struct fb_lsm_rate a = fb_lsm_formula(filter->design, params, n.scaled),
                             b = fb_lsm_formula(filter->design, params, n.unscaled);
    return n.scaled == n.unscaled || (filter->prefix.kind == FB_PREFIX_NONE &&
                                      a.error + b.error <= FB_LSM_SAME_RATE / 2 * b.value);
}
