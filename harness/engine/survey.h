/*
 * A database that is somebody's own, read and left as it is: its files, the settings it was opened
 * with last, and a sample of its keys. The driver of its engine reads it (driver.h).
 */
#ifndef FILTERBENCH_HARNESS_ENGINE_SURVEY_H
#define FILTERBENCH_HARNESS_ENGINE_SURVEY_H

#include <jansson.h>

#include "harness/engine/engine.h"
#include "harness/engine/tables.h"

struct fb_survey {
    const struct fb_engine *engine;
    const char *version;          /* of the library that read it */
    struct fb_engine_file *files; /* [n_files], owned, in the order in which a Get looks at them */
    size_t n_files, room;
    struct fb_key_list keys; /* of the sample, ascending, each once */
    char *settings;          /* "name = value" a line, owned; NULL: not known */
};

/* Reads the database in a folder, of a column family (NULL: the default one), with up to so many
 * keys. FB_EXIT_USAGE or FB_EXIT_IO with a line on stderr: it is none, has no tables, or cannot be
 * read. A file that vanishes, since the database is in use, makes it begin again, three times in
 * all. Close *out in any case. */
enum fb_exit fb_survey_read(const char *folder, const char *family, uint64_t keys,
                            struct fb_survey *out);
void fb_survey_close(struct fb_survey *);

/* {engine, version, files: [..], settings: {..}}, to be released. */
json_t *fb_survey_json(const struct fb_survey *);

#endif
