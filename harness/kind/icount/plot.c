/* The figure of instructions: a row for each cell. */
#include <math.h>

#include "harness/document/cells.h"
#include "harness/kind/icount/icount.h"

static void tell_cell(const json_t *document, const json_t *cell, json_t *rows)
{
    (void)document;
    fb_cells_add(rows, cell,
                 &(struct fb_cell_row){.value = fb_json_num(cell, "per_operation"),
                                       .low = NAN,
                                       .high = NAN,
                                       .reference = NAN});
}

static bool plot_cells(const json_t *documents, FILE *file)
{
    return fb_cells_write(file, documents, "icount", tell_cell);
}

const struct fb_figure fb_icount_figures[] = {
    {"icount-cells", "instructions of an operation, a row for each cell", plot_cells,
     .needs = "a result of kind icount that was counted", .rest = true},
    {0},
};
