/* Judged claims as cells of a document. */
#include <math.h>
#include <string.h>

#include "harness/kind/claims/claims.h"

/* One number, or an array where there are several. */
static json_t *numbers(const double *values, size_t n)
{
    if (n == 1)
        return fb_json_number(values[0]);
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, fb_json_number(values[i]));
    return array;
}

/* Members that do not apply to a row are left out; theory and measured are null where `why` says
 * the reason. */
static void set_text(json_t *row, const char *key, const char *text)
{
    if (text && text[0])
        json_object_set_new(row, key, json_string(text));
}

bool fb_finding_has_interval(const struct fb_finding *found)
{
    bool wide = false;
    for (size_t i = 0; i < found->n; i++)
        wide |= found->low[i] < found->high[i];
    return wide || found->level > 0;
}

/* What the ledger asks for where less was spent. */
static void set_fewer(json_t *row, const struct fb_finding *found)
{
    if (found->probes_missing)
        json_object_set_new(
            row, "fewer",
            json_pack("{s:o}", "probes_asked", fb_json_int(found->probes + found->probes_missing)));
}

/* `noted`: the row or its "repeat" with the facts, where there are any. */
static void set_finding(json_t *row, const struct fb_finding *found, const json_t *noted)
{
    json_t *facts = json_object_get(noted, "facts");
    if (json_array_size(facts))
        json_object_set(row, "facts", facts);
    json_object_set_new(row, "theory", numbers(found->theory, found->n));
    json_object_set_new(row, "measured", numbers(found->measured, found->n));
    if (fb_finding_has_interval(found)) {
        json_object_set_new(row, "interval",
                            json_pack("{s:o, s:o}", "low", numbers(found->low, found->n), "high",
                                      numbers(found->high, found->n)));
        json_object_set_new(row, "interval_level",
                            json_real(found->level > 0 ? found->level : 0.999));
    }
    if (found->processes) {
        json_object_set_new(row, "clock", json_string(found->cpu_clock ? "thread_cpu" : "wall"));
        json_object_set_new(row, "processes", json_integer((json_int_t)found->processes));
    }
    if (fb_find_independent(found))
        json_object_set_new(row, "independent", json_true());
    if (!isnan(found->tolerance))
        json_object_set_new(row, "exact_within", json_real(found->tolerance));
    if (!isnan(found->p))
        json_object_set_new(row, "p_value", json_real(found->p));
    if (found->probes) {
        json_object_set_new(row, "events", json_integer((json_int_t)found->events));
        json_object_set_new(row, "probes", json_integer((json_int_t)found->probes));
        json_object_set_new(row, "false_negatives",
                            json_integer((json_int_t)found->false_negatives));
        json_object_set_new(row, "simulated", json_boolean(found->simulated));
        set_fewer(row, found);
    }
    if (found->simulated)
        json_object_set_new(row, "theory_error", fb_json_number(found->theory_error));
    if (found->deciding > 0)
        json_object_set_new(row, "deciding",
                            json_pack("{s:o, s:s?}", "probes", fb_json_number(found->deciding),
                                      "effort", fb_effort_texts[found->deciding_effort]));
    set_text(row, "remark", found->remark);
}

/* Limits of a claim that has numbers. */
static json_t *tolerance_of(const struct fb_claimed *claimed)
{
    json_t *tolerance = json_object();
    json_object_set_new(tolerance, "low", numbers(claimed->low, claimed->n));
    json_object_set_new(tolerance, "high", numbers(claimed->high, claimed->n));
    set_text(tolerance, "whose", fb_whose_texts[claimed->whose]);
    set_text(tolerance, "why", claimed->why);
    return tolerance;
}

json_t *fb_judged_json(const struct fb_judged *judged)
{
    const struct fb_claim *claim = judged->claim;
    const json_t *claimed = json_object_get(claim->row, "claimed");
    const json_t *printed = json_object_get(claimed, "printed");
    json_t *row =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "id", claim->id, "document", claim->document,
                  "section", claim->section, "kind", claim->kind, "statement", claim->claim);
    json_object_set_new(row, "claimed", json_deep_copy(json_object_get(claimed, "value")));
    if (printed)
        json_object_set_new(row, "printed", json_deep_copy(printed));
    set_text(row, "claimed_text", claim->claimed.text);
    set_text(row, "relation", fb_relation_texts[claim->claimed.relation]);
    json_object_set_new(row, "unit", json_string(claim->claimed.unit));
    if (claim->claimed.n)
        json_object_set_new(row, "tolerance", tolerance_of(&claim->claimed));
    if (claim->own)
        set_text(row, "take", fb_json_str(claim->measure, "take"));
    json_object_set_new(row, "theory", json_null());
    json_object_set_new(row, "measured", json_null());
    if (judged->n_findings)
        set_finding(row, &judged->finding[0], judged->row);
    if (judged->n_findings > 1) {
        json_t *repeat = json_object();
        set_finding(repeat, &judged->finding[1], json_object_get(judged->row, "repeat"));
        json_object_set_new(row, "repeat", repeat);
    }
    if (!isnan(judged->p_holm))
        json_object_set_new(row, "p_holm", json_real(judged->p_holm));
    json_object_set_new(row, "model", json_string(fb_model_texts[judged->model]));
    json_object_set_new(row, "verdict", json_string(fb_verdict_texts[judged->verdict]));
    if (judged->model == FB_MODEL_DOCUMENTARY)
        json_object_set_new(row, "source_agrees", json_boolean(claim->holds));
    set_text(row, "why", judged->why);
    set_text(row, "model_text", claim->model);
    set_text(row, "needs", claim->needs);
    set_text(row, "source", claim->cite);
    set_text(row, "note", claim->note);
    if (claim->unread)
        json_object_set_new(row, "unread", json_true());
    return row;
}
