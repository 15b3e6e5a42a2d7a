/* Planning and layout of a tree's filters; forest_build.c fills them. */
#include "harness/tree/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "filters/core/simulate.h"
#include "harness/measure/processes.h"
#include "harness/tree/forest_build.h"

void fb_forest_close(struct fb_forest *forest)
{
    for (size_t u = 0; !forest->arena && forest->filters && u < forest->tree->n_units; u++)
        free(forest->filters[u].bytes); /* built aside, and not laid out */
    if (forest->arena)
        munmap(forest->arena, (size_t)forest->arena_bytes);
    if (forest->arena_bytes)
        close(forest->fd);
    free(forest->filters);
    free(forest->runs);
    memset(forest, 0, sizeof *forest);
}

enum fb_err fb_forest_digest(const struct fb_forest *forest, const struct fb_keys *keys,
                             uint64_t *digests)
{
    const unsigned words = forest->digest_words;
    enum fb_err err = FB_OK;
    if (forest->prefix.whole_key)
        return fb_digest_keys(forest->design, forest->hash, words, keys, digests);
    for (size_t i = 0; !err && i < keys->n; i++) {
        size_t asked = 0;
        (void)fb_prefix_get(&forest->prefix, fb_key_len(keys, i), &asked);
        err = fb_prefix_digest(forest->design, forest->hash, words, fb_key_at(keys, i), asked,
                               digests + i * words);
    }
    return err;
}

/* Rates that were predicted before: the filters of a run are of two or three sizes. */
enum { KNOWN_SIZES = 64 };
struct known_rate {
    uint64_t n_keys, n_bytes;
    double rate;
};

static double rate_of(struct known_rate *known, const struct fb_filter *f)
{
    struct known_rate *k = known + f->n_keys % KNOWN_SIZES;
    if (k->n_keys != f->n_keys || k->n_bytes != f->geom.n_bytes)
        *k = (struct known_rate){f->n_keys, f->geom.n_bytes, f->design->fpr(&f->geom, f->n_keys)};
    return k->rate;
}

double fb_forest_run_rate(const struct fb_forest *forest, size_t run, bool *closed)
{
    const enum fb_scheme scheme = forest->design->scheme;
    const size_t n_units = fb_run_units(&forest->tree->runs[run]);
    const struct fb_filter *f = forest->filters + forest->tree->runs[run].first_unit;
    struct known_rate known[KNOWN_SIZES];
    double sum = 0;
    *closed = true;
    if (!forest->runs[run].filtered)
        return 1;
    for (size_t i = 0; i < KNOWN_SIZES; i++)
        known[i] = (struct known_rate){.n_bytes = UINT64_MAX}; /* none yet */
    for (size_t u = 0; u < n_units; u++, f++) {
        *closed = *closed &&
                  !fb_scheme_needs_simulation(scheme, f->n_keys, f->geom.n_bits, f->geom.probes);
        sum += rate_of(known, f);
    }
    return n_units ? sum / (double)n_units : NAN;
}

/* ---- Sizes ---- */

/* The filter of a number of keys: those of a run mostly have one of a few, and some designs solve
 * their rules by search. */
enum { REMEMBERED = 256 };
struct shape {
    uint64_t n_keys; /* 0: none yet */
    struct fb_params params;
    struct fb_geometry geom;
};

static enum fb_err plan_run(struct fb_forest_build *b, size_t run, const char **why)
{
    struct fb_run_build *r = b->runs + run;
    struct shape shapes[REMEMBERED];
    enum fb_err err = FB_OK;
    for (size_t i = 0; i < REMEMBERED; i++)
        shapes[i].n_keys = 0;
    for (size_t u = r->first_unit; !err && u < r->first_unit + r->n_units; u++) {
        struct fb_filter *f = b->forest->filters + u;
        struct shape *s = shapes + f->n_keys % REMEMBERED;
        if (!f->n_keys)
            continue;
        if (s->n_keys != f->n_keys) {
            *s = (struct shape){.n_keys = f->n_keys, .params = b->spec->params[run]};
            err = fb_params_plan(f->design, f->n_keys, &s->params, &s->geom, why);
        }
        f->params = s->params;
        f->geom = s->geom;
        r->words = (unsigned)fb_max_u64(r->words, f->geom.digest_words);
    }
    return err;
}

/* ---- Layout ---- */

/* Filters that have no bytes yet: no where there will be some, yes elsewhere. */
static enum fb_err start(const struct fb_forest_spec *spec, struct fb_forest *forest)
{
    const struct fb_tree *tree = forest->tree;
    forest->filters = calloc(tree->n_units + 1, sizeof *forest->filters);
    forest->runs = calloc(tree->n_runs + 1, sizeof *forest->runs);
    if (!forest->filters || !forest->runs)
        return FB_ENOMEM;
    for (size_t r = 0; r < tree->n_runs; r++) {
        const struct fb_run *run = tree->runs + r;
        const bool filtered = !run->memtable && !(spec->params[r].bits_per_key < 0);
        forest->runs[r].filtered = filtered;
        for (size_t u = 0; !run->memtable && u < fb_run_units(run); u++)
            forest->filters[run->first_unit + u] =
                (struct fb_filter){.design = spec->design,
                                   .hash = spec->hash,
                                   .kernel = filtered ? &fb_kernel_no : &fb_kernel_yes};
    }
    return FB_OK;
}

static enum fb_err map_arena(struct fb_forest *forest, uint64_t n_bytes)
{
    forest->fd = fb_memory_file(NULL, 0);
    if (forest->fd < 0)
        return FB_ENOMEM;
    forest->arena_bytes = n_bytes ? n_bytes : FB_CACHE_LINE;
    if (ftruncate(forest->fd, (off_t)forest->arena_bytes))
        return FB_ENOMEM;
    void *map =
        mmap(NULL, (size_t)forest->arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, forest->fd, 0);
    forest->arena = map == MAP_FAILED ? NULL : map;
    return forest->arena ? FB_OK : FB_ENOMEM;
}

/* What the filters take by their geometry. Returns the bytes of an arena of them. */
static uint64_t sum_up(struct fb_forest *forest)
{
    const struct fb_tree *tree = forest->tree;
    uint64_t bytes = 0;
    forest->digest_words = forest->design->digest_words ? forest->design->digest_words : 1;
    forest->filter_bytes = 0;
    for (size_t r = 0; r < tree->n_runs; r++) {
        const struct fb_filter *f = forest->filters + tree->runs[r].first_unit;
        forest->runs[r].bytes = 0;
        for (size_t u = 0; !tree->runs[r].memtable && u < fb_run_units(&tree->runs[r]); u++, f++) {
            forest->runs[r].bytes += f->geom.n_bytes;
            bytes += fb_round_up(f->geom.n_bytes, FB_CACHE_LINE);
            forest->digest_words = (unsigned)fb_max_u64(forest->digest_words, f->geom.digest_words);
        }
        forest->filter_bytes += forest->runs[r].bytes;
    }
    return bytes;
}

/* Gives each filter its bytes in the arena, by its geometry; bytes that it has move there. */
static enum fb_err lay_out(struct fb_forest *forest)
{
    const struct fb_tree *tree = forest->tree;
    enum fb_err err = map_arena(forest, sum_up(forest));
    uint8_t *at = forest->arena;
    for (size_t u = 0; !err && u < tree->n_units; u++) {
        struct fb_filter *f = forest->filters + u;
        if (f->bytes)
            memcpy(at, f->bytes, (size_t)f->geom.n_bytes);
        free(f->bytes);
        f->bytes = at;
        at += fb_round_up(f->geom.n_bytes, FB_CACHE_LINE);
    }
    return err;
}

/* ---- Building ---- */

static enum fb_err build(struct fb_forest_build *b, bool *complete, const char **why)
{
    const bool prefixed = b->forest->prefix.kind != FB_PREFIX_NONE;
    const bool late = fb_forest_sizes_late(b->forest), pass = b->spec->visit;
    enum fb_err err = fb_forest_build_open(b);
    if (!err)
        err = fb_forest_count(b, complete);
    *why = b->why;
    if (err || !*complete)
        return err;
    for (size_t run = 0; !err && !prefixed && run < b->forest->tree->n_runs; run++)
        err = plan_run(b, run, why);
    if (!err && pass)
        sum_up(b->forest);
    else if (!err && !late)
        err = lay_out(b->forest);
    if (!err)
        err = fb_forest_fill(b, complete);
    if (!err && *complete && pass)
        sum_up(b->forest);
    else if (!err && *complete && late)
        err = lay_out(b->forest);
    for (size_t u = 0; !err && *complete && !pass && u < b->forest->tree->n_units; u++)
        fb_filter_among(&b->forest->filters[u], b->forest->arena_bytes);
    if (err && !*why)
        *why = b->why;
    return err;
}

enum fb_err fb_forest_build(const struct fb_forest_spec *spec, const struct fb_tree *tree,
                            struct fb_forest *out, bool *complete, const char **why)
{
    struct fb_forest_build b = {.spec = spec, .forest = out};
    *complete = false;
    *why = NULL;
    *out = (struct fb_forest){.design = spec->design, .hash = spec->hash, .tree = tree};
    out->prefix = spec->prefix ? *spec->prefix : (struct fb_prefix){.whole_key = true};
    if (tree->space->file && tree->space->file->type) {
        *why = "the keys of a tree are bytes, without types";
        return FB_EUNSUPPORTED;
    }
    if (spec->visit && out->prefix.kind != FB_PREFIX_NONE) {
        *why = "filters of prefixes are built together";
        return FB_EUNSUPPORTED;
    }
    enum fb_err err = start(spec, out);
    if (!err)
        err = build(&b, complete, why);
    fb_forest_build_close(&b);
    if (err || !*complete)
        fb_forest_close(out);
    return err;
}
