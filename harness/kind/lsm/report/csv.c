/* Results of kind "lsm", a line for each lookup of each cell. */
#include <stdio.h>

#include "harness/base/csv.h"
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

static void titles(struct fb_csv *csv, const json_t *devices, const json_t *prefixes)
{
    char before[100];
    fb_csv_titles(csv, "", of_cell);
    fb_csv_titles(csv, "", of_lookup);
    for (size_t d = 0; d < json_array_size(devices); d++) {
        snprintf(before, sizeof before, "costs.%.80s.",
                 fb_json_str(json_array_get(devices, d), "name"));
        fb_csv_titles(csv, before, of_cost);
    }
    for (size_t i = 0; i < json_array_size(prefixes); i++) {
        snprintf(before, sizeof before, "scans.%.80s.",
                 json_string_value(json_array_get(prefixes, i)));
        fb_csv_titles(csv, before, of_scan);
    }
    fb_csv_end(csv);
}

/* What is scanned for a prefix, counted and derived, in one object to be released. */
static json_t *scan_of(const json_t *cell, const json_t *prefix)
{
    const json_t *rates = of_prefix(json_object_get(cell, "scan_rates"), prefix);
    const json_t *scan = of_prefix(json_object_get(cell, "scans"), prefix);
    json_t *both = rates ? json_copy((json_t *)rates) : json_object();
    json_object_update(both, (json_t *)scan);
    return both;
}

static void line(struct fb_csv *csv, const json_t *cell, const json_t *lookup,
                 const json_t *devices, const json_t *prefixes)
{
    const json_t *costs = json_object_get(lookup ? lookup : cell, "costs");
    fb_csv_members(csv, cell, of_cell);
    fb_csv_members(csv, lookup, of_lookup);
    for (size_t d = 0; d < json_array_size(devices); d++)
        fb_csv_members(csv, json_object_get(costs, fb_json_str(json_array_get(devices, d), "name")),
                       of_cost);
    for (size_t i = 0; i < json_array_size(prefixes); i++) {
        json_t *scan = scan_of(cell, json_array_get(prefixes, i));
        fb_csv_members(csv, scan, of_scan);
        json_decref(scan);
    }
    fb_csv_end(csv);
}

void fb_lsm_csv(FILE *file, const json_t *document)
{
    const json_t *devices = json_object_get(document, "devices");
    struct fb_csv csv = {.file = file};
    size_t i;
    json_t *cell;
    json_t *prefixes = scanned(json_object_get(document, "cells"));
    titles(&csv, devices, prefixes);
    json_array_foreach(json_object_get(document, "cells"), i, cell)
    {
        const json_t *lookups = json_object_get(cell, "lookups");
        size_t n = json_array_size(lookups);
        for (size_t l = 0; l < (n ? n : 1); l++)
            line(&csv, cell, json_array_get(lookups, l), devices, prefixes);
    }
    json_decref(prefixes);
}
