#define _GNU_SOURCE /* madvise */

#include "harness/tree/forest_build.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/base/parallel.h"

enum {
    CHUNK = 256,           /* keys digested at a time */
    SLICE_KEYS = 1 << 14,  /* at least, where there are several slices */
    MAX_SLICES = 64,       /* of a run */
    MIN_SLICES = 16,       /* that a run with enough keys gets, however many units it has */
    SLICE_COUNTS = 1 << 20 /* of a run beyond that: 4 MiB */
};
static const uint64_t HUGE_PAGE = UINT64_C(2) << 20;

static size_t slices_of(uint64_t n_keys, size_t n_units)
{
    size_t n = n_units ? SLICE_COUNTS / n_units : 1;
    n = n < MIN_SLICES ? MIN_SLICES : n > MAX_SLICES ? MAX_SLICES : n;
    if (n > n_keys / SLICE_KEYS)
        n = (size_t)(n_keys / SLICE_KEYS) + 1;
    return n + (size_t)(n_keys >> 31); /* so that 32 bits count a slice's keys */
}

enum fb_err fb_forest_build_open(struct fb_forest_build *b)
{
    const struct fb_tree *tree = b->tree;
    b->runs = calloc(tree->n_runs + 1, sizeof *b->runs);
    b->hashes = calloc(tree->n_units + 1, sizeof *b->hashes);
    b->starts = calloc(tree->n_units + 1, sizeof *b->starts);
    if (!b->runs || !b->hashes || !b->starts)
        return FB_ENOMEM;
    for (size_t r = 0; r < tree->n_runs; r++) {
        struct fb_forest_run *run = b->runs + r;
        run->first_unit = tree->runs[r].first_unit;
        if (!tree->runs[r].memtable)
            run->n_units = tree->runs[r].n_segments * tree->runs[r].units_per_segment;
        if (!fb_forest_filtered(b->spec, tree, r))
            continue;
        run->n_slices = slices_of(tree->runs[r].n_keys, run->n_units);
        run->places = calloc(run->n_slices * run->n_units + 1, sizeof *run->places);
        if (!run->places)
            return FB_ENOMEM;
        b->n_slices += run->n_slices;
    }
    b->slices = calloc(b->n_slices + 1, sizeof *b->slices);
    if (!b->slices)
        return FB_ENOMEM;
    size_t at = 0;
    for (size_t r = 0; r < tree->n_runs; r++)
        for (size_t s = 0; s < b->runs[r].n_slices; s++)
            b->slices[at++] = (struct fb_forest_slice){(uint32_t)r, (uint32_t)s};
    return FB_OK;
}

void fb_forest_build_close(struct fb_forest_build *b)
{
    for (size_t r = 0; b->runs && r < b->tree->n_runs; r++)
        free(b->runs[r].places);
    free(b->runs);
    free(b->slices);
    free(b->hashes);
    free(b->starts);
    free(b->window);
}

/* First key of slice s of n; slice n is the end. */
static uint64_t slice_first(uint64_t n_keys, size_t s, size_t n)
{
    return n_keys / n * s + n_keys % n * s / n;
}

/* ---- Counting ---- */

static void count_key(void *arg, size_t unit, uint64_t index)
{
    (void)index;
    uint32_t *counts = arg;
    counts[unit]++;
}

static enum fb_err count_slice(void *arg, size_t i)
{
    struct fb_forest_build *b = arg;
    const struct fb_forest_slice at = b->slices[i];
    const struct fb_forest_run *run = b->runs + at.run;
    uint64_t n_keys = b->tree->runs[at.run].n_keys;
    uint64_t first = slice_first(n_keys, at.slice, run->n_slices);
    fb_run_slice(b->tree, at.run, first, slice_first(n_keys, at.slice + 1, run->n_slices) - first,
                 0, run->n_units, count_key, run->places + at.slice * run->n_units);
    if (b->progress)
        fb_progress_add(b->progress, 0, "counting keys");
    return FB_OK;
}

enum fb_err fb_forest_count(struct fb_forest_build *b, bool *complete)
{
    enum fb_err err = fb_parallel_for(b->n_slices, b->n_threads, count_slice, b, complete);
    for (size_t r = 0; !err && *complete && r < b->tree->n_runs; r++) {
        struct fb_forest_run *run = b->runs + r;
        struct fb_filter *filters = b->forest->filters + run->first_unit;
        for (size_t s = 0; s < run->n_slices; s++)
            for (size_t u = 0; u < run->n_units; u++) {
                uint32_t *place = run->places + s * run->n_units + u, count = *place;
                *place = (uint32_t)filters[u].n_keys;
                filters[u].n_keys += count;
            }
    }
    return err;
}

/* ---- Digests of a window, in the order of units ---- */

/* Keys of a slice on their way: written here, digested together, then each put in its place. */
struct gather {
    const struct fb_forest_build *b;
    const struct fb_forest_run *run;
    uint32_t *places;
    uint8_t *bytes;    /* room for CHUNK keys, owned */
    uint64_t *digests; /* [CHUNK * words], owned */
    uint64_t offset[CHUNK + 1];
    uint32_t unit[CHUNK];
    size_t n;
    enum fb_err err;
};

static void put_digests(struct gather *g)
{
    const struct fb_forest_build *b = g->b;
    const size_t words = g->run->words;
    const uint64_t *starts = b->starts + g->run->first_unit;
    const struct fb_keys keys = {.bytes = g->bytes, .offset = g->offset, .n = g->n};
    if (!g->err)
        g->err = fb_digest_keys(b->spec->design, b->spec->hash, (unsigned)words, &keys, g->digests);
    for (size_t i = 0; !g->err && i < g->n; i++) {
        uint32_t unit = g->unit[i];
        uint64_t *to = b->window + starts[unit] + g->places[unit]++ * words;
        if (words == 1)
            *to = g->digests[i];
        else
            memcpy(to, g->digests + i * words, words * sizeof *to);
    }
    g->n = 0;
}

static void gather_key(void *arg, size_t unit, uint64_t index)
{
    struct gather *g = arg;
    g->unit[g->n] = (uint32_t)unit;
    g->offset[g->n + 1] =
        g->offset[g->n] + fb_keyspace_write(g->b->tree->space, index, g->bytes + g->offset[g->n]);
    if (++g->n == CHUNK)
        put_digests(g);
}

static enum fb_err gather_slice(void *arg, size_t i)
{
    struct fb_forest_build *b = arg;
    const struct fb_forest_slice at = b->slices[i];
    const struct fb_forest_run *run = b->runs + at.run;
    const size_t run_end = run->first_unit + run->n_units;
    size_t first_unit = b->first > run->first_unit ? b->first : run->first_unit;
    size_t end_unit = b->end < run_end ? b->end : run_end;
    if (first_unit >= end_unit)
        return FB_OK;
    struct gather *g = calloc(1, sizeof *g);
    if (!g)
        return FB_ENOMEM;
    g->b = b;
    g->run = run;
    g->places = run->places + at.slice * run->n_units;
    g->bytes = malloc(CHUNK * b->tree->space->max_len + 1);
    g->digests = malloc((CHUNK * run->words + 1) * sizeof *g->digests);
    g->err = g->bytes && g->digests ? FB_OK : FB_ENOMEM;
    if (!g->err) {
        uint64_t n_keys = b->tree->runs[at.run].n_keys;
        uint64_t first = slice_first(n_keys, at.slice, run->n_slices);
        uint64_t end = slice_first(n_keys, at.slice + 1, run->n_slices);
        fb_run_slice(b->tree, at.run, first, end - first, first_unit - run->first_unit,
                     end_unit - first_unit, gather_key, g);
        put_digests(g);
    }
    enum fb_err err = g->err;
    free(g->bytes);
    free(g->digests);
    free(g);
    if (b->progress)
        fb_progress_add(b->progress, 0, "hashing keys");
    return err;
}

/* ---- Filters of a window ---- */

void fb_forest_explain(struct fb_forest_build *b, const char *why)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    b->why = why;
    pthread_mutex_unlock(&lock);
}

static enum fb_err build_unit(struct fb_forest_build *b, size_t u, unsigned words)
{
    struct fb_filter *f = b->forest->filters + u, built;
    uint64_t *digests = b->window + b->starts[u];
    const size_t n = (size_t)f->n_keys, own_words = f->geom.digest_words;
    const char *why;
    for (size_t i = 1; own_words < words && i < n; i++)
        memmove(digests + i * own_words, digests + i * words, own_words * sizeof *digests);
    /* Planned already, and nothing but adding is left: planning again may cost more than that. */
    if (!f->design->build && !(f->design->traits & FB_DROPS_ADJACENT) && f->geom.n_bits) {
        f->kernel = fb_kernel_find(f->design, FB_ISA_NONE);
        f->kernel->add_batch(f, digests, n);
        return FB_OK;
    }
    enum fb_err err =
        fb_filter_build_digests(f->design, f->hash, &f->params, digests, n, &built, &why);
    if (!err && built.geom.n_bytes > f->geom.n_bytes) { /* fewer keys never need more bytes */
        fb_filter_close(&built);
        err = FB_EUNSUPPORTED;
        why = "a filter of this design can grow beyond its plan";
    }
    if (err) {
        fb_forest_explain(b, why);
        return err;
    }
    uint8_t *arena = f->bytes;
    memcpy(arena, built.bytes, built.geom.n_bytes);
    free(built.bytes);
    *f = built;
    f->bytes = arena;
    return FB_OK;
}

enum { BUILD_TASKS = 256 }; /* per window: many enough to share, few enough to cost nothing */

static size_t units_a_task(const struct fb_forest_build *b)
{
    return (b->end - b->first + BUILD_TASKS - 1) / BUILD_TASKS;
}

static size_t run_of(const struct fb_forest_build *b, size_t unit)
{
    size_t r = 0;
    while (r + 1 < b->tree->n_runs && b->runs[r].first_unit + b->runs[r].n_units <= unit)
        r++;
    return r;
}

static enum fb_err build_units(void *arg, size_t i)
{
    struct fb_forest_build *b = arg;
    size_t each = units_a_task(b), u = b->first + i * each;
    size_t end = u + each < b->end ? u + each : b->end, r = run_of(b, u);
    uint64_t keys = 0;
    enum fb_err err = FB_OK;
    for (; !err && u < end; u++) {
        while (u >= b->runs[r].first_unit + b->runs[r].n_units)
            r++;
        struct fb_filter *f = b->forest->filters + u;
        keys += f->n_keys;
        if (f->n_keys)
            err = build_unit(b, u, b->runs[r].words);
        b->hashes[u] = fb_xxh64(f->bytes, (size_t)f->geom.n_bytes, 0);
    }
    if (b->progress)
        fb_progress_add(b->progress, keys, "building filters");
    return err;
}

/* ---- Windows ---- */

/* Units from b->first on whose digests fit, at least one; sets their starts and b->end, and returns
 * the words they take. */
static uint64_t open_window(struct fb_forest_build *b)
{
    const uint64_t most = b->window_bytes / 8;
    uint64_t words = 0;
    size_t r = run_of(b, b->first), u = b->first;
    for (; u < b->tree->n_units; u++) {
        while (u >= b->runs[r].first_unit + b->runs[r].n_units)
            r++;
        uint64_t more = b->forest->filters[u].n_keys * b->runs[r].words;
        if (words + more > most && u > b->first)
            break;
        b->starts[u] = words;
        words += more;
    }
    b->end = u;
    return words;
}

static enum fb_err alloc_window(struct fb_forest_build *b)
{
    uint64_t most = 1;
    for (b->first = 0; b->first < b->tree->n_units; b->first = b->end) {
        uint64_t words = open_window(b);
        most = words > most ? words : most;
    }
    const uint64_t bytes = (most * 8 + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    b->window =
        bytes / 8 >= most && bytes <= SIZE_MAX ? aligned_alloc(HUGE_PAGE, (size_t)bytes) : NULL;
#ifdef MADV_HUGEPAGE
    if (b->window)
        madvise(b->window, (size_t)bytes,
                MADV_HUGEPAGE); /* digests go to as many places as units */
#endif
    return b->window ? FB_OK : FB_ENOMEM;
}

enum fb_err fb_forest_fill(struct fb_forest_build *b, bool *complete)
{
    enum fb_err err = alloc_window(b);
    *complete = !err;
    for (b->first = 0; *complete && b->first < b->tree->n_units; b->first = b->end) {
        open_window(b);
        err = fb_parallel_for(b->n_slices, b->n_threads, gather_slice, b, complete);
        if (!err && *complete) {
            size_t each = units_a_task(b);
            err = fb_parallel_for((b->end - b->first + each - 1) / each, b->n_threads, build_units,
                                  b, complete);
        }
    }
    fb_forest_checksum(b);
    return err;
}

void fb_forest_checksum(struct fb_forest_build *b)
{
    for (size_t u = 0; u < b->tree->n_units; u++) {
        uint64_t chain[2] = {b->forest->checksum, b->hashes[u]};
        b->forest->checksum = fb_xxh64(chain, sizeof chain, 0);
    }
}
