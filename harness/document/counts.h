/*
 * The exact facts of a result document: what must be equal wherever the same experiment ran. No
 * times, no machine, nothing derived, no reasons of nulls.
 *
 *     kind, experiment, experiment_hash, key_file, skipped   as in the document
 *     cells      what exact() of the kind leaves of each
 *     and what the kind has beside its cells: the sizes of footprints, for one
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_COUNTS_H
#define FILTERBENCH_HARNESS_DOCUMENT_COUNTS_H

#include <jansson.h>

/* What `export --to counts` writes. */
json_t *fb_counts(const json_t *document);

#endif
