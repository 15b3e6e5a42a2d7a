#include "harness/base/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/screen.h"

void fb_show_number(double x, const char *format, char out[FB_TABLE_CELL])
{
    snprintf(out, FB_TABLE_CELL, isfinite(x) ? format : "-", x);
}

void fb_show_member(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    double x = fb_json_num(row, c->path);
    const char *text = fb_json_str(row, c->path);
    if (c->format)
        fb_show_number(c->scale != 0 ? x * c->scale : x, c->format, out);
    else
        snprintf(out, FB_TABLE_CELL, strlen(text) < FB_TABLE_CELL ? "%s" : "%.4000s...",
                 *text ? text : "-");
}

void fb_show_interval(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    const json_t *interval = fb_json_at(row, c->path);
    const double low = fb_json_num(interval, "low"), high = fb_json_num(interval, "high");
    if (isfinite(low))
        snprintf(out, FB_TABLE_CELL, "%.4g .. %.4g", c->scale * low, c->scale * high);
    else
        snprintf(out, FB_TABLE_CELL, "-");
}

/* A row is an array of texts, the mark first; a heading a text; a note {"note": text}. */
static void add_line(struct fb_table *t, json_t *line)
{
    if (!t->lines)
        t->lines = json_array();
    json_array_append_new(t->lines, line);
}

void fb_table_heading(struct fb_table *t, const char *text)
{
    add_line(t, fb_json_text(text));
}

void fb_table_note(struct fb_table *t, const char *text)
{
    add_line(t, json_pack("{s:o}", "note", fb_json_text(text)));
}

/* Who is told of the columns that tables show. */
static struct {
    void (*told)(void *self, const struct fb_column *, const json_t *rows);
    void *self;
} listener;

void fb_table_tell(void (*told)(void *self, const struct fb_column *, const json_t *rows),
                   void *self)
{
    listener.told = told;
    listener.self = self;
}

void fb_table_row(struct fb_table *t, const char *mark, const json_t *row)
{
    json_t *texts = json_array();
    if (listener.told && !t->rows)
        t->rows = json_array();
    if (listener.told)
        json_array_append(t->rows, (json_t *)row);
    json_array_append_new(texts, json_string(mark));
    for (const struct fb_column *c = t->columns; c->title; c++) {
        char text[FB_TABLE_CELL] = "";
        (c->show ? c->show : fb_show_member)(row, c, text);
        json_array_append_new(texts, fb_json_text(text));
    }
    if (t->apart && t->apart(row))
        json_array_append_new(texts, json_true());
    add_line(t, texts);
}

/* ---- Widths ---- */

enum { SOME_WORDS = 28 }; /* what a text that wraps keeps before columns are left out */

struct layout {
    const struct fb_column *columns;
    size_t n;                        /* columns */
    bool left_out[FB_TABLE_COLUMNS]; /* for lack of room */
    int first, last;                 /* blocks of columns */
    bool lacks;                      /* a column of them that is not optional */
    int gap, mark, limit;
    int natural[FB_TABLE_COLUMNS],
        least[FB_TABLE_COLUMNS]; /* of all on one line; of no word broken */
    int width[FB_TABLE_COLUMNS]; /* 0: left out */
    int spare[FB_TABLE_COLUMNS];
    int owed; /* blanks of the line that is printed, before its next text */
    bool markdown, colours;
    const json_t *lines;
    size_t at; /* which of them is printed */
};

static const char *text_at(const json_t *row, size_t i)
{
    return json_string_value(json_array_get(row, i));
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void measure(const struct fb_table *t, struct layout *l)
{
    for (; t->columns[l->n].title && l->n < FB_TABLE_COLUMNS; l->n++) {
        const struct fb_column *c = &t->columns[l->n];
        int width = (int)strlen(c->title), least = larger(width, fb_screen_least(c->title));
        const char *first = NULL;
        const bool in = !c->block || (l->first <= c->block && c->block <= l->last);
        bool says = !c->optional, same = true;
        FB_EACH(row, t->lines) {
            const char *text = text_at(row, l->n + 1);
            if (!text)
                continue;
            first = first ? first : text;
            same = same && !strcmp(first, text);
            width = larger(width, (int)strlen(text));
            least = larger(least, fb_screen_least(text));
            if (*text && strcmp(text, "-") && strcmp(text, "0"))
                says = true;
        }
        l->width[l->n] = l->natural[l->n] = says && in ? larger(width, c->width) : 0;
        l->least[l->n] = (c->left || c->wraps) && !c->whole ? least : width;
        l->spare[l->n] = same && c->spare_same ? c->spare_same : c->spare;
    }
    FB_EACH(row, t->lines) {
        const char *mark = text_at(row, 0);
        l->mark = larger(l->mark, mark ? (int)strlen(mark) : 0);
    }
}

static int excess(const struct layout *l)
{
    int sum = l->mark - l->gap;
    for (size_t i = 0; i < l->n; i++)
        sum += l->width[i] ? l->gap + l->width[i] : 0;
    return sum - l->limit;
}

/* Narrows the widest texts, of those that wrap or of all, as far as need be. */
static void narrow(struct layout *l, bool all)
{
    while (excess(l) > 0) {
        size_t widest = l->n;
        int most = 0;
        for (size_t i = 0; i < l->n; i++) {
            const int least = all ? l->least[i] : larger(l->least[i], SOME_WORDS);
            const int room = l->width[i] - least;
            if ((all || l->columns[i].wraps) && room > 0 && l->width[i] > most) {
                most = l->width[i];
                widest = i;
            }
        }
        if (widest == l->n)
            return;
        l->width[widest]--;
    }
}

/* The column that is spared most easily, or n; of those below 0 only in `need`. */
static size_t spare_column(const struct layout *l, bool need)
{
    size_t found = l->n;
    for (size_t i = 0; i < l->n; i++)
        if (l->width[i] && (l->spare[i] > 0 || (need && l->spare[i] < 0)) &&
            (found == l->n || l->spare[i] >= l->spare[found]))
            found = i;
    return found;
}

/* Leaves columns out while there is no room, all others as narrow as they get: by narrow(). */
static void leave_out(struct layout *l, bool all)
{
    size_t spare;
    narrow(l, all);
    while (excess(l) > 0 && (spare = spare_column(l, all)) < l->n) {
        l->natural[spare] = 0;
        l->left_out[spare] = true;
        l->lacks |= l->columns[spare].block && !l->columns[spare].optional;
        memcpy(l->width, l->natural, sizeof l->width);
        narrow(l, all);
    }
}

static void fit(struct layout *l)
{
    leave_out(l, false);
    leave_out(l, true);
    l->lacks |= excess(l) > 0;
}

/* ---- Colours ---- */

/* What a cell shows, so that equal ones are equal; NaN where that is no number, or apart. */
static double number_at(const struct layout *l, size_t line, size_t i)
{
    const json_t *row = json_array_get(l->lines, line);
    const char *text = text_at(row, i + 1);
    char *end = NULL;
    const double x = text && !json_array_get(row, l->n + 1) ? strtod(text, &end) : NAN;
    return end != text ? x : NAN;
}

/* Whether a cell is the only best one of several between two headings. */
static bool is_best(const struct layout *l, size_t i)
{
    const double sign = l->columns[i].best == FB_MOST ? -1 : 1, mine = number_at(l, l->at, i);
    size_t line = l->at, n = 0;
    while (line && !json_is_string(json_array_get(l->lines, line - 1)))
        line--;
    for (; line < json_array_size(l->lines) && !json_is_string(json_array_get(l->lines, line));
         line++) {
        if (line != l->at && sign * number_at(l, line, i) <= sign * mine)
            return false;
        n += isfinite(number_at(l, line, i));
    }
    return n > 1 && isfinite(mine);
}

/* ---- Printing ---- */

/* A text and the blanks owed before it: none at the end of a line. */
static void print_owed(FILE *file, struct layout *l, const char *text, size_t len, int colour)
{
    if (!len)
        return;
    fprintf(file, "%*s", l->owed, "");
    if (colour)
        fprintf(file, "\033[%dm%.*s\033[0m", colour, (int)len, text);
    else
        fprintf(file, "%.*s", (int)len, text);
    l->owed = 0;
}

/* A cell's next line of text, which moves on. */
static void print_cell(FILE *file, struct layout *l, size_t i, const char **text, int colour)
{
    const bool left = l->columns[i].left;
    const char *next = *text + strlen(*text);
    size_t len = strlen(*text);
    if (l->width[i] < l->natural[i])
        len = fb_screen_line(*text, l->width[i], &next);
    const int pad = larger(0, l->width[i] - (int)len);
    l->owed += left ? 0 : pad;
    print_owed(file, l, *text, len, colour);
    l->owed += left ? pad : 0;
    *text = next;
}

static void print_markdown(FILE *file, const struct layout *l, const json_t *row)
{
    const char *mark = row ? text_at(row, 0) : "";
    bool first = true;
    for (size_t i = 0; i < l->n; i++) {
        if (!l->width[i])
            continue;
        fprintf(file, "| %s%s ", first ? mark + strspn(mark, " ") : "",
                row ? text_at(row, i + 1) : l->columns[i].title);
        first = false;
    }
    fputs("|\n", file);
}

/* A row, or the titles for NULL: as many lines as its longest cell takes. */
static void print_row(FILE *file, struct layout *l, const json_t *row)
{
    const char *rest[FB_TABLE_COLUMNS], *mark = row ? text_at(row, 0) : "";
    bool goes_on = true;
    if (l->markdown) {
        print_markdown(file, l, row);
        return;
    }
    for (size_t i = 0; i < l->n; i++)
        rest[i] = row ? text_at(row, i + 1) : l->columns[i].title;
    while (goes_on) {
        bool first = true;
        goes_on = false;
        fputs(mark, file);
        l->owed = l->mark - (int)strlen(mark);
        mark = "";
        for (size_t i = 0; i < l->n; i++) {
            if (!l->width[i])
                continue;
            l->owed += first ? 0 : l->gap;
            first = false;
            const int colour = !l->colours || !row     ? 0
                               : l->columns[i].verdict ? fb_screen_colour(text_at(row, i + 1))
                               : l->columns[i].best && is_best(l, i) ? FB_GREEN
                                                                     : 0;
            print_cell(file, l, i, &rest[i], colour);
            goes_on |= *rest[i] != '\0';
        }
        fputc('\n', file);
    }
}

static void print_titles(FILE *file, struct layout *l)
{
    print_row(file, l, NULL);
    for (size_t i = 0; i < l->n && l->markdown; i++)
        if (l->width[i])
            fputs(l->columns[i].left ? "|:---" : "|---:", file);
    fputs(l->markdown ? "|\n" : "", file);
}

/* The table as one line of JSON, of the columns that are shown. */
static void print_data(FILE *file, const struct fb_table *t, const struct layout *l)
{
    json_t *columns = json_array(), *lines = json_array();
    for (size_t i = 0; i < l->n; i++)
        if (l->width[i])
            json_array_append_new(columns, json_pack("{s:s, s:b}", "title", l->columns[i].title,
                                                     "left", l->columns[i].left));
    FB_EACH(line, t->lines) {
        json_t *shown = json_is_array(line) ? json_array() : json_incref(line);
        for (size_t i = 0; json_is_array(line) && i < json_array_size(line); i++)
            if (!i || l->width[i - 1])
                json_array_append(shown, json_array_get(line, i));
        json_array_append_new(lines, shown);
    }
    json_auto_t *table = json_pack("{s:o, s:o}", "columns", columns, "lines", lines);
    fputc(FB_FLOW_TABLE, file);
    json_dumpf(table, file, JSON_COMPACT);
    fputc('\n', file);
}

/* Of all tables: which columns had no room, as ", k, z,", the last on which stream. */
static struct {
    char titles[4096];
    FILE *file;
} left_out;

static void note_left_out(const char *title, FILE *file)
{
    const size_t used = strlen(left_out.titles);
    char named[300];
    snprintf(named, sizeof named, ", %.250s,", *title ? title : "(without a title)");
    if (!strstr(left_out.titles, named) && used + strlen(named) < sizeof left_out.titles)
        strcpy(left_out.titles + used - (used > 0), named);
    left_out.file = file;
}

/* Prints as many blocks from the first on as there is room for; returns the next one. */
static int print_blocks(const struct fb_table *t, FILE *file, enum fb_table_style style, int first,
                        int last)
{
    struct layout l;
    size_t i;
    json_t *line;
    for (bool fits = false; !fits; last--) {
        l = (struct layout){.columns = t->columns,
                            .gap = t->gap ? t->gap : 2,
                            .first = first,
                            .last = last,
                            .markdown = style == FB_TABLE_MARKDOWN,
                            .colours = style == FB_TABLE_TEXT && fb_screen_has_colours(file),
                            .lines = t->lines};
        measure(t, &l);
        l.limit = style == FB_TABLE_TEXT ? fb_screen_table_width(file) : 0;
        if (l.limit)
            fit(&l);
        fits = !l.lacks || last <= first;
    }
    for (i = 0; i < l.n && listener.told; i++)
        if (l.width[i])
            listener.told(listener.self, &t->columns[i], t->rows);
    if (style == FB_TABLE_DATA)
        print_data(file, t, &l);
    else if (!json_is_string(json_array_get(t->lines, 0)))
        print_titles(file, &l);
    json_array_foreach(style == FB_TABLE_DATA ? NULL : t->lines, i, line) {
        const char *note = fb_json_str(line, "note");
        l.at = i;
        if (json_is_array(line)) {
            print_row(file, &l, line);
        } else if (json_is_object(line)) {
            fb_say(file, 4, "    %s\n", note);
        } else {
            fputs(i || first > 1 ? "\n" : "", file);
            fb_say(file, 4, l.markdown ? "**%s**\n" : "%s\n", json_string_value(line));
            fputs(l.markdown ? "\n" : "", file);
            print_titles(file, &l);
        }
    }
    for (i = 0; i < l.n; i++)
        if (l.left_out[i])
            note_left_out(t->columns[i].title, file);
    return l.last + 1;
}

void fb_table_finish(struct fb_table *t, FILE *file, enum fb_table_style style)
{
    int first = 1, last = 1;
    for (const struct fb_column *c = t->columns; c->title; c++)
        last = larger(last, c->block);
    while (first <= last)
        first = print_blocks(t, file, style, first, last);
    json_decref(t->lines);
    json_decref(t->rows);
    t->lines = t->rows = NULL;
}

static size_t n_further;

bool fb_table_further(enum fb_table_style style)
{
    const bool all = style != FB_TABLE_TEXT || fb_screen_is_verbose();
    n_further += !all;
    return all;
}

void fb_table_tell_further(FILE *file)
{
    if (n_further)
        fb_say_aside(file, 0,
                     "--verbose shows %zu more table%s. `filterbench show --explain` explains the "
                     "columns.\n",
                     n_further, n_further == 1 ? "" : "s");
    n_further = 0;
}

void fb_table_tell_left_out(void)
{
    const int len = (int)strlen(left_out.titles);
    if (len)
        fb_say(left_out.file, 0, "columns left out: %.*s; --wide shows them\n", len - 3,
               left_out.titles + 2);
    *left_out.titles = '\0';
}
