/* The card of judged claims. */
#include <math.h>
#include <string.h>

#include "harness/kind/claims/claims.h"

static bool is(const json_t *row, const char *member, const char *text)
{
    return !strcmp(fb_json_str(row, member), text);
}

static bool is_computed(const json_t *row)
{
    return is(row, "model", fb_model_texts[FB_MODEL_COMPUTED]);
}

/* Rows with that verdict or model, and, of `first`, the first of them. */
static size_t count(const json_t *rows, const char *member, const char *text, bool computed,
                    const json_t **first)
{
    size_t i, n = 0;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row) {
        if (!is(row, member, text) || is_computed(row) != computed)
            continue;
        if (first && !n)
            *first = row;
        n++;
    }
    return n;
}

/* What is measured over what is claimed. NaN: it is not one number, or, as of hashes, which are
 * printed in hexadecimal, nothing that may be near or far. */
static double factor_of(const json_t *row)
{
    const double factor = fb_json_num(row, "measured") / fb_json_num(row, "claimed");
    return factor > 0 && isfinite(factor) && strncmp(fb_json_str(row, "printed"), "0x", 2) ? factor
                                                                                           : NAN;
}

/* Where no row has a factor, as of a claimed 0, the first that does not hold. NULL: all hold. */
static const json_t *furthest_of(const json_t *rows, bool computed)
{
    const json_t *furthest = NULL;
    double most = NAN;
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row) {
        if (!is(row, "verdict", fb_verdict_texts[FB_VERDICT_NOT_REPRODUCED]) ||
            is_computed(row) != computed)
            continue;
        const double off = fabs(log(factor_of(row)));
        if (!furthest || (isfinite(off) && !(off <= most))) {
            furthest = row;
            most = off;
        }
    }
    return furthest;
}

/* What does not fit on the line is left out: the factor, then the unit. */
static void say_furthest(const json_t *row, struct fb_card *card)
{
    const double measured = fb_json_num(row, "measured"), factor = factor_of(row);
    const char *id = fb_json_str(row, "id"), *unit = fb_json_str(row, "unit"),
               *relation = fb_json_str(row, "relation"), *printed = fb_json_str(row, "printed");
    const bool near = isfinite(measured) && strncmp(printed, "0x", 2) != 0;
    char claimed[32], times[40] = "";
    snprintf(claimed, sizeof claimed, "%.4g", fb_json_num(row, "claimed"));
    if (isfinite(factor))
        snprintf(times, sizeof times, " (%.3g times)", factor);
    fb_card_set(card, FB_CARD_AMOUNT, "%s does not hold.", id);
    for (int spare = 0; near && spare < 3; spare++) {
        fb_card_set(card, FB_CARD_AMOUNT, "%s is furthest off: %.*g%s%s, not %s%s%s%s.", id,
                    measured >= 9999.5 ? 12 : 4, measured >= 9999.5 ? round(measured) : measured,
                    spare < 2 && *unit ? " " : "", spare < 2 ? unit : "",
                    *relation == '=' ? "" : relation, *relation == '=' ? "" : " ",
                    *printed ? printed : claimed, spare < 1 ? times : "");
        if (strlen(card->part[FB_CARD_AMOUNT]) <= FB_CARD_COLUMNS)
            break;
    }
}

static void say_sure(const json_t *rows, struct fb_card *card)
{
    const size_t confirmed = count(rows, "model", "confirmed", false, NULL),
                 failed = count(rows, "model", "failed", false, NULL);
    if (failed)
        fb_card_set(card, FB_CARD_SURE,
                    "Not sure: %zu of %zu models failed, which is a fault of filterbench.", failed,
                    confirmed + failed);
    else if (confirmed)
        fb_card_set(card, FB_CARD_SURE, "Our models agree with all %zu measurements they predict.",
                    confirmed);
    else
        fb_card_set(card, FB_CARD_SURE, "No model of ours predicts what was measured here.");
}

static void say_change(const json_t *rows, size_t undecided, bool full, struct fb_card *card)
{
    const size_t times = count(rows, "verdict", "not judged", false, NULL);
    char timed[60] = "";
    if (times)
        snprintf(timed, sizeof timed, " Not judged: %zu of one machine's times.", times);
    if (undecided)
        fb_card_set(card, FB_CARD_CHANGE,
                    full ? "Even --full leaves %zu undecided.%s"
                         : "--full may settle the %zu undecided.%s",
                    undecided, timed);
    else
        fb_card_set(card, FB_CARD_CHANGE, "No claim is undecided.%s",
                    times || full ? timed : " --full narrows the intervals.");
}

/* Of a ledger of the user's own, `describe` and `reproduce ID` know no row. */
static void say_next(const json_t *document, const char *path, const json_t *furthest,
                     const json_t *open, struct fb_card *card)
{
    const json_t *ledger = fb_json_at(document, "experiment.ledger");
    const char *name = json_string_value(ledger);
    const bool own = json_is_object(ledger);
    if (furthest && !own)
        fb_card_set(card, FB_CARD_NEXT, "filterbench describe %s", fb_json_str(furthest, "id"));
    else if (open && !own)
        fb_card_set(card, FB_CARD_NEXT, "filterbench reproduce %s --full%s%s",
                    fb_json_str(open, "id"), name ? " --ledger " : "", name ? name : "");
    else if (path)
        fb_card_set(card, FB_CARD_NEXT, "filterbench plot %s", path);
    else if (!own)
        fb_card_set(card, FB_CARD_NEXT, "filterbench list claims");
}

void fb_claims_card(const json_t *document, const char *path, struct fb_card *card)
{
    const json_t *rows = json_object_get(document, "cells"), *open = NULL;
    const bool full = !strcmp(fb_json_str(document, "experiment.effort"), "full");
    size_t hold = 0, off = 0, undecided = 0;
    bool computed = false; /* nothing was measured: the card is about what was computed */
    for (int i = 0; i < 2 && !(hold + off + undecided); i++) {
        computed = i;
        hold = count(rows, "verdict", "reproduced", computed, NULL);
        off = count(rows, "verdict", "not reproduced", computed, NULL);
        undecided = count(rows, "verdict", "undecided", computed, &open);
    }
    const json_t *furthest = furthest_of(rows, computed);
    if (!(hold + off + undecided)) {
        if (json_array_size(rows))
            fb_card_set(card, FB_CARD_ANSWER, "No claim here can be judged by measuring.");
        return;
    }
    fb_card_set(card, FB_CARD_ANSWER,
                "%zu of %zu %s claims hold here, %zu do not, and %zu are undecided.", hold,
                hold + off + undecided, computed ? "computed" : "measured", off, undecided);
    if (furthest)
        say_furthest(furthest, card);
    if (!computed)
        say_sure(rows, card);
    say_change(rows, undecided, full, card);
    say_next(document, path, furthest, full ? NULL : open, card);
}
