#include "harness/verb/hgrm.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/message.h"
#include "harness/base/output.h"
#include "harness/measure/latency.h"

static enum fb_exit write_one(const char *folder, const char *id, const json_t *json,
                              struct fb_histogram *h)
{
    const char *kind = json_string_value(json_object_get(json, "kind"));
    char path[4096], name[216];
    struct fb_output out;
    snprintf(name, sizeof name, "%.200s", id);
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '_';
    snprintf(path, sizeof path, "%.3700s/%s.%.40s.hgrm", folder, name, kind ? kind : "unnamed");
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

/* What has histograms: cells, their lookups, a measured device. To be released. */
static json_t *owners_of(const json_t *document)
{
    json_t *owners = json_array(), *cell, *lookup;
    json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    size_t i, j;
    if (json_array_size(json_object_get(device, "histograms")))
        json_array_append(owners, device);
    json_array_foreach(json_object_get(document, "cells"), i, cell)
    {
        if (json_array_size(json_object_get(cell, "histograms")))
            json_array_append(owners, cell);
        json_array_foreach(json_object_get(cell, "lookups"), j, lookup)
        {
            if (json_array_size(json_object_get(lookup, "histograms")))
                json_array_append(owners, lookup);
        }
    }
    return owners;
}

static enum fb_exit write_all(const json_t *owners, const char *folder)
{
    static struct fb_histogram histogram;
    enum fb_exit code = FB_EXIT_OK;
    size_t i, j, n = 0;
    json_t *owner, *json;
    json_array_foreach((json_t *)owners, i, owner)
    {
        const json_t *name = json_object_get(owner, "id");
        const char *id = json_string_value(name ? name : json_object_get(owner, "name"));
        json_array_foreach(json_object_get(owner, "histograms"), j, json)
        {
            code = code ? code : write_one(folder, id ? id : "cell", json, &histogram);
            n++;
        }
    }
    if (!code)
        fb_note("wrote %zu files to %s", n, folder);
    return code;
}

enum fb_exit fb_hgrm_export(const json_t *document, const char *folder)
{
    json_t *owners = owners_of(document);
    enum fb_exit code = FB_EXIT_OK;
    if (json_array_size(owners) == 0) {
        fb_error("export: no histograms in the result; 'run kernels --histograms' takes them, and "
                 "so do trees that are timed");
        code = FB_EXIT_USAGE;
    } else if (mkdir(folder, 0777) && errno != EEXIST) {
        fb_error("%s: cannot be made: %s", folder, strerror(errno));
        code = FB_EXIT_IO;
    }
    if (!code)
        code = write_all(owners, folder);
    json_decref(owners);
    return code;
}
