/*
 * How long this machine's last runs took, at most FB_HISTORY_RUNS of them. They are kept beside the
 * machine's other files (fb_machine_file "history-2", as rows of claims once had another unit).
 *
 * Work is what the kind's plan says of its cells ("work": keys hashed, for one; without it
 * "seconds", a formula's; without both each cell is one).
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_HISTORY_H
#define FILTERBENCH_HARNESS_DOCUMENT_HISTORY_H

#include "harness/document/kind.h"

enum { FB_HISTORY_RUNS = 200 };

/* Adds a run of so much work that went from its start to its end. That it cannot be written stops
 * nothing. */
void fb_history_add(const struct fb_opened *, double work, const json_t *document);

/* The seconds for each unit of work of the last runs of this experiment, or of its kind, the latest
 * first, as many as there is room for; how many there are. */
size_t fb_history_rates(const struct fb_opened *, bool same_experiment, double *out, size_t room);

#endif
