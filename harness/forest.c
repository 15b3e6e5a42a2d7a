/* Planning and layout of a tree's filters; forest_build.c fills them. */
#include "harness/forest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/clock.h"
#include "harness/forest_build.h"
#include "harness/processes.h"

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
    return fb_digest_keys(forest->design, forest->hash, forest->digest_words, keys, digests);
}

/* Shapes by number of keys: units of a run mostly have one of a few sizes, and some designs solve
 * their rules by search. */
enum { REMEMBERED = 256 };
struct shape {
    uint64_t n_keys; /* 0: none yet */
    struct fb_params params;
    struct fb_geometry geom;
};

static enum fb_err shape_of(const struct fb_design *design, const struct fb_params *params,
                            uint64_t n_keys, struct shape *remembered, const struct shape **out,
                            const char **why)
{
    struct shape *s = remembered + n_keys % REMEMBERED;
    *out = s;
    if (s->n_keys == n_keys)
        return FB_OK;
    bool derived;
    s->n_keys = 0;
    s->params = *params;
    enum fb_err err = fb_params_resolve(design, n_keys, &s->params, &derived, why);
    if (!err)
        err = fb_design_plan(design, &s->params, n_keys, &s->geom, why);
    if (!err)
        s->n_keys = n_keys;
    return err;
}

/* Sizes of the filters of one run; *arena_bytes grows by their cache lines. */
static enum fb_err plan_run(struct fb_forest_build *b, size_t run, struct shape *remembered,
                            uint64_t *arena_bytes, const char **why)
{
    const struct fb_forest_spec *spec = b->spec;
    struct fb_forest *forest = b->forest;
    struct fb_forest_run *r = b->runs + run;
    const bool filtered = fb_forest_filtered(spec, b->tree, run);
    forest->run_filtered[run] = filtered;
    memset(remembered, 0, REMEMBERED * sizeof *remembered);
    for (size_t u = r->first_unit; u < r->first_unit + r->n_units; u++) {
        struct fb_filter *f = forest->filters + u;
        f->design = spec->design;
        f->hash = spec->hash;
        f->kernel = filtered ? &fb_kernel_no : &fb_kernel_yes;
        if (!f->n_keys)
            continue;
        const struct shape *shape;
        enum fb_err err =
            shape_of(spec->design, spec->params + run, f->n_keys, remembered, &shape, why);
        if (err)
            return err;
        f->params = shape->params;
        f->geom = shape->geom;
        if (r->words < f->geom.digest_words)
            r->words = f->geom.digest_words;
        *arena_bytes += (f->geom.n_bytes + FB_CACHE_LINE - 1) / FB_CACHE_LINE * FB_CACHE_LINE;
        forest->run_bytes[run] += f->geom.n_bytes;
    }
    if (forest->digest_words < r->words)
        forest->digest_words = r->words;
    forest->filter_bytes += forest->run_bytes[run];
    return FB_OK;
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

static enum fb_err lay_out(struct fb_forest_build *b, const char **why)
{
    struct fb_forest *forest = b->forest;
    struct shape *remembered = malloc(REMEMBERED * sizeof *remembered);
    uint64_t bytes = 0;
    enum fb_err err = remembered ? FB_OK : FB_ENOMEM;
    forest->digest_words = b->spec->design->digest_words ? b->spec->design->digest_words : 1;
    for (size_t run = 0; !err && run < b->tree->n_runs; run++)
        err = plan_run(b, run, remembered, &bytes, why);
    free(remembered);
    if (!err)
        err = map_arena(forest, bytes);
    uint8_t *at = forest->arena;
    for (size_t u = 0; !err && u < b->tree->n_units; u++) {
        forest->filters[u].bytes = at;
        at += (forest->filters[u].geom.n_bytes + FB_CACHE_LINE - 1) / FB_CACHE_LINE * FB_CACHE_LINE;
    }
    return err;
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
        err = fb_forest_count(&b, complete);
    if (!err && *complete)
        err = lay_out(&b, why);
    if (!err && *complete)
        err = fb_forest_fill(&b, complete);
    if (err && !*why)
        *why = b.why;
    fb_forest_build_close(&b);
    if (err || !*complete)
        fb_forest_close(out);
    else
        out->build_s = (double)(clock->wall_ns(clock->self) - started) / 1e9;
    return err;
}
