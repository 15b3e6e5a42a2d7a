/* Filters are built window by window; where they pass, a window is asked and leaves its memory to
 * the next. */
#define _GNU_SOURCE /* madvise */

#include <stdlib.h>
#include <sys/mman.h>

#include "harness/tree/forest_build.h"

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
    size_t r = fb_forest_run_of(b, b->first), u = b->first;
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
        err = fb_forest_take_keys(b, complete);
        if (!err && *complete)
            err = fb_forest_build_units(b, complete);
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
