/*
 * A report: results as one HTML file that needs nothing else, neither network nor server. What was
 * asked and found stands first, then each experiment with tables, figures, what is missing, and
 * where the numbers came from. Results of one experiment stand side by side: facts once where they
 * are equal, and flagged where not; times a column for each, never pooled.
 */
#ifndef FILTERBENCH_HARNESS_REPORT_REPORT_H
#define FILTERBENCH_HARNESS_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "harness/base/exit.h"

/* Of documents that were checked (check.h), an array, and the names of their files, of the same
 * length. Prints the error; a note where there is no gnuplot to draw with. FB_EXIT_USAGE where one
 * result was given twice, or more of one experiment than FB_BESIDE_MOST (page.h). With `versus`, a
 * design that was measured in each document, tables and figures hold every design against that one;
 * NULL: without. */
enum fb_exit fb_report(FILE *, const json_t *documents, const json_t *names, const char *versus);

#endif
