/*
 * Procedures: the time of walks over overlapping segments, hashing once or again for each. Ratios
 * of candidates of the same rounds; nanoseconds are printed beside the machine.
 *
 *     tree, design, bits_per_key   as grove.h says
 *     walks    [{lookup, key_len}], 1 to 4 of them, all keys absent. Pairs of the list share a tree
 *              of the first one's keys; the second is compared to the first.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/procedure/grove.h"
#include "harness/kind/claims/procedure/table.h"
#include "harness/tree/walk_timing.h"

enum { MOST_WALKS = 4, PROCESSES = 16, ROUNDS = 2 };

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

/* What each walk took, and a remark that says so. */
static void measure(struct fb_bench *bench, const json_t *args, struct fb_finding *out,
                    struct fb_estimate estimate[MOST_WALKS])
{
    const json_t *walks = json_object_get(args, "walks");
    const struct fb_group_options options = {.rounds = ROUNDS,
                                             .min_processes = PROCESSES,
                                             .max_processes = PROCESSES,
                                             .budget_s = 60,
                                             .seed = bench->root,
                                             .cpu = -1};
    struct fb_walk_candidate candidate[MOST_WALKS];
    struct fb_grove grove[MOST_WALKS / 2];
    struct fb_group group = {0};
    size_t n = json_array_size(walks);
    memset(grove, 0, sizeof grove);
    memset(estimate, 0, MOST_WALKS * sizeof *estimate);
    if (!n || n > MOST_WALKS)
        fb_bench_fail(bench, FB_EINVAL, "1 to %d walks are measured together", MOST_WALKS);
    for (size_t i = 0; i < n && !bench->err; i++) {
        const json_t *walk = json_array_get(walks, i);
        char keys[32];
        snprintf(keys, sizeof keys, "bin:%llu",
                 (unsigned long long)fb_arg_count(walk, "key_len", 40));
        if (i % 2 == 0)
            fb_grove_open(bench, args, keys, 0, &grove[i / 2]);
        candidate[i] = candidate_of(bench, walk, &grove[i / 2]);
        candidate[i].to = i % 2 ? (int32_t)i - 1 : -1;
    }
    if (!bench->err)
        fb_bench_check(bench, fb_walks_measure(candidate, n, &options, NULL, &group), "walks",
                       NULL);
    if (group.stopped == FB_STOP_INTERRUPTED)
        fb_bench_interrupt(bench);
    for (size_t i = 0; i < n && !bench->err; i++) {
        const json_t *walk = json_array_get(walks, i);
        estimate[i] = group.members[i].estimate;
        fb_find_remark(out, "%s%s of %llu B %.3g ns", i ? ", " : "",
                       fb_arg_text(walk, "lookup", ""),
                       (unsigned long long)fb_arg_count(walk, "key_len", 40), estimate[i].ns);
    }
    for (size_t i = 0; i < MOST_WALKS / 2; i++)
        fb_grove_close(&grove[i]);
    fb_group_close(&group);
}

static void find_time(struct fb_finding *out, double value, double low, double high, double level)
{
    fb_find_interval(out, NAN, value, low, high);
    out->level = level;
}

/* The second walk over the first. */
static void walk_time_ratio(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_estimate e[MOST_WALKS];
    measure(bench, args, out, e);
    find_time(out, e[1].ratio, e[1].ratio99.low, e[1].ratio99.high, 0.99);
}

/* The ratio of the second pair over that of the first; its interval from both, so wider than 99 %.
 */
static void walk_time_gains(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_estimate e[MOST_WALKS];
    measure(bench, args, out, e);
    find_time(out, e[3].ratio / e[1].ratio, e[3].ratio99.low / e[1].ratio99.high,
              e[3].ratio99.high / e[1].ratio99.low, 0.99);
}

/* The first walk in `unit_ns` nanoseconds. */
static void walk_time(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_estimate e[MOST_WALKS];
    double unit = fb_arg_number(args, "unit_ns", 1);
    measure(bench, args, out, e);
    find_time(out, e[0].ns / unit, e[0].ns95.low / unit, e[0].ns95.high / unit, 0.95);
}

/* The same, to be judged by its 99 % interval. */
static void walk_time_judged(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_estimate e[MOST_WALKS];
    double unit = fb_arg_number(args, "unit_ns", 1);
    measure(bench, args, out, e);
    find_time(out, e[0].ns / unit, e[0].ns99.low / unit, e[0].ns99.high / unit, 0.99);
}

const struct fb_procedure fb_walk_time_procedures[] = {
    {"walk-time-ratio", walk_time_ratio, FB_TIMED},
    {"walk-time-gains", walk_time_gains, FB_TIMED},
    {"walk-time-judged", walk_time_judged, FB_TIMED},
    {"walk-time", walk_time, FB_MACHINE_ONLY},
    {0},
};
