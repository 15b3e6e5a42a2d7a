#include "harness/tree/ask.h"

#include <math.h>
#include <stdlib.h>

#include "filters/core/bits.h"

enum { BLOCK = 256 };

/* Of a run that is not listed: between two stretches lies what a segment has keys on both sides of.
 */
static bool in_stretch(const struct fb_run *run, uint64_t index)
{
    const struct fb_stretch *next = run->stretch, *end = next + run->n_stretches;
    while (next < end && index >= next->high)
        next++;
    if (next == run->stretch || next == end || index >= next->low)
        return next < end && index >= next->low;
    const size_t segment = fb_segment_of(run->segment_low, run->n_segments, next->low);
    return run->segment_low[segment] != next->low;
}

static bool in_segment(const struct fb_run *run, uint64_t index)
{
    if (!run->member)
        return in_stretch(run, index);
    size_t first = 0, end = run->n_segments; /* the first segment that ends at or behind it */
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (run->segment_last[middle] < index)
            first = middle + 1;
        else
            end = middle;
    }
    return first < run->n_segments && run->segment_low[first] <= index;
}

struct reach {
    uint64_t came, in_range;
};

static void add(const struct fb_tree *tree, const struct fb_query *query, struct reach *reach)
{
    for (size_t r = 0; r < tree->n_runs && r < query->holder; r++) {
        reach[r].came++;
        reach[r].in_range += in_segment(&tree->runs[r], query->index);
    }
}

enum fb_err fb_reach(const struct fb_queries *queries, uint64_t n, double *in_range)
{
    const struct fb_tree *tree = queries->tree;
    const uint64_t looked_at = n < FB_REACH_QUERIES ? n : FB_REACH_QUERIES;
    struct reach *reach = calloc(tree->n_runs + 1, sizeof *reach);
    struct fb_keyset keys = {0};
    enum fb_err err = reach ? FB_OK : FB_ENOMEM;
    for (uint64_t done = 0; done < looked_at && !err; done += BLOCK) {
        const uint64_t here = looked_at - done < BLOCK ? looked_at - done : BLOCK;
        const uint64_t first = (uint64_t)((fb_u128)n * done / looked_at);
        struct fb_query query[BLOCK];
        err = fb_queries_make(queries, first, (size_t)here, query, &keys);
        for (uint64_t i = 0; i < here && !err; i++)
            add(tree, &query[i], reach);
    }
    for (size_t r = 0; r < tree->n_runs && !err; r++)
        in_range[r] = reach[r].came && !tree->runs[r].memtable
                          ? (double)reach[r].in_range / (double)reach[r].came
                          : NAN;
    fb_keyset_close(&keys);
    free(reach);
    return err;
}
