/*
 * A result document held against its experiment and its own facts, alike for every kind: each cell
 * is there once or skipped, none is too many, and every number that follows from others is derived
 * again. What follows from nothing (a count, a sample) only the hash of the content can tell:
 * fb_result_check_content.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_CHECK_H
#define FILTERBENCH_HARNESS_DOCUMENT_CHECK_H

#include "harness/document/kind.h"

/* Whether the document has the shape of its kind and no number is beyond its limits (members.h):
 * else FB_EXIT_CORRECTNESS with a line on stderr that names the member. */
enum fb_exit fb_document_check_shape(const char *path, const json_t *document);

/* What every reader asks before it believes a document: its shape, its limits and the hash of its
 * content. Derived numbers are taken as they stand. The hash finds accidents, no forger: whoever
 * changes a document can make the hash anew. With `unchecked` a note instead, and a warning in the
 * document, which tables print. */
enum fb_exit fb_document_trust(const char *path, bool unchecked, json_t *document);

/* Reads n results and trusts them. Appends to `documents` each, or each of its runs where they
 * stand side by side, and to `names` its path, "r.json, run 2". */
enum fb_exit fb_documents_load(int n, char **paths, bool unchecked, json_t *documents,
                               json_t *names);

/* What `validate` and `merge` ask: shape, limits and hash, each cell once, and all that is derived.
 * FB_EXIT_CORRECTNESS, with a line on stderr that names the cell and the member, where the document
 * says what does not hold; FB_EXIT_USAGE where its experiment or its facts cannot be read. */
enum fb_exit fb_document_validate(const char *path, const json_t *document);

/* The experiment alone, of a result document or a file of counts: FB_EXIT_CORRECTNESS with a line
 * on stderr where kind or experiment_hash is not that of the experiment; FB_EXIT_USAGE when the
 * experiment cannot be resolved. What has no experiment passes. */
enum fb_exit fb_document_check_experiment(const char *path, const json_t *json);

/* Reads a result document, of version 1 as well, or a file of counts, in which case *document is
 * NULL. Both are the caller's. Exit codes as fb_result_load_facts and fb_document_check_experiment;
 * a line on stderr. */
enum fb_exit fb_counts_load(const char *path, json_t **document, json_t **counts);

#endif
