/*
 * A document as its kind prints it, with what of the experiment it is: a shard, or merged runs.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_SHOWN_H
#define FILTERBENCH_HARNESS_DOCUMENT_SHOWN_H

#include "harness/document/kind.h"

/* The tables; of runs that stand side by side one after the other, each under a line that tells its
 * machine and start. */
void fb_document_table(FILE *, const json_t *document, enum fb_table_style);

/* What `export --to csv` has a line for, to be released. Of runs that stand side by side rows have
 * "run.machine" and "run.started" first. */
json_t *fb_document_rows(const json_t *document);

#endif
