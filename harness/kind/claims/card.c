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

/* Number i of a member that is one number or a list; NaN: there is none. */
static double number_at(const json_t *row, const char *member, size_t i)
{
    const json_t *value = json_object_get(row, member);
    if (json_is_array(value))
        value = json_array_get(value, i);
    else if (i)
        value = NULL;
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* What is printed for number i; "" where that is words. */
static const char *printed_at(const json_t *row, size_t i)
{
    const json_t *printed = json_object_get(row, "printed");
    const char *text =
        json_string_value(json_is_array(printed) ? json_array_get(printed, i) : printed);
    return text ? text : "";
}

/* The number of a row that is off by the largest factor: its place, and the factor. Of hashes,
 * which are printed in hexadecimal, no factor is taken. */
static double factor_of(const json_t *row, size_t *at)
{
    double most = NAN;
    *at = 0;
    for (size_t i = 0; i < FB_CLAIM_VALUES && strncmp(printed_at(row, i), "0x", 2) != 0; i++) {
        const double factor = number_at(row, "measured", i) / number_at(row, "claimed", i);
        if (factor > 0 && isfinite(factor) && !(fabs(log(factor)) <= fabs(log(most)))) {
            most = factor;
            *at = i;
        }
    }
    return most;
}

/* Where no row has a factor, as of a claimed 0, the first that does not hold. NULL: all hold. */
static const json_t *furthest_of(const json_t *rows, bool computed)
{
    const json_t *furthest = NULL;
    double most = NAN;
    size_t i, at;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row) {
        if (!is(row, "verdict", fb_verdict_texts[FB_VERDICT_NOT_REPRODUCED]) ||
            is_computed(row) != computed)
            continue;
        const double off = fabs(log(factor_of(row, &at)));
        if (!furthest || (isfinite(off) && !(off <= most))) {
            furthest = row;
            most = off;
        }
    }
    return furthest;
}

static void say_number(double x, bool hex, char out[32])
{
    if (hex && x >= 0 && x < 0x1p64)
        snprintf(out, 32, "0x%llX", (unsigned long long)x);
    else
        snprintf(out, 32, fabs(x) >= 9999.5 && fabs(x) < 1e12 ? "%.0f" : "%.4g", x);
}

/* What does not fit on the line is left out: the factor, then the unit. */
static void say_furthest(const json_t *row, struct fb_card *card)
{
    size_t at;
    const double factor = factor_of(row, &at);
    const char *printed = printed_at(row, at);
    const char *unit = fb_json_str(row, "unit"), *relation = fb_json_str(row, "relation");
    char found[32], claimed[32], times[40] = "";
    say_number(number_at(row, "measured", at), !strncmp(printed, "0x", 2), found);
    say_number(number_at(row, "claimed", at), false, claimed);
    if (isfinite(factor))
        snprintf(times, sizeof times, " (%.3g times)", factor);
    for (int spare = 0; spare < 3; spare++) {
        fb_card_set(card, FB_CARD_AMOUNT, "%s is furthest off: %s%s%s, not %s%s%s%s.",
                    fb_json_str(row, "id"), found, *unit && spare < 2 ? " " : "",
                    spare < 2 ? unit : "", is(row, "relation", "=") ? "" : relation,
                    is(row, "relation", "=") ? "" : " ", *printed ? printed : claimed,
                    spare < 1 ? times : "");
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
