/*
 * Processes of a group (measure/group.h) in a journal: a run of times that ended early goes on with
 * the next process. Each is a step, "NAME, process 7".
 */
#ifndef FILTERBENCH_HARNESS_WORK_TURNS_H
#define FILTERBENCH_HARNESS_WORK_TURNS_H

#include "harness/measure/group.h"
#include "harness/work/journal.h"

struct fb_turns {
    struct fb_journal *journal; /* NULL: none */
    const char *name;           /* of the group, among those of the run */
    enum fb_exit code; /* not FB_EXIT_OK: the journal could not be written, which was said */
};

/* recall and keep of struct fb_group_watch, whose arg is a struct fb_turns or begins with one. */
bool fb_turns_recall(void *turns, size_t number, struct fb_turn *);
bool fb_turns_keep(void *turns, size_t number, const struct fb_turn *);

#endif
