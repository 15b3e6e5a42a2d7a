/*
 * A verb run as its user runs it: in a process of its own, seen by its exit code and the file that
 * it writes; alone, or beside a neighbour that keeps another processor busy.
 */
#ifndef FILTERBENCH_HARNESS_VERB_TRIAL_H
#define FILTERBENCH_HARNESS_VERB_TRIAL_H

#include <stdbool.h>

struct fb_trial {
    int exit; /* 128 and the number of the signal that ended it */
    double seconds;
};

/* Whether there is a processor for a neighbour beside the one that measures. */
bool fb_trial_has_neighbour(void);

/* Runs this executable with argv (argv[0] is replaced, the last is NULL). What it prints is lost;
 * what it says on stderr goes to the file `errors`. False with a line on stderr: it could not be
 * started. When fb_interrupted(), it is interrupted as well, and waited for. */
bool fb_trial_run(char *const *argv, const char *errors, bool neighbour, struct fb_trial *out);

#endif
