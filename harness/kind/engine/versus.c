/* Reads and times of an engine's Gets: one filter against another, and all against what is
 * predicted. */
#include <math.h>
#include <string.h>

#include "harness/kind/engine/gets.h"

enum { READS, TIME };

static const struct fb_quantity quantities[] = {
    [READS] = {.name = "blocks read",
               .unit = " blocks",
               .is = "{place}, {doing} with {a} reads {v}{i}.",
               .least = "{place}, {doing} reads least with {a}: {v}.",
               .times = "{place}, {doing} with {a} reads {x} times the blocks of {b}{i}.",
               .second = "{a} reads {x} times as many{i}"},
    [TIME] = {.name = "us",
              .unit = " us",
              .scale = 1e-3,
              .is = "{place}, {doing} with {a} takes {v}{i}.",
              .least = "{place}, {doing} is fastest with {a}: {v}.",
              .times = "{place}, {doing} with {a} takes {x} times the time of {b}{i}.",
              .second = "{a} takes {x} times as long{i}"},
    {0},
};

static const char *const streams[] = {"absent", "present", "mixed"};

/* "in leveldb, 10 bits, filters cached, reads direct" */
static void name_place(const json_t *document, const json_t *cell, char out[160])
{
    const char *residency = fb_json_str(cell, "residency"), *reads = fb_json_str(cell, "reads");
    snprintf(out, 160, "in %.40s, %.4g bits", fb_json_str(document, "engine.name"),
             fb_json_num(cell, "bits_per_key"));
    if (*residency && strcmp(residency, "pinned") != 0)
        snprintf(out + strlen(out), 40, ", filters %.16s", residency);
    if (*reads && strcmp(reads, "page-cache") != 0)
        snprintf(out + strlen(out), 40, ", reads %.16s", reads);
}

static void add(json_t *all, const json_t *document, size_t at, const char *stream, int quantity)
{
    const json_t *cell = json_array_get(json_object_get(document, "cells"), at);
    const json_t *rates = json_object_get(json_object_get(cell, "rates"), stream);
    const json_t *in = fb_json_at(rates, quantity == READS ? "observed" : "ns");
    const json_t *interval = quantity == READS ? json_object_get(in, "reads_interval") : in;
    const double value = fb_json_num(in, quantity == READS ? "reads" : "value");
    const bool own = json_is_true(json_object_get(cell, "own"));
    char place[160], doing[32];
    if (!isfinite(value) || value < 0)
        return;
    name_place(document, cell, place);
    snprintf(doing, sizeof doing, "a%s %s Get", *stream == 'a' ? "n" : "", stream);
    json_array_append_new(all, fb_versus_row(place, doing, fb_json_str(cell, "design"),
                                             own ? fb_json_str(cell, "filter") : "policy",
                                             (size_t)quantity, value, fb_json_num(interval, "low"),
                                             fb_json_num(interval, "high"), at, false));
}

static json_t *rows(const json_t *document)
{
    const size_t n = json_array_size(json_object_get(document, "cells"));
    json_t *all = json_array();
    for (int q = READS; q <= TIME; q++)
        for (size_t s = 0; s < sizeof streams / sizeof *streams; s++)
            for (size_t i = 0; i < n; i++)
                add(all, document, i, streams[s], q);
    return all;
}

const struct fb_versus fb_gets_versus = {.quantities = quantities, .rows = rows};

/* ---- The card ---- */

/* What was read against what was predicted. */
struct agreement {
    size_t cells, equal, within; /* with reads; all of it equal; none of it differs */
    const json_t *worst;         /* that is furthest off */
    double off;                  /* by that share of the prediction */
};

static struct agreement agreement_of(const json_t *cells)
{
    struct agreement a = {0};
    FB_EACH(cell, cells) {
        bool equal = true, within = true, known = false;
        for (size_t s = 0; s < 2; s++) {
            const json_t *rates = json_object_get(json_object_get(cell, "rates"), streams[s]);
            const char *verdict = fb_json_str(rates, "verdict");
            const double predicted = fb_json_num(rates, "predicted.reads");
            const double off = fabs(fb_json_num(rates, "observed.reads") / predicted - 1);
            known |= isfinite(fb_json_num(rates, "observed.reads"));
            equal &= !strcmp(verdict, "equal");
            within &= strcmp(verdict, "differs") != 0;
            if (isfinite(off) && off > a.off) {
                a.off = off;
                a.worst = cell;
            }
        }
        a.cells += known;
        a.equal += known && equal;
        a.within += known && within;
    }
    return a;
}

void fb_gets_card(const json_t *document, const char *path, struct fb_card *card)
{
    const struct agreement a = agreement_of(json_object_get(document, "cells"));
    const char *engine = fb_json_str(document, "engine.name");
    struct fb_card reads = {0};
    fb_versus_card(document, path, &reads);
    *card = reads;
    if (!a.cells)
        return;
    fb_card_set(card, FB_CARD_AMOUNT, "%s %s", reads.part[FB_CARD_ANSWER],
                reads.part[FB_CARD_AMOUNT]);
    *card->part[FB_CARD_CHANGE] = '\0';
    if (a.equal == a.cells)
        fb_card_set(card, FB_CARD_ANSWER,
                    "%s read just the predicted blocks in every Get, with each of %zu filters.",
                    engine, a.cells);
    else
        fb_card_set(card, FB_CARD_ANSWER, "%s read as predicted with %zu of %zu filters.", engine,
                    a.within, a.cells);
    if (a.worst)
        snprintf(card->part[FB_CARD_ANSWER] + strlen(card->part[FB_CARD_ANSWER]), 80,
                 " Most off is %.40s: %.3g %%.", fb_json_str(a.worst, "filter"), 100 * a.off);
}
