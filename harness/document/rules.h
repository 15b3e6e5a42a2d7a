/*
 * Rules between numbers of one record, as text: what no honest record breaks.
 *
 *     held <= scans
 *     most(events) <= probes_each
 *     read_false = data_false if cached = 0
 *
 * A side is a sum of products of members ("model.events"), numbers and functions of a list or of a
 * member of its elements ("least(cells.n)"): sum, least, most and length. "document.run.complete"
 * starts at the document. A word "0x..." is its number, true is 1. Relations are <= >= < > = and
 * !=.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_RULES_H
#define FILTERBENCH_HARNESS_DOCUMENT_RULES_H

#include <jansson.h>
#include <stdbool.h>

/* Whether the record keeps the rule. A member that is null or not there counts as `missing`; where
 * that is NaN, a rule that names such a member does not apply, and is kept. `document` may be NULL
 * for rules that do not name it. */
bool fb_rule_kept(const char *rule, const json_t *record, const json_t *document, double missing);

#endif
