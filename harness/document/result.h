/*
 * The result document. Its members stand in tables (members.h), and
 * docs/explanation/results-documents.md explains it.
 *
 * Exact facts (experiment, geometry, counts, checksums) and what is derived from them (rates,
 * intervals, theory) stand side by side, so that a reader needs no tool and validate can derive the
 * second from the first again.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_RESULT_H
#define FILTERBENCH_HARNESS_DOCUMENT_RESULT_H

#include <stdio.h>

#include "harness/base/json.h"
#include "harness/work/shard.h"

/* A later minor version only adds fields; a later major one cannot be read. */
enum { FB_SCHEMA_MAJOR = 2, FB_SCHEMA_MINOR = 2 };

/* "$id" of the schema (members.h), and "$schema" of every document. */
#define FB_SCHEMA_ID "https://filterbench.invalid/result.schema.json"

/*
 * A document of a kind ("fpr", "claims"): schema, kind, tool, run, machine, build, the members of
 * `subject` (what was asked for; may be NULL), and empty "cells", "skipped" and "warnings". argv as
 * main() of a verb gets it. Incomplete until fb_result_finish says otherwise.
 */
json_t *fb_result_begin(const char *kind, int argc, char **argv, uint64_t seed_root,
                        json_t *subject);
void fb_result_finish(json_t *document, double elapsed_s, bool complete);

/* FB_EXIT_CORRECTNESS with a line on stderr when the document's content_xxh3_128, which
 * fb_result_finish takes of everything else in it, is missing or not that of the document. */
enum fb_exit fb_result_check_content(const char *path, const json_t *document);

/* Whether the version of the document's schema is one that is read; `facts`: 1 as well, of which
 * only the exact facts can be relied on. FB_EXIT_USAGE with a line on stderr when it has none,
 * FB_EXIT_NOT_COMPARABLE when it has another. */
enum fb_exit fb_result_check_version(const char *path, const json_t *document, bool facts);

/* Adds {code, cell, detail} to the warnings; cell may be NULL. */
void fb_result_warn(json_t *document, const char *code, const char *cell, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Warns of times under a tuning that was measured on another machine. */
void fb_result_warn_tuning(json_t *document);

/* "tuning: amd-zen-5", of a document that says it. */
void fb_result_say_tuning(FILE *, const json_t *document);

/* Reads a result file: FB_EXIT_USAGE with a line on stderr when it is no result document, or of a
 * kind that this filterbench does not have, FB_EXIT_NOT_COMPARABLE when it is of another major
 * version of the schema. */
enum fb_exit fb_result_load(const char *path, json_t **document);

/* The same, and documents of version 1 as well, of which only the exact facts can be relied on. */
enum fb_exit fb_result_load_facts(const char *path, json_t **document);

/* Gives the cells of a document or of counts of version 1 today's names: judged claims stood in a
 * list "claims" of their own, named by "claim". Others stay as they are. */
void fb_result_rename(json_t *document);

/* The rows of a list ("cells") of all documents by their id, of each the first: an object, to be
 * released; and the cells of one document, or of counts. */
json_t *fb_result_rows(const json_t *documents, const char *list);
json_t *fb_result_by_id(const json_t *document);

/* "results/runs/NAME.json", of a shard "results/runs/NAME-3-of-8.json", folders made. FB_EXIT_IO
 * with a line on stderr when they cannot be. */
enum fb_exit fb_result_default_path(const char *name, struct fb_shard, char *path, size_t size);

/* What stands below a table: the first cells that were left out and why, then the warnings.
 * Four of each, with --verbose twelve. Nothing in a stream that flows (screen.h): its reader has
 * the document. */
void fb_result_notes(FILE *, const json_t *document);

/* ---- What a merged document (merge.h) has in it ---- */

/* Whether a document is merged; whether its runs stand side by side, as they have times. */
bool fb_is_merged(const json_t *document);
bool fb_is_side_by_side(const json_t *document);

/* The documents of its runs, in their order, in a new array; of one that is not merged, itself. */
json_t *fb_runs_within(const json_t *document);

/* The documents that tables and figures are made of, in a new array: those of runs that stand side
 * by side, else the document itself. */
json_t *fb_documents_within(const json_t *document);

#endif
