/*
 * What a run is going to take, before it begins.
 *
 * The last runs of the same experiment on this machine are the best guide to its time. Without them
 * small pieces of its cells are run (`piece` of struct fb_kind), for about three to five seconds:
 * cells are drawn by their part of the work, and each piece says how many seconds a unit of work
 * takes. Where the kind has no pieces, the budget of what is timed tells, or else the last runs of
 * the kind.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_ESTIMATE_H
#define FILTERBENCH_HARNESS_DOCUMENT_ESTIMATE_H

#include "harness/document/kind.h"

enum fb_estimated_from {
    FB_FROM_NOTHING,
    FB_FROM_RUNS,
    FB_FROM_KIND,
    FB_FROM_PIECES,
    FB_FROM_BUDGET
};

struct fb_cost {
    enum fb_estimated_from from;
    size_t n;             /* runs or pieces that tell */
    double seconds;       /* of the run or shard; NaN: nothing tells */
    double low_s, high_s; /* its range */
    double work;          /* of all rows */
    double share;         /* of the work, that the shard has */
    double again;         /* of the work, that each shard does anew */
    double memory_bytes;  /* at the peak; NaN: the kind does not say */
};

/* rows: what the kind's plan answers. with_pieces: where only pieces tell, they are run. */
struct fb_cost fb_cost_of(const struct fb_opened *, struct fb_shard, const json_t *rows,
                          const struct fb_run_options *, bool with_pieces);

/* Work of a row of a plan; 0 where it is not measured. */
double fb_cost_work(const json_t *row);

/* "12 s to 19 s", "3 h 20 min to 5 h 10 min" into text. */
void fb_cost_say(const struct fb_cost *, char *text, size_t size);

#endif
