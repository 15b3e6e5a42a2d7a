/* What cells take: rows for --dry-run, and pieces of them for estimates. */
#include <stdlib.h>

#include "filters/core/bits.h"
#include "harness/kind/lsm/run.h"

/* Timed builds of a forest, at least (building.c). */
#define BUILDS_S 0.5

double fb_lsm_piece(const struct fb_lsm *whole, const struct fb_lsm_cell *cell, double part,
                    unsigned n_threads)
{
    const struct fb_lsm_cell first = {{0}, 0, 0, 0, 0};
    struct fb_lsm e = *whole;
    struct fb_lsm_tree tree = e.trees[cell->tree];
    struct fb_lsm_demand demand;
    struct fb_problem problem;
    if (!fb_lsm_demand(whole, cell, &demand, &problem))
        return 0;
    if (!tree.file && !tree.trace) {
        tree.n = fb_max_u64((uint64_t)((double)demand.n_keys * part), 1000);
        e.shape.segment_bytes = (uint64_t)((double)e.shape.segment_bytes * part) + 4096;
    }
    e.n_queries = (uint64_t)((double)e.n_queries * part) + 1;
    e.warm = (uint64_t)((double)e.warm * part);
    e.n_scans = (uint64_t)((double)e.n_scans * part);
    e.timed = e.timed_builds = e.histograms = false;
    e.trees = &tree;
    e.filters += cell->filter;
    e.streams += cell->stream;
    e.readings += cell->reading;
    e.n_trees = e.n_filters = e.n_streams = e.n_readings = 1;
    json_auto_t *document =
        json_pack("{s:[], s:[], s:[], s:[]}", "cells", "fragments", "skipped", "warnings");
    struct fb_work work = {.shard = FB_WHOLE, .document = document};
    if (!fb_lsm_demand(&e, &first, &demand, &problem) || fb_lsm_run(&e, n_threads, &work))
        return 0;
    return demand.tree_s + demand.build_s + demand.count_s;
}

json_t *fb_lsm_plan(const struct fb_lsm *e)
{
    size_t n_cells;
    struct fb_lsm_cell *cells = fb_lsm_cells(e, &n_cells);
    json_t *rows = json_array();
    const double budget = e->timed && n_cells ? fb_lsm_likely_s(&e->options, 1 + e->n_lookups,
                                                                (1 + e->n_lookups) * n_cells)
                                              : 0;
    for (size_t i = 0; cells && i < n_cells; i++) {
        const struct fb_lsm_cell *cell = &cells[i], *before = i ? &cells[i - 1] : NULL;
        struct fb_lsm_demand demand;
        struct fb_problem problem;
        bool possible =
            fb_lsm_demand(e, cell, &demand, &problem) && fb_lsm_demand_fits(&demand, &problem);
        bool new_tree = !before || before->tree != cell->tree;
        double built_s = new_tree ? demand.tree_s : 0;
        const bool new_filter = new_tree || before->filter != cell->filter;
        built_s += new_filter ? demand.build_s : 0;
        json_t *row = json_pack(
            "{s:s, s:o, s:o, s:o, s:f, s:f, s:f, s:o}", "id", cell->id, "keys",
            fb_json_int(demand.n_keys), "filter_keys", fb_json_int(demand.filter_keys),
            "filter_bytes", fb_json_int(demand.filter_bytes), "seconds", demand.count_s + built_s,
            "repeated_s", fb_lsm_splits(e, cell) ? built_s : 0.0, "budget_s",
            budget + (new_filter && e->timed && e->timed_builds ? BUILDS_S : 0), "memory_bytes",
            fb_json_int(demand.memory_bytes));
        json_object_set_new(row, "why_not", possible ? json_null() : json_string(problem.text));
        json_array_append_new(rows, row);
    }
    free(cells);
    return rows;
}
