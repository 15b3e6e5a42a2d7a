/* Times of one design against another. */
#include <math.h>
#include <string.h>

#include "harness/document/points.h"
#include "harness/kind/kernels/kernels.h"

static const struct fb_quantity quantities[] = {
    {.name = "ns",
     .unit = " ns",
     .is = "{place}, {doing} in {a} takes {v}{i}.",
     .least = "{place}, {doing} is fastest in {a}: {v}.",
     .times = "{place}, {doing} takes {x} times as long in {a} as in {b}{i}.",
     .second = "{a} takes {x} times as long{i}"},
    {0},
};

/* Which of the members that a place is named by differ among the cells. */
struct several {
    bool size, hits, load, runs;
};

static struct several several_of(const json_t *cells)
{
    const json_t *first = NULL;
    struct several found = {0};
    FB_EACH(cell, cells) {
        if (fb_is_control(fb_json_str(cell, "design")) ||
            fb_has_own_size(fb_json_str(cell, "design"), fb_json_at(cell, "params")))
            continue;
        first = first ? first : cell;
        found.size |= !json_equal(fb_json_at(first, "params"), fb_json_at(cell, "params"));
        found.hits |= fb_json_num(cell, "hit_ratio") > 0;
        found.load |= fb_json_num(cell, "load") > 0;
        found.runs |= fb_json_uint(cell, "runs") > 0;
    }
    return found;
}

/* "in L2, 10 bits per key, present keys" */
static void name_place(const json_t *cell, struct several several, char out[160])
{
    const double bits = fb_json_num(cell, "params.bits_per_key");
    const double rate = fb_json_num(cell, "params.fpr"), hits = fb_json_num(cell, "hit_ratio");
    snprintf(out, 160, "in %s", fb_json_str(cell, "footprint"));
    if (several.size && isfinite(bits))
        fb_append(out, 160, ", %.4g bits per key", bits);
    else if (several.size && isfinite(rate))
        fb_append(out, 160, ", FPR %.4g %%", 100 * rate);
    if (several.hits && isfinite(hits))
        fb_append(out, 160, ", %.3g %% present", 100 * hits);
    if (several.load && fb_json_num(cell, "load") > 0)
        fb_append(out, 160, ", load %.3g", fb_json_num(cell, "load"));
    if (several.runs && fb_json_uint(cell, "runs"))
        fb_append(out, 160, ", %d filters", (int)fb_json_uint(cell, "runs"));
}

static void add(json_t *rows, const json_t *cells, const char *footprint, bool is,
                struct several several)
{
    FB_EACH_AT(i, cell, cells) {
        const enum fb_operation operation = fb_operation_find(fb_json_str(cell, "operation"));
        const char *style = fb_json_str(cell, "style"), *design = fb_json_str(cell, "design");
        char place[160], label[64];
        const char *doing = operation < FB_N_OPERATIONS ? fb_operation_doing(operation) : NULL;
        if (!doing || !strcmp(style, "peer") ||
            !strcmp(fb_json_str(cell, "footprint"), footprint) != is)
            continue;
        name_place(cell, several, place);
        snprintf(label, sizeof label, "%.20s %.40s", fb_json_str(cell, "isa"), style);
        json_array_append_new(
            rows,
            fb_versus_row(place, doing, design, label, 0, fb_json_num(cell, "time.median"),
                          fb_json_num(cell, "time.ci95.low"), fb_json_num(cell, "time.ci95.high"),
                          i, fb_is_control(design) || fb_kernels_is_off(cell)));
    }
}

/* L2 first: there the work of a filter shows, and no other program's cache. */
static json_t *rows(const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    const struct several several = several_of(cells);
    json_t *all = json_array();
    for (int is = 1; is >= 0; is--)
        add(all, cells, "L2", is, several);
    return all;
}

const struct fb_versus fb_kernels_versus = {
    .quantities = quantities, .rows = rows, .times = fb_kernels_times};
