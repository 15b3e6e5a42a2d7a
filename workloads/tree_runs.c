/*
 * Places in a run.
 *
 * Let a run have n keys, S segments and U = S * u units. The key of rank p lies in unit
 * floor(p U / n), hence in segment floor(p S / n), whose first rank is ceil(s n / S). Quotients are
 * fractions of 2^63, rounded up: floor(x a / b) from floor(a 2^63 / b) + 1 is exact while
 * x b <= 2^63, as the excess x / 2^63 is below 1 / b; beyond, where runs are interpolated anyway, a
 * boundary may be one key off, the same for everyone who asks.
 */
#include "filters/core/bits.h"
#include "workloads/core/tree_build.h"

static uint64_t scaled(uint64_t x, uint64_t slope)
{
    return (uint64_t)((fb_u128)x * slope >> 63);
}

static size_t unit_of_rank(const struct fb_run *r, uint64_t rank)
{
    uint64_t unit = scaled(rank, r->unit_slope), n = fb_run_units(r);
    return unit < n ? unit : n - 1;
}

static uint64_t segment_first_rank(const struct fb_run *r, uint64_t segment)
{
    fb_u128 part = (fb_u128)segment * r->segment_part + (INT64_MAX);
    return segment * r->segment_whole + (uint64_t)(part >> 63);
}

/* ---- Rank ---- */

/* Keys of a listed run below index, low <= index < high. Whatever lies behind the end of a stretch
 * of the guide is not below, and so are the FB_RUN_PADDING members behind the last. */
static uint64_t listed_rank(const struct fb_run *r, uint64_t index)
{
    const uint32_t *guide = r->guide + ((index - r->low) >> r->guide_shift);
    uint64_t first = guide[0], end = guide[1];
    while (end - first > FB_RUN_PADDING) {
        uint64_t middle = first + (end - first) / 2;
        if (fb_run_member(r, middle) < index)
            first = middle + 1;
        else
            end = middle;
    }
    uint64_t n_below = 0;
    for (uint64_t i = 0; i < FB_RUN_PADDING; i++)
        n_below += (fb_run_member(r, first + i) - index) >> 63;
    return first + n_below;
}

uint64_t fb_run_rank(const struct fb_run *r, uint64_t index)
{
    return index < r->low ? 0 : index < r->high ? listed_rank(r, index) : r->n_keys;
}

/* The same, interpolated; *in_piece: not between two pieces. */
static uint64_t interpolated_rank(const struct fb_run *r, uint64_t index, bool *in_piece)
{
    const struct fb_stretch *p = r->stretch;
    for (unsigned i = 1; i < r->n_stretches && index >= r->stretch[i].low; i++)
        p++;
    *in_piece = index < p->high;
    return p->first_rank + (*in_piece ? scaled(index - p->low, p->slope) : p->n_keys);
}

bool fb_run_locate(const struct fb_run *r, uint64_t index, struct fb_place *out)
{
    if (index < r->low || index >= r->high)
        return false;
    bool met;
    uint64_t rank;
    if (r->member) {
        rank = listed_rank(r, index);
        met = fb_run_member(r, rank) == index;
    } else {
        rank = interpolated_rank(r, index, &met);
    }
    out->unit = unit_of_rank(r, rank);
    out->segment = r->units_per_segment == 1 ? out->unit : scaled(out->unit, r->segment_slope);
    uint64_t first = segment_first_rank(r, out->segment);
    out->rank = rank > first ? rank - first : 0;
    out->segment_keys = segment_first_rank(r, out->segment + 1) - first;
    return met || out->rank;
}

bool fb_run_unit(const struct fb_run *r, uint64_t index, size_t *unit)
{
    struct fb_place at;
    if (r->member && r->units_per_segment == 1) {
        if (index < r->low || index >= r->high)
            return false;
        *unit = fb_segment_of(r->segment_low, r->n_segments, index);
        return index <= r->segment_last[*unit];
    }
    bool inside = fb_run_locate(r, index, &at);
    *unit = inside ? at.unit : 0;
    return inside;
}

/* ---- Who holds a key ---- */

static bool listed_holds(const struct fb_run *r, uint64_t index, bool *tombstone)
{
    if (index < r->low || index >= r->high)
        return false;
    uint64_t member = r->member[listed_rank(r, index)];
    *tombstone = member & FB_MEMBER_TOMBSTONE;
    return (member & ~FB_MEMBER_TOMBSTONE) == index;
}

/* By arithmetic over arrivals. */
static bool arrival_holds(const struct fb_run *r, uint64_t arrival, bool *tombstone)
{
    *tombstone = false;
    if (arrival >= r->first)
        return arrival - r->first < r->n_own;
    if (!r->n_updates)
        return false;
    uint64_t number = fb_unpermute(&r->updates, arrival);
    *tombstone = number < r->n_tombstones;
    return number < r->n_updates;
}

bool fb_run_holds(const struct fb_tree *t, size_t run, uint64_t index, bool *tombstone)
{
    const struct fb_run *r = &t->runs[run];
    *tombstone = false;
    if (!r->n_own) {
        bool held = listed_holds(r, index, tombstone);
        *tombstone = held && *tombstone;
        return held;
    }
    return index < t->space->size &&
           arrival_holds(r, fb_keyspace_arrival(t->space, index), tombstone);
}

uint64_t fb_run_key(const struct fb_tree *t, size_t run, uint64_t number)
{
    const struct fb_run *r = &t->runs[run];
    if (!r->n_own)
        return fb_run_member(r, number);
    return fb_keyspace_index(t->space, number < r->n_own
                                           ? r->first + number
                                           : fb_permute(&r->updates, number - r->n_own));
}

/* The run that an arrival came to: runs own the arrivals from the newest to the oldest. */
static size_t owner_of(const struct fb_tree *t, uint64_t arrival)
{
    size_t first = 0, end = t->n_runs - 1;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (arrival >= t->runs[middle].first)
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}

static size_t newest_listed(const struct fb_tree *t, uint64_t index, bool *tombstone)
{
    size_t run = 0;
    while (run < t->n_runs && !fb_run_holds(t, run, index, tombstone))
        run++;
    return run;
}

size_t fb_tree_holder(const struct fb_tree *t, uint64_t index, bool *tombstone)
{
    *tombstone = false;
    if (!t->n_runs || !t->runs[0].n_own)
        return newest_listed(t, index, tombstone);
    if (index >= t->space->size)
        return t->n_runs;
    uint64_t arrival = fb_keyspace_arrival(t->space, index);
    if (arrival >= t->space->n_present)
        return t->n_runs;
    size_t owner = owner_of(t, arrival);
    for (size_t run = 0; t->n_keys > t->space->n_present && run < owner; run++)
        if (arrival_holds(&t->runs[run], arrival, tombstone))
            return run;
    *tombstone = false;
    return owner;
}

/* ---- All keys of some units ---- */

struct visit {
    const struct fb_tree *tree;
    const struct fb_run *run;
    size_t first, n;
    void (*each)(void *arg, size_t unit, uint64_t index);
    void *arg;
};

static void visit_listed(const struct visit *v, uint64_t first, uint64_t end)
{
    const struct fb_run *r = v->run;
    uint64_t below = (uint64_t)((fb_u128)v->first * r->n_keys / fb_run_units(r));
    for (uint64_t rank = first < below ? below : first; rank < end; rank++) {
        size_t unit = unit_of_rank(r, rank);
        if (unit < v->first)
            continue;
        if (unit - v->first >= v->n)
            break;
        v->each(v->arg, unit, fb_run_member(r, rank));
    }
}

static void visit_index(const struct visit *v, uint64_t index)
{
    bool in_piece;
    size_t unit = unit_of_rank(v->run, interpolated_rank(v->run, index, &in_piece));
    if (unit - v->first < v->n) /* a unit below v->first makes an enormous difference */
        v->each(v->arg, unit, index);
}

static void visit_own(const struct visit *v, uint64_t first, uint64_t n)
{
    const struct fb_keyspace *space = v->tree->space;
    enum { BLOCK = 256 };
    uint64_t index[BLOCK];
    for (uint64_t i = 0, n_here; i < n; i += n_here) {
        n_here = n - i < BLOCK ? n - i : BLOCK;
        fb_keyspace_indices(space, first + i, (size_t)n_here, index);
        for (uint64_t j = 0; j < n_here; j++)
            visit_index(v, index[j]);
    }
}

void fb_run_slice(const struct fb_tree *t, size_t run, uint64_t first_key, uint64_t n_keys,
                  size_t first_unit, size_t n_units,
                  void (*each)(void *arg, size_t unit, uint64_t index), void *arg)
{
    const struct fb_run *r = &t->runs[run];
    const struct visit v = {t, r, first_unit, n_units, each, arg};
    if (!n_units || first_unit >= fb_run_units(r) || first_key >= r->n_keys)
        return;
    uint64_t end = n_keys < r->n_keys - first_key ? first_key + n_keys : r->n_keys;
    if (r->member) {
        visit_listed(&v, first_key, end);
        return;
    }
    uint64_t end_own = end < r->n_own ? end : r->n_own;
    if (first_key < end_own)
        visit_own(&v, r->first + first_key, end_own - first_key);
    for (uint64_t i = first_key > r->n_own ? first_key : r->n_own; i < end; i++)
        visit_index(&v, fb_run_key(t, run, i));
}

void fb_run_each(const struct fb_tree *t, size_t run, size_t first_unit, size_t n_units,
                 void (*each)(void *arg, size_t unit, uint64_t index), void *arg)
{
    fb_run_slice(t, run, 0, t->runs[run].n_keys, first_unit, n_units, each, arg);
}
