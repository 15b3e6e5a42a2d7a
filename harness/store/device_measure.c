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

static bool folder_exists(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path)) : NULL;
    const bool exists = !slash || (folder && !access(folder, F_OK));
    free(folder);
    return exists;
}

/* Makes a file and takes its name away at once: whatever ends the process, nothing stays. */
static enum fb_err open_unnamed(const char *path, int *fd, const char **why)
{
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (*fd >= 0) {
        (void)!unlink(path);
        return FB_OK;
    }
    const int cause = errno;
    const bool is_there = cause == ENOENT && folder_exists(path); /* /proc takes no files */
    *why = cause == EEXIST                     ? "exists already, and is not overwritten"
           : is_there                          ? "no file can be made in this folder"
           : cause == ENOENT                   ? "this folder does not exist"
           : cause == ENOTDIR                  ? "this is no folder"
           : cause == EACCES || cause == EPERM ? "this folder may not be written"
           : cause == EROFS                    ? "its file system is read-only"
                                               : strerror(cause);
    return cause == EEXIST ? FB_EINVAL : FB_EIO;
}

static enum fb_err check_room(struct fb_segment_file *file)
{
    struct statvfs about;
    if (fstatvfs(file->fd, &about) ||
        fb_segment_file_bytes(&file->layout) / about.f_frsize < about.f_bavail)
        return FB_OK;
    file->why = "not enough space left for the file";
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
    size_t pages = fb_divide_up(bytes, PAGE), present = 0;
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
    const struct fb_device_file *spec;
    struct fb_segment_file file;
    double write_s;
    uint8_t *buffer; /* [chunk_bytes], on a page, owned */
    uint64_t chunk_bytes;
    bool direct;
    const char *direct_reason; /* where it is false */
    double resident, bytes_per_s;
    uint64_t errors;
    struct fb_histogram *histogram; /* owned */
};

static void drop_from_cache(const struct reader *r)
{
    (void)!posix_fadvise(r->file.fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* NULL, or why reads go through the page cache. */
static const char *go_direct(struct reader *r)
{
    const uint64_t block = r->file.layout.block_bytes;
    int flags = fcntl(r->file.fd, F_GETFL);
    if (flags < 0 || fcntl(r->file.fd, F_SETFL, flags | O_DIRECT))
        return "the file system refuses O_DIRECT";
    if (pread(r->file.fd, r->buffer, block, 0) == (ssize_t)block) {
        r->direct = true;
        return NULL;
    }
    (void)!fcntl(r->file.fd, F_SETFL, flags);
    return "the device refuses O_DIRECT for blocks of this size";
}

/* Read number i of a random order over n places; before the first of every pass over them what was
 * read is made cold again. */
static enum fb_err read_timed(struct reader *r, uint64_t i, uint64_t n, uint64_t bytes,
                              uint64_t offset, uint64_t *ns)
{
    const struct fb_clock *clock = &fb_system_clock;
    if (!r->direct && i % n == 0)
        drop_from_cache(r);
    const uint64_t start = clock->wall_ns(clock->self);
    enum fb_err err = fb_segment_read(&r->file, r->buffer, bytes, offset);
    *ns = clock->wall_ns(clock->self) - start;
    return err;
}

/* Data blocks; all of them before any comes again. */
static enum fb_err read_blocks(struct reader *r)
{
    const struct fb_segment_layout *l = &r->file.layout;
    const uint64_t n = l->n_segments * l->data_blocks, block = l->block_bytes;
    const double most_s = r->spec->seconds > 0 ? r->spec->seconds : INFINITY,
                 started = fb_seconds();
    enum fb_err err = FB_OK;
    struct fb_permutation order;
    fb_permutation_init(&order, n, fb_stream_key(r->spec->seed, FB_DOMAIN_DEVICE, 0));
    for (uint64_t i = 0, ns;
         !err && !r->file.interrupted && i < r->spec->reads && fb_seconds() - started < most_s;
         i++) {
        const uint64_t offset = fb_segment_data_offset(l, fb_permute(&order, i % n));
        err = read_timed(r, i, n, block, offset, &ns);
        fb_histogram_add(r->histogram, ns * 1000, 1);
        r->errors += !err && !fb_segment_part_valid(l, r->buffer, block, offset);
        if (r->spec->progress)
            fb_progress_add(r->spec->progress, FB_DEVICE_READ, "reading blocks");
        r->file.interrupted = fb_interrupted();
    }
    return err;
}

/* Bytes per second of reads much longer than a block, beyond what a block costs. */
static enum fb_err read_chunks(struct reader *r)
{
    enum { CHUNKS = 31 };
    const double block_ns = r->histogram->sum_ps / (double)r->histogram->n / 1e3;
    const uint64_t n = fb_segment_file_bytes(&r->file.layout) / r->chunk_bytes;
    enum fb_err err = FB_OK;
    double took[CHUNKS];
    struct fb_permutation order;
    fb_permutation_init(&order, n, fb_stream_key(r->spec->seed, FB_DOMAIN_DEVICE, 0));
    for (uint64_t i = 0, ns = 0; !err && i < CHUNKS; i++) {
        err = read_timed(r, i, n, r->chunk_bytes, fb_permute(&order, i % n) * r->chunk_bytes, &ns);
        took[i] = (double)ns;
    }
    if (err)
        return err;
    double ns = fb_median(took, CHUNKS);
    r->bytes_per_s = (double)r->chunk_bytes / (ns > block_ns ? ns - block_ns : ns) * 1e9;
    return FB_OK;
}

static enum fb_err read_file(struct reader *r)
{
    (void)!posix_fadvise(r->file.fd, 0, 0, POSIX_FADV_RANDOM);
    drop_from_cache(r);
    r->direct_reason = go_direct(r);
    enum fb_err err = fb_segments_open(&r->file, &r->errors);
    drop_from_cache(r);
    r->resident = resident_share(r->file.fd, fb_segment_file_bytes(&r->file.layout));
    if (!err)
        err = read_blocks(r);
    if (!err && !r->file.interrupted)
        err = read_chunks(r);
    if (!err && r->errors) {
        r->file.why = "blocks came back other than they were written";
        err = FB_EIO;
    }
    return err;
}

/* ---- Everything ---- */

/* The largest power of two of blocks, at most 1 MiB, that goes into the file. */
static uint64_t chunk_of(const struct fb_segment_layout *l)
{
    uint64_t chunk = l->block_bytes;
    while (chunk < 1 << 20 && 2 * chunk <= fb_segment_file_bytes(l))
        chunk *= 2;
    return chunk;
}

/* An empty file with room for what goes in, and the memory to read it. */
static enum fb_err prepare(struct reader *r)
{
    struct fb_segment_file *file = &r->file;
    void *buffer = NULL;
    enum fb_err err = fb_segment_layout_of(r->spec, &file->layout, &file->why);
    if (!err && !r->spec->reads) {
        file->why = "at least one read";
        err = FB_EINVAL;
    }
    if (err)
        return err;
    r->chunk_bytes = chunk_of(&file->layout);
    r->histogram = calloc(1, sizeof *r->histogram);
    if (!r->histogram || posix_memalign(&buffer, PAGE, r->chunk_bytes))
        return FB_ENOMEM;
    r->buffer = buffer;
    err = open_unnamed(r->spec->path, &file->fd, &file->why);
    return err ? err : check_room(file);
}

static enum fb_err write_file(struct reader *r)
{
    const double started = fb_seconds();
    enum fb_err err = fb_segments_write(&r->file);
    if (!err && !r->file.interrupted && fdatasync(r->file.fd)) {
        r->file.why = "the file could not be brought to the device";
        err = FB_EIO;
    }
    r->write_s = fb_seconds() - started;
    return err;
}

static json_t *report(const struct reader *r)
{
    const struct fb_segment_layout *l = &r->file.layout;
    const char *cache = r->resident > 0.5
                            ? "in memory although it was dropped: nothing is cold here"
                        : r->direct ? "bypassed: O_DIRECT"
                                    : "dropped before every pass over the file; no read-ahead";
    json_t *about =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:b, s:b, s:s, s:o, s:o}", "bytes",
                  fb_json_int(fb_segment_file_bytes(l)), "segments", fb_json_int(l->n_segments),
                  "block_bytes", fb_json_int(l->block_bytes), "entries_per_block",
                  fb_json_int(l->entries_per_block), "index_bytes",
                  fb_json_int(l->index_blocks * l->block_bytes), "filter_bytes",
                  fb_json_int(l->filter_blocks * l->block_bytes), "write_s", r->write_s, "cold", 1,
                  "direct", r->direct, "page_cache", cache, "reads", fb_json_int(r->histogram->n),
                  "checksum_errors", fb_json_int(r->errors));
    fb_json_known(about, "filesystem", filesystem_of(r->file.fd), "statfs failed");
    fb_json_known(about, "resident", r->resident < 0 ? NULL : json_real(r->resident),
                  "mincore does not say");
    if (r->direct_reason)
        json_object_set_new(about, "direct_reason", json_string(r->direct_reason));
    return about;
}

enum fb_err fb_device_measure(const struct fb_device_file *spec, struct fb_device *out,
                              json_t **about, bool *complete, const char **why)
{
    struct reader r = {.spec = spec, .file = {.fd = -1, .progress = spec->progress}};
    memset(out, 0, sizeof *out);
    *about = NULL;
    enum fb_err err = prepare(&r);
    if (!err)
        err = write_file(&r);
    if (!err && !r.file.interrupted)
        err = read_file(&r);
    *complete = !r.file.interrupted;
    *why = r.file.why;
    if (!err && *complete) {
        *about = report(&r);
        err = fb_device_of_histogram(r.histogram, r.bytes_per_s, r.direct, out);
        r.histogram = NULL;
    }
    if (err) {
        json_decref(*about);
        *about = NULL;
    }
    if (r.file.fd >= 0)
        close(r.file.fd);
    free(r.histogram);
    free(r.buffer);
    return err;
}
