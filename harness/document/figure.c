#define _XOPEN_SOURCE 700 /* realpath */
#include "harness/document/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/printable.h"
#include "harness/base/same_file.h"
#include "harness/base/temporary.h"
#include "harness/document/kind.h"
#include "harness/document/points.h"

enum { MOST_FIGURES = 64, MOST_DRAWINGS = 200, PATH_SIZE = 4096 };

struct of_kind {
    const struct fb_figure *figure;
    const struct fb_kind *kind;
};

/* A figure that has data. */
struct drawing {
    const struct fb_figure *figure;
    char of[256],
        name[384];      /* "n=1000": what it shows of several; of its files: "fpr-bits-n=1000" */
    char results[1024]; /* which file each letter stands for, or "" */
    char missing[1024]; /* sentences of what it does not show, or "" */
    char title[256], see[1024]; /* what the picture is of; what it shows, in a sentence */
};

/* What is made of a drawing: its table, then its pictures, which end with these bytes: gnuplot does
 * not tell that a disk was full. */
static const struct {
    const char *name, *end;
} made[] = {{"dat", ""}, {"svg", "</svg>\n\n"}, {"png", "IEND\xae\x42\x60\x82"}};
enum { SVG = 1, N_MADE = sizeof made / sizeof *made };

/* Where they go, how many of them, and the fresh folder in it where they are made: nothing that
 * somebody put there is written to. */
struct place {
    const char *folder;
    size_t n_made;
    char fresh[PATH_SIZE];
};

static void path_of(const char *folder, const struct drawing *drawing, size_t which,
                    char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%.3600s/%s.%s", folder, drawing->name, made[which].name);
}

/* The documents that none of the other figures of a kind shows, to be released. */
static json_t *unshown(const json_t *documents, const struct fb_kind *kind)
{
    json_t *left = json_array();
    FB_EACH(document, documents) {
        json_auto_t *alone = json_pack("[O]", document);
        char *table = NULL;
        for (const struct fb_figure *f = kind->figures; f->name && !table; f++)
            table = f->rest ? NULL : fb_drawn_table(f, alone);
        if (!table)
            json_array_append(left, document);
        free(table);
    }
    return left;
}

/* Writes the table of a drawing that has its name. What would replace a file that was read is
 * refused. */
static enum fb_exit write_table(const char *text, const struct place *place,
                                const struct drawing *drawing)
{
    char path[PATH_SIZE];
    enum fb_exit code = FB_EXIT_OK;
    path_of(place->fresh, drawing, 0, path);
    FILE *file = fopen(path, "wbx");
    const bool written = file && fputs(text, file) >= 0;
    if ((file && fclose(file)) || !written)
        code = fb_file_error(path, "not written", errno);
    for (size_t i = 0; !code && i < place->n_made; i++) {
        path_of(place->folder, drawing, i, path);
        code = fb_same_file_writes(path);
    }
    return code;
}

static bool any_unchecked(const json_t *documents)
{
    FB_EACH(document, documents)
        if (fb_json_find(json_object_get(document, "warnings"), "code", "unchecked"))
            return true;
    return false;
}

/* The designs of all cells but the controls, one a word, as they come; those for which there is no
 * room are left out. */
static void list_designs(const json_t *documents, char *list, size_t size)
{
    json_auto_t *seen = json_object();
    size_t used = 0;
    list[0] = '\0';
    FB_EACH(document, documents) {
        FB_EACH(cell, json_object_get(document, "cells")) {
            const char *design = fb_json_str(cell, "design");
            if (!*design || fb_is_control(design) || json_object_get(seen, design) ||
                used + strlen(design) + 2 > size)
                continue;
            json_object_set_new(seen, design, json_true());
            used += (size_t)snprintf(list + used, size - used, "%s ", design);
        }
    }
}

/* The whole name of a file: gnuplot works in another folder. */
static void set_path(const char *variable, const char *path)
{
    char *whole = realpath(path, NULL);
    setenv(variable, whole ? whole : path, 1);
    free(whole);
}

/* What gnuplot and its shell take from the environment, and not as words of a command: names of
 * folders may have any letters. */
static void set_environment(const struct place *place, const json_t *documents)
{
    char text[PATH_SIZE];
    fb_data_path("plots", text, sizeof text);
    set_path("FB_SCRIPTS", text);
    set_path("FB_FOLDER", place->fresh); /* whole: `cd` looks at no CDPATH */
    setenv("LC_ALL", "C.UTF-8", 1);      /* the scripts are UTF-8, whatever the user's locale is */
    setenv("FB_FORMATS", place->n_made < N_MADE ? "open_svg" : "open_svg open_png", 1);
    list_designs(documents, text, sizeof text);
    setenv("FB_DESIGNS", fb_drawn_plain(text), 1);
}

/* "title: Cost of a lookup" into text [size], of a line that begins so. */
static bool read_word(char *line, const char *word, char *text, size_t size)
{
    const size_t len = strlen(word);
    const bool is = !strncmp(line, word, len);
    if (is)
        snprintf(text, size, "%.*s", (int)size - 1, fb_make_printable(line, false) + len);
    return is;
}

/* Runs gnuplot for one figure, whose title and sentence it says. Where gnuplot fails, the last line
 * that says something else is told, and its warnings in any case. */
static enum fb_exit run_gnuplot(const struct place *place, struct drawing *drawing, bool unchecked)
{
    char line[1024], said[1024] = "no reason given", command[256], table[PATH_SIZE];
    snprintf(line, sizeof line, "%s%s%s", *drawing->of ? ", " : "", drawing->of,
             unchecked ? " (not checked)" : "");
    setenv("FB_REMARK", fb_drawn_plain(line), 1);
    setenv("FB_NAME", drawing->name, 1);
    setenv("FB_MISSING", fb_drawn_plain(drawing->missing), 1);
    setenv("FB_RESULTS", fb_drawn_plain(drawing->results), 1);
    path_of(place->fresh, drawing, 0, table);
    set_path("FB_TABLE", table);
    snprintf(command, sizeof command,
             "exec 2>&1; cd -- \"$FB_FOLDER\" && exec gnuplot -c \"$FB_SCRIPTS/draw.gp\" "
             "\"$FB_SCRIPTS\" \"$FB_TABLE\" %s",
             drawing->figure->name);
    FILE *messages = popen(command, "r");
    while (messages && fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\n")] = '\0';
        if (read_word(line, "title: ", drawing->title, sizeof drawing->title) ||
            read_word(line, "see: ", drawing->see, sizeof drawing->see))
            continue;
        if (strstr(line, "warning"))
            fb_note("gnuplot: %s", line);
        else if (line[strspn(line, " \t^")])
            snprintf(said, sizeof said, "%s", line);
    }
    const int status = messages ? pclose(messages) : -1;
    if (status == 0)
        return FB_EXIT_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        fb_error("gnuplot: not found, and it draws the pictures; install it: `apt-get install "
                 "gnuplot-nox`");
        return FB_EXIT_USAGE;
    }
    fb_error("gnuplot: failed: %s", said);
    return FB_EXIT_IO;
}

static bool is_whole(const char *path, const char *end)
{
    char last[16] = "";
    const long len = (long)strlen(end);
    FILE *file = fopen(path, "rb");
    const bool whole = file && !fseek(file, -len, SEEK_END) &&
                       fread(last, 1, (size_t)len, file) == (size_t)len && !strcmp(last, end);
    if (file)
        fclose(file);
    return whole;
}

/* A picture appears whole, or, on failure, not at all. */
static enum fb_exit check_pictures(const struct place *place, const struct drawing *drawing)
{
    char from[PATH_SIZE], to[PATH_SIZE];
    for (size_t i = SVG; i < place->n_made; i++) {
        path_of(place->fresh, drawing, i, from);
        path_of(place->folder, drawing, i, to);
        if (!is_whole(from, made[i].end)) {
            fb_error("%s: not written to its end: is the disk full?", to);
            return FB_EXIT_IO;
        }
    }
    return FB_EXIT_OK;
}

/* Gives the table and the pictures their names. */
static enum fb_exit keep(const struct place *place, const struct drawing *drawing)
{
    char from[PATH_SIZE], to[PATH_SIZE];
    for (size_t i = 0; i < place->n_made; i++) {
        path_of(place->fresh, drawing, i, from);
        path_of(place->folder, drawing, i, to);
        if (rename(from, to))
            return fb_file_error(to, "not written", errno);
    }
    return FB_EXIT_OK;
}

/* Removes what was not kept. */
static void discard(const struct place *place, const struct drawing *drawing)
{
    char path[PATH_SIZE];
    for (size_t i = 0; i < place->n_made; i++) {
        path_of(place->fresh, drawing, i, path);
        unlink(path);
    }
}

static json_t *drawn_figure(const struct place *place, const struct drawing *drawing)
{
    json_t *row = json_pack(
        "{s:s, s:b, s:s, s:s, s:s, s:o, s:o}", "figure", drawing->name, "part",
        strcmp(drawing->name, drawing->figure->name) != 0, "summary", drawing->figure->summary,
        "of", drawing->of, "missing", drawing->missing, "title", fb_json_text(drawing->title),
        "see",
        json_sprintf("%s%s%s", drawing->see, *drawing->missing ? " " : "", drawing->missing));
    for (size_t i = 0; i < place->n_made; i++) {
        char path[PATH_SIZE];
        path_of(place->folder, drawing, i, path);
        json_object_set_new(row, made[i].name, json_string(path));
    }
    return row;
}

/* The figures of every kind; returns how many. */
static size_t all_figures(struct of_kind figures[MOST_FIGURES])
{
    size_t n = 0;
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_figure *f = (*kind)->figures; f && f->name && n + 1 < MOST_FIGURES;
             f++)
            figures[n++] = (struct of_kind){f, *kind};
    figures[n++] = (struct of_kind){&fb_versus_figure, NULL};
    return n;
}

/* Keeps the one named; 0, after a line that suggests another, where there is none. */
static size_t keep_only(struct of_kind figures[MOST_FIGURES], size_t n, const char *only)
{
    const char *names[MOST_FIGURES + 1] = {0};
    for (size_t i = 0; i < n; i++) {
        names[i] = figures[i].figure->name;
        if (!strcmp(only, names[i])) {
            figures[0] = figures[i];
            return 1;
        }
    }
    fb_error("no figure '%s'%s", only, fb_did_you_mean(only, names, sizeof *names));
    return 0;
}

/* A drawing that has its table; *n counts it. It is the figure's own where `of` is "". */
static enum fb_exit add_drawing(const struct fb_figure *figure, const char *of,
                                const json_t *documents, const char *table, json_t *seen,
                                const struct place *place, struct drawing *drawings, size_t *n)
{
    char name[FB_FILE_WORD];
    struct drawing *drawing = &drawings[*n];
    if (*n == MOST_DRAWINGS) {
        fb_error("more than %d pictures: give --only FIGURE, or fewer results", MOST_DRAWINGS);
        return FB_EXIT_USAGE;
    }
    *drawing = (struct drawing){.figure = figure};
    snprintf(drawing->of, sizeof drawing->of, "%s", of);
    snprintf(drawing->name, sizeof drawing->name, "%s%s%s", figure->name, *of ? "-" : "",
             *of ? fb_file_word(of, '-', name) : "");
    fb_drawn_missing(figure, seen, documents, drawing->missing, sizeof drawing->missing);
    fb_drawn_results(figure, documents, drawing->results, sizeof drawing->results);
    ++*n;
    return write_table(table, place, drawing);
}

/* The drawings of a figure: of all documents together, then of each part that is not yet drawn. */
static enum fb_exit add_figure(const struct fb_figure *figure, const json_t *documents,
                               const struct place *place, struct drawing *drawings, size_t *n)
{
    json_auto_t *seen = json_object(), *parts = fb_drawn_parts(figure, documents);
    char *table = fb_drawn_table(figure, documents);
    struct drawing *own = &drawings[*n];
    enum fb_exit code = FB_EXIT_OK;
    if (table && fb_drawn_is_new(seen, table))
        code = add_drawing(figure, "", documents, table, seen, place, drawings, n);
    FB_EACH_MEMBER(of, part, parts) {
        json_auto_t *lines = json_object();
        free(table);
        table = code ? NULL : fb_drawn_table(figure, part);
        if (table && fb_drawn_is_new(seen, table)) {
            (void)fb_drawn_is_new(lines, table);
            code = add_drawing(figure, of, part, table, lines, place, drawings, n);
        } else if (table && (strstr(of, "result ") || !*own->of)) {
            snprintf(own->of, sizeof own->of, "%s", strstr(of, "result ") ? "" : of);
        }
    }
    free(table);
    return code;
}

/* Writes the tables of those n figures that have data; *n_drawings of them are to be discarded,
 * whatever the code. */
static enum fb_exit write_tables(const json_t *documents, const struct place *place,
                                 const char *only, const struct of_kind *figures, size_t n,
                                 struct drawing *drawings, size_t *n_drawings)
{
    enum fb_exit code = FB_EXIT_OK;
    *n_drawings = 0;
    for (size_t i = 0; i < n && !code; i++) {
        const struct fb_figure *figure = figures[i].figure;
        json_auto_t *rest = figure->rest && !only ? unshown(documents, figures[i].kind) : NULL;
        code = add_figure(figure, rest ? rest : documents, place, drawings, n_drawings);
    }
    if (code || *n_drawings)
        return code;
    if (only)
        fb_error("nothing to draw: %s needs %s", only, figures[0].figure->needs);
    else
        fb_error("nothing to draw: nothing was measured or judged in what was given");
    return FB_EXIT_USAGE;
}

/* Into a folder that is there. */
static enum fb_exit draw(const json_t *documents, const struct place *place, const char *only,
                         const struct of_kind *figures, size_t n, json_t **drawn)
{
    struct drawing drawings[MOST_DRAWINGS + 1];
    size_t n_drawings;
    enum fb_exit code = write_tables(documents, place, only, figures, n, drawings, &n_drawings);
    if (!code)
        set_environment(place, documents);
    for (size_t i = 0; i < n_drawings && !code; i++)
        code = run_gnuplot(place, &drawings[i], any_unchecked(documents));
    for (size_t i = 0; i < n_drawings && !code; i++)
        code = check_pictures(place, &drawings[i]);
    *drawn = json_array();
    for (size_t i = 0; i < n_drawings && !code; i++) {
        code = keep(place, &drawings[i]);
        json_array_append_new(*drawn, drawn_figure(place, &drawings[i]));
    }
    for (size_t i = 0; i < n_drawings; i++)
        discard(place, &drawings[i]);
    return code;
}

/* Makes the fresh folder, which a signal removes. */
static enum fb_exit make_fresh(struct place *place)
{
    snprintf(place->fresh, sizeof place->fresh, "%.3600s/.filterbench-XXXXXX", place->folder);
    if (!mkdtemp(place->fresh))
        return fb_file_error(place->folder, "cannot be written", errno);
    fb_temporary_folder(place->fresh);
    return FB_EXIT_OK;
}

static void remove_fresh(const struct place *place)
{
    fb_temporary_folder(NULL);
    rmdir(place->fresh);
}

enum fb_exit fb_plot(const json_t *documents, const char *folder, const char *only, bool png,
                     json_t **drawn)
{
    struct of_kind figures[MOST_FIGURES];
    bool new = false, new_parent = false;
    size_t n = all_figures(figures);
    *drawn = NULL;
    if (only && !(n = keep_only(figures, n, only)))
        return FB_EXIT_USAGE;
    enum fb_exit code = folder ? FB_EXIT_OK : fb_file_refuse_links("plots/out");
    if (!code && !folder)
        code = fb_file_folder("plots", &new_parent);
    folder = folder ? folder : "plots/out";
    if (!code)
        code = fb_file_folder(folder, &new);
    struct place place = {folder, png ? N_MADE : SVG + 1, ""};
    if (!code)
        code = make_fresh(&place);
    if (!code) {
        code = draw(documents, &place, only, figures, n, drawn);
        remove_fresh(&place);
    }
    if (code && new)
        rmdir(folder);
    if (code && new_parent)
        rmdir("plots");
    return code;
}
