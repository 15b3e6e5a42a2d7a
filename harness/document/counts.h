/*
 * The exact facts of a result document: what must be equal wherever the same experiment ran. No
 * times, no machine, nothing derived, no reasons of nulls.
 *
 *     kind, experiment, experiment_hash, key_file    as in the document, where it has them
 *     cells      {id, design, keys, n, params, derived, geometry, counts} of each; where times were
 *                measured, what was: kernel, operation, footprint, filter
 *     footprints the machine's sizes of filters, where times were measured
 *     claims     what was claimed; but for times the model, the verdict and what was found, numbers
 * to nine digits; and their seed_root skipped    as in the document
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_COUNTS_H
#define FILTERBENCH_HARNESS_DOCUMENT_COUNTS_H

#include <jansson.h>

#include "harness/base/exit.h"

/* What `export --to counts` writes. */
json_t *fb_counts(const json_t *document);

/* Reads a result document, or a file of counts, in which case *document is NULL. Both are the
 * caller's. Exit codes as fb_result_load and fb_result_check_experiment; a line on stderr. */
enum fb_exit fb_counts_load(const char *path, json_t **document, json_t **counts);

#endif
