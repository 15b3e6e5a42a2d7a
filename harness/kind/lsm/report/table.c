/* Results of kind "lsm" as tables: for each tree, stream of queries and way of reading, the filters
 * and lookups ranked by what a query costs. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/screen.h"
#include "harness/kind/lsm/report/report.h"

/* ---- Rows ---- */

static void price(struct fb_lsm_row *row, const char *device)
{
    const json_t *costs = json_object_get(row->lookup ? row->lookup : row->cell, "costs");
    const json_t *cost = json_object_get(costs, device);
    row->cost = fb_json_num(cost, "cost_ns");
    row->low = fb_json_num(cost, "low");
    row->high = fb_json_num(cost, "high");
}

/* Rows that are not ranked stand behind the others. */
static int by_cost(const void *a, const void *b)
{
    const struct fb_lsm_row *x = a, *y = b;
    if (fb_lsm_is_ranked(x) != fb_lsm_is_ranked(y))
        return fb_lsm_is_ranked(x) ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    double bytes = fb_json_num(x->cell, "filter.bytes") - fb_json_num(y->cell, "filter.bytes");
    return bytes < 0 ? -1 : bytes > 0;
}

/* A cell is of its own group whatever it lacks. */
static bool same_group(const json_t *a, const json_t *b)
{
    static const char *const paths[] = {"keys",
                                        "n",
                                        "tree",
                                        "params.absent",
                                        "params.absent_kind",
                                        "params.cache_bytes",
                                        "params.filter_residency",
                                        NULL};
    return a == b || fb_json_same(a, b, paths);
}

/* The cell of `cells` that differs only in that each run has the same bits per key, or NULL. */
static const json_t *uniform_of(const json_t *cells, const json_t *cell)
{
    static const char *const paths[] = {"design",     "params.hash",   "params.bits_per_key",
                                        "params.fpr", "params.prefix", "params.whole_key",
                                        NULL};
    FB_EACH(other, cells) {
        if (!strcmp(fb_json_str(other, "params.allocation"), "uniform") &&
            same_group(other, cell) && fb_json_same(other, cell, paths))
            return other;
    }
    return NULL;
}

/* Lines of a cell: one for each lookup that was timed, or one. */
static size_t n_lines(const json_t *cell)
{
    size_t n = json_array_size(json_object_get(cell, "lookups"));
    return n ? n : 1;
}

/* The rows of the group of cells[first], at least one. NULL: out of memory. */
static struct fb_lsm_row *rows_of(const json_t *cells, size_t first, size_t *n)
{
    size_t most = 0;
    for (size_t i = first; i < json_array_size(cells); i++)
        most += n_lines(json_array_get(cells, i));
    struct fb_lsm_row *rows = calloc(most + 1, sizeof *rows);
    *n = 0;
    for (size_t i = first; rows && i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i), *lookups = json_object_get(cell, "lookups");
        if (!same_group(cell, json_array_get(cells, first)))
            continue;
        for (size_t l = 0; l < n_lines(cell); l++)
            rows[(*n)++] = (struct fb_lsm_row){.cell = cell,
                                               .lookup = json_array_get(lookups, l),
                                               .uniform = uniform_of(cells, cell),
                                               .at = i};
    }
    return rows;
}

/* ---- A group ---- */

static void heading_of(const json_t *cell, const json_t *device, char *out, size_t size)
{
    const char *kind = fb_json_str(cell, "params.absent_kind"),
               *order = fb_json_str(cell, "tree.order"),
               *filters = fb_json_str(cell, "params.filter_residency");
    double cache = fb_json_num(cell, "params.cache_bytes");
    char ordered[80] = "", cached[40] = "", resident[80] = "";
    if (strcmp(order, fb_orders[FB_ORDER_SHUFFLE].name) != 0)
        snprintf(ordered, sizeof ordered, "; order of keys: %.40s", order);
    if (cache > 0)
        snprintf(cached, sizeof cached, "; cache %.4g MB", cache * 1e-6);
    if (strcmp(filters, "pinned") != 0)
        snprintf(resident, sizeof resident, "; filters %.40s", filters);
    snprintf(out, size,
             "%s: %.0f keys (%s), %.0f levels, %.0f runs, %.0f segments; %.4g %% absent%s%s%s%s%s; "
             "a read takes %.4g us (%s%s)",
             fb_json_str(cell, "tree.style"), fb_json_num(cell, "n"), fb_json_str(cell, "keys"),
             fb_json_num(cell, "tree.levels"), fb_json_num(cell, "tree.runs"),
             fb_json_num(cell, "tree.segments"), 100 * fb_json_num(cell, "params.absent"),
             *kind ? ", " : "", kind, ordered, cached, resident,
             fb_json_num(device, "read_ns") / 1000, fb_json_str(device, "name"),
             fb_device_is_assumed(fb_json_str(device, "name")) ? ", assumed" : "");
}

/* Whether it is not told apart from the best: its interval reaches that one's, or one of them has
 * none. */
static bool is_like(const struct fb_lsm_row *row, const struct fb_lsm_row *best)
{
    return row > best && fb_lsm_is_ranked(row) && !(row->low > best->high);
}

/* The first of the ranked rows, "=" where one is like the best, and how many more there are.
 */
static void print_rows(FILE *file, const char *heading, const struct fb_lsm_row *rows, size_t n,
                       enum fb_table_style style)
{
    enum { MOST = 30 };
    struct fb_table table = {.columns = fb_lsm_columns, .gap = 1};
    fb_table_heading(&table, heading);
    for (size_t i = 0; i < n && i < MOST; i++) {
        json_auto_t *row = fb_lsm_row_json(&rows[i], i + 1);
        fb_table_row(&table, is_like(&rows[i], rows) ? "=" : " ", row);
    }
    fb_table_finish(&table, file, style);
    if (n > MOST)
        fprintf(file, "%s%zu more rows: export --to csv\n",
                style == FB_TABLE_MARKDOWN ? "\n" : "     ", n - MOST);
    if (style == FB_TABLE_MARKDOWN)
        fputc('\n', file);
}

/* What was left out of the ranking, and why. */
static void print_left_out(FILE *file, const struct fb_lsm_row *rows, size_t n_ranked, size_t n,
                           double scale)
{
    if (n_ranked == n)
        return;
    const json_t *cell = rows[n_ranked].cell;
    fb_say(file, 3,
           "-: not ranked, as its rate depends on the number of keys per filter: rate %%: with "
           "%.0f, as here; at scale 1 %%: with %.0f\n",
           fb_json_num(cell, "per_filter.keys"), fb_json_num(cell, "per_filter.unscaled_keys"));
    if (scale == 1)
        fb_say(file, 2,
               "the keys do not fill the levels that were asked for: files are smaller than at "
               "scale 1 of a full tree\n");
}

static bool starts_group(const json_t *cells, size_t at)
{
    size_t i = 0;
    while (!same_group(json_array_get(cells, i), json_array_get(cells, at)))
        i++;
    return i == at;
}

struct fb_lsm_row *fb_lsm_ranking(const json_t *document, size_t at, size_t *n, size_t *n_ranked)
{
    const json_t *cells = json_object_get(document, "cells");
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    struct fb_lsm_row *rows = starts_group(cells, at) ? rows_of(cells, at, n) : NULL;
    *n_ranked = 0;
    for (size_t i = 0; rows && i < *n; i++) {
        price(&rows[i], fb_json_str(device, "name"));
        *n_ranked += fb_lsm_is_ranked(&rows[i]);
    }
    if (rows)
        qsort(rows, *n, sizeof *rows, by_cost);
    return rows;
}

static void print_groups(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *cells = json_object_get(document, "cells");
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0),
                 *spoken = fb_versus_spoken(document);
    size_t n, n_ranked;
    for (size_t i = 0; i < json_array_size(cells); i++) {
        char heading[FB_TABLE_CELL];
        struct fb_lsm_row *rows = fb_lsm_ranking(document, i, &n, &n_ranked);
        if (rows && (same_group(json_array_get(cells, i), spoken) || fb_table_further(style))) {
            heading_of(json_array_get(cells, i), device, heading, sizeof heading);
            print_rows(file, heading, rows, n, style);
            print_left_out(file, rows, n_ranked, n, fb_json_num(document, "experiment.scale"));
            fputc('\n', file);
        }
        free(rows);
    }
}

/* ---- Below ---- */

/* What belongs to all times. */
static void print_times(FILE *file, const json_t *timing)
{
    const json_t *caches = json_object_get(timing, "caches");
    if (json_is_true(json_object_get(timing, "independent")))
        fb_say_aside(file, 2,
                     "Fewer than 16 processes measured the times. Their intervals take the "
                     "processes for independent.\n");
    if (!fb_screen_is_verbose())
        return;
    fb_say_aside(file, 2,
                 "caches: L1 %.0f KiB, L2 %.4g MiB, L3 %.4g MiB. Keys, places and holders are made "
                 "outside the clock.\n",
                 fb_json_num(caches, "l1d_bytes") / 1024, fb_json_num(caches, "l2_bytes") / 1048576,
                 fb_json_num(caches, "l3_bytes") / 1048576);
    if (!strcmp(fb_json_str(timing, "clock"), "thread_cpu"))
        fb_say_aside(file, 2,
                     "Times are CPU times of the thread. Other work took the processor from over a "
                     "tenth of the batches, which were measured again.\n");
}

/* A line about the measured device, if it was. */
static void print_device(FILE *file, const json_t *document)
{
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    const json_t *about = json_object_get(device, "about");
    const json_t *histogram = json_array_get(json_object_get(device, "histograms"), 0);
    static const char *const shown[] = {"p50", "p90", "p99", "p99_9"};
    char times[128] = "";
    if (!about)
        return;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const json_t *ps = json_object_get(json_object_get(histogram, "percentiles"), shown[i]);
        if (json_is_integer(ps))
            fb_append(times, sizeof times, " %s %.4g", shown[i], json_number_value(ps) * 1e-6);
    }
    fb_say_aside(
        file, 2, "device: %lld reads of %lld bytes, %.4g MB on %.200s (%s); page cache %s; us:%s\n",
        (long long)json_integer_value(json_object_get(about, "reads")),
        (long long)json_integer_value(json_object_get(about, "block_bytes")),
        json_number_value(json_object_get(about, "bytes")) * 1e-6, fb_json_str(about, "path"),
        fb_json_str(about, "filesystem"), fb_json_str(about, "page_cache"), times);
}

void fb_lsm_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    const json_t *timing = json_object_get(document, "timing");
    const char *engine = fb_json_str(document, "experiment.costs_from");
    print_groups(file, document, style);
    if (*engine)
        fb_say(
            file, 2,
            "us/query is of an engine (%s): %.4g us, its time for each filter asked, and reads\n",
            engine, fb_json_num(document, "experiment.engine_base_ns") / 1e3);
    fb_lsm_scan_table(file, document, style);
    fb_lsm_building_table(file, document, style);
    fb_say_aside(file, 2, "us/query: CPU time + reads x the time of one read.%s\n",
                 timing ? "" : " No CPU time was measured.");
    fb_say_aside(file, 2, "=: the difference from the first row is within the noise.\n");
    if (timing)
        print_times(file, timing);
    fb_result_say_tuning(file, document);
    if (style != FB_TABLE_TEXT || fb_screen_is_verbose())
        print_device(file, document);
    fb_result_notes(file, document);
}
