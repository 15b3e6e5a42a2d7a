/*
 * Finalists and no filter at all, ranked by what was measured of them; and what each would cost if
 * an input were another. Serves ranking.c, rows.c, what_if.c and answer.c.
 */
#ifndef FILTERBENCH_HARNESS_KIND_ADVISE_RANKING_H
#define FILTERBENCH_HARNESS_KIND_ADVISE_RANKING_H

#include "harness/kind/advise/advise.h"

/* A finalist, or no filter at all: the candidate as it was reckoned, and how what was measured
 * differs from that. Prices are in no cost here. */
struct fb_ranked {
    const struct fb_candidate *c;
    const json_t *cell; /* of the final part; NULL: no filter */
    double cpu, cpu_low, cpu_high, reads, reads_low, reads_high;
    double cpu_scale, reads_scale; /* measured over reckoned */
    uint64_t events;               /* false positives that were counted */
};

struct fb_ranking {
    struct fb_question *q;
    struct fb_weighed *w;
    struct fb_ranked rows[FB_FINALISTS + 1];
    size_t n;
    double without_ns; /* what a query costs without filters */
    json_t *document;
};

/* Ranks them, best first, of q, w and document. False with *problem set: the final part cannot be
 * read. */
bool fb_ranking_make(struct fb_ranking *, struct fb_problem *problem);
/* Whether the tree that was measured has fewer keys than the real one. */
bool fb_ranking_is_scaled(const struct fb_ranking *);

/* ---- Costs of a query, ns, prices included (ranking.c) ---- */

double fb_ranked_cost(const struct fb_ranking *, const struct fb_ranked *);
/* The ends of its 95 % interval. */
double fb_ranked_low(const struct fb_ranking *, const struct fb_ranked *);
double fb_ranked_high(const struct fb_ranking *, const struct fb_ranked *);
/* Where a share `absent` of the queries is for absent keys, a read takes read_ns, and the processor
 * `slower` times as long. */
double fb_ranked_cost_if(const struct fb_ranking *, const struct fb_ranked *, double absent,
                         double read_ns, double slower);
/* The row that then costs least; of equal ones the first. */
const struct fb_ranked *fb_ranking_best_if(const struct fb_ranking *, double absent, double read_ns,
                                           double slower);

/* ---- As JSON; the caller owns it ---- */

/* {design, allocation, name}, as "ranking", "front" and others name filters. */
json_t *fb_advise_name(const struct fb_candidate *);
json_t *fb_advise_ranking_json(const struct fb_ranking *); /* rows.c */
json_t *fb_advise_front_json(const struct fb_ranking *);
json_t *fb_advise_engines_json(const struct fb_ranking *);
json_t *fb_advise_regret_json(const struct fb_ranking *); /* what_if.c */
json_t *fb_advise_flips_json(const struct fb_ranking *);
json_t *fb_advise_steps_json(const struct fb_ranking *);

#endif
