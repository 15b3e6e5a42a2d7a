/* Results of kind "lsm" as tables: for each tree, stream of queries and way of reading, the filters
 * and lookups ranked by what a query costs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/lsm.h"

enum { TEXT = 72, MOST_NOTES = 12 };

static double real_at(const json_t *object, const char *path)
{
    const json_t *value = fb_result_at(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- Rows ---- */

struct row {
    const json_t *cell, *lookup; /* lookup NULL: not timed */
    const json_t *uniform;       /* the cell with the same filter and the memory split evenly */
    double cost, low, high;      /* ns, on the device that is ranked for */
};

static const json_t *cost_of(const struct row *row, const char *device)
{
    const json_t *costs = json_object_get(row->lookup ? row->lookup : row->cell, "costs");
    return json_object_get(costs, device);
}

static void price(struct row *row, const char *device)
{
    const json_t *cost = cost_of(row, device);
    row->cost = real_at(cost, "cost_ns");
    row->low = real_at(cost, "low");
    row->high = real_at(cost, "high");
    if (!isfinite(row->low) || !isfinite(row->high))
        row->low = row->high = row->cost;
}

static int by_cost(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    double bytes = real_at(x->cell, "filter.bytes") - real_at(y->cell, "filter.bytes");
    return bytes < 0 ? -1 : bytes > 0;
}

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
    for (const char *const *path = paths; *path; path++)
        if (!json_equal(fb_result_at(a, *path), fb_result_at(b, *path)))
            return false;
    return true;
}

/* The cell of `cells` that differs only in that each run has the same bits per key, or NULL. */
static const json_t *uniform_of(const json_t *cells, const json_t *cell)
{
    static const char *const paths[] = {"design",     "params.hash",   "params.bits_per_key",
                                        "params.fpr", "params.prefix", "params.whole_key"};
    size_t i;
    json_t *other;
    json_array_foreach(cells, i, other)
    {
        bool same = same_group(other, cell) &&
                    !strcmp(fb_result_text(other, "params.allocation"), "uniform");
        for (size_t p = 0; same && p < sizeof paths / sizeof *paths; p++)
            same = json_equal(fb_result_at(other, paths[p]), fb_result_at(cell, paths[p]));
        if (same)
            return other;
    }
    return NULL;
}

/* The rows of one group, ranked; their number. NULL: out of memory. */
static struct row *rows_of(const json_t *cells, const json_t *like, const char *device, size_t *n)
{
    size_t i, l, most = 0;
    json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        size_t lookups = json_array_size(json_object_get(cell, "lookups"));
        most += lookups ? lookups : 1;
    }
    struct row *rows = calloc(most + 1, sizeof *rows);
    *n = 0;
    json_array_foreach(cells, i, cell)
    {
        const json_t *lookups = json_object_get(cell, "lookups");
        size_t lines = json_array_size(lookups) ? json_array_size(lookups) : 1;
        for (l = 0; rows && same_group(cell, like) && l < lines; l++) {
            rows[*n] = (struct row){.cell = cell, .lookup = json_array_get(lookups, l)};
            rows[*n].uniform = uniform_of(cells, cell);
            price(&rows[(*n)++], device);
        }
    }
    if (rows)
        qsort(rows, *n, sizeof *rows, by_cost);
    return rows;
}

/* Rows whose interval reaches the best one's. */
static size_t n_like_best(const struct row *rows, size_t n)
{
    size_t like = 0;
    for (size_t i = 0; i < n; i++)
        like += rows[i].low <= rows[0].high;
    return like;
}

/* ---- Columns ---- */

static void number(char *out, const char *format, double x)
{
    if (isfinite(x))
        snprintf(out, TEXT, format, x);
    else
        strcpy(out, "-");
}

static void show_design(const struct row *r, char *out)
{
    const char *hash = fb_result_text(r->cell, "params.hash");
    snprintf(out, TEXT, "%.40s%s%.20s", fb_result_text(r->cell, "design"), *hash ? "+" : "", hash);
}

static void show_size(const struct row *r, char *out)
{
    double bits = real_at(r->cell, "params.bits_per_key"), rate = real_at(r->cell, "params.fpr");
    if (isfinite(bits))
        number(out, "%.4g", bits);
    else if (isfinite(rate))
        number(out, "%.4g %%", 100 * rate);
    else
        strcpy(out, *fb_result_text(r->cell, "params.allocation_reason") == 'g' ? "by level" : "-");
}

/* Where it is not what was asked for. */
static void show_delivered(const struct row *r, char *out)
{
    double asked = real_at(r->cell, "params.bits_per_key");
    double bits = real_at(r->cell, "memory.bits_per_key");
    bool sized = isfinite(asked) || isfinite(real_at(r->cell, "params.fpr"));
    bool same = fabs(bits - asked) <= 0.005 * asked;
    number(out, "%.4g", sized && !same ? bits : NAN);
}

static void show_allocation(const struct row *r, char *out)
{
    const char *name = fb_result_text(r->cell, "params.allocation");
    snprintf(out, TEXT, "%.40s", *name ? name : "-");
}

static void show_prefix(const struct row *r, char *out)
{
    const char *text = fb_result_text(r->cell, "params.prefix");
    bool whole = json_is_true(fb_result_at(r->cell, "params.whole_key"));
    snprintf(out, TEXT, "%s%.30s", !*text ? "-" : whole ? "key+" : "", text);
}

static void show_lookup(const struct row *r, char *out)
{
    const char *name = fb_result_text(r->lookup, "lookup");
    snprintf(out, TEXT, "%.40s", *name ? name : "-");
}

static const char *figure(double us)
{
    return us >= 1000 ? "%.0f" : us >= 100 ? "%.1f" : us >= 10 ? "%.2f" : "%.3f";
}

static void show_cost(const struct row *r, char *out)
{
    number(out, figure(r->cost / 1000), r->cost / 1000);
}

/* Half of the interval. */
static void show_error(const struct row *r, char *out)
{
    double half = (r->high - r->low) / 2000;
    number(out, half > 0 ? figure(r->cost / 1000) : "-", half);
}

static void show_cpu(const struct row *r, char *out)
{
    double ns = real_at(r->lookup, "time.median");
    number(out, ns < 100 ? "%.1f" : "%.0f", ns);
}

static void show_ratio(const struct row *r, char *out)
{
    number(out, "%.2f", real_at(r->lookup, "time.ratio"));
}

static void reads(const struct row *r, const char *path, char *out)
{
    double x = real_at(r->cell, path);
    number(out, x == 0 ? "0" : x < 0.001 ? "%.2g" : x < 10 ? "%.4f" : "%.2f", x);
}

static void show_found(const struct row *r, char *out)
{
    reads(r, "reads.by_cause.found", out);
}

static void show_false(const struct row *r, char *out)
{
    reads(r, "reads.by_cause.false", out);
}

static void show_deleted(const struct row *r, char *out)
{
    reads(r, "reads.by_cause.tombstone", out);
}

static void show_index(const struct row *r, char *out)
{
    reads(r, "reads.by_cause.index", out);
}

static void show_filter(const struct row *r, char *out)
{
    reads(r, "reads.by_cause.filter", out);
}

static void show_memory(const struct row *r, char *out)
{
    double mb = real_at(r->cell, "filter.bytes") * 1e-6;
    number(out, mb >= 100 ? "%.0f" : mb >= 1 ? "%.2f" : "%.4f", mb);
}

/* Of the memory that the even split takes. */
static void show_share(const struct row *r, char *out)
{
    double even = real_at(r->uniform, "filter.bytes");
    bool split = r->uniform && r->uniform != r->cell && even > 0;
    number(out, "%.1f %%", split ? 100 * real_at(r->cell, "filter.bytes") / even : NAN);
}

static void show_bound(const struct row *r, char *out)
{
    snprintf(out, TEXT, "%.40s", r->lookup ? fb_result_text(r->lookup, "bound") : "-");
}

static const struct column {
    const char *title;
    void (*show)(const struct row *, char out[TEXT]);
    bool optional; /* left out where it says nothing: all "-" or "0" */
    bool left;
} columns[] = {
    {"design", show_design, false, true},    {"prefix", show_prefix, true, true},
    {"bits", show_size, true, false},        {"got", show_delivered, true, false},
    {"split", show_allocation, true, true},  {"lookup", show_lookup, true, true},
    {"us/query", show_cost, false, false},   {"+-", show_error, true, false},
    {"CPU ns", show_cpu, true, false},       {"ratio", show_ratio, true, false},
    {"found", show_found, true, false},      {"false", show_false, false, false},
    {"deleted", show_deleted, true, false},  {"index", show_index, true, false},
    {"filter", show_filter, true, false},    {"MB", show_memory, false, false},
    {"of uniform", show_share, true, false}, {"bound by", show_bound, true, true},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static void measure_columns(const struct row *rows, size_t n, int width[N_COLUMNS])
{
    for (int c = 0; c < N_COLUMNS; c++) {
        bool says = !columns[c].optional;
        width[c] = (int)strlen(columns[c].title);
        for (size_t i = 0; i < n; i++) {
            char text[TEXT];
            columns[c].show(&rows[i], text);
            says = says || (strcmp(text, "-") != 0 && strcmp(text, "0") != 0);
            width[c] = (int)strlen(text) > width[c] ? (int)strlen(text) : width[c];
        }
        width[c] = says ? width[c] : 0;
    }
}

static void print_cell(FILE *file, const char *text, int width, bool left, bool last, bool markdown)
{
    if (markdown)
        fprintf(file, " %s |", text);
    else
        fprintf(file, left ? " %-*s" : " %*s", left && last ? 0 : width, text);
}

static void print_titles(FILE *file, const int *width, bool markdown)
{
    fputs(markdown ? "| # |" : "   #", file);
    for (int c = 0; c < N_COLUMNS; c++)
        if (width[c])
            print_cell(file, columns[c].title, width[c], columns[c].left, c == N_COLUMNS - 1,
                       markdown);
    fputs(markdown ? "\n|---:|" : "", file);
    for (int c = 0; c < N_COLUMNS && markdown; c++)
        if (width[c])
            fputs(columns[c].left ? ":---|" : "---:|", file);
    fputc('\n', file);
}

static void print_rows(FILE *file, const struct row *rows, size_t n, size_t most, bool markdown)
{
    int width[N_COLUMNS];
    size_t shown = n < most ? n : most;
    measure_columns(rows, shown, width);
    print_titles(file, width, markdown);
    for (size_t i = 0; i < shown; i++) {
        bool like = i && rows[i].low <= rows[0].high;
        fprintf(file, markdown ? "| %s%zu |" : "%s%3zu", like ? "=" : markdown ? "" : " ", i + 1);
        for (int c = 0; c < N_COLUMNS; c++) {
            char text[TEXT];
            columns[c].show(&rows[i], text);
            if (width[c])
                print_cell(file, text, width[c], columns[c].left, c == N_COLUMNS - 1, markdown);
        }
        fputc('\n', file);
    }
    if (shown < n)
        fprintf(file, "%s%zu more rows: export --to csv\n", markdown ? "\n" : "     ", n - shown);
}

/* ---- Around a group ---- */

static void print_heading(FILE *file, const json_t *cell, const json_t *document, bool markdown)
{
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    const char *kind = fb_result_text(cell, "params.absent_kind");
    double absent = real_at(cell, "params.absent"), cache = real_at(cell, "params.cache_bytes");
    fprintf(file, "%s%s: %.0f keys (%s), %.0f levels, %.0f runs, %.0f segments",
            markdown ? "**" : "", fb_result_text(cell, "tree.style"), real_at(cell, "n"),
            fb_result_text(cell, "keys"), real_at(cell, "tree.levels"), real_at(cell, "tree.runs"),
            real_at(cell, "tree.segments"));
    fprintf(file, "; %.4g %% absent%s%s", 100 * absent, *kind ? ", " : "", kind);
    const char *order = fb_result_text(cell, "tree.order");
    if (strcmp(order, fb_order_name(FB_ORDER_SHUFFLE)) != 0)
        fprintf(file, "; order of keys: %s", order);
    if (cache > 0)
        fprintf(file, "; cache %.4g MB", cache * 1e-6);
    if (strcmp(fb_result_text(cell, "params.filter_residency"), "pinned") != 0)
        fprintf(file, "; filters %s", fb_result_text(cell, "params.filter_residency"));
    fprintf(file, "; a read takes %.4g us (%s)%s\n", real_at(device, "read_ns") / 1000,
            fb_result_text(device, "name"), markdown ? "**\n" : "");
}

static void name_row(const struct row *row, char out[3 * TEXT])
{
    char text[5][TEXT];
    show_design(row, text[0]);
    show_size(row, text[1]);
    show_allocation(row, text[2]);
    show_prefix(row, text[3]);
    show_lookup(row, text[4]);
    *out = '\0';
    for (int i = 0; i < 5; i++)
        if (strcmp(text[i], "-") != 0)
            snprintf(out + strlen(out), 3 * TEXT - strlen(out), "%s%s", i ? " " : "", text[i]);
}

/* The best on each device, devices with the same winner in one line. */
static void print_winners(FILE *file, const struct row *rows, size_t n, const json_t *devices)
{
    enum { MOST = 16 };
    char winner[MOST][3 * TEXT];
    size_t like[MOST], n_devices = json_array_size(devices);
    struct row *copy = malloc((n + 1) * sizeof *copy);
    n_devices = n_devices < MOST ? n_devices : MOST;
    for (size_t d = 0; copy && d < n_devices; d++) {
        const char *device = fb_result_text(json_array_get(devices, d), "name");
        memcpy(copy, rows, n * sizeof *copy);
        for (size_t i = 0; i < n; i++)
            price(&copy[i], device);
        qsort(copy, n, sizeof *copy, by_cost);
        name_row(&copy[0], winner[d]);
        like[d] = n_like_best(copy, n) - 1;
    }
    for (size_t d = 0; copy && d < n_devices; d++) {
        bool said = false;
        for (size_t before = 0; before < d; before++)
            said = said || (!strcmp(winner[before], winner[d]) && like[before] == like[d]);
        if (said)
            continue;
        fputs("best on", file);
        for (size_t other = d; other < n_devices; other++)
            if (!strcmp(winner[other], winner[d]) && like[other] == like[d])
                fprintf(file, "%s %s", other > d ? "," : "",
                        fb_result_text(json_array_get(devices, other), "name"));
        fprintf(file, ": %s", winner[d]);
        if (like[d])
            fprintf(file, " (%zu other%s indistinguishable)", like[d], like[d] == 1 ? "" : "s");
        fputc('\n', file);
    }
    free(copy);
}

/* The formula beside the simulation: the largest deviation of the group. */
static void print_expectation(FILE *file, const struct row *rows, size_t n)
{
    const struct row *worst = NULL;
    for (size_t i = 0; i < n; i++) {
        double z = fabs(real_at(rows[i].cell, "expectation.z"));
        if (isfinite(z) && (!worst || z > fabs(real_at(worst->cell, "expectation.z"))))
            worst = &rows[i];
    }
    if (!worst)
        return;
    char name[3 * TEXT];
    name_row(&(struct row){.cell = worst->cell}, name);
    fprintf(file,
            "data blocks per query, formula and simulation furthest apart: %.5f and %.5f, z = "
            "%+.1f (%s)\n",
            real_at(worst->cell, "expectation.data_blocks"),
            real_at(worst->cell, "expectation.simulated"), real_at(worst->cell, "expectation.z"),
            name);
}

/* ---- Groups ---- */

static bool starts_group(const json_t *cells, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (same_group(json_array_get(cells, i), json_array_get(cells, at)))
            return false;
    return true;
}

static void print_groups(FILE *file, const json_t *document, bool markdown)
{
    const json_t *cells = json_object_get(document, "cells");
    const json_t *devices = json_object_get(document, "devices");
    const char *device = fb_result_text(json_array_get(devices, 0), "name");
    size_t n_groups = 0, i;
    for (i = 0; i < json_array_size(cells); i++)
        n_groups += starts_group(cells, i);
    size_t most = n_groups <= 4 ? 30 : n_groups <= 12 ? 12 : 4;
    for (i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        size_t n;
        struct row *rows = starts_group(cells, i) ? rows_of(cells, cell, device, &n) : NULL;
        if (!rows)
            continue;
        print_heading(file, cell, document, markdown);
        print_rows(file, rows, n, most, markdown);
        if (markdown)
            fputc('\n', file);
        print_winners(file, rows, n, devices);
        print_expectation(file, rows, n);
        fputc('\n', file);
        free(rows);
    }
}

/* ---- Below ---- */

static void print_resources(FILE *file, const json_t *document)
{
    const json_t *r = json_object_get(document, "resources");
    const json_t *caches = json_object_get(json_object_get(document, "timing"), "caches");
    double count_s = real_at(r, "count_s"), build_s = real_at(r, "build_s");
    fputs(
        "us/query: CPU + reads x time of one, +-: half of the 95 % interval, =: not told apart "
        "from the first row;\ngot: bits per key delivered, where not those asked for; MB: filters "
        "only;\nfound, false, ...: reads from the device per query, by cause",
        file);
    fputs(caches ? "; CPU ns: median; ratio: CPU to the cell's first lookup.\n"
                 : "; no CPU time was measured.\n",
          file);
    fprintf(file,
            "trees %.1f s, filters %.1f s (%.1f M keys/s), counting %.1f s (%.2f M queries/s), "
            "timing %.1f s; peak memory %.2f GB\n",
            real_at(r, "tree_s"), build_s,
            build_s > 0 ? real_at(r, "keys_built") / build_s * 1e-6 : 0, count_s,
            count_s > 0 ? real_at(r, "queries_counted") / count_s * 1e-6 : 0,
            real_at(r, "timing_s"), real_at(r, "peak_bytes") * 1e-9);
    if (caches)
        fprintf(file,
                "caches: L1 %.0f KiB, L2 %.4g MiB, L3 %.4g MiB; keys, places and holders "
                "are made outside the clock\n",
                real_at(caches, "l1d_bytes") / 1024, real_at(caches, "l2_bytes") / 1048576,
                real_at(caches, "l3_bytes") / 1048576);
}

static void print_notes(FILE *file, const json_t *document)
{
    const json_t *skipped = json_object_get(document, "skipped");
    const json_t *warnings = json_object_get(document, "warnings");
    size_t i;
    json_t *each;
    json_array_foreach(skipped, i, each)
    {
        if (i < MOST_NOTES)
            fprintf(file, "left out: %s: %s\n", fb_result_text(each, "id"),
                    fb_result_text(each, "why"));
    }
    if (json_array_size(skipped) > MOST_NOTES)
        fprintf(file, "left out: %zu more\n", json_array_size(skipped) - MOST_NOTES);
    json_array_foreach(warnings, i, each)
    {
        if (i < MOST_NOTES)
            fprintf(file, "warning: %s\n", fb_result_text(each, "detail"));
    }
    if (json_array_size(warnings) > MOST_NOTES)
        fprintf(file, "warning: %zu more, all in the document\n",
                json_array_size(warnings) - MOST_NOTES);
}

void fb_lsm_table(FILE *file, const json_t *document, enum fb_table_style style)
{
    if (style == FB_TABLE_CSV) {
        fb_lsm_csv(file, document);
        return;
    }
    print_groups(file, document, style == FB_TABLE_MARKDOWN);
    fb_lsm_scan_table(file, document, style == FB_TABLE_MARKDOWN);
    print_resources(file, document);
    fb_lsm_device_line(file, document);
    print_notes(file, document);
}
