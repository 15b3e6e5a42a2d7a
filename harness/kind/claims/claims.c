#include "harness/kind/claims/claims.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/procedure/table.h"
#include "harness/stats/stats.h"

const char *fb_model_text(enum fb_model model)
{
    static const char *const texts[] = {"confirmed", "failed", "documentary", "pending", "none"};
    return texts[model];
}

const char *fb_verdict_text(enum fb_verdict verdict)
{
    static const char *const texts[] = {"reproduced", "not reproduced", "documentary", "not judged",
                                        "pending"};
    return texts[verdict];
}

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

static bool value_holds(const struct fb_claimed *claimed, const struct fb_finding *found, size_t i)
{
    double slack = 1e-9 * fabs(claimed->value[i]);
    double least = claimed->value[i] - claimed->half[i] - slack,
           most = claimed->value[i] + claimed->half[i] + slack;
    switch (claimed->relation) {
    case FB_AT_MOST:
        return found->low[i] <= claimed->value[i] + slack;
    case FB_AT_LEAST:
        return found->high[i] >= claimed->value[i] - slack;
    case FB_BELOW:
        return found->low[i] < claimed->value[i];
    case FB_ABOVE:
        return found->high[i] > claimed->value[i];
    default:
        return found->low[i] <= most && found->high[i] >= least;
    }
}

/* The number that a bound turns at, or the ends of what rounds to a printed one. */
bool fb_finding_is_clear(const struct fb_finding *found, const struct fb_claimed *claimed)
{
    for (size_t i = 0; i < found->n; i++) {
        const double low = found->low[i], high = found->high[i];
        const double half = claimed->relation == FB_EQUAL ? claimed->half[i] : 0;
        const double least = claimed->value[i] - half, most = claimed->value[i] + half;
        if (low < high && ((low <= least && least <= high) || (low <= most && most <= high)))
            return false;
    }
    return true;
}

/* The theory alone is not what was printed: more probes would tell. */
static bool theory_excludes(const struct fb_judged *judged)
{
    struct fb_finding exact = judged->finding[0];
    for (size_t i = 0; i < exact.n; i++) {
        exact.low[i] = exact.high[i] = exact.theory[i];
        if (!value_holds(&judged->claim->claimed, &exact, i))
            return true;
    }
    return false;
}

static bool claim_holds(const struct fb_judged *judged)
{
    for (size_t r = 0; r < judged->n_findings; r++)
        for (size_t i = 0; i < judged->claim->claimed.n; i++)
            if (!value_holds(&judged->claim->claimed, &judged->finding[r], i))
                return false;
    return true;
}

static void append(char *line, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *line, size_t size, const char *format, ...)
{
    size_t used = strlen(line);
    va_list list;
    va_start(list, format);
    vsnprintf(line + used, size - used, format, list);
    va_end(list);
}

static void explain(struct fb_judged *judged)
{
    const struct fb_claim *claim = judged->claim;
    const struct fb_finding *found = &judged->finding[0];
    char *why = judged->why, measured[200], theory[200], claimed[200];
    const size_t size = sizeof judged->why;
    fb_claim_numbers(claim, found->measured, found->n, measured, sizeof measured);
    fb_claim_numbers(claim, found->theory, found->n, theory, sizeof theory);
    fb_claim_numbers(claim, claim->claimed.value, claim->claimed.n, claimed, sizeof claimed);
    why[0] = 0;
    if (judged->model == FB_MODEL_PENDING) {
        append(why, size, "needs: %s", claim->needs);
    } else if (judged->model == FB_MODEL_DOCUMENTARY) {
        append(why, size, "%s (%s)", claim->says, claim->cite);
    } else if (judged->model == FB_MODEL_FAILED) {
        append(why, size, "our model gives %s %s, our measurement %s", theory, claim->claimed.unit,
               measured);
        if (!isnan(judged->p_holm))
            append(why, size, ", p = %.2g", judged->p_holm);
        if (found->false_negatives)
            append(why, size, ", %llu false negatives", (unsigned long long)found->false_negatives);
    } else if (judged->verdict == FB_VERDICT_NOT_JUDGED) {
        append(why, size, "%s %s on this machine; a time of one machine is not judged", measured,
               claim->claimed.unit);
    } else if (judged->model == FB_MODEL_NONE && judged->verdict == FB_VERDICT_REPRODUCED) {
        append(why, size, "%s", found->remark);
    } else if (judged->verdict == FB_VERDICT_REPRODUCED && theory_excludes(judged)) {
        append(why, size, "within the interval; theory is %s %s", theory, claim->claimed.unit);
    } else if (judged->verdict == FB_VERDICT_NOT_REPRODUCED) {
        append(why, size, "%s %s instead of %s%s", measured, claim->claimed.unit,
               claim->claimed.relation == FB_EQUAL ? "" : fb_relation_text(claim->claimed.relation),
               claimed);
        if (found->remark[0])
            append(why, size, " (%s)", found->remark);
        if (claim->note)
            append(why, size, ". %s", claim->note);
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
        enum fb_nature nature = fb_procedure_nature(j->claim->procedure);
        bool timed = fb_procedure_is_timed(j->claim->procedure);
        bool confirmed = isnan(j->p_holm) || j->p_holm >= FB_MODEL_ALPHA;
        for (size_t r = 0; r < j->n_findings; r++)
            confirmed &= agrees_exactly(&j->finding[r]) && !j->finding[r].false_negatives;
        j->model = j->claim->needs  ? FB_MODEL_PENDING
                   : !j->n_findings ? FB_MODEL_DOCUMENTARY
                   : timed          ? FB_MODEL_NONE
                   : confirmed      ? FB_MODEL_CONFIRMED
                                    : FB_MODEL_FAILED;
        j->verdict = j->claim->needs             ? FB_VERDICT_PENDING
                     : !j->n_findings            ? FB_VERDICT_DOCUMENTARY
                     : nature == FB_MACHINE_ONLY ? FB_VERDICT_NOT_JUDGED
                     : claim_holds(j)            ? FB_VERDICT_REPRODUCED
                                                 : FB_VERDICT_NOT_REPRODUCED;
        explain(j);
    }
    free(row);
    free(p);
    free(adjusted);
    return err;
}
