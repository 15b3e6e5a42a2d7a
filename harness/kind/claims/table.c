/* Judged claims as a table. */
#include <math.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/claims/claims.h"

static bool is(const json_t *row, const char *member, const char *text)
{
    return !strcmp(fb_json_str(row, member), text);
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

static const struct fb_column columns[] = {
    {"claim", "claim", .member = "id", .left = true, .whole = true, .width = 30},
    {"claimed", "claimed", .show = show_text, .wraps = true, .width = 22, .spare = -1},
    {"theory", "theory", .show = show_text, .wraps = true, .width = 14, .spare = 2},
    {"measured [99.9 %]", "measured", .show = show_text, .left = true, .wraps = true, .width = 31,
     .spare = -2},
    {"model", "model", .left = true, .width = 11, .spare = 1, .verdict = true},
    {"verdict", "verdict", .left = true, .verdict = true},
    /* Of Markdown, whose tables have no notes. */
    {"statement", "statement", .show = show_text, .left = true, .optional = true},
    {"why", "why", .show = show_text, .left = true, .optional = true},
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
    json_auto_t *text = json_sprintf("%s%s%s%s%s%s", judged->claim->ours ? "Ours: " : "", quote,
                                     judged->claim->claim, quote, test[0] ? " Test: " : "", test);
    fb_table_note(table, json_string_value(text));
    if (judged->claim->unread)
        fb_table_note(table, "Nobody here has read the source. Others quote it so.");
}

static void add_row(struct fb_table *table, const struct fb_judged *judged,
                    enum fb_table_style style)
{
    const struct fb_claim *claim = judged->claim;
    char claimed[80] = "", theory[60] = "~", measured[80] = "", fewer[200] = "with ";
    const char mark[] = {mark_of(judged->row), ' ', '\0'}, *why = fb_json_str(judged->row, "why");
    const size_t rough = fb_json_num(judged->row, "theory_error") > FB_ROUGH_THEORY;
    claimed_text(claim, claimed, sizeof claimed);
    numbers_text(judged, "theory", theory + rough, sizeof theory - rough);
    measured_text(judged, measured, sizeof measured);
    json_auto_t *row = json_pack("{s:s, s:s, s:s, s:s, s:O, s:O}", "claim", claim->id, "claimed",
                                 claimed, "theory", theory, "measured", measured, "model",
                                 json_object_get(judged->row, "model"), "verdict",
                                 json_object_get(judged->row, "verdict"));
    if (style == FB_TABLE_MARKDOWN)
        json_object_update_missing(row, judged->row);
    fb_table_row(table, mark, row);
    if (style == FB_TABLE_MARKDOWN)
        return;
    add_sentence(table, judged);
    if (*why)
        fb_table_note(table, why);
    fb_claim_fewer(judged->row, fewer + 5, sizeof fewer - 5);
    if (fewer[5])
        fb_table_note(table, fewer);
}

enum { MANY = 24 }; /* of more claims those that hold are shown with --verbose alone */

void fb_claims_print(FILE *file, const struct fb_judged *judged, size_t n,
                     const struct fb_ledger *ledger, enum fb_table_style style)
{
    const bool all = n <= MANY || style != FB_TABLE_TEXT || fb_screen_is_verbose();
    size_t pending = 0, shown = 0;
    FB_EACH(document, ledger->documents) {
        const char *name = json_string_value(json_object_get(document, "document"));
        struct fb_table table = {.columns = columns};
        for (size_t i = 0; i < n; i++) {
            const bool waits = is(judged[i].row, "verdict", "pending");
            if (strcmp(judged[i].claim->document, name))
                continue;
            pending += waits;
            if (waits || (!all && mark_of(judged[i].row) == ' '))
                continue;
            if (!table.lines)
                fb_table_heading(&table, fb_json_str(document, "title"));
            add_row(&table, &judged[i], style);
            shown++;
        }
        if (table.lines) {
            fb_table_finish(&table, file, style);
            fputc('\n', file);
        }
    }
    if (pending)
        fb_say(file, 2, "%zu pending (--format json says what each needs)\n", pending);
    if (shown + pending < n)
        fb_say(file, 0, "--verbose shows %zu more claims: they hold, or are not judged.\n",
               n - shown - pending);
    fb_say_aside(
        file, 0,
        "!: does not hold here. ?: undecided. ~: a simulation with an error above 1 %%. *: "
        "fewer than 16 processes.\n");
}
