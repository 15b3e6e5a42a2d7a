/*
 * The fields of an experiment: a table, and one function for each kind of value.
 */
#ifndef FILTERBENCH_HARNESS_EXPERIMENT_FIELDS_H
#define FILTERBENCH_HARNESS_EXPERIMENT_FIELDS_H

#include "harness/experiment.h"

struct fb_field {
    const char *name;
    const char *fallback; /* JSON */
    const char *accepted; /* what a wrong value is answered with, after "give " */
    double low, high;     /* of a number, or of the length of a text */
    /* The value in its resolved form; NULL with *problem set when it is not accepted. */
    json_t *(*read)(struct fb_problem *problem, const struct fb_field *, const char *path,
                    const json_t *given);
    bool above;    /* low itself is not accepted */
    bool prose;    /* does not decide what is measured */
    bool may_miss; /* an empty list is accepted */
};

/* Ends with name == NULL. */
extern const struct fb_field fb_experiment_fields[];

/* Significant digits that a number of an experiment is kept with. */
enum { FB_EXPERIMENT_DIGITS = 15 };

/* Formats the problem; returns false. */
bool fb_refuse(struct fb_problem *, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
