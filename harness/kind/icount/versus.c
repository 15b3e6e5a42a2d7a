/* Instructions of one design against another. */
#include <math.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/icount/icount.h"

static const struct fb_quantity quantities[] = {
    {.name = "instructions",
     .unit = " instructions",
     .is = "{place}, {a} takes {v} for {doing}.",
     .least = "{place}, {a} needs least for {doing}: {v}.",
     .times = "{place}, {a} takes {x} times the instructions of {b} for {doing}.",
     .second = "{a} takes {x} times as many",
     .exact = true},
    {0},
};

/* "a batch lookup of absent keys" */
static void name_doing(const json_t *cell, char out[80])
{
    const double hits = fb_json_num(cell, "hit_ratio");
    const enum fb_operation operation = fb_operation_find(fb_json_str(cell, "operation"));
    const char *doing = operation < FB_N_OPERATIONS ? fb_operation_doing(operation) : NULL;
    snprintf(out, 80, "%s", doing ? doing : "an operation");
    if (hits > 0 && hits < 1)
        fb_append(out, 80, ", %.4g %% present", 100 * hits);
    else if (isfinite(hits))
        strcat(out, hits > 0 ? " of present keys" : " of absent keys");
}

/* A design that has no size to be given stands beside the last one that has, or the first, and is
 * never called the best there. */
static json_t *rows(const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    json_t *all = json_array(), *cell;
    double bits = NAN;
    size_t i;
    for (i = 0; i < json_array_size(cells) && !isfinite(bits); i++)
        bits = fb_json_num(json_array_get(cells, i), "bits_per_key");
    json_array_foreach((json_t *)cells, i, cell) {
        const double own = fb_json_num(cell, "bits_per_key"),
                     x = fb_json_num(cell, "per_operation");
        char place[80], doing[80], label[64], n[32];
        bits = isfinite(own) ? own : bits;
        if (!isfinite(x))
            continue;
        snprintf(place, sizeof place, "with %s keys",
                 fb_versus_count(fb_json_num(cell, "filter.n_keys"), n));
        if (isfinite(bits))
            snprintf(place + strlen(place), 32, " of %.6g bits", bits);
        snprintf(label, sizeof label, "%.20s %.40s", fb_json_str(cell, "isa"),
                 fb_json_str(cell, "style"));
        name_doing(cell, doing);
        json_array_append_new(all, fb_versus_row(place, doing, fb_json_str(cell, "design"), label,
                                                 0, x, x, x, i,
                                                 fb_is_control(fb_json_str(cell, "design")) ||
                                                     (isfinite(bits) && !isfinite(own))));
    }
    return all;
}

const struct fb_versus fb_icount_versus = {.quantities = quantities, .rows = rows};

void fb_icount_card(const json_t *document, const char *path, struct fb_card *card)
{
    const char *why = fb_json_str(document, "counter_reason");
    fb_versus_card(document, path, card);
    if (*card->part[FB_CARD_SURE])
        fb_card_set(
            card, FB_CARD_SURE,
            "Sure: counts are exact for this build. Another compiler may change the order.");
    else if (!*card->part[FB_CARD_ANSWER] && *why)
        fb_card_set(card, FB_CARD_ANSWER, "No instructions were counted: %.200s.", why);
}
