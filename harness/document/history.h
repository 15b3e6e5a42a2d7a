/*
 * How long this machine's last runs took: what --dry-run estimates from. Kept beside the machine's
 * other files (fb_machine_file "history"), at most FB_HISTORY_RUNS of them.
 *
 * A run of the same experiment is the best guide. Else the last runs of the kind are, by their
 * seconds for each unit of work. Work is what the kind's plan says of its cells ("work": keys
 * hashed, for one; without it "seconds", a formula's; without both each cell is one). A shard of n
 * counts as a run of an n-th.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_HISTORY_H
#define FILTERBENCH_HARNESS_DOCUMENT_HISTORY_H

#include "harness/document/kind.h"

enum { FB_HISTORY_RUNS = 200 };

/* Adds a run that went from its start to its end. That it cannot be written stops nothing. */
void fb_history_add(const struct fb_opened *, struct fb_shard, const json_t *document);

struct fb_run_estimate {
    double seconds; /* of the run, or shard; NaN: no run tells */
    double work;    /* of all cells */
    size_t runs;    /* that it is estimated from */
    bool same;      /* they were of this experiment */
};

/* rows: of the kind's plan. */
struct fb_run_estimate fb_history_estimate(const struct fb_opened *, struct fb_shard,
                                           const json_t *rows);

/* Work of a row of a plan; 0 where it is not measured. */
double fb_history_work(const json_t *row);

#endif
