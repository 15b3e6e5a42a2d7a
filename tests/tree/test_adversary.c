/* Absent keys that pass the filters of a tree. */
#include "tests/tree/scene.h"

#include "harness/tree/ask.h"

enum { MOST = 50 };

TEST(finds_absent_keys_that_pass)
{
    closed_by(scene_close) struct scene s;
    uint64_t found[MOST], digest[64];
    size_t n;
    scene_open(&s, &small, LISTED, "bloom-double", 6, -1);
    assert_int_equal(fb_adversary_find(&s.forest, MOST, found, &n), FB_OK);
    assert_int_equal(n, MOST);
    for (size_t i = 0; i < n; i++) {
        closed_by(fb_keyset_close) struct fb_keyset key;
        bool passes = false;
        assert_false(fb_keyspace_present(&s.space, found[i]));
        assert_int_equal(fb_keyspace_keys(&s.space, &found[i], 1, &key), FB_OK);
        assert_int_equal(fb_forest_digest(&s.forest, &key.keys, digest), FB_OK);
        for (size_t r = 0; r + 1 < s.tree.n_runs; r++) { /* the last run has no filter */
            const struct fb_filter *f = fb_ask_filter(&s.forest, r, found[i]);
            passes = passes || (f && f->kernel->query(f, digest));
        }
        assert_true(passes);
    }
}

TEST(finds_none_where_none_passes)
{
    closed_by(scene_close) struct scene s;
    uint64_t found[MOST];
    size_t n;
    scene_open(&s, &small, LISTED, "exact", 10, 10);
    assert_int_equal(fb_adversary_find(&s.forest, MOST, found, &n), FB_OK);
    assert_int_equal(n, 0);
}

TESTS(NULL, NULL)
