/* How often compaction builds a key's filter, held against merges that are gone through. */
#include "tests/unit.h"

#include "harness/store/rewrites.h"

static void assert_level(enum fb_style style, const struct fb_rewritten_level *levels, size_t n,
                         size_t i, double low, double high)
{
    struct fb_rewrites out[8];
    fb_rewrites(style, levels, n, 100, out);
    if (fabs(out[i].low - low) > 1e-12 || fabs(out[i].high - high) > 1e-12)
        fail_msg("%s, level %zu: %g to %g", fb_styles[style].name, i, out[i].low, out[i].high);
}

static const struct fb_rewritten_level four[] = {{0, 400}, {1, 400}, {2, 4000}, {3, 10000}};

TEST(styles)
{
    for (size_t i = 0; i < 4; i++) {
        assert_level(FB_TIERED, four, 4, i, 1, 1);
        assert_level(FB_LAZY, four, 4, i, i == 3 ? 1.75 : 1, i == 3 ? 3.5 : 1);
    }
    assert_level(FB_LEVELED, four, 4, 0, 1, 1);
    assert_level(FB_LEVELED, four, 4, 1, 1, 2);
    assert_level(FB_LEVELED, four, 4, 2, 5.5, 11);
    assert_level(FB_LEVELED, four, 4, 3, 1.75, 3.5);
    /* The sum of newer runs is 400, 800, 4800. */
    assert_level(FB_UNIVERSAL, four, 4, 0, 1, 1);
    assert_level(FB_UNIVERSAL, four, 4, 2, 1, 6);
    assert_level(FB_UNIVERSAL, four, 4, 3, 1, 1 + 10000 / 4800.0);
    assert_level(FB_FLAT, four, 1, 0, 1, 1);
    /* Without a level 0 flushes of 100 are merged; a level that is smaller than a portion is
     * written once. */
    assert_level(FB_LEVELED, four + 1, 3, 0, 2.5, 5);
    const struct fb_rewritten_level little[] = {{0, 400}, {1, 40}};
    assert_level(FB_LEVELED, little, 2, 1, 1, 1.1);
}

/* Level 1 of ten portions: keys written while it fills, and what one more portion writes once it is
 * full, for each that comes in. */
TEST(against_merges)
{
    const struct fb_rewritten_level levels[] = {{0, 7}, {1, 70}};
    struct fb_rewrites out[2];
    uint64_t held = 0, written = 0;
    for (int portion = 0; portion < 10; portion++) {
        held += 7;
        written += held;
    }
    fb_rewrites(FB_LEVELED, levels, 2, 7, out);
    assert_near(out[1].low, (double)written / (double)held, 1e-12);
    assert_near(out[1].high, (double)(held + 7) / 7, 1e-12);
}

TESTS(NULL, NULL)
