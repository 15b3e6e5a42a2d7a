/* Shapes and trees that tests start from. */
#ifndef FILTERBENCH_TESTS_TREES_H
#define FILTERBENCH_TESTS_TREES_H

#include "tests/unit.h"

#include "workloads/core/tree.h"

static const struct fb_tree_shape plain = {
    .style = FB_LEVELED,
    .key_bytes = 16,
    .value_bytes = 100,
    .entry_overhead = 8,
    .segment_bytes = 124 * 50,
    .ratio = 4,
    .levels = 3,
    .l0 = 2,
    .fill = 1,
    .n_runs = 5,
    .size_ratio = 1,
    .bits_per_key = 10,
    .scale = 1,
};

/* Limits of fb_tree_make. */
#define LISTED       UINT64_MAX
#define INTERPOLATED UINT64_C(0)

static inline struct fb_keyspace space_of(enum fb_order order, uint64_t n, uint64_t root)
{
    struct fb_keyspace space;
    fb_keyspace_generate(fb_keygen_find("random"), order, n, root, &space);
    return space;
}

static inline uint64_t keys_of(const struct fb_tree_shape *shape)
{
    uint64_t n = 0;
    const char *why = NULL;
    assert_int_equal(fb_tree_n_keys(shape, &n, &why), FB_OK);
    assert_null(why);
    return n;
}

static inline struct fb_tree tree_of(const struct fb_tree_shape *shape,
                                     const struct fb_keyspace *space, uint64_t list_limit)
{
    struct fb_tree tree;
    const char *why = NULL;
    enum fb_err err = fb_tree_make(shape, space, list_limit, &tree, &why);
    if (err)
        print_message("%s\n", why ? why : "?");
    assert_int_equal(err, FB_OK);
    return tree;
}

#endif
