/* The filter block of a LevelDB table, made of the leveldb design's filters and compared with one
 * that LevelDB wrote: the filters of an SST are per 2 KiB of data, not per file. */
#include "tests/unit.h"

#include "filters/core/filter.h"
#include "tests/golden.h"
#include "tests/sha256.h"

enum { LOG2_WINDOW = 11, MAX_BLOCK = 1 << 16 };

struct filter_block {
    uint8_t bytes[MAX_BLOCK];
    size_t n_bytes;
    uint32_t offset[1024]; /* of each window's filter */
    size_t n_windows;
};

/* Ends the current window: its filter, of keys first..first + n - 1; no keys, no bytes. */
static void end_window(struct filter_block *block, const struct fb_keys *keys, size_t first,
                       size_t n, double bits_per_key)
{
    const struct fb_design *design = fb_design_find("leveldb");
    const struct fb_params params = {.bits_per_key = bits_per_key};
    const struct fb_keys window = {.bytes = keys->bytes, .offset = keys->offset + first, .n = n};
    struct fb_filter filter;
    const char *why;
    block->offset[block->n_windows++] = (uint32_t)block->n_bytes;
    if (n == 0)
        return;
    assert_int_equal(fb_filter_build(design, NULL, &params, &window, &filter, &why), FB_OK);
    assert_int_equal(fb_filter_write(&filter, design->formats, block->bytes + block->n_bytes, &why),
                     FB_OK);
    block->n_bytes += (size_t)design->formats->size(&filter);
    fb_filter_close(&filter);
}

static void append_le32(struct filter_block *block, uint32_t word)
{
    fb_put_le32(block->bytes + block->n_bytes, word);
    block->n_bytes += 4;
}

static void filter_block_of_a_table(void **state)
{
    (void)state;
    static struct filter_block block;
    json_t *document = golden_load("leveldb_table_filter_block"), *data_block;
    size_t n = (size_t)json_integer_value(json_object_get(document, "n"));
    uint64_t base = (uint64_t)json_integer_value(json_object_get(document, "base"));
    double bits = (double)json_integer_value(json_object_get(document, "bits_per_key"));
    struct fb_keyset keys = golden_keys("seq", base, n, false);
    size_t i, first = 0, pending = 0;
    json_array_foreach(json_object_get(document, "data_blocks"), i, data_block) {
        size_t at = (size_t)json_integer_value(json_object_get(data_block, "offset"));
        while (block.n_windows < at >> LOG2_WINDOW) {
            end_window(&block, &keys.keys, first, pending, bits);
            first += pending;
            pending = 0;
        }
        pending += (size_t)json_integer_value(json_object_get(data_block, "keys"));
    }
    end_window(&block, &keys.keys, first, pending, bits);
    assert_int_equal(first + pending, n);

    size_t n_filter_bytes = block.n_bytes;
    for (i = 0; i < block.n_windows; i++)
        append_le32(&block, block.offset[i]);
    append_le32(&block, (uint32_t)n_filter_bytes);
    block.bytes[block.n_bytes++] = LOG2_WINDOW;

    char sha[65], *hex = golden_hex(block.bytes, block.n_bytes);
    assert_int_equal(block.n_bytes,
                     json_integer_value(json_object_get(document, "filter_block_len")));
    assert_string_equal(hex, json_string_value(json_object_get(document, "filter_block_hex")));
    sha256_hex(block.bytes, block.n_bytes, sha);
    assert_string_equal(sha, json_string_value(json_object_get(document, "filter_block_sha256")));
    free(hex);
    fb_keyset_close(&keys);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(filter_block_of_a_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
