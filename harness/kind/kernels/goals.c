/* Where our kernels are meant to stand: ratios to the yardstick that trial kernels reached on an
 * AMD Zen 4, best of gcc and clang, absent keys, 10 bits per key, k by each design's own rule.
 * Printed beside what is measured; nothing fails for missing them. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "harness/kind/kernels/kernels.h"

static const struct goal {
    const char *designs, *operation, *isa; /* a pattern of names; isa NULL: the best */
    double ratio[FB_N_FOOTPRINTS];
} goals[] = {
    {"sbbf-256", "batch", "avx512", {1.20, 1.10, 1.10, 1.05}},
    {"sbbf-512", "batch", "avx512", {1.75, 1.25, 1.10, 1.05}},
    {"rocksdb-fastlocal", "batch", "avx512", {1.40, 1.15, 1.10, 1.05}},
    {"rocksdb-fastlocal", "batch", "avx2", {1.9, 1.5, 1.4, 1.25}},
    {"rocksdb-fastlocal", "each", NULL, {1.6, 1.7, 1.7, 1.3}},
    {"nori", "batch", NULL, {3.5, 3.5, 2.6, 2.15}},
    {"course", "batch", NULL, {3.5, 3.5, 2.6, 2.15}},
    {"bloom-double", "batch", NULL, {3.5, 3.5, 2.6, 2.15}},
    {"fjall-*", "batch", NULL, {3.5, 3.5, 2.6, 2.15}},
    {"nori-pow2", "batch", NULL, {2.4, 2.7, 3.2, 2.0}},
    {"leveldb", "batch", NULL, {3.0, 2.8, 2.0, 1.85}},
    {"sbbf-256", "insert", NULL, {1.8, 1.4, 1.2, 1.1}},
    {"rocksdb-fastlocal", "insert", NULL, {6.5, 4.7, 2.5, 1.5}},
    {"bloom-*", "insert", NULL, {7, 6.3, 5, 6.4}},
    {"nori*", "insert", NULL, {7, 6.3, 5, 6.4}},
    {"course", "insert", NULL, {7, 6.3, 5, 6.4}},
};

static double ratio_of(const json_t *cell)
{
    return json_number_value(fb_json_at(cell, "time.ratio"));
}

/* Whether no other kernel of the design does the same faster. */
static bool is_best(const json_t *cells, const json_t *cell)
{
    static const char *const members[] = {"design", "operation", "footprint", "hit_ratio",
                                          "params"};
    enum { N = sizeof members / sizeof *members };
    size_t i;
    json_t *other;
    json_array_foreach((json_t *)cells, i, other)
    {
        size_t same = 0;
        for (size_t m = 0; m < N; m++)
            same +=
                json_equal(json_object_get(cell, members[m]), json_object_get(other, members[m]));
        if (same == N && ratio_of(other) < ratio_of(cell))
            return false;
    }
    return true;
}

/* The goal of a cell; 0: none. */
static double goal_of(const json_t *cells, const json_t *cell)
{
    const json_t *hits = json_object_get(cell, "hit_ratio");
    if (json_number_value(hits) > 0 ||
        fabs(json_number_value(fb_json_at(cell, "params.bits_per_key")) - 10) > 0)
        return 0;
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
        const struct goal *g = &goals[i];
        if (fnmatch(g->designs, fb_json_str(cell, "design"), 0) ||
            strcmp(g->operation, fb_json_str(cell, "operation")) ||
            (g->isa ? strcmp(g->isa, fb_json_str(cell, "isa")) != 0 : !is_best(cells, cell)))
            continue;
        for (int f = 0; f < FB_N_FOOTPRINTS; f++)
            if (!strcmp(fb_footprint_name((enum fb_footprint)f), fb_json_str(cell, "footprint")))
                return g->ratio[f];
    }
    return 0;
}

void fb_kernels_goals(FILE *file, const json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    size_t i, n = 0, met = 0;
    json_t *cell;
    for (int missed = 0; missed <= 1; missed++) {
        json_array_foreach(cells, i, cell)
        {
            double goal = goal_of(cells, cell), ratio = ratio_of(cell);
            if (goal <= 0 || ratio <= 0)
                continue;
            if (!missed) {
                n++;
                met += ratio <= goal;
            } else if (ratio > goal) {
                fprintf(file, "  %-48s %.2f, goal %.2f\n", fb_json_str(cell, "id"), ratio, goal);
            }
        }
        if (!missed && n)
            fprintf(file, "goals for ratios: %zu of %zu met%s\n", met, n,
                    met < n ? "; above:" : "");
    }
}
