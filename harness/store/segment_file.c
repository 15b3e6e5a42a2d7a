#define _GNU_SOURCE
#include "harness/store/segment_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/base/parallel.h"
#include "harness/measure/processes.h"
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

/* Seals a part of n_blocks that lies at `offset` of the file, `used` bytes of it behind the header.
 */
static void seal(const struct fb_segment_layout *l, uint8_t *part, uint64_t n_blocks, uint64_t used,
                 uint64_t offset)
{
    const uint64_t n_bytes = n_blocks * l->block_bytes;
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
    seal(l, block, 1, l->entries_per_block * l->entry_bytes, offset);
}

static uint64_t digest_of(const struct fb_design *design, uint64_t entry)
{
    uint8_t key[KEY_BYTES];
    uint64_t digest;
    fb_put_be64(key, entry);
    design->digest(key, sizeof key, 1, &digest);
    return digest;
}

/* The filter's own block; digests [n_entries] is scratch. */
static enum fb_err make_filter(struct fb_segment_file *file, uint64_t segment, uint64_t *digests,
                               uint8_t *block)
{
    const struct fb_segment_layout *l = &file->layout;
    const struct fb_design *design = fb_design_find(DESIGN);
    const struct fb_params params = {.bits_per_key = l->bits_per_key};
    struct fb_filter filter;
    for (uint64_t i = 0; i < n_entries(l); i++)
        digests[i] = digest_of(design, segment * n_entries(l) + i);
    /* Two keys with one digest would leave fewer entries than were planned for: not among these. */
    enum fb_err err =
        fb_filter_build_digests(design, NULL, &params, digests, n_entries(l), &filter, &file->why);
    if (!err)
        err = fb_filter_write(&filter, design->formats, block, &file->why);
    fb_filter_close(&filter);
    return err;
}

/* The parts of a segment that lie behind its data, from byte `index` of it on. */
struct tail {
    uint64_t index, filter, footer, end;
};

static struct tail tail_of(const struct fb_segment_layout *l)
{
    struct tail t = {.index = l->data_blocks * l->block_bytes};
    t.filter = t.index + l->index_blocks * l->block_bytes;
    t.footer = t.filter + l->filter_blocks * l->block_bytes;
    t.end = t.footer + l->block_bytes;
    return t;
}

/* On a page, for O_DIRECT. */
static uint8_t *aligned(uint64_t bytes)
{
    void *memory;
    return posix_memalign(&memory, PAGE, bytes) ? NULL : memory;
}

/* ---- Writing ---- */

static enum fb_err make_segment(struct fb_segment_file *file, uint64_t segment, uint64_t *digests,
                                uint8_t *bytes)
{
    const struct fb_segment_layout *l = &file->layout;
    const struct tail t = tail_of(l);
    const uint64_t start = fb_segment_offset(l, segment, 0);
    const uint64_t fields[FOOTER / 8] = {FOOTER_MAGIC, t.index, l->data_blocks * INDEX_ENTRY,
                                         t.filter, l->filter_bytes};
    for (uint64_t b = 0; b < l->data_blocks; b++) {
        const uint64_t first = (segment * l->data_blocks + b) * l->entries_per_block;
        const uint64_t at = b * l->block_bytes;
        uint8_t *entry = bytes + t.index + HEADER + b * INDEX_ENTRY;
        make_data(l, first, start + at, bytes + at);
        fb_put_be64(entry, first);
        fb_put_le64(entry + 8, at);
    }
    for (size_t i = 0; i < FOOTER / 8; i++)
        fb_put_le64(bytes + t.footer + HEADER + 8 * i, fields[i]);
    enum fb_err err = make_filter(file, segment, digests, bytes + t.filter + HEADER);
    seal(l, bytes + t.index, l->index_blocks, l->data_blocks * INDEX_ENTRY, start + t.index);
    seal(l, bytes + t.filter, l->filter_blocks, l->filter_bytes, start + t.filter);
    seal(l, bytes + t.footer, 1, FOOTER, start + t.footer);
    return err;
}

static enum fb_err refused(struct fb_segment_file *file)
{
    file->why = errno ? strerror(errno) : "the file ends before its last block";
    return FB_EIO;
}

enum fb_err fb_segments_write(struct fb_segment_file *file)
{
    const struct fb_segment_layout *l = &file->layout;
    const uint64_t n_bytes = l->segment_blocks * l->block_bytes;
    uint8_t *bytes = aligned(n_bytes);
    uint64_t *digests = calloc(n_entries(l), sizeof *digests);
    enum fb_err err = bytes && digests ? FB_OK : FB_ENOMEM;
    for (uint64_t s = 0; !err && !file->interrupted && s < l->n_segments; s++) {
        err = make_segment(file, s, digests, bytes);
        const bool written = !err && fb_transfer_out(file->fd, bytes, n_bytes);
        file->interrupted = fb_interrupted();
        if (!err && !written && !file->interrupted)
            err = refused(file);
        if (file->progress)
            fb_progress_add(file->progress, n_bytes, "writing segments");
    }
    free(bytes);
    free(digests);
    return err;
}

/* ---- Reading ---- */

enum fb_err fb_segment_read(struct fb_segment_file *file, void *bytes, uint64_t n, uint64_t offset)
{
    errno = 0;
    return fb_transfer_at(file->fd, bytes, n, offset) ? FB_OK : refused(file);
}

/* Whether the filter, as its own reader has it, holds the segment's first key. */
static enum fb_err ask_filter(const struct fb_segment_layout *l, const uint8_t *block,
                              uint64_t segment, bool *holds)
{
    const struct fb_design *design = fb_design_find(DESIGN);
    const uint64_t digest = digest_of(design, segment * n_entries(l));
    struct fb_filter filter;
    const char *why;
    *holds = false;
    enum fb_err err =
        fb_filter_read(design, design->formats, block, l->filter_bytes, &filter, &why);
    if (err)
        return err == FB_ENOMEM ? err : FB_OK;
    *holds = filter.kernel->query(&filter, &digest);
    fb_filter_close(&filter);
    return FB_OK;
}

enum fb_err fb_segments_open(struct fb_segment_file *file, uint64_t *errors)
{
    const struct fb_segment_layout *l = &file->layout;
    const struct tail t = tail_of(l);
    const uint64_t parts[] = {t.index, t.filter, t.footer, t.end};
    uint8_t *tail = aligned(t.end - t.index);
    enum fb_err err = tail ? FB_OK : FB_ENOMEM;
    *errors = 0;
    for (uint64_t s = 0; !err && s < l->n_segments; s++) {
        const uint64_t start = fb_segment_offset(l, s, 0);
        bool valid[3] = {false}, holds = false;
        err = fb_segment_read(file, tail, t.end - t.index, start + t.index);
        for (size_t i = 0; !err && i < 3; i++)
            valid[i] = fb_segment_part_valid(l, tail + parts[i] - t.index, parts[i + 1] - parts[i],
                                             start + parts[i]);
        if (!err && valid[1])
            err = ask_filter(l, tail + t.filter - t.index + HEADER, s, &holds);
        *errors += !valid[0] + (uint64_t) !(valid[1] && holds) + !valid[2];
    }
    free(tail);
    return err;
}
