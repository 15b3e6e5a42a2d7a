/*
 * One design against another: what a kind measures, as a list of rows, and each row as a multiple
 * of another design's. Cards, `--versus DESIGN` and the figure "versus" are made of it.
 *
 * A row says of one cell:
 *
 *     place     where designs are held against each other: "in L2, 10 bits per key"
 *     doing     what is timed, where {doing} is in the sentences: "a batch lookup"
 *     design, label    "nori", and what tells it from other rows of the design: "avx512 columnar"
 *     quantity  index of a struct fb_quantity
 *     value     above or equal 0, in the unit of the document; less is better
 *     low, high of its 95 % interval; where there is none, they are left out
 *     cell      index of the cell in "cells"
 *     apart     true: never called the best (a control; a filter larger than was asked for)
 *
 * and, against another row,
 *
 *     to, times, times_low, times_high    the index of that row; value by value, with its 95 %
 *                                         interval, which is left out where it is not known
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_VERSUS_H
#define FILTERBENCH_HARNESS_DOCUMENT_VERSUS_H

#include <stdint.h>

#include "harness/base/table.h"
#include "harness/document/card.h"

/*
 * Sentences have {place}, {doing}, {a} and {b} (designs), {v} (value and unit), {x} (times), {i}
 * (an interval in brackets, or nothing) and {what} (what is done, else the quantity). One that
 * begins with "{place}, " goes without it where the place was said before. The first letter becomes
 * a capital.
 */
struct fb_quantity {
    const char *name;   /* heading of its column, with the unit: "FPR %" */
    const char *unit;   /* behind a value in a sentence: " %"; "" for none */
    double scale;       /* from the document's unit; 0: 1 */
    const char *is;     /* "{place}, {a} has an FPR of {v}{i}." */
    const char *least;  /* "{place}, {a} has the lowest FPR: {v}." */
    const char *times;  /* "{place}, {a} has {x} times the false positives of {b}{i}." */
    const char *second; /* "{a} has {x} times that rate{i}" */
    bool exact;         /* every run says the same: values have low == high */
};

struct fb_figure; /* figure.h */

struct fb_versus {
    const struct fb_quantity *quantities; /* ends with name == NULL */
    /* The rows of a document, in a new list. The first is of the place that the card speaks of. */
    json_t *(*rows)(const json_t *document);
    /* Sets times, times_low and times_high of rows that have `to`. NULL: the two are independent.
     */
    void (*times)(const json_t *document, json_t *rows);
};

/* A new row, without an interval where low or high is not finite. */
json_t *fb_versus_row(const char *place, const char *doing, const char *design, const char *label,
                      size_t quantity, double value, double low, double high, size_t cell,
                      bool apart);

/* The rows as multiples of that design's least row in the same place and quantity, to be released;
 * rows of places without it have no `to`. NULL: no row is of the design, or the kind has none. */
json_t *fb_versus_rows(const json_t *document, const char *design);

/* Prints fb_versus_rows: a sentence for each of the first rows, then a table. */
void fb_versus_table(FILE *, const json_t *document, const json_t *rows, const char *design,
                     enum fb_table_style);

/* A document whose cells are those rows, for the figure "versus", to be released. `name` of the
 * result is in the ids, unless it is "". */
json_t *fb_versus_drawn(const json_t *document, const char *name, const char *design);
extern const struct fb_figure fb_versus_figure;

/* The cell at which the place begins that the card speaks of: the main table has it. */
const json_t *fb_versus_spoken(const json_t *document);

/* The card of such a kind; `path` as in fb_card_fill. */
void fb_versus_card(const json_t *document, const char *path, struct fb_card *);

/* ---- Between versus_rows.c and versus.c ---- */

/* The rows that a kind has, in a new list. Those that are held against each other stand one behind
 * the other; their "group" is the index of the first of them. */
json_t *fb_versus_arranged(const json_t *document);
size_t fb_versus_first(const json_t *row);
/* Whether two of them are held against each other. */
bool fb_versus_beside(const json_t *a, const json_t *b);
bool fb_versus_is_of(const json_t *row, const char *design);
const struct fb_quantity *fb_versus_quantity(const json_t *document, const json_t *row);
/* The least row beside `like` of that design, or, NULL, of all that may be the best; -1: there is
 * none. */
int32_t fb_versus_least(const json_t *rows, const json_t *like, const char *design);

/* A number of keys as people say it: "10k", "1M", "2500". */
const char *fb_versus_count(double n, char out[32]);

#endif
