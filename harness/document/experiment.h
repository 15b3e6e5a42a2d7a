/*
 * Experiments as data. A preset and a user's file are the same JSON object: "kind" names the kind
 * of experiment (kind.h), which says what other fields there are (fields.h). Every kind has name,
 * summary, source and runtime: texts, of which the name also names the result file and none decides
 * what is measured.
 *
 * A list of one may be written as its element. A resolved experiment has every field, names and
 * numbers written out, and is itself an experiment that resolves to itself.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_EXPERIMENT_H
#define FILTERBENCH_HARNESS_DOCUMENT_EXPERIMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "filters/core/filter.h"
#include "harness/base/message.h"
#include "harness/base/option.h"

/* A reference to the JSON object itself, or to the experiment in it where it is a result document
 * or a file of counts; NULL with *problem set when it is none of them. */
json_t *fb_experiment_in(json_t *whole, struct fb_problem *problem);

/* Overrides one field; value is JSON, or else a string. */
bool fb_experiment_set(json_t *document, const char *field, const char *value,
                       struct fb_problem *problem);

/* Adds each --set FIELD=VALUE to the fields that options set, over which it wins; of two for a
 * field the last holds. A note tells of either. False with a line on stderr. */
bool fb_experiment_set_all(json_t *fields, const struct fb_texts *given);

/* False where every design of a resolved experiment has one size: it takes no option like "-b".
 * n keys; 0: as many as the experiment says. */
bool fb_experiment_takes_size(const json_t *resolved, const char *option, uint64_t n,
                              struct fb_problem *);
/* Says so of one design, its size and its rate for n keys; returns false. */
bool fb_refuse_size(struct fb_problem *, const struct fb_design *, const char *option, uint64_t n);

/* A copy of a resolved experiment without name, summary, source and runtime: what decides its
 * counts, and what the hash is taken of. */
json_t *fb_experiment_measured(const json_t *resolved);

/* XXH3-128 of fb_experiment_measured. False: out of memory. */
bool fb_experiment_hash(const json_t *resolved, char hex[33]);

#endif
