/* The results of one experiment, and their part of a report. */
#ifndef FILTERBENCH_HARNESS_REPORT_SECTION_H
#define FILTERBENCH_HARNESS_REPORT_SECTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/exit.h"
#include "harness/report/parts.h"

/* Zeroed, then documents, names, n and id are set by the caller, and the rest by fb_section_fill.
 */
struct fb_section {
    const json_t *documents[FB_BESIDE_MOST]; /* [n], borrowed; of one kind and experiment */
    json_t *names;                           /* of their files */
    size_t n;
    char id[16];                     /* "r2", of the section */
    bool drawn;                      /* there is gnuplot, or no figure */
    json_t *parts[FB_BESIDE_MOST];   /* of each: parts.h */
    json_t *beside;                  /* all as one, or NULL */
    json_t *figures[FB_BESIDE_MOST]; /* of each: figures.h */
    json_t *differing;               /* exact facts: facts.h */
    size_t n_equal;
};
enum fb_exit fb_section_fill(struct fb_section *);
void fb_section_close(struct fb_section *);

/* ---- Words; of several documents, with their letters ---- */

/* The experiment's name, else its kind. */
const char *fb_section_title(const struct fb_section *);
/* "B: ", in `letter`; "" where there is only one. */
const char *fb_section_letter(const struct fb_section *, size_t i, char letter[4]);
/* Whether a run did not finish; how many there are in a list of all documents, "warnings". */
bool fb_section_partial(const struct fb_section *);
size_t fb_section_count(const struct fb_section *, const char *list);
/* The kind, beside a title that does not name it. */
void fb_section_kind(FILE *, const struct fb_section *);
/* What was asked; on which machine and when. */
void fb_section_asked(FILE *, const struct fb_section *);
void fb_section_machines(FILE *, const struct fb_section *);

/* ---- The section: tables, figures, what is missing, where it comes from ---- */

/* FB_EXIT_IO, after a line, where a picture of gnuplot's cannot be taken over. */
enum fb_exit fb_section_print(FILE *, const struct fb_section *);

#endif
