/* Rates, and sizes that reach a rate, of one design against another. */
#include <math.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/fpr/rates.h"

enum { RATE, BITS };

static const struct fb_quantity quantities[] = {
    [RATE] = {.name = "FPR %",
              .unit = " %",
              .scale = 100,
              .is = "{place}, {a} has an FPR of {v}{i}.",
              .least = "{place}, {a} has the lowest FPR: {v}.",
              .times = "{place}, {a} has {x} times the false positives of {b}{i}.",
              .second = "{a} has {x} times that rate{i}"},
    [BITS] = {.name = "bits per key",
              .unit = " bits per key",
              .is = "{place}, {a} takes {v}.",
              .least = "{place}, {a} takes the least memory: {v}.",
              .times = "{place}, {a} takes {x} times the memory of {b}.",
              .second = "{a} takes {x} times that",
              .exact = true},
    {0},
};

/* A filter whose size is further from what was asked for is no match for the others. */
static const double FAR = 0.05;

/* "at 10 bits per key and 10k keys (dec6)" */
static void name_place(const json_t *cell, char out[160])
{
    const double bits = fb_json_num(cell, "params.bits_per_key");
    const double rate = fb_json_num(cell, "params.fpr"), k = fb_json_num(cell, "params.k");
    const double factor = fb_json_num(cell, "params.capacity_factor");
    char n[32], asked[48];
    snprintf(asked, sizeof asked, isfinite(bits) ? "%.15g bits per key" : "an FPR of %.15g %%",
             isfinite(bits) ? bits : 100 * rate);
    snprintf(out, 160, "%s %s and %s keys", isfinite(bits) ? "at" : "for", asked,
             fb_versus_count(fb_json_num(cell, "n"), n));
    if (strcmp(fb_json_str(cell, "keys"), "random") != 0)
        fb_append(out, 160, " (%.40s)", fb_json_str(cell, "keys"));
    if (isfinite(k))
        fb_append(out, 160, ", %.0f probes", k);
    if (factor != 1)
        fb_append(out, 160, ", sized for %.3g n", factor);
}

/* What the card speaks of: a user's own keys, else the largest number of keys. */
static bool is_first(const json_t *cell, bool any_own, double most)
{
    return any_own ? !strcmp(fb_json_str(cell, "keys"), "file") : fb_json_num(cell, "n") >= most;
}

/* Appends the rows of one quantity of the cells that come first, or of the others. */
static void add(json_t *rows, const json_t *cells, int quantity, bool first, bool any_own,
                double most)
{
    char place[160] = "";
    double asked = NAN;
    bool by_rate = false;
    FB_EACH_AT(i, cell, cells) {
        const char *design = fb_json_str(cell, "design");
        const double taken = fb_json_num(cell, "fpr.bits_per_key");
        const json_t *t95 = fb_json_at(cell, "fpr.t95");
        const json_t *interval = json_is_object(t95) ? t95 : fb_json_at(cell, "fpr.wilson95");
        if (fb_is_control(design) || is_first(cell, any_own, most) != first)
            continue;
        if (!fb_has_own_size(design, json_object_get(cell, "params"))) {
            name_place(cell, place);
            asked = fb_json_num(cell, "params.bits_per_key");
            by_rate = !isfinite(asked);
        }
        if (!*place || (quantity == BITS && !by_rate))
            continue;
        if (quantity == RATE)
            json_array_append_new(
                rows, fb_versus_row(place, "", design, "", RATE, fb_json_num(cell, "fpr.estimate"),
                                    fb_json_num(interval, "low"), fb_json_num(interval, "high"), i,
                                    fabs(taken / asked - 1) > FAR));
        else
            json_array_append_new(
                rows, fb_versus_row(place, "", design, "", BITS, taken, taken, taken, i, false));
    }
}

static json_t *rows(const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    const bool by_rate = json_array_size(fb_json_at(document, "experiment.bits_per_key")) == 0;
    json_t *all = json_array();
    bool any_own = false;
    double most = 0;
    FB_EACH(cell, cells) {
        most = fmax(most, fb_json_num(cell, "n"));
        any_own |= !strcmp(fb_json_str(cell, "keys"), "file");
    }
    for (int first = 1; first >= 0; first--)
        for (int q = 0; q < 2; q++)
            add(all, cells, by_rate ? !q : q, first, any_own, most);
    return all;
}

const struct fb_versus fb_rates_versus = {.quantities = quantities, .rows = rows};
