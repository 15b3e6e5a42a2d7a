/*
 * Kinds of experiments. What `run`, `describe`, `list` and `validate` do with an experiment is in
 * one row for its kind; a new kind is one file and one row of the table in kind.c.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_KIND_H
#define FILTERBENCH_HARNESS_DOCUMENT_KIND_H

#include "harness/base/exit.h"
#include "harness/base/option.h"
#include "harness/document/fields.h"

/* The options of run that set no field of the experiment; absent ones are zero. */
struct fb_run_options {
    const char *name; /* the preset or file, as given */
    const char *keys, *keys_format, *trace, *trace_format, *output;
    uint64_t threads;
    bool quick, full, histograms, ci, show, dry_run;
    enum fb_output_format format;
    int argc; /* as main() of the verb got them */
    char **argv;
};

struct fb_run_kind {
    const char *name;
    const struct fb_field *fields; /* an option of run that sets none of these is refused */
    const char *const *options; /* those of keys, keys-format, trace, trace-format, threads, quick,
                                   full, histograms, ci that it takes; ends with NULL */
    /* What options such as --quick stand for, set in the document before single fields are; NULL:
     * nothing. */
    void (*prepare)(json_t *given, const struct fb_run_options *);
    /* The resolved experiment, to be released, and its hash. NULL with *problem set. */
    json_t *(*resolve)(const json_t *given, char hash_hex[33], struct fb_problem *problem);
    /* Resolves, then shows, plans or measures; `given` may be changed. An error has been printed.
     */
    enum fb_exit (*run)(const struct fb_run_options *, json_t *given);
    /* Derives a result document of this kind again from what was counted or sampled:
     * FB_EXIT_CORRECTNESS with a line on stderr where it says otherwise, FB_EXIT_USAGE where it
     * cannot be read. */
    enum fb_exit (*check)(const char *path, const json_t *document);
};

/* Ends with NULL. */
extern const struct fb_run_kind *const fb_run_kinds[];

/* The kind that an experiment names, fpr where it names none. NULL with *problem set. */
const struct fb_run_kind *fb_run_kind_of(const json_t *experiment, struct fb_problem *problem);

/* Whether run's option of that name, which sets `field` (NULL: none), means anything to the kind.
 */
bool fb_run_kind_takes(const struct fb_run_kind *, const char *option, const char *field);

#endif
