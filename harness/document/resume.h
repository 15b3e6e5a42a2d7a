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

/* With --resume: the document at `path`, to be released, if it is that of this very run, finished:
 * nothing is left to do. NULL: it is not, or a later run of it has left a journal. */
json_t *fb_resume_finished(const struct fb_opened *, const struct fb_run_options *, struct fb_shard,
                           const char *path);

#endif
