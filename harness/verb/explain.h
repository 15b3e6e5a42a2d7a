/* What the columns of a result's tables mean: the glossary's words, and the members that they
 * show. */
#ifndef FILTERBENCH_HARNESS_VERB_EXPLAIN_H
#define FILTERBENCH_HARNESS_VERB_EXPLAIN_H

#include <jansson.h>
#include <stdio.h>

/* From here on notes the columns of tables that are printed of the document, which stays. */
void fb_explain_begin(const json_t *document);
/* Prints what they mean, each once. */
void fb_explain_end(FILE *);

#endif
