/*
 * A document as its kind prints it, with what of the experiment it is: a shard, or merged runs.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_SHOWN_H
#define FILTERBENCH_HARNESS_DOCUMENT_SHOWN_H

#include "harness/document/kind.h"

/* The card of a document; `path`: the file that it is in, for the command that comes next, NULL
 * where there is none. Empty where there is nothing to say. */
void fb_card_fill(const json_t *document, const char *path, struct fb_card *);

/* The card, but in style FB_TABLE_DATA, and the tables; of runs that stand side by side one after
 * the other, each under a line that tells its machine and start. */
struct fb_shown {
    enum fb_table_style style;
    const char *path;   /* as in fb_card_fill */
    const char *versus; /* a design: what others are as a multiple of it, in place of the tables;
                         * NULL: the tables */
    bool interim;       /* the card names no next command, as no file has the document */
};
void fb_document_table(FILE *, const json_t *document, const struct fb_shown *);

/* FB_EXIT_USAGE with a line on stderr where nothing in the document is measured of that design, or
 * nothing can be held against it. `path`: for the message. */
enum fb_exit fb_versus_refused(const char *path, const json_t *document, const char *design);

/* Puts, in the place of each document, what fb_versus_drawn makes of it; codes as
 * fb_versus_refused. names [n]: of their files. */
enum fb_exit fb_versus_take(json_t *documents, const json_t *names, const char *design);

/* What `export --to csv` has a line for, to be released. Of runs that stand side by side rows have
 * "run.machine" and "run.started" first. */
json_t *fb_document_rows(const json_t *document);

#endif
