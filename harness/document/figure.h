/*
 * Figures from result documents: tables of data (.dat, tab-separated under a header line) and the
 * pictures that plots/<figure>.gp makes of them, each in a gnuplot process of its own.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_FIGURE_H
#define FILTERBENCH_HARNESS_DOCUMENT_FIGURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/exit.h"

struct fb_cells_figure;

struct fb_figure {
    const char *name, *summary; /* "fpr-bits", drawn by plots/fpr-bits.gp; one line */
    /* Writes the table of what `documents` (an array of result documents) have for the figure;
     * false where they have nothing and the table is not to be used. */
    bool (*write)(const json_t *documents, FILE *);
    /* "n,keys": members of cells of which a picture shows one value. The others are drawn in
     * pictures of their own, and so are documents that it leaves out. NULL: it shows all. */
    const char *held;
    const char *needs; /* what a result must have for it: "three sizes in bits per key" */
    /* Drawn, unless it is named, of those documents only that no other figure of the kind shows. */
    bool rest;
    bool letters; /* write() itself tells results apart, by their "result" (fb_drawn_letter) */
    const struct fb_cells_figure *cells; /* in place of write: a row for each cell (cells.h) */
};

/*
 * Draws into `folder`, made if only its last part is missing (NULL: plots/out), each figure whose
 * data is there, or the one named `only` (NULL: all), as SVG and, where asked for, as PNG. *drawn
 * becomes an array of {figure, part, summary, of, missing, title, see, dat, svg, png}, to be
 * released: whether it is a part of a figure ("fpr-n-keys=bin"), of which value or result, which
 * designs are not in it, names of files, and what the picture says of itself. A call that fails
 * leaves nothing. Prints what went wrong: FB_EXIT_USAGE without gnuplot or when nothing can be
 * drawn. A line that gnuplot says is a note.
 */
enum fb_exit fb_plot(const json_t *documents, const char *folder, const char *only, bool png,
                     json_t **drawn);

/* ---- drawn.c: what a figure shows of the documents that it is drawn of, and what it leaves out
 * ---- */

/* Where several documents are of one kind, sets in each a letter, "result", and what it stands for,
 * "result_name": the file of names [n], and the processor where it differs. */
void fb_drawn_letter(const json_t *documents, const json_t *names);

/* " A: old.json. B: new.json.", of those that the figure has data of; "" without letters. */
void fb_drawn_results(const struct fb_figure *, const json_t *documents, char *text, size_t size);

/* Takes what gnuplot reads as more than text out of a text: backslashes, double quotes, and what
 * ends a section of XML. Returns it. */
char *fb_drawn_plain(char *text);

/* The table of a figure, to be freed; NULL where the documents have nothing for it. Results with
 * letters of one experiment become one table. */
char *fb_drawn_table(const struct fb_figure *, const json_t *documents);

/* Adds the lines of a table to `seen`, an object; returns whether one was new, fronts aside. */
bool fb_drawn_is_new(json_t *seen, const char *table);

/* {"result 2 n=1000": [a part of the second document]}: all that the figure might show alone. To be
 * released. What is the first document's has no "result 1", and a list has all of its experiment.
 */
json_t *fb_drawn_parts(const struct fb_figure *, const json_t *documents);

/* "Not in this picture: leveldb in DRAM.", of designs that `seen` lacks, in documents of which the
 * figure shows something; and whether a table of cells (cells.h) was cut. Or "". */
void fb_drawn_missing(const struct fb_figure *, const json_t *seen, const json_t *documents,
                      char *text, size_t size);

#endif
