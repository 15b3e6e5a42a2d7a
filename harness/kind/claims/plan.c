#include "harness/kind/claims/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As a result document holds it, so that the verdict drawn from either is the same. */
static double as_written(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", x);
    return strtod(text, NULL);
}

static void round_finding(struct fb_finding *found)
{
    for (size_t i = 0; i < found->n; i++) {
        found->theory[i] = as_written(found->theory[i]);
        found->measured[i] = as_written(found->measured[i]);
        found->low[i] = as_written(found->low[i]);
        found->high[i] = as_written(found->high[i]);
    }
    found->tolerance = as_written(found->tolerance);
    found->p = as_written(found->p);
}

enum fb_err fb_claim_find(struct fb_bench *bench, const struct fb_claim *claim,
                          struct fb_finding *out)
{
    char why[sizeof bench->why];
    enum fb_err err = fb_procedure_run(claim->procedure, bench, claim->measure, out);
    if (bench->interrupted)
        return FB_OK;
    bool asks = !out->n && fb_claim_is_timed(claim);
    if (!err && !asks && !claim->ours && out->n != claim->claimed.n)
        err = fb_bench_fail(bench, FB_EINVAL, "%zu numbers are claimed and %zu found",
                            claim->claimed.n, out->n);
    round_finding(out);
    memcpy(why, bench->why, sizeof why);
    if (err)
        snprintf(bench->why, sizeof bench->why, "%s: %.150s", claim->id, why);
    return err;
}

static bool same_theory(const struct fb_finding *a, const struct fb_finding *b)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->theory[i] != b->theory[i] && !(isnan(a->theory[i]) && isnan(b->theory[i])))
            return false;
    return true;
}

/* ---- Work ---- */

/* What an effort gives one row at most beyond the least work: probes of all its filters. */
static const double most_probes[] = {[FB_QUICK] = 0, [FB_DEFAULT] = 8e8, [FB_FULL] = 2e10};

/* Beyond this the limits are not to be told from the theory. */
#define MOST_WORK (UINT64_C(1) << 30)

/* Whether a prediction, its interval 1.7 times as wide, is clear of the limits. The estimate will
 * lie some way off the theory: an interval is 3.29 sigmas, so 2.3 more are left to it, which one
 * in a hundred exceeds. */
static bool would_decide(const struct fb_finding *predicted, const struct fb_claimed *claimed)
{
    const double margin = 1.7;
    double low[FB_CLAIM_VALUES], high[FB_CLAIM_VALUES];
    for (size_t i = 0; i < predicted->n; i++) {
        const double x = predicted->theory[i];
        low[i] = x - margin * (x - predicted->low[i]);
        high[i] = x + margin * (predicted->high[i] - x);
    }
    return fb_claimed_stand(claimed, low, high) != FB_BETWEEN;
}

/* What the plan of a row comes to. */
struct plan {
    struct fb_finding predicted; /* with the least work */
    uint64_t work;               /* to measure with */
    double deciding; /* probes that would decide; INFINITY: none would; 0: nothing to plan */
    bool allowed;    /* the effort spends so many */
    bool counts;     /* the row has facts: to measure is more than to predict */
};

/* 1, 2, 3, 4, 6, 8, 12: few enough that rows often share what they measure. */
static uint64_t more_than(uint64_t work)
{
    bool power_of_two = !(work & (work - 1));
    return power_of_two && work > 1 ? work / 2 * 3 : work > 1 ? work / 3 * 4 : 2;
}

/* Raises the work until it would do. */
static enum fb_err plan_of(struct fb_bench *bench, const struct fb_claim *claim, struct plan *plan)
{
    struct fb_finding predicted;
    const enum fb_phase phase = bench->phase;
    uint64_t probes = 0;
    bench->phase = FB_PREDICT;
    bench->work = 1;
    enum fb_err err = fb_claim_find(bench, claim, &predicted);
    *plan = (struct plan){.predicted = predicted, .work = 1, .counts = bench->taken > 0};
    /* Where more work asks no more, there is nothing to plan. */
    while (!err && fb_finding_has_interval(&predicted) && predicted.probes > probes) {
        if (would_decide(&predicted, &claim->claimed) || bench->work > MOST_WORK) {
            plan->deciding = bench->work > MOST_WORK ? INFINITY : (double)predicted.probes;
            break;
        }
        probes = predicted.probes;
        bench->work = more_than(bench->work);
        err = fb_claim_find(bench, claim, &predicted);
    }
    plan->allowed = plan->deciding > 0 && isfinite(plan->deciding) &&
                    (bench->work == 1 || plan->deciding <= most_probes[bench->effort]);
    if (plan->allowed)
        plan->work = bench->work;
    bench->phase = phase;
    return err;
}

/* The least effort, from the bench's own on, that decides the claim, and its probes; FB_EFFORTS,
 * and the probes that it would take, where none does. A greater effort may ask for other filters,
 * so each makes its own plan. */
static enum fb_err find_effort(struct fb_bench *bench, const struct fb_claim *claim,
                               const struct plan *own, struct fb_finding *out)
{
    const enum fb_effort effort = bench->effort;
    struct plan plan = *own;
    enum fb_err err = FB_OK;
    while (!err && !bench->interrupted && plan.deciding > 0 && !plan.allowed &&
           bench->effort < FB_FULL) {
        bench->effort++;
        err = plan_of(bench, claim, &plan);
    }
    out->deciding = plan.deciding;
    out->deciding_effort = plan.allowed ? bench->effort : FB_EFFORTS;
    bench->effort = effort;
    return err;
}

enum fb_err fb_claim_count(struct fb_bench *bench, const struct fb_claim *claim,
                           struct fb_finding *out)
{
    struct plan plan;
    struct fb_finding planned = {0};
    enum fb_err err = plan_of(bench, claim, &plan);
    if (!err && !bench->interrupted)
        err = find_effort(bench, claim, &plan, &planned);
    bench->work = plan.work;
    bool again = plan.counts || bench->phase != FB_DERIVE || json_array_size(bench->facts);
    *out = plan.predicted;
    if (!err && !bench->interrupted && again)
        err = fb_claim_find(bench, claim, out);
    bench->work = 1;
    if (err || bench->interrupted)
        return err;
    out->deciding = planned.deciding;
    out->deciding_effort = planned.deciding_effort;
    if (!out->simulated && !same_theory(&plan.predicted, out))
        err = fb_bench_fail(bench, FB_EINVAL, "%s: its theory changed with the measurement",
                            claim->id);
    return err;
}
