/* The table of the figure of walks: what a query of an absent key costs against the number of runs
 * it visits, for keys of each length, hashed again for every filter and hashed once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/document/result.h"
#include "harness/kind/lsm/lsm.h"
#include "workloads/core/keys.h"

struct point {
    const char *design, *lookup; /* the document's */
    size_t key_bytes, runs, document, cell;
    double ns, low, high;
};

/* Of a format's keys, in the mean of some; 0: of a file, or unknown. */
static size_t key_bytes_of(const char *format)
{
    enum { SOME = 64 };
    struct fb_keygen keygen;
    const char *why;
    size_t sum = 0;
    if (!fb_keygen_parse(format, &keygen, &why))
        return 0;
    uint8_t *key = malloc(keygen.max_len + 1);
    for (uint64_t i = 0; key && i < SOME; i++)
        sum += keygen.write(&keygen, 0, i, key);
    free(key);
    return (sum + SOME / 2) / SOME;
}

/* Lines of the figure; the other lookups share too and stand in the result's table. */
static bool is_drawn(const char *lookup)
{
    return !strcmp(lookup, "rehash-each") || !strcmp(lookup, "shared-digest");
}

static bool take(const json_t *cell, const json_t *lookup, struct point *p)
{
    const json_t *time = json_object_get(lookup, "time");
    const json_t *interval = json_object_get(time, "ci95");
    p->design = fb_json_str(cell, "design");
    p->lookup = fb_json_str(lookup, "lookup");
    p->key_bytes = key_bytes_of(fb_json_str(cell, "keys"));
    double runs = fb_json_num(json_object_get(cell, "tree"), "runs");
    p->runs = runs > 0 ? (size_t)runs : 0;
    p->ns = fb_json_num(time, "median");
    p->low = fb_json_num(interval, "low");
    p->high = fb_json_num(interval, "high");
    p->low = isfinite(p->low) ? p->low : p->ns; /* too few processes */
    p->high = isfinite(p->high) ? p->high : p->ns;
    return p->key_bytes && p->runs && p->ns > 0 && is_drawn(p->lookup) &&
           fb_json_num(json_object_get(cell, "params"), "absent") >= 1;
}

/* Lines one after another, each by the number of runs; among equals the first of the documents. */
static int by_line(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    int order = strcmp(a->design, b->design);
    order = order ? order : (a->key_bytes > b->key_bytes) - (a->key_bytes < b->key_bytes);
    order = order ? order : strcmp(a->lookup, b->lookup);
    order = order ? order : (a->runs > b->runs) - (a->runs < b->runs);
    order = order ? order : (a->document > b->document) - (a->document < b->document);
    return order ? order : (a->cell > b->cell) - (a->cell < b->cell);
}

static bool same_line(const struct point *a, const struct point *b)
{
    return !strcmp(a->design, b->design) && a->key_bytes == b->key_bytes &&
           !strcmp(a->lookup, b->lookup);
}

static size_t gather(const json_t *documents, struct point **out)
{
    size_t n = 0;
    *out = NULL;
    for (size_t d = 0; d < json_array_size(documents); d++) {
        const json_t *document = json_array_get(documents, d);
        const json_t *cells = json_object_get(document, "cells");
        for (size_t c = 0;
             c < json_array_size(cells) && !strcmp(fb_json_str(document, "kind"), "lsm"); c++) {
            const json_t *cell = json_array_get(cells, c);
            const json_t *lookups = json_object_get(cell, "lookups");
            struct point *more = realloc(*out, (n + json_array_size(lookups) + 1) * sizeof **out);
            if (!more)
                break;
            *out = more;
            for (size_t l = 0; l < json_array_size(lookups); l++) {
                (*out)[n] = (struct point){.document = d, .cell = c};
                n += take(cell, json_array_get(lookups, l), &(*out)[n]);
            }
        }
    }
    return n;
}

bool fb_lsm_plot_walk_segments(const json_t *documents, FILE *file)
{
    struct point *points;
    size_t n = gather(documents, &points);
    bool line = false;
    if (n)
        qsort(points, n, sizeof *points, by_line);
    fputs("design\tlookup\tkey_bytes\truns\tns\tlow\thigh\n", file);
    for (size_t i = 0; i < n; i++) {
        const struct point *p = &points[i], *last = i ? p - 1 : p;
        const bool follows = i && same_line(p, last);
        if (follows && p->runs == last->runs)
            continue;
        line = line || follows;
        fprintf(file, "%s\t%s\t%zu\t%zu\t%.6g\t%.6g\t%.6g\n", p->design, p->lookup, p->key_bytes,
                p->runs, p->ns, p->low, p->high);
    }
    free(points);
    return line;
}
