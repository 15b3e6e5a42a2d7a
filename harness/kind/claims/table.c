/* Judged claims as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/claims/claims.h"
#include "harness/stats/serial.h"

/* The numbers and, of a single one, its interval. */
static void measured_text(const struct fb_judged *judged, char *text, size_t size)
{
    const struct fb_finding *found = &judged->finding[0];
    fb_claim_numbers(judged->claim, found->measured, found->n, text, size);
    if (found->n != 1 || !fb_finding_has_interval(found))
        return;
    fb_append(text, size, " [%.4g, %.4g]", found->low[0], found->high[0]);
    if (found->level > 0)
        fb_append(text, size, " %.4g %%%s", 100 * found->level,
                  fb_find_independent(found) ? " *" : "");
}

/* The figure. The tolerance follows: "+-0.005" where it is as wide on both sides, else
 * "in 38..40"; "(ours)" marks one that no document gives. */
static void claimed_text(const struct fb_claim *claim, char *text, size_t size)
{
    const struct fb_claimed *claimed = &claim->claimed;
    const double below = claimed->value[0] - claimed->low[0],
                 above = claimed->high[0] - claimed->value[0];
    fb_claim_figure(claim, text, size);
    if (!claimed->n)
        return;
    if (claim->procedure && fb_claim_printed(claim) && claimed->relation == FB_EQUAL &&
        claimed->n == 1 && below + above > 0)
        fb_append(text, size, fabs(below - above) < 1e-9 * above ? " +-%.4g" : " in %.4g..%.4g",
                  fabs(below - above) < 1e-9 * above ? above : claimed->low[0], claimed->high[0]);
    fb_append(text, size, "%s%s", strcmp(claimed->unit, "%") ? "" : " %",
              claimed->whose == FB_OURS ? " (ours)" : "");
}

/* What a verdict looks like at the start of a line. */
static char mark_of(const struct fb_judged *judged)
{
    if (judged->verdict == FB_VERDICT_UNDECIDED)
        return '?';
    bool holds = judged->verdict == FB_VERDICT_REPRODUCED ||
                 judged->verdict == FB_VERDICT_NOT_JUDGED ||
                 (judged->verdict == FB_VERDICT_DOCUMENTARY && judged->claim->holds);
    return holds ? ' ' : '!';
}

static void show_text(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, "%s", fb_json_str(row, c->path));
}

enum { THEORY = 2, MEASURED }; /* places of columns */

static const struct fb_column columns[] = {
    {"claim", "claim", .show = show_text, .left = true, .whole = true, .width = 30},
    {"claimed", "claimed", .show = show_text, .wraps = true, .width = 22, .spare = -1},
    {"theory", "theory", .show = show_text, .wraps = true, .width = 14, .spare = 2},
    {"measured [99.9 %]", "measured", .show = show_text, .left = true, .wraps = true, .width = 31,
     .spare = -2},
    {"model", "model", .show = show_text, .left = true, .width = 11, .spare = 1, .verdict = true},
    {"verdict", "verdict", .show = show_text, .left = true, .verdict = true},
    {0},
};

/* The sentence and, where a number was found, the test that it was put to. */
static void add_sentence(struct fb_table *table, const struct fb_judged *judged)
{
    char test[400] = "";
    if (judged->n_findings && judged->verdict != FB_VERDICT_NOT_JUDGED)
        fb_claim_test(judged->claim, test, sizeof test);
    json_t *text = json_sprintf("\"%s\"%s%s", judged->claim->claim, test[0] ? " Test: " : "", test);
    fb_table_note(table, json_string_value(text));
    json_decref(text);
}

static void add_row(struct fb_table *table, const struct fb_judged *judged)
{
    const struct fb_claim *claim = judged->claim;
    char claimed[80] = "", theory[60] = "", measured[80] = "", fewer[200] = "with ";
    const char mark[] = {mark_of(judged), ' ', '\0'};
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
    json_t *row =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "claim", claim->id, "claimed", claimed,
                  "theory", theory, "measured", measured, "model", fb_model_text(judged->model),
                  "verdict", fb_verdict_text(judged->verdict));
    fb_table_row(table, mark, row);
    json_decref(row);
    add_sentence(table, judged);
    if (judged->why[0])
        fb_table_note(table, judged->why);
    if (judged->n_findings)
        fb_finding_fewer(&judged->finding[0], fewer + 5, sizeof fewer - 5);
    if (fewer[5])
        fb_table_note(table, fewer);
}

struct tally {
    size_t rows, rough, other_level, independent, ours, confirmed, failed, pending;
    size_t fewer_keys, fewer_probes; /* than the ledger asks for */
    /* Of what was measured, and of what was computed. */
    size_t reproduced[2], not_reproduced[2], undecided[2];
    size_t documentary, denied, not_judged; /* denied: documentary, and the source says otherwise */
};

static void count(struct tally *tally, const struct fb_judged *judged)
{
    const bool computed = fb_procedure_nature(judged->claim->procedure) == FB_COMPUTED;
    tally->rows++;
    tally->fewer_keys += judged->n_findings && judged->finding[0].keys_asked;
    tally->fewer_probes += judged->n_findings && judged->finding[0].probes_missing;
    tally->rough += judged->n_findings && fb_finding_is_rough(&judged->finding[0]);
    tally->other_level += judged->n_findings && judged->finding[0].level > 0;
    tally->independent += judged->n_findings && fb_find_independent(&judged->finding[0]);
    tally->ours += judged->n_findings && judged->claim->claimed.whose == FB_OURS;
    tally->confirmed += judged->model == FB_MODEL_CONFIRMED;
    tally->failed += judged->model == FB_MODEL_FAILED;
    tally->pending += judged->verdict == FB_VERDICT_PENDING;
    tally->reproduced[computed] += judged->verdict == FB_VERDICT_REPRODUCED;
    tally->not_reproduced[computed] += judged->verdict == FB_VERDICT_NOT_REPRODUCED;
    tally->undecided[computed] += judged->verdict == FB_VERDICT_UNDECIDED;
    tally->documentary += judged->verdict == FB_VERDICT_DOCUMENTARY;
    tally->denied += judged->verdict == FB_VERDICT_DOCUMENTARY && !judged->claim->holds;
    tally->not_judged += judged->verdict == FB_VERDICT_NOT_JUDGED;
}

static void print_summary(FILE *file, const struct tally *all, const bool shown[FB_TABLE_COLUMNS])
{
    const size_t computed = all->reproduced[1] + all->not_reproduced[1] + all->undecided[1];
    fb_say(
        file, 2,
        "%zu claims. Measured: %zu reproduced, %zu not reproduced, %zu undecided. Computed: %zu "
        "(%zu as printed, %zu not).\nSettled by a source: %zu documentary (%zu as the source has "
        "it, %zu not). Not judged: %zu "
        "times of one machine. Pending: %zu.\nModels of what was measured: %zu confirmed, %zu "
        "failed.\n",
        all->rows, all->reproduced[0], all->not_reproduced[0], all->undecided[0], computed,
        all->reproduced[1], all->not_reproduced[1], all->documentary,
        all->documentary - all->denied, all->denied, all->not_judged, all->pending, all->confirmed,
        all->failed);
    if (all->ours)
        fb_say(file, 2, "Tested within a tolerance that no document gives (ours): %zu.\n",
               all->ours);
    if (all->fewer_keys)
        fb_say(file, 2,
               "%zu counted in filters of fewer keys than the ledger asks for (\"with ... keys\" "
               "below the row): a greater\neffort builds them whole.\n",
               all->fewer_keys);
    if (all->fewer_probes)
        fb_say(file, 2,
               "%zu counted with fewer probes than the ledger asks for (\"with ... probes\" below "
               "the row): their intervals\nare wider than those of --full, which spends all.\n",
               all->fewer_probes);
    if (all->rough && shown[THEORY])
        fb_say(file, 2,
               "%zu simulated theories (~) have a standard error above %.0f %%: as many probes as "
               "were measured.\n",
               all->rough, 100 * FB_ROUGH_THEORY);
    if (all->other_level && shown[MEASURED])
        fb_say(file, 2,
               "%zu intervals of times are over processes, of the level named beside them.\n",
               all->other_level);
    if (all->independent && shown[MEASURED])
        fb_say(file, 2,
               "%zu rows of times (*) rest on fewer than %d processes and take them for "
               "independent: two runs may\ndisagree more often than their intervals say.\n",
               all->independent, FB_MEMORY_LEAST);
}

void fb_claims_print(FILE *file, const struct fb_judged *judged, size_t n,
                     const struct fb_ledger *ledger, enum fb_table_style style)
{
    struct tally all = {0};
    bool shown[FB_TABLE_COLUMNS] = {false};
    size_t d;
    json_t *document;
    json_array_foreach(ledger->documents, d, document) {
        const char *name = json_string_value(json_object_get(document, "document"));
        struct fb_table table = {.columns = columns, .shown = shown};
        struct tally tally = {0};
        for (size_t i = 0; i < n; i++) {
            if (strcmp(judged[i].claim->document, name))
                continue;
            if (!tally.rows)
                fb_table_heading(&table, fb_json_str(document, "title"));
            count(&tally, &judged[i]);
            count(&all, &judged[i]);
            if (judged[i].verdict != FB_VERDICT_PENDING)
                add_row(&table, &judged[i]);
        }
        if (tally.rows)
            fb_table_finish(&table, file, style);
        if (tally.pending)
            fb_say(file, 2, "  %zu pending (--format json says what each needs)\n", tally.pending);
        if (tally.rows)
            fputc('\n', file);
    }
    print_summary(file, &all, shown);
}
