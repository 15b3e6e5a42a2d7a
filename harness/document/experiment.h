/*
 * Experiments as data. A preset and a user's file are the same JSON object:
 *
 *     name, summary, source, runtime   texts; the name also names the result file
 *     kind             "fpr"
 *     designs          list of names; "all", or "filters" for all but the controls
 *     bits_per_key     list of numbers } at least one of the two; each entry is a size to build,
 *     fpr              list of rates   } in bits or by rate
 *     n                list of key counts, or {"from": a, "to": b, "per_octave": c}
 *     keys             list of key generators; "file" stands for the keys of run --keys
 *     hash             name of a hash that replaces each design's own, or null
 *     capacity_factor  list: filters are sized for factor * n keys and filled with n
 *     filters, probes  filters per cell and distinct absent keys asked of each
 *     precision        relative half-width of the 95 % interval to reach; 0: one batch of filters
 *     max_probes       budget of a cell, in all, when precision is above 0
 *     seed             root seed, "0x5eed"
 *
 * Only a size is required. A list of one may be written as its element. A resolved experiment has
 * every field, names and numbers written out, and is itself an experiment that resolves to itself.
 */
#ifndef FILTERBENCH_HARNESS_DOCUMENT_EXPERIMENT_H
#define FILTERBENCH_HARNESS_DOCUMENT_EXPERIMENT_H

#include <jansson.h>

#include "harness/filter/fpr.h"

/* What is wrong with an experiment: "path: why and what would be accepted". */
struct fb_problem {
    char text[512];
};

struct fb_experiment {
    json_t *document;           /* resolved, owned */
    const char *name, *summary; /* in the document */
    const struct fb_design **designs;
    double *bits_per_key, *fpr, *capacity_factor;
    uint64_t *n;
    const struct fb_keygen **keys; /* into keygens; NULL entry: the user's file */
    struct fb_keygen *keygens;     /* [n_keys] as parsed, owned */
    size_t n_designs, n_bits_per_key, n_fpr, n_capacity_factor, n_n, n_keys;
    const struct fb_hash *hash; /* NULL: each design's own */
    uint64_t filters, probes, max_probes, seed;
    double precision;
    char hash_hex[33]; /* XXH3-128 of the fields that decide what is measured */
};

/* Parses a JSON object, or takes the experiment out of a result document or a file of counts; NULL
 * with *problem set when it is neither. */
json_t *fb_experiment_parse(const char *text, size_t len, struct fb_problem *problem);

/* Overrides one field: path is "field", "list.0" or "n.from"; value is JSON, or else a string. */
bool fb_experiment_set(json_t *document, const char *path, const char *value,
                       struct fb_problem *problem);

/* False with *problem set for unknown fields, types, ranges, names. *out may be closed either way.
 */
bool fb_experiment_resolve(const json_t *document, struct fb_experiment *out,
                           struct fb_problem *problem);
void fb_experiment_close(struct fb_experiment *);

/* A copy of a resolved experiment without name, summary, source and runtime: what decides its
 * counts, and what the hash is taken of. */
json_t *fb_experiment_measured(const json_t *resolved);

/* ---- Cells ---- */

struct fb_cell {
    char id[128];     /* "nori/bpk=10/n=10000/random", "/capacity=0.5" appended where it is not 1 */
    const char *keys; /* name of the generator, or "file" */
    double capacity_factor;
    struct fb_fpr_cell spec;
    const char *why; /* not NULL: no such filter, for this reason */
};

/* The cells in the order they are measured: keys, n, capacity factor, size, design. Controls have
 * no size and appear once. file: the user's distinct keys, or NULL when the experiment asks for
 * none. NULL when out of memory; free() it. */
struct fb_cell *fb_experiment_cells(const struct fb_experiment *, const struct fb_keys *file,
                                    size_t *n_cells);

#endif
