/*
 * No file is both read and written: whichever use comes second is refused, however the file is
 * named (symbolic links, hard links, standard input and output). Only regular files are looked at.
 */
#ifndef FILTERBENCH_HARNESS_BASE_SAME_FILE_H
#define FILTERBENCH_HARNESS_BASE_SAME_FILE_H

#include "harness/base/exit.h"

/* Notes that `fd`, opened of `path`, is read. FB_EXIT_USAGE, after a line, where that file is being
 * written or is standard output. */
enum fb_exit fb_same_file_reads(const char *path, int fd);

/* The file that was read at `path` is to be gone on with: it may be written. */
void fb_same_file_goes_on(const char *path);

/* FB_EXIT_USAGE, after a line, where what stands at `path` has been read. */
enum fb_exit fb_same_file_writes(const char *path);

/* The same, and notes that it is being written, until fb_same_file_written. */
enum fb_exit fb_same_file_writing(const char *path);
void fb_same_file_written(const char *path);

#endif
