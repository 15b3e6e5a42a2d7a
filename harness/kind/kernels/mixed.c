/* What mixed operations of kind "kernels" were answered: counted, told and held against what can
 * be. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/filter/mixed.h"
#include "harness/filter/timed.h"
#include "harness/kind/kernels/kernels.h"

static bool is_mixed(const struct fb_timing_cell *cell)
{
    return cell->operation == FB_OP_MIXED;
}

static bool any_mixed(const struct fb_timing_job *job)
{
    for (size_t i = 0; i < job->n_cells; i++)
        if (is_mixed(&job->cells[i]))
            return true;
    return false;
}

enum fb_err fb_kernels_mix(struct fb_kernels_grid *grid)
{
    if (!any_mixed(&grid->job))
        return FB_OK;
    grid->mixed = calloc(grid->job.n_cells + 1, sizeof *grid->mixed);
    return grid->mixed
               ? fb_timing_once(&grid->job, FB_TIME_MIXED, NULL, grid->mixed, sizeof *grid->mixed)
               : FB_ENOMEM;
}

enum fb_exit fb_kernels_mix_judge(const struct fb_kernels_grid *grid, const char *name)
{
    for (size_t i = 0; grid->mixed && i < grid->job.n_cells; i++) {
        const struct fb_mixed_counts *c = &grid->mixed[i];
        if (!fb_mixed_wrong(c))
            continue;
        fb_error("%s: %s: false negatives: of %llu lookups of keys that are in %llu were denied, "
                 "of %llu removals %llu found no key",
                 name, grid->id[i], (unsigned long long)c->present, (unsigned long long)c->denied,
                 (unsigned long long)c->removals, (unsigned long long)c->missed);
        return FB_EXIT_CORRECTNESS;
    }
    return FB_EXIT_OK;
}

/* A member of "mixed". */
static const struct {
    const char *name;
    size_t offset;
} members[] = {
#define MEMBER(of)                                                                                 \
    {                                                                                              \
#of, offsetof(struct fb_mixed_counts, of)                                                  \
    }
    MEMBER(inserts), MEMBER(refused), MEMBER(removals),  MEMBER(missed),         MEMBER(lookups),
    MEMBER(present), MEMBER(denied),  MEMBER(fewest_in), MEMBER(false_positives)
#undef MEMBER
};
enum { N_MEMBERS = sizeof members / sizeof *members };

json_t *fb_kernels_mixed(const struct fb_mixed_counts *counts)
{
    json_t *j = json_object();
    for (size_t m = 0; m < N_MEMBERS; m++) {
        uint64_t count;
        memcpy(&count, (const char *)counts + members[m].offset, sizeof count);
        json_object_set_new(j, members[m].name, fb_json_int(count));
    }
    return j;
}

static bool read_counts(const json_t *j, struct fb_mixed_counts *out)
{
    memset(out, 0, sizeof *out);
    for (size_t m = 0; m < N_MEMBERS; m++) {
        const json_t *count = json_object_get(j, members[m].name);
        const uint64_t value = (uint64_t)json_integer_value(count);
        if (!json_is_integer(count) || json_integer_value(count) < 0)
            return false;
        memcpy((char *)out + members[m].offset, &value, sizeof value);
    }
    return true;
}

const char *fb_kernels_mixed_contradiction(const struct fb_timing_filter *f, const json_t *cell)
{
    struct fb_mixed_counts c;
    const json_t *mixed = json_object_get(cell, "mixed");
    const uint64_t threes = fb_mixed_ops(FB_DIGEST_WORDS, f->geom.digest_words) / 3;
    const uint64_t replaced = fb_min_u64(f->n_keys, FB_MIXED_REPLACED);
    if (strcmp(fb_json_str(cell, "operation"), fb_operation_name(FB_OP_MIXED)) != 0)
        return mixed ? "mixed: it is another operation" : NULL;
    if (!read_counts(mixed, &c))
        return "mixed: counts are missing";
    if (c.inserts != fb_divide_up(replaced, threes) * threes || c.removals != c.inserts ||
        c.lookups != c.inserts)
        return "mixed: a third each removes, looks up and inserts, until all keys are others";
    if (fb_mixed_wrong(&c))
        return "mixed: false negatives";
    if (c.present > c.lookups || c.false_positives > c.lookups - c.present)
        return "mixed: more answers than lookups";
    return c.refused > c.inserts || c.fewest_in > f->n_keys || f->n_keys - c.fewest_in > c.refused
               ? "mixed: keys that are in, and refused ones, do not add up"
               : NULL;
}

uint64_t fb_kernels_refused(const json_t *cells, size_t *n_cells)
{
    uint64_t refused = 0;
    size_t i;
    json_t *cell;
    *n_cells = 0;
    json_array_foreach((json_t *)cells, i, cell) {
        const uint64_t of_cell = fb_json_uint(cell, "mixed.refused");
        refused += of_cell;
        *n_cells += of_cell > 0;
    }
    return refused;
}
