/*
 * gnuplot's SVG as a part of a page. What is taken over is known to be harmless: shapes and texts,
 * with attributes that draw; no script, no style, no reference out of the picture.
 */
#ifndef FILTERBENCH_HARNESS_REPORT_SVG_H
#define FILTERBENCH_HARNESS_REPORT_SVG_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Writes the picture as one <svg> with the accessible name `label`. Its ids begin with `prefix`, so
 * that those of two pictures differ; a white background, fonts, empty groups and titles, which show
 * gnuplot's own expressions, are left out. False where the text is no SVG of gnuplot's: nothing of
 * what was written may be used.
 */
bool fb_svg_inline(FILE *, const char *svg, const char *prefix, const char *label);

#endif
