/*
 * Procedures: the time of walks over overlapping segments, hashing once or again for each. Ratios
 * of candidates of the same rounds; nanoseconds are printed beside the machine.
 *
 *     tree, design, bits_per_key   as grove.h says
 *     walks    [{lookup, key_len}], 1 to 4 of them, all keys absent. Pairs of the list share a tree
 *              of the first one's keys; the second is compared to the first. Where a walk has a
 *              member "tree", it has a tree of its own, with these members laid over the row's, and
 *              all walks are compared to the first one of the list.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/kind/claims/procedure/grove.h"
#include "harness/tree/walk_timing.h"

enum { MOST_WALKS = 4 };

/* A part. */
struct walks {
    size_t n;
    struct fb_walk_candidate candidate[MOST_WALKS];
    struct fb_grove grove[MOST_WALKS]; /* a pair of candidates has one, or each its own */
};

static enum fb_err open_walks(void *self, const struct fb_group_options *options,
                              struct fb_part *out, const char **why)
{
    const struct walks *w = self;
    (void)why;
    return fb_walk_part(w->candidate, w->n, options, out);
}

static void close_walks(void *self)
{
    struct walks *w = self;
    for (size_t i = 0; i < MOST_WALKS; i++)
        fb_grove_close(&w->grove[i]);
    free(w);
}

static struct fb_walk_candidate candidate_of(struct fb_bench *bench, const json_t *walk,
                                             const struct fb_grove *grove)
{
    const char *name = fb_arg_text(walk, "lookup", "");
    struct fb_walk_candidate c = {.lookup = fb_lookup_find(name),
                                  .forest = &grove->forest,
                                  .queries = &grove->queries,
                                  .to = -1};
    if (!c.lookup)
        fb_bench_fail(bench, FB_EINVAL, "no lookup '%.40s'", name);
    return c;
}

/* The walk whose tree walk i takes; its own number where it has a tree. */
static size_t tree_of(const json_t *walks, size_t i)
{
    return json_object_get(json_array_get(walks, i), "tree") || i % 2 == 0 ? i : i - 1;
}

/* The walk that walk i is compared to; -1: none. */
static int32_t reference_of(const json_t *walks, size_t i)
{
    if (i && json_object_get(json_array_get(walks, i), "tree"))
        return 0;
    return tree_of(walks, i) == i ? -1 : (int32_t)tree_of(walks, i);
}

static void plant(struct fb_bench *bench, const json_t *args, struct walks *w)
{
    const json_t *walks = json_object_get(args, "walks");
    w->n = json_array_size(walks);
    for (size_t i = 0; i < w->n && !bench->err; i++) {
        json_t *walk = json_array_get(walks, i), *own = json_object_get(walk, "tree");
        const size_t g = tree_of(walks, i);
        char keys[32];
        snprintf(keys, sizeof keys, "bin:%llu",
                 (unsigned long long)fb_arg_count(walk, "key_len", 40));
        if (g == i) {
            json_t *planted = json_deep_copy(args);
            json_object_update(json_object_get(planted, "tree"), own);
            fb_grove_open(bench, planted, keys, 0, &w->grove[i]);
            json_decref(planted);
        }
        w->candidate[i] = candidate_of(bench, walk, &w->grove[g]);
        w->candidate[i].to = reference_of(walks, i);
    }
}

/* Asks for the walks. */
static enum fb_err ask(struct fb_bench *bench, const json_t *args)
{
    static const char *const members[] = {"tree", "design", "bits_per_key", "walks", NULL};
    const json_t *walks = json_object_get(args, "walks");
    json_t *key = fb_json_members(args, members);
    struct fb_times_part part = {
        .key = key, .n = json_array_size(walks), .open = open_walks, .close = close_walks};
    if (!part.n || part.n > MOST_WALKS)
        fb_bench_fail(bench, FB_EINVAL, "1 to %d walks are measured together", MOST_WALKS);
    if (bench->err || fb_times_find(&bench->times, key))
        goto out;
    for (size_t i = 0; i < part.n; i++)
        part.to[i] = reference_of(walks, i);
    if (bench->phase == FB_MEASURE)
        part.self = fb_bench_alloc(bench, 1, sizeof(struct walks));
    if (part.self)
        plant(bench, args, part.self);
    if (!bench->err)
        fb_bench_check(bench, fb_times_add(&bench->times, part), "walks", NULL);
    else if (part.self)
        close_walks(part.self);
out:
    json_decref(key);
    return bench->err;
}

/* What each walk took, and a remark that says so; NULL if that is not known yet. */
static const struct fb_member *times_of(struct fb_bench *bench, const json_t *args,
                                        struct fb_finding *out)
{
    const struct fb_member *m = ask(bench, args) ? NULL : fb_times_members(&bench->times);
    size_t i;
    json_t *walk;
    json_array_foreach(json_object_get(m ? args : NULL, "walks"), i, walk) {
        const uint64_t runs = fb_arg_count(json_object_get(walk, "tree"), "runs", 0);
        fb_find_remark(out, "%s%s of %llu B", i ? ", " : "", fb_arg_text(walk, "lookup", ""),
                       (unsigned long long)fb_arg_count(walk, "key_len", 40));
        if (runs)
            fb_find_remark(out, " over %llu segments", (unsigned long long)runs);
        fb_find_remark(out, " %.3g ns", m[i].estimate.ns);
    }
    return m;
}

/* The second walk over the first. */
FB_PROCEDURE(walk_time_ratio)
{
    const struct fb_member *m = times_of(bench, args, out);
    if (m)
        fb_find_time(out, m[1].estimate.ratio, m[1].estimate.ratio99, 0.99);
}

/* The ratio of the second pair over that of the first; its interval from both, so wider than 99 %.
 */
FB_PROCEDURE(walk_time_gains)
{
    const struct fb_member *m = times_of(bench, args, out);
    if (m)
        fb_find_time(out, m[3].estimate.ratio / m[1].estimate.ratio,
                     (struct fb_interval){m[3].estimate.ratio99.low / m[1].estimate.ratio99.high,
                                          m[3].estimate.ratio99.high / m[1].estimate.ratio99.low},
                     0.99);
}

/* Of walks with a long and a short key over few segments, then over many: how many times longer the
 * hash of the many takes. The long key costs more time to hash and nothing else, so the difference
 * to the short one is time of hashing. Walks are {few, short}, {few, long}, {many, short}, {many,
 * long}, all compared to the first; the interval takes the ends of theirs that oppose it. */
FB_PROCEDURE(walk_hash_growth)
{
    const struct fb_member *m = times_of(bench, args, out);
    if (!m)
        return;
    const struct fb_estimate *few = &m[1].estimate, *base = &m[2].estimate, *many = &m[3].estimate;
    const double low = many->ratio99.low - base->ratio99.high,
                 high = many->ratio99.high - base->ratio99.low;
    fb_find_time(
        out, (many->ratio - base->ratio) / (few->ratio - 1),
        (struct fb_interval){low / (few->ratio99.high - 1),
                             few->ratio99.low > 1 ? high / (few->ratio99.low - 1) : INFINITY},
        0.99);
}

static void in_units(struct fb_finding *out, const json_t *args, double ns,
                     struct fb_interval interval, double level)
{
    const double unit = fb_arg_number(args, "unit_ns", 1);
    fb_find_time(out, ns / unit, (struct fb_interval){interval.low / unit, interval.high / unit},
                 level);
}

/* The first walk in `unit_ns` nanoseconds. */
FB_PROCEDURE(walk_time)
{
    const struct fb_member *m = times_of(bench, args, out);
    if (m)
        in_units(out, args, m[0].estimate.ns, m[0].estimate.ns95, 0.95);
}
