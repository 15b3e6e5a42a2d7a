/*
 * What every verb shares: messages, options, output.
 */
#ifndef FILTERBENCH_HARNESS_BASE_CLI_H
#define FILTERBENCH_HARNESS_BASE_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "filters/core/filter.h"
#include "harness/base/exit.h"
#include "workloads/core/keys.h"

struct fb_verb {
    const char *name, *usage, *summary; /* usage without "filterbench " */
    const char *help;                   /* the text of --help below the usage line */
    int (*main)(int argc, char **argv); /* argv[0] is the verb; returns an enum fb_exit */
    /* True: the verb polls fb_interrupted() and returns FB_EXIT_INTERRUPTED itself. False: Ctrl-C
     * removes unfinished output files and ends the process with that code at once. */
    bool polls_interrupt;
};

/* One line on stderr, "filterbench: " before it; control characters in it become '?'. */
void fb_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for something the user should know that stops nothing. */
void fb_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "what: why", or the error's own text where why is NULL; returns the exit code for it. */
enum fb_exit fb_cli_fail(const char *what, enum fb_err, const char *why);

/* ", did you mean 'x'?" for the candidate nearest to `given`, or "" when none is near; candidates
 * end with NULL. The text lives until the next call. */
const char *fb_did_you_mean(const char *given, const char *const *candidates);

/* An option of a verb, bound to the variable it fills. Tables end with name == NULL. */
enum fb_opt_kind {
    FB_OPT_TEXT,   /* const char ** */
    FB_OPT_TEXTS,  /* struct fb_texts *: may be repeated */
    FB_OPT_FLAG,   /* bool *: takes no value */
    FB_OPT_COUNT,  /* uint64_t *, low..high */
    FB_OPT_DOUBLE, /* double *, low..high */
    FB_OPT_FORMAT, /* enum fb_cli_format * */
    FB_OPT_DESIGN, /* const struct fb_design ** */
    FB_OPT_HASH,   /* const struct fb_hash ** */
};
struct fb_opt {
    const char *name; /* "keys-format" */
    char letter;      /* 'o' for -o as well; 0: long form only */
    enum fb_opt_kind kind;
    void *out;
    double low, high;
};
struct fb_texts {
    const char *at[64];
    size_t n;
};

/* Fills the variables of `opts` from argv (--help is main's); operands end up in
 * argv[optind..argc), at most max_operands of them. False after printing what was wrong. */
bool fb_cli_parse(int argc, char **argv, const struct fb_opt *opts, int max_operands);
/* False, after printing that `option` is missing, when value is NULL. */
bool fb_cli_required(const char *option, const void *value);

/* Designs, hashes by name; prints the error with the nearest name. NULL: not found. */
const struct fb_design *fb_cli_design(const char *name);
const struct fb_hash *fb_cli_hash(const char *name);

/* Numbers: whole text, finite, in range; prints "--option: ..." and returns false otherwise. Counts
 * take 1e6 as well as 1000000. */
bool fb_cli_double(const char *option, const char *text, double low, double high, double *out);
bool fb_cli_count(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t *out);

/* Half of this machine's memory: what one file or one filter may take. */
uint64_t fb_cli_memory_limit(void);

/* A whole file into memory ("-": stdin); of a pipe or a device at most 1 GiB. Prints the error;
 * FB_EXIT_USAGE if it cannot be opened, FB_EXIT_IO if reading fails. *bytes is malloc'd and never
 * NULL on success. */
enum fb_exit fb_cli_read_file(const char *path, uint8_t **bytes, size_t *n_bytes);

#define FB_KEYS_FORMATS                                                                            \
    "lines (default), nul, hex, len32, fixed:L, csv:COLUMN, u64, i32, i64, f32, f64, typed"

/* A key file in a --keys-format; NULL: "lines". The same exit codes. */
enum fb_exit fb_cli_read_keys(const char *path, const char *format, struct fb_keyset *out);

/*
 * An output file that appears whole or not at all: opened (as path.tmp-PID beside it) before any
 * work, renamed by commit, removed by close. "-" or NULL is stdout. What exists and is no regular
 * file (a pipe, a device) is written directly. Failures print a line and are FB_EXIT_IO.
 */
struct fb_output {
    FILE *file;
    char *path, *temporary;
};
bool fb_output_is_stdout(const char *path);
enum fb_exit fb_output_open(const char *path, struct fb_output *out);
enum fb_exit fb_output_commit(struct fb_output *); /* flushes, checks every error, renames */
void fb_output_close(struct fb_output *);          /* after commit: nothing; before: removes */
/* SIGINT, SIGTERM, SIGHUP and SIGPIPE remove unfinished files and end the process. */
void fb_output_exit_on_signal(void);

/* Writes a JSON document (2-space indent, keys in insertion order, newline at the end). */
enum fb_exit fb_output_json(struct fb_output *, const json_t *);
/* A number, or null where it is not finite. */
json_t *fb_json_number(double);

/* Data files of the project (presets, schema, ledger, plot scripts): FILTERBENCH_DATA, else beside
 * the executable (../share/filterbench), else the source tree it was built from. Returns a path in
 * `out` [size] whether or not it exists. */
void fb_data_path(const char *relative, char *out, size_t size);

/* --format table|json, the option every verb has. */
enum fb_cli_format { FB_FORMAT_TABLE, FB_FORMAT_JSON };
bool fb_cli_format(const char *text, enum fb_cli_format *out);

#endif
