/*
 * Lines on stderr: errors, notes, and the name that the user may have meant.
 */
#ifndef FILTERBENCH_HARNESS_BASE_MESSAGE_H
#define FILTERBENCH_HARNESS_BASE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "filters/core/base.h"
#include "harness/base/exit.h"

/* One line, "filterbench: " before it; what is not printable in it becomes '?' (printable.h). */
void fb_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for something the user should know that stops nothing. */
void fb_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "what: why", or the error's own text where why is NULL. Returns the exit code for the error:
 * FB_EXIT_MEMORY where memory ran out, FB_EXIT_USAGE where `why` says that too much was asked. */
enum fb_exit fb_fail(const char *what, enum fb_err, const char *why);

/* What is wrong with what a user gave, an experiment or a file: "path: why and what would be
 * accepted". */
struct fb_problem {
    char text[512];
};
/* Formats the problem; returns false. */
bool fb_refuse(struct fb_problem *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to a text in `size` bytes, as much as has room. */
void fb_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The row of that name, or NULL. Each row of the table, `stride` bytes long, starts with a name
 * (const char *); the last row's is NULL. A list of names is such a table too: fb_named(given,
 * names, sizeof *names). */
const void *fb_named(const char *given, const void *table, size_t stride);
/* The name nearest to `given` in such a table, or NULL when none is near. Case does not count, and
 * at most half of the letters given may be wrong; of names that `given` is a part of, the shortest,
 * "kernel" is "kernels", but of those that go on with "-" the first: "rocksdb-fastlocal". */
const char *fb_nearest(const char *given, const void *table, size_t stride);
/* ", did you mean 'x'?" for that name, or "". The text lives until the next call. */
const char *fb_did_you_mean(const char *given, const void *table, size_t stride);

#endif
