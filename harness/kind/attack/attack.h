/*
 * Experiments of kind "attack": what keys chosen by an attacker do to filters, of each design's own
 * hash and of others that the attacker does not know (filter/attack.h). plan.c has their fields.
 *
 * A cell is an attack on filters of a design, a hash, a size and a number of keys. Serves all files
 * here.
 */
#ifndef FILTERBENCH_HARNESS_KIND_ATTACK_ATTACK_H
#define FILTERBENCH_HARNESS_KIND_ATTACK_ATTACK_H

#include "harness/document/kind.h"
#include "harness/filter/attack.h"

/* Filters of a design, a size and a number of keys: what is searched once for all hashes. */
struct fb_attack_group {
    struct fb_attack_spec spec;
    struct fb_geometry geom;
    const char *why; /* not NULL: no such filter, for this reason */
};

struct fb_attack_cell {
    char id[160]; /* "leveldb+siphash-2-4/bpk=10/n=50000/colliding" */
    const struct fb_attack_group *group;
    const struct fb_hash *hash; /* NULL: the design's own */
    enum fb_attack attack;
    const char *why;
};

struct fb_attack_plan {
    json_t *document;        /* resolved, owned */
    struct fb_keygen keygen; /* as "keys" names it */
    size_t n_hashes, n_attacks;
    struct fb_attack_group *groups; /* [n_groups], owned */
    /* [n_groups * n_hashes * n_attacks], owned: group by group, in it hash by hash */
    struct fb_attack_cell *cells;
    size_t n_groups, n_cells;
};

extern const struct fb_field fb_attack_fields[];

/* Where a function has `self`, a struct fb_attack_plan, it is the one of struct fb_kind. */

const json_t *fb_attack_plan_open(void *self, const json_t *given, struct fb_problem *problem);
void fb_attack_plan_close(void *self);

/* Sets what the plan says of a cell. */
void fb_attack_describe(const struct fb_attack_plan *, const struct fb_attack_cell *, json_t *json);

/* run.c */
enum fb_exit fb_attack_run(void *self, const struct fb_run_options *, struct fb_work *,
                           json_t *document);
/* piece() of struct fb_kind. */
double fb_attack_piece(void *self, size_t row, double part, const struct fb_piece *);

/* derive.c; the first as contradiction of struct fb_kind */
const char *fb_attack_contradiction(const struct fb_attack_plan *, const struct fb_attack_cell *,
                                    const json_t *json);
bool fb_attack_derive(void *self, json_t *document, struct fb_problem *problem);

/* card.c, as card of struct fb_kind */
void fb_attack_card(const json_t *document, const char *path, struct fb_card *);

void fb_attack_table(FILE *, const json_t *document, enum fb_table_style);

#endif
