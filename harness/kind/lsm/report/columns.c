/* The columns of a table of filters in a tree, and how a value is shown in each. */
#include "harness/kind/lsm/report/columns.h"

#include <math.h>
#include <string.h>

enum { TEXT = 72 };

/* ---- Values ---- */

static void number(char *out, const char *format, double x)
{
    if (isfinite(x))
        snprintf(out, TEXT, format, x);
    else
        strcpy(out, "-");
}

static void show_design(const struct fb_lsm_row *r, char *out)
{
    const char *hash = fb_json_str(r->cell, "params.hash");
    snprintf(out, TEXT, "%.40s%s%.20s", fb_json_str(r->cell, "design"), *hash ? "+" : "", hash);
}

static void show_size(const struct fb_lsm_row *r, char *out)
{
    double bits = fb_json_num(r->cell, "params.bits_per_key"),
           rate = fb_json_num(r->cell, "params.fpr");
    if (isfinite(bits))
        number(out, "%.4g", bits);
    else if (isfinite(rate))
        number(out, "%.4g %%", 100 * rate);
    else
        strcpy(out, *fb_json_str(r->cell, "params.allocation_reason") == 'g' ? "by level" : "-");
}

/* Where it is not what was asked for. */
static void show_delivered(const struct fb_lsm_row *r, char *out)
{
    double asked = fb_json_num(r->cell, "params.bits_per_key");
    double bits = fb_json_num(r->cell, "memory.bits_per_key");
    bool sized = isfinite(asked) || isfinite(fb_json_num(r->cell, "params.fpr"));
    bool same = fabs(bits - asked) <= 0.005 * asked;
    number(out, "%.4g", sized && !same ? bits : NAN);
}

static void show_allocation(const struct fb_lsm_row *r, char *out)
{
    const char *name = fb_json_str(r->cell, "params.allocation");
    snprintf(out, TEXT, "%.40s", *name ? name : "-");
}

static void show_prefix(const struct fb_lsm_row *r, char *out)
{
    const char *text = fb_json_str(r->cell, "params.prefix");
    bool whole = json_is_true(fb_json_at(r->cell, "params.whole_key"));
    snprintf(out, TEXT, "%s%.30s", !*text ? "-" : whole ? "key+" : "", text);
}

static void show_lookup(const struct fb_lsm_row *r, char *out)
{
    const char *name = fb_json_str(r->lookup, "lookup");
    snprintf(out, TEXT, "%.40s", *name ? name : "-");
}

static const char *figure(double us)
{
    return us >= 1000 ? "%.0f" : us >= 100 ? "%.1f" : us >= 10 ? "%.2f" : "%.3f";
}

static void show_cost(const struct fb_lsm_row *r, char *out)
{
    number(out, figure(r->cost / 1000), r->cost / 1000);
}

/* Half of the interval. */
static void show_error(const struct fb_lsm_row *r, char *out)
{
    double half = (r->high - r->low) / 2000;
    number(out, half > 0 ? figure(r->cost / 1000) : "-", half);
}

static void show_cpu(const struct fb_lsm_row *r, char *out)
{
    double ns = fb_json_num(r->lookup, "time.median");
    number(out, ns < 100 ? "%.1f" : "%.0f", ns);
}

static void show_ratio(const struct fb_lsm_row *r, char *out)
{
    number(out, "%.2f", fb_json_num(r->lookup, "time.ratio"));
}

static void reads(const struct fb_lsm_row *r, const char *path, char *out)
{
    double x = fb_json_num(r->cell, path);
    number(out, x == 0 ? "0" : x < 0.001 ? "%.2g" : x < 10 ? "%.4f" : "%.2f", x);
}

static void show_found(const struct fb_lsm_row *r, char *out)
{
    reads(r, "reads.by_cause.found", out);
}

static void show_false(const struct fb_lsm_row *r, char *out)
{
    reads(r, "reads.by_cause.false", out);
}

static void show_deleted(const struct fb_lsm_row *r, char *out)
{
    reads(r, "reads.by_cause.tombstone", out);
}

static void show_index(const struct fb_lsm_row *r, char *out)
{
    reads(r, "reads.by_cause.index", out);
}

static void show_filter(const struct fb_lsm_row *r, char *out)
{
    reads(r, "reads.by_cause.filter", out);
}

static void show_memory(const struct fb_lsm_row *r, char *out)
{
    double mb = fb_json_num(r->cell, "filter.bytes") * 1e-6;
    number(out, mb >= 100 ? "%.0f" : mb >= 1 ? "%.2f" : "%.4f", mb);
}

/* Of the memory that the even split takes. */
static void show_share(const struct fb_lsm_row *r, char *out)
{
    double even = fb_json_num(r->uniform, "filter.bytes");
    bool split = r->uniform && r->uniform != r->cell && even > 0;
    number(out, "%.1f %%", split ? 100 * fb_json_num(r->cell, "filter.bytes") / even : NAN);
}

static void show_bound(const struct fb_lsm_row *r, char *out)
{
    snprintf(out, TEXT, "%.40s", r->lookup ? fb_json_str(r->lookup, "bound") : "-");
}

/* ---- The table ---- */

static const struct column {
    const char *title;
    void (*show)(const struct fb_lsm_row *, char out[TEXT]);
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

static void measure_columns(const struct fb_lsm_row *rows, size_t n, int width[N_COLUMNS])
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

void fb_lsm_print_rows(FILE *file, const struct fb_lsm_row *rows, size_t n, size_t most,
                       bool markdown)
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

void fb_lsm_name_row(const struct fb_lsm_row *row, char out[FB_LSM_ROW_NAME])
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
            snprintf(out + strlen(out), FB_LSM_ROW_NAME - strlen(out), "%s%s", i ? " " : "",
                     text[i]);
}
