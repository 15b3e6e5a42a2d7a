/*
 * The figure of cells: a row for each, named by what tells it from the others. It is drawn of
 * results that vary too little, or too much, for a curve.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_CELLS_H
#define FILTERBENCH_HARNESS_DOCUMENT_CELLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct fb_cell_row {
    const char *more;        /* said after the cell's name; NULL: nothing */
    const char *unit;        /* that the picture names, a device; NULL: none */
    double value, low, high; /* NaN where there is no interval */
    double reference;        /* theory, or a part of the value; NaN: none */
};

/* Adds a row of the cell. A value that is no number is left out. */
void fb_cells_add(json_t *rows, const json_t *cell, const struct fb_cell_row *);

/* Adds the rows of a cell. */
typedef void fb_cells_tell(const json_t *document, const json_t *cell, json_t *rows);

/* Of a kind, a row for each cell with the numbers at these paths, times `scale`, and the text at
 * `more`; or whatever `tell` adds. All but `value` may be NULL. */
struct fb_cells_figure {
    const char *kind;
    fb_cells_tell *tell;
    const char *value, *low, *high, *reference, *more;
    double scale; /* 0: 1 */
};

/*
 * Writes its table of these documents. Controls are not shown, nor more rows than fit in a picture:
 * column "rows" has their number. A row's name has the parts of the cell's id that not every row
 * has, "common" has the others: of "nori/bpk=10/n=300" and "nori/bpk=12/n=300" the names are
 * "bpk=10" and "bpk=12", and "nori n=300" is common. False where no row is there.
 */
bool fb_cells_draw(const struct fb_cells_figure *, const json_t *documents, FILE *);

#endif
