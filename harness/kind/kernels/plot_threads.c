/* The tables of the figures drawn from extra passes over batches of absent keys: threads, and
 * distributions of single lookups. */
#include <string.h>

#include "filters/core/filter.h"
#include "harness/kind/kernels/kernels.h"
#include "harness/stats/histogram.h"

/* Yardsticks stand among the designs; other controls do not. */
static bool is_shown(const json_t *cell)
{
    const char *name = fb_json_str(cell, "design");
    const struct fb_design *design = fb_design_find(name);
    return !design || !(design->traits & FB_CONTROL) || !strncmp(name, "touch-", 6);
}

/* The first cell of its design, footprint and size that has the list; later ones are other kernels
 * or the same from another document. */
static bool is_first(const json_t *shown, const json_t *cell)
{
    static const char *const members[] = {"design", "footprint", "params", NULL};
    for (size_t i = 0; i < json_array_size(shown); i++)
        if (fb_json_same(json_array_get(shown, i), cell, members))
            return false;
    return true;
}

/* Cells with a list of that name, to be released. */
static json_t *cells_with(const json_t *documents, const char *list)
{
    json_t *shown = json_array(), *cell;
    for (size_t d = 0; d < json_array_size(documents); d++) {
        size_t i;
        json_array_foreach(json_object_get(json_array_get(documents, d), "cells"), i, cell)
        {
            bool absent = !strcmp(fb_json_str(cell, "operation"), "batch") &&
                          fb_json_num(cell, "hit_ratio") <= 0;
            if (absent && json_is_array(json_object_get(cell, list)) && is_shown(cell) &&
                is_first(shown, cell))
                json_array_append(shown, cell);
        }
    }
    return shown;
}

bool fb_kernels_plot_scaling(const json_t *documents, FILE *file)
{
    json_t *cells = cells_with(documents, "scaling"), *cell, *point;
    size_t i, p, most = 0;
    fputs("design\tfootprint\tthreads\tper_s\tlow\thigh\tspeedup\tspeedup_low\tspeedup_high\n",
          file);
    json_array_foreach(cells, i, cell)
    {
        const json_t *points = json_object_get(cell, "scaling");
        most = json_array_size(points) > most ? json_array_size(points) : most;
        json_array_foreach((json_t *)points, p, point) fprintf(
            file, "%s\t%s\t%.0f\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", fb_json_str(cell, "design"),
            fb_json_str(cell, "footprint"), fb_json_num(point, "threads"),
            fb_json_num(point, "per_s"), fb_json_num(point, "per_s_low"),
            fb_json_num(point, "per_s_high"), fb_json_num(point, "speedup"),
            fb_json_num(point, "speedup_low"), fb_json_num(point, "speedup_high"));
    }
    json_decref(cells);
    return most > 1; /* one number of threads makes no line */
}

/* The share of samples above each bin: steps from 1 down. */
static void write_tail(FILE *file, const json_t *cell, const json_t *histogram)
{
    const json_t *bins = json_object_get(histogram, "bins");
    const double n = fb_json_num(histogram, "count");
    double above = n;
    size_t i;
    json_t *bin;
    json_array_foreach((json_t *)bins, i, bin)
    {
        double low = json_number_value(json_array_get(bin, 0));
        above -= json_number_value(json_array_get(bin, 1));
        double middle = (double)fb_histogram_middle(fb_histogram_bin((uint64_t)low));
        fprintf(file, "%s\t%s\t%s\t%.6g\t%.6g\n", fb_json_str(cell, "design"),
                fb_json_str(cell, "footprint"), fb_json_str(histogram, "kind"), middle * 1e-3,
                n > 0 ? above / n : 0);
    }
}

bool fb_kernels_plot_latency(const json_t *documents, FILE *file)
{
    json_t *cells = cells_with(documents, "histograms"), *cell, *histogram;
    size_t i, h;
    bool any = false;
    fputs("design\tfootprint\tkind\tns\tshare_above\n", file);
    json_array_foreach(cells, i, cell)
    {
        json_array_foreach(json_object_get(cell, "histograms"), h, histogram)
        {
            if (!strcmp(fb_json_str(histogram, "kind"), "batch64_mean"))
                continue;
            write_tail(file, cell, histogram);
            any = true;
        }
    }
    json_decref(cells);
    return any;
}
