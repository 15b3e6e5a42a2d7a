/* The scans of a result of kind "lsm" as a table: a line for each tree, filter and prefix. */
#include <math.h>
#include <string.h>

#include "harness/kind/lsm/lsm.h"

enum { TEXT = 64, MOST_LINES = 60 };

struct line {
    const json_t *cell, *rates;
};

/* ---- Columns ---- */

static void show_tree(const struct line *l, char *out)
{
    snprintf(out, TEXT, "%.12s %.0f %.20s", fb_json_str(l->cell, "tree.style"),
             fb_json_num(l->cell, "n"), fb_json_str(l->cell, "keys"));
}

static void show_order(const struct line *l, char *out)
{
    snprintf(out, TEXT, "%.20s", fb_json_str(l->cell, "tree.order"));
}

static void show_absent(const struct line *l, char *out)
{
    snprintf(out, TEXT, "%.4g %%", 100 * fb_json_num(l->cell, "params.absent"));
}

static void show_filter(const struct line *l, char *out)
{
    double bits = fb_json_num(l->cell, "params.bits_per_key"),
           rate = fb_json_num(l->cell, "params.fpr");
    int used = snprintf(out, TEXT, "%.30s", fb_json_str(l->cell, "design"));
    if (isfinite(bits))
        snprintf(out + used, (size_t)(TEXT - used), " %.4g", bits);
    else if (isfinite(rate))
        snprintf(out + used, (size_t)(TEXT - used), " %.4g %%", 100 * rate);
}

static void show_held(const struct line *l, char *out)
{
    const char *prefix = fb_json_str(l->cell, "params.prefix");
    bool keys = json_is_true(fb_json_at(l->cell, "params.whole_key"));
    snprintf(out, TEXT, "%s%.24s", !*prefix ? "key" : keys ? "key+" : "", prefix);
}

static void show_scanned(const struct line *l, char *out)
{
    snprintf(out, TEXT, "%.24s", fb_json_str(l->rates, "prefix"));
}

static void number(char *out, double x, double scale)
{
    x *= scale;
    if (!isfinite(x))
        strcpy(out, "-");
    else
        snprintf(out, TEXT, fabs(x) < 10 ? "%.3f" : "%.2f", x);
}

static void show_range(const struct line *l, char *out)
{
    number(out, fb_json_num(l->rates, "files_in_range"), 1);
}

static void show_reads(const struct line *l, char *out)
{
    number(out, fb_json_num(l->rates, "reads"), 1);
}

static void show_error(const struct line *l, char *out)
{
    double low = fb_json_num(l->rates, "reads_ci95.low"),
           high = fb_json_num(l->rates, "reads_ci95.high");
    number(out, (high - low) / 2, 1);
}

static void show_pruned(const struct line *l, char *out)
{
    number(out, fb_json_num(l->rates, "runs_pruned"), 100);
}

static void show_skipped(const struct line *l, char *out)
{
    number(out, fb_json_num(l->rates, "skipped"), 100);
}

static void show_vain(const struct line *l, char *out)
{
    number(out, fb_json_num(l->rates, "read_in_vain"), 100);
}

static void show_unread(const struct line *l, char *out)
{
    number(out, fb_json_num(l->rates, "unread"), 100);
}

static const struct column {
    const char *title;
    void (*show)(const struct line *, char out[TEXT]);
    bool left;
} columns[] = {
    {"tree", show_tree, true},          {"order", show_order, true},
    {"absent", show_absent, false},     {"filter", show_filter, true},
    {"holds", show_held, true},         {"scan", show_scanned, true},
    {"in range", show_range, false},    {"reads", show_reads, false},
    {"+-", show_error, false},          {"pruned %", show_pruned, false},
    {"skipped %", show_skipped, false}, {"in vain %", show_vain, false},
    {"unread %", show_unread, false},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* ---- Lines ---- */

/* Scans do not go through the cache: cells that differ in it alone have the same. */
static bool repeats(const json_t *cells, size_t at)
{
    static const char *const paths[] = {"scans", "tree", "keys", "n", "filter", "design", NULL};
    for (size_t i = 0; i < at; i++)
        if (fb_json_same(json_array_get(cells, i), json_array_get(cells, at), paths))
            return true;
    return false;
}

/* Calls each(arg, line) for the lines to be shown; their number, of which `most` are. */
static size_t each_line(const json_t *cells, size_t most,
                        void (*each)(void *arg, const struct line *), void *arg)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        const json_t *rates = json_object_get(cell, "scan_rates");
        if (!json_array_size(rates) || repeats(cells, i))
            continue;
        for (size_t s = 0; s < json_array_size(rates); s++)
            if (n++ < most)
                each(arg, &(struct line){.cell = cell, .rates = json_array_get(rates, s)});
    }
    return n;
}

struct printing {
    FILE *file;
    bool markdown;
    int width[N_COLUMNS];
};

static void measure(void *arg, const struct line *line)
{
    struct printing *p = arg;
    for (int c = 0; c < N_COLUMNS; c++) {
        char text[TEXT];
        columns[c].show(line, text);
        p->width[c] = (int)strlen(text) > p->width[c] ? (int)strlen(text) : p->width[c];
    }
}

static void print_text(const struct printing *p, int c, const char *text)
{
    if (p->markdown)
        fprintf(p->file, " %s |", text);
    else
        fprintf(p->file, columns[c].left ? " %-*s" : " %*s", p->width[c], text);
}

static void print(void *arg, const struct line *line)
{
    const struct printing *p = arg;
    fputs(p->markdown ? "|" : "  ", p->file);
    for (int c = 0; c < N_COLUMNS; c++) {
        char text[TEXT];
        columns[c].show(line, text);
        print_text(p, c, text);
    }
    fputc('\n', p->file);
}

void fb_lsm_scan_table(FILE *file, const json_t *document, bool markdown)
{
    const json_t *cells = json_object_get(document, "cells");
    struct printing p = {.file = file, .markdown = markdown};
    for (int c = 0; c < N_COLUMNS; c++)
        p.width[c] = (int)strlen(columns[c].title);
    size_t n = each_line(cells, MOST_LINES, measure, &p);
    if (!n)
        return;
    fprintf(file, "%sscans of prefixes, %.0f each%s\n", markdown ? "**" : "",
            fb_json_num(document, "experiment.scans"), markdown ? "**\n" : "");
    fputs(markdown ? "|" : "  ", file);
    for (int c = 0; c < N_COLUMNS; c++)
        print_text(&p, c, columns[c].title);
    fputs(markdown ? "\n|" : "", file);
    for (int c = 0; c < N_COLUMNS && markdown; c++)
        fputs(columns[c].left ? ":---|" : "---:|", file);
    fputc('\n', file);
    each_line(cells, MOST_LINES, print, &p);
    if (n > MOST_LINES)
        fprintf(file, "%s%zu more lines: export --to counts\n", markdown ? "\n" : "     ",
                n - MOST_LINES);
    fputs(
        "in range, reads: files per scan; pruned: runs left by key range; skipped: files in range "
        "that a filter\nkept from being read; in vain: read, of those in range without the "
        "prefix; unread: of all files\n\n",
        file);
}
