#define _GNU_SOURCE
#include "harness/store/segment_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filters/core/filter.h"
#include "harness/base/parallel.h"
#include "workloads/core/rng.h"

enum {
    HEADER = 24,
    KEY_BYTES = 8,
    ENTRY_HEAD = 4, /* two lengths */
    INDEX_ENTRY = 16,
    FOOTER = 40,
    FOOTER_MAGIC = 0x67657366,
    PAGE = 4096,
};

static const char *const DESIGN = "rocksdb-fastlocal";

static uint64_t n_entries(const struct fb_segment_layout *l)
{
    return l->data_blocks * l->entries_per_block;
}

/* The blocks of a segment with that many of data. */
static enum fb_err count_blocks(struct fb_segment_layout *l, uint64_t data_blocks, const char **why)
{
    const struct fb_design *design = fb_design_find(DESIGN);
    const struct fb_params params = {.bits_per_key = l->bits_per_key};
    struct fb_filter filter = {.design = design, .params = params};
    l->data_blocks = data_blocks;
    enum fb_err err = fb_design_plan(design, &params, n_entries(l), &filter.geom, why);
    if (err)
        return err;
    l->filter_bytes = design->formats->size(&filter);
    l->index_blocks = fb_divide_up(HEADER + data_blocks * INDEX_ENTRY, l->block_bytes);
    l->filter_blocks = fb_divide_up(HEADER + l->filter_bytes, l->block_bytes);
    l->segment_blocks = data_blocks + l->index_blocks + l->filter_blocks + 1;
    return FB_OK;
}

enum fb_err fb_segment_layout_of(const struct fb_device_file *file, struct fb_segment_layout *out,
                                 const char **why)
{
    enum { MIN_BLOCK = 512, MAX_BLOCK = 65536 };
    const uint64_t block = file->block_bytes;
    const bool entry_fits =
        file->entry_bytes >= KEY_BYTES + ENTRY_HEAD && file->entry_bytes <= (double)block - HEADER;
    *out = (struct fb_segment_layout){
        .seed = file->seed, .block_bytes = block, .bits_per_key = file->filter_bits_per_key};
    *why = block < MIN_BLOCK || block > MAX_BLOCK || (block & (block - 1))
               ? "a block is a power of two from 512 to 65536 bytes"
           : !entry_fits ? "an entry takes 12 bytes to a block less 24"
           : file->segment_bytes < 8 * block || file->segment_bytes > UINT64_C(1) << 32
               ? "a segment takes at least 8 blocks, and at most 4 GiB"
           : file->file_bytes > UINT64_C(1) << 56 ? "a file takes at most 2^56 bytes"
                                                  : NULL;
    if (*why)
        return FB_EINVAL;
    out->entry_bytes = (uint64_t)file->entry_bytes;
    out->entries_per_block = (block - HEADER) / out->entry_bytes;
    uint64_t low = 1, high = file->segment_bytes / block;
    enum fb_err err = count_blocks(out, low, why);
    if (!err && out->segment_blocks * block > file->segment_bytes) {
        *why = "a segment is too small for its filter";
        err = FB_EINVAL;
    }
    while (!err && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        err = count_blocks(out, middle, why);
        if (out->segment_blocks * block > file->segment_bytes)
            high = middle;
        else
            low = middle;
    }
    if (!err)
        err = count_blocks(out, low, why);
    out->n_segments = fb_max_u64(1, file->file_bytes / file->segment_bytes);
    return err;
}

/* ---- Parts ---- */

/* Seals a part of n_bytes, `used` of them behind the header. */
static void seal(const struct fb_segment_layout *l, uint8_t *part, uint64_t n_bytes, uint64_t used,
                 uint64_t offset)
{
    fb_put_le64(part + 8, offset / l->block_bytes);
    fb_put_le64(part + 16, used);
    memset(part + HEADER + used, 0, n_bytes - HEADER - used);
    fb_put_le64(part, fb_xxh64(part + 8, n_bytes - 8, 0));
}

bool fb_segment_part_valid(const struct fb_segment_layout *l, const uint8_t *part, uint64_t n_bytes,
                           uint64_t offset)
{
    return fb_le64(part) == fb_xxh64(part + 8, n_bytes - 8, 0) &&
           fb_le64(part + 8) == offset / l->block_bytes && fb_le64(part + 16) <= n_bytes - HEADER;
}

/* Entries first .. first + entries_per_block - 1 of the file. */
static void make_data(const struct fb_segment_layout *l, uint64_t first, uint64_t offset,
                      uint8_t *block)
{
    const uint64_t value_bytes = l->entry_bytes - KEY_BYTES - ENTRY_HEAD;
    const uint64_t stream = fb_stream_key(l->seed, FB_DOMAIN_DEVICE, 1 + first);
    uint8_t *at = block + HEADER;
    uint64_t words = 0;
    for (uint64_t i = 0; i < l->entries_per_block; i++, at += l->entry_bytes) {
        fb_put_le32(at, KEY_BYTES | (uint32_t)value_bytes << 16);
        fb_put_be64(at + ENTRY_HEAD, first + i);
        for (uint64_t j = 0; j < value_bytes; j += 8) {
            uint64_t word = fb_stream_word(stream, words++);
            memcpy(at + ENTRY_HEAD + KEY_BYTES + j, &word,
                   value_bytes - j < 8 ? value_bytes - j : 8);
        }
    }
    seal(l, block, l->block_bytes, l->entries_per_block * l->entry_bytes, offset);
}

/* ---- Writing ---- */

static enum fb_err refused(struct fb_segment_file *file)
{
    file->why = errno == ENOSPC   ? "no space left for the file"
                : errno == EDQUOT ? "the disk quota is used up"
                : errno == EFBIG  ? "larger than files may be here"
                                  : strerror(errno);
    return FB_EIO;
}

static enum fb_err write_at(struct fb_segment_file *file, const uint8_t *bytes, uint64_t n,
                            uint64_t offset)
{
    for (uint64_t done = 0; done < n;) {
        ssize_t written = pwrite(file->fd, bytes + done, n - done, (off_t)(offset + done));
        if (written < 0 && errno != EINTR)
            return refused(file);
        done += written > 0 ? (uint64_t)written : 0;
    }
    return FB_OK;
}

enum fb_err fb_segment_read(struct fb_segment_file *file, void *bytes, uint64_t n, uint64_t offset)
{
    for (uint64_t done = 0; done < n;) {
        ssize_t got = pread(file->fd, (uint8_t *)bytes + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno != EINTR)
            return refused(file);
        if (got == 0) {
            file->why = "the file ends before its last block";
            return FB_EIO;
        }
        done += got > 0 ? (uint64_t)got : 0;
    }
    return FB_OK;
}

/* Room for the largest part and for a batch of data blocks, and for the digests of a segment. */
struct writer {
    struct fb_segment_file *file;
    uint8_t *part, *batch;
    uint64_t batch_blocks;
    uint64_t *digests;
};

static enum fb_err write_data(const struct writer *w, uint64_t segment)
{
    struct fb_segment_file *file = w->file;
    const struct fb_segment_layout *l = &file->layout;
    enum fb_err err = FB_OK;
    for (uint64_t b = 0; !err && !file->interrupted && b < l->data_blocks; b += w->batch_blocks) {
        const uint64_t n = fb_min_u64(l->data_blocks - b, w->batch_blocks);
        const uint64_t offset = fb_segment_offset(l, segment, b);
        for (uint64_t i = 0; i < n; i++)
            make_data(l, (segment * l->data_blocks + b + i) * l->entries_per_block,
                      offset + i * l->block_bytes, w->batch + i * l->block_bytes);
        err = write_at(file, w->batch, n * l->block_bytes, offset);
        if (file->progress)
            fb_progress_add(file->progress, n * l->block_bytes, "writing segments");
        file->interrupted = fb_interrupted();
    }
    return err;
}

/* Seals the part, `used` bytes of it behind the header, and writes it behind `before` blocks. */
static enum fb_err write_part(const struct writer *w, uint64_t segment, uint64_t before,
                              uint64_t n_blocks, uint64_t used)
{
    const struct fb_segment_layout *l = &w->file->layout;
    const uint64_t offset = fb_segment_offset(l, segment, before);
    seal(l, w->part, n_blocks * l->block_bytes, used, offset);
    return write_at(w->file, w->part, n_blocks * l->block_bytes, offset);
}

static enum fb_err write_index(const struct writer *w, uint64_t segment)
{
    const struct fb_segment_layout *l = &w->file->layout;
    for (uint64_t b = 0; b < l->data_blocks; b++) {
        uint8_t *entry = w->part + HEADER + b * INDEX_ENTRY;
        fb_put_be64(entry, (segment * l->data_blocks + b) * l->entries_per_block);
        fb_put_le64(entry + 8, b * l->block_bytes);
    }
    return write_part(w, segment, l->data_blocks, l->index_blocks, l->data_blocks * INDEX_ENTRY);
}

static uint64_t digest_of(const struct fb_design *design, uint64_t entry)
{
    uint8_t key[KEY_BYTES];
    uint64_t digest;
    fb_put_be64(key, entry);
    design->digest(key, sizeof key, 1, &digest);
    return digest;
}

static enum fb_err write_filter(const struct writer *w, uint64_t segment)
{
    const struct fb_segment_layout *l = &w->file->layout;
    const struct fb_design *design = fb_design_find(DESIGN);
    const struct fb_params params = {.bits_per_key = l->bits_per_key};
    struct fb_filter filter;
    for (uint64_t i = 0; i < n_entries(l); i++)
        w->digests[i] = digest_of(design, segment * n_entries(l) + i);
    /* Two keys with one digest would leave fewer entries than were planned for: not among these. */
    enum fb_err err = fb_filter_build_digests(design, NULL, &params, w->digests, n_entries(l),
                                              &filter, &w->file->why);
    if (err)
        return err;
    design->formats->write(&filter, w->part + HEADER);
    fb_filter_close(&filter);
    return write_part(w, segment, l->data_blocks + l->index_blocks, l->filter_blocks,
                      l->filter_bytes);
}

static enum fb_err write_footer(const struct writer *w, uint64_t segment)
{
    const struct fb_segment_layout *l = &w->file->layout;
    const uint64_t fields[FOOTER / 8] = {
        FOOTER_MAGIC, l->data_blocks * l->block_bytes, l->data_blocks * INDEX_ENTRY,
        (l->data_blocks + l->index_blocks) * l->block_bytes, l->filter_bytes};
    for (size_t i = 0; i < FOOTER / 8; i++)
        fb_put_le64(w->part + HEADER + 8 * i, fields[i]);
    return write_part(w, segment, l->segment_blocks - 1, 1, FOOTER);
}

/* On a page, for O_DIRECT. */
static uint8_t *aligned(uint64_t bytes)
{
    void *memory;
    return posix_memalign(&memory, PAGE, bytes) ? NULL : memory;
}

static uint64_t part_bytes(const struct fb_segment_layout *l)
{
    return fb_max_u64(l->index_blocks, l->filter_blocks) * l->block_bytes;
}

enum fb_err fb_segments_write(struct fb_segment_file *file)
{
    enum { BATCH_BYTES = 1 << 20 };
    const struct fb_segment_layout *l = &file->layout;
    struct writer w = {.file = file, .batch_blocks = BATCH_BYTES / l->block_bytes};
    w.part = aligned(part_bytes(l));
    w.batch = aligned(w.batch_blocks * l->block_bytes);
    w.digests = calloc(n_entries(l), sizeof *w.digests);
    enum fb_err err = w.part && w.batch && w.digests ? FB_OK : FB_ENOMEM;
    for (uint64_t s = 0; !err && !file->interrupted && s < l->n_segments; s++) {
        err = write_data(&w, s);
        if (!err && !file->interrupted)
            err = write_index(&w, s);
        if (!err && !file->interrupted)
            err = write_filter(&w, s);
        if (!err && !file->interrupted)
            err = write_footer(&w, s);
    }
    free(w.part);
    free(w.batch);
    free(w.digests);
    return err;
}

/* ---- Opening ---- */

/* Reads the part behind `before` blocks. */
static enum fb_err read_part(struct fb_segment_file *file, uint64_t segment, uint64_t before,
                             uint64_t n_blocks, uint8_t *part, bool *valid)
{
    const struct fb_segment_layout *l = &file->layout;
    const uint64_t offset = fb_segment_offset(l, segment, before), n = n_blocks * l->block_bytes;
    enum fb_err err = fb_segment_read(file, part, n, offset);
    *valid = !err && fb_segment_part_valid(l, part, n, offset);
    return err;
}

/* Whether the filter, as its own reader has it, holds the segment's first key. */
static enum fb_err ask_filter(const struct fb_segment_layout *l, const uint8_t *part,
                              uint64_t segment, bool *holds)
{
    const struct fb_design *design = fb_design_find(DESIGN);
    const uint64_t digest = digest_of(design, segment * n_entries(l));
    struct fb_filter filter;
    const char *why;
    *holds = false;
    enum fb_err err =
        fb_filter_read(design, design->formats, part + HEADER, l->filter_bytes, &filter, &why);
    if (err)
        return err == FB_ENOMEM ? err : FB_OK;
    *holds = filter.kernel->query(&filter, &digest);
    fb_filter_close(&filter);
    return FB_OK;
}

enum fb_err fb_segments_open(struct fb_segment_file *file, uint64_t *errors)
{
    const struct fb_segment_layout *l = &file->layout;
    const uint64_t before_filter = l->data_blocks + l->index_blocks;
    uint8_t *part = aligned(part_bytes(l));
    enum fb_err err = part ? FB_OK : FB_ENOMEM;
    *errors = 0;
    for (uint64_t s = 0; !err && s < l->n_segments; s++) {
        bool footer = false, index = false, filter = false, holds = false;
        err = read_part(file, s, l->segment_blocks - 1, 1, part, &footer);
        if (!err)
            err = read_part(file, s, l->data_blocks, l->index_blocks, part, &index);
        if (!err)
            err = read_part(file, s, before_filter, l->filter_blocks, part, &filter);
        if (!err && filter)
            err = ask_filter(l, part, s, &holds);
        *errors += !footer + (uint64_t)!index + !(filter && holds);
    }
    free(part);
    return err;
}
