#define _DEFAULT_SOURCE /* mkdtemp */
#include "harness/report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/document/kind.h"

static void add_data(json_t *found, const struct fb_figure *f, const json_t *documents)
{
    char *data = fb_drawn_table(f, documents);
    if (data)
        json_array_append_new(found, json_pack("{s:s, s:s, s:o}", "figure", f->name, "summary",
                                               f->summary, "data", json_string(data)));
    free(data);
}

/* Every figure that the documents have data for, undrawn. */
static json_t *with_data(const struct fb_kind *kind, const json_t *documents)
{
    json_t *found = json_array();
    for (const struct fb_figure *f = kind->figures; f && f->name; f++)
        if (!f->rest || !json_array_size(found))
            add_data(found, f, documents);
    add_data(found, &fb_versus_figure, documents);
    return found;
}

static bool has_gnuplot(void)
{
    fflush(NULL);
    return !system("command -v gnuplot >/dev/null 2>&1");
}

/* Takes the picture's file over into the figure, and removes what was drawn. */
static enum fb_exit take(json_t *figures, const json_t *drawn)
{
    enum fb_exit code = FB_EXIT_OK;
    FB_EACH(row, drawn) {
        const char *path = fb_json_str(row, "svg");
        uint8_t *bytes = NULL, *data = NULL;
        size_t n = 0, n_data = 0;
        if (!code)
            code = fb_file_read(path, &bytes, &n);
        if (!code && json_is_true(json_object_get(row, "part")))
            code = fb_file_read(fb_json_str(row, "dat"), &data, &n_data);
        if (data)
            json_array_append_new(figures, json_pack("{s:O, s:O, s:o}", "figure",
                                                     json_object_get(row, "figure"), "summary",
                                                     json_object_get(row, "summary"), "data",
                                                     json_stringn((const char *)data, n_data)));
        FB_EACH(figure, figures) {
            if (code || strcmp(fb_json_str(figure, "figure"), fb_json_str(row, "figure")))
                continue;
            json_object_set(figure, "title", json_object_get(row, "title"));
            json_object_set(figure, "see", json_object_get(row, "see"));
            json_object_set_new(figure, "svg", json_stringn((const char *)bytes, n));
        }
        free(bytes);
        free(data);
        unlink(path);
        unlink(fb_json_str(row, "dat"));
    }
    return code;
}

/* Draws figures of documents in a folder that is gone afterwards. */
static enum fb_exit draw(const json_t *documents, json_t *figures)
{
    const char *home = getenv("TMPDIR");
    char folder[4096];
    json_auto_t *pictures = NULL;
    snprintf(folder, sizeof folder, "%s/filterbench-report-XXXXXX", home && *home ? home : "/tmp");
    if (!mkdtemp(folder)) {
        fb_error("%s: %s", folder, strerror(errno));
        return FB_EXIT_IO;
    }
    enum fb_exit code = fb_plot(documents, folder, NULL, false, &pictures);
    if (!code)
        code = take(figures, pictures);
    rmdir(folder);
    return code;
}

enum fb_exit fb_report_figures(const json_t *results, const json_t *names, const char *versus,
                               json_t **figures, bool *drawn)
{
    json_auto_t *documents = json_copy((json_t *)results);
    enum fb_exit code = FB_EXIT_OK;
    fb_drawn_letter(results, names);
    FB_EACH(document, versus ? results : NULL)
        json_array_append_new(documents,
                              fb_versus_drawn(document, fb_json_str(document, "result"), versus));
    const json_t *document = json_array_get(results, 0);
    *figures = with_data(fb_kind_find(fb_json_str(document, "kind")), documents);
    if (json_array_size(*figures)) {
        *drawn = has_gnuplot();
        code = *drawn ? draw(documents, *figures) : FB_EXIT_OK;
    }
    return code;
}
