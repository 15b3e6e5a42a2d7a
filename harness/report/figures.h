/* The figures of a result: drawn by the scripts in plots/ where gnuplot is at hand, with their
 * data. */
#ifndef FILTERBENCH_HARNESS_REPORT_FIGURES_H
#define FILTERBENCH_HARNESS_REPORT_FIGURES_H

#include <jansson.h>
#include <stdbool.h>

#include "harness/base/exit.h"

/*
 * An array of {"figure", "summary", "title", "see", "data", "svg"} of one document, to be released:
 * names, what there is to see in a sentence, a table in text and a picture. Without gnuplot *drawn
 * becomes false, and title, see and svg are missing. Prints what went wrong otherwise; a figure
 * that gnuplot fails at ends the report.
 */
enum fb_exit fb_report_figures(const json_t *document, json_t **figures, bool *drawn);

#endif
