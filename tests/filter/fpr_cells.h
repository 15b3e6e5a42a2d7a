/* Cells that the tests of the FPR measurement share. */
#ifndef FILTERBENCH_TESTS_FILTER_FPR_CELLS_H
#define FILTERBENCH_TESTS_FILTER_FPR_CELLS_H

#include "tests/unit.h"

#include "harness/filter/fpr.h"

/* A row of the table, formats with a parameter too; NULL: none of that name. */
static inline const struct fb_keygen *keygen_row(const char *name)
{
    const struct fb_keygen *row = fb_keygens;
    while (row->name && strcmp(row->name, name))
        row++;
    return row->name ? row : NULL;
}

static inline struct fb_fpr_cell cell_of(const char *design, const char *keygen, uint64_t n)
{
    return (struct fb_fpr_cell){.design = fb_design_find(design),
                                .params = {.bits_per_key = 10},
                                .n_keys = n,
                                .keygen = keygen_row(keygen),
                                .filters = 8,
                                .probes_per_filter = 4096,
                                .root = 0x5eed};
}

static inline struct fb_fpr_counts measure(const struct fb_fpr_cell *cell, unsigned n_threads)
{
    struct fb_fpr_counts counts;
    bool complete = false;
    const char *why;
    if (fb_fpr_measure(cell, n_threads, &counts, &complete, &why))
        fail_msg("%s", why);
    assert_true(complete);
    return counts;
}

static inline struct fb_fpr_summary summary_of(const struct fb_fpr_cell *cell,
                                               const struct fb_fpr_counts *counts)
{
    struct fb_fpr_summary summary;
    fb_fpr_summarise(cell, counts, &summary);
    return summary;
}

static inline uint64_t total(const struct fb_fpr_counts *counts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < counts->filters; i++)
        sum += counts->events[i];
    return sum;
}

static inline void assert_equal_counts(const struct fb_fpr_counts *a, const struct fb_fpr_counts *b)
{
    assert_int_equal(a->filters, b->filters);
    assert_memory_equal(a->events, b->events, a->filters * sizeof *a->events);
    assert_int_equal(a->probes_each, b->probes_each);
    assert_int_equal(a->false_negatives, b->false_negatives);
    assert_int_equal(a->filter_bytes, b->filter_bytes);
    assert_int_equal(a->checksum, b->checksum);
    assert_int_equal(a->block_checksum, b->block_checksum);
    assert_int_equal(a->model_filters, b->model_filters);
    assert_int_equal(a->model_probes, b->model_probes);
    assert_int_equal(a->model_events, b->model_events);
    assert_int_equal(a->model_squares, b->model_squares);
}

#endif
