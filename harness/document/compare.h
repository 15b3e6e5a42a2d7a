/*
 * The exact facts of result documents, what must be equal wherever the same experiment ran, and
 * those of two runs held against each other. They do not depend on the machine, so any difference
 * is a change of code, and none needs statistics.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_COMPARE_H
#define FILTERBENCH_HARNESS_DOCUMENT_COMPARE_H

#include "harness/document/experiment.h"
#include "harness/document/kind.h"

/*
 * The counts of a document, what `export --to counts` writes: no times, no machine, nothing
 * derived, no reasons of nulls.
 *
 *     kind, experiment, experiment_hash, key_file, skipped   as in the document
 *     cells      what exact() of the kind leaves of each
 *     and what the kind has beside its cells: the sizes of footprints, for one
 */
json_t *fb_counts(const json_t *document);

/* Whether both ran the same experiment; *why says what differs if not. */
bool fb_comparable(const json_t *base, const json_t *head, struct fb_problem *why);

/*
 * What differs between comparable counts:
 *
 *     equal, differing    numbers of cells, or of claims
 *     missing, new        ids of those that only base, or only head, has
 *     differences         {cell, design, fact, base, head} of each fact, "counts.checksum"; the
 *                         design of a claim is null
 */
json_t *fb_compare(const json_t *base, const json_t *head);

/* Of that answer: no cell of base differs or is missing. */
bool fb_compare_is_equal(const json_t *exact);

/* What two results differ in, all but the command that comes next. Of {"exact": fb_compare}, where
 * they were compared with the costs under their name (kind.h). */
void fb_compare_card(const json_t *report, const struct fb_kind *, const char *base,
                     const char *head, struct fb_card *);

/* FB_EXIT_CORRECTNESS, with a line of the verb on stderr that names the first difference, or the
 * first cell that is missing in HEAD; else FB_EXIT_OK. `unit`: what cells are called. */
enum fb_exit fb_compare_judge(const char *verb, const json_t *report, const char *unit);

/* Whether both documents have the same value at a path, "machine.arch"; *why says what differs. */
bool fb_same_at(const json_t *base, const json_t *head, const char *path, struct fb_problem *why);

/* A value on one line: an array of counts as its sum. */
void fb_fact_text(const json_t *value, char *out, size_t size);

#endif
