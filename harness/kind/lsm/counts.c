/* What was counted of a cell, as JSON. */
#include "harness/kind/lsm/run.h"

/* Without its empty last bins. */
static json_t *histogram_json(const uint64_t bins[FB_READ_BINS])
{
    json_t *list = json_array();
    size_t n = FB_READ_BINS;
    while (n && !bins[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, fb_json_int(bins[i]));
    return list;
}

json_t *fb_lsm_counts_json(const struct fb_read_counts *c)
{
    static const char *const by_run[] = {"run_reached", "run_asked", "run_false", "run_held"};
    json_t *j = json_object();
    for (size_t i = 0; i < FB_READ_WORDS; i++)
        json_object_set_new(j, fb_read_count_names[i], fb_json_int((&c->queries)[i]));
    if (c->memtable_searches && !c->memtable_comparisons)
        fb_json_known(j, "memtable_comparisons", NULL,
                      "memtables of more than 262144 keys together are not searched");
    for (size_t i = 0; i < sizeof by_run / sizeof *by_run; i++) {
        json_t *list = json_array();
        for (size_t r = 0; r < c->n_runs; r++)
            json_array_append_new(list, fb_json_int((&c->run[r].reached)[i]));
        json_object_set_new(j, by_run[i], list);
    }
    json_object_set_new(j, "asked_histogram", histogram_json(c->asked_histogram));
    json_object_set_new(j, "io_histogram", histogram_json(c->io_histogram));
    return j;
}

json_t *fb_lsm_scan_json(const char *prefix, const struct fb_scan_counts *c)
{
    json_t *j = json_pack("{s:s}", "prefix", prefix);
    for (size_t i = 0; i < FB_SCAN_WORDS; i++)
        json_object_set_new(j, fb_scan_count_names[i], fb_json_int((&c->scans)[i]));
    json_object_set_new(j, "io_histogram", histogram_json(c->io_histogram));
    return j;
}
