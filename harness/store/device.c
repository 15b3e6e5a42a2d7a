#include "harness/store/device.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "harness/base/quantity.h"

/* The tests of drives read one block at a time (KitGuru, queue depth 1): 74,875 and 20,176 reads a
 * second. RocksDB 7.8.3 took 4 to 5.6 us for a block of the page cache: a system call, a checksum,
 * a search in the block, and its own block cache. The others are round numbers without a source. */
const struct fb_device fb_devices[] = {
    {.name = "default", .read_ns = 100e3, .bytes_per_s = 2e9, .what = "no drive in particular"},
    {.name = "nvme", .read_ns = 50e3, .bytes_per_s = 2e9, .what = "a NAND drive on PCIe, idle"},
    {.name = "optane", .read_ns = 15e3, .bytes_per_s = 2e9, .what = "an Intel Optane drive"},
    {.name = "sata", .read_ns = 80e3, .bytes_per_s = 5e8, .what = "a NAND drive on SATA"},
    {.name = "hdd", .read_ns = 8e6, .bytes_per_s = 1.5e8, .what = "a hard disk"},
    {.name = "pagecache",
     .read_ns = 4.5e3,
     .bytes_per_s = 1e10,
     .what = "RocksDB reading a block that the page cache holds"},
    {.name = "s3", .read_ns = 20e6, .bytes_per_s = 1e8, .what = "an object store"},
    {.name = ""},
};

#define ACCEPTED                                                                                   \
    "give default, nvme, optane, sata, hdd, pagecache, s3, a time from 1ns to 1000s such as "      \
    "100us, or measured:FOLDER"

bool fb_device_is_assumed(const char *name)
{
    struct fb_device device;
    const char *why;
    return fb_device_parse(name, &device, &why) && device.what;
}

const char *fb_device_folder(const char *text)
{
    static const char measured[] = "measured:";
    const size_t n = sizeof measured - 1;
    return !strncmp(text, measured, n) && text[n] ? text + n : NULL;
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
    if (fb_device_folder(text)) {
        strcpy(out->name, "measured");
        return true;
    }
    if (strlen(text) >= sizeof out->name || !fb_quantity_read(text, FB_UNIT_NS, &out->read_ns) ||
        out->read_ns < 1 || out->read_ns > 1e12)
        return false;
    memcpy(out->name, text, strlen(text));
    out->bytes_per_s = fb_devices->bytes_per_s;
    return true;
}

void fb_device_close(struct fb_device *device)
{
    free(device->histogram);
    free(device->draws);
    memset(device, 0, sizeof *device);
}

enum fb_err fb_device_of_histogram(struct fb_histogram *histogram, double bytes_per_s, bool direct,
                                   struct fb_device *out)
{
    *out = (struct fb_device){.name = "measured",
                              .read_ns = histogram->sum_ps / (double)histogram->n / 1e3,
                              .bytes_per_s = bytes_per_s,
                              .histogram = histogram,
                              .direct = direct,
                              .draws = fb_draws_of(histogram)};
    if (out->draws)
        return FB_OK;
    fb_device_close(out);
    return FB_ENOMEM;
}

double fb_device_draw_ns(const struct fb_device *device, uint64_t word)
{
    return device->draws ? (double)fb_draw(device->draws, word) / 1e3 : device->read_ns;
}

/* ---- Random values with the distribution of a histogram ---- */

/* The bins that hold samples, and how many lie in them and below. */
struct fb_draws {
    size_t n;
    struct {
        uint64_t up_to, ps;
    } bin[];
};

struct fb_draws *fb_draws_of(const struct fb_histogram *histogram)
{
    size_t n = 0;
    uint64_t up_to = 0;
    for (unsigned i = 0; i < FB_HISTOGRAM_BINS; i++)
        n += histogram->count[i] > 0;
    struct fb_draws *draws = malloc(sizeof *draws + n * sizeof *draws->bin);
    if (!draws)
        return NULL;
    draws->n = 0;
    for (unsigned i = 0; i < FB_HISTOGRAM_BINS; i++) {
        if (!histogram->count[i])
            continue;
        up_to += histogram->count[i];
        draws->bin[draws->n].up_to = up_to;
        draws->bin[draws->n++].ps = fb_histogram_middle(i);
    }
    return draws;
}

uint64_t fb_draw(const struct fb_draws *draws, uint64_t word)
{
    uint64_t sample = fb_mulhi64(word, draws->bin[draws->n - 1].up_to);
    size_t low = 0, high = draws->n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sample < draws->bin[middle].up_to)
            high = middle;
        else
            low = middle + 1;
    }
    return draws->bin[low].ps;
}
