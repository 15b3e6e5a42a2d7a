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

json_t *fb_kernels_mixed(const struct fb_mixed_counts *counts)
{
#define COUNT(member) FB_JSON_COUNT(struct fb_mixed_counts, member)
    static const struct fb_json_count members[] = {
        COUNT(inserts), COUNT(refused), COUNT(removals),  COUNT(missed),          COUNT(lookups),
        COUNT(present), COUNT(denied),  COUNT(fewest_in), COUNT(false_positives), {0}};
#undef COUNT
    json_t *j = json_object();
    fb_json_set_counts(j, members, counts);
    return j;
}

const char *fb_kernels_mixed_contradiction(const struct fb_timing_filter *f, const json_t *cell)
{
    const json_t *mixed = json_object_get(cell, "mixed");
    const uint64_t threes = fb_mixed_ops(FB_DIGEST_WORDS, f->geom.digest_words) / 3;
    const uint64_t replaced = fb_min_u64(f->n_keys, FB_MIXED_REPLACED);
    if (strcmp(fb_json_str(cell, "operation"), fb_operation_name(FB_OP_MIXED)) != 0)
        return mixed ? "mixed: it is another operation" : NULL;
    return fb_json_uint(mixed, "inserts") != fb_divide_up(replaced, threes) * threes
               ? "mixed: a third each removes, looks up and inserts, until all keys are others"
               : NULL;
}

uint64_t fb_kernels_refused(const json_t *cells, size_t *n_cells)
{
    uint64_t refused = 0;
    *n_cells = 0;
    FB_EACH(cell, cells) {
        const uint64_t of_cell = fb_json_uint(cell, "mixed.refused");
        refused += of_cell;
        *n_cells += of_cell > 0;
    }
    return refused;
}
