#include <string.h>

#include "filters/core/bits.h"
#include "workloads/core/tree_plan.h"

static const uint64_t max_keys = UINT64_C(1) << 40;
static const unsigned max_levels = 64;
static const char too_many_keys[] = "more than 2^40 keys; fewer levels, a smaller ratio or a scale";
static const char too_many_runs[] = "more than 1024 runs; fewer levels or a smaller ratio";

const struct fb_word fb_styles[] = {{.name = "leveled"},   {.name = "tiered"}, {.name = "lazy"},
                                    {.name = "universal"}, {.name = "flat"},   {0}};

const struct fb_word fb_filter_units[] = {
    {.name = "file"}, {.name = "block"}, {.name = "partition"}, {0}};

/* ---- What a shape may be ---- */

/* Fields in [low, high]; NaN is in no range. */
static const char *check_ranges(const struct fb_tree_shape *s)
{
    const bool by_levels = s->style <= FB_LAZY && !s->n_given;
    const struct {
        double value, low, high;
        const char *why;
    } ranges[] = {
        {s->style, FB_LEVELED, FB_FLAT,
         "style: accepted are leveled, tiered, lazy, universal and flat"},
        {s->unit, FB_UNIT_FILE, FB_UNIT_PARTITION,
         "filter_unit: accepted are file, block and partition"},
        {s->key_bytes, 0, 0x1p30, "key_bytes: accepted are 0 to 2^30"},
        {s->value_bytes, 0, 0x1p40, "value_bytes: accepted are 0 to 2^40"},
        {s->entry_overhead, 0, 0x1p30, "entry_overhead: accepted are 0 to 2^30"},
        {fb_tree_entry_bytes(s), 0x1p-10, 0x1p42,
         "key_bytes, value_bytes and entry_overhead: an entry must have a size"},
        {(double)s->segment_bytes, 1, 0x1p60, "segment_bytes: accepted are 1 to 2^60"},
        {by_levels ? s->ratio : 2, 1 + 0x1p-20, 0x1p20, "ratio: T must be above 1, at most 2^20"},
        {by_levels ? s->levels : 1, 0, max_levels, "levels: at most 64"},
        {by_levels ? s->l0 : 1, 0, FB_MAX_RUNS, "l0: at most 1024 runs"},
        {by_levels ? s->fill : 1, 0x1p-40, 1, "fill: accepted are numbers above 0, up to 1"},
        {s->style == FB_FLAT && !s->n_given ? s->n_runs : 1, 1, FB_MAX_RUNS,
         "runs: a flat tree needs 1 to 1024 of them"},
        {s->style == FB_UNIVERSAL ? s->n_runs : 0, 0, FB_MAX_RUNS, "runs: at most 1024"},
        {s->style == FB_UNIVERSAL ? s->size_ratio : 1, 0x1p-20, 0x1p20,
         "size_ratio: accepted are 2^-20 to 2^20"},
        {s->updates, 0, 1 - 0x1p-20, "updates: accepted are shares from 0 to below 1"},
        {s->tombstones, 0, 1, "tombstones: accepted are shares from 0 to 1"},
        {s->memtables, 0, FB_MAX_RUNS, "memtables: at most 1024"},
        {(double)s->memtable_keys, 0, 0x1p40, "memtable_keys: at most 2^40"},
        {s->unit == FB_UNIT_PARTITION ? s->bits_per_key : 1, 0x1p-10, 0x1p15,
         "bits_per_key: a partition of 4 KiB must hold at least one key"},
        {s->scale, 0x1p-40, 0x1p40,
         "scale: accepted are numbers above 0; 1 leaves the tree as it is"},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
            return ranges[i].why;
    if (s->n_given > FB_MAX_RUNS)
        return too_many_runs;
    for (size_t i = 0; i < s->n_given; i++) {
        if (!s->given[i].n_keys || s->given[i].n_keys > max_keys)
            return "run_sizes: a run has 1 to 2^40 keys";
        if (s->given[i].level >= max_levels || (i && s->given[i].level < s->given[i - 1].level))
            return "run_sizes: newest first: levels ascend, from 0 to 63";
    }
    return NULL;
}

/* floor(bytes / entry / scale), at least 1 */
static const char *segment_keys_of(const struct fb_tree_shape *s, double scale, uint64_t *keys)
{
    double whole = (double)s->segment_bytes / fb_tree_entry_bytes(s);
    if (whole > (double)max_keys)
        return "segment_bytes: a segment holds more than 2^40 keys";
    double scaled = (double)(uint64_t)whole / scale;
    if (!(scaled >= 1 && scaled <= (double)max_keys))
        return "scale: keys per segment, divided by it, must be 1 to 2^40";
    *keys = (uint64_t)scaled;
    return NULL;
}

static uint64_t unit_keys_of(const struct fb_tree_shape *s, uint64_t segment_keys)
{
    double keys = s->unit == FB_UNIT_BLOCK       ? 2048 / fb_tree_entry_bytes(s)
                  : s->unit == FB_UNIT_PARTITION ? 4096 * 8 / s->bits_per_key
                                                 : (double)segment_keys;
    return keys < 1 ? 1 : keys > (double)segment_keys ? segment_keys : (uint64_t)keys;
}

/* ---- Runs ---- */

/* Part i of n nearly equal ones; n is at most FB_MAX_RUNS. */
static uint64_t part_of(uint64_t keys, uint64_t i, uint64_t n)
{
    return keys * (i + 1) / n - keys * i / n;
}

static const char *push_runs(struct fb_tree_plan *p, unsigned level, uint64_t n_runs, double keys,
                             uint64_t segments)
{
    if (n_runs > FB_MAX_RUNS - p->n_runs)
        return too_many_runs;
    if (!(keys <= (double)(max_keys - p->n_keys)))
        return too_many_keys;
    uint64_t all = (uint64_t)keys;
    if (all < n_runs)
        all = n_runs;
    for (uint64_t i = 0; i < n_runs; i++)
        p->run[p->n_runs++] = (struct fb_run_plan){part_of(all, i, n_runs), level, false, segments};
    p->n_keys += all;
    return NULL;
}

/* Levels 0 .. n_levels - 1, as full as they may be. */
static const char *fill_levels(const struct fb_tree_shape *s, unsigned n_levels, double last_fill,
                               struct fb_tree_plan *p)
{
    uint64_t several = (uint64_t)s->ratio;
    if ((double)several == s->ratio && several > 1)
        several--;
    const uint64_t inner = s->style == FB_LEVELED ? 1 : several;
    const uint64_t last = s->style == FB_TIERED ? several : 1;
    /* Level 1 is as large as level 0, or T times a segment where there is none. */
    double keys = (double)p->segment_keys * (s->l0 ? s->l0 : 1);
    p->n_runs = p->n_keys = 0;
    p->n_levels = n_levels;
    for (unsigned i = 0; i<n_levels; i++, keys *= i> 1 || !s->l0 ? s->ratio : 1) {
        bool is_last = i == n_levels - 1;
        uint64_t n_runs = i == 0 ? s->l0 : is_last ? last : inner;
        const char *why =
            n_runs ? push_runs(p, i, n_runs, is_last ? keys * last_fill : keys, i ? 0 : 1) : NULL;
        if (why)
            return why;
    }
    return p->n_runs ? NULL : "levels: without runs in level 0 there must be 2 at least";
}

static const char *plan_levels(const struct fb_tree_shape *s, uint64_t n_keys,
                               struct fb_tree_plan *p)
{
    if (s->levels)
        return fill_levels(s, s->levels, s->fill, p);
    if (!n_keys)
        return "levels or n: one of them must be given";
    const char *why;
    unsigned n_levels = s->l0 ? 1 : 2;
    while (!(why = fill_levels(s, n_levels, 1, p)) && p->n_keys < n_keys && n_levels < max_levels)
        n_levels++;
    /* The level that reaches beyond 2^40 is the last one, and takes what is left. */
    for (double fill = 0.5; why == too_many_keys && fill > 0x1p-30; fill /= 2)
        why = fill_levels(s, n_levels, fill, p);
    return why;
}

static const char *plan_universal(const struct fb_tree_shape *s, uint64_t n_keys,
                                  struct fb_tree_plan *p)
{
    if (!s->n_runs && !n_keys)
        return "runs or n: one of them must be given";
    const char *why = NULL;
    while (!why && (s->n_runs ? p->n_runs < s->n_runs : p->n_keys < n_keys)) {
        double keys = p->n_runs ? (double)p->n_keys * s->size_ratio : (double)p->segment_keys;
        if (!s->n_runs && keys > (double)(n_keys - p->n_keys))
            keys = (double)(n_keys - p->n_keys);
        why = push_runs(p, (unsigned)p->n_runs, 1, keys, 0);
    }
    p->n_levels = (unsigned)p->n_runs;
    if (!why && n_keys > p->n_keys)
        return "size_ratio: a run may be at most size_ratio times the sum of the newer ones; n "
               "needs "
               "more runs or a larger ratio";
    return why;
}

static const char *plan_flat(const struct fb_tree_shape *s, uint64_t n_keys, struct fb_tree_plan *p)
{
    p->n_levels = 1;
    double keys = n_keys ? (double)n_keys : (double)p->segment_keys * s->n_runs;
    return push_runs(p, 0, s->n_runs, keys, 0);
}

/* Files stay as large as they are where their run has fewer keys. */
static uint64_t fewer_files(const struct fb_given_run *given, uint64_t n_keys)
{
    const fb_u128 files = ((fb_u128)given->files * n_keys + given->n_keys - 1) / given->n_keys;
    return n_keys < given->n_keys ? (uint64_t)files : fb_min_u64(given->files, n_keys);
}

/* Each run has one key at least. What the runs have above that is in proportion to theirs. */
static const char *plan_given(const struct fb_tree_shape *s, uint64_t n_keys,
                              struct fb_tree_plan *p)
{
    fb_u128 all = 0, before = 0;
    uint64_t done = 0;
    for (size_t i = 0; i < s->n_given; i++)
        all += s->given[i].n_keys;
    if (all > max_keys)
        return too_many_keys;
    const uint64_t n = s->n_given, wanted = n_keys ? n_keys : (uint64_t)all;
    if (wanted < n)
        return "n: fewer keys than runs; each run holds one at least";
    const fb_u128 above = all > n ? all - n : 1;
    for (size_t i = 0; i < n; i++) {
        before += s->given[i].n_keys - 1;
        const bool last = i + 1 == n;
        const uint64_t until = last ? wanted : i + 1 + (uint64_t)(before * (wanted - n) / above);
        const uint64_t files = fewer_files(&s->given[i], until - done);
        const char *why = push_runs(p, s->given[i].level, 1, (double)(until - done), files);
        if (why)
            return why;
        done = until;
    }
    p->n_levels = s->given[n - 1].level + 1;
    return NULL;
}

/* ---- A number of keys that is not what the levels hold ---- */

/* One key for each run, the others in proportion to its size, what is left over to the oldest. */
static void shrink(struct fb_tree_plan *p, uint64_t n_keys)
{
    uint64_t rest = n_keys;
    for (size_t i = 0; i < p->n_runs; i++) {
        fb_u128 share = (fb_u128)(n_keys - p->n_runs) * p->run[i].n_own / p->n_keys;
        p->run[i].n_own = 1 + (uint64_t)share;
        rest -= p->run[i].n_own;
    }
    p->run[p->n_runs - 1].n_own += rest;
    p->segment_keys = (uint64_t)((fb_u128)p->segment_keys * n_keys / p->n_keys);
    if (!p->segment_keys)
        p->segment_keys = 1;
}

/* Sets the sizes of the last level's runs so that the tree has n_keys; false: too few for that.
 * fewer: it may have fewer runs, no larger than they are. */
static bool resize_last(struct fb_tree_plan *p, uint64_t n_keys, bool fewer)
{
    size_t first = p->n_runs;
    uint64_t inner = p->n_keys, most = p->run[p->n_runs - 1].n_own;
    while (first && p->run[first - 1].level == p->run[p->n_runs - 1].level)
        inner -= p->run[--first].n_own;
    uint64_t n_runs = p->n_runs - first, rest = n_keys - inner;
    if (n_keys > inner && fewer && (rest - 1) / most + 1 < n_runs)
        n_runs = (rest - 1) / most + 1;
    if (n_keys < inner || rest < n_runs)
        return false;
    p->n_runs = first + n_runs;
    for (uint64_t i = 0; i < n_runs; i++)
        p->run[first + i].n_own = part_of(rest, i, n_runs);
    return true;
}

static const char *fit(const struct fb_tree_shape *s, uint64_t n_keys, struct fb_tree_plan *p)
{
    const bool fewer = s->style <= FB_LAZY && !s->levels && n_keys < p->n_keys;
    const bool last = (n_keys > p->n_keys || fewer) && resize_last(p, n_keys, fewer);
    if (n_keys < p->n_runs)
        return "n: fewer keys than runs; each run holds one at least";
    if (n_keys != p->n_keys && !last)
        shrink(p, n_keys);
    p->n_keys = n_keys;
    return NULL;
}

static const char *push_memtables(const struct fb_tree_shape *s, struct fb_tree_plan *p)
{
    if (s->memtables > FB_MAX_RUNS - p->n_runs)
        return "memtables: with them, more than 1024 runs";
    memmove(p->run + s->memtables, p->run, p->n_runs * sizeof *p->run);
    for (unsigned i = 0; i < s->memtables; i++)
        p->run[i] = (struct fb_run_plan){s->memtable_keys, 0, true, 1};
    p->n_runs += s->memtables;
    p->n_keys += s->memtables * s->memtable_keys;
    return p->n_keys <= max_keys ? NULL : too_many_keys;
}

/* The runs on disk, of segments of p->segment_keys; 0 keys: of what the levels hold. */
static const char *plan_disk(const struct fb_tree_shape *s, uint64_t n_keys, struct fb_tree_plan *p)
{
    static const char *(*const planners[])(const struct fb_tree_shape *, uint64_t,
                                           struct fb_tree_plan *) = {
        [FB_LEVELED] = plan_levels,      [FB_TIERED] = plan_levels, [FB_LAZY] = plan_levels,
        [FB_UNIVERSAL] = plan_universal, [FB_FLAT] = plan_flat,
    };
    if (s->n_given)
        return plan_given(s, n_keys, p);
    const char *why = planners[s->style](s, n_keys, p);
    return why || !n_keys ? why : fit(s, n_keys, p);
}

static uint64_t largest_run(const struct fb_tree_plan *p)
{
    uint64_t most = 1;
    for (size_t i = 0; i < p->n_runs; i++)
        most = fb_max_u64(most, p->run[i].n_own);
    return most;
}

/* Keys of a unit at scale 1. Where the number of keys is given and the runs follow from it, no unit
 * has more keys than the largest run: a tree of 5000 keys has one file at scale 1 as at scale 8,
 * however large segments are. p: the runs on disk. */
static uint64_t whole_unit_keys_of(const struct fb_tree_shape *s, uint64_t n_keys,
                                   uint64_t segment_keys, const struct fb_tree_plan *p)
{
    const uint64_t unit = unit_keys_of(s, p->segment_keys), whole = unit_keys_of(s, segment_keys);
    const unsigned told = s->style == FB_UNIVERSAL ? s->n_runs : s->levels;
    const bool follow = s->n_given || s->style == FB_FLAT || !told;
    struct fb_tree_plan at_1 = {.segment_keys = segment_keys};
    if (!s->n_keys || !follow || unit == whole || plan_disk(s, n_keys, &at_1))
        return whole;
    const uint64_t most = fb_min_u64(unit, largest_run(p)),
                   most_at_1 = fb_min_u64(whole, largest_run(&at_1));
    return (uint64_t)(((fb_u128)most_at_1 * unit + most / 2) / most);
}

static const char *make_plan(const struct fb_tree_shape *s, uint64_t n_keys, struct fb_tree_plan *p)
{
    const char *why = check_ranges(s);
    uint64_t whole;
    if (!why)
        why = segment_keys_of(s, s->scale, &p->segment_keys);
    if (!why)
        why = segment_keys_of(s, 1, &whole);
    if (why)
        return why;
    struct fb_tree_shape shape = *s;
    if (!shape.memtable_keys)
        shape.memtables = 0;
    if (n_keys > max_keys)
        return too_many_keys;
    if ((double)shape.memtables * (double)shape.memtable_keys >=
        (double)(n_keys ? n_keys : max_keys))
        return "memtable_keys: the memtables leave no key for the runs";
    uint64_t on_disk = n_keys ? n_keys - shape.memtables * shape.memtable_keys : 0;
    why = plan_disk(&shape, on_disk, p);
    if (why)
        return why;
    p->unit_keys = unit_keys_of(&shape, p->segment_keys);
    p->whole_unit_keys = whole_unit_keys_of(&shape, on_disk, whole, p);
    return push_memtables(&shape, p);
}

enum fb_err fb_tree_plan(const struct fb_tree_shape *shape, uint64_t n_keys,
                         struct fb_tree_plan *out, const char **why)
{
    memset(out, 0, sizeof *out);
    *why = make_plan(shape, n_keys, out);
    return *why ? FB_EINVAL : FB_OK;
}

enum fb_err fb_tree_n_keys(const struct fb_tree_shape *shape, uint64_t *n_keys, const char **why)
{
    struct fb_tree_plan plan;
    enum fb_err err = fb_tree_plan(shape, shape->n_keys, &plan, why);
    *n_keys = err ? 0 : plan.n_keys;
    return err;
}
