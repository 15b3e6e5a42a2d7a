/*
 * Progress and time left on stderr, when it is a terminal; silent otherwise.
 */
#ifndef FILTERBENCH_HARNESS_PROGRESS_H
#define FILTERBENCH_HARNESS_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

struct fb_progress {
    const char *title;
    uint64_t total, done; /* units of work, any unit */
    double started_s, shown_s;
    int enabled;
};

void fb_progress_start(struct fb_progress *, const char *title, uint64_t total);
/* Adds to done and redraws at most ten times a second; `what` names the current step. */
void fb_progress_add(struct fb_progress *, uint64_t units, const char *what);
/* Clears the line. */
void fb_progress_end(struct fb_progress *);

#endif
