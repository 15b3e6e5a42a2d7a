#include "harness/device.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"

const struct fb_device fb_devices[] = {
    {.name = "default", .read_ns = 100e3, .bytes_per_s = 2e9},
    {.name = "nvme", .read_ns = 15e3, .bytes_per_s = 2e9},
    {.name = "sata", .read_ns = 80e3, .bytes_per_s = 5e8},
    {.name = "hdd", .read_ns = 8e6, .bytes_per_s = 1.5e8},
    {.name = "pagecache", .read_ns = 1.2e3, .bytes_per_s = 1e10},
    {.name = "s3", .read_ns = 20e6, .bytes_per_s = 1e8},
    {.name = ""},
};

#define ACCEPTED                                                                                   \
    "give default, nvme, sata, hdd, pagecache, s3, or a time from 1ns to 1000s such as 100us"

static bool parse_time(const char *text, double *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].name)) {
            *ns = number * units[i].ns;
            return *ns >= 1 && *ns <= 1e12;
        }
    return false;
}

bool fb_device_parse(const char *text, struct fb_device *out, const char **why)
{
    memset(out, 0, sizeof *out);
    *why = ACCEPTED;
    for (const struct fb_device *d = fb_devices; *d->name; d++)
        if (!strcmp(d->name, text)) {
            *out = *d;
            return true;
        }
    if (strlen(text) >= sizeof out->name || !parse_time(text, &out->read_ns))
        return false;
    memcpy(out->name, text, strlen(text));
    out->bytes_per_s = fb_devices->bytes_per_s;
    return true;
}

/* The bins that hold samples, and how many lie in them and below. */
struct fb_device_draws {
    size_t n;
    struct {
        uint64_t up_to;
        double ns;
    } bin[];
};

void fb_device_close(struct fb_device *device)
{
    free(device->histogram);
    free(device->draws);
    memset(device, 0, sizeof *device);
}

enum fb_err fb_device_of_histogram(const char *name, struct fb_histogram *histogram,
                                   double bytes_per_s, bool direct, struct fb_device *out)
{
    size_t n = 0;
    uint64_t up_to = 0;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < FB_HISTOGRAM_BINS; i++)
        n += histogram->count[i] > 0;
    out->histogram = histogram;
    out->draws = calloc(1, sizeof *out->draws + n * sizeof *out->draws->bin);
    if (!out->draws) {
        fb_device_close(out);
        return FB_ENOMEM;
    }
    for (unsigned i = 0; i < FB_HISTOGRAM_BINS; i++) {
        if (!histogram->count[i])
            continue;
        up_to += histogram->count[i];
        out->draws->bin[out->draws->n].up_to = up_to;
        out->draws->bin[out->draws->n++].ns = (double)fb_histogram_middle(i) / 1e3;
    }
    strncpy(out->name, name, sizeof out->name - 1);
    out->read_ns = histogram->sum_ps / (double)histogram->n / 1e3;
    out->bytes_per_s = bytes_per_s;
    out->direct = direct;
    return FB_OK;
}

double fb_device_read_ns(const struct fb_device *device, uint64_t bytes, uint64_t block_bytes)
{
    return device->read_ns + (bytes > block_bytes ? (double)bytes / device->bytes_per_s * 1e9 : 0);
}

double fb_device_draw_ns(const struct fb_device *device, uint64_t word)
{
    const struct fb_device_draws *draws = device->draws;
    if (!draws)
        return device->read_ns;
    uint64_t sample = fb_mulhi64(word, draws->bin[draws->n - 1].up_to);
    size_t low = 0, high = draws->n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sample < draws->bin[middle].up_to)
            high = middle;
        else
            low = middle + 1;
    }
    return draws->bin[low].ns;
}
