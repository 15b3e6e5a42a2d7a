/* Instructions of one design against another. */
#include <math.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/icount/icount.h"

static const struct fb_quantity quantities[] = {
    {.name = "instructions",
     .unit = " instructions",
     .is = "{place}, {doing} takes {v} with {a}.",
     .least = "{place}, {doing} takes the fewest with {a}: {v}.",
     .times = "{place}, {doing} takes {x} times the instructions of {b} with {a}.",
     .second = "{a} takes {x} times as many",
     .exact = true},
    {0},
};

/* "a batch lookup of absent keys" */
static void name_doing(const json_t *cell, char out[80])
{
    static const char *const names[][2] = {{"batch", "a batch lookup"},
                                           {"each", "a single lookup"},
                                           {"branch", "a lookup with a branch"},
                                           {"chain", "a chained lookup"},
                                           {"insert", "an insert"}};
    const double hits = fb_json_num(cell, "hit_ratio");
    const char *operation = fb_json_str(cell, "operation");
    size_t i = 0;
    while (i < sizeof names / sizeof *names - 1 && strcmp(names[i][0], operation) != 0)
        i++;
    snprintf(out, 80, "%s", names[i][1]);
    if (hits > 0 && hits < 1)
        snprintf(out + strlen(out), 80 - strlen(out), ", %.4g %% present", 100 * hits);
    else if (isfinite(hits))
        strcat(out, hits > 0 ? " of present keys" : " of absent keys");
}

/* A row in each size that others have, for a design that takes none. */
static json_t *rows(const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    json_t *all = json_array(), *sizes = json_object(), *cell, *bits;
    const char *size;
    char text[64], doing[80];
    size_t i;
    json_array_foreach((json_t *)cells, i, cell) {
        snprintf(text, sizeof text, "%.6g", fb_json_num(cell, "bits_per_key"));
        if (json_is_number(json_object_get(cell, "bits_per_key")))
            json_object_set(sizes, text, json_object_get(cell, "bits_per_key"));
    }
    if (!json_object_size(sizes))
        json_object_set_new(sizes, "", json_null());
    json_object_foreach(sizes, size, bits) {
        json_array_foreach((json_t *)cells, i, cell) {
            const json_t *own = json_object_get(cell, "bits_per_key");
            const double x = fb_json_num(cell, "per_operation");
            char place[160], label[64], n[32];
            if (!isfinite(x) || (json_is_number(own) && !json_equal(own, bits)))
                continue;
            snprintf(place, sizeof place, "with %s keys%s%s%s",
                     fb_versus_count(fb_json_num(cell, "filter.n_keys"), n), *size ? " of " : "",
                     size, *size ? " bits" : "");
            snprintf(label, sizeof label, "%.20s %.40s", fb_json_str(cell, "isa"),
                     fb_json_str(cell, "style"));
            name_doing(cell, doing);
            json_array_append_new(all, fb_versus_row(place, doing, fb_json_str(cell, "design"),
                                                     label, 0, x, x, x, i,
                                                     fb_is_control(fb_json_str(cell, "design"))));
        }
    }
    json_decref(sizes);
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
