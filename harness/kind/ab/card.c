/* The card of an experiment of kind "ab". */
#include <math.h>
#include <string.h>

#include "harness/kind/ab/ab.h"

static unsigned long long n_of(const json_t *document, const char *path)
{
    return fb_json_uint(document, path);
}

/* "L1 2.1 %, L2 2.4 %": of what 90 % would have been found, by footprint. */
static void say_finds(const json_t *document, struct fb_card *card)
{
    char all[160] = "";
    for (int f = 0; f < FB_N_FOOTPRINTS; f++) {
        const char *name = fb_footprint_name((enum fb_footprint)f);
        double finds = NAN;
        FB_EACH(cell, json_object_get(document, "cells"))
            if (!strcmp(fb_json_str(cell, "footprint"), name))
                finds = fmax(finds, fb_json_num(cell, "change.finds"));
        if (isfinite(finds))
            fb_append(all, sizeof all, "%s%s %.2g %%", *all ? ", " : "", name, 100 * finds);
    }
    if (*all)
        fb_card_set(card, FB_CARD_SURE, "90 %% of slowdowns this large are found: %s.", all);
}

/* The largest change: upwards, but of a HEAD that is faster downwards, among the cells that are. */
static void say_amount(const json_t *document, const char *name, struct fb_card *card)
{
    const bool down = !strcmp(name, "faster"), named = down || !strcmp(name, "slower");
    const json_t *most = NULL;
    char ends[60] = "";
    double ratio = NAN;
    FB_EACH(cell, json_object_get(document, "cells")) {
        const double its = fb_json_num(cell, "change.ratio");
        if ((named && strcmp(fb_json_str(cell, "change.verdict"), name) != 0) ||
            (most && (down ? its >= ratio : its <= ratio)))
            continue;
        most = cell;
        ratio = its;
    }
    if (json_is_object(fb_json_at(most, "change.interval")))
        snprintf(ends, sizeof ends, " (%+.1f to %+.1f)",
                 100 * (fb_json_num(most, "change.interval.low") - 1),
                 100 * (fb_json_num(most, "change.interval.high") - 1));
    if (most)
        fb_card_set(card, FB_CARD_AMOUNT, "Largest change: %s, by %+.1f %%%s.",
                    fb_json_str(most, "id"), 100 * (ratio - 1), ends);
}

static unsigned long long untimed_of(const json_t *document)
{
    return n_of(document, "verdict.left_out") + n_of(document, "verdict.not_confirmed");
}

static void say_answer(const json_t *document, const char *name, struct fb_card *card)
{
    const unsigned long long faster = n_of(document, "verdict.faster");
    char also[40] = "", n[64];
    const bool open = !strcmp(name, "cannot tell");
    const size_t measured = json_array_size(json_object_get(document, "cells"));
    fb_card_count(measured + (open ? n_of(document, "verdict.left_out") : 0), "cells", n);
    card->verdict = name;
    if (faster)
        snprintf(also, sizeof also, ", and faster in %llu", faster);
    if (!strcmp(name, "machine"))
        fb_card_set(card, FB_CARD_ANSWER,
                    "Do not trust this machine now: of %zu controls of equal code %llu moved.",
                    json_array_size(json_object_get(document, "controls")),
                    n_of(document, "verdict.controls_moved"));
    else if (!strcmp(name, "slower"))
        fb_card_set(card, FB_CARD_ANSWER, "HEAD is slower in %llu of %s%s.",
                    n_of(document, "verdict.slower"), n, also);
    else if (!strcmp(name, "faster"))
        fb_card_set(card, FB_CARD_ANSWER, "HEAD is faster in %llu of %s, and nowhere slower.",
                    faster, n);
    else if (open)
        fb_card_set(card, FB_CARD_ANSWER, "We cannot tell in %llu of %s whether HEAD is slower%s.",
                    untimed_of(document) ? untimed_of(document) : n_of(document, "verdict.coarse"),
                    n, also);
    else
        fb_card_set(card, FB_CARD_ANSWER, "Slowdowns of HEAD: none seen in %s.", n);
}

/* What would change the verdict, as what to do. */
static void say_change(const json_t *document, const char *name, struct fb_card *card)
{
    const unsigned long long untimed = untimed_of(document),
                             layout = n_of(document, "verdict.layout");
    const double delta = 100 * fb_json_num(document, "verdict.delta");
    char elsewhere[60] = "", n[64];
    if (layout)
        snprintf(elsewhere, sizeof elsewhere, " By place in memory alone: %llu.", layout);
    if (!strcmp(name, "machine"))
        fb_card_set(card, FB_CARD_CHANGE, "Try again when nothing else runs on this machine.");
    else if (!strcmp(name, "slower"))
        fb_card_set(card, FB_CARD_CHANGE, "The rule gives a false alarm in %.3g %% of runs.%s",
                    100 * fb_json_num(document, "verdict.alpha"), elsewhere);
    else if (strcmp(name, "cannot tell") != 0)
        fb_card_set(card, FB_CARD_CHANGE, "Smaller slowdowns than %.3g %% need a smaller --delta.",
                    delta);
    else if (untimed)
        fb_card_set(card, FB_CARD_CHANGE, "There was no time for %s: give --budget %.3g.",
                    fb_card_count(untimed, "cells", n),
                    2 * fb_json_num(document, "experiment.budget"));
    else
        fb_card_set(card, FB_CARD_CHANGE, "In %s %.3g %% could be missed: try --delta %.0f%%.",
                    fb_card_count(n_of(document, "verdict.coarse"), "cells", n), delta,
                    ceil(100 * fb_json_num(document, "verdict.finds")));
}

void fb_ab_card(const json_t *document, const char *path, struct fb_card *card)
{
    const char *name = fb_json_str(document, "verdict.verdict");
    const unsigned long long differing = n_of(document, "exact.differing");
    char n[64];
    const bool timed = *name, calibrated = json_is_object(json_object_get(document, "calibration"));
    if (timed) {
        say_answer(document, name, card);
        say_amount(document, name, card);
        say_finds(document, card);
        say_change(document, name, card);
    } else if (differing) {
        fb_card_set(card, FB_CARD_ANSWER, "Nothing was timed: %s of HEAD differ%s from BASE.",
                    fb_card_count(differing, "cells", n), differing == 1 ? "s" : "");
        card->verdict = "differ";
    } else if (json_object_get(document, "exact")) {
        fb_card_set(card, FB_CARD_ANSWER,
                    "Nothing was timed. HEAD has the exact facts of BASE, in %s.",
                    fb_card_count(n_of(document, "exact.equal"), "cells", n));
    }
    if (!strcmp(name, "machine"))
        fb_card_set(card, FB_CARD_NEXT, "filterbench doctor");
    else if (path && timed)
        fb_card_set(card, FB_CARD_NEXT, "filterbench show %s --verbose", path);
    else
        fb_card_set(card, FB_CARD_NEXT, "filterbench %s", calibrated ? "doctor" : "calibrate");
}
