/* What one shard counted of a cell, and the fragments of all shards back to the cell. */
#include <string.h>

#include "harness/kind/lsm/run.h"

json_t *fb_lsm_fragment(const struct fb_lsm_share *share, json_t *cell)
{
    return json_pack("{s:O, s:o, s:o, s:o, s:o, s:o}", "id", json_object_get(cell, "id"), "first",
                     fb_json_int(share->first), "end", fb_json_int(share->end), "first_scan",
                     fb_json_int(share->first_scan), "end_scan", fb_json_int(share->end_scan),
                     "cell", cell);
}

/* ---- Reading ---- */

static bool is_count(const json_t *j)
{
    return json_is_integer(j) && json_integer_value(j) >= 0;
}

static bool read_count(const json_t *object, const char *name, uint64_t *out,
                       struct fb_problem *problem)
{
    const json_t *j = json_object_get(object, name);
    *out = (uint64_t)json_integer_value(j);
    return is_count(j) || fb_refuse(problem, "%s: give a count", name);
}

/* Adds the entries of a list of at most `most` counts to every stride-th word of `sum`. */
static bool add_list(const json_t *object, const char *name, size_t most, size_t stride,
                     uint64_t *sum, struct fb_problem *problem)
{
    const json_t *list = json_object_get(object, name);
    const size_t n = json_array_size(list);
    bool fits = json_is_array(list) && n <= most;
    for (size_t i = 0; fits && i < n; i++) {
        fits = is_count(json_array_get(list, i));
        sum[i * stride] += (uint64_t)json_integer_value(json_array_get(list, i));
    }
    return fits || fb_refuse(problem, "%s: give at most %zu counts", name, most);
}

/* Adds "counts" of a fragment's cell; `queries`: of the fragment. */
static bool add_counts(const json_t *counts, uint64_t queries, struct fb_read_counts *sum,
                       struct fb_problem *problem)
{
    static const char *const by_run[] = {"run_reached", "run_asked", "run_false", "run_held"};
    static const char unknown[] = "memtable_comparisons"; /* null where none were made */
    for (size_t i = 0; i < FB_READ_WORDS; i++) {
        const char *name = fb_read_count_names[i];
        uint64_t word = 0;
        if ((strcmp(name, unknown) != 0 || !json_is_null(json_object_get(counts, name))) &&
            !read_count(counts, name, &word, problem))
            return false;
        (&sum->queries)[i] += word;
    }
    for (size_t i = 0; i < sizeof by_run / sizeof *by_run; i++)
        if (!add_list(counts, by_run[i], sum->n_runs, sizeof *sum->run / sizeof(uint64_t),
                      &sum->run->reached + i, problem))
            return false;
    if (fb_json_uint(counts, "queries") != queries)
        return fb_refuse(problem, "counts.queries: it is not end less first");
    return add_list(counts, "asked_histogram", FB_READ_BINS, 1, sum->asked_histogram, problem) &&
           add_list(counts, "io_histogram", FB_READ_BINS, 1, sum->io_histogram, problem);
}

static bool add_scan(const json_t *scan, uint64_t scans, struct fb_scan_counts *sum,
                     struct fb_problem *problem)
{
    for (size_t i = 0; i < FB_SCAN_WORDS; i++) {
        uint64_t word;
        if (!read_count(scan, fb_scan_count_names[i], &word, problem))
            return false;
        (&sum->scans)[i] += word;
    }
    return (fb_json_uint(scan, "scans") == scans ||
            fb_refuse(problem, "scans: they are not end_scan less first_scan")) &&
           add_list(scan, "io_histogram", FB_READ_BINS, 1, sum->io_histogram, problem);
}

/* ---- Shares ---- */

/* What of the cell a fragment has. */
static bool read_share(const struct fb_lsm *e, const json_t *fragment, struct fb_lsm_share *share,
                       struct fb_problem *problem)
{
    if (!read_count(fragment, "first", &share->first, problem) ||
        !read_count(fragment, "end", &share->end, problem) ||
        !read_count(fragment, "first_scan", &share->first_scan, problem) ||
        !read_count(fragment, "end_scan", &share->end_scan, problem))
        return false;
    if (share->first > share->end || share->end > e->n_queries)
        return fb_refuse(problem, "first, end: the experiment has %llu queries",
                         (unsigned long long)e->n_queries);
    if (share->first_scan > share->end_scan || share->end_scan > e->n_scans)
        return fb_refuse(problem, "first_scan, end_scan: the experiment has %llu scans",
                         (unsigned long long)e->n_scans);
    return true;
}

/* Whether the fragments, one after another, are all of the cell's queries and scans. */
static bool tile(const struct fb_lsm *e, const json_t *fragments)
{
    struct fb_problem unused;
    uint64_t end = 0, end_scan = 0;
    bool gap = false;
    size_t i;
    json_t *fragment;
    json_array_foreach((json_t *)fragments, i, fragment) {
        struct fb_lsm_share share = {0};
        gap = gap || !read_share(e, fragment, &share, &unused) || share.first != end ||
              share.first_scan != end_scan;
        end = share.end;
        end_scan = share.end_scan;
    }
    return !gap && end == e->n_queries && end_scan == e->n_scans;
}

/* ---- Uniting ---- */

/* A cell without what stretches have of their own, to be released. */
static json_t *common_of(const json_t *cell)
{
    json_t *common = json_copy((json_t *)cell), *prefixes = json_array(), *scan;
    size_t i;
    json_object_del(common, "counts");
    json_array_foreach(json_object_get(cell, "scans"), i, scan)
        json_array_append(prefixes, json_object_get(scan, "prefix"));
    if (json_is_array(json_object_get(cell, "scans")))
        json_object_set(common, "scans", prefixes);
    json_decref(prefixes);
    return common;
}

static bool same_cell(const json_t *a, const json_t *b, struct fb_problem *problem)
{
    json_t *of_a = common_of(a), *of_b = common_of(b);
    const char *where = NULL;
    const bool same = fb_json_agree(of_a, of_b, &where) && fb_json_agree(of_b, of_a, &where);
    if (!same)
        fb_refuse(problem, "%s: two shards have it otherwise", where ? where : "a member");
    json_decref(of_a);
    json_decref(of_b);
    return same;
}

static bool sum_counts(const struct fb_lsm *e, const json_t *fragments, struct fb_read_counts *sum,
                       struct fb_problem *problem)
{
    size_t i;
    json_t *fragment;
    json_array_foreach((json_t *)fragments, i, fragment) {
        struct fb_lsm_share share;
        if (!read_share(e, fragment, &share, problem) ||
            !add_counts(fb_json_at(fragment, "cell.counts"), share.end - share.first, sum, problem))
            return false;
    }
    return true;
}

/* Scan number s of all fragments. */
static bool sum_scan(const struct fb_lsm *e, const json_t *fragments, size_t s,
                     struct fb_scan_counts *sum, struct fb_problem *problem)
{
    size_t i;
    json_t *fragment;
    json_array_foreach((json_t *)fragments, i, fragment) {
        const json_t *scan = json_array_get(fb_json_at(fragment, "cell.scans"), s);
        struct fb_lsm_share share;
        if (!read_share(e, fragment, &share, problem) ||
            !add_scan(scan, share.end_scan - share.first_scan, sum, problem))
            return false;
    }
    return true;
}

/* Sets "scans" of the united cell, if it has any. */
static bool unite_scans(const struct fb_lsm *e, const json_t *fragments, json_t *united,
                        struct fb_problem *problem)
{
    const json_t *scans = json_object_get(united, "scans");
    json_t *sums = json_array();
    bool read = true;
    for (size_t s = 0; s < json_array_size(scans) && read; s++) {
        struct fb_scan_counts sum = {0};
        read = sum_scan(e, fragments, s, &sum, problem);
        json_array_append_new(
            sums, fb_lsm_scan_json(fb_json_str(json_array_get(scans, s), "prefix"), &sum));
    }
    if (json_is_array(scans))
        json_object_set(united, "scans", sums);
    json_decref(sums);
    return read;
}

bool fb_lsm_unite(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                  const json_t *fragments, json_t **united, struct fb_problem *problem)
{
    const json_t *first = json_object_get(json_array_get(fragments, 0), "cell");
    struct fb_read_counts sum = {0};
    *united = NULL;
    if (!fb_lsm_splits(e, planned))
        return fb_refuse(problem, "a fragment of a cell that is not split");
    for (size_t i = 0; i < json_array_size(fragments); i++) {
        const json_t *cell = json_object_get(json_array_get(fragments, i), "cell");
        if (strcmp(fb_json_str(cell, "id"), planned->id) != 0)
            return fb_refuse(problem, "cell.id: it is not that of the fragment");
        if (!same_cell(first, cell, problem))
            return false;
    }
    if (fb_read_counts_open(json_array_size(json_object_get(first, "runs")), &sum))
        return fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    json_t *cell = json_deep_copy(first);
    const bool read =
        sum_counts(e, fragments, &sum, problem) && unite_scans(e, fragments, cell, problem);
    if (read)
        json_object_set_new(cell, "counts", fb_lsm_counts_json(&sum));
    if (read && tile(e, fragments))
        *united = json_incref(cell);
    json_decref(cell);
    fb_read_counts_close(&sum);
    return read;
}
