/* The figure of changes: a row for each cell. */
#include <math.h>

#include "harness/document/cells.h"
#include "harness/kind/ab/ab.h"

static double percent(double ratio)
{
    return 100 * (ratio - 1);
}

static void tell_cell(const json_t *document, const json_t *cell, json_t *rows)
{
    (void)document;
    fb_cells_add(rows, cell,
                 &(struct fb_cell_row){.more = fb_json_str(cell, "change.verdict"),
                                       .value = percent(fb_json_num(cell, "change.ratio")),
                                       .low = percent(fb_json_num(cell, "change.interval.low")),
                                       .high = percent(fb_json_num(cell, "change.interval.high")),
                                       .reference = NAN});
}

static const struct fb_cells_figure changes = {"ab", .tell = tell_cell};

const struct fb_figure fb_ab_figures[] = {
    {"ab-cells", "change of time, a row for each cell", .cells = &changes,
     .needs = "a result of kind ab that was timed", .rest = true},
    {0},
};
