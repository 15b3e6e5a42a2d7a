#include "harness/tree/read_path.h"

#include <stdlib.h>
#include <string.h>

const char *const fb_read_count_names[FB_READ_WORDS] = {
    "queries",        "absent",       "present",        "deleted",       "memtable_searches",
    "memtable_found", "range_checks", "pruned",         "asked",         "false_negatives",
    "data_found",     "data_false",   "data_tombstone", "index_blocks",  "filter_blocks",
    "read_found",     "read_false",   "read_tombstone", "read_index",    "read_filter",
    "read_bytes",     "io_squares",   "any_false",      "false_squares", "memtable_comparisons"};

const char *const fb_scan_count_names[FB_SCAN_WORDS] = {
    "scans",           "held",           "blind",       "memtable_searches", "range_checks",
    "pruned",          "asked",          "read_true",   "read_false",        "skipped",
    "false_negatives", "range_squares",  "range_reads", "range_false",       "reads_false",
    "false_squares",   "pruned_squares", "io_squares"};

static void add(uint64_t *into, const uint64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        into[i] += from[i];
}

enum fb_err fb_read_counts_open(size_t n_runs, struct fb_read_counts *c)
{
    *c = (struct fb_read_counts){.n_runs = n_runs};
    c->run = calloc(n_runs + 1, sizeof *c->run);
    return c->run ? FB_OK : FB_ENOMEM;
}

void fb_read_counts_close(struct fb_read_counts *c)
{
    free(c->run);
    memset(c, 0, sizeof *c);
}

enum fb_err fb_read_counts_add(struct fb_read_counts *into, const struct fb_read_counts *from)
{
    enum fb_err err = into->run ? FB_OK : fb_read_counts_open(from->n_runs, into);
    if (err || into->n_runs != from->n_runs)
        return err ? err : FB_EINVAL;
    add(&into->queries, &from->queries, offsetof(struct fb_read_counts, run) / sizeof(uint64_t));
    add(&into->run->reached, &from->run->reached,
        from->n_runs * (sizeof *from->run / sizeof(uint64_t)));
    return FB_OK;
}

void fb_scan_counts_add(struct fb_scan_counts *into, const struct fb_scan_counts *from)
{
    add(&into->scans, &from->scans, sizeof *from / sizeof(uint64_t));
}
