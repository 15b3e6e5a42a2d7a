/*
 * A temporary folder for databases, and folders in it.
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_SCRATCH_H
#define FILTERBENCH_HARNESS_ENGINE_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/exit.h"

struct fb_scratch {
    char path[4000]; /* "": there is none */
    bool keep;
};

/* Makes a folder of its own in `parent` (NULL: TMPDIR, or /tmp), for files of up to `bytes`, and
 * notes where it is and what becomes of it (not for 0 bytes). FB_EXIT_IO with a line on stderr
 * where no folder can be made there or the disk has less room. *out is to be closed in any case. */
enum fb_exit fb_scratch_open(const char *parent, uint64_t bytes, bool keep, struct fb_scratch *out);
/* Removes it with all that is in it, unless it is kept. */
void fb_scratch_close(struct fb_scratch *);

/* A new folder in it, its path into `path` [size]. FB_EXIT_IO with a line on stderr. */
enum fb_exit fb_scratch_folder(const struct fb_scratch *, const char *name, char *path,
                               unsigned size);
/* Copies the files of a folder (not the folders in it) into a new one, where tables (.sst, .ldb)
 * are links to the same files, as nobody changes them; or removes a folder with them. FB_EXIT_IO
 * with a line on stderr. */
enum fb_exit fb_folder_copy(const char *from, const char *to);
enum fb_exit fb_folder_remove(const char *path);

#endif
