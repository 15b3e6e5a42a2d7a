#include "harness/kind/claims/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/stats/stats.h"

const char *const fb_model_texts[] = {"confirmed",   "failed",  "computed",
                                      "documentary", "pending", "none"};
const char *const fb_verdict_texts[] = {"reproduced", "not reproduced", "undecided", "documentary",
                                        "not judged", "pending",        "finding"};

static bool agrees_exactly(const struct fb_finding *found)
{
    if (isnan(found->tolerance))
        return true;
    for (size_t i = 0; i < found->n; i++)
        if (!(fabs(found->measured[i] - found->theory[i]) <=
              found->tolerance + 1e-12 * fabs(found->theory[i])))
            return false;
    return true;
}

/* Of the roots together: twice the smaller. */
static double p_of(const struct fb_judged *judged)
{
    double p = judged->finding[0].p;
    return judged->n_findings > 1 ? fmin(1, 2 * fmin(p, judged->finding[1].p)) : p;
}

/* Of all roots: each must say the same, and one that contradicts is enough. */
static enum fb_verdict verdict_of(const struct fb_judged *judged)
{
    const struct fb_claimed *claimed = &judged->claim->claimed;
    enum fb_verdict verdict = FB_VERDICT_REPRODUCED;
    if (judged->claim->ours)
        return FB_VERDICT_FINDING;
    for (size_t r = 0; r < judged->n_findings; r++) {
        const struct fb_finding *found = &judged->finding[r];
        enum fb_standing stands = fb_claimed_stand(claimed, found->low, found->high);
        if (stands == FB_OUTSIDE)
            return FB_VERDICT_NOT_REPRODUCED;
        if (stands == FB_BETWEEN)
            verdict = FB_VERDICT_UNDECIDED;
    }
    return verdict;
}

bool fb_finding_is_clear(const struct fb_finding *found, const struct fb_claimed *claimed)
{
    return fb_claimed_stand(claimed, found->low, found->high) != FB_BETWEEN;
}

/* Half of the wider side of the interval of value i over its distance from the nearest limit. */
static double width_over_distance(const struct fb_finding *found, const struct fb_claimed *claimed,
                                  size_t i)
{
    const double x = found->measured[i], half = fmax(found->high[i] - x, x - found->low[i]);
    return half / fmin(fabs(x - claimed->low[i]), fabs(claimed->high[i] - x));
}

/* The estimate is on a limit where it lacks more. */
#define HOPELESS 1e6

/* How many times the work it took to be clear of the limits, of twice the distance, as the next
 * estimate will be another one: an interval is 1 / sqrt(work) wide. 1 where it is clear. */
static double lacks(const struct fb_finding *found, const struct fb_claimed *claimed)
{
    const double margin = 2;
    double worst = 1 / margin;
    for (size_t i = 0; i < claimed->n; i++)
        if (fb_claimed_stands(claimed, i, found->low[i], found->high[i]) == FB_BETWEEN)
            worst = fmax(worst, width_over_distance(found, claimed, i));
    return margin * worst * margin * worst;
}

/* As a sentence names them. */
static const char *const effort_words[] = {"--quick", "a run without --quick", "--full"};

/* "; 384 processes would tell", and the least effort that takes so many. */
static void forecast_processes(double processes, char *why, size_t size)
{
    size_t effort = 0;
    while (effort < FB_EFFORTS && (double)fb_effort_processes((enum fb_effort)effort) < processes)
        effort++;
    fb_append(why, size, "; about %.0f processes would tell", processes);
    if (effort == FB_EFFORTS)
        fb_append(why, size, ", more than --full takes (%zu)", fb_effort_processes(FB_FULL));
    else
        fb_append(why, size, "; %s takes up to %zu", effort_words[effort],
                  fb_effort_processes((enum fb_effort)effort));
}

/* "; 6e+06 probes would tell", and the least effort that spends so many. */
static void forecast_probes(const struct fb_finding *found, char *why, size_t size)
{
    fb_append(why, size, "; %.2g probes would tell", found->deciding);
    if (found->deciding_effort == FB_EFFORTS)
        fb_append(why, size, ", more than --full spends");
    else if (found->deciding <= (double)found->probes)
        fb_append(why, size, ", and were spent; one sample in a thousand does not");
    else
        fb_append(why, size, "; %s spends them", effort_words[found->deciding_effort]);
}

/* What an undecided row lacks: how much more would tell, and which effort does so much. */
static void forecast(const struct fb_judged *judged, char *why, size_t size)
{
    const struct fb_finding *found = &judged->finding[0];
    const struct fb_claimed *claimed = &judged->claim->claimed;
    const double factor = lacks(found, claimed);
    fb_append(why, size, "[%.4g, %.4g]", found->low[0], found->high[0]);
    if (claimed->relation == FB_EQUAL)
        fb_append(why, size, " is neither within %.10g to %.10g nor outside", claimed->low[0],
                  claimed->high[0]);
    else
        fb_append(why, size, " lies on both sides of %.10g", claimed->value[0]);
    if (found->deciding > 0 ? isinf(found->deciding) : factor > HOPELESS)
        fb_append(why, size, "; too close to tell at any effort");
    else if (found->processes)
        forecast_processes(factor * (double)found->processes, why, size);
    else if (found->deciding > 0)
        forecast_probes(found, why, size);
    else
        fb_append(why, size, "; about %.2g times the samples would tell", factor);
}

static void explain(struct fb_judged *judged)
{
    const struct fb_claim *claim = judged->claim;
    const struct fb_finding *found = &judged->finding[0];
    char *why = judged->why, measured[200], theory[200], claimed[200];
    const size_t size = sizeof judged->why;
    fb_claim_numbers(claim, found->measured, found->n, measured, sizeof measured);
    fb_claim_numbers(claim, found->theory, found->n, theory, sizeof theory);
    fb_claim_figure(claim, claimed, sizeof claimed);
    why[0] = 0;
    if (judged->model == FB_MODEL_PENDING) {
        fb_append(why, size, "needs: %s", claim->needs);
    } else if (judged->model == FB_MODEL_DOCUMENTARY) {
        fb_append(why, size, "%s (%s)", claim->says, claim->cite);
    } else if (judged->model == FB_MODEL_FAILED) {
        fb_append(why, size, "our model gives %s %s, our measurement %s", theory,
                  claim->claimed.unit, measured);
        if (!isnan(judged->p_holm))
            fb_append(why, size, ", p = %.2g", judged->p_holm);
        if (found->false_negatives)
            fb_append(why, size, ", %llu false negatives",
                      (unsigned long long)found->false_negatives);
    } else if (judged->verdict == FB_VERDICT_NOT_JUDGED) {
        fb_append(why, size, "%s %s on this machine; a time of one machine is not judged", measured,
                  claim->claimed.unit);
    } else if (judged->verdict == FB_VERDICT_FINDING ||
               (judged->model == FB_MODEL_NONE && judged->verdict == FB_VERDICT_REPRODUCED)) {
        fb_append(why, size, "%s", found->remark);
    } else if (judged->verdict == FB_VERDICT_UNDECIDED) {
        forecast(judged, why, size);
        if (found->remark[0])
            fb_append(why, size, " (%s)", found->remark);
    } else if (judged->verdict == FB_VERDICT_NOT_REPRODUCED) {
        fb_append(why, size, "%s%s%s instead of %s", measured, claim->claimed.unit[0] ? " " : "",
                  claim->claimed.unit, claimed);
        if (found->remark[0])
            fb_append(why, size, " (%s)", found->remark);
        if (claim->note)
            fb_append(why, size, ". %s", claim->note);
    }
}

enum fb_err fb_claims_draw(struct fb_judged *judged, size_t n)
{
    /* Rows with a test, packed for Holm and spread out again. */
    size_t n_tested = 0, *row = calloc(n + 1, sizeof *row);
    double *p = calloc(n + 1, sizeof *p), *adjusted = calloc(n + 1, sizeof *adjusted);
    enum fb_err err = row && p && adjusted ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; i < n && !err; i++) {
        judged[i].p_holm = NAN;
        if (judged[i].n_findings && !isnan(judged[i].finding[0].p)) {
            row[n_tested] = i;
            p[n_tested++] = p_of(&judged[i]);
        }
    }
    if (!err)
        fb_holm(p, n_tested, adjusted);
    for (size_t i = 0; i < n_tested && !err; i++)
        judged[row[i]].p_holm = adjusted[i];
    for (size_t i = 0; i < n && !err; i++) {
        struct fb_judged *j = &judged[i];
        enum fb_nature nature = j->claim->nature;
        /* A result of another kind may hold no prediction of the number. */
        bool alone =
            fb_claim_is_timed(j->claim) || (j->claim->own && isnan(j->finding[0].theory[0]));
        bool confirmed = isnan(j->p_holm) || j->p_holm >= FB_MODEL_ALPHA;
        for (size_t r = 0; r < j->n_findings; r++)
            confirmed &= agrees_exactly(&j->finding[r]) && !j->finding[r].false_negatives;
        j->model = j->claim->needs         ? FB_MODEL_PENDING
                   : !j->n_findings        ? FB_MODEL_DOCUMENTARY
                   : alone                 ? FB_MODEL_NONE
                   : !confirmed            ? FB_MODEL_FAILED
                   : nature == FB_COMPUTED ? FB_MODEL_COMPUTED
                                           : FB_MODEL_CONFIRMED;
        j->verdict = j->claim->needs             ? FB_VERDICT_PENDING
                     : !j->n_findings            ? FB_VERDICT_DOCUMENTARY
                     : nature == FB_MACHINE_ONLY ? FB_VERDICT_NOT_JUDGED
                                                 : verdict_of(j);
        explain(j);
    }
    free(row);
    free(p);
    free(adjusted);
    return err;
}
