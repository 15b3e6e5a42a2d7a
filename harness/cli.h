/*
 * What every verb shares: messages, options, output.
 */
#ifndef FILTERBENCH_HARNESS_CLI_H
#define FILTERBENCH_HARNESS_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "filters/core/filter.h"
#include "harness/exit.h"
#include "workloads/core/keys.h"

struct fb_verb {
    const char *name, *usage, *summary; /* usage without "filterbench " */
    const char *help;                   /* the text of --help below the usage line */
    int (*main)(int argc, char **argv); /* argv[0] is the verb; returns an enum fb_exit */
};

/* One line on stderr, "filterbench: " before it. */
void fb_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for something the user should know that stops nothing. */
void fb_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ", did you mean 'x'?" for the candidate nearest to `given`, or "" when none is near; candidates
 * end with NULL. The text lives until the next call. */
const char *fb_did_you_mean(const char *given, const char *const *candidates);

/* Designs, hashes by name; prints the error with the nearest name. NULL: not found. */
const struct fb_design *fb_cli_design(const char *name);
const struct fb_hash *fb_cli_hash(const char *name);

/* Numbers: whole text, finite, in range; prints "--option: ..." and returns false otherwise. Counts
 * take 1e6 as well as 1000000. */
bool fb_cli_double(const char *option, const char *text, double low, double high, double *out);
bool fb_cli_count(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t *out);

/* A whole file into memory ("-": stdin). Prints the error; FB_EXIT_USAGE if it cannot be opened,
 * FB_EXIT_IO if reading fails. *bytes is malloc'd and never NULL on success. */
enum fb_exit fb_cli_read_file(const char *path, uint8_t **bytes, size_t *n_bytes);

/* A key file in a --keys-format. */
enum fb_exit fb_cli_read_keys(const char *path, const char *format, struct fb_keyset *out);

/*
 * An output file that appears whole or not at all: opened (as path.tmp-PID beside it) before any
 * work, renamed by commit, removed by close. "-" or NULL is stdout.
 */
struct fb_output {
    FILE *file;
    char *path, *temporary;
};
enum fb_exit fb_output_open(const char *path, struct fb_output *out);
enum fb_exit fb_output_commit(struct fb_output *); /* flushes, checks every error, renames */
void fb_output_close(struct fb_output *);          /* after commit: nothing; before: removes */

/* Writes a JSON document (2-space indent, keys in insertion order, newline at the end). */
enum fb_exit fb_output_json(struct fb_output *, const json_t *);

/* Data files of the project (presets, schema, ledger, plot scripts): FILTERBENCH_DATA, else beside
 * the executable (../share/filterbench), else the source tree it was built from. Returns a path in
 * `out` [size] whether or not it exists. */
void fb_data_path(const char *relative, char *out, size_t size);

/* --format table|json, the option every verb has. */
enum fb_cli_format { FB_FORMAT_TABLE, FB_FORMAT_JSON };
bool fb_cli_format(const char *text, enum fb_cli_format *out);

#endif
