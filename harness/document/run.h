/*
 * A run, from an experiment to its document: the file is opened before anything is measured, and
 * written whole, or as FILE.partial with the cells so far; a table or the document itself goes to
 * stdout.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_RUN_H
#define FILTERBENCH_HARNESS_DOCUMENT_RUN_H

#include "harness/document/kind.h"

/*
 * Resolves `given`, then shows it, plans its cells or measures them, as the options say. An error
 * has been printed, "name: why" of options->name. FB_EXIT_INTERRUPTED, and FB_EXIT_CORRECTNESS for
 * a false negative, leave FILE.partial. *document: what was measured, to be released; NULL where
 * nothing was. It may be NULL itself.
 */
enum fb_exit fb_run_experiment(const struct fb_kind *, const struct fb_run_options *,
                               const json_t *given, json_t **document);

/*
 * Measures an experiment of any kind as part of another: *document is what `run` would have
 * written, but nothing is written nor printed. NULL where nothing was measured; else, with
 * FB_EXIT_INTERRUPTED or FB_EXIT_CORRECTNESS, what there was so far. A line on stderr for every
 * code but OK and INTERRUPTED.
 */
enum fb_exit fb_run_part(const struct fb_run_options *, const json_t *given, json_t **document);

#endif
