/*
 * What a run finds of an earlier one of its kind: its journal, or its document.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_RESUME_H
#define FILTERBENCH_HARNESS_DOCUMENT_RESUME_H

#include "harness/document/kind.h"

/* Opens the journal beside a regular file, there or not yet; `about`: "key_file" of the document.
 * *journal is NULL where the run has no such file: FB_EXIT_USAGE if --resume asks for one. Codes as
 * fb_journal_open, with a line on stderr. */
enum fb_exit fb_resume_open(const struct fb_opened *, const struct fb_run_options *,
                            struct fb_shard, const json_t *about, const char *path,
                            struct fb_journal **journal);

/* With --resume: *document, to be released, is what stands at `path`, finished by this very run:
 * nothing is left to do. NULL: nothing stands there, or a later run has left a journal beside it.
 * FB_EXIT_NOT_COMPARABLE with a line on stderr where it is the result of another run, else codes as
 * fb_result_load. */
enum fb_exit fb_resume_finished(const struct fb_opened *, const struct fb_run_options *,
                                struct fb_shard, const json_t *about, const char *path,
                                json_t **document);

#endif
