/* What building a tree's filters took: the facts of a cell of kind "lsm", and its times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "harness/kind/lsm/report/report.h"
#include "harness/kind/lsm/run.h"
#include "harness/measure/group_json.h"
#include "harness/tree/build_timing.h"

/* The runs of the level of run `first`, which lies on disk: first .. *end - 1. Returns the keys of
 * a filter in the largest of them, on average. */
static uint64_t level_runs(const struct fb_tree *tree, size_t first, size_t *end)
{
    uint64_t filter_keys = 0, most_keys = 0;
    for (*end = first; *end < tree->n_runs; ++*end) {
        const struct fb_run *run = &tree->runs[*end];
        if (run->level != tree->runs[first].level || run->memtable)
            break;
        if (run->n_keys > most_keys)
            filter_keys = fb_lsm_sizes(tree, run).scaled;
        most_keys = fb_max_u64(most_keys, run->n_keys);
    }
    return filter_keys;
}

static json_t *level_json(const struct fb_forest *forest, size_t first, size_t end,
                          uint64_t filter_keys)
{
    const struct fb_run *runs = forest->tree->runs;
    const struct fb_filter *f = forest->filters + runs[first].first_unit;
    const struct fb_filter *behind = f;
    uint64_t filters = 0, attempts = 0, most_attempts = 0, temporary_bytes = 0;
    for (size_t r = first; r < end; r++)
        behind += fb_run_units(&runs[r]);
    for (; f < behind; f++) {
        filters += f->attempts > 0;
        attempts += f->attempts;
        most_attempts = fb_max_u64(most_attempts, f->attempts);
        temporary_bytes = fb_max_u64(temporary_bytes, f->temporary_bytes);
    }
    json_t *j =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "level", fb_json_int(runs[first].level),
                  "filters", fb_json_int(filters), "filter_keys", fb_json_int(filter_keys),
                  "attempts", fb_json_int(attempts), "most_attempts", fb_json_int(most_attempts),
                  "temporary_bytes", fb_json_int(temporary_bytes));
    fb_json_known(j, "time", NULL, filters ? "not timed" : "no filter");
    return j;
}

json_t *fb_lsm_build_json(const struct fb_forest *forest, double key_bytes)
{
    const struct fb_tree *tree = forest->tree;
    json_t *levels = json_array();
    size_t first = 0, end;
    while (first < tree->n_runs && tree->runs[first].memtable)
        first++;
    for (; first < tree->n_runs; first = end) {
        const uint64_t filter_keys = level_runs(tree, first, &end);
        json_array_append_new(levels, level_json(forest, first, end, filter_keys));
    }
    return json_pack("{s:f, s:o}", "key_bytes", key_bytes, "levels", levels);
}

/* ---- Times ---- */

/* Of a batch's budget; or so long for each forest, where that is more: six processes build filters
 * of 2^19 keys in it. */
#define BUILDS_SHARE  0.05
#define BUILDS_EACH_S 0.5

/* The builds of the levels of the forests of a batch. */
struct builds {
    struct fb_build_candidate *candidates; /* [n], owned */
    size_t n;
};

static json_t *level_of(const json_t *cell, size_t level)
{
    return json_array_get(fb_json_at(cell, "build.levels"), level);
}

/* Why filters of a level are not timed; NULL: they are. */
static const char *why_not_timed(const struct fb_forest *forest, const json_t *level)
{
    return !fb_json_uint(level, "filters")                            ? "no filter"
           : forest->design->traits & FB_CONTROL                      ? "a control"
           : fb_json_uint(level, "filter_keys") > FB_BUILD_TIMED_KEYS ? "filters of over 2^22 keys"
                                                                      : NULL;
}

/* A candidate for the level whose largest run this is; "bits_asked" and "rate_asked" say how. */
static struct fb_build_candidate candidate_of(const struct fb_forest *forest, const json_t *cell,
                                              size_t first, size_t end)
{
    const struct fb_run *runs = forest->tree->runs;
    struct fb_build_candidate c = {.forest = forest, .run = first};
    for (size_t r = first; r < end; r++)
        if (runs[r].n_keys > runs[c.run].n_keys)
            c.run = r;
    const json_t *run = json_array_get(json_object_get(cell, "runs"), c.run);
    c.params.bits_per_key = json_number_value(json_object_get(run, "bits_asked"));
    c.params.fpr = json_number_value(json_object_get(run, "rate_asked"));
    c.filter_keys = fb_lsm_sizes(forest->tree, &runs[c.run]).scaled;
    return c;
}

static bool same_build(const struct fb_build_candidate *a, const struct fb_build_candidate *b)
{
    return a->forest == b->forest && a->filter_keys == b->filter_keys &&
           a->params.bits_per_key == b->params.bits_per_key && a->params.fpr == b->params.fpr;
}

/* The candidate like it, which is added where there is none yet. */
static size_t place_of(struct builds *b, const struct fb_build_candidate *c)
{
    size_t i = 0;
    while (i < b->n && !same_build(&b->candidates[i], c))
        i++;
    if (i == b->n)
        b->candidates[b->n++] = *c;
    return i;
}

/* For each level that is timed of a cell of the entry: lists its candidate, or, once there is a
 * group that was measured, writes its time. */
static void go_through(struct builds *b, const struct fb_lsm_entry *entry, json_t *cell,
                       const struct fb_group *group)
{
    const struct fb_tree *tree = entry->forest->tree;
    size_t first = 0, end;
    while (first < tree->n_runs && tree->runs[first].memtable)
        first++;
    for (size_t l = 0; first < tree->n_runs; l++, first = end) {
        json_t *level = level_of(cell, l);
        const char *why = why_not_timed(entry->forest, level);
        (void)level_runs(tree, first, &end);
        int32_t member = -1;
        if (!why) {
            const struct fb_build_candidate c = candidate_of(entry->forest, cell, first, end);
            member = b->candidates[place_of(b, &c)].member;
        }
        if (!group)
            continue;
        json_t *time = member < 0 ? NULL
                                  : fb_group_time_json(group, (size_t)member, FB_LSM_BUILD_UNIT,
                                                       NULL, FB_LSM_BUILD_ALONE);
        json_object_del(level, "time_reason");
        fb_json_known(level, "time", time, why ? why : "such a filter could not be built");
    }
}

double fb_lsm_builds_s(const struct fb_lsm_timed *t, const struct fb_group_options *options)
{
    return fmax(BUILDS_SHARE * options->budget_s, BUILDS_EACH_S * (double)t->n_forests);
}

enum fb_err fb_lsm_builds_measure(const struct fb_lsm_timed *t,
                                  const struct fb_group_options *options, json_t *cells)
{
    struct builds b = {.n = 0};
    struct fb_group group = {0};
    struct fb_group_options timed = *options;
    size_t most = 1;
    timed.budget_s = fb_lsm_builds_s(t, options);
    for (size_t i = 0; i < t->n; i++)
        most += t->entries[i].forest->tree->n_runs;
    b.candidates = calloc(most, sizeof *b.candidates);
    if (!b.candidates)
        return FB_ENOMEM;
    for (size_t i = 0; i < t->n; i++)
        go_through(&b, &t->entries[i], json_array_get(cells, t->entries[i].first_cell), NULL);
    enum fb_err err = b.n ? fb_builds_measure(b.candidates, b.n, &timed, &group) : FB_OK;
    const bool measured = !err && b.n && fb_group_processes(&group);
    for (size_t i = 0; measured && i < t->n; i++)
        for (size_t c = 0; c < t->entries[i].n_cells; c++)
            go_through(&b, &t->entries[i], json_array_get(cells, t->entries[i].first_cell + c),
                       &group);
    fb_group_close(&group);
    free(b.candidates);
    return err;
}
