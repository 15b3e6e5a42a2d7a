/* Judged claims as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/claims.h"
#include "harness/stats/serial.h"

/* The numbers and, of a single one, its interval. */
static void measured_text(const struct fb_judged *judged, char *text, size_t size)
{
    const struct fb_finding *found = &judged->finding[0];
    fb_claim_numbers(judged->claim, found->measured, found->n, text, size);
    size_t used = strlen(text);
    if (!fb_finding_has_interval(found))
        return;
    snprintf(text + used, size - used, " [%.4g, %.4g]%s", found->low[0], found->high[0],
             found->wide ? " wide" : "");
    used = strlen(text);
    if (found->level > 0)
        snprintf(text + used, size - used, " %.4g %%%s", 100 * found->level,
                 fb_find_independent(found) ? " *" : "");
}

static void claimed_text(const struct fb_claim *claim, char *text, size_t size)
{
    const json_t *printed = fb_claim_printed(claim);
    size_t used =
        claim->claimed.relation == FB_EQUAL
            ? 0
            : (size_t)snprintf(text, size, "%s ", fb_relation_text(claim->claimed.relation));
    if (json_is_string(printed))
        snprintf(text + used, size - used, "%s", json_string_value(printed));
    else
        fb_claim_numbers(claim, claim->claimed.value, claim->claimed.n, text + used, size - used);
    used = strlen(text);
    if (!strcmp(claim->claimed.unit, "%"))
        snprintf(text + used, size - used, " %%");
}

static void print_row(FILE *file, const struct fb_judged *judged)
{
    const struct fb_claim *claim = judged->claim;
    char claimed[80], theory[60] = "", measured[80] = "";
    bool holds = judged->verdict == FB_VERDICT_REPRODUCED ||
                 judged->verdict == FB_VERDICT_NOT_JUDGED ||
                 (judged->verdict == FB_VERDICT_DOCUMENTARY && claim->holds);
    claimed_text(claim, claimed, sizeof claimed);
    if (judged->n_findings) {
        size_t rough = fb_finding_is_rough(&judged->finding[0]);
        if (rough)
            strcpy(theory, "~");
        if (judged->model != FB_MODEL_NONE)
            fb_claim_numbers(claim, judged->finding[0].theory, judged->finding[0].n, theory + rough,
                             sizeof theory - rough);
        measured_text(judged, measured, sizeof measured);
    }
    fprintf(file, "%c %-30s %14s  %14s  %-31s %-11s %s\n", holds ? ' ' : '!', claim->id, claimed,
            theory, measured, fb_model_text(judged->model), fb_verdict_text(judged->verdict));
    if (judged->why[0])
        fprintf(file, "    %s\n", judged->why);
}

struct tally {
    size_t rough, other_level, independent, wide, judged, confirmed, failed, documentary,
        reproduced, not_reproduced, pending;
};

static void count(struct tally *tally, const struct fb_judged *judged)
{
    tally->wide += judged->n_findings && judged->finding[0].wide;
    tally->rough += judged->n_findings && fb_finding_is_rough(&judged->finding[0]);
    tally->other_level += judged->n_findings && judged->finding[0].level > 0;
    tally->independent += judged->n_findings && fb_find_independent(&judged->finding[0]);
    tally->judged += judged->model != FB_MODEL_PENDING;
    tally->confirmed += judged->model == FB_MODEL_CONFIRMED;
    tally->failed += judged->model == FB_MODEL_FAILED;
    tally->documentary += judged->model == FB_MODEL_DOCUMENTARY;
    tally->pending += judged->model == FB_MODEL_PENDING;
    tally->reproduced += judged->verdict == FB_VERDICT_REPRODUCED;
    tally->not_reproduced += judged->verdict == FB_VERDICT_NOT_REPRODUCED;
}

void fb_claims_print(FILE *file, const struct fb_judged *judged, size_t n,
                     const struct fb_ledger *ledger)
{
    struct tally all = {0};
    size_t d;
    json_t *document;
    json_array_foreach(ledger->documents, d, document) {
        const char *name = json_string_value(json_object_get(document, "document"));
        struct tally tally = {0};
        for (size_t i = 0; i < n; i++) {
            if (strcmp(judged[i].claim->document, name))
                continue;
            if (!tally.judged && !tally.pending)
                fprintf(file, "%s\n  %-30s %14s  %14s  %-31s %-11s %s\n",
                        json_string_value(json_object_get(document, "title")), "claim", "claimed",
                        "theory", "measured [99.9 %]", "model", "verdict");
            count(&tally, &judged[i]);
            count(&all, &judged[i]);
            if (judged[i].model != FB_MODEL_PENDING)
                print_row(file, &judged[i]);
        }
        if (tally.pending)
            fprintf(file,
                    "  %zu pending (filterbench list claims; --format json says what "
                    "each needs)\n",
                    tally.pending);
        if (tally.judged || tally.pending)
            fputc('\n', file);
    }
    fprintf(
        file,
        "%zu claims: %zu judged, %zu pending. Models: %zu confirmed, %zu failed, %zu settled by "
        "a source.\nClaims measured: %zu reproduced, %zu not reproduced.\n",
        n, all.judged, all.pending, all.confirmed, all.failed, all.documentary, all.reproduced,
        all.not_reproduced);
    if (all.wide)
        fprintf(file,
                "%zu measured with fewer probes than the ledger asks for (wide; --full spends "
                "them).\n",
                all.wide);
    if (all.rough)
        fprintf(file,
                "%zu simulated theories (~) have a standard error above %.0f %%: as many probes as "
                "were measured.\n",
                all.rough, 100 * FB_ROUGH_THEORY);
    if (all.other_level)
        fprintf(file,
                "%zu intervals of times are over processes, of the level named beside them.\n",
                all.other_level);
    if (all.independent)
        fprintf(file,
                "%zu rows of times (*) rest on fewer than %d processes and take them for "
                "independent: two runs may\ndisagree more often than their intervals say.\n",
                all.independent, FB_MEMORY_LEAST);
}
