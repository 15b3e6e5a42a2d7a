/*
 * Files in: whole files, files of keys, and where the project's own data files are.
 */
#ifndef FILTERBENCH_HARNESS_BASE_FILE_H
#define FILTERBENCH_HARNESS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/exit.h"
#include "workloads/core/keys.h"

/* Half of this machine's memory: what one file or one filter may take. */
uint64_t fb_memory_limit(void);

/* What messages call a file: its path, or "stdin" for "-". */
const char *fb_file_name(const char *path);

/* A whole file into memory ("-": stdin, once); of a pipe or a device at most 1 GiB. A pipe without
 * a writer is waited for, with a note after a second. Prints the error; FB_EXIT_USAGE if it cannot
 * be opened, FB_EXIT_IO if reading fails, FB_EXIT_INTERRUPTED. *bytes is malloc'd and never NULL on
 * success. */
enum fb_exit fb_file_read(const char *path, uint8_t **bytes, size_t *n_bytes);

/* A key file in a --keys-format. NULL: "lines", but a .csv or .tsv is asked for its column. The
 * same exit codes, and FB_EXIT_USAGE where stdin is empty or text is compressed. Notes tell of CR
 * LF and of a first line that seems to name columns. */
enum fb_exit fb_file_read_keys(const char *path, const char *format, struct fb_keyset *out);

/* Gives each line of a text file to `take`, without blanks and CR around it; empty lines and those
 * that start with # are left out. FB_EXIT_USAGE once `take` returns false, which has printed why,
 * else codes as fb_file_read. */
enum fb_exit fb_file_lines(const char *path, bool (*take)(void *arg, size_t number, char *line),
                           void *arg);

/* The first line of a file that starts with `prefix`, without its newline; false, and "", where
 * there is none. */
bool fb_file_line(const char *path, const char *prefix, char *line, int size);

/* A data file of the project (preset, schema, ledger, plot script): in the folder FILTERBENCH_DATA,
 * else beside the executable (../share/filterbench), else in the source tree it was built from.
 * Writes the path to `out` [size] whether or not the file exists. */
void fb_data_path(const char *relative, char *out, size_t size);

/* A shared object of the project: beside the executable, as it is built, or where it is installed.
 * Writes the path to `out` [size] whether or not the file exists. */
void fb_module_path(const char *name, char *out, size_t size);

/* FB_EXIT_IO, after the line "path: what: why" of an errno. */
enum fb_exit fb_file_error(const char *path, const char *what, int cause);

/* Makes a folder, unless it is there: *made. FB_EXIT_IO with a line on stderr. */
enum fb_exit fb_file_folder(const char *path, bool *made);
/* Makes the folders that a path leads through: "a/b" of "a/b/c.json". FB_EXIT_IO with a line on
 * stderr. */
enum fb_exit fb_file_folders(const char *path);
/* Of a default folder, "plots/out", which nobody has named: FB_EXIT_USAGE, after a line, where it
 * or a part of its path is a link, as that may be of a stranger's making. */
enum fb_exit fb_file_refuse_links(const char *path);

#endif
