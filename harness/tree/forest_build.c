#define _GNU_SOURCE /* madvise */
#include "harness/tree/forest_build.h"

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

static size_t slices_of(uint64_t n_keys, size_t n_units)
{
    size_t n = n_units ? SLICE_COUNTS / n_units : 1;
    n = fb_min_u64(fb_max_u64(n, MIN_SLICES), MAX_SLICES);
    if (n > n_keys / SLICE_KEYS)
        n = (size_t)(n_keys / SLICE_KEYS) + 1;
    return n + (size_t)(n_keys >> 31); /* so that 32 bits count a slice's keys */
}

enum fb_err fb_forest_build_open(struct fb_forest_build *b)
{
    const struct fb_tree *tree = b->forest->tree;
    b->runs = calloc(tree->n_runs + 1, sizeof *b->runs);
    b->hashes = calloc(tree->n_units + 1, sizeof *b->hashes);
    b->starts = calloc(tree->n_units + 1, sizeof *b->starts);
    if (!b->runs || !b->hashes || !b->starts)
        return FB_ENOMEM;
    for (size_t r = 0; r < tree->n_runs; r++) {
        struct fb_run_build *run = b->runs + r;
        run->first_unit = tree->runs[r].first_unit;
        run->n_units = tree->runs[r].memtable ? 0 : fb_run_units(&tree->runs[r]);
        run->words = 1;
        if (!b->forest->runs[r].filtered)
            continue;
        run->n_slices = slices_of(tree->runs[r].n_keys, run->n_units);
        run->places = calloc(run->n_slices * run->n_units + 1, sizeof *run->places);
        if (!run->places)
            return FB_ENOMEM;
        b->n_slices += run->n_slices;
    }
    return FB_OK;
}

void fb_forest_build_close(struct fb_forest_build *b)
{
    for (size_t r = 0; b->runs && r < b->forest->tree->n_runs; r++)
        free(b->runs[r].places);
    free(b->runs);
    free(b->hashes);
    free(b->starts);
    free(b->window);
    free(b->room);
}

/* Slice i of all: keys first .. first + n - 1 of a run, and where it keeps its places. */
struct slice {
    size_t run;
    uint64_t first, n;
    uint32_t *places;
};

static struct slice slice_of(const struct fb_forest_build *b, size_t i)
{
    struct slice s = {.run = 0};
    for (; i >= b->runs[s.run].n_slices; s.run++)
        i -= b->runs[s.run].n_slices;
    const struct fb_run_build *run = b->runs + s.run;
    const uint64_t n_keys = b->forest->tree->runs[s.run].n_keys, n = run->n_slices;
    s.first = n_keys / n * i + n_keys % n * i / n;
    s.n = n_keys / n * (i + 1) + n_keys % n * (i + 1) / n - s.first;
    s.places = run->places + i * run->n_units;
    return s;
}

static void progress(const struct fb_forest_build *b, uint64_t keys, const char *what)
{
    if (b->spec->progress)
        fb_progress_add(b->spec->progress, keys, what);
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
    const struct fb_forest_build *b = arg;
    const struct slice s = slice_of(b, i);
    fb_run_slice(b->forest->tree, s.run, s.first, s.n, 0, b->runs[s.run].n_units, count_key,
                 s.places);
    progress(b, 0, "counting keys");
    return FB_OK;
}

enum fb_err fb_forest_count(struct fb_forest_build *b, bool *complete)
{
    enum fb_err err = fb_parallel_for(b->n_slices, b->spec->n_threads, count_slice, b, complete);
    for (size_t r = 0; !err && *complete && r < b->forest->tree->n_runs; r++) {
        const struct fb_run_build *run = b->runs + r;
        struct fb_filter *filters = b->forest->filters + run->first_unit;
        for (size_t s = 0; s < run->n_slices; s++)
            for (size_t u = 0; u < run->n_units; u++) {
                uint32_t *place = run->places + s * run->n_units + u, count = *place;
                *place = (uint32_t)filters[u].n_keys;
                filters[u].n_keys += count;
            }
        for (size_t u = 0; !err && u < run->n_units; u++)
            if (filters[u].n_keys > UINT32_MAX) /* its places have 32 bits */
                err = FB_EUNSUPPORTED;
    }
    if (err == FB_EUNSUPPORTED)
        b->why = "a filter of a tree has at most 2^32 - 1 keys";
    return err;
}

/* ---- The keys of a window, in the order of units ---- */

/* Keys of a slice on their way: written here, digested together, then each put in its place. */
struct gather {
    const struct fb_forest_build *b;
    const struct fb_run_build *run;
    uint32_t *places;
    uint8_t *bytes;    /* room for CHUNK keys, owned */
    uint64_t *digests; /* [CHUNK * words], owned */
    uint64_t offset[CHUNK + 1];
    uint32_t unit[CHUNK];
    size_t n;
    uint64_t n_placed;
    enum fb_err err;
};

/* Where the next key of a unit goes. */
static uint64_t *next_place(struct gather *g, size_t unit)
{
    g->n_placed++;
    return g->b->window + g->b->starts[g->run->first_unit + unit] +
           (size_t)g->places[unit]++ * g->run->words;
}

static void put_digests(struct gather *g)
{
    const struct fb_forest_spec *spec = g->b->spec;
    const size_t words = g->run->words;
    const struct fb_keys keys = {.bytes = g->bytes, .offset = g->offset, .n = g->n};
    if (!g->err)
        g->err = fb_digest_keys(spec->design, spec->hash, (unsigned)words, &keys, g->digests);
    for (size_t i = 0; !g->err && i < g->n; i++) {
        uint64_t *to = next_place(g, g->unit[i]);
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
    g->offset[g->n + 1] = g->offset[g->n] + fb_keyspace_write(g->b->forest->tree->space, index,
                                                              g->bytes + g->offset[g->n]);
    if (++g->n == CHUNK)
        put_digests(g);
}

static void gather_index(void *arg, size_t unit, uint64_t index)
{
    *next_place(arg, unit) = index;
}

static bool prefixed(const struct fb_forest_build *b)
{
    return b->forest->prefix.kind != FB_PREFIX_NONE;
}

bool fb_forest_sizes_late(const struct fb_forest *forest)
{
    return forest->prefix.kind != FB_PREFIX_NONE || !fb_design_keeps_plan(forest->design);
}

static enum fb_err gather_slice(void *arg, size_t i)
{
    const struct fb_forest_build *b = arg;
    const struct fb_tree *tree = b->forest->tree;
    const struct slice s = slice_of(b, i);
    const struct fb_run_build *run = b->runs + s.run;
    const size_t first = fb_max_u64(b->first, run->first_unit);
    const size_t end = fb_min_u64(b->end, run->first_unit + run->n_units);
    if (first >= end)
        return FB_OK;
    struct gather *g = calloc(1, sizeof *g);
    if (!g)
        return FB_ENOMEM;
    g->b = b;
    g->run = run;
    g->places = s.places;
    g->bytes = malloc(CHUNK * tree->space->max_len + 1);
    g->digests = malloc((CHUNK * run->words + 1) * sizeof *g->digests);
    g->err = g->bytes && g->digests ? FB_OK : FB_ENOMEM;
    if (!g->err) {
        fb_run_slice(tree, s.run, s.first, s.n, first - run->first_unit, end - first,
                     prefixed(b) ? gather_index : gather_key, g);
        put_digests(g);
    }
    enum fb_err err = g->err;
    progress(b, g->n_placed, "hashing keys");
    free(g->bytes);
    free(g->digests);
    free(g);
    return err;
}

/* ---- Filters of a window ---- */

/* From n digests of `words` words, of which the filter takes as many as it needs. */
static enum fb_err build_digested(struct fb_filter *f, uint64_t *digests, unsigned words,
                                  const char **why)
{
    struct fb_filter built;
    const size_t n = (size_t)f->n_keys, own_words = f->geom.digest_words;
    size_t added;
    for (size_t i = 1; own_words < words && i < n; i++)
        memmove(digests + i * own_words, digests + i * words, own_words * sizeof *digests);
    uint8_t *arena = f->bytes;
    /* Planned already, and nothing but adding is left: planning again may cost more than that. */
    if (arena && !fb_design_waits(f->design) && f->geom.n_bits) {
        f->kernel = fb_kernel_find(f->design, FB_ISA_NONE);
        f->n_keys = 0;
        f->attempts = 1;
        f->finished = true;
        return fb_filter_add_digests(f, digests, n, &added, why);
    }
    enum fb_err err =
        fb_filter_build_digests(f->design, f->hash, &f->params, digests, n, &built, why);
    if (!err && fb_design_waits(f->design))
        built.temporary_bytes += n * own_words * sizeof *digests;
    if (!err && arena) { /* keys that are not counted leave it within its bytes */
        memcpy(arena, built.bytes, built.geom.n_bytes);
        free(built.bytes);
        built.bytes = arena;
    }
    if (!err)
        *f = built;
    return err;
}

/* From the indices of its keys, into bytes of its own. */
static enum fb_err build_prefixed(const struct fb_forest_build *b, size_t run,
                                  const uint64_t *index, struct fb_filter *f, const char **why)
{
    const struct fb_forest_spec *spec = b->spec;
    struct fb_keyset keys, sorted = {0};
    size_t n_repeats;
    enum fb_err err = fb_keyspace_keys(b->forest->tree->space, index, (size_t)f->n_keys, &keys);
    f->n_keys = 0; /* of a filter without entries */
    if (!err)
        err = fb_keyset_sorted(&keys.keys, &sorted, &n_repeats);
    if (!err)
        err = fb_prefix_filter(spec->prefix, spec->design, spec->hash, spec->params + run,
                               &sorted.keys, f, why);
    fb_keyset_close(&keys);
    fb_keyset_close(&sorted);
    return err;
}

enum { BUILD_TASKS = 256 }; /* per window: many enough to share, few enough to cost nothing */

static size_t units_a_task(const struct fb_forest_build *b)
{
    return fb_divide_up(b->end - b->first, BUILD_TASKS);
}

static size_t run_of(const struct fb_forest_build *b, size_t unit)
{
    size_t r = 0;
    while (r + 1 < b->forest->tree->n_runs && b->runs[r].first_unit + b->runs[r].n_units <= unit)
        r++;
    return r;
}

static enum fb_err build_units(void *arg, size_t i)
{
    struct fb_forest_build *b = arg;
    const size_t each = units_a_task(b);
    size_t u = b->first + i * each, end = fb_min_u64(u + each, b->end), r = run_of(b, u);
    enum fb_err err = FB_OK;
    for (; !err && u < end; u++) {
        struct fb_filter *f = b->forest->filters + u;
        uint64_t *waiting = b->window + b->starts[u];
        const char *why = NULL;
        while (u >= b->runs[r].first_unit + b->runs[r].n_units)
            r++;
        if (b->room && f->n_keys)
            memset(f->bytes, 0, (size_t)f->geom.n_bytes);
        if (f->n_keys)
            err = prefixed(b) ? build_prefixed(b, r, waiting, f, &why)
                              : build_digested(f, waiting, b->runs[r].words, &why);
        if (why)
            b->why = why;
        b->hashes[u] = fb_xxh64(f->bytes, (size_t)f->geom.n_bytes, 0);
    }
    progress(b, 0, "building filters");
    return err;
}

/* Of units first .. end - 1, whose starts are set: their keys into the window, in the order of
 * units. */
static enum fb_err take_keys(struct fb_forest_build *b, bool *complete)
{
    return fb_parallel_for(b->n_slices, b->spec->n_threads, gather_slice, b, complete);
}

/* Their filters, which have bytes by then unless their size shows late. */
static enum fb_err build_window(struct fb_forest_build *b, bool *complete)
{
    return fb_parallel_for(fb_divide_up(b->end - b->first, units_a_task(b)), b->spec->n_threads,
                           build_units, b, complete);
}

/* ---- Window by window ---- */

static const uint64_t HUGE_PAGE = UINT64_C(2) << 20;

/* What a window takes. */
struct extent {
    uint64_t words; /* of keys */
    uint64_t bytes; /* of filters, where they pass */
};

/* Units from b->first on that fit, at least one; sets their starts and b->end. */
static struct extent open_window(struct fb_forest_build *b)
{
    struct extent all = {0, 0};
    size_t r = run_of(b, b->first), u = b->first;
    for (; u < b->forest->tree->n_units; u++) {
        while (u >= b->runs[r].first_unit + b->runs[r].n_units)
            r++;
        const struct fb_filter *f = b->forest->filters + u;
        const uint64_t words = all.words + f->n_keys * b->runs[r].words;
        const uint64_t bytes =
            all.bytes + (b->spec->visit ? fb_round_up(f->geom.n_bytes, FB_CACHE_LINE) : 0);
        if (8 * words + bytes > b->spec->window_bytes && u > b->first)
            break;
        b->starts[u] = all.words;
        all = (struct extent){words, bytes};
    }
    b->end = u;
    return all;
}

/* Memory whose every part is written to at random; NULL: there is none. */
static void *alloc_huge(uint64_t n_bytes)
{
    const uint64_t bytes = fb_round_up(n_bytes, HUGE_PAGE);
    void *memory =
        bytes >= n_bytes && bytes <= SIZE_MAX ? aligned_alloc(HUGE_PAGE, (size_t)bytes) : NULL;
#ifdef MADV_HUGEPAGE
    if (memory)
        madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

static bool passes(const struct fb_forest_build *b)
{
    return b->spec->visit && !fb_forest_sizes_late(b->forest);
}

static enum fb_err alloc_window(struct fb_forest_build *b)
{
    struct extent most = {1, 1};
    for (b->first = 0; b->first < b->forest->tree->n_units; b->first = b->end) {
        const struct extent window = open_window(b);
        most.words = fb_max_u64(most.words, window.words);
        most.bytes = fb_max_u64(most.bytes, window.bytes);
    }
    b->window = most.words <= UINT64_MAX / 8 ? alloc_huge(8 * most.words) : NULL;
    if (b->window && passes(b))
        b->room = alloc_huge(most.bytes);
    return b->window && (b->room || !passes(b)) ? FB_OK : FB_ENOMEM;
}

/* ---- Filters that pass ---- */

static void take_room(struct fb_forest_build *b)
{
    uint8_t *at = b->room;
    for (size_t u = b->first; at && u < b->end; u++) {
        struct fb_filter *f = b->forest->filters + u;
        f->bytes = at;
        at += fb_round_up(f->geom.n_bytes, FB_CACHE_LINE);
    }
}

static void leave_room(struct fb_forest_build *b)
{
    for (size_t u = b->first; b->spec->visit && u < b->end; u++) {
        struct fb_filter *f = b->forest->filters + u;
        if (!b->room)
            free(f->bytes);
        f->bytes = NULL;
    }
}

enum fb_err fb_forest_fill(struct fb_forest_build *b, bool *complete)
{
    struct fb_forest *forest = b->forest;
    const size_t n_units = forest->tree->n_units;
    enum fb_err err = alloc_window(b);
    *complete = !err;
    for (b->first = 0; *complete && b->first < n_units; b->first = b->end) {
        open_window(b);
        take_room(b);
        err = take_keys(b, complete);
        if (!err && *complete)
            err = build_window(b, complete);
        if (!err && *complete && b->spec->visit)
            err = b->spec->visit(b->spec->visitor, forest, b->first, b->end, complete);
        leave_room(b);
        *complete = *complete && !err;
    }
    for (size_t u = 0; u < n_units; u++) {
        uint64_t chain[2] = {forest->checksum, b->hashes[u]};
        forest->checksum = fb_xxh64(chain, sizeof chain, 0);
    }
    return err;
}
