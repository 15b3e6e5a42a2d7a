/* Counts of a cell of kind "lsm" that contradict each other. */
#include "harness/kind/lsm/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "harness/document/rules.h"

static uint64_t whole(const json_t *facts, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(facts, name));
}

static uint64_t whole_at(const json_t *object, const char *list, size_t i)
{
    return (uint64_t)json_integer_value(json_array_get(json_object_get(object, list), i));
}

static void put(json_t *facts, const char *name, uint64_t x)
{
    json_object_set_new(facts, name, json_integer((json_int_t)x));
}

/* To "GROUP.NAME", which starts as 0. */
static void add(json_t *facts, const char *group, const char *name, uint64_t x)
{
    char path[40];
    snprintf(path, sizeof path, "%s.%s", group, name);
    put(facts, path, whole(facts, path) + x);
}

/*
 * Replaces a list NAME of counts by number with their sum, and adds NAME.sum and NAME.squares of
 * what was counted; NAME.zero, the count of 0; NAME.open, whether the last bin takes all larger
 * numbers. What is no list has a sum that no count is.
 */
static void put_histogram(json_t *facts, const json_t *counts, const char *name)
{
    const json_t *bins = json_object_get(counts, name);
    uint64_t sums[3] = {json_is_array(bins) ? 0 : UINT64_MAX};
    for (size_t i = 0; i < json_array_size(bins); i++)
        for (size_t power = 0, x = 1; power < 3; power++, x *= i)
            sums[power] += x * whole_at(counts, name, i);
    put(facts, name, sums[0]);
    add(facts, name, "sum", sums[1]);
    add(facts, name, "squares", sums[2]);
    add(facts, name, "zero", whole_at(counts, name, 0));
    add(facts, name, "open", json_array_size(bins) >= FB_READ_BINS);
}

/* ---- Rules (rules.h) ---- */

/* The first member that the first broken rule names, behind `where`; NULL: all hold. */
static const char *broken(const json_t *facts, const char *const *rules, const char *where)
{
    static char blamed[64];
    for (; *rules; rules++) {
        if (fb_rule_kept(*rules, facts, NULL, 0))
            continue;
        snprintf(blamed, sizeof blamed, "%s%.*s", where, (int)strcspn(*rules, " "), *rules);
        return blamed;
    }
    return NULL;
}

/* ---- Point reads ---- */

#define ONLY_IN_VAIN " if present + deleted + index_blocks + filter_blocks + false_in_memory = 0"

static const char *const of_cell[] = {
    "tree.runs = runs",
    "n = runs.keys",
    "tree.segments = runs.segments",
    "tree.units = disk.units",
    "filter.bytes = runs.bytes",
    "queries >= 1",
    "queries = absent + present + deleted",
    "run_false = data_false",
    "asked_histogram = queries",
    "io_histogram = queries",
    "run_held + false_negatives = present + deleted",
    "any_false <= absent",
    "any_false <= false_squares",
    /* By run. Blind queries, of keys without a prefix, ask no filter. */
    "run_reached = runs",
    "run_asked = 0",
    "memtable_found = memtables.held",
    "memtable_searches = memtables.reached",
    "memtable_searches >= 1 if compared = 0",
    "memtable_comparisons >= memtable_found if compared = 1",
    "memtable_comparisons = 0 if memtable_searches = 0",
    "range_checks = disk.reached",
    "pruned + disk.asked = range_checks",
    "data_found + data_tombstone = disk.held",
    "asked <= filtered.asked",
    "asked = filtered.asked if blind = 0",
    /* Blocks. Index and filter blocks have sizes of their own. */
    "read_found <= data_found",
    "read_found = data_found if cached = 0",
    "read_false <= data_false",
    "read_false = data_false if cached = 0",
    "read_tombstone <= data_tombstone",
    "read_tombstone = data_tombstone if cached = 0",
    "read_index <= index_blocks",
    "read_index = index_blocks if cached = 0",
    "read_filter <= filter_blocks",
    "read_filter = filter_blocks if cached = 0",
    "index_blocks = 0 if index_cached = 0",
    "index_blocks = data_found + data_false + data_tombstone if index_cached = 1",
    "filter_blocks = 0 if filters_cached = 0",
    "filter_blocks = asked if filters_cached = 1",
    "asked_histogram.sum <= asked",
    "asked_histogram.sum = asked if asked_histogram.open = 0",
    "io_histogram.sum <= data_read + read_index + read_filter",
    "io_histogram.sum = data_read + read_index + read_filter if io_histogram.open = 0",
    "io_squares >= io_histogram.squares",
    "io_squares = io_histogram.squares if io_histogram.open = 0",
    "read_bytes >= data_bytes",
    "read_bytes = data_bytes if read_index + read_filter = 0",
    /* False positives of absent keys. Where nothing else is read, no block is in memory and no key
     * is present, a query's reads are its false positives. */
    "any_false <= data_false",
    "any_false >= 1 if no_false + present + deleted = 0",
    ("any_false + io_histogram.zero = queries" ONLY_IN_VAIN),
    ("false_squares = io_squares" ONLY_IN_VAIN),
    NULL,
};

/*
 * Of the x_q >= 0 false positives of the absent queries: how many x_q are above 0, and the sum of
 * x_q^2. The sum of x_q is known where no key is present, else bounded by that over all queries:
 *
 *     any <= squares <= (any - 1) + (sum - any + 1)^2
 *     any * squares >= sum^2 (Cauchy-Schwarz), squares = sum modulo 2      where it is known
 */
static bool squares_fit(const json_t *facts)
{
    const uint64_t any = whole(facts, "any_false"), squares = whole(facts, "false_squares");
    const uint64_t sum = whole(facts, "data_false");
    const bool known = whole(facts, "absent") == whole(facts, "queries");
    const fb_u128 most = any ? sum - any + 1 : 0;
    if (squares < any || squares > (any ? any - 1 : 0) + most * most)
        return false;
    return !known || (!((squares ^ sum) & 1) && (fb_u128)any * squares >= (fb_u128)sum * sum);
}

/*
 * Sums over runs, "disk.asked": of all, of memtables or those on disk, of those with filters.
 * run_reached: the runs that all queries reach which no run before them held, and that at most as
 * many ask; run_asked: queries that ask memtables.
 */
static void put_runs(json_t *facts, const json_t *counts, const json_t *runs)
{
    uint64_t left = whole(counts, "queries");
    put(facts, "runs", json_array_size(runs));
    put(facts, "run_reached", 0);
    for (size_t i = 0; i < json_array_size(runs); i++) {
        static const char *const of_run[] = {"keys", "segments", "units", "bytes"};
        const json_t *run = json_array_get(runs, i);
        const bool memtable = json_is_true(json_object_get(run, "memtable"));
        const bool filtered = json_is_integer(json_object_get(run, "probes"));
        const char *const groups[] = {"runs", memtable ? "memtables" : "disk",
                                      filtered ? "filtered" : "bare"};
        const uint64_t held = whole_at(counts, "run_held", i),
                       asked = whole_at(counts, "run_asked", i),
                       reached = whole_at(counts, "run_reached", i);
        for (size_t g = 0; g < 3; g++) {
            for (size_t m = 0; m < sizeof of_run / sizeof *of_run; m++)
                add(facts, groups[g], of_run[m], whole(run, of_run[m]));
            add(facts, groups[g], "held", held);
            add(facts, groups[g], "reached", reached);
            add(facts, groups[g], "asked", asked);
        }
        put(facts, "run_reached",
            whole(facts, "run_reached") + (reached == left && asked <= reached));
        left -= held;
    }
    put(facts, "run_asked", whole(facts, "memtables.asked"));
}

const char *fb_lsm_wrong_counts(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                                const json_t *cell)
{
    static const char *const paths[] = {"n", "tree.runs", "tree.segments", "tree.units",
                                        "filter.bytes"};
    static const char *const lists[] = {"run_false", "run_held", "asked_histogram", "io_histogram"};
    const struct fb_lsm_reading *reading = &e->readings[planned->reading];
    const json_t *counts = json_object_get(cell, "counts");
    json_t *facts = json_copy((json_t *)counts);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        put(facts, paths[i], (uint64_t)json_integer_value(fb_json_at(cell, paths[i])));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        put_histogram(facts, counts, lists[i]);
    put_runs(facts, counts, json_object_get(cell, "runs"));
    put(facts, "blind", json_is_false(fb_json_at(cell, "params.whole_key")));
    put(facts, "compared", json_is_integer(json_object_get(counts, "memtable_comparisons")));
    put(facts, "cached", reading->cache_bytes && e->reading.policy != FB_CACHE_NONE);
    put(facts, "index_cached", e->reading.index == FB_CACHED);
    put(facts, "filters_cached", reading->filters != FB_PINNED);
    put(facts, "no_false", !whole(counts, "data_false"));
    put(facts, "false_in_memory", whole(counts, "data_false") - whole(counts, "read_false"));
    put(facts, "data_read",
        whole(counts, "read_found") + whole(counts, "read_false") +
            whole(counts, "read_tombstone"));
    put(facts, "data_bytes", whole(facts, "data_read") * e->reading.block_bytes);
    const char *wrong = broken(facts, of_cell, "");
    if (!wrong && !squares_fit(facts))
        wrong = "false_squares";
    json_decref(facts);
    return wrong;
}

/* ---- Scans ---- */

static const char *const of_scan[] = {
    "scans >= 1",
    "held <= scans",
    "io_histogram = scans",
    "read_true + read_false >= io_histogram.sum",
    "read_true + read_false = io_histogram.sum if io_histogram.open = 0",
    "asked >= skipped",
    "asked <= read_true + read_false + skipped",
    "io_squares >= io_histogram.squares",
    "io_squares = io_histogram.squares if io_histogram.open = 0",
    "pruned <= range_checks",
    /* Sums over scans of products. In each scan files in range >= files read >= files read in vain;
     * what is in range and not read was skipped. */
    "range_reads <= range_squares",
    "io_squares <= range_reads",
    "reads_false <= io_squares",
    "false_squares <= reads_false",
    "range_false <= range_reads",
    "reads_false <= range_false",
    "range_squares = io_squares if skipped = 0",
    "range_reads = io_squares if skipped = 0",
    "range_false = reads_false if skipped = 0",
    "range_false = 0 if read_false = 0",
    "reads_false = 0 if read_false = 0",
    "false_squares = 0 if read_false = 0",
    "memtable_searches = of_memtables",
    "range_checks = of_runs",
    NULL,
};

const char *fb_lsm_wrong_scans(const json_t *cell)
{
    const json_t *scans = json_object_get(cell, "scans"), *runs = json_object_get(cell, "runs");
    const char *wrong = NULL;
    uint64_t n_memtables = 0;
    for (size_t i = 0; i < json_array_size(runs); i++)
        n_memtables += json_is_true(json_object_get(json_array_get(runs, i), "memtable"));
    for (size_t i = 0; i < json_array_size(scans) && !wrong; i++) {
        const json_t *scan = json_array_get(scans, i);
        json_t *facts = json_copy((json_t *)scan);
        put_histogram(facts, scan, "io_histogram");
        put(facts, "of_memtables", whole(scan, "scans") * n_memtables);
        put(facts, "of_runs", whole(scan, "scans") * (json_array_size(runs) - n_memtables));
        wrong = broken(facts, of_scan, "scans.");
        json_decref(facts);
    }
    return wrong;
}
