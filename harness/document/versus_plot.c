/* The figure "versus": each row a multiple of one design. */

#include "harness/base/json.h"
#include "harness/document/cells.h"
#include "harness/document/kind.h"

static const char versus_kind[] = "versus";

json_t *fb_versus_drawn(const json_t *document, const char *name, const char *design)
{
    json_t *rows = fb_versus_rows(document, design), *cells = json_array();
    FB_EACH(row, rows) {
        const char *doing = fb_json_str(row, "doing"), *label = fb_json_str(row, "label");
        if (!json_object_get(row, "times") || json_is_true(json_object_get(row, "apart")))
            continue;
        json_object_set_new(row, "id",
                            json_sprintf("%s%s%s/%s%s%s%s%s", name, *name ? "/" : "",
                                         fb_json_str(row, "place"), doing, *doing ? "/" : "",
                                         fb_json_str(row, "design"), *label ? "/" : "", label));
        json_object_set_new(row, "to", json_string(design));
        json_array_append(cells, row);
    }
    json_decref(rows);
    return json_pack("{s:s, s:o, s:O?}", "kind", versus_kind, "cells", cells, "warnings",
                     json_object_get(document, "warnings"));
}

static void tell(const json_t *document, const json_t *cell, json_t *rows)
{
    (void)document;
    fb_cells_add(rows, cell,
                 &(struct fb_cell_row){.unit = fb_json_str(cell, "to"),
                                       .value = fb_json_num(cell, "times"),
                                       .low = fb_json_num(cell, "times_low"),
                                       .high = fb_json_num(cell, "times_high"),
                                       .reference = 1});
}

static const struct fb_cells_figure multiples = {versus_kind, .tell = tell};

const struct fb_figure fb_versus_figure = {versus_kind, "each design as a multiple of one",
                                           .cells = &multiples, .needs = "--versus DESIGN"};
