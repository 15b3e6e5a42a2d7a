/* Results of kind "lsm", a row for each lookup of each cell. */
#include "harness/kind/lsm/report/report.h"

/* A list whose members each have a prefix, as an object that has them by prefix. */
static json_t *by_prefix(const json_t *list)
{
    json_t *object = json_object(), *each;
    size_t i;
    json_array_foreach((json_t *)list, i, each) {
        json_t *rest = json_copy(each);
        json_object_del(rest, "prefix");
        json_object_set_new(object, fb_json_str(each, "prefix"), rest);
    }
    return object;
}

/* A cell with the members of its lookup, but for the lookup's id; without one a cell alone. */
static json_t *row_of(json_t *cell, json_t *lookup)
{
    static const char *const lists[] = {"scans", "scan_rates"};
    json_t *row = json_copy(cell);
    json_object_update(row, lookup);
    json_object_set(row, "id", json_object_get(cell, "id"));
    for (size_t i = 0; i < 2; i++)
        json_object_set_new(row, lists[i], by_prefix(json_object_get(cell, lists[i])));
    return row;
}

json_t *fb_lsm_rows(const json_t *document)
{
    json_t *rows = json_array(), *cell;
    size_t i;
    json_array_foreach(json_object_get(document, "cells"), i, cell) {
        const json_t *lookups = json_object_get(cell, "lookups");
        size_t n = json_array_size(lookups);
        for (size_t l = 0; l < (n ? n : 1); l++)
            json_array_append_new(rows, row_of(cell, json_array_get(lookups, l)));
    }
    return rows;
}
