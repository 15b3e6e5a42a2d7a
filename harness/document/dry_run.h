/*
 * What an experiment would measure, and how long that takes.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_DRY_RUN_H
#define FILTERBENCH_HARNESS_DOCUMENT_DRY_RUN_H

#include "harness/document/kind.h"

/* Prints the cells of a loaded experiment, each with its seconds where this machine's last runs
 * tell (history.h), and what all of them take, or the shard. As JSON {n_cells, seconds, cells}. */
enum fb_exit fb_dry_run(const struct fb_opened *, struct fb_shard, enum fb_output_format);

#endif
