/* The table of the figure of single trees: what a query costs, a row for each cell, or for each
 * lookup where lookups were timed. */
#include <math.h>

#include "harness/document/cells.h"
#include "harness/kind/lsm/report/report.h"

static void tell_cost(const json_t *document, const json_t *cell, const json_t *lookup,
                      json_t *rows)
{
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    const char *name = fb_json_str(device, "name");
    const json_t *cost = json_object_get(json_object_get(lookup ? lookup : cell, "costs"), name);
    fb_cells_add(rows, cell,
                 &(struct fb_cell_row){.more = fb_json_str(lookup, "lookup"),
                                       .unit = name,
                                       .value = fb_json_num(cost, "cost_ns"),
                                       .low = fb_json_num(cost, "low"),
                                       .high = fb_json_num(cost, "high"),
                                       .reference = fb_json_num(lookup, "time.median")});
}

static void tell_cell(const json_t *document, const json_t *cell, json_t *rows)
{
    const json_t *lookups = json_object_get(cell, "lookups");
    size_t i;
    json_t *lookup;
    json_array_foreach((json_t *)lookups, i, lookup)
        tell_cost(document, cell, lookup, rows);
    if (json_array_size(lookups) == 0)
        tell_cost(document, cell, NULL, rows);
}

bool fb_lsm_plot_cells(const json_t *documents, FILE *file)
{
    return fb_cells_write(file, documents, "lsm", tell_cell);
}
