/* Results of kind "lsm" as tables: for each tree, stream of queries and way of reading, the filters
 * and lookups ranked by what a query costs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/lsm/report/columns.h"

/* ---- Rows ---- */

static const json_t *cost_of(const struct fb_lsm_row *row, const char *device)
{
    const json_t *costs = json_object_get(row->lookup ? row->lookup : row->cell, "costs");
    return json_object_get(costs, device);
}

static void price(struct fb_lsm_row *row, const char *device)
{
    const json_t *cost = cost_of(row, device);
    row->cost = fb_json_num(cost, "cost_ns");
    row->low = fb_json_num(cost, "low");
    row->high = fb_json_num(cost, "high");
    if (!isfinite(row->low) || !isfinite(row->high))
        row->low = row->high = row->cost;
}

static int by_cost(const void *a, const void *b)
{
    const struct fb_lsm_row *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    double bytes = fb_json_num(x->cell, "filter.bytes") - fb_json_num(y->cell, "filter.bytes");
    return bytes < 0 ? -1 : bytes > 0;
}

static bool same_group(const json_t *a, const json_t *b)
{
    static const char *const paths[] = {"keys",
                                        "n",
                                        "tree",
                                        "params.absent",
                                        "params.absent_kind",
                                        "params.cache_bytes",
                                        "params.filter_residency",
                                        NULL};
    return fb_json_same(a, b, paths);
}

/* The cell of `cells` that differs only in that each run has the same bits per key, or NULL. */
static const json_t *uniform_of(const json_t *cells, const json_t *cell)
{
    static const char *const paths[] = {"design",     "params.hash",   "params.bits_per_key",
                                        "params.fpr", "params.prefix", "params.whole_key",
                                        NULL};
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *other = json_array_get(cells, i);
        if (!strcmp(fb_json_str(other, "params.allocation"), "uniform") &&
            same_group(other, cell) && fb_json_same(other, cell, paths))
            return other;
    }
    return NULL;
}

/* The rows of one group, ranked; their number. NULL: out of memory. */
static struct fb_lsm_row *rows_of(const json_t *cells, const json_t *like, const char *device,
                                  size_t *n)
{
    size_t i, l, most = 0;
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        size_t lookups = json_array_size(json_object_get(cell, "lookups"));
        most += lookups ? lookups : 1;
    }
    struct fb_lsm_row *rows = calloc(most + 1, sizeof *rows);
    *n = 0;
    json_array_foreach(cells, i, cell)
    {
        const json_t *lookups = json_object_get(cell, "lookups");
        size_t lines = json_array_size(lookups) ? json_array_size(lookups) : 1;
        for (l = 0; rows && same_group(cell, like) && l < lines; l++) {
            rows[*n] = (struct fb_lsm_row){.cell = cell, .lookup = json_array_get(lookups, l)};
            rows[*n].uniform = uniform_of(cells, cell);
            price(&rows[(*n)++], device);
        }
    }
    if (rows)
        qsort(rows, *n, sizeof *rows, by_cost);
    return rows;
}

/* Rows whose interval reaches the best one's. */
static size_t n_like_best(const struct fb_lsm_row *rows, size_t n)
{
    size_t like = 0;
    for (size_t i = 0; i < n; i++)
        like += rows[i].low <= rows[0].high;
    return like;
}

/* ---- Around a group ---- */

static void print_heading(FILE *file, const json_t *cell, const json_t *document, bool markdown)
{
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    const char *kind = fb_json_str(cell, "params.absent_kind");
    double absent = fb_json_num(cell, "params.absent"),
           cache = fb_json_num(cell, "params.cache_bytes");
    fprintf(file, "%s%s: %.0f keys (%s), %.0f levels, %.0f runs, %.0f segments",
            markdown ? "**" : "", fb_json_str(cell, "tree.style"), fb_json_num(cell, "n"),
            fb_json_str(cell, "keys"), fb_json_num(cell, "tree.levels"),
            fb_json_num(cell, "tree.runs"), fb_json_num(cell, "tree.segments"));
    fprintf(file, "; %.4g %% absent%s%s", 100 * absent, *kind ? ", " : "", kind);
    const char *order = fb_json_str(cell, "tree.order");
    if (strcmp(order, fb_order_name(FB_ORDER_SHUFFLE)) != 0)
        fprintf(file, "; order of keys: %s", order);
    if (cache > 0)
        fprintf(file, "; cache %.4g MB", cache * 1e-6);
    if (strcmp(fb_json_str(cell, "params.filter_residency"), "pinned") != 0)
        fprintf(file, "; filters %s", fb_json_str(cell, "params.filter_residency"));
    fprintf(file, "; a read takes %.4g us (%s)%s\n", fb_json_num(device, "read_ns") / 1000,
            fb_json_str(device, "name"), markdown ? "**\n" : "");
}

/* The best on each device, devices with the same winner in one line. */
static void print_winners(FILE *file, const struct fb_lsm_row *rows, size_t n,
                          const json_t *devices)
{
    enum { MOST = 16 };
    char winner[MOST][FB_LSM_ROW_NAME];
    size_t like[MOST], n_devices = json_array_size(devices);
    struct fb_lsm_row *copy = malloc((n + 1) * sizeof *copy);
    n_devices = n_devices < MOST ? n_devices : MOST;
    for (size_t d = 0; copy && d < n_devices; d++) {
        const char *device = fb_json_str(json_array_get(devices, d), "name");
        memcpy(copy, rows, n * sizeof *copy);
        for (size_t i = 0; i < n; i++)
            price(&copy[i], device);
        qsort(copy, n, sizeof *copy, by_cost);
        fb_lsm_name_row(&copy[0], winner[d]);
        like[d] = n_like_best(copy, n) - 1;
    }
    for (size_t d = 0; copy && d < n_devices; d++) {
        bool said = false;
        for (size_t before = 0; before < d; before++)
            said = said || (!strcmp(winner[before], winner[d]) && like[before] == like[d]);
        if (said)
            continue;
        fputs("best on", file);
        for (size_t other = d; other < n_devices; other++)
            if (!strcmp(winner[other], winner[d]) && like[other] == like[d])
                fprintf(file, "%s %s", other > d ? "," : "",
                        fb_json_str(json_array_get(devices, other), "name"));
        fprintf(file, ": %s", winner[d]);
        if (like[d])
            fprintf(file, " (%zu other%s indistinguishable)", like[d], like[d] == 1 ? "" : "s");
        fputc('\n', file);
    }
    free(copy);
}

/* The formula beside the simulation: the largest deviation of the group. */
static void print_expectation(FILE *file, const struct fb_lsm_row *rows, size_t n)
{
    const struct fb_lsm_row *worst = NULL;
    for (size_t i = 0; i < n; i++) {
        double z = fabs(fb_json_num(rows[i].cell, "expectation.z"));
        if (isfinite(z) && (!worst || z > fabs(fb_json_num(worst->cell, "expectation.z"))))
            worst = &rows[i];
    }
    if (!worst)
        return;
    char name[FB_LSM_ROW_NAME];
    fb_lsm_name_row(&(struct fb_lsm_row){.cell = worst->cell}, name);
    fprintf(file,
            "data blocks per query, formula and simulation furthest apart: %.5f and %.5f, z = "
            "%+.1f (%s)\n",
            fb_json_num(worst->cell, "expectation.data_blocks"),
            fb_json_num(worst->cell, "expectation.simulated"),
            fb_json_num(worst->cell, "expectation.z"), name);
}

/* ---- Groups ---- */

static bool starts_group(const json_t *cells, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (same_group(json_array_get(cells, i), json_array_get(cells, at)))
            return false;
    return true;
}

static void print_groups(FILE *file, const json_t *document, bool markdown)
{
    const json_t *cells = json_object_get(document, "cells");
    const json_t *devices = json_object_get(document, "devices");
    const char *device = fb_json_str(json_array_get(devices, 0), "name");
    size_t n_groups = 0, i;
    for (i = 0; i < json_array_size(cells); i++)
        n_groups += starts_group(cells, i);
    size_t most = n_groups <= 4 ? 30 : n_groups <= 12 ? 12 : 4;
    for (i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        size_t n;
        struct fb_lsm_row *rows = starts_group(cells, i) ? rows_of(cells, cell, device, &n) : NULL;
        if (!rows)
            continue;
        print_heading(file, cell, document, markdown);
        fb_lsm_print_rows(file, rows, n, most, markdown);
        if (markdown)
            fputc('\n', file);
        print_winners(file, rows, n, devices);
        print_expectation(file, rows, n);
        fputc('\n', file);
        free(rows);
    }
}

/* ---- Below ---- */

static void print_resources(FILE *file, const json_t *document)
{
    const json_t *r = json_object_get(document, "resources");
    const json_t *caches = json_object_get(json_object_get(document, "timing"), "caches");
    double count_s = fb_json_num(r, "count_s"), build_s = fb_json_num(r, "build_s");
    fputs(
        "us/query: CPU + reads x time of one, +-: half of the 95 % interval, =: not told apart "
        "from the first row;\ngot: bits per key delivered, where not those asked for; MB: filters "
        "only;\nfound, false, ...: reads from the device per query, by cause",
        file);
    fputs(caches ? "; CPU ns: median; ratio: CPU to the cell's first lookup.\n"
                 : "; no CPU time was measured.\n",
          file);
    fprintf(file,
            "trees %.1f s, filters %.1f s (%.1f M keys/s), counting %.1f s (%.2f M queries/s), "
            "timing %.1f s; peak memory %.2f GB\n",
            fb_json_num(r, "tree_s"), build_s,
            build_s > 0 ? fb_json_num(r, "keys_built") / build_s * 1e-6 : 0, count_s,
            count_s > 0 ? fb_json_num(r, "queries_counted") / count_s * 1e-6 : 0,
            fb_json_num(r, "timing_s"), fb_json_num(r, "peak_bytes") * 1e-9);
    if (caches)
        fprintf(file,
                "caches: L1 %.0f KiB, L2 %.4g MiB, L3 %.4g MiB; keys, places and holders "
                "are made outside the clock\n",
                fb_json_num(caches, "l1d_bytes") / 1024, fb_json_num(caches, "l2_bytes") / 1048576,
                fb_json_num(caches, "l3_bytes") / 1048576);
}

void fb_lsm_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    print_groups(file, document, style == FB_TABLE_MARKDOWN);
    fb_lsm_scan_table(file, document, style == FB_TABLE_MARKDOWN);
    print_resources(file, document);
    fb_lsm_device_line(file, document);
    fb_result_notes(file, document, FB_MOST_WARNINGS);
}
