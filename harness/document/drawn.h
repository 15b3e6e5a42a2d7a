/* What a figure shows of the documents that it is drawn of, and what it leaves out. */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_DRAWN_H
#define FILTERBENCH_HARNESS_DOCUMENT_DRAWN_H

#include "harness/document/figure.h"

/* The table of a figure, to be freed; NULL where the documents have nothing for it. */
char *fb_drawn_table(const struct fb_figure *, const json_t *documents);

/* Adds the lines of a table to `seen`, an object; returns whether one was new, fronts aside. */
bool fb_drawn_is_new(json_t *seen, const char *table);

/* {"result 2 n=1000": [a part of the second document]}: all that the figure might show alone. To be
 * released. What is the first document's has no "result 1". */
json_t *fb_drawn_parts(const struct fb_figure *, const json_t *documents);

/* "Not in this picture: leveldb in DRAM.", of designs that `seen` lacks, in documents of which the
 * figure shows something; and whether a table of cells (cells.h) was cut. Or "". */
void fb_drawn_missing(const struct fb_figure *, const json_t *seen, const json_t *documents,
                      char *text, size_t size);

#endif
