/* Trees of all kinds of keys, with updates and tombstones, to ask queries of. */
#ifndef FILTERBENCH_TESTS_WORKLOADS_QUERY_WORLD_H
#define FILTERBENCH_TESTS_WORKLOADS_QUERY_WORLD_H

#include "tests/trees.h"

#include <string.h>

#include "workloads/core/queries.h"
#include "workloads/core/rng.h"

enum { N = 4000 };

static const struct fb_tree_shape updated = {
    .style = FB_LEVELED,
    .n_keys = N,
    .key_bytes = 16,
    .value_bytes = 100,
    .segment_bytes = 116 * 50,
    .ratio = 4,
    .l0 = 2,
    .fill = 1,
    .updates = 0.1,
    .tombstones = 0.3,
    .memtables = 1,
    .memtable_keys = 40,
    .bits_per_key = 10,
    .scale = 1,
};

/* What a query needs, owned. */
struct world {
    struct fb_keyset file; /* sorted; of worlds of a file */
    struct fb_keyspace space;
    struct fb_tree tree;
};

/* Of a format; of a file of words where `format` is NULL. */
static inline void world_make(struct world *w, const char *format, enum fb_order order)
{
    memset(w, 0, sizeof *w);
    if (format) {
        struct fb_keygen gen;
        const char *why;
        assert_true(fb_keygen_parse(format, &gen, &why));
        fb_keyspace_generate(&gen, order, N, 11, &w->space);
    } else {
        struct fb_keyset words;
        size_t dropped;
        assert_int_equal(fb_keyset_alloc(3 * N, 8 * 3 * N, false, &words), FB_OK);
        for (uint64_t i = 0; i < 3 * N; i++) { /* few letters: neighbours and suffixes abound */
            uint64_t word = fb_stream_word(1, i);
            uint8_t key[7];
            for (size_t c = 0; c < sizeof key; c++, word >>= 3)
                key[c] = (uint8_t)((c ? '-' : 'a') + (word & (c ? 3 : 7)));
            fb_keyset_push(&words, key, 3 + (word & 3) + (word >> 2 & 1), FB_KEY_BYTES);
        }
        assert_int_equal(fb_keyset_sorted(&words.keys, &w->file, &dropped), FB_OK);
        assert_in_range(w->file.keys.n, N + N / 8, 3 * N);
        fb_keyset_close(&words);
        fb_keyspace_of_file(&w->file.keys, N, 11, &w->space);
    }
    w->tree = tree_of(&updated, &w->space, LISTED);
}

static inline void world_close(struct world *w)
{
    fb_tree_close(&w->tree);
    fb_keyset_close(&w->file);
}

static inline struct fb_query_spec spec_of(double absent, enum fb_absent_kind kind)
{
    return (struct fb_query_spec){
        .absent = absent,
        .absent_kind = kind,
        .holder = FB_PROPORTIONAL,
        .recent_ratio = 4,
        .repeat_keys = 50,
        .repeat_theta = 1,
    };
}

static inline void queries_of(const struct world *w, const struct fb_query_spec *spec,
                              struct fb_queries *out)
{
    const char *why = NULL;
    if (fb_queries_init(spec, &w->tree, 3, out, &why))
        fail_msg("queries: %s", why);
}

#endif
