/*
 * Progress and time left on stderr, when it is a terminal; silent otherwise and with TERM=dumb.
 */
#ifndef FILTERBENCH_HARNESS_BASE_PROGRESS_H
#define FILTERBENCH_HARNESS_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fb_progress {
    const char *title;
    uint64_t total, done; /* units of work, any unit */
    double expected_s;    /* that all takes, where it is known without units; 0: it is not */
    double known_s;       /* of steps beside the units, as far as it is known what they take */
    double known_done_s;  /* of these, what is over */
    double started_s, shown_s;
    bool enabled;
};

void fb_progress_start(struct fb_progress *, const char *title, uint64_t total);
/* Adds to done and redraws at most ten times a second; `what` names the current step. Any thread.
 */
void fb_progress_add(struct fb_progress *, uint64_t units, const char *what);
/* Clears the line. Call it before anything else is printed on stderr. */
void fb_progress_end(struct fb_progress *);

/* The text of the line after elapsed_s seconds, at most `columns` long, into line [size]; its
 * length. */
size_t fb_progress_line(const struct fb_progress *, double elapsed_s, const char *what,
                        size_t columns, char *line, size_t size);

#endif
