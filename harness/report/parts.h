/*
 * What a kind prints of a result, taken apart: paragraphs and tables in their order.
 *
 *     {"text": "verdict: unchanged"}                      a sentence of what was found
 *     {"text": "MB: filters only.", "aside": true}        how to read a table
 *     {"text": "  touch-32 L1  2.379", "set": true}       in columns, as it is
 *     {"caption": "10 bits/key", "columns": [{"title": "design", "left": true}, ...],
 *      "rows": [{"mark": "!", "cells": ["nori", ...], "notes": ["prose", ...]}, ...]}
 */
#ifndef FILTERBENCH_HARNESS_REPORT_PARTS_H
#define FILTERBENCH_HARNESS_REPORT_PARTS_H

#include <jansson.h>

enum { FB_BESIDE_MOST = 26 }; /* results side by side, lettered A to Z */

/* Of a document without control characters (fb_html_printable), to be released. */
json_t *fb_parts(const json_t *document);

/*
 * The same result of several machines: n lists of parts, at most FB_BESIDE_MOST, become one. Tables
 * of one caption become one, whose rows have one name: a column that says the same everywhere is
 * shown once, any other has as many texts a row, "each": [text of A, text of B]. Sentences are told
 * once where they are equal, else each with its letter, "A: ". NULL where the tables have no names
 * in common.
 */
json_t *fb_parts_beside(const json_t *const *parts, size_t n);

#endif
