/*
 * A file of sorted segments as storage engines write them, for measuring what reads cost.
 *
 *     segment: data blocks | index | filter | footer      each padded to whole blocks
 *     part:    u64 XXH64 of the rest | u64 its number | u64 its length | what it holds | zeros
 *     data:    entries {u16 key bytes, u16 value bytes, key (8, big-endian, ascending), value}
 *     index:   {key of a block's first entry, u64 offset in the segment} per data block
 *     filter:  a rocksdb-fastlocal block over the segment's keys
 *     footer:  offsets of index and filter, and their lengths
 *
 * Integers are little-endian but for keys. A block's number is the part's place in the file in
 * blocks, so that a block read from elsewhere does not pass for the right one. Bytes depend on the
 * layout alone; values are random and do not compress.
 */
#ifndef FILTERBENCH_HARNESS_STORE_SEGMENT_FILE_H
#define FILTERBENCH_HARNESS_STORE_SEGMENT_FILE_H

#include "harness/store/device.h"

struct fb_segment_layout {
    uint64_t seed, block_bytes, entry_bytes, entries_per_block;
    uint64_t data_blocks;                 /* of a segment */
    uint64_t index_blocks, filter_blocks; /* behind them; then one of footer */
    uint64_t filter_bytes;                /* of the filter's own block */
    uint64_t segment_blocks, n_segments;
    double bits_per_key;
};

/* FB_EINVAL with *why set where the sizes make no segment. */
enum fb_err fb_segment_layout_of(const struct fb_device_file *, struct fb_segment_layout *out,
                                 const char **why) FB_MUST_USE;

static inline uint64_t fb_segment_file_bytes(const struct fb_segment_layout *l)
{
    return l->n_segments * l->segment_blocks * l->block_bytes;
}

/* Place in the file of one of a segment's blocks. */
static inline uint64_t fb_segment_offset(const struct fb_segment_layout *l, uint64_t segment,
                                         uint64_t block)
{
    return (segment * l->segment_blocks + block) * l->block_bytes;
}

/* Place in the file of data block i of all segments, i < n_segments * data_blocks. */
static inline uint64_t fb_segment_data_offset(const struct fb_segment_layout *l, uint64_t i)
{
    return fb_segment_offset(l, i / l->data_blocks, i % l->data_blocks);
}

/* A file that is open. */
struct fb_segment_file {
    struct fb_segment_layout layout;
    int fd;
    struct fb_progress *progress; /* counts bytes written; NULL: nobody looks */
    bool interrupted;             /* writing stopped before the end */
    const char *why;              /* of an error; static */
};

/* Writes all segments from offset 0. */
enum fb_err fb_segments_write(struct fb_segment_file *) FB_MUST_USE;

/* Whether a part that lies at `offset` is whole and in its place. */
bool fb_segment_part_valid(const struct fb_segment_layout *, const uint8_t *part, uint64_t n_bytes,
                           uint64_t offset);

/* What opening the files does: footer, index and filter of each segment are read, verified and
 * asked for the segment's first key. *errors counts the parts that fail. */
enum fb_err fb_segments_open(struct fb_segment_file *, uint64_t *errors) FB_MUST_USE;

/* The whole range or FB_EIO. Buffers for O_DIRECT are aligned to a page. */
enum fb_err fb_segment_read(struct fb_segment_file *, void *bytes, uint64_t n,
                            uint64_t offset) FB_MUST_USE;

#endif
