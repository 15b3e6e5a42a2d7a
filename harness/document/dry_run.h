/*
 * --dry-run: the cells of an experiment, and what a run of it takes (estimate.h).
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_DRY_RUN_H
#define FILTERBENCH_HARNESS_DOCUMENT_DRY_RUN_H

#include "harness/document/kind.h"

/* Prints the cells of a loaded experiment, and what all of them take, or the shard. As JSON
 * {n_cells, seconds, low_s, high_s, memory_bytes, cells}. FB_EXIT_USAGE with a line on stderr: a
 * shard takes more than twice its part of the time, or three quarters of it all. */
enum fb_exit fb_dry_run(const struct fb_opened *, struct fb_shard, const struct fb_run_options *);

/* Before a run: FB_EXIT_USAGE with a line on stderr where it needs more memory than this machine
 * has. A note on stderr where it is going to take more than an hour. *work: what it has, for
 * fb_history_add. */
enum fb_exit fb_dry_run_check(const struct fb_opened *, struct fb_shard,
                              const struct fb_run_options *, double *work);

#endif
