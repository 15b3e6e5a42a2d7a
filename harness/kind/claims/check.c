/* A result document of kind "claims", drawn again from its findings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/document/result.h"
#include "harness/kind/claims/claims.h"
#include "harness/kind/claims/procedure/table.h"

static double number_or(const json_t *value, double otherwise)
{
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static const json_t *item(const json_t *value, size_t i)
{
    return json_is_array(value) ? json_array_get(value, i) : value;
}

/* The finding of a row, or of its "repeat". False where numbers are missing. */
static bool read_finding(const json_t *row, const struct fb_claim *claim, struct fb_finding *out)
{
    const json_t *theory = json_object_get(row, "theory");
    const json_t *measured = json_object_get(row, "measured");
    const json_t *interval = json_object_get(row, "interval");
    size_t n = json_is_array(measured) ? json_array_size(measured) : 1;
    bool timed = fb_procedure_nature(claim->procedure) != FB_COUNTED;
    *out = (struct fb_finding){
        .n = n,
        .tolerance = number_or(json_object_get(row, "exact_within"), NAN),
        .p = number_or(json_object_get(row, "p_value"), NAN),
        .events = (uint64_t)json_integer_value(json_object_get(row, "events")),
        .probes = (uint64_t)json_integer_value(json_object_get(row, "probes")),
        .false_negatives = (uint64_t)json_integer_value(json_object_get(row, "false_negatives")),
        .simulated = json_is_true(json_object_get(row, "simulated")),
        .theory_error = number_or(json_object_get(row, "theory_error"), 0),
        .wide = json_is_true(json_object_get(row, "wide")),
        .level = timed ? number_or(json_object_get(row, "interval_level"), 0) : 0};
    snprintf(out->remark, sizeof out->remark, "%s", fb_json_str(row, "remark"));
    if (n != claim->claimed.n)
        return false;
    for (size_t i = 0; i < n; i++) {
        out->theory[i] = number_or(item(theory, i), NAN);
        out->measured[i] = number_or(item(measured, i), NAN);
        out->low[i] = number_or(json_object_get(interval, "low"), out->measured[i]);
        out->high[i] = number_or(json_object_get(interval, "high"), out->measured[i]);
        if (isnan(out->measured[i]) || isnan(out->theory[i]) != timed)
            return false;
    }
    return true;
}

static const struct fb_claim *claim_of(const struct fb_ledger *ledger, const char *id)
{
    for (size_t i = 0; i < ledger->n; i++)
        if (!strcmp(ledger->claims[i].id, id))
            return &ledger->claims[i];
    return NULL;
}

static enum fb_exit read_row(const char *path, const struct fb_ledger *ledger, const json_t *row,
                             struct fb_judged *out)
{
    const char *id = fb_json_str(row, "claim");
    const json_t *repeat = json_object_get(row, "repeat");
    out->claim = claim_of(ledger, id);
    if (!out->claim) {
        fb_error("%s: %.100s: the ledger has no such claim ('filterbench list claims')", path, id);
        return FB_EXIT_USAGE;
    }
    if (!out->claim->procedure)
        return FB_EXIT_OK;
    out->n_findings = repeat ? 2 : 1;
    if (read_finding(row, out->claim, &out->finding[0]) &&
        (!repeat || read_finding(repeat, out->claim, &out->finding[1])))
        return FB_EXIT_OK;
    fb_error("%s: %s: theory, measured: give as many numbers as are claimed", path, id);
    return FB_EXIT_USAGE;
}

/* Every member of either row is in the other. */
static enum fb_exit compare(const char *path, const struct fb_judged *judged, const json_t *row)
{
    const char *where = NULL;
    json_t *drawn = fb_judged_json(judged);
    bool same = fb_json_agree(drawn, row, &where) && fb_json_agree(row, drawn, &where);
    json_decref(drawn);
    if (same)
        return FB_EXIT_OK;
    fb_error("%s: %s: %s is not what the ledger and the findings give", path, judged->claim->id,
             where ? where : "it");
    return FB_EXIT_CORRECTNESS;
}

enum fb_exit fb_claims_check(const char *path, const json_t *document)
{
    const json_t *rows = json_object_get(document, "claims");
    size_t n = json_array_size(rows);
    struct fb_ledger ledger = {0};
    struct fb_judged *judged = calloc(n + 1, sizeof *judged);
    json_t *seen = json_object();
    char folder[4096], why[4600];
    enum fb_exit code = judged ? FB_EXIT_OK : fb_fail(path, FB_ENOMEM, NULL);
    fb_data_path("results/claims", folder, sizeof folder);
    if (!code && fb_ledger_load(folder, &ledger, why, sizeof why)) {
        fb_error("%s", why);
        code = FB_EXIT_USAGE;
    }
    for (size_t i = 0; i < n && !code; i++) {
        const char *id = fb_json_str(json_array_get(rows, i), "claim");
        code = read_row(path, &ledger, json_array_get(rows, i), &judged[i]);
        if (!code && json_object_get(seen, id)) {
            fb_error("%s: %s: it is there twice", path, id);
            code = FB_EXIT_CORRECTNESS;
        }
        json_object_set_new(seen, id, json_true());
    }
    if (!code)
        code = fb_fail(path, fb_claims_draw(judged, n), NULL);
    for (size_t i = 0; i < n && !code; i++)
        code = compare(path, &judged[i], json_array_get(rows, i));
    json_decref(seen);
    free(judged);
    fb_ledger_close(&ledger);
    return code;
}
