/*
 * Rules between numbers of one record, as text: what no honest record breaks.
 *
 *     held <= scans
 *     most(events) <= probes_each
 *     read_false = data_false if cached = 0
 *
 * A side is made of members ("model.events"), numbers, texts ('pinned') and functions with + - * %
 * and brackets. Digits in a member's path name one element of a list ("histograms.0.mean").
 * "model?" is 1 where the member is there and not null, else 0. "document.run.complete" starts at
 * the document. A word "0x..." is its number, true is 1. Relations are <= >= < > = and !=. Behind
 * "if" stand one or more, with "and" between them.
 *
 * Functions of lists take their brackets for each element: "sum(at * bins)" of the list `bins`,
 * where `at` is 0, 1, ..; "sum(held * runs.keys)" of two lists that go together, one of them of
 * records; "sum(bins.*.1)" of a list of pairs, where "*" keeps the digits from naming an element.
 * Of lists of lists, the inner function is of each inner list: "most(most(samples_ns))".
 *
 *     sum(a)  least(a)  most(a)  first(a)
 *     length(a)           how many elements there are
 *     rising(a)           1 if each is above the one before it, else 0
 *     within(a, b)        1 if a, or each element of it, is an element of the list b, else 0
 *
 * The others are of one member:
 *
 *     begins(a, 'text')   1 if the text a begins with these letters, else 0
 *     seconds(a)          since 1970 of a date "2026-11-22T15:54:29Z"; infinite where it is none
 *     quantile(0.5)       of the record, which is a histogram
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_RULES_H
#define FILTERBENCH_HARNESS_DOCUMENT_RULES_H

#include <jansson.h>
#include <stdbool.h>

/* Whether the record keeps the rule. A rule does not apply, and is kept, where a side is not known:
 * a member of it is null or not there. `document` may be NULL for rules that do not name it. */
bool fb_rule_kept(const char *rule, const json_t *record, const json_t *document);

#endif
