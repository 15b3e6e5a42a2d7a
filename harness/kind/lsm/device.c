/* The devices of a document of kind "lsm"; one that is measured: before a run, or read back. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/message.h"
#include "harness/kind/lsm/run.h"
#include "harness/measure/latency.h"
#include "harness/store/query_latency.h"

/* ---- The list ---- */

static json_t *device_json(const struct fb_lsm *e, const struct fb_device *d)
{
    json_t *j =
        json_pack("{s:s, s:f, s:f, s:I}", "name", d->name, "read_ns", d->read_ns, "bytes_per_s",
                  d->bytes_per_s, "block_bytes", (json_int_t)e->reading.block_bytes);
    if (d->histogram) {
        double quantum_ns = json_number_value(json_object_get(e->device_about, "quantum_ns"));
        json_object_set(j, "about", e->device_about);
        json_object_set_new(j, "histograms", json_pack("[o]", fb_device_json(d, quantum_ns)));
    }
    return j;
}

json_t *fb_lsm_devices(const struct fb_lsm *e)
{
    json_t *devices = json_array();
    const struct fb_device *chosen = &e->device;
    for (const struct fb_device *d = chosen; d == chosen || *d->name;
         d = d == chosen ? fb_devices : d + 1)
        if (d == chosen || strcmp(d->name, chosen->name) != 0)
            json_array_append_new(devices, device_json(e, d));
    return devices;
}

/* ---- Measuring ---- */

/* A file of segments as the experiment's first tree has them. */
static bool file_of(const struct fb_lsm *e, struct fb_device_file *out)
{
    enum { LEAST_ENTRY = 16, BLOCK_HEAD = 24, PASSES = 4, MOST_READS = 100 * 1024 };
    struct fb_tree_shape shape;
    struct fb_problem problem;
    if (!fb_lsm_shape(e, 0, &shape, &problem)) {
        fb_error("%s: %s", e->name, problem.text);
        return false;
    }
    uint64_t block = e->reading.block_bytes, most = PASSES * (e->device_bytes / block);
    double entry = fb_tree_entry_bytes(&shape);
    *out = (struct fb_device_file){
        .file_bytes = e->device_bytes,
        .segment_bytes = fb_min_u64(e->shape.segment_bytes, e->device_bytes),
        .block_bytes = block,
        .entry_bytes = fmin(fmax(entry, LEAST_ENTRY), (double)block - BLOCK_HEAD),
        .filter_bits_per_key = e->shape.bits_per_key,
        .reads = fb_min_u64(most, MOST_READS),
        .seconds = 30,
        .seed = e->seed,
    };
    return true;
}

enum fb_exit fb_lsm_measure_device(struct fb_lsm *e, json_t *document)
{
    struct fb_device_file file;
    struct fb_progress progress;
    char path[4096];
    const char *why = NULL;
    bool complete = false;
    if (!e->device_folder)
        return FB_EXIT_OK;
    if (!file_of(e, &file))
        return FB_EXIT_USAGE;
    snprintf(path, sizeof path, "%.4000s/filterbench-%ld", e->device_folder, (long)getpid());
    file.path = path;
    file.progress = &progress;
    fb_progress_start(&progress, "device", file.file_bytes + FB_DEVICE_READ * file.reads);
    enum fb_err err = fb_device_measure(&file, &e->device, &e->device_about, &complete, &why);
    fb_progress_end(&progress);
    if (err) {
        char what[4200];
        snprintf(what, sizeof what, "device: %.4000s", e->device_folder);
        return fb_fail(what, err, why);
    }
    if (!complete)
        return FB_EXIT_INTERRUPTED;
    json_t *about = e->device_about;
    json_object_set_new(about, "path", json_string(e->device_folder));
    json_object_set_new(about, "quantum_ns",
                        json_real(fb_clock_quality(&fb_system_clock).quantum_ns));
    if (!e->device.direct)
        fb_result_warn(document, "device", NULL, "device: not read by O_DIRECT: %s; page cache: %s",
                       fb_json_str(about, "direct_reason"), fb_json_str(about, "page_cache"));
    return FB_EXIT_OK;
}

/* ---- Reading back ---- */

bool fb_lsm_take_device(struct fb_lsm *e, const json_t *document)
{
    const json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    const json_t *json = json_array_get(json_object_get(device, "histograms"), 0);
    struct fb_histogram *histogram = e->device_folder ? malloc(sizeof *histogram) : NULL;
    if (!e->device_folder)
        return true;
    if (!histogram || !fb_latency_read(json, histogram)) {
        free(histogram);
        return false;
    }
    /* The mean is that of the samples, so it is near that of the bins. */
    double mean = json_number_value(json_object_get(json, "mean")), n = (double)histogram->n;
    bool near = fabs(mean - histogram->sum_ps / n) <= mean / 64;
    histogram->sum_ps = mean * n;
    double bytes_per_s = json_number_value(json_object_get(device, "bytes_per_s"));
    bool direct = json_is_true(fb_json_at(device, "about.direct"));
    if (fb_device_of_histogram(histogram, bytes_per_s, direct, &e->device))
        return false;
    e->device_about = json_incref(json_object_get(device, "about"));
    return near;
}
