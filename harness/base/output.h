/*
 * An output file that appears whole or not at all.
 */
#ifndef FILTERBENCH_HARNESS_BASE_OUTPUT_H
#define FILTERBENCH_HARNESS_BASE_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "harness/base/exit.h"

/*
 * The file is opened before any work, as path.tmp-PID beside its path; commit renames it, close
 * removes it. A symbolic link at the path is replaced, and so is a hard link: nothing is written
 * through either. "-" or NULL is stdout. A pipe or a device is written directly; a pipe that
 * nothing reads for five seconds is refused. Failures print a line and are FB_EXIT_IO;
 * FB_EXIT_USAGE for a file that is also read.
 */
struct fb_output {
    FILE *file;
    char *path, *temporary;
    int lock;    /* of the temporary file, until it has its name */
    mode_t mode; /* of the file then */
};
bool fb_output_is_stdout(const char *path);
enum fb_exit fb_output_open(const char *path, struct fb_output *out);
enum fb_exit fb_output_commit(struct fb_output *); /* flushes, checks every error, renames */
/* The same, but what stood at the path is kept: it gets the first free name of PATH-1.json,
 * PATH-2.json, ..., which is written to older [size]; "" where nothing stood there. Where there
 * are hard links, neither file is ever without a name. */
enum fb_exit fb_output_commit_beside(struct fb_output *, char *older, size_t size);
void fb_output_close(struct fb_output *); /* after commit: nothing; before: removes */
/* Commits what was written with FB_EXIT_OK, and closes it; the code of both. */
enum fb_exit fb_output_end(struct fb_output *, enum fb_exit written);

/* Writes a JSON document (2-space indent, keys in insertion order, newline at the end). */
enum fb_exit fb_output_json(struct fb_output *, const json_t *);
/* A whole file with nothing else. */
enum fb_exit fb_output_write(const char *path, const json_t *);

#endif
