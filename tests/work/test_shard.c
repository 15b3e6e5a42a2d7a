/* Shards of a split: together all of it, and none of it twice. */
#include "harness/work/shard.h"

#include "tests/unit.h"

TEST(cells_have_one_shard_each)
{
    for (unsigned of = 1; of <= 9; of++) {
        size_t counted = 0;
        for (unsigned index = 0; index < of; index++)
            counted += fb_shard_count((struct fb_shard){index, of}, 100);
        assert_int_equal(counted, 100);
        for (size_t cell = 0; cell < 100; cell++) {
            unsigned owners = 0;
            for (unsigned index = 0; index < of; index++)
                owners += fb_shard_has((struct fb_shard){index, of}, cell);
            assert_int_equal(owners, 1);
        }
    }
}

/* The stretches of a cell, in their order, lie end to end; blocks differ by one at most. */
TEST(blocks_are_split)
{
    static const uint64_t blocks[] = {1, 2, 7, 100, UINT64_C(10000000000), UINT64_MAX};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        for (unsigned of = 1; of <= 9; of++) {
            for (size_t cell = 0; cell < 12; cell++) {
                uint64_t at = 0;
                for (unsigned stretch = 0; stretch < of; stretch++) {
                    const struct fb_shard shard = {(unsigned)((stretch + cell) % of), of};
                    uint64_t first, end;
                    assert_int_equal(fb_shard_stretch(shard, cell), stretch);
                    fb_shard_blocks(shard, cell, blocks[b], &first, &end);
                    assert_true(first == at && end >= first);
                    assert_true(end - first - blocks[b] / of <= 1);
                    at = end;
                }
                assert_true(at == blocks[b]);
            }
        }
    }
}

TEST(texts)
{
    static const char *const wrong[] = {"",     "3",    "/8",   "3/",   "0/8",      "9/8", "3/8x",
                                        " 3/8", "3 /8", "-1/8", "+3/8", "3/100001", "3/0", "3/8/9"};
    struct fb_shard shard = {7, 9};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(fb_shard_parse(wrong[i], &shard));
    assert_true(shard.index == 7 && shard.of == 9);
    assert_true(fb_shard_parse("3/8", &shard) && shard.index == 2 && shard.of == 8);
    assert_true(fb_shard_parse("100000/100000", &shard) && shard.of == FB_MAX_SHARDS);

    json_auto_t *document = json_pack("{s:{s:o}}", "run", "shard", fb_shard_json(shard));
    struct fb_shard read = FB_WHOLE;
    assert_true(fb_shard_read(document, &read) && read.index == shard.index && read.of == shard.of);
    json_object_set_new(json_object_get(json_object_get(document, "run"), "shard"), "index",
                        json_integer(100001));
    assert_false(fb_shard_read(document, &read));
    json_object_clear(document);
    assert_true(fb_shard_read(document, &read) && read.index == 0 && read.of == 1);
}

TESTS(NULL, NULL)
