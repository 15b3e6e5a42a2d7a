/*
 * Experiments of kind "engine": a storage engine itself, with each filter in turn, asked on disk;
 * and what the same filters of ours say of the tree that the engine made. The table in plan.c says
 * what their fields are.
 *
 * A cell is a filter of a size: one of the engine's own, whose design is asked for, or a design as
 * the engine's policy. Each has a database that is loaded with it and at rest, and is asked in a
 * fresh copy of its folder. A policy under the name of the engine's own filter is asked in a copy
 * of the database that the engine's own filter is in. Serves all files here.
 */
#ifndef FILTERBENCH_HARNESS_KIND_ENGINE_GETS_H
#define FILTERBENCH_HARNESS_KIND_ENGINE_GETS_H

#include "harness/document/kind.h"
#include "harness/document/user_keys.h"
#include "harness/engine/engine.h"
#include "harness/engine/policy.h"
#include "harness/engine/predict.h"
#include "harness/engine/tables.h"
#include "workloads/core/keyspace.h"

enum { FB_GETS_ID = 120 };

struct fb_gets_cell {
    char id[FB_GETS_ID]; /* "builtin/bpk=10", "nori/bpk=10" */
    const struct fb_design *design;
    const struct fb_engine_filter *own; /* NULL: the design is the policy */
    /* Of a policy: the engine's own filter under whose name it goes; NULL: its own name. */
    const struct fb_engine_filter *as;
    double bits_per_key;
    enum fb_engine_residency residency;
    unsigned read;   /* of fb_gets_reads */
    const char *why; /* not NULL: the engine has no such filter, for this reason */
};

/* Where the data blocks come from that a Get looks into, as the field "reads" names them. */
enum { FB_GETS_PAGE_CACHE, FB_GETS_MAPPED, FB_GETS_DIRECT, FB_GETS_BLOCK_CACHE };
extern const struct fb_word fb_gets_reads[], fb_gets_seeks[];

/* A round of timed Gets is quiet whose yardstick takes at most so much more than the quiet one. */
#define FB_GETS_QUIET 1.15

/* What a Get does, as predicted: at most 15 reads are told apart, and 255 checks. */
enum { FB_GETS_MOST_READS = FB_READS_APART - 1 };
struct fb_gets_work {
    uint8_t checks, reads;
    uint16_t cold_checks, cold_reads; /* in sixteenths (predict.h) */
};

struct fb_gets {
    json_t *document; /* resolved, owned */
    const struct fb_engine *engine;
    const struct fb_engine_driver *driver; /* once loaded */
    struct fb_engine_options options;      /* folder and filter are not set */
    struct fb_user_keys user;              /* zeroed without a file of keys */
    struct fb_keyspace space;              /* once loaded */
    uint64_t n, value_bytes, queries, seed;
    double absent;   /* share of a mixture */
    json_t *profile; /* of --io, owned, once loaded; NULL: none */
    bool whole, live, cache_fits;
    struct fb_gets_cell *cells; /* [n_cells], owned, once loaded */
    size_t n_cells;
};

extern const struct fb_field fb_gets_fields[];

/* Where a function has `self`, a struct fb_gets, it is the one of struct fb_kind. */

/* plan.c; the first as open of struct fb_kind */
bool fb_gets_resolve(const json_t *given, struct fb_gets *out, struct fb_problem *problem);
enum fb_exit fb_gets_load(void *self, const struct fb_run_options *, json_t **about);
void fb_gets_close(void *self);
/* What one database takes on disk at most. */
uint64_t fb_gets_database_bytes(const struct fb_gets *);

/* A cell's id, of a filter of the engine or of the design; words of the two tables. */
void fb_gets_name(const struct fb_design *, const char *filter, double bits_per_key,
                  const char *residency, const char *read, char id[FB_GETS_ID]);

/* What the filters of a cell are asked to be. */
struct fb_params fb_gets_params(const struct fb_gets_cell *);
/* How the engine is set for a database of the cell in the folder, `counted` or to be timed;
 * *policy, to be closed, is the cell's, where it has no filter of the engine's own. */
struct fb_engine_options fb_gets_options(const struct fb_gets *, const struct fb_gets_cell *,
                                         const char *folder, bool counted,
                                         struct fb_policy *policy);

/* run.c */
enum fb_exit fb_gets_run(void *self, const struct fb_run_options *, struct fb_work *,
                         json_t *document);

/* ---- A database that is asked ---- */

/* How often each database is visited, to time its Gets. */
enum { FB_GETS_VISITS = 8 };

/* What stands while a cell is asked. */
struct fb_asking {
    const struct fb_gets *g;
    const struct fb_gets_cell *cell;
    json_t *json; /* the cell of the document */
    char folder[4096];
    void *db; /* NULL: it is not open */
    struct fb_policy policy;
    uint8_t *key;              /* [max_len + FB_GETS_BEYOND] */
    struct fb_key_list firsts; /* keys that are in every table and data block */
    /* [n_work] of present keys, as many as are asked, and of absent ones, more: Gets with a read in
     * vain are few, and those of a few keys would be faster than they are among others. */
    struct fb_gets_work *work[2];
    uint64_t n_work[2];
    struct fb_gets_work beyond; /* of keys beyond all tables */
    struct fb_timing *timing;
    struct fb_engine_why why;
};

/* ask.c: counts what the Gets of the database in the folder do, and predicts it; facts into *json,
 * "settings" among them. FB_EXIT_CORRECTNESS where a present key is not found, with a line on
 * stderr as for every other code but INTERRUPTED. Close *out in any case. */
enum fb_exit fb_asking_open(const struct fb_gets *, const struct fb_gets_cell *, const char *folder,
                            json_t *json, struct fb_asking **out);
/* Times its Gets, in a database that is opened for it; the last time sets "times", "groups",
 * "rounds" and "histograms". */
enum fb_exit fb_asking_visit(struct fb_asking *, bool last);
void fb_asking_close(struct fb_asking *);

/* asking.c */
enum fb_exit fb_asking_fail(const struct fb_asking *);
/* The order in which a stream asks for keys, and its query i: each key once before any comes again.
 * Writes the key; returns its length. */
struct fb_permutation fb_asking_order(const struct fb_asking *, bool absent);
size_t fb_asking_key(const struct fb_asking *, const struct fb_permutation *, bool absent,
                     uint64_t i, uint8_t *key);
/* A key that sorts behind all others; returns its length, FB_GETS_BEYOND. */
enum { FB_GETS_BEYOND = 72 };
size_t fb_asking_beyond(uint64_t number, uint8_t *key);
/* FB_EXIT_OK where a Get said what it should; else with a line on stderr. */
enum fb_exit fb_asking_check(const struct fb_asking *, bool absent, uint64_t i,
                             enum fb_engine_answer);

/* time.c: of both streams, of both mixed, and of groups of equal work. Close *out in any case. */
enum fb_exit fb_timing_open(struct fb_asking *, struct fb_timing **out);
enum fb_exit fb_timing_visit(struct fb_timing *, struct fb_asking *);
void fb_timing_tell(const struct fb_timing *, json_t *cell);
void fb_timing_close(struct fb_timing *);
/* singly.c: of each Get. Sets "histograms", and "spent_ns" of "times". */
enum fb_exit fb_gets_time_singly(struct fb_asking *, json_t *cell);

/* seeks.c: asks a database whose compactions of what Gets ask for may run. Sets "seeks"; *tables:
 * as it was loaded. */
enum fb_exit fb_gets_seek(struct fb_asking *, const char *folder, const struct fb_tables *tables,
                          json_t *cell);

/* ---- Results ---- */

/* derive.c */
bool fb_gets_derive(void *self, json_t *document, struct fb_problem *problem);

/* versus.c */
extern const struct fb_versus fb_gets_versus;
void fb_gets_card(const json_t *document, const char *path, struct fb_card *);

/* table.c */
void fb_gets_table(FILE *, const json_t *document, enum fb_table_style);

#endif
