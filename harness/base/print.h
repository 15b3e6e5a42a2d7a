/*
 * JSON documents as text for people: what a verb prints without --format json is made from the
 * document it would print with it, so the two cannot disagree.
 */
#ifndef FILTERBENCH_HARNESS_BASE_PRINT_H
#define FILTERBENCH_HARNESS_BASE_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "harness/base/exit.h"
#include "harness/base/option.h"

/* Rows are objects. A heading, then columns as wide as their widest cell, numbers to the right.
 * columns end with NULL; columns NULL: the members of the first row. A '?' before a name: the
 * column can be spared where a terminal is narrow, the last such first; of the members of a first
 * row, all but the first can be. A '!': its texts never go on below, as "!id". */
void fb_print_rows(FILE *, const json_t *rows, const char *const *columns);

/* "label  value" lines in order; objects inside get a heading, arrays of objects become tables. */
void fb_print_document(FILE *, const json_t *document);

/* A document on stdout, as JSON or as `print` prints it; releases it. NULL: out of memory. main
 * checks that all of stdout was written. */
enum fb_exit fb_print_answer(json_t *document, enum fb_output_format,
                             void (*print)(FILE *, const json_t *document));

/* "path = value" lines, as --set takes them. */
void fb_print_settings(FILE *, const json_t *document);

#endif
