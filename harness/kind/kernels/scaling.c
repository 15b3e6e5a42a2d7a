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
    json_t *list = json_array();
    if (fb_scaling_point(first, samples, rounds, &p)) {
        json_decref(list);
        return NULL;
    }
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
    size_t i;
    json_t *point;
    json_array_foreach(points, i, point)
    {
        if (!read_samples(json_array_get(points, 0), first) || !read_samples(point, samples))
            return false;
        json_int_t threads = json_integer_value(json_object_get(point, "threads"));
        json_t *derived = point_json((unsigned)threads, first, samples, FB_SCALING_ROUNDS);
        json_object_update(point, derived);
        json_decref(derived);
    }
    return true;
}

/* ---- As a table ---- */

static double number(const json_t *point, const char *name)
{
    return json_number_value(json_object_get(point, name));
}

static void print_titles(FILE *file, const json_t *points, bool markdown)
{
    size_t i;
    json_t *point;
    fprintf(file, markdown ? "| design | kernel | footprint |" : "%-18s %-20s %-5s", "design",
            "kernel", "");
    json_array_foreach(points, i, point)
    {
        char title[40];
        snprintf(title, sizeof title, "%.0f thread%s", number(point, "threads"),
                 number(point, "threads") > 1 ? "s" : "");
        fprintf(file,
                markdown ? i ? " %s | speedup |" : " %s |"
                : i      ? "  %10s  %-18s"
                         : "  %10s",
                title, "speedup");
    }
    fputs(markdown ? "\n|:---|:---|:---|" : "\n", file);
    for (i = 0; markdown && i < json_array_size(points); i++)
        fputs(i ? "---:|:---|" : "---:|", file);
    if (markdown)
        fputc('\n', file);
}

static void print_line(FILE *file, const json_t *cell, const json_t *points, bool markdown)
{
    size_t i;
    json_t *point;
    char kernel[64];
    snprintf(kernel, sizeof kernel, "%.20s %.40s", fb_json_str(cell, "isa"),
             fb_json_str(cell, "style"));
    fprintf(file, markdown ? "| %s | %s | %s |" : "%-18s %-20s %-5s", fb_json_str(cell, "design"),
            kernel, fb_json_str(cell, "footprint"));
    json_array_foreach(points, i, point)
    {
        char rate[32], speedup[64];
        snprintf(rate, sizeof rate, "%.1f", number(point, "per_s") * 1e-6);
        snprintf(speedup, sizeof speedup, "%.2f [%.2f %.2f]", number(point, "speedup"),
                 number(point, "speedup_low"), number(point, "speedup_high"));
        fprintf(file,
                markdown ? i ? " %s | %s |" : " %s |"
                : i      ? "  %10s  %-18s"
                         : "  %10s",
                rate, speedup);
    }
    fputc('\n', file);
}

void fb_kernels_scaling_table(FILE *file, const json_t *cells, bool markdown)
{
    bool titled = false;
    size_t i;
    json_t *cell;
    json_array_foreach((json_t *)cells, i, cell)
    {
        const json_t *points = json_object_get(cell, "scaling");
        if (!json_is_array(points))
            continue;
        if (!titled) {
            fputs(markdown ? "**threads: million lookups a second of all together**\n\n"
                           : "threads: million lookups a second of all together, batches of absent "
                             "keys; [middle half of the rounds]\n",
                  file);
            print_titles(file, points, markdown);
        }
        titled = true;
        print_line(file, cell, points, markdown);
    }
    if (titled)
        fputc('\n', file);
}
