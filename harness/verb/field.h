/*
 * What the fields of experiments mean, from the tables that read them. Serves describe.c.
 */
#ifndef FILTERBENCH_HARNESS_VERB_FIELD_H
#define FILTERBENCH_HARNESS_VERB_FIELD_H

#include "harness/document/kind.h"

/* {field, readings: [{kinds, meaning, unit, accepted, several, default, example}]}: kinds that read
 * it alike share a reading. The caller owns it. NULL: no kind has such a field. */
json_t *fb_field_about(const char *name);
void fb_field_print(FILE *, const json_t *about);

/* What an experiment is, and its fields with their values and meanings: first those that are in
 * `given`, then those that are as the kind has them. */
void fb_field_print_experiment(FILE *, const struct fb_kind *, const json_t *given,
                               const json_t *resolved);

#endif
