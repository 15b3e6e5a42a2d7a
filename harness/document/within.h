/*
 * What a merged document (merge.h) has in it.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_WITHIN_H
#define FILTERBENCH_HARNESS_DOCUMENT_WITHIN_H

#include <jansson.h>
#include <stdbool.h>

/* Whether a document is merged; whether its runs stand side by side, as they have times. */
bool fb_is_merged(const json_t *document);
bool fb_is_side_by_side(const json_t *document);

/* The documents of its runs, in their order, in a new array; of one that is not merged, itself. */
json_t *fb_runs_within(const json_t *document);

/* The documents that tables and figures are made of, in a new array: those of runs that stand side
 * by side, else the document itself. */
json_t *fb_documents_within(const json_t *document);

#endif
