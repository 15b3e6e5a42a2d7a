#define _XOPEN_SOURCE 700 /* realpath */
#include "harness/document/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/base/same_file.h"
#include "harness/document/kind.h"

enum { MOST_FIGURES = 64, PATH_SIZE = 4096 };

/* Each ends with these bytes: gnuplot does not tell that a disk was full. */
static const struct picture_format {
    const char *name, *end;
} formats[] = {{"svg", "</svg>\n\n"}, {"png", "IEND\xae\x42\x60\x82"}};

static enum fb_exit make_folder(const char *folder)
{
    struct stat about;
    if (!mkdir(folder, 0777))
        return FB_EXIT_OK;
    int cause = errno;
    if (cause == EEXIST && !stat(folder, &about)) {
        if (S_ISDIR(about.st_mode))
            return FB_EXIT_OK;
        cause = ENOTDIR;
    }
    fb_error("%s: cannot be made: %s", folder, strerror(cause));
    return FB_EXIT_IO;
}

/* The documents that none of the other figures of a kind shows, to be released. */
static json_t *unshown(const json_t *documents, const struct fb_kind *kind)
{
    json_t *left = json_array(), *document;
    FILE *nowhere = fopen("/dev/null", "w");
    size_t i;
    json_array_foreach((json_t *)documents, i, document) {
        json_t *alone = json_pack("[O]", document);
        bool shown = !nowhere;
        for (const struct fb_figure *f = kind->figures; f->name && !shown; f++)
            shown = !f->rest && f->write(alone, nowhere);
        if (!shown)
            json_array_append(left, document);
        json_decref(alone);
    }
    if (nowhere)
        fclose(nowhere);
    return left;
}

/* Writes one table whole or not at all; *any is false, and no file left, where it has no data. A
 * picture of it that would replace what was read is refused. */
static enum fb_exit write_table(const struct fb_figure *figure, const json_t *documents,
                                const char *folder, bool *any)
{
    char path[PATH_SIZE];
    struct fb_output out;
    snprintf(path, sizeof path, "%s/%s.dat", folder, figure->name);
    enum fb_exit code = fb_output_open(path, &out);
    if (code)
        return code;
    *any = figure->write(documents, out.file);
    if (*any)
        code = fb_output_commit(&out);
    fb_output_close(&out);
    for (size_t i = 0; *any && !code && i < sizeof formats / sizeof *formats; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, figure->name, formats[i].name);
        code = fb_same_file_writes(path);
    }
    return code;
}

static bool any_unchecked(const json_t *documents)
{
    const json_t *document, *warning;
    size_t i, j;
    json_array_foreach((json_t *)documents, i, document)
        json_array_foreach(json_object_get(document, "warnings"), j, warning)
            if (!strcmp(fb_json_str(warning, "code"), "unchecked"))
                return true;
    return false;
}

/* Runs gnuplot in `folder`. The shell takes folders from the environment: their names may have any
 * letters. Where gnuplot fails, the last line that says something is told, and its warnings in any
 * case. */
static enum fb_exit run_gnuplot(const char *folder, const struct fb_figure *const *figures,
                                size_t n, bool unchecked)
{
    char data[PATH_SIZE], line[512], said[512] = "no reason given", command[PATH_SIZE];
    int used = snprintf(command, sizeof command,
                        "exec 2>&1; cd -- \"$FB_FOLDER\" && exec gnuplot -c \"$FB_SCRIPTS/all.gp\" "
                        "\"$FB_SCRIPTS\"");
    for (size_t i = 0; i < n; i++)
        used += snprintf(command + used, sizeof command - (size_t)used, " %s", figures[i]->name);
    fb_data_path("plots", data, sizeof data);
    char *scripts = realpath(data, NULL); /* the working folder is about to change */
    setenv("FB_FOLDER", folder, 1);
    setenv("FB_REMARK", unchecked ? " (not checked)" : "", 1);
    setenv("FB_SCRIPTS", scripts ? scripts : data, 1);
    free(scripts);
    FILE *messages = popen(command, "r");
    while (messages && fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, "warning"))
            fb_note("gnuplot: %s", line);
        else if (line[strspn(line, " \t^")])
            snprintf(said, sizeof said, "%s", line);
    }
    const int status = messages ? pclose(messages) : -1;
    if (status == 0)
        return FB_EXIT_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        fb_error("gnuplot: not found: install the package gnuplot-nox ('scripts/setup plots')");
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

/* gnuplot draws into NAME.tmp: a picture appears whole, or, on failure, not at all. */
static enum fb_exit keep_pictures(const char *folder, const struct fb_figure *figure, bool failed)
{
    enum fb_exit code = FB_EXIT_OK;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char from[PATH_SIZE], to[PATH_SIZE];
        snprintf(to, sizeof to, "%s/%s.%s", folder, figure->name, formats[i].name);
        snprintf(from, sizeof from, "%s/%s.%s.tmp", folder, figure->name, formats[i].name);
        if (failed) {
            unlink(from);
        } else if (!is_whole(from, formats[i].end)) {
            fb_error("%s: not written to its end: is the disk full?", to);
            unlink(from);
            code = FB_EXIT_IO;
        } else if (rename(from, to)) {
            fb_error("%s: %s", to, strerror(errno));
            code = FB_EXIT_IO;
        }
    }
    return code;
}

static json_t *drawn_figure(const char *folder, const struct fb_figure *figure)
{
    static const char *const kinds[] = {"dat", "svg", "png"};
    json_t *row = json_pack("{s:s, s:s}", "figure", figure->name, "summary", figure->summary);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        json_object_set_new(row, kinds[i],
                            json_sprintf("%s/%s.%s", folder, figure->name, kinds[i]));
    return row;
}

/* The figures of every kind; returns how many. */
static size_t all_figures(const struct fb_figure *figures[MOST_FIGURES])
{
    size_t n = 0;
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_figure *f = (*kind)->figures; f && f->name && n < MOST_FIGURES; f++)
            figures[n++] = f;
    return n;
}

static const struct fb_kind *kind_of(const struct fb_figure *figure)
{
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_figure *f = (*kind)->figures; f && f->name; f++)
            if (f == figure)
                return *kind;
    return NULL;
}

/* Keeps the one named; 0, after a line that suggests another, where there is none. */
static size_t keep_only(const struct fb_figure *figures[MOST_FIGURES], size_t n, const char *only)
{
    const char *names[MOST_FIGURES + 1] = {0};
    for (size_t i = 0; i < n; i++) {
        names[i] = figures[i]->name;
        if (!strcmp(only, names[i])) {
            figures[0] = figures[i];
            return 1;
        }
    }
    fb_error("no figure '%s'%s", only, fb_did_you_mean(only, names, sizeof *names));
    return 0;
}

/* Writes the tables, and keeps the figures that have data. */
static enum fb_exit write_tables(const json_t *documents, const char *folder, const char *only,
                                 const struct fb_figure *figures[MOST_FIGURES], size_t *n)
{
    const size_t all = *n;
    enum fb_exit code = FB_EXIT_OK;
    *n = 0;
    for (size_t i = 0; i < all && !code; i++) {
        const struct fb_figure *figure = figures[i];
        json_t *rest = figure->rest && !only ? unshown(documents, kind_of(figure)) : NULL;
        bool any = false;
        code = write_table(figure, rest ? rest : documents, folder, &any);
        json_decref(rest);
        if (any)
            figures[(*n)++] = figure;
    }
    if (code || *n)
        return code;
    if (only)
        fb_error("nothing to draw: %s needs %s", only, figures[0]->needs);
    else
        fb_error("nothing to draw: nothing was measured or judged in what was given");
    return FB_EXIT_USAGE;
}

enum fb_exit fb_plot(const json_t *documents, const char *folder, const char *only, json_t **drawn)
{
    const struct fb_figure *figures[MOST_FIGURES];
    size_t n = all_figures(figures);
    *drawn = NULL;
    if (only && !(n = keep_only(figures, n, only)))
        return FB_EXIT_USAGE;
    enum fb_exit code = folder ? FB_EXIT_OK : make_folder("plots");
    folder = folder ? folder : "plots/out";
    if (!code)
        code = make_folder(folder);
    if (!code)
        code = write_tables(documents, folder, only, figures, &n);
    if (code)
        return code;
    code = run_gnuplot(folder, figures, n, any_unchecked(documents));
    const bool failed = code != FB_EXIT_OK;
    *drawn = json_array();
    for (size_t i = 0; i < n; i++) {
        enum fb_exit kept = keep_pictures(folder, figures[i], failed);
        code = code ? code : kept;
        json_array_append_new(*drawn, drawn_figure(folder, figures[i]));
    }
    return code;
}
