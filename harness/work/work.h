/*
 * The work of one run: which shard of the experiment it is, and what of it a journal has already.
 *
 * A kind goes through its work in steps, in an order that is always the same. What a step adds to
 * the lists "cells", "fragments", "skipped" and "warnings" of the document is kept in the journal:
 *
 *     if (fb_work_recall(work, id))
 *         continue;                      the journal has had the step: its cells are there now
 *     ... measure, append to "cells" ...
 *     code = fb_work_keep(work, id);
 *
 * What else a step found goes through fb_journal_find and fb_journal_add of work->journal.
 */
#ifndef FILTERBENCH_HARNESS_WORK_WORK_H
#define FILTERBENCH_HARNESS_WORK_WORK_H

#include "harness/work/journal.h"
#include "harness/work/shard.h"

enum { FB_WORK_LISTS = 4 };

struct fb_work {
    struct fb_shard shard;
    struct fb_journal *journal;   /* NULL: none; owned by the driver */
    json_t *document;             /* borrowed */
    size_t before[FB_WORK_LISTS]; /* entries of its lists when the step began */
};

/* True: the journal has the step, and what it added is in the document again. False: it is to be
 * done, and begins here. */
bool fb_work_recall(struct fb_work *, const char *step);

/* The step is done. FB_EXIT_IO with a line on stderr where the journal cannot be written. */
enum fb_exit fb_work_keep(struct fb_work *, const char *step);

/* What run() of a kind returns that ended with `code`: FB_EXIT_USAGE with a line on stderr, which
 * says what was left out first and why, where a whole experiment has no cell at all. */
enum fb_exit fb_work_end(const struct fb_work *, enum fb_exit code);

#endif
