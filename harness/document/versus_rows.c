#include "harness/document/versus.h"

#include <math.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/document/kind.h"

enum { NAME = 400 };

const char *fb_versus_count(double n, char out[32])
{
    static const struct {
        double is;
        const char *unit;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    size_t u = 0;
    while (units[u].is > 1 && n != units[u].is &&
           (n < units[u].is * 10 || fmod(n * 10, units[u].is) != 0))
        u++;
    snprintf(out, 32, "%.10g%s", n / units[u].is, units[u].unit);
    return out;
}

/* ---- Rows ---- */

json_t *fb_versus_row(const char *place, const char *doing, const char *design, const char *label,
                      size_t quantity, double value, double low, double high, size_t cell,
                      bool apart)
{
    json_t *row =
        json_pack("{s:o, s:s, s:s, s:o, s:I, s:f, s:I, s:b}", "place", fb_json_text(place), "doing",
                  doing, "design", design, "label", fb_json_text(label), "quantity",
                  (json_int_t)quantity, "value", value, "cell", (json_int_t)cell, "apart", apart);
    if (row && isfinite(low) && isfinite(high)) {
        json_object_set_new(row, "low", json_real(low));
        json_object_set_new(row, "high", json_real(high));
    }
    return row;
}

static const struct fb_versus *versus_of(const json_t *document)
{
    const struct fb_kind *kind = fb_kind_find(fb_json_str(document, "kind"));
    return kind ? kind->versus : NULL;
}

const struct fb_quantity *fb_versus_quantity(const json_t *document, const json_t *row)
{
    return &versus_of(document)->quantities[fb_json_uint(row, "quantity")];
}

bool fb_versus_is_of(const json_t *row, const char *design)
{
    return !strcmp(fb_json_str(row, "design"), design);
}

json_t *fb_versus_arranged(const json_t *document)
{
    const struct fb_versus *versus = versus_of(document);
    json_t *rows = versus ? versus->rows(document) : NULL, *groups = json_object();
    FB_EACH(row, rows) {
        char name[NAME];
        snprintf(name, sizeof name, "%s\n%s\n%d", fb_json_str(row, "place"),
                 fb_json_str(row, "doing"), (int)fb_json_uint(row, "quantity"));
        if (!json_object_get(groups, name))
            json_object_set_new(groups, name, json_array());
        json_array_append(json_object_get(groups, name), row);
    }
    json_decref(rows);
    rows = json_array();
    FB_EACH_MEMBER(key, out, groups) {
        const size_t first = json_array_size(rows);
        FB_EACH(row, out)
            json_object_set_new(row, "group", json_integer((json_int_t)first));
        json_array_extend(rows, out);
    }
    json_decref(groups);
    return rows;
}

size_t fb_versus_first(const json_t *row)
{
    return (size_t)json_integer_value(json_object_get(row, "group"));
}

bool fb_versus_beside(const json_t *a, const json_t *b)
{
    return fb_versus_first(a) == fb_versus_first(b);
}

/* The row that a row is a multiple of; NULL: none. */
static const json_t *to_of(const json_t *rows, const json_t *row)
{
    const json_t *to = json_object_get(row, "to");
    return to ? json_array_get(rows, (size_t)json_integer_value(to)) : NULL;
}

int32_t fb_versus_least(const json_t *rows, const json_t *like, const char *design)
{
    int32_t found = -1;
    for (size_t i = fb_versus_first(like); i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (!fb_versus_beside(row, like))
            break;
        const bool meant =
            design ? fb_versus_is_of(row, design) : !json_is_true(json_object_get(row, "apart"));
        if (meant && (found < 0 || fb_json_num(row, "value") <
                                       fb_json_num(json_array_get(rows, (size_t)found), "value")))
            found = (int32_t)i;
    }
    return found;
}

/* Sets times, times_low and times_high of rows that have `to`, from value, low and high: the
 * distances to the ends, as logarithms, are joined as sqrt(a^2 + b^2). No interval where a value or
 * an end is 0. */
static void set_independent(json_t *rows)
{
    FB_EACH(row, rows) {
        const json_t *to = to_of(rows, row);
        if (!to)
            continue;
        const double a = fb_json_num(row, "value"), b = fb_json_num(to, "value");
        const double down =
            hypot(log(a / fb_json_num(row, "low")), log(fb_json_num(to, "high") / b));
        const double up = hypot(log(fb_json_num(row, "high") / a), log(b / fb_json_num(to, "low")));
        if (!isfinite(a / b))
            continue;
        json_object_set_new(row, "times", json_real(a / b));
        if (isfinite(down) && isfinite(up)) {
            json_object_set_new(row, "times_low", json_real(a / b * exp(-down)));
            json_object_set_new(row, "times_high", json_real(a / b * exp(up)));
        }
    }
}

static void take_times(const json_t *document, json_t *rows)
{
    const struct fb_versus *versus = versus_of(document);
    if (versus->times)
        versus->times(document, rows);
    else
        set_independent(rows);
}

json_t *fb_versus_rows(const json_t *document, const char *design)
{
    json_t *rows = fb_versus_arranged(document);
    const json_t *before = NULL;
    int32_t to = -1;
    bool any = false;
    FB_EACH(row, rows) {
        if (!before || !fb_versus_beside(before, row))
            to = fb_versus_least(rows, row, design);
        before = row;
        any |= to >= 0;
        if (to >= 0 && !fb_versus_is_of(row, design))
            json_object_set_new(row, "to", json_integer(to));
    }
    if (!any) {
        json_decref(rows);
        return NULL;
    }
    take_times(document, rows);
    return rows;
}
