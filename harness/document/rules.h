/*
 * Rules between numbers of one record, as text: what no honest record breaks.
 *
 *     held <= scans
 *     most(events) <= probes_each
 *     read_false = data_false if cached = 0
 *
 * A side is made of members ("model.events"), numbers, texts ('pinned') and functions of lists with
 * + - * % and brackets. A function (sum, least, most, first, length) takes its brackets for each
 * element: "sum(at * bins)" of the list `bins`, where `at` is 0, 1, ..; "sum(held * runs.keys)" of
 * two lists that go together, one of them of records. "model?" is 1 where the member is known, else
 * 0. "document.run.complete" starts at the document. A word "0x..." is its number, true is 1.
 * Relations are <= >= < > = and !=. Behind "if" stand one or more, with "and" between them.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_RULES_H
#define FILTERBENCH_HARNESS_DOCUMENT_RULES_H

#include <jansson.h>
#include <stdbool.h>

/* Whether the record keeps the rule. A rule does not apply, and is kept, where a side is not known:
 * a member of it is null or not there. `document` may be NULL for rules that do not name it. */
bool fb_rule_kept(const char *rule, const json_t *record, const json_t *document);

#endif
