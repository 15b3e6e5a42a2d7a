/*
 * The fields of an experiment: a table, and one function for each kind of value.
 */
#ifndef FILTERBENCH_HARNESS_EXPERIMENT_FIELDS_H
#define FILTERBENCH_HARNESS_EXPERIMENT_FIELDS_H

#include "harness/experiment.h"

struct fb_field;

/* The value in its resolved form; NULL with *problem set when it is not accepted. */
typedef json_t *fb_read_fn(struct fb_problem *problem, const struct fb_field *, const char *path,
                           const json_t *given);

struct fb_field {
    const char *name;
    const char *fallback; /* JSON */
    const char *accepted; /* what a wrong value is answered with, after "give " */
    double low, high;     /* of a number, or of the length of a text */
    fb_read_fn *read;
    bool above;    /* low itself is not accepted */
    bool prose;    /* does not decide what is measured */
    bool may_miss; /* an empty list is accepted */
};

/* Of each kind; each ends with name == NULL. */
extern const struct fb_field fb_experiment_fields[], fb_kernels_fields[], fb_lsm_fields[];

/* Every field of the table with its value from the document, or its fallback. NULL with *problem
 * set. */
json_t *fb_fields_resolve(const struct fb_field *fields, const json_t *document,
                          struct fb_problem *problem);

/* XXH3-128 of fb_experiment_measured. False: out of memory. */
bool fb_experiment_hash(const json_t *resolved, char hex[33]);

/* ---- Kinds of fields ---- */

fb_read_fn fb_read_text, fb_read_name, fb_read_real, fb_read_count, fb_read_seed, fb_read_reals,
    fb_read_designs, fb_read_hash, fb_read_flag, fb_read_cpu;
/* A count, or a text of one with a unit of bytes: "256Mi". */
fb_read_fn fb_read_size;
/* One of names [ends with NULL], or, where `all` is accepted, every one of them as a list. */
json_t *fb_read_one_of(struct fb_problem *, const char *what, const char *path, const json_t *given,
                       const char **names, bool all);
/* A list of what `element` reads, repeats dropped; one element may stand for a list of one, and an
 * element that is read as a list for its entries. */
json_t *fb_read_list(struct fb_problem *, const struct fb_field *, const char *path,
                     const json_t *given, fb_read_fn *element);

/* "path: -1 is not accepted; give a number above 0". Returns NULL. */
json_t *fb_reject_value(struct fb_problem *, const struct fb_field *, const char *path,
                        const json_t *given);
/* "path: no design 'x', did you mean 'y'?"; names end with NULL. Returns NULL. */
json_t *fb_reject_name(struct fb_problem *, const char *what, const char *path, const json_t *given,
                       const char **names);

/* Significant digits that a number of an experiment is kept with. */
enum { FB_EXPERIMENT_DIGITS = 15 };

/* Formats the problem; returns false. */
bool fb_refuse(struct fb_problem *, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
