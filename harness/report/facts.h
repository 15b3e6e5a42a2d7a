/* What a report says of a result beside its tables: where it came from, what is missing in it,
 * and whether two machines counted the same. */
#ifndef FILTERBENCH_HARNESS_REPORT_FACTS_H
#define FILTERBENCH_HARNESS_REPORT_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* "AMD EPYC (x86_64)". To be freed. */
char *fb_facts_machine(const json_t *document);

/* "23 November 2026"; what it is where it is no date. */
void fb_facts_date(const json_t *document, char *text, size_t size);

/* Whether the run did not finish. */
bool fb_facts_partial(const json_t *document);
/* A line for each document that is not whole: a shard, shards that are missing, an interrupted run.
 * `letter` is fb_section_letter. */
void fb_facts_say_partial(FILE *, const json_t *document, const char *letter);

/* Provenance: a table with a column for each of n documents, from files of these names. */
void fb_facts_provenance(FILE *, const json_t *const *documents, const json_t *names);

/* The experiment as it was resolved, folded. */
void fb_facts_experiment(FILE *, const json_t *document);

/* What was not measured and why, and the warnings; `letter` "A: " tells of several documents. */
void fb_facts_missing(FILE *, const json_t *document, const char *letter);

/* Cells of n documents whose exact facts differ, an array of {"id", "differs"}; how many are equal
 * in all, in *n_equal. NULL where the facts beside the cells differ, as sizes that follow from
 * caches: cells of one name are then not the same. */
json_t *fb_facts_differing(const json_t *const *documents, size_t n, size_t *n_equal);

#endif
