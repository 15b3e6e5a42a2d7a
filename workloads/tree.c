#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "workloads/core/rng.h"
#include "workloads/core/tree_build.h"
#include "workloads/core/tree_plan.h"

/* floor(a 2^63 / b) + 1, a <= b */
static uint64_t slope_of(uint64_t a, uint64_t b)
{
    return (uint64_t)(((fb_u128)a << 63) / b) + 1;
}

/* ---- Segments and units ---- */

void fb_run_cut(struct fb_run *r, uint64_t n_segments, uint64_t unit_keys)
{
    r->n_segments = n_segments;
    r->units_per_segment =
        unit_keys ? fb_divide_up(fb_divide_up(r->n_keys, r->n_segments), unit_keys) : 1;
    while (r->units_per_segment > 1 && fb_run_units(r) > r->n_keys)
        r->units_per_segment--;
    r->unit_slope = slope_of(fb_run_units(r), r->n_keys);
    r->segment_slope = slope_of(1, r->units_per_segment);
    r->segment_whole = r->n_keys / r->n_segments;
    r->segment_part = (uint64_t)(((fb_u128)(r->n_keys % r->n_segments) << 63) / r->n_segments);
}

/* ---- Runs that are listed ---- */

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS };

/* By index, tombstone bits aside: least significant digit first; spare [n]. */
static void sort_members(uint64_t **member, uint64_t **spare, size_t n, uint64_t highest)
{
    for (unsigned shift = 0; shift < 63 && highest >> shift; shift += DIGIT_BITS) {
        size_t start[N_DIGITS + 1] = {0};
        const uint64_t *from = *member;
        uint64_t *to = *spare;
        const uint64_t mask = (N_DIGITS - 1) & (~FB_MEMBER_TOMBSTONE >> shift);
        for (size_t i = 0; i < n; i++)
            start[(from[i] >> shift & mask) + 1]++;
        for (size_t d = 0; d < N_DIGITS; d++)
            start[d + 1] += start[d];
        for (size_t i = 0; i < n; i++)
            to[start[from[i] >> shift & mask]++] = from[i];
        *spare = *member;
        *member = to;
    }
}

enum fb_err fb_run_index(struct fb_run *r)
{
    const uint64_t n = r->n_keys;
    r->low = r->member[0] & ~FB_MEMBER_TOMBSTONE;
    r->high = (r->member[n - 1] & ~FB_MEMBER_TOMBSTONE) + 1;
    uint64_t width = r->high - r->low;
    r->guide_shift = 0;
    while (width >> r->guide_shift > n / 2 + 1)
        r->guide_shift++;
    uint64_t n_guides = ((width - 1) >> r->guide_shift) + 1;
    r->guide = malloc((n_guides + 1) * sizeof *r->guide);
    r->segment_low = malloc(r->n_segments * sizeof *r->segment_low);
    r->segment_last = malloc(r->n_segments * sizeof *r->segment_last);
    if (!r->guide || !r->segment_low || !r->segment_last)
        return FB_ENOMEM;
    for (uint64_t i = 0; i < FB_RUN_PADDING; i++)
        r->member[n + i] = ~FB_MEMBER_TOMBSTONE;
    for (uint64_t i = 0, g = 0; g <= n_guides; g++) {
        while (i < n && ((r->member[i] & ~FB_MEMBER_TOMBSTONE) - r->low) >> r->guide_shift < g)
            i++;
        r->guide[g] = (uint32_t)i;
    }
    for (uint64_t s = 0; s < r->n_segments; s++) {
        uint64_t first = (uint64_t)(((fb_u128)s * n + r->n_segments - 1) / r->n_segments);
        r->segment_low[s] = r->member[first] & ~FB_MEMBER_TOMBSTONE;
        if (s)
            r->segment_last[s - 1] = r->member[first - 1] & ~FB_MEMBER_TOMBSTONE;
    }
    r->segment_last[r->n_segments - 1] = r->high - 1;
    return FB_OK;
}

static enum fb_err list_run(struct fb_run *r, const struct fb_keyspace *space)
{
    uint64_t *spare = malloc((r->n_keys + FB_RUN_PADDING) * sizeof *spare);
    r->member = malloc((r->n_keys + FB_RUN_PADDING) * sizeof *r->member);
    if (!spare || !r->member) {
        free(spare);
        return FB_ENOMEM;
    }
    fb_keyspace_indices(space, r->first, (size_t)r->n_own, r->member);
    for (uint64_t i = 0; i < r->n_updates; i++)
        r->member[r->n_own + i] = fb_keyspace_index(space, fb_permute(&r->updates, i)) |
                                  (i < r->n_tombstones ? FB_MEMBER_TOMBSTONE : 0);
    sort_members(&r->member, &spare, r->n_keys, space->size - 1);
    free(spare);
    return fb_run_index(r);
}

/* ---- Runs that are interpolated ---- */

static void add_piece(struct fb_run *r, uint64_t low, uint64_t high, uint64_t n_keys)
{
    if (!n_keys)
        return;
    struct fb_stretch *last = r->n_stretches ? &r->stretch[r->n_stretches - 1] : NULL;
    r->stretch[r->n_stretches++] =
        (struct fb_stretch){low, high, last ? last->first_rank + last->n_keys : 0, n_keys,
                            slope_of(n_keys, high - low)};
}

/* n_keys of n arrivals, which ascend with their indices. */
static void add_arrivals(struct fb_run *r, const struct fb_keyspace *space, uint64_t first,
                         uint64_t n, uint64_t n_keys)
{
    if (n_keys)
        add_piece(r, fb_keyspace_index(space, first), fb_keyspace_index(space, first + n - 1) + 1,
                  n_keys);
}

/* The lowest index that lies in the segment or behind it. */
static uint64_t lowest_of(const struct fb_run *r, size_t segment)
{
    uint64_t low = r->low, high = r->high - 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        struct fb_place at;
        bool inside = fb_run_locate(r, middle, &at);
        if (at.segment > segment || (inside && at.segment == segment))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static enum fb_err interpolate_run(struct fb_run *r, const struct fb_keyspace *space)
{
    if (space->order == FB_ORDER_SHUFFLE) {
        add_piece(r, 0, space->size, r->n_keys);
    } else {
        add_arrivals(r, space, 0, r->first, r->n_updates);
        add_arrivals(r, space, r->first, r->n_own, r->n_own);
    }
    r->low = r->stretch[0].low;
    r->high = r->stretch[r->n_stretches - 1].high;
    r->segment_low = malloc(r->n_segments * sizeof *r->segment_low);
    if (!r->segment_low)
        return FB_ENOMEM;
    for (size_t s = 0; s < r->n_segments; s++)
        r->segment_low[s] = lowest_of(r, s);
    return FB_OK;
}

/* ---- The tree ---- */

/* Which keys the run has: `first` arrivals are older than its own. */
static void choose_keys(const struct fb_tree_shape *shape, struct fb_run *r, uint64_t stream)
{
    double updates = (double)r->n_own * (shape->updates / (1 - shape->updates));
    r->n_updates = updates < (double)r->first ? (uint64_t)updates : r->first;
    r->n_tombstones = (uint64_t)((double)r->n_updates * shape->tombstones);
    if (r->n_tombstones > r->n_updates)
        r->n_tombstones = r->n_updates;
    if (r->n_updates)
        fb_permutation_init(&r->updates, r->first, stream);
    r->n_keys = r->n_own + r->n_updates;
}

static void lay_out(const struct fb_tree_shape *shape, const struct fb_tree_plan *plan,
                    const struct fb_keyspace *space, struct fb_tree *t)
{
    uint64_t older = space->n_present;
    const uint64_t root = space->stream ^ space->shuffle.addend[0];
    for (size_t i = 0; i < plan->n_runs; i++) {
        const struct fb_run_plan *p = &plan->run[i];
        struct fb_run *r = &t->runs[i];
        older -= p->n_own;
        *r = (struct fb_run){
            .level = p->level, .memtable = p->memtable, .n_own = p->n_own, .first = older};
        choose_keys(shape, r, fb_stream_key(root, FB_DOMAIN_UPDATES, i));
        fb_run_cut(r, p->segments ? p->segments : fb_divide_up(r->n_keys, plan->segment_keys),
                   p->memtable || shape->unit == FB_UNIT_FILE ? 0 : plan->unit_keys);
        fb_tree_count(t, r);
    }
}

void fb_tree_count(struct fb_tree *t, struct fb_run *r)
{
    r->first_unit = t->n_units;
    t->n_keys += r->n_keys;
    if (r->memtable)
        return;
    t->n_units += fb_run_units(r);
    const uint64_t fullest = fb_divide_up(r->n_keys, r->n_segments);
    t->segment_keys = fullest > t->segment_keys ? fullest : t->segment_keys;
}

enum fb_err fb_tree_make(const struct fb_tree_shape *shape, const struct fb_keyspace *space,
                         uint64_t list_limit, struct fb_tree *out, const char **why)
{
    struct fb_tree_plan plan;
    memset(out, 0, sizeof *out);
    enum fb_err err = fb_tree_plan(shape, space->n_present, &plan, why);
    if (err)
        return err;
    out->runs = calloc(plan.n_runs, sizeof *out->runs);
    if (!out->runs)
        return FB_ENOMEM;
    out->n_runs = plan.n_runs;
    out->n_levels = plan.n_levels;
    out->unit_keys = plan.unit_keys;
    out->whole_unit_keys = plan.whole_unit_keys;
    out->space = space;
    lay_out(shape, &plan, space, out);
    bool listed = out->n_keys <= list_limit && out->n_keys <= INT32_MAX;
    for (size_t i = 0; !err && i < out->n_runs; i++)
        err = listed ? list_run(&out->runs[i], space) : interpolate_run(&out->runs[i], space);
    if (err)
        fb_tree_close(out);
    return err;
}

void fb_tree_close(struct fb_tree *t)
{
    for (size_t i = 0; i < t->n_runs; i++) {
        free(t->runs[i].member);
        free(t->runs[i].segment_low);
        free(t->runs[i].segment_last);
        free(t->runs[i].guide);
    }
    free(t->runs);
    memset(t, 0, sizeof *t);
}
