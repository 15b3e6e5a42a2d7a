/*
 * Tables for people, as text or Markdown: a list of columns, and rows that are JSON objects. Cells
 * are measured before anything is printed, so a column is as wide as its widest cell.
 *
 *     static const struct fb_column columns[] = {
 *         {"design", "design", .left = true},
 *         {"FPR %", "fpr.estimate", .format = "%.4g", .scale = 100},
 *         {"z", "fpr.z", .show = show_z},
 *         {0},
 *     };
 *     struct fb_table table = {.columns = columns};
 *     fb_table_heading(&table, "10 bits/key");
 *     json_array_foreach(cells, i, cell) fb_table_row(&table, is_off(cell) ? "! " : "  ", cell);
 *     fb_table_finish(&table, file, FB_TABLE_TEXT);
 *
 *     10 bits/key
 *       design    FPR %     z
 *       sbbf-512  1.003  +0.2
 *     ! leveldb    1.22  +5.1
 *
 * A table of text fits the terminal that it is printed on (screen.h): texts that may wrap get
 * narrower, down to some words; then blocks of columns go on below, with the columns of no block
 * again; then the columns that can be spared go; then every text wraps, and
 * the columns of spare below 0 go. A file or a pipe gets all.
 *
 * In Markdown the heading is bold with an empty line below it, and a mark stands in the first cell.
 * As data a table is one line, FB_FLOW_TABLE (screen.h) and JSON, of the columns that text would
 * have:
 *
 *     {"columns": [{"title": "design", "left": true}, {"title": "FPR %", "left": false}],
 *      "lines": ["10 bits/key", ["  ", "sbbf-512", "1.003"], {"note": "prose"}]}
 *
 * A row that is made of several objects is one that holds them, {"worst": cell, "largest": cell},
 * with paths such as "worst.fpr.z". Columns may be made while the program runs: one for each of
 * {"L1": cell, "L2": cell}, with the paths "L1.time.median" and "L2.time.median".
 */
#ifndef FILTERBENCH_HARNESS_BASE_TABLE_H
#define FILTERBENCH_HARNESS_BASE_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum fb_table_style { FB_TABLE_TEXT, FB_TABLE_MARKDOWN, FB_TABLE_DATA };

enum { FB_TABLE_CELL = 4096, FB_TABLE_COLUMNS = 400 }; /* bytes of a cell; columns of a table */

struct fb_column {
    const char *title;  /* NULL ends a list of columns */
    const char *path;   /* of the member that is shown */
    const char *format; /* of a number, "%.4g"; NULL: the member is a text */
    double scale;       /* what a number is multiplied with; 0: 1 */
    /* What is shown in place of that; `out` starts empty. */
    void (*show)(const json_t *row, const struct fb_column *, char out[FB_TABLE_CELL]);
    bool left;      /* texts stand left, numbers right */
    bool optional;  /* left out where every row shows "", "-" or "0" */
    bool wraps;     /* a text that goes on below where the terminal is narrow */
    bool whole;     /* a text to be copied: never goes on below */
    int width;      /* at least, in text */
    int spare;      /* what is left out where the terminal is narrow: the greatest first, of equal
                       ones the last; 0: never; below 0: only where no wrapping makes room */
    int spare_same; /* `spare` where all rows show the same; 0: as otherwise */
    enum { FB_NEITHER, FB_LEAST, FB_MOST } best; /* of a group has a colour on a terminal */
    bool verdict; /* has a colour there that says whether it is good */
    int block;    /* from 1: where the terminal is narrow, later blocks go on below; 0: in all */
    const char *member; /* in what `path` names, or in a cell: what `show` shows of it */
};

/* What a column without `show` shows: "-" where there is no such member. */
void fb_show_member(const json_t *row, const struct fb_column *, char out[FB_TABLE_CELL]);
/* {low, high} as "0.81 .. 0.83", times `scale`; "-" where there is none. For `show`. */
void fb_show_interval(const json_t *row, const struct fb_column *, char out[FB_TABLE_CELL]);
/* A number, "-" where it is not finite. */
void fb_show_number(double x, const char *format, char out[FB_TABLE_CELL]);

/* ---- A table ---- */

/* Set `columns` (borrowed) and `gap`, the spaces between columns of text; 0: 2. The rest is zero.
 */
struct fb_table {
    const struct fb_column *columns;
    int gap;
    json_t *lines;                    /* in their order, as texts */
    bool (*apart)(const json_t *row); /* it is no candidate for the best, a control; or NULL */
    json_t *rows;                     /* those so far, while columns are told (fb_table_tell) */
};

/* Rows below it are a group; the titles are printed for each group. */
void fb_table_heading(struct fb_table *, const char *text);
/* The row as it is at the time of the call. Marks of a table of text are equally long: " " for
 * none. */
void fb_table_row(struct fb_table *, const char *mark, const json_t *row);
/* Prose below the row before, indented: printed by fb_say. */
void fb_table_note(struct fb_table *, const char *text);
/* Prints everything, titles also where there are no rows, and empties the table. */
void fb_table_finish(struct fb_table *, FILE *, enum fb_table_style);

/* Calls `told` for each column that a table shows from here on, with the rows of the table. */
void fb_table_tell(void (*told)(void *self, const struct fb_column *, const json_t *rows),
                   void *self);

/* Whether a table beside the main one of a result, which its card speaks of, is printed: as text
 * only with --verbose. One that is not is counted. */
bool fb_table_further(enum fb_table_style);
/* One line that says how many were not, below the tables of a result; nothing where all were. */
void fb_table_tell_further(FILE *);

/* One line about the columns that tables so far left out, below them; nothing where none did. */
void fb_table_tell_left_out(void);

#endif
