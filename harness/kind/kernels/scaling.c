/* Lookups from several threads, of an experiment of kind "kernels": to JSON, and derived again from
 * it; and as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/kernels/kernels.h"

static json_t *point_json(unsigned threads, const double *first, const double *samples,
                          size_t rounds)
{
    struct fb_scaling_point p;
    if (fb_scaling_point(first, samples, rounds, &p))
        return NULL;
    json_t *list = json_array();
    for (size_t r = 0; r < rounds; r++)
        json_array_append_new(list, json_real(samples[r]));
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "threads", (json_int_t)threads,
                     "per_s", p.per_s, "per_s_low", p.per_s_low, "per_s_high", p.per_s_high,
                     "speedup", p.speedup, "speedup_low", p.speedup_low, "speedup_high",
                     p.speedup_high, "samples_per_s", list);
}

json_t *fb_kernels_scaling(const struct fb_timing_options *o, const double *per_s)
{
    json_t *points = json_array();
    for (size_t i = 0; i < o->n_threads; i++)
        json_array_append_new(points, point_json(o->threads[i], per_s,
                                                 per_s + i * FB_SCALING_ROUNDS, FB_SCALING_ROUNDS));
    return points;
}

/* ---- Back ---- */

/* The samples of a point; rounds [FB_SCALING_ROUNDS]. */
static bool read_samples(const json_t *point, double *rounds)
{
    const json_t *list = json_object_get(point, "samples_per_s");
    for (size_t r = 0; r < FB_SCALING_ROUNDS; r++) {
        rounds[r] = json_number_value(json_array_get(list, r));
        if (!(rounds[r] > 0) || !isfinite(rounds[r]))
            return false;
    }
    return json_array_size(list) == FB_SCALING_ROUNDS;
}

bool fb_kernels_scaling_derive(json_t *points)
{
    double first[FB_SCALING_ROUNDS], samples[FB_SCALING_ROUNDS];
    FB_EACH(point, points) {
        if (!read_samples(json_array_get(points, 0), first) || !read_samples(point, samples))
            return false;
        json_int_t threads = json_integer_value(json_object_get(point, "threads"));
        json_auto_t *derived = point_json((unsigned)threads, first, samples, FB_SCALING_ROUNDS);
        json_object_update(point, derived);
    }
    return true;
}

/* ---- As a table: a row is {cell, "0": its first point, ...} ---- */

void fb_kernels_show_kernel(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *cell = fb_json_at(row, c->path);
    if (!strcmp(fb_json_str(cell, "isa"), "fastest"))
        strcpy(out, "the fastest loop");
    else
        snprintf(out, FB_TABLE_CELL, "%.20s %.40s", fb_json_str(cell, "isa"),
                 fb_json_str(cell, "style"));
}

static void show_speedup(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *point = fb_json_at(row, c->path);
    snprintf(out, FB_TABLE_CELL, "%.2f [%.2f %.2f]", fb_json_num(point, "speedup"),
             fb_json_num(point, "speedup_low"), fb_json_num(point, "speedup_high"));
}

void fb_kernels_scaling_table(FILE *file, const json_t *cells, enum fb_table_style style)
{
    const bool markdown = style == FB_TABLE_MARKDOWN;
    char titles[FB_SCALING_MOST][24], rates[FB_SCALING_MOST][16], paths[FB_SCALING_MOST][8];
    struct fb_column columns[3 + 2 * FB_SCALING_MOST + 1] = {
        {"design", "cell.design", .left = true, .width = 17},
        {"kernel", "cell", .member = "isa", .show = fb_kernels_show_kernel, .left = true,
         .width = 19},
        {markdown ? "footprint" : "", "cell.footprint", .left = true, .width = 5},
    };
    struct fb_column *end = columns + 3;
    struct fb_table table = {.columns = columns};
    size_t n = 0;
    FB_EACH(cell, cells) {
        json_t *points = json_object_get(cell, "scaling");
        if (!json_is_array(points))
            continue;
        if (!table.lines && !fb_table_further(style))
            return;
        json_auto_t *row = json_pack("{s:O}", "cell", cell);
        for (; n < json_array_size(points) && n < FB_SCALING_MOST; n++) {
            unsigned threads = (unsigned)fb_json_uint(json_array_get(points, n), "threads");
            snprintf(titles[n], sizeof *titles, "%u thread%s", threads, threads > 1 ? "s" : "");
            snprintf(paths[n], sizeof *paths, "%zu", n);
            snprintf(rates[n], sizeof *rates, "%zu.per_s", n);
            *end++ = (struct fb_column){titles[n],     rates[n],    .format = "%.1f",
                                        .scale = 1e-6, .width = 10, .block = (int)n + 1};
            if (n)
                *end++ = (struct fb_column){
                    "speedup",    paths[n],    .member = "speedup", .show = show_speedup,
                    .left = true, .width = 18, .spare = 2,          .block = (int)n + 1};
        }
        FB_EACH_AT(p, point, points) {
            if (p < n)
                json_object_set(row, paths[p], point);
        }
        if (!table.lines)
            fb_table_heading(&table, markdown
                                         ? "threads: million lookups a second of all together"
                                         : "threads: million lookups a second of all together, "
                                           "batches of absent keys; [middle half of the rounds]");
        fb_table_row(&table, "", row);
    }
    if (!table.lines)
        return;
    fb_table_finish(&table, file, style);
    fputc('\n', file);
}
