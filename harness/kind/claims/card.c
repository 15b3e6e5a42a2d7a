/* The card of judged claims. */
#include <math.h>
#include <string.h>

#include "harness/kind/claims/claims.h"

static bool is(const json_t *row, const char *member, const char *text)
{
    return !strcmp(fb_json_str(row, member), text);
}

/* What is measured over what is claimed. NaN: it is not one number, or, as of hashes, which are
 * printed in hexadecimal, nothing that may be near or far. */
static double factor_of(const json_t *row)
{
    const double factor = fb_json_num(row, "measured") / fb_json_num(row, "claimed");
    return factor > 0 && isfinite(factor) && strncmp(fb_json_str(row, "printed"), "0x", 2) ? factor
                                                                                           : NAN;
}

/* The verdicts of rows that were measured, or, `computed`, of the others. */
struct tally {
    size_t hold, off, undecided;
    size_t confirmed, failed,
        times;              /* of all rows: models that were measured; times of a machine */
    const json_t *open;     /* the first that is undecided */
    const json_t *furthest; /* that does not hold: where none has a factor, the first */
};

static struct tally tally_of(const json_t *rows, bool computed)
{
    struct tally t = {0};
    double most = NAN;
    FB_EACH(row, rows) {
        const bool fails = is(row, "verdict", "not reproduced"),
                   open = is(row, "verdict", "undecided");
        const double off = fabs(log(factor_of(row)));
        t.confirmed += is(row, "model", "confirmed");
        t.failed += is(row, "model", "failed");
        t.times += is(row, "verdict", "not judged");
        if (is(row, "model", "computed") != computed)
            continue;
        t.hold += is(row, "verdict", "reproduced");
        t.off += fails;
        t.open = open && !t.undecided++ ? row : t.open;
        if (fails && (!t.furthest || (isfinite(off) && !(off <= most)))) {
            t.furthest = row;
            most = off;
        }
    }
    return t;
}

static void say_furthest(const json_t *row, struct fb_card *card)
{
    const double measured = fb_json_num(row, "measured"), factor = factor_of(row);
    const char *id = fb_json_str(row, "id"), *unit = fb_json_str(row, "unit"),
               *relation = fb_json_str(row, "relation"), *printed = fb_json_str(row, "printed");
    char claimed[32], times[40] = "";
    snprintf(claimed, sizeof claimed, "%.4g", fb_json_num(row, "claimed"));
    if (isfinite(factor))
        snprintf(times, sizeof times, " (%.3g times)", factor);
    if (!isfinite(measured) || !strncmp(printed, "0x", 2))
        fb_card_set(card, FB_CARD_AMOUNT, "%s does not hold.", id);
    else
        fb_card_set(card, FB_CARD_AMOUNT, "%s is furthest off: %.*g%s%s, not %s%s%s{%s}.", id,
                    measured >= 9999.5 ? 12 : 4, measured >= 9999.5 ? round(measured) : measured,
                    *unit ? " " : "", unit, *relation == '=' ? "" : relation,
                    *relation == '=' ? "" : " ", *printed ? printed : claimed, times);
}

static void say_sure(const struct tally *t, struct fb_card *card)
{
    char counted[64];
    if (t->failed)
        fb_card_set(card, FB_CARD_SURE,
                    "Not sure: %zu of %zu models failed, which is a fault of filterbench.",
                    t->failed, t->confirmed + t->failed);
    else if (t->confirmed)
        fb_card_set(card, FB_CARD_SURE, "Our models agree with %s %s they predict.",
                    t->confirmed == 1 ? "the" : "all",
                    fb_card_count(t->confirmed, "measurements", counted));
    else
        fb_card_set(card, FB_CARD_SURE, "No model of ours predicts what was measured here.");
}

static void say_change(const struct tally *t, bool full, struct fb_card *card)
{
    char timed[60] = "";
    if (t->times)
        snprintf(timed, sizeof timed, " Not judged: %zu of one machine's times.", t->times);
    if (t->undecided)
        fb_card_set(card, FB_CARD_CHANGE,
                    full ? "Even --full leaves %zu undecided.%s"
                         : "--full may settle the %zu undecided.%s",
                    t->undecided, timed);
    else
        fb_card_set(card, FB_CARD_CHANGE, "No claim is undecided.%s",
                    t->times || full ? timed : " --full narrows the intervals.");
}

/* Of a ledger of the user's own, `describe` and `reproduce ID` know no row. */
static void say_next(const json_t *document, const char *path, const struct tally *t, bool full,
                     struct fb_card *card)
{
    const json_t *ledger = fb_json_at(document, "experiment.ledger");
    const char *name = json_string_value(ledger);
    const bool own = json_is_object(ledger);
    if (t->furthest && !own)
        fb_card_set(card, FB_CARD_NEXT, "filterbench describe %s", fb_json_str(t->furthest, "id"));
    else if (t->open && !own && !full)
        fb_card_set(card, FB_CARD_NEXT, "filterbench reproduce %s --full%s%s",
                    fb_json_str(t->open, "id"), name ? " --ledger " : "", name ? name : "");
    else
        fb_card_next(card, path, "plot", "");
}

void fb_claims_card(const json_t *document, const char *path, struct fb_card *card)
{
    const json_t *rows = json_object_get(document, "cells");
    const bool full = !strcmp(fb_json_str(document, "experiment.effort"), "full");
    struct tally t = tally_of(rows, false);
    const bool computed = !(t.hold + t.off + t.undecided); /* nothing was measured */
    if (computed)
        t = tally_of(rows, true);
    const size_t n = t.hold + t.off + t.undecided;
    if (!n) {
        if (json_array_size(rows))
            fb_card_set(card, FB_CARD_ANSWER, "No claim here can be judged by measuring.");
        return;
    }
    fb_card_set(card, FB_CARD_ANSWER,
                "%zu of %zu %s claim%s hold%s here, %zu do%s not, and %zu %s undecided.", t.hold, n,
                computed ? "computed" : "measured", n == 1 ? "" : "s",
                t.hold == 1 || n == 1 ? "s" : "", t.off, t.off == 1 ? "es" : "", t.undecided,
                t.undecided == 1 ? "is" : "are");
    if (t.furthest)
        say_furthest(t.furthest, card);
    if (!computed)
        say_sure(&t, card);
    say_change(&t, full, card);
    say_next(document, path, &t, full, card);
}
