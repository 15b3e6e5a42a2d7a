/* Results of kind "lsm", a line for each lookup of each cell. */
#include <stdlib.h>
#include <string.h>

#include "harness/kind/lsm/lsm.h"

static const char *const of_cell[] = {
    "id",
    "design",
    "keys",
    "n",
    "params.bits_per_key",
    "params.fpr",
    "params.allocation",
    "params.hash",
    "params.prefix",
    "params.whole_key",
    "params.absent",
    "params.absent_kind",
    "params.cache_bytes",
    "params.filter_residency",
    "tree.style",
    "tree.levels",
    "tree.runs",
    "tree.segments",
    "tree.units",
    "tree.segment_keys",
    "filter.bytes",
    "filter.checksum",
    "memory.bits_per_key",
    "memory.footprint",
    "counts.queries",
    "counts.absent",
    "counts.present",
    "counts.deleted",
    "counts.range_checks",
    "counts.pruned",
    "counts.asked",
    "counts.false_negatives",
    "counts.data_found",
    "counts.data_false",
    "counts.data_tombstone",
    "counts.index_blocks",
    "counts.filter_blocks",
    "counts.read_found",
    "counts.read_false",
    "counts.read_tombstone",
    "counts.read_index",
    "counts.read_filter",
    "counts.read_bytes",
    "counts.any_false",
    "reads.io",
    "reads.io_ci95.low",
    "reads.io_ci95.high",
    "reads.any_false",
    "expectation.data_blocks",
    "expectation.simulated",
    "expectation.se",
    "expectation.z",
    NULL,
};
static const char *const of_lookup[] = {
    "lookup",
    "isa",
    "style",
    "asked",
    "digests",
    "time.median",
    "time.min",
    "time.ci95.low",
    "time.ci95.high",
    "time.ratio_to",
    "time.ratio",
    "time.ratio_ci95.low",
    "time.ratio_ci95.high",
    "parts.walk_ns",
    "parts.hash_ns",
    "parts.probe_ns",
    "bound",
    NULL,
};
/* Of each prefix that is scanned for, in "scans" or "scan_rates". */
static const char *const of_scan[] = {
    "scans",           "held",           "blind",     "range_checks",
    "pruned",          "asked",          "read_true", "read_false",
    "skipped",         "files_in_range", "reads",     "reads_ci95.low",
    "reads_ci95.high", "read_in_vain",   "unread",    NULL,
};
static const char *const of_cost[] = {"io_ns", "cost_ns", "low", "high", NULL};

static void value(FILE *file, const json_t *v, bool first)
{
    char *text = v && !json_is_null(v) && !json_is_string(v)
                     ? json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
                     : NULL;
    const char *string = json_string_value(v);
    fprintf(file, "%s%s", first ? "" : ",", text ? text : string ? string : "");
    free(text);
}

/* The prefixes of all cells, each once, owned by the caller. */
static json_t *scanned(const json_t *cells)
{
    json_t *prefixes = json_array();
    for (size_t c = 0; c < json_array_size(cells); c++) {
        const json_t *scans = json_object_get(json_array_get(cells, c), "scans");
        for (size_t i = 0; i < json_array_size(scans); i++) {
            json_t *prefix = json_object_get(json_array_get(scans, i), "prefix");
            size_t at = 0;
            while (at < json_array_size(prefixes) &&
                   !json_equal(json_array_get(prefixes, at), prefix))
                at++;
            if (at == json_array_size(prefixes))
                json_array_append(prefixes, prefix);
        }
    }
    return prefixes;
}

static const json_t *of_prefix(const json_t *list, const json_t *prefix)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_object_get(json_array_get(list, i), "prefix"), prefix))
            return json_array_get(list, i);
    return NULL;
}

static void titles(FILE *file, const json_t *devices, const json_t *prefixes)
{
    for (const char *const *path = of_cell; *path; path++)
        fprintf(file, "%s%s", path == of_cell ? "" : ",", *path);
    for (const char *const *path = of_lookup; *path; path++)
        fprintf(file, ",%s", *path);
    for (size_t d = 0; d < json_array_size(devices); d++)
        for (const char *const *path = of_cost; *path; path++)
            fprintf(file, ",costs.%s.%s", fb_json_str(json_array_get(devices, d), "name"), *path);
    for (size_t i = 0; i < json_array_size(prefixes); i++)
        for (const char *const *path = of_scan; *path; path++)
            fprintf(file, ",scans.%s.%s", json_string_value(json_array_get(prefixes, i)), *path);
    fputc('\n', file);
}

static void line(FILE *file, const json_t *cell, const json_t *lookup, const json_t *devices,
                 const json_t *prefixes)
{
    const json_t *costs = json_object_get(lookup ? lookup : cell, "costs");
    for (const char *const *path = of_cell; *path; path++)
        value(file, fb_json_at(cell, *path), path == of_cell);
    for (const char *const *path = of_lookup; *path; path++)
        value(file, fb_json_at(lookup, *path), false);
    for (size_t d = 0; d < json_array_size(devices); d++) {
        const json_t *cost =
            json_object_get(costs, fb_json_str(json_array_get(devices, d), "name"));
        for (const char *const *path = of_cost; *path; path++)
            value(file, json_object_get(cost, *path), false);
    }
    for (size_t i = 0; i < json_array_size(prefixes); i++) {
        const json_t *prefix = json_array_get(prefixes, i);
        const json_t *scan = of_prefix(json_object_get(cell, "scans"), prefix);
        const json_t *rates = of_prefix(json_object_get(cell, "scan_rates"), prefix);
        for (const char *const *path = of_scan; *path; path++)
            value(file, fb_json_at(json_object_get(scan, *path) ? scan : rates, *path), false);
    }
    fputc('\n', file);
}

void fb_lsm_csv(FILE *file, const json_t *document)
{
    const json_t *devices = json_object_get(document, "devices");
    size_t i;
    json_t *cell;
    json_t *prefixes = scanned(json_object_get(document, "cells"));
    titles(file, devices, prefixes);
    json_array_foreach(json_object_get(document, "cells"), i, cell)
    {
        const json_t *lookups = json_object_get(cell, "lookups");
        size_t n = json_array_size(lookups);
        for (size_t l = 0; l < (n ? n : 1); l++)
            line(file, cell, json_array_get(lookups, l), devices, prefixes);
    }
    json_decref(prefixes);
}
