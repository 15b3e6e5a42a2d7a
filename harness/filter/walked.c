/* The walks of a timed cell. */
#include <stdlib.h>

#include "harness/filter/timed.h"

enum fb_err fb_walked_open(struct fb_walked *w, const struct fb_timing_cell *cell,
                           const struct fb_timing_filter *spec, const struct fb_filter *first)
{
    const size_t runs = spec->runs;
    const bool batched = cell->operation == FB_OP_WALK_BATCH;
    *w = (struct fb_walked){
        .lookup = fb_lookup_find(batched ? "batched" : "shared-prefetch"),
        .filters = calloc(runs, sizeof *w->filters),
        .row = calloc(runs, sizeof *w->row),
        .holder = malloc(FB_WALKED_KEYS * sizeof *w->holder),
        .answers = malloc(FB_WALKED_KEYS * runs),
        .maybe = malloc(FB_WALKED_KEYS * fb_walk_words(runs) * sizeof *w->maybe),
    };
    if (!w->filters || !w->row || !w->holder || !w->answers || !w->maybe)
        return FB_ENOMEM;
    for (size_t r = 0; r < runs; r++) {
        w->filters[r] = *first;
        w->filters[r].bytes = first->bytes + r * fb_timing_stride(spec);
        fb_filter_among(&w->filters[r], fb_timing_bytes(spec));
        w->row[r] = &w->filters[r];
    }
    for (size_t i = 0; i < FB_WALKED_KEYS; i++)
        w->holder[i] = UINT32_MAX;
    w->walks = (struct fb_walks){.design = first->design,
                                 .kernel = first->kernel,
                                 .width = runs,
                                 .one_row = true,
                                 .filters = w->row,
                                 .holder = w->holder,
                                 .digest_words = spec->geom.digest_words,
                                 .answers = w->answers};
    return FB_OK;
}

void fb_walked_close(struct fb_walked *w)
{
    free(w->filters);
    free((void *)w->row);
    free(w->holder);
    free(w->answers);
    free(w->maybe);
}

uint64_t fb_walked_run(const struct fb_walked *w, uint64_t *digests, size_t n)
{
    struct fb_walks walks = w->walks;
    walks.digests = digests;
    walks.n = n;
    w->lookup->run(&walks, w->maybe, NULL);
    return w->maybe[0];
}
