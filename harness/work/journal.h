/*
 * The journal of a run: what it has finished, on disk beside its output, FILE.journal. A run that
 * is killed, or whose disk is full, loses the step in flight and nothing else.
 *
 * One JSON object a line, each with "xxh3", the hash of the rest of it. The first line says what
 * the journal is of. {"steps": n} says how many steps the run has. Each other one is a finished
 * step:
 * {"step": id, "s": seconds since the step before it, "record": what the step found}. A line that
 * lacks its newline was being written when the run ended, and is not there. The file is locked
 * while the run lasts.
 */
#ifndef FILTERBENCH_HARNESS_WORK_JOURNAL_H
#define FILTERBENCH_HARNESS_WORK_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/exit.h"

struct fb_journal;

/*
 * Opens OUTPUT.journal. `header` says what the run is of.
 *
 * With `resume` the steps of a journal that is there are found. FB_EXIT_NOT_COMPARABLE where it is
 * of another run: a member of its header is another one; FB_EXIT_CORRECTNESS where a line is
 * damaged. Without, a journal that has steps or is damaged is renamed to OUTPUT.journal.old, or
 * the first free name OUTPUT.journal.old-2, ..., with a note; so is, in any case, one whose first
 * line is torn. FB_EXIT_USAGE where another run has it open or what has that name is no journal or
 * a link, FB_EXIT_IO where it cannot be written. A line on stderr for every code but OK. *out is
 * NULL then, and a file that was there is as it was.
 */
enum fb_exit fb_journal_open(const char *output, const json_t *header, bool resume,
                             struct fb_journal **out);

/* The record of a finished step, borrowed; NULL: it has none, or there is no journal. Any
 * thread. */
const json_t *fb_journal_find(const struct fb_journal *, const char *step);

/* All of them, by step. */
const json_t *fb_journal_records(const struct fb_journal *);

/* Says how many steps the run has, those found included. Codes as fb_journal_add. */
enum fb_exit fb_journal_expect(struct fb_journal *, size_t steps);

/* Finished steps that it has; 0 without a journal. */
size_t fb_journal_steps(const struct fb_journal *);

/* Adds a finished step. FB_EXIT_IO with a line on stderr where it cannot be written whole: nothing
 * of it is then in the file. Any thread. Without a journal it does nothing. */
enum fb_exit fb_journal_add(struct fb_journal *, const char *step, const json_t *record);

/* Closes it, and removes the file where the run has written its output or no step is finished. NULL
 * is accepted. */
void fb_journal_close(struct fb_journal *, bool written);

/* What a journal that is there says of its run. */
struct fb_journal_state {
    bool exists, running; /* running: a process has it open */
    size_t done, steps;   /* of so many; steps 0: it does not say yet */
    double elapsed_s;     /* that they took, over all continuations */
};
/* False, with a line on stderr, where it cannot be read. */
bool fb_journal_look(const char *output, struct fb_journal_state *);

#endif
