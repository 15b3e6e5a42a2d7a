/*
 * How long this machine's last runs took, and what --dry-run tells from them. Kept beside the
 * machine's other files (fb_machine_file "history-2", as rows of claims once had another unit), at
 * most FB_HISTORY_RUNS of them.
 *
 * A run of the same experiment is the best guide. Else the last runs of the kind are, by their
 * seconds for each unit of work. Work is what the kind's plan says of its cells ("work": keys
 * hashed, for one; without it "seconds", a formula's; without both each cell is one). A shard of n
 * counts as a run of an n-th, and of what each shard does anew ("repeated_s").
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_HISTORY_H
#define FILTERBENCH_HARNESS_DOCUMENT_HISTORY_H

#include "harness/document/kind.h"

enum { FB_HISTORY_RUNS = 200 };

/* Adds a run that went from its start to its end. That it cannot be written stops nothing. */
void fb_history_add(const struct fb_opened *, struct fb_shard, const json_t *document);

/* A note on stderr, which begins with the name, where a run is going to take more than an hour. */
void fb_history_tell_long(const struct fb_opened *, struct fb_shard, const char *name);

/* Prints the cells of a loaded experiment, each with its seconds where this machine's last runs
 * tell, and what all of them take, or the shard. As JSON {n_cells, seconds, cells}. FB_EXIT_USAGE
 * with a line on stderr: a shard takes more than twice its part of the time, or three
 * quarters of it all. */
enum fb_exit fb_dry_run(const struct fb_opened *, struct fb_shard, const struct fb_run_options *);

#endif
