#define _GNU_SOURCE /* O_DIRECT, mincore */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "harness/base/json.h"
#include "harness/base/parallel.h"
#include "harness/measure/clock.h"
#include "harness/stats/paired.h"
#include "harness/store/device.h"
#include "harness/store/segment_file.h"
#include "workloads/core/permutation.h"
#include "workloads/core/rng.h"

enum { PAGE = 4096 };

/* ---- The file ---- */

/* Makes a file and takes its name away at once: whatever ends the process, nothing stays. */
static enum fb_err open_unnamed(const char *path, int *fd, const char **why)
{
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*fd >= 0) {
        (void)!unlink(path);
        return FB_OK;
    }
    *why = errno == EEXIST                     ? "exists already, and is not overwritten"
           : errno == ENOENT                   ? "its folder does not exist"
           : errno == ENOTDIR                  ? "its folder is no folder"
           : errno == EACCES || errno == EPERM ? "its folder may not be written"
           : errno == EROFS                    ? "its file system is read-only"
                                               : strerror(errno);
    return errno == EEXIST ? FB_EINVAL : FB_EIO;
}

static enum fb_err check_room(int fd, uint64_t bytes, const char **why)
{
    struct statvfs about;
    if (fstatvfs(fd, &about) || bytes / about.f_frsize < about.f_bavail)
        return FB_OK;
    *why = "not enough space left for the file";
    return FB_EIO;
}

/* Magic numbers of statfs(2). */
static json_t *filesystem_of(int fd)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } known[] = {{0xEF53, "ext4"},      {0x58465342, "xfs"},       {0x9123683E, "btrfs"},
                 {0x01021994, "tmpfs"}, {0x794C7630, "overlayfs"}, {0x2FC12FC1, "zfs"},
                 {0xF2F52010, "f2fs"},  {0x6969, "nfs"},           {0x01021997, "9p"},
                 {0x65735546, "fuse"},  {0x6A656A63, "virtiofs"},  {0x858458F6, "ramfs"}};
    struct statfs about;
    if (fstatfs(fd, &about))
        return NULL;
    unsigned long magic = (unsigned long)about.f_type & 0xFFFFFFFF;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].magic == magic)
            return json_string(known[i].name);
    return json_sprintf("type 0x%lx", magic);
}

/* Share of the file's pages that are in memory; below 0 where the system does not say. */
static double resident_share(int fd, uint64_t bytes)
{
    size_t pages = (size_t)((bytes + PAGE - 1) / PAGE), present = 0;
    double share = -1;
    unsigned char *in_memory = malloc(pages + 1);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (in_memory && map != MAP_FAILED && sysconf(_SC_PAGESIZE) == PAGE &&
        !mincore(map, bytes, in_memory)) {
        for (size_t i = 0; i < pages; i++)
            present += in_memory[i] & 1;
        share = (double)present / (double)pages;
    }
    if (map != MAP_FAILED)
        munmap(map, bytes);
    free(in_memory);
    return share;
}

/* ---- Reading ---- */

struct reader {
    const struct fb_device_file *file;
    const struct fb_segment_layout *layout;
    int fd;
    bool direct;
    uint8_t *buffer; /* [chunk_bytes], on a page */
    uint64_t chunk_bytes;
    struct fb_histogram *histogram;
    double resident, bytes_per_s;
    uint64_t errors;
};

static void drop_from_cache(const struct reader *r)
{
    (void)!posix_fadvise(r->fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* NULL, or why reads go through the page cache. */
static const char *go_direct(struct reader *r)
{
    int flags = fcntl(r->fd, F_GETFL);
    if (flags < 0 || fcntl(r->fd, F_SETFL, flags | O_DIRECT))
        return "the file system refuses O_DIRECT";
    if (pread(r->fd, r->buffer, r->layout->block_bytes, 0) == (ssize_t)r->layout->block_bytes) {
        r->direct = true;
        return NULL;
    }
    (void)!fcntl(r->fd, F_SETFL, flags);
    return "the device refuses O_DIRECT for blocks of this size";
}

/* Everything once, in order: it is in memory then, as far as it fits. */
static enum fb_err read_all(struct reader *r, const char **why)
{
    const uint64_t bytes = fb_segment_file_bytes(r->layout);
    enum fb_err err = FB_OK;
    for (uint64_t at = 0; !err && at < bytes; at += r->chunk_bytes)
        err = fb_read_at(r->fd, r->buffer,
                         bytes - at < r->chunk_bytes ? bytes - at : r->chunk_bytes, at, why);
    return err;
}

/* Data blocks in a random order; all of them before any comes again, and then cold again. */
static enum fb_err read_blocks(struct reader *r, bool *complete, const char **why)
{
    const struct fb_segment_layout *l = r->layout;
    const uint64_t n_blocks = l->n_segments * l->data_blocks, block = l->block_bytes;
    const struct fb_clock *clock = &fb_system_clock;
    const double most_ns = r->file->seconds > 0 ? r->file->seconds * 1e9 : INFINITY;
    const uint64_t started = clock->wall_ns(clock->self);
    uint64_t end = started;
    enum fb_err err = FB_OK;
    struct fb_permutation order;
    fb_permutation_init(&order, n_blocks, fb_stream_key(r->file->seed, FB_DOMAIN_DEVICE, 0));
    for (uint64_t i = 0;
         !err && *complete && i < r->file->reads && (double)(end - started) < most_ns; i++) {
        uint64_t offset = fb_segment_data_offset(l, fb_permute(&order, i % n_blocks));
        if (r->file->cold && !r->direct && i && i % n_blocks == 0)
            drop_from_cache(r);
        uint64_t start = clock->wall_ns(clock->self);
        err = fb_read_at(r->fd, r->buffer, block, offset, why);
        end = clock->wall_ns(clock->self);
        fb_histogram_add(r->histogram, (end - start) * 1000, 1);
        r->errors += !err && !fb_segment_part_valid(l, r->buffer, block, offset);
        if (r->file->progress)
            fb_progress_add(r->file->progress, FB_DEVICE_READ, "reading blocks");
        *complete = !fb_interrupted();
    }
    return err;
}

/* Bytes per second of reads much longer than a block, beyond what a block costs. */
static enum fb_err read_chunks(struct reader *r, double block_ns, const char **why)
{
    enum { CHUNKS = 31 };
    const struct fb_clock *clock = &fb_system_clock;
    const uint64_t n = fb_segment_file_bytes(r->layout) / r->chunk_bytes;
    enum fb_err err = FB_OK;
    double took[CHUNKS];
    struct fb_permutation order;
    fb_permutation_init(&order, n, fb_stream_key(r->file->seed, FB_DOMAIN_DEVICE, 0));
    for (size_t i = 0; !err && i < CHUNKS; i++) {
        if (r->file->cold && !r->direct && i % n == 0)
            drop_from_cache(r);
        uint64_t start = clock->wall_ns(clock->self);
        err = fb_read_at(r->fd, r->buffer, r->chunk_bytes,
                         fb_permute(&order, i % n) * r->chunk_bytes, why);
        took[i] = (double)(clock->wall_ns(clock->self) - start);
    }
    if (err)
        return err;
    double ns = fb_median(took, CHUNKS);
    r->bytes_per_s = (double)r->chunk_bytes / (ns > block_ns ? ns - block_ns : ns) * 1e9;
    return FB_OK;
}

/* The largest power of two of blocks, at most 1 MiB, that goes into the file. */
static uint64_t chunk_of(const struct fb_segment_layout *l)
{
    uint64_t chunk = l->block_bytes;
    while (chunk < 1 << 20 && 2 * chunk <= fb_segment_file_bytes(l))
        chunk *= 2;
    return chunk;
}

static enum fb_err read_file(struct reader *r, const char **direct_reason, bool *complete,
                             const char **why)
{
    const struct fb_segment_layout *l = r->layout;
    enum fb_err err = FB_OK;
    *direct_reason = "reads from memory were asked for";
    if (r->file->cold) {
        (void)!posix_fadvise(r->fd, 0, 0, POSIX_FADV_RANDOM);
        drop_from_cache(r);
        *direct_reason = go_direct(r);
    } else {
        err = read_all(r, why);
    }
    if (!err)
        err = fb_segments_open(r->fd, l, &r->errors, why);
    if (r->file->cold)
        drop_from_cache(r);
    r->resident = resident_share(r->fd, fb_segment_file_bytes(l));
    if (!err)
        err = read_blocks(r, complete, why);
    if (!err && *complete)
        err = read_chunks(r, r->histogram->sum_ps / (double)r->histogram->n / 1e3, why);
    if (!err && *complete && r->errors) {
        *why = "blocks came back other than they were written";
        err = FB_EIO;
    }
    return err;
}

/* ---- The report ---- */

static json_t *times_of(const struct fb_histogram *h)
{
    static const struct {
        const char *name;
        double q;
    } quantiles[] = {{"p50", .5}, {"p90", .9}, {"p99", .99}, {"p999", .999}};
    json_t *times = json_pack("{s:f}", "mean", h->sum_ps / (double)h->n / 1e3);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        json_object_set_new(times, quantiles[i].name,
                            json_real((double)fb_histogram_quantile(h, quantiles[i].q) / 1e3));
    json_object_set_new(times, "max", json_real((double)h->max_ps / 1e3));
    return times;
}

static json_t *report(const struct reader *r, double write_s, const char *direct_reason)
{
    const struct fb_segment_layout *l = r->layout;
    const char *cache = !r->file->cold ? "warm: the file was read once before"
                        : r->resident > 0.5
                            ? "in memory although it was dropped: nothing is cold here"
                        : r->direct ? "bypassed: O_DIRECT"
                                    : "dropped before every pass over the file; no read-ahead";
    json_t *about = json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:b, s:b, s:s, s:I, s:I, s:o, s:f}", "path",
        fb_json_text(r->file->path), "bytes", (json_int_t)fb_segment_file_bytes(l), "segments",
        (json_int_t)l->n_segments, "block_bytes", (json_int_t)l->block_bytes, "entries_per_block",
        (json_int_t)l->entries_per_block, "index_bytes",
        (json_int_t)(l->index_blocks * l->block_bytes), "filter_bytes",
        (json_int_t)(l->filter_blocks * l->block_bytes), "write_s", write_s, "cold", r->file->cold,
        "direct", r->direct, "page_cache", cache, "reads", (json_int_t)r->histogram->n,
        "checksum_errors", (json_int_t)r->errors, "read_ns", times_of(r->histogram), "bytes_per_s",
        r->bytes_per_s);
    fb_json_known(about, "filesystem", filesystem_of(r->fd), "statfs failed");
    fb_json_known(about, "resident", r->resident < 0 ? NULL : json_real(r->resident),
                  "mincore does not say");
    if (direct_reason)
        json_object_set_new(about, "direct_reason", json_string(direct_reason));
    return about;
}

enum fb_err fb_device_measure(const struct fb_device_file *file, struct fb_device *out,
                              json_t **about, bool *complete, const char **why)
{
    const struct fb_clock *clock = &fb_system_clock;
    struct fb_segment_layout layout;
    struct reader r = {.file = file, .layout = &layout, .fd = -1};
    const char *direct_reason = NULL;
    void *buffer = NULL;
    uint64_t started = 0;
    double write_s = 0;
    *why = NULL;
    *about = NULL;
    *complete = true;
    memset(out, 0, sizeof *out);
    enum fb_err err = fb_segment_layout_of(file, &layout, why);
    if (!err && file->reads == 0) {
        *why = "at least one read";
        err = FB_EINVAL;
    }
    if (!err) {
        r.chunk_bytes = chunk_of(&layout);
        r.histogram = calloc(1, sizeof *r.histogram);
        if (!r.histogram || posix_memalign(&buffer, PAGE, r.chunk_bytes))
            err = FB_ENOMEM;
        r.buffer = buffer;
    }
    if (!err)
        err = open_unnamed(file->path, &r.fd, why);
    if (!err)
        err = check_room(r.fd, fb_segment_file_bytes(&layout), why);
    if (!err) {
        started = clock->wall_ns(clock->self);
        err = fb_segments_write(r.fd, &layout, file->progress, complete, why);
    }
    if (!err && *complete && fdatasync(r.fd)) {
        *why = "the file could not be brought to the device";
        err = FB_EIO;
    }
    if (!err && *complete) {
        write_s = (double)(clock->wall_ns(clock->self) - started) / 1e9;
        err = read_file(&r, &direct_reason, complete, why);
    }
    if (!err && *complete) {
        *about = report(&r, write_s, direct_reason);
        struct fb_histogram *histogram = r.histogram;
        r.histogram = NULL;
        err = *about ? fb_device_of_histogram("measured", histogram, r.bytes_per_s, r.direct, out)
                     : FB_ENOMEM;
        if (!*about)
            free(histogram);
    }
    if (err) {
        json_decref(*about);
        *about = NULL;
    }
    if (r.fd >= 0)
        close(r.fd);
    free(r.histogram);
    free(buffer);
    return err;
}
