/* Planning and layout of a tree's filters; forest_build.c fills them. */
#include "harness/tree/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "filters/core/simulate.h"
#include "harness/measure/clock.h"
#include "harness/measure/processes.h"
#include "harness/tree/forest_build.h"

void fb_forest_close(struct fb_forest *forest)
{
    if (forest->arena)
        munmap(forest->arena, (size_t)forest->arena_bytes);
    if (forest->arena_bytes)
        close(forest->fd);
    free(forest->filters);
    free(forest->run_bytes);
    free(forest->run_filtered);
    memset(forest, 0, sizeof *forest);
}

enum fb_err fb_forest_digest(const struct fb_forest *forest, const struct fb_keys *keys,
                             uint64_t *digests)
{
    const unsigned words = forest->digest_words;
    enum fb_err err = FB_OK;
    if (forest->prefix.kind == FB_PREFIX_NONE || forest->prefix.whole_key)
        return fb_digest_keys(forest->design, forest->hash, words, keys, digests);
    for (size_t i = 0; !err && i < keys->n; i++) {
        size_t asked = 0;
        (void)fb_prefix_get(&forest->prefix, fb_key_len(keys, i), &asked);
        err = fb_prefix_digest(forest->design, forest->hash, words, fb_key_at(keys, i), asked,
                               digests + i * words);
    }
    return err;
}

/* Predicted rates of filters of a few sizes: those of a run are of two or three. */
enum { KNOWN_SIZES = 16 };

struct rates {
    uint64_t n_keys[KNOWN_SIZES], n_bytes[KNOWN_SIZES];
    double rate[KNOWN_SIZES];
    size_t n;
};

static double rate_of(struct rates *known, const struct fb_filter *f)
{
    size_t i = 0, most = KNOWN_SIZES;
    while (i < known->n && i < most &&
           (known->n_keys[i] != f->n_keys || known->n_bytes[i] != f->geom.n_bytes))
        i++;
    if (i < known->n && i < most)
        return known->rate[i];
    i = known->n++ % most;
    known->n_keys[i] = f->n_keys;
    known->n_bytes[i] = f->geom.n_bytes;
    return known->rate[i] = f->design->fpr(&f->geom, f->n_keys);
}

double fb_forest_run_rate(const struct fb_forest *forest, size_t run, bool *closed)
{
    const enum fb_scheme scheme = forest->design->scheme;
    const size_t n_units = fb_run_units(&forest->tree->runs[run]);
    const struct fb_filter *f = forest->filters + forest->tree->runs[run].first_unit;
    struct rates known = {.n = 0};
    double sum = 0;
    *closed = true;
    if (!forest->run_filtered[run])
        return 1;
    for (size_t u = 0; u < n_units; u++, f++) {
        *closed = *closed &&
                  !fb_scheme_needs_simulation(scheme, f->n_keys, f->geom.n_bits, f->geom.probes);
        sum += rate_of(&known, f);
    }
    return n_units ? sum / (double)n_units : NAN;
}

/* Shapes by number of keys: units mostly have one of a few sizes, and some designs solve their
 * rules by search. */
enum { REMEMBERED = 1024 };
struct shape {
    uint64_t n_keys; /* 0: none yet */
    struct fb_params asked;
    struct fb_params params;
    struct fb_geometry geom;
};

static bool same_params(const struct fb_params *a, const struct fb_params *b)
{
    return a->bits_per_key == b->bits_per_key && a->fpr == b->fpr && a->capacity == b->capacity &&
           a->probes == b->probes;
}

static enum fb_err shape_of(const struct fb_design *design, const struct fb_params *params,
                            uint64_t n_keys, struct shape *remembered, const struct shape **out,
                            const char **why)
{
    struct shape *s = remembered + n_keys % REMEMBERED;
    *out = s;
    if (s->n_keys == n_keys && same_params(&s->asked, params))
        return FB_OK;
    s->n_keys = 0;
    s->asked = s->params = *params;
    enum fb_err err = fb_params_plan(design, n_keys, &s->params, &s->geom, why);
    if (!err)
        s->n_keys = n_keys;
    return err;
}

/* Sizes of the filters of one run from their numbers of keys. */
static enum fb_err plan_run(struct fb_forest_build *b, size_t run, struct shape *remembered,
                            const char **why)
{
    struct fb_forest_run *r = b->runs + run;
    for (size_t u = r->first_unit; u < r->first_unit + r->n_units; u++) {
        struct fb_filter *f = b->forest->filters + u;
        const struct shape *shape;
        if (!f->n_keys)
            continue;
        enum fb_err err =
            shape_of(f->design, b->spec->params + run, f->n_keys, remembered, &shape, why);
        if (err)
            return err;
        f->params = shape->params;
        f->geom = shape->geom;
        if (r->words < f->geom.digest_words)
            r->words = f->geom.digest_words;
    }
    return FB_OK;
}

static enum fb_err plan(struct fb_forest_build *b, const char **why)
{
    struct shape *remembered = calloc(REMEMBERED, sizeof *remembered);
    enum fb_err err = remembered ? FB_OK : FB_ENOMEM;
    for (size_t run = 0; !err && run < b->tree->n_runs; run++)
        err = plan_run(b, run, remembered, why);
    free(remembered);
    return err;
}

/* Filters that have no bytes yet: no where there will be some, yes elsewhere. */
static void start_filters(struct fb_forest_build *b)
{
    struct fb_forest *forest = b->forest;
    for (size_t run = 0; run < b->tree->n_runs; run++) {
        const struct fb_forest_run *r = b->runs + run;
        forest->run_filtered[run] = fb_forest_filtered(b->spec, b->tree, run);
        for (size_t u = r->first_unit; u < r->first_unit + r->n_units; u++)
            forest->filters[u] = (struct fb_filter){
                .design = b->spec->design,
                .hash = b->spec->hash,
                .kernel = forest->run_filtered[run] ? &fb_kernel_no : &fb_kernel_yes};
    }
}

static enum fb_err map_arena(struct fb_forest *forest, uint64_t n_bytes)
{
    n_bytes = n_bytes ? n_bytes : FB_CACHE_LINE;
    forest->fd = fb_memory_file(NULL, 0);
    if (forest->fd < 0)
        return FB_ENOMEM;
    forest->arena_bytes = n_bytes;
    if (ftruncate(forest->fd, (off_t)n_bytes))
        return FB_ENOMEM;
    void *map = mmap(NULL, (size_t)n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, forest->fd, 0);
    forest->arena = map == MAP_FAILED ? NULL : map;
    return forest->arena ? FB_OK : FB_ENOMEM;
}

static uint64_t whole_lines(uint64_t n_bytes)
{
    return (n_bytes + FB_CACHE_LINE - 1) / FB_CACHE_LINE * FB_CACHE_LINE;
}

enum fb_err fb_forest_lay_out(struct fb_forest_build *b)
{
    struct fb_forest *forest = b->forest;
    uint64_t bytes = 0;
    forest->digest_words = b->spec->design->digest_words ? b->spec->design->digest_words : 1;
    for (size_t run = 0; run < b->tree->n_runs; run++) {
        const struct fb_filter *f = forest->filters + b->runs[run].first_unit;
        for (size_t u = 0; u < b->runs[run].n_units; u++, f++) {
            forest->run_bytes[run] += f->geom.n_bytes;
            bytes += whole_lines(f->geom.n_bytes);
            if (forest->digest_words < f->geom.digest_words)
                forest->digest_words = f->geom.digest_words;
        }
        forest->filter_bytes += forest->run_bytes[run];
    }
    enum fb_err err = map_arena(forest, bytes);
    uint8_t *at = forest->arena;
    for (size_t u = 0; !err && u < b->tree->n_units; u++) {
        forest->filters[u].bytes = at;
        at += whole_lines(forest->filters[u].geom.n_bytes);
    }
    return err;
}

static enum fb_err build_from_keys(struct fb_forest_build *b, bool *complete, const char **why)
{
    enum fb_err err = fb_forest_count(b, complete);
    if (err || !*complete)
        return err;
    err = plan(b, why);
    if (!err)
        err = fb_forest_lay_out(b);
    return err ? err : fb_forest_fill(b, complete);
}

enum fb_err fb_forest_build(const struct fb_forest_spec *spec, const struct fb_tree *tree,
                            uint64_t window_bytes, unsigned n_threads, struct fb_progress *progress,
                            struct fb_forest *out, bool *complete, const char **why)
{
    const struct fb_clock *clock = &fb_system_clock;
    const uint64_t started = clock->wall_ns(clock->self);
    struct fb_forest_build b = {.spec = spec,
                                .tree = tree,
                                .forest = out,
                                .n_threads = n_threads,
                                .progress = progress,
                                .window_bytes = window_bytes};
    *complete = false;
    *why = NULL;
    memset(out, 0, sizeof *out);
    out->design = spec->design;
    out->hash = spec->hash;
    out->tree = tree;
    if (spec->prefix)
        out->prefix = *spec->prefix;
    if (tree->space->file && tree->space->file->type) {
        *why = "the keys of a tree are bytes, without types";
        return FB_EUNSUPPORTED;
    }
    out->filters = calloc(tree->n_units + 1, sizeof *out->filters);
    out->run_bytes = calloc(tree->n_runs + 1, sizeof *out->run_bytes);
    out->run_filtered = calloc(tree->n_runs + 1, sizeof *out->run_filtered);
    enum fb_err err =
        out->filters && out->run_bytes && out->run_filtered ? fb_forest_build_open(&b) : FB_ENOMEM;
    if (!err)
        start_filters(&b);
    if (!err && out->prefix.kind != FB_PREFIX_NONE)
        err = fb_forest_fill_prefixed(&b, complete);
    else if (!err)
        err = build_from_keys(&b, complete, why);
    if (err && !*why)
        *why = b.why;
    fb_forest_build_close(&b);
    if (err || !*complete)
        fb_forest_close(out);
    else
        out->build_s = (double)(clock->wall_ns(clock->self) - started) / 1e9;
    return err;
}
