/* Costs, reads, memory and builds of one filter in a tree against another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/lsm/report/report.h"

enum { COST, READS, MEMORY, BUILD, N_QUANTITIES };

static const struct fb_quantity quantities[] = {
    [COST] = {.name = "us/query",
              .unit = " us/query",
              .scale = 1e-3,
              .is = "{place}, {a} costs {v}{i}.",
              .least = "{place}, {a} costs least: {v}.",
              .times = "{place}, {a} costs {x} times {b}'s cost{i}.",
              .second = "{a} costs {x} times as much{i}"},
    [READS] = {.name = "reads per query",
               .unit = " reads per query",
               .is = "{place}, {a} takes {v}{i}.",
               .least = "{place}, {a} reads least: {v}.",
               .times = "{place}, {a} reads {x} times as often as {b}{i}.",
               .second = "{a} reads {x} times as often{i}"},
    [MEMORY] = {.name = "MB of filters",
                .unit = " MB",
                .scale = 1e-6,
                .is = "{place}, the filters of {a} take {v}.",
                .least = "{place}, {a} takes the least memory: {v}.",
                .times = "{place}, {a} takes {x} times the memory of {b}.",
                .second = "{a} takes {x} times that",
                .exact = true},
    [BUILD] = {.name = "ns/key",
               .unit = " ns per key",
               .is = "{place}, {doing} of {a} takes {v}{i}.",
               .least = "{place}, {doing} of {a} takes the least time: {v}.",
               .times = "{place}, {doing} takes {x} times as long for {a} as for {b}{i}.",
               .second = "{a} takes {x} times as long{i}"},
    {0},
};

enum { PLACE = 200 };

/* "10 bits (optimal)": what filters are given that are held against each other. "": the cell's have
 * a size of their own, or none, and stand beside all. */
static void name_size(const json_t *cell, char out[64])
{
    const double bits = fb_json_num(cell, "params.bits_per_key");
    const double rate = fb_json_num(cell, "params.fpr");
    const char *split = fb_json_str(cell, "params.allocation");
    *out = '\0';
    if (isfinite(bits))
        snprintf(out, 64, "%.4g bits", bits);
    else if (isfinite(rate))
        snprintf(out, 64, "FPR %.4g %%", 100 * rate);
    else if (*fb_json_str(cell, "params.allocation_reason") == 'g')
        snprintf(out, 64, "bits by level");
    if (*out && *split && strcmp(split, "uniform") != 0)
        fb_append(out, 64, " (%.16s)", split);
}

/* "on nvme, 10M dec6 keys (leveled), 50 % absent"; *named: the names so far, which are told
 * apart by the number of the table. */
static void name_tree(const json_t *cell, const json_t *device, json_t *named, char out[PLACE])
{
    const double absent = fb_json_num(cell, "params.absent");
    const double cache = fb_json_num(cell, "params.cache_bytes") * 1e-6;
    const char *disk = fb_json_str(device, "name");
    const char *filters = fb_json_str(cell, "params.filter_residency");
    char n[32], share[32];
    snprintf(share, sizeof share, "%.4g %% absent", 100 * absent);
    snprintf(out, PLACE, "on %.40s, %s %.24s keys (%.16s), %s",
             strcmp(disk, "default") ? disk : "disk", fb_versus_count(fb_json_num(cell, "n"), n),
             fb_json_str(cell, "keys"), fb_json_str(cell, "tree.style"),
             absent == 1   ? "all absent"
             : absent == 0 ? "all present"
                           : share);
    if (cache > 0)
        snprintf(out + strlen(out), 40, ", cache %.4g MB", cache);
    if (*filters && strcmp(filters, "pinned") != 0)
        snprintf(out + strlen(out), 40, " (%.16s)", filters);
    if (json_object_get(named, out))
        snprintf(out + strlen(out), 40, ", table %zu", json_object_size(named) + 1);
    json_object_set_new(named, out, json_true());
}

/* ---- Rows ---- */

static json_t *row_of(const struct fb_lsm_row *r, int quantity, const char *place, bool apart)
{
    const json_t *cell = r->cell, *levels = fb_json_at(cell, "build.levels");
    const json_t *build = json_array_get(levels, json_array_size(levels) - 1);
    const double bytes = fb_json_num(cell, "filter.bytes");
    const double of[N_QUANTITIES][3] = {
        [COST] = {r->cost, r->low, r->high},
        [READS] = {fb_json_num(cell, "reads.io"), fb_json_num(cell, "reads.io_ci95.low"),
                   fb_json_num(cell, "reads.io_ci95.high")},
        [MEMORY] = {bytes, bytes, bytes},
        [BUILD] = {fb_json_num(build, "time.median"), fb_json_num(build, "time.ci95.low"),
                   fb_json_num(build, "time.ci95.high")}};
    const char *hash = fb_json_str(cell, "params.hash");
    char design[64], label[FB_LSM_ROW_NAME];
    snprintf(design, sizeof design, "%.40s%s%.20s", fb_json_str(cell, "design"), *hash ? "+" : "",
             hash);
    fb_lsm_name_row(r, label);
    if (!isfinite(of[quantity][0]))
        return NULL;
    return fb_versus_row(place, quantity == BUILD ? "a build" : "", design,
                         label + (label[strlen(design)] ? strlen(design) + 1 : strlen(design)),
                         (size_t)quantity, of[quantity][0], of[quantity][1], of[quantity][2], r->at,
                         apart || fb_is_control(fb_json_str(cell, "design")) ||
                             !fb_lsm_is_ranked(r));
}

/* All rows of a table that have that size, or one of their own, in the order of the table. Those
 * are never called the best of a size that they do not have. */
static void add_place(json_t *rows, const struct fb_lsm_row *table, size_t n, const char *tree,
                      const char *size)
{
    char place[PLACE + 66], own[64];
    snprintf(place, sizeof place, "%s%s%s", tree, *size ? ", " : "", size);
    for (int q = 0; q < N_QUANTITIES; q++)
        for (size_t i = 0; i < n; i++) {
            const json_t *lookups = json_object_get(table[i].cell, "lookups");
            name_size(table[i].cell, own);
            if ((*own && strcmp(own, size) != 0) ||
                (q != COST && table[i].lookup != json_array_get(lookups, 0)))
                continue;
            json_t *row = row_of(&table[i], q, place, *size && !*own);
            if (row)
                json_array_append_new(rows, row);
        }
}

/* The sizes of a table come as it ranks them. */
static void add_table(json_t *rows, const struct fb_lsm_row *table, size_t n, const char *tree)
{
    json_auto_t *sizes = json_object();
    char size[64];
    for (size_t i = 0; i < n; i++) {
        name_size(table[i].cell, size);
        if (*size)
            json_object_set_new(sizes, size, json_true());
    }
    if (!json_object_size(sizes))
        add_place(rows, table, n, tree, "");
    FB_EACH_MEMBER(each, seen, sizes)
        add_place(rows, table, n, tree, each);
}

static json_t *rows(const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    json_t *all = json_array(), *trees = json_object();
    for (size_t i = 0; i < json_array_size(cells); i++) {
        size_t n, n_ranked;
        struct fb_lsm_row *table = fb_lsm_ranking(document, i, &n, &n_ranked);
        char tree[PLACE];
        if (!table)
            continue;
        name_tree(table->cell, device, trees, tree);
        add_table(all, table, n, tree);
        free(table);
    }
    json_decref(trees);
    return all;
}

/* As the tables do, which mark what is not told apart by intervals that overlap: the ends of a
 * ratio are those of the two, so it lies beyond 1 where they do not. */
static void times(const json_t *document, json_t *rows)
{
    (void)document;
    FB_EACH(row, rows) {
        const json_t *at = json_object_get(row, "to");
        const json_t *to = at ? json_array_get(rows, (size_t)json_integer_value(at)) : NULL;
        const double x = fb_json_num(row, "value") / fb_json_num(to, "value");
        const double low = fb_json_num(row, "low") / fb_json_num(to, "high");
        const double high = fb_json_num(row, "high") / fb_json_num(to, "low");
        if (isfinite(x))
            json_object_set_new(row, "times", json_real(x));
        if (isfinite(x) && isfinite(low) && isfinite(high)) {
            json_object_set_new(row, "times_low", json_real(low));
            json_object_set_new(row, "times_high", json_real(high));
        }
    }
}

const struct fb_versus fb_lsm_versus = {.quantities = quantities, .rows = rows, .times = times};

/* What stands next to the best in the first table, where nothing has the size of the best. */
static void say_second(const json_t *document, struct fb_card *card)
{
    size_t n, n_ranked, found = 0;
    struct fb_lsm_row *table = fb_lsm_ranking(document, 0, &n, &n_ranked), *two[2];
    char name[FB_LSM_ROW_NAME];
    for (size_t i = 0; table && i < n_ranked && found < 2; i++)
        if (!fb_is_control(fb_json_str(table[i].cell, "design")))
            two[found++] = &table[i];
    if (found == 2) {
        fb_lsm_name_row(two[1], name);
        fb_card_set(card, FB_CARD_AMOUNT, "Second is %s: %.3g us/query.", name, two[1]->cost / 1e3);
        fb_card_set(card, FB_CARD_SURE,
                    two[1]->low > two[0]->high ? "Sure: their 95 %% intervals do not overlap."
                                               : "Cannot tell the two by their 95 %% intervals.");
    }
    free(table);
}

/* The first cell that is not ranked for its few keys; NULL: none is. */
static const json_t *left_out(const json_t *document)
{
    FB_EACH(cell, json_object_get(document, "cells"))
        if (json_is_false(fb_json_at(cell, "per_filter.ranked")))
            return cell;
    return NULL;
}

/* Where none is ranked, there is no best, and the card says why. */
void fb_lsm_card(const json_t *document, const char *path, struct fb_card *card)
{
    const json_t *cell = left_out(document);
    char n[2][32], word[FB_CARD_TEXT];
    fb_versus_card(document, path, card);
    if (*card->part[FB_CARD_ANSWER] && !*card->part[FB_CARD_AMOUNT])
        say_second(document, card);
    if (*card->part[FB_CARD_ANSWER] || !cell)
        return;
    fb_card_set(card, FB_CARD_ANSWER,
                "No filter is best here: none has the false-positive rate that it has at scale 1.");
    fb_card_set(card, FB_CARD_CHANGE, "A filter of %s holds %s keys here, and %s at scale 1.",
                fb_json_str(cell, "design"),
                fb_versus_count(round(fb_json_num(cell, "per_filter.keys")), n[0]),
                fb_versus_count(round(fb_json_num(cell, "per_filter.unscaled_keys")), n[1]));
    if (path)
        fb_card_set(card, FB_CARD_NEXT, "filterbench show %s --versus %s", path,
                    fb_card_quoted(fb_json_str(cell, "design"), word));
}
