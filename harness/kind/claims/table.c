/* Judged claims as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/claims/claims.h"
#include "harness/stats/serial.h"

static bool is(const json_t *row, const char *member, const char *text)
{
    return !strcmp(fb_json_str(row, member), text);
}

static bool is_rough(const json_t *row)
{
    return fb_json_num(row, "theory_error") > FB_ROUGH_THEORY;
}

/* The number of the member, or its list of numbers, in the claim's notation. */
static void numbers_text(const struct fb_judged *judged, const char *member, char *text,
                         size_t size)
{
    const json_t *value = json_object_get(judged->row, member);
    double numbers[FB_CLAIM_VALUES] = {json_number_value(value)};
    size_t n = json_is_number(value);
    for (; n < FB_CLAIM_VALUES && n < json_array_size(value); n++)
        numbers[n] = json_number_value(json_array_get(value, n));
    fb_claim_numbers(judged->claim, numbers, n, text, size);
}

/* The numbers and, of a single one, its interval. */
static void measured_text(const struct fb_judged *judged, char *text, size_t size)
{
    const json_t *row = judged->row;
    const double low = fb_json_num(row, "interval.low"), high = fb_json_num(row, "interval.high");
    numbers_text(judged, "measured", text, size);
    if (isnan(low))
        return;
    fb_append(text, size, " [%.4g, %.4g]", low, high);
    if (fb_claim_is_timed(judged->claim))
        fb_append(text, size, " %.4g %%%s", 100 * fb_json_num(row, "interval_level"),
                  json_object_get(row, "independent") ? " *" : "");
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
    if (claim->measure && fb_claim_printed(claim) && claimed->relation == FB_EQUAL &&
        claimed->n == 1 && below + above > 0)
        fb_append(text, size, fabs(below - above) < 1e-9 * above ? " +-%.4g" : " in %.4g..%.4g",
                  fabs(below - above) < 1e-9 * above ? above : claimed->low[0], claimed->high[0]);
    fb_append(text, size, "%s%s", strcmp(claimed->unit, "%") ? "" : " %",
              claimed->whose == FB_OURS ? " (ours)" : "");
}

/* What a verdict looks like at the start of a line. */
static char mark_of(const json_t *row)
{
    if (is(row, "verdict", "undecided"))
        return '?';
    bool holds = is(row, "verdict", "reproduced") || is(row, "verdict", "not judged") ||
                 is(row, "verdict", "finding") ||
                 json_is_true(json_object_get(row, "source_agrees"));
    return holds ? ' ' : '!';
}

/* Nothing, and not "-", where there is none. */
static void show_text(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, "%s", fb_json_str(row, c->path));
}

enum { THEORY = 2, MEASURED }; /* places of columns */

static const struct fb_column columns[] = {
    {"claim", "claim", .member = "id", .left = true, .whole = true, .width = 30},
    {"claimed", "claimed", .show = show_text, .wraps = true, .width = 22, .spare = -1},
    {"theory", "theory", .show = show_text, .wraps = true, .width = 14, .spare = 2},
    {"measured [99.9 %]", "measured", .show = show_text, .left = true, .wraps = true, .width = 31,
     .spare = -2},
    {"model", "model", .left = true, .width = 11, .spare = 1, .verdict = true},
    {"verdict", "verdict", .left = true, .verdict = true},
    {0},
};

/* The sentence and, where a number was found, the test that it was put to. A finding of ours quotes
 * nobody. */
static void add_sentence(struct fb_table *table, const struct fb_judged *judged)
{
    char test[400] = "";
    if (judged->claim->measure && !is(judged->row, "verdict", "not judged"))
        fb_claim_test(judged->claim, test, sizeof test);
    const char *quote = judged->claim->ours ? "" : "\"";
    json_t *text = json_sprintf("%s%s%s%s%s%s", judged->claim->ours ? "Ours: " : "", quote,
                                judged->claim->claim, quote, test[0] ? " Test: " : "", test);
    fb_table_note(table, json_string_value(text));
    json_decref(text);
    if (judged->claim->unread)
        fb_table_note(table, "Nobody here has read the source. Others quote it so.");
}

static void add_row(struct fb_table *table, const struct fb_judged *judged)
{
    const struct fb_claim *claim = judged->claim;
    char claimed[80] = "", theory[60] = "~", measured[80] = "", fewer[200] = "with ";
    const char mark[] = {mark_of(judged->row), ' ', '\0'}, *why = fb_json_str(judged->row, "why");
    const size_t rough = is_rough(judged->row);
    claimed_text(claim, claimed, sizeof claimed);
    numbers_text(judged, "theory", theory + rough, sizeof theory - rough);
    measured_text(judged, measured, sizeof measured);
    json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:O, s:O}", "claim", claim->id, "claimed",
                            claimed, "theory", theory, "measured", measured, "model",
                            json_object_get(judged->row, "model"), "verdict",
                            json_object_get(judged->row, "verdict"));
    fb_table_row(table, mark, row);
    json_decref(row);
    add_sentence(table, judged);
    if (*why)
        fb_table_note(table, why);
    fb_claim_fewer(judged->row, fewer + 5, sizeof fewer - 5);
    if (fewer[5])
        fb_table_note(table, fewer);
}

struct tally {
    size_t rows, rough, other_level, independent, ours, pending;
    size_t fewer;                           /* probes than the ledger asks for */
    size_t as_printed, otherwise;           /* of what was computed */
    size_t findings;                        /* of ours */
    size_t documentary, denied, not_judged; /* denied: documentary, and the source says otherwise */
};

static void count(struct tally *tally, const struct fb_judged *judged)
{
    const json_t *row = judged->row;
    const struct fb_claim *claim = judged->claim;
    const bool computed = claim->measure && claim->nature == FB_COMPUTED;
    tally->rows++;
    tally->findings += claim->ours;
    tally->fewer += json_object_get(row, "fewer") != NULL;
    tally->rough += is_rough(row);
    tally->other_level += fb_claim_is_timed(claim);
    tally->independent += json_object_get(row, "independent") != NULL;
    tally->ours += claim->measure && !claim->ours && claim->claimed.whose == FB_OURS;
    tally->pending += is(row, "verdict", "pending");
    tally->as_printed += computed && is(row, "verdict", "reproduced");
    tally->otherwise += computed && is(row, "verdict", "not reproduced");
    tally->documentary += is(row, "verdict", "documentary");
    tally->denied += json_is_false(json_object_get(row, "source_agrees"));
    tally->not_judged += is(row, "verdict", "not judged");
}

/* But for what was measured, which the card says. */
static void print_summary(FILE *file, const struct tally *all, const bool shown[FB_TABLE_COLUMNS])
{
    fb_say(file, 2,
           "%zu claims. Computed: %zu (%zu as printed, %zu not).\nSettled by a source: %zu "
           "documentary (%zu as the source has it, %zu not). Not judged: %zu times of one machine. "
           "Pending: %zu.\n",
           all->rows - all->findings, all->as_printed + all->otherwise, all->as_printed,
           all->otherwise, all->documentary, all->documentary - all->denied, all->denied,
           all->not_judged, all->pending);
    if (all->findings)
        fb_say(file, 2, "Findings of ours: %zu, of which no author wrote a sentence.\n",
               all->findings);
    if (all->ours)
        fb_say(file, 2, "Tested within a tolerance that no document gives (ours): %zu.\n",
               all->ours);
    if (all->fewer)
        fb_say(file, 2,
               "%zu counted with fewer probes than the ledger asks for (\"with ... probes\" below "
               "the row): their intervals\nare wider than those of --full, which spends all.\n",
               all->fewer);
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
            if (!is(judged[i].row, "verdict", "pending"))
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
