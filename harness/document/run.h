/*
 * A run as a document: the file opened before anything is measured, written whole or as
 * FILE.partial, and a table or the document itself on stdout.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_RUN_H
#define FILTERBENCH_HARNESS_DOCUMENT_RUN_H

#include "harness/base/option.h"
#include "harness/document/result.h"

struct fb_run_subject {
    const char *output; /* NULL: results/runs/NAME.json, or stdout alone for JSON */
    enum fb_output_format format;
    bool quick; /* marks the document: not for publication */
    const char *kind, *name;
    json_t *resolved, *about_keys; /* about_keys: NULL without a key file */
    const char *hash_hex;
    uint64_t seed;
    /* Measures; where it takes "cells" away, nothing was begun and nothing is kept. */
    enum fb_exit (*into)(const void *self, json_t *document);
    const void *self;
};

/* The exit code of into(), or of writing. argv as main() of the verb got it. */
enum fb_exit fb_run_document(const struct fb_run_subject *, int argc, char **argv);

/* A document on stdout. */
enum fb_exit fb_run_print(const json_t *document);

/* For --show-experiment and --dry-run: a resolved experiment, or {n_cells, cells}, whose rows have
 * these columns in a table; columns end with NULL. */
enum fb_exit fb_run_show(const json_t *resolved, enum fb_output_format);
enum fb_exit fb_run_plan(const json_t *document, const char *const *columns, enum fb_output_format);

#endif
