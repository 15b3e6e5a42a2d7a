/*
 * --db DIR: a database of the user's own, which answers what it can of a question.
 */
#ifndef FILTERBENCH_HARNESS_VERB_DATABASE_H
#define FILTERBENCH_HARNESS_VERB_DATABASE_H

#include <jansson.h>

#include "harness/document/kind.h"

struct fb_database_given {
    const char *folder, *family; /* NULL: not given */
    char keys[4096];             /* the file that its sample of keys is in; "": none */
    bool temporary;              /* that file goes when the verb ends */
    json_t *database;            /* owned; NULL: none */
};

/* Reads the database, sets the fields that it answers, and has *run ask for its keys: they are
 * beside the result, OUTPUT.keys, or in a temporary file where there is none. A run that brings
 * keys of its own keeps them. Prints the database's table before a --dry-run. */
enum fb_exit fb_database_take(struct fb_database_given *, struct fb_run_options *run,
                              json_t *fields);
void fb_database_close(struct fb_database_given *);

#endif
