/*
 * What one read costs: given, or measured on a real file.
 */
#ifndef FILTERBENCH_HARNESS_STORE_DEVICE_H
#define FILTERBENCH_HARNESS_STORE_DEVICE_H

#include <jansson.h>

#include "harness/base/progress.h"
#include "harness/stats/histogram.h"

struct fb_device {
    char name[32];                  /* one of fb_devices, "100us", "measured" */
    double read_ns;                 /* of one block; mean when measured */
    double bytes_per_s;             /* for reads beyond one block: read_ns + bytes / this */
    struct fb_histogram *histogram; /* measured ones, owned */
    bool direct;                    /* measured with O_DIRECT */
    struct fb_draws *draws;         /* of it, owned */
    const char *what;               /* of a named one, whose times are assumed; else NULL */
};

/* The named ones: default 100 us, nvme 50 us, optane 15 us, sata 80 us, hdd 8 ms, pagecache 4.5 us,
 * s3 20 ms. What such a drive or system is known to take, not what yours takes. */
extern const struct fb_device fb_devices[];  /* ends with name "" */
bool fb_device_is_assumed(const char *name); /* whether it is one of them */

/* A name, or a time ("100us", "8ms"). Or "measured:FOLDER", whose read_ns is 0: it is yet to be
 * measured. False: *why says what is accepted. */
bool fb_device_parse(const char *text, struct fb_device *out, const char **why);
void fb_device_close(struct fb_device *);
/* The FOLDER of "measured:FOLDER", not empty; NULL: it is another text. */
const char *fb_device_folder(const char *text);

/* The device "measured", which behaves as the histogram (owned from now on, n >= 1) says. On
 * failure the histogram is freed and out zeroed. */
enum fb_err fb_device_of_histogram(struct fb_histogram *, double bytes_per_s, bool direct,
                                   struct fb_device *out) FB_MUST_USE;

/* Time of one block's read: read_ns, or drawn from what was measured by a uniform 64-bit word. */
double fb_device_draw_ns(const struct fb_device *, uint64_t word);

/* Random values with the distribution of a histogram: from one with n >= 1 samples;
 * free() it. NULL: out of memory. */
struct fb_draws *fb_draws_of(const struct fb_histogram *) FB_MUST_USE;

/* The value in picoseconds of sample floor(word * n / 2^64), counted in ascending order: words that
 * are uniform draw from the histogram. O(log bins). */
uint64_t fb_draw(const struct fb_draws *, uint64_t word);

struct fb_device_file {
    const char *path;
    uint64_t file_bytes;                 /* about: whole segments, at least one */
    uint64_t segment_bytes, block_bytes; /* a block is a power of two, 512 B to 64 KiB */
    double entry_bytes, filter_bits_per_key;
    uint64_t reads; /* timed */
    double seconds; /* reading ends after as many, be there fewer reads; 0: it does not */
    uint64_t seed;
    /* Counts bytes written, and FB_DEVICE_READ for each read; NULL: nobody looks. */
    struct fb_progress *progress;
};
enum { FB_DEVICE_READ = 1 << 16 }; /* bytes that are written in about the time of a read */

/*
 * Writes segments of data blocks, each with its index and filter behind it, as a storage engine
 * would (blocks of sorted entries with a checksum, verified when read). Then reads random blocks
 * back with pread and keeps the whole histogram. Reads go past the page cache by O_DIRECT where the
 * file system allows it; where it does not, the report says so, and the file is dropped from the
 * cache before every pass. The file has no name while it exists and is
 * gone however this ends. FB_EINVAL for a path that exists already; FB_EIO for everything the
 * system refuses, and for a block that comes back changed. *complete is false when interrupted.
 *
 * about: the record measured_device of kind/lsm/members.txt without path and quantum_ns; owned by
 * the caller, NULL unless complete.
 */
enum fb_err fb_device_measure(const struct fb_device_file *, struct fb_device *out, json_t **about,
                              bool *complete, const char **why) FB_MUST_USE;

#endif
