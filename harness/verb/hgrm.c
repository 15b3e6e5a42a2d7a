#include "harness/verb/hgrm.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/measure/latency.h"

static enum fb_exit write_one(const char *folder, const char *id, const json_t *json,
                              struct fb_histogram *h)
{
    const char *kind = fb_json_str(json, "kind");
    char path[4096], name[216];
    struct fb_output out;
    snprintf(name, sizeof name, "%.200s", id);
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '_';
    snprintf(path, sizeof path, "%.3700s/%s.%.40s.hgrm", folder, name, *kind ? kind : "unnamed");
    if (!fb_latency_read(json, h)) {
        fb_error("export: %s: a histogram that cannot be read", id);
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = fb_output_open(path, &out);
    if (!code && fb_histogram_write_hgrm(h, 1000, out.file))
        code = fb_fail(path, FB_EIO, NULL);
    if (!code)
        code = fb_output_commit(&out);
    fb_output_close(&out);
    return code;
}

/* The histograms of a cell, a lookup or a device, and of the lookups of it, into the folder; NULL:
 * they are only counted. */
static enum fb_exit write_of(const json_t *owner, const char *folder, size_t *n)
{
    static struct fb_histogram histogram;
    const char *id = fb_json_str(owner, json_object_get(owner, "id") ? "id" : "name");
    const json_t *lookups = json_object_get(owner, "lookups");
    enum fb_exit code = FB_EXIT_OK;
    size_t i;
    json_t *json;
    json_array_foreach(json_object_get(owner, "histograms"), i, json) {
        if (folder && !code)
            code = write_one(folder, *id ? id : "cell", json, &histogram);
        ++*n;
    }
    for (i = 0; !code && i < json_array_size(lookups); i++)
        code = write_of(json_array_get(lookups, i), folder, n);
    return code;
}

static enum fb_exit write_all(const json_t *document, const char *folder, size_t *n)
{
    const json_t *cells = json_object_get(document, "cells");
    *n = 0;
    enum fb_exit code =
        write_of(json_array_get(json_object_get(document, "devices"), 0), folder, n);
    for (size_t i = 0; !code && i < json_array_size(cells); i++)
        code = write_of(json_array_get(cells, i), folder, n);
    return code;
}

enum fb_exit fb_hgrm_export(const json_t *document, const char *folder)
{
    size_t n;
    write_all(document, NULL, &n);
    if (!n) {
        fb_error("export: no histograms in the result; 'run kernels --histograms' takes them, and "
                 "so do trees that are timed");
        return FB_EXIT_USAGE;
    }
    if (mkdir(folder, 0777) && errno != EEXIST) {
        fb_error("%s: cannot be made: %s", folder, strerror(errno));
        return FB_EXIT_IO;
    }
    enum fb_exit code = write_all(document, folder, &n);
    if (!code)
        fb_note("wrote %zu files to %s", n, folder);
    return code;
}
