/* Files of segments, written and read back block by block. */
#include "tests/store/tiny_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "filters/core/filter.h"
#include "harness/store/segment_file.h"

static struct fb_segment_file write_tiny(void)
{
    const char *why;
    struct fb_segment_file file = {.fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600)};
    assert_true(file.fd >= 0);
    unlink(path);
    assert_int_equal(fb_segment_layout_of(&tiny, &file.layout, &why), FB_OK);
    assert_int_equal(fb_segments_write(&file), FB_OK);
    assert_false(file.interrupted);
    return file;
}

/* Every block in order: entries ascend through the file, their keys are in the segment's filter,
 * and no more than the file was asked for is written. */
TEST(entries_are_sorted)
{
    struct fb_filter filter;
    struct stat about;
    const char *why;
    uint8_t block[1024], part[65536];
    uint64_t expected = 0, errors;
    const struct fb_design *design = fb_design_find("rocksdb-fastlocal");
    struct fb_segment_file file = write_tiny();
    const struct fb_segment_layout l = file.layout;
    assert_int_equal(fstat(file.fd, &about), 0);
    assert_int_equal(about.st_size, fb_segment_file_bytes(&l));
    assert_true(l.n_segments == 2 && l.segment_blocks <= 64 && l.segment_blocks >= 63);
    assert_int_equal(l.entries_per_block, 10);
    assert_int_equal(fb_segments_open(&file, &errors), FB_OK);
    assert_int_equal(errors, 0);
    for (uint64_t i = 0; i < l.n_segments * l.data_blocks; i++) {
        uint64_t offset = fb_segment_data_offset(&l, i);
        if (i % l.data_blocks == 0) {
            uint64_t at = offset + (l.data_blocks + l.index_blocks) * l.block_bytes;
            assert_int_equal(fb_segment_read(&file, part, l.filter_blocks * l.block_bytes, at),
                             FB_OK);
            assert_int_equal(
                fb_filter_read(design, design->formats, part + 24, l.filter_bytes, &filter, &why),
                FB_OK);
        }
        assert_int_equal(fb_segment_read(&file, block, l.block_bytes, offset), FB_OK);
        assert_true(fb_segment_part_valid(&l, block, l.block_bytes, offset));
        for (uint64_t e = 0; e < l.entries_per_block; e++) {
            const uint8_t *entry = block + 24 + e * 100;
            uint64_t digest;
            assert_int_equal(fb_le32(entry), 8 | 88u << 16);
            assert_int_equal(fb_be64(entry + 4), expected++);
            design->digest(entry + 4, 8, 1, &digest);
            assert_true(filter.kernel->query(&filter, &digest));
        }
        if (i % l.data_blocks == l.data_blocks - 1)
            fb_filter_close(&filter);
    }
    close(file.fd);
}

/* The index has the first key and the offset of each block; the footer, where its parts are. */
TEST(index_and_footer)
{
    uint8_t part[65536];
    struct fb_segment_file file = write_tiny();
    const struct fb_segment_layout l = file.layout;
    for (uint64_t segment = 0; segment < l.n_segments; segment++) {
        const uint64_t start = fb_segment_data_offset(&l, segment * l.data_blocks);
        const uint64_t index = l.data_blocks * l.block_bytes;
        const uint64_t filter = index + l.index_blocks * l.block_bytes;
        const uint64_t footer = filter + l.filter_blocks * l.block_bytes;
        assert_int_equal(
            fb_segment_read(&file, part, l.index_blocks * l.block_bytes, start + index), FB_OK);
        for (uint64_t b = 0; b < l.data_blocks; b++) {
            const uint8_t *entry = part + 24 + 16 * b;
            assert_int_equal(fb_be64(entry), (segment * l.data_blocks + b) * 10);
            assert_int_equal(fb_le64(entry + 8), b * l.block_bytes);
        }
        assert_int_equal(fb_segment_read(&file, part, l.block_bytes, start + footer), FB_OK);
        assert_int_equal(fb_le64(part + 32), index);
        assert_int_equal(fb_le64(part + 40), l.data_blocks * 16);
        assert_int_equal(fb_le64(part + 48), filter);
        assert_int_equal(fb_le64(part + 56), l.filter_bytes);
    }
    close(file.fd);
}

static void flip(int fd, uint64_t offset)
{
    uint8_t byte;
    assert_int_equal(pread(fd, &byte, 1, (off_t)offset), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)offset), 1);
}

TEST(damage_is_seen)
{
    uint8_t block[1024];
    uint64_t errors;
    struct fb_segment_file file = write_tiny();
    const struct fb_segment_layout l = file.layout;
    const uint64_t data = fb_segment_data_offset(&l, 5), index = l.data_blocks * l.block_bytes,
                   filter = index + l.index_blocks * l.block_bytes,
                   footer = filter + l.filter_blocks * l.block_bytes;
    /* The checksum, the header, an entry, and the padding at the end. */
    const uint64_t places[] = {0, 9, 30, 1023};
    for (size_t i = 0; i < 4; i++) {
        flip(file.fd, data + places[i]);
        assert_int_equal(fb_segment_read(&file, block, l.block_bytes, data), FB_OK);
        assert_false(fb_segment_part_valid(&l, block, l.block_bytes, data));
        flip(file.fd, data + places[i]);
    }
    assert_int_equal(fb_segment_read(&file, block, l.block_bytes, data), FB_OK);
    assert_true(fb_segment_part_valid(&l, block, l.block_bytes, data));
    assert_false(fb_segment_part_valid(&l, block, l.block_bytes, data + l.block_bytes));
    const uint64_t parts[] = {index, filter, footer};
    for (size_t i = 0; i < 3; i++) {
        flip(file.fd, parts[i] + 40);
        assert_int_equal(fb_segments_open(&file, &errors), FB_OK);
        assert_int_equal(errors, 1);
        flip(file.fd, parts[i] + 40);
    }
    /* Whole, but of other keys: no bit is set. */
    const uint64_t n = l.filter_blocks * l.block_bytes;
    auto_free uint8_t *part = malloc(n);
    assert_int_equal(fb_segment_read(&file, part, n, filter), FB_OK);
    memset(part + 24, 0, l.filter_bytes - 5); /* the last are its format */
    fb_put_le64(part, fb_xxh64(part + 8, n - 8, 0));
    assert_int_equal(pwrite(file.fd, part, n, (off_t)filter), n);
    assert_int_equal(fb_segments_open(&file, &errors), FB_OK);
    assert_int_equal(errors, 1);
    assert_int_equal(ftruncate(file.fd, (off_t)footer), 0);
    assert_int_equal(fb_segments_open(&file, &errors), FB_EIO);
    close(file.fd);
}

TESTS(make_folder, remove_folder)
