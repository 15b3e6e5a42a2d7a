#include "harness/document/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"

size_t fb_place_of(const char *design)
{
    size_t i = 0;
    while (i < fb_n_designs() && strcmp(fb_design_at(i)->name, design))
        i++;
    return i;
}

bool fb_is_control(const char *design)
{
    const struct fb_design *found = fb_design_find(design);
    return found && found->traits & FB_CONTROL;
}

const char *fb_why_no_size(const struct fb_design *design)
{
    return design->traits & FB_CONTROL ? "a control has no size" : "its size is its own";
}

json_t *fb_size_params(const struct fb_design *design, double bits_per_key, double fpr)
{
    const bool sized = bits_per_key > 0 || fpr > 0;
    const char *why = sized ? "sized the other way" : fb_why_no_size(design);
    json_t *params = json_object();
    fb_json_known(params, "bits_per_key", bits_per_key > 0 ? json_real(bits_per_key) : NULL, why);
    fb_json_known(params, "fpr", fpr > 0 ? json_real(fpr) : NULL, why);
    return params;
}

bool fb_has_own_size(const char *design, const json_t *params)
{
    const struct fb_design *found = fb_design_find(design);
    return json_is_object(params) && found && found->traits & FB_ONE_SIZE &&
           !isfinite(fb_json_num(params, "bits_per_key")) && !isfinite(fb_json_num(params, "fpr"));
}

/* ---- Order ---- */

struct sorted {
    json_t *point;
    const char *const *paths;
    size_t at; /* equal points stay in their order */
};

static int compare_members(const json_t *a, const json_t *b, const char *path)
{
    double x = fb_json_num(a, path), y = fb_json_num(b, path);
    int order = strcmp(fb_json_str(a, path), fb_json_str(b, path));
    if (order)
        return order;
    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

static int compare(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;
    int order = 0;
    for (const char *const *path = a->paths; *path && !order; path++)
        order = compare_members(a->point, b->point, *path);
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

void fb_points_sort(json_t *points, const char *const *paths)
{
    const size_t n = json_array_size(points);
    struct sorted *all = calloc(n + 1, sizeof *all);
    for (size_t i = 0; all && i < n; i++)
        all[i] = (struct sorted){json_incref(json_array_get(points, i)), paths, i};
    if (all)
        qsort(all, n, sizeof *all, compare);
    for (size_t i = 0; all && i < n; i++)
        json_array_set_new(points, i, all[i].point);
    free(all);
}

/* ---- The table ---- */

void fb_points_write(FILE *file, const json_t *points, const struct fb_point_column *columns)
{
    for (const struct fb_point_column *c = columns; c->title; c++)
        fprintf(file, "%s%s", c > columns ? "\t" : "", c->title);
    fputc('\n', file);
    FB_EACH(point, points) {
        for (const struct fb_point_column *c = columns; c->title; c++) {
            const json_t *value = fb_json_at(point, c->path);
            fputs(c > columns ? "\t" : "", file);
            if (json_is_string(value))
                fputs(json_string_value(value), file);
            else
                fprintf(file, c->format ? c->format : "%.6g", fb_json_num(point, c->path));
        }
        fputc('\n', file);
    }
}
