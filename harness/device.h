/*
 * What one read costs: given, or measured on a real file.
 */
#ifndef FILTERBENCH_HARNESS_DEVICE_H
#define FILTERBENCH_HARNESS_DEVICE_H

#include <jansson.h>

#include "harness/histogram.h"

struct fb_device {
    char name[32];  /* "default", "nvme", "sata", "hdd", "pagecache", "s3", "100us", "measured" */
    double read_ns; /* of one block; mean when measured */
    double bytes_per_s;             /* for reads beyond one block: read_ns + bytes / this */
    struct fb_histogram *histogram; /* measured ones, owned */
    bool direct;                    /* measured with O_DIRECT */
};

/* The named ones: default 100 us, nvme 15 us, sata 80 us, hdd 8 ms, pagecache 1.2 us, s3 20 ms. */
extern const struct fb_device fb_devices[]; /* ends with name "" */

/* A name, or a time ("100us", "8ms"). False: *why says what is accepted. */
bool fb_device_parse(const char *text, struct fb_device *out, const char **why);
void fb_device_close(struct fb_device *);

struct fb_device_file {
    const char *path;
    uint64_t file_bytes; /* about: whole segments */
    uint64_t segment_bytes, block_bytes;
    double entry_bytes, filter_bits_per_key;
    uint64_t reads; /* timed */
    uint64_t seed;
    bool cold; /* drop the file from the page cache first */
};

/*
 * Writes segments of data blocks, each with its index and filter behind it, as a storage engine
 * would (blocks of sorted entries with a checksum, verified when read), reads random blocks back
 * with pread and keeps the whole histogram. O_DIRECT where the file system allows it; if not, the
 * report says so. The file is removed unless it was there before (then FB_EINVAL: it is not
 * overwritten). about: {path, bytes, direct, page_cache, filesystem, reads, checksum_errors}.
 */
enum fb_err fb_device_measure(const struct fb_device_file *, struct fb_device *out, json_t **about,
                              bool *complete, const char **why) FB_MUST_USE;

#endif
