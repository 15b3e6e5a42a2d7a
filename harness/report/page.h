/*
 * Between the files of a report: from results to the HTML of their page.
 */
#ifndef FILTERBENCH_HARNESS_REPORT_PAGE_H
#define FILTERBENCH_HARNESS_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/base/exit.h"
#include "harness/base/json.h"

/* ---- html.c: text into HTML that is well-formed XML, so that any XML parser can check it ---- */

/* A line of the page: "%s" of `format` takes a text, "%%" is a percent sign, and nothing else is
 * special. In the text &, <, > and quotes are escaped, what XML has no room for (control
 * characters, U+FFFE, U+FFFF) becomes '?'.
 *
 *     fb_html(file, "<h2 id=\"%s\">%s</h2>\n", id, title);
 */
void fb_html(FILE *, const char *format, ...);

/* ---- parts.c: what a kind prints of a result, taken apart ---- */

enum { FB_BESIDE_MOST = 26 }; /* results side by side, lettered A to Z */

/*
 * Paragraphs and tables in their order, to be released, of a document, with `versus` also what
 * fb_versus_table prints, first; with `costs`, which the kind compared (kind.h), what it prints of
 * them instead:
 *
 *     {"text": "verdict: unchanged"}                      a sentence of what was found
 *     {"text": "MB: memory of the filters.", "aside": true}        how to read a table
 *     {"text": "  touch-32 L1  2.379", "set": true}       in columns, as it is
 *     {"caption": "10 bits/key", "columns": [{"title": "design", "left": true}, ...],
 *      "rows": [{"mark": "!", "cells": ["nori", ...], "notes": ["prose", ...]}, ...]}
 */
json_t *fb_parts(const json_t *document, const char *versus, const json_t *costs);

/*
 * The same result of several machines: n lists of parts, at most FB_BESIDE_MOST, become one. Tables
 * of one caption become one, whose rows have one name: a column that says the same everywhere is
 * shown once, any other has as many texts a row, "each": [text of A, text of B]. Sentences are told
 * once where they are equal, else each with its letter, "A: ". NULL where the tables have no names
 * in common.
 */
json_t *fb_parts_beside(const json_t *const *parts, size_t n);

/* ---- tables.c: in boxes which scroll where the page is narrow; plots/report.js sorts them ---- */

/* A table of fb_parts. A column that differs between machines is a column for each of n, headed by
 * their letters, A, B. */
void fb_report_table(FILE *, const json_t *table, size_t n);

/* Tab-separated data under a line of titles; beyond the first FB_MOST_DATA rows a line tells how
 * many more there are. */
enum { FB_MOST_DATA = 1000 };
void fb_report_data(FILE *, const char *data);

/* A table without a head of its own: rows of {"name": text, "each": [text, ...]}, a column for each
 * of the n titles. */
void fb_report_facts(FILE *, const json_t *rows, const json_t *titles);

/* ---- figures.c and svg.c ---- */

/*
 * An array of {"figure", "summary", "title", "see", "data", "svg"} of results of one experiment
 * from files of these names, with `versus` also the figure of that name, to be released:
 * names, what there is to see in a sentence, a table in text and a picture, which the scripts in
 * plots/ draw. Without gnuplot *drawn becomes false, and title, see and svg are missing. Prints
 * what went wrong otherwise; a figure that gnuplot fails at ends the report.
 */
enum fb_exit fb_report_figures(const json_t *documents, const json_t *names, const char *versus,
                               json_t **figures, bool *drawn);

/*
 * Writes gnuplot's picture as one <svg> with the accessible name `label`. What is taken over is
 * known to be harmless: shapes and texts, with attributes that draw; no script, no style, no
 * reference out of the picture. Its ids begin with `prefix`, so that those of two pictures differ;
 * a white background, fonts, empty groups and titles, which show gnuplot's own expressions, are
 * left out. False where the text is no SVG of gnuplot's: nothing of what was written may be used.
 */
bool fb_svg_inline(FILE *, const char *svg, const char *prefix, const char *label);

/* ---- facts.c: where a result came from, what is missing, whether two machines counted alike ----
 */

/* "AMD EPYC (x86_64)". */
void fb_facts_machine(FILE *, const json_t *document);

/* "23 November 2026"; what it is where it is no date. */
void fb_facts_date(const json_t *document, char *text, size_t size);

/* Whether the run did not finish. */
bool fb_facts_partial(const json_t *document);
/* A line for each document that is not whole: a shard, shards that are missing, an interrupted run.
 * `letter` is fb_section_letter. */
void fb_facts_say_partial(FILE *, const json_t *document, const char *letter);

/* Provenance: a table with a column for each of n documents, from files of these names. */
void fb_facts_provenance(FILE *, const json_t *const *documents, const json_t *names);

/* The experiment as it was resolved, folded. */
void fb_facts_experiment(FILE *, const json_t *document);

/* What was not measured and why, and the warnings; `letter` "A: " tells of several documents. */
void fb_facts_missing(FILE *, const json_t *document, const char *letter);

/* Cells of n documents whose exact facts differ, an array of {"id", "differs"}; how many are equal
 * in all, in *n_equal. NULL where the facts beside the cells differ, as sizes that follow from
 * caches: cells of one name are then not the same. */
json_t *fb_facts_differing(const json_t *const *documents, size_t n, size_t *n_equal);

/* ---- section.c: the results of one experiment, and their part of a report ---- */

/* Zeroed, then documents, names, n, versus and id are set by the caller, and the rest by
 * fb_section_fill.
 */
struct fb_section {
    const json_t *documents[FB_BESIDE_MOST]; /* [n], borrowed; of one kind and experiment */
    json_t *names;                           /* of their files */
    const char *versus;                      /* as of fb_report */
    size_t n;
    char id[16];                      /* "r2", of the section */
    bool drawn;                       /* there is gnuplot, or no figure */
    json_t *parts[FB_BESIDE_MOST];    /* of each: fb_parts */
    json_t *beside;                   /* all as one, or NULL */
    json_t *compared[FB_BESIDE_MOST]; /* with the first, as for fb_compare_card; NULL: cannot be */
    json_t *figures;                  /* of all together: fb_report_figures */
    json_t *differing;                /* exact facts: fb_facts_differing */
    size_t n_equal;
};
enum fb_exit fb_section_fill(struct fb_section *);
void fb_section_close(struct fb_section *);

/* The experiment's name, else its kind. */
const char *fb_section_title(const struct fb_section *);
/* "B: ", in `letter`; "" where there is only one. */
const char *fb_section_letter(const struct fb_section *, size_t i, char letter[4]);
/* How many there are in a list of all documents, "warnings". */
size_t fb_section_count(const struct fb_section *, const char *list);
/* The kind, beside a title that does not name it. */
void fb_section_kind(FILE *, const struct fb_section *);
/* What was asked; on which machine and when. */
void fb_section_asked(FILE *, const struct fb_section *);
void fb_section_machines(FILE *, const struct fb_section *);

/* The section: tables, figures, what is missing, where it comes from. FB_EXIT_IO, after a line,
 * where a picture of gnuplot's cannot be taken over. */
enum fb_exit fb_section_print(FILE *, const struct fb_section *);

#endif
