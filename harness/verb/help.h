/* What --help prints: texts laid out for a terminal of 80 columns. */
#ifndef FILTERBENCH_HARNESS_VERB_HELP_H
#define FILTERBENCH_HARNESS_VERB_HELP_H

#include <stdio.h>

enum { FB_HELP_WIDTH = 80, FB_HELP_COLUMN = 26 }; /* of the screen; where an item's text begins */

/*
 * Prints each line of `text` as one paragraph, or, where the line has a tab, as an item of a list:
 * a term and what it means. Lines are broken at spaces; no line of `text` needs to be.
 *
 *     "Output:\n-o, --output FILE\tthe file to write\n"
 *
 *     Output:
 *       -o, --output FILE       the file to write
 */
void fb_help_print(FILE *, const char *text);

#endif
