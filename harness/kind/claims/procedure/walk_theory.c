
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/cell.h"
#include "harness/kind/claims/procedure/grove.h"
#include "workloads/core/tree_plan.h"

/* ---- Filters ---- */

/* Mean rate of the filters of a run, and its variance from one run of this size to another. */
struct run_rate {
    double f, variance;
};

/* n keys in `segments` files: n mod segments of them have one key more than the others. */
static struct run_rate rate_of(struct fb_bench *bench, const json_t *args, uint64_t n,
                               uint64_t segments)
{
    const struct fb_design *design = fb_arg_design(bench, args);
    struct run_rate rate = {0};
    for (uint64_t more = 0; more < 2 && !bench->err; more++) {
        const uint64_t n_keys = n / segments + more;
        const double share =
            (double)(more ? n % segments : segments - n % segments) / (double)segments;
        struct fb_params params = fb_arg_params(args);
        struct fb_geometry geom;
        if (share == 0 || fb_bench_plan(bench, design, n_keys, &params, &geom))
            continue;
        const double f = design->fpr(&geom, n_keys), sd = f * fb_fill_noise(&geom, n_keys);
        rate.f += share * f;
        rate.variance += share * sd * sd / (double)segments;
    }
    return rate;
}

/* ---- Runs ---- */

/* Sets pi of all runs. Returns the keys of those that hold. */
static double hold(struct fb_bench *bench, const json_t *args, const struct fb_tree_plan *plan,
                   struct fb_expected_run *runs)
{
    struct fb_query_spec spec = {0};
    const char *why = NULL;
    uint64_t keys = 0;
    if (!fb_holder_parse(fb_arg_text(args, "holder", "proportional"), &spec, &why))
        fb_bench_fail(bench, FB_EINVAL, "%s", why);
    else if (spec.holder != FB_PROPORTIONAL && spec.holder != FB_LEVEL)
        fb_bench_fail(bench, FB_EUNSUPPORTED, "no theory of a walk to such a holder");
    if (spec.level == UINT_MAX)
        spec.level = plan->run[plan->n_runs - 1].level;
    for (size_t r = 0; r < plan->n_runs; r++) {
        const struct fb_run_plan *run = &plan->run[r];
        const bool holds = spec.holder == FB_PROPORTIONAL || run->level == spec.level;
        runs[r].pi = holds ? (double)run->n_own : 0;
        keys += holds ? run->n_own : 0;
    }
    for (size_t r = 0; r < plan->n_runs; r++)
        runs[r].pi /= (double)keys;
    return (double)keys;
}

void fb_walk_theory(struct fb_bench *bench, const json_t *args, struct fb_walk_theory *out)
{
    const struct fb_tree_shape shape = fb_claim_shape(bench, json_object_get(args, "tree"));
    struct fb_tree_plan *plan = fb_bench_alloc(bench, 1, sizeof *plan);
    struct fb_expected_run *runs = fb_bench_alloc(bench, FB_MAX_RUNS, sizeof *runs);
    double sum = 0, sum_variance = 0, mean_variance = 0;
    const char *why = NULL;
    *out = (struct fb_walk_theory){.absent = fb_arg_number(args, "absent", 1)};
    const enum fb_err err = bench->err ? FB_OK : fb_tree_plan(&shape, shape.n_keys, plan, &why);
    if (fb_bench_check(bench, err, "tree", why))
        goto end;
    out->n_runs = plan->n_runs;
    out->present_keys = hold(bench, args, plan, runs);
    for (size_t i = 0; i < plan->n_runs && !bench->err; i++) {
        const double n = (double)plan->run[i].n_own;
        const uint64_t segments = fb_run_plan_segments(plan, &plan->run[i]);
        const struct run_rate rate = rate_of(bench, args, plan->run[i].n_own, segments);
        const double r = (n - (double)segments) / (n + 1), outside = r * (1 - r);
        runs[i].r = r;
        runs[i].f = rate.f;
        sum += r * rate.f;
        sum_variance += r * r * rate.variance + rate.f * rate.f * outside / (n + 2);
        mean_variance += outside / (n + 2);
        out->range_variance += outside;
    }
    fb_expect(runs, plan->n_runs, out->absent, &out->expected);
    out->f_noise = sum > 0 ? sqrt(sum_variance) / sum : 0;
    out->range_sd = sqrt(mean_variance);
end:
    free(plan);
    free(runs);
}
