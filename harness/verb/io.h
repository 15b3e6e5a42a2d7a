/*
 * --io, what a read costs: a device by name, a time, a folder to measure, or a file that 'engine
 * cost' made, which tells what filters cost as well. Verbs that have it share this.
 */
#ifndef FILTERBENCH_HARNESS_VERB_IO_H
#define FILTERBENCH_HARNESS_VERB_IO_H

#include <jansson.h>
#include <stdbool.h>

#include "harness/base/exit.h"
#include "harness/base/option.h"

struct fb_io_given {
    const char *io; /* NULL: not given */
    const char *residency,
        *reads; /* with a file: where filters and data blocks are; NULL: as usual */
};

/* The file that --io names; NULL: none. */
const char *fb_io_file(const struct fb_io_given *);
/* What --io says where it is no file: for the field "device"; NULL: nothing. */
const char *fb_io_device(const struct fb_io_given *);
/* True, with a line on stderr, where the options do not go together, or --io names a file that is
 * not there. set: what --set was given. */
bool fb_io_wrong(const char *verb, const struct fb_io_given *, const struct fb_texts *set);
/* Where it is a file, sets the fields of FB_FIELDS_ENGINE_COSTS and "device"; else does nothing.
 * engine: the one that is asked for, "": any. */
enum fb_exit fb_io_read(const struct fb_io_given *, const char *engine, json_t *fields);

#endif
