/* The filter block of a LevelDB table, compared with one that LevelDB wrote: the filters of an SST
 * are per 2 KiB of data, not per file. */
#include "tests/unit.h"

#include "harness/tree/table_block.h"
#include "tests/golden.h"
#include "tests/sha256.h"

enum { MOST_DATA_BLOCKS = 64 };

struct table {
    json_t *document;
    struct fb_keyset keys;
    struct fb_data_block data[MOST_DATA_BLOCKS];
    size_t n_data, len;
    uint8_t *block;
};

static enum fb_err build(struct table *t, const char **why)
{
    const struct fb_params params = {
        .bits_per_key = (double)json_integer_value(json_object_get(t->document, "bits_per_key"))};
    return fb_table_block_build(fb_design_find("leveldb"), NULL, &params, &t->keys.keys, t->data,
                                t->n_data, &t->block, &t->len, why);
}

static int open_table(void **state)
{
    struct table *t = calloc(1, sizeof *t);
    const char *why;
    json_t *data_block;
    size_t i;
    t->document = golden_load("leveldb_table_filter_block");
    t->keys = golden_keys("seq", (uint64_t)json_integer_value(json_object_get(t->document, "base")),
                          (size_t)json_integer_value(json_object_get(t->document, "n")), false);
    json_array_foreach(json_object_get(t->document, "data_blocks"), i, data_block) {
        struct fb_data_block *to = &t->data[t->n_data++];
        to->offset = (uint64_t)json_integer_value(json_object_get(data_block, "offset"));
        to->n_keys = (uint64_t)json_integer_value(json_object_get(data_block, "keys"));
    }
    assert_int_equal(build(t, &why), FB_OK);
    *state = t;
    return 0;
}

static int close_table(void **state)
{
    auto_free struct table *t = *state;
    fb_keyset_close(&t->keys);
    json_decref(t->document);
    free(t->block);
    return 0;
}

TEST(filter_block_of_a_table)
{
    const struct table *t = *state;
    char sha[65], *hex = golden_hex(t->block, t->len);
    assert_int_equal(t->len, json_integer_value(json_object_get(t->document, "filter_block_len")));
    assert_string_equal(hex, json_string_value(json_object_get(t->document, "filter_block_hex")));
    sha256_hex(t->block, t->len, sha);
    assert_string_equal(sha,
                        json_string_value(json_object_get(t->document, "filter_block_sha256")));
    free(hex);
}

/* Every key is in the filter of its data block; between data blocks' starts there is none. */
TEST(keys_are_found_where_they_are)
{
    const struct table *t = *state;
    const struct fb_design *leveldb = fb_design_find("leveldb");
    const uint8_t *bytes;
    const char *why;
    size_t len, first = 0, foreign = 0, asked = 0;
    for (size_t i = 0; i < t->n_data; i++) {
        closed_by(fb_filter_close) struct fb_filter filter;
        assert_int_equal(fb_table_block_find(t->block, t->len, t->data[i].offset, &bytes, &len),
                         FB_TABLE_FILTER);
        assert_int_equal(fb_filter_read(leveldb, leveldb->formats, bytes, len, &filter, &why),
                         FB_OK);
        for (size_t k = 0; k < t->keys.keys.n; k++) {
            const bool maybe =
                fb_filter_maybe(&filter, fb_key_at(&t->keys.keys, k), fb_key_len(&t->keys.keys, k));
            const bool there = k >= first && k < first + t->data[i].n_keys;
            assert_true(maybe || !there);
            foreign += maybe && !there;
            asked += !there;
        }
        first += t->data[i].n_keys;
    }
    assert_true(foreign < asked / 30); /* some 1 % */
    assert_int_equal(fb_table_block_find(t->block, t->len, 2048, &bytes, &len), FB_TABLE_NO);
    assert_int_equal(fb_table_block_find(t->block, t->len, 1 << 20, &bytes, &len), FB_TABLE_MAYBE);
}

TEST(a_table_is_told_from_a_filter)
{
    const struct table *t = *state;
    const uint8_t *filter;
    size_t len;
    auto_free uint8_t *other = malloc(t->len);
    assert_true(fb_table_block_is_one(t->block, t->len));
    for (size_t cut = 0; cut < t->len; cut++)
        assert_false(fb_table_block_is_one(t->block, cut));
    assert_int_equal(fb_table_block_find(t->block, t->len, 0, &filter, &len), FB_TABLE_FILTER);
    assert_false(fb_table_block_is_one(filter, len));
    memcpy(other, t->block, t->len);
    other[t->len - 1 - 8] ^= 0x80; /* of the last offset: beyond where the offsets start */
    other[t->len - 1 - 6] ^= 0x80;
    assert_false(fb_table_block_is_one(other, t->len));
}

/* Any bytes are a block: what LevelDB cannot use lets every key through. */
TEST(broken_blocks_let_all_through)
{
    const struct table *t = *state;
    const uint8_t *bytes;
    size_t len;
    auto_free uint8_t *broken = malloc(t->len);
    for (size_t cut = 0; cut < 5; cut++)
        assert_int_equal(fb_table_block_find(t->block, cut, 0, &bytes, &len), FB_TABLE_MAYBE);
    for (size_t cut = 5; cut < t->len; cut++) /* bounds are the sanitizer's to check */
        if (fb_table_block_find(t->block, cut, 4104, &bytes, &len) == FB_TABLE_FILTER)
            assert_true(bytes >= t->block && bytes + len <= t->block + cut);
    memcpy(broken, t->block, t->len);
    memset(broken + t->len - 5, 0xff, 4);
    assert_int_equal(fb_table_block_find(broken, t->len, 0, &bytes, &len), FB_TABLE_MAYBE);
    memcpy(broken, t->block, t->len);
    broken[t->len - 1] = 200;
    assert_int_equal(fb_table_block_find(broken, t->len, UINT64_MAX, &bytes, &len),
                     FB_TABLE_FILTER);
}

TEST(data_blocks_that_do_not_fit_are_refused)
{
    struct table other = *(struct table *)*state;
    const char *why;
    other.data[3].n_keys--;
    assert_int_equal(build(&other, &why), FB_EINVAL);
    other.data[3].n_keys += 2;
    assert_int_equal(build(&other, &why), FB_EINVAL);
    other.data[3].n_keys--;
    other.data[5].offset = other.data[4].offset;
    assert_int_equal(build(&other, &why), FB_EINVAL);
    other.data[5].offset = FB_MOST_DATA_BYTES;
    assert_int_equal(build(&other, &why), FB_EINVAL);
}

TESTS(open_table, close_table)
