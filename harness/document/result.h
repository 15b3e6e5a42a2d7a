/*
 * The result document: results/result.schema.json says its shape, results/README.md its units.
 *
 * Exact facts (experiment, geometry, counts, checksums) and what is derived from them (rates,
 * intervals, theory) stand side by side, so that a reader needs no tool and validate can derive the
 * second from the first again.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_RESULT_H
#define FILTERBENCH_HARNESS_DOCUMENT_RESULT_H

#include <stdio.h>

#include "harness/base/json.h"
#include "harness/base/table.h"
#include "harness/document/experiment.h"

/* A later minor version only adds fields; a later major one cannot be read. */
enum { FB_SCHEMA_MAJOR = 1, FB_SCHEMA_MINOR = 2 };

/*
 * A document of a kind ("fpr", "claims"): schema, kind, tool, run, machine, build, the members of
 * `subject` (what was asked for; may be NULL), and empty "cells", "skipped" and "warnings". argv as
 * main() of a verb gets it. Incomplete until fb_result_finish says otherwise.
 */
json_t *fb_result_begin(const char *kind, int argc, char **argv, uint64_t seed_root,
                        json_t *subject);
void fb_result_finish(json_t *document, double elapsed_s, bool complete);

/* FB_EXIT_CORRECTNESS with a line on stderr when the document's content_xxh3_128, which
 * fb_result_finish takes of everything else in it, is not that of the document. Documents of schema
 * version 1.0 have none. */
enum fb_exit fb_result_check_content(const char *path, const json_t *document);

/* Adds {code, cell, detail} to the warnings; cell may be NULL. */
void fb_result_warn(json_t *document, const char *code, const char *cell, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A measured cell as it stands in the document, and back. fb_result_cell_read checks everything
 * that memory or a later computation depends on; *counts is to be closed either way, the cell's
 * file is not set. */
json_t *fb_result_cell(const struct fb_cell *, const struct fb_fpr_counts *);
bool fb_result_cell_read(const json_t *json, struct fb_cell *cell, struct fb_fpr_counts *counts,
                         struct fb_problem *problem);
/* The derived half alone: what "fpr" of a cell must be. */
json_t *fb_result_summary(const struct fb_cell *, const struct fb_fpr_counts *);

/* FB_EXIT_CORRECTNESS with a line on stderr when experiment_hash is not that of the experiment, a
 * result document's or a file of counts'; FB_EXIT_USAGE when that cannot be resolved. Those without
 * an experiment pass. */
enum fb_exit fb_result_check_experiment(const char *path, const json_t *json);

/* Reads a result file: FB_EXIT_USAGE with a line on stderr when it is no result document,
 * FB_EXIT_NOT_COMPARABLE when it is of a later schema. */
enum fb_exit fb_result_load(const char *path, json_t **document);
/* Whether JSON is a result document of this schema; the same codes. */
enum fb_exit fb_result_check_schema(const char *path, const json_t *json);

/* "results/runs/NAME.json", folders made. FB_EXIT_IO with a line on stderr when they cannot be. */
enum fb_exit fb_result_default_path(const char *name, char *path, size_t size);

/* ---- Tables (kind/fpr/table.c, result_fields.c) ---- */

/* The cells, or the claims, of a result document. */
void fb_table_print(FILE *, const json_t *document, enum fb_table_style);
/* What stands below a table: the first cells that were left out and why, then the warnings. */
enum { FB_MOST_WARNINGS = 12 };
void fb_result_notes(FILE *, const json_t *document, size_t most_warnings);
/* A line for each, with every field; claims as Markdown too. */
void fb_result_cells_csv(FILE *, const json_t *cells);
void fb_result_claims_print(FILE *, const json_t *claims, enum fb_table_style);

#endif
