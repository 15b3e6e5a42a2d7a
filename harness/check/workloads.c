/* Keys, orders of arrival, popularity, and streams of queries. */
#include <stdlib.h>

#include "harness/check/parts.h"
#include "workloads/core/queries.h"

enum { ROOT = 0x5eed };

/* ---- Keys ---- */

static void ask_keys(size_t k, struct fb_answers *a)
{
    const struct fb_keygen *keygen = &fb_keygens[k];
    uint8_t *key = malloc(keygen->max_len + 1);
    for (uint64_t i = 0; fb_answer_ok(a, key ? FB_OK : FB_ENOMEM, "key") && i < 200; i++) {
        const uint64_t index = i < 50 ? i : fb_mix64(i) >> (22 + i % 40);
        const size_t len = keygen->write(keygen, ROOT, index, key);
        uint64_t back = 0;
        fb_answer_bytes(a, key, len);
        if (keygen->read)
            fb_answer_word(a, keygen->read(keygen, ROOT, key, len, &back) ? back : 42);
    }
    free(key);
}

/* ---- Orders ---- */

static void ask_order(size_t order, struct fb_answers *a)
{
    struct fb_keyspace space;
    for (uint64_t n = 1; n < 100000; n = 7 * n + 3) {
        fb_keyspace_generate_sparse(fb_keygen_find("random"), (enum fb_order)order, n, 3, ROOT,
                                    &space);
        fb_answer_word(a, space.size);
        for (uint64_t i = 0; i < space.size && i < 200; i++) {
            const uint64_t index = fb_keyspace_index(&space, i);
            fb_answer_word(a, index);
            fb_answer_word(a, fb_keyspace_arrival(&space, i));
            if (fb_keyspace_arrival(&space, index) != i)
                fb_answer_wrong(a, "there is no way back");
        }
    }
}

/* ---- Popularity ---- */

static const char *const popularities[] = {
    "uniform", "zipf:0.5",   "zipf:1",     "zipf:1.2",        "ycsb-zipf",
    "latest",  "sequential", "latest:0.5", "hotspot:0.2,0.8", NULL};

static void ask_popularity(size_t p, struct fb_answers *a)
{
    struct fb_popularity popularity;
    const char *why = NULL;
    if (!fb_popularity_parse(popularities[p], &popularity, &why)) {
        fb_answer_wrong(a, "%s", why);
        return;
    }
    for (uint64_t n = 3; n < UINT64_C(1) << 40; n *= 1000) {
        struct fb_items items;
        fb_popularity_init(&popularity, n);
        fb_items_init(&items, &popularity, n, ROOT);
        for (uint64_t i = 0; i < 300; i++) {
            const uint64_t rank = fb_popularity_rank(&popularity, ROOT, i);
            fb_answer_word(a, rank);
            fb_answer_word(a, fb_item_of(&items, rank, n - 1));
        }
        for (uint64_t k = 0; k < 3; k++) {
            uint64_t rank = 0;
            fb_answer_real(a, fb_popularity_top(&popularity, k, &rank));
            fb_answer_real(a, fb_popularity_below(&popularity, n / 3 * (k + 1)));
            fb_answer_word(a, rank);
        }
        fb_answer_real(a, fb_popularity_effective(&popularity));
    }
}

/* ---- Queries ---- */

/* Three levels, with keys written again, deletions and a memtable. */
static const struct fb_tree_shape shape = {.style = FB_LEVELED,
                                           .key_bytes = 16,
                                           .value_bytes = 100,
                                           .entry_overhead = 8,
                                           .segment_bytes = 124 * 60,
                                           .ratio = 4,
                                           .levels = 3,
                                           .l0 = 3,
                                           .fill = 1,
                                           .updates = 0.2,
                                           .tombstones = 0.3,
                                           .memtables = 1,
                                           .memtable_keys = 50,
                                           .scale = 1};

static void answer_queries(const struct fb_query_spec *spec, enum fb_order order, const char *keys,
                           struct fb_answers *a)
{
    enum { N = 300 };
    struct fb_keyspace space;
    struct fb_tree tree = {0};
    struct fb_queries queries = {0};
    struct fb_query query[N];
    struct fb_keyset set = {0};
    double share[FB_MAX_RUNS];
    const char *why = NULL;
    uint64_t n;
    enum fb_err err = fb_tree_n_keys(&shape, &n, &why);
    if (!err) {
        fb_keyspace_generate(fb_keygen_find(keys), order, n, ROOT, &space);
        err = fb_tree_make(&shape, &space, UINT64_MAX, &tree, &why);
    }
    if (!err)
        err = fb_queries_init(spec, &tree, ROOT, &queries, &why);
    if (!err)
        err = fb_queries_make(&queries, 17, N, query, &set);
    if (fb_answer_ok(a, err, "queries")) {
        for (size_t i = 0; i < N; i++) {
            const uint64_t words[] = {query[i].index, query[i].holder, query[i].absent,
                                      query[i].tombstone};
            fb_answer_bytes(a, fb_key_at(&set.keys, i), fb_key_len(&set.keys, i));
            for (size_t w = 0; w < sizeof words / sizeof *words; w++)
                fb_answer_word(a, words[w]);
        }
        fb_queries_shares(&queries, share);
        for (size_t r = 0; r < tree.n_runs && spec->absent < 1; r++)
            fb_answer_real(a, share[r]);
        fb_answer_real(a, fb_queries_effective(&queries));
    }
    fb_keyset_close(&set);
    fb_queries_close(&queries);
    fb_tree_close(&tree);
}

static void ask_absent(size_t kind, struct fb_answers *a)
{
    static const uint64_t adversarial[] = {3, 17, 5, 4};
    const struct fb_query_spec spec = {.absent = 0.7,
                                       .absent_kind = (enum fb_absent_kind)kind,
                                       .holder = FB_BY_POPULARITY,
                                       .repeat_keys = 100,
                                       .repeat_theta = 0.9,
                                       .adversarial = adversarial,
                                       .n_adversarial = 4};
    answer_queries(&spec, FB_ORDER_SHUFFLE, "norad", a);
    answer_queries(&spec, FB_ORDER_ARRIVAL, "random", a);
}

static const char *const holders[] = {"proportional", "popularity", "recent",
                                      "level:1",      "last",       NULL};

static void ask_holder(size_t h, struct fb_answers *a)
{
    struct fb_query_spec spec = {.absent = 0.1, .recent_ratio = 3, .repeat_keys = 1};
    const char *why = NULL;
    if (!fb_holder_parse(holders[h], &spec, &why) ||
        !fb_popularity_parse("zipf:0.9", &spec.popularity, &why))
        fb_answer_wrong(a, "%s", why);
    else
        answer_queries(&spec, FB_ORDER_SHUFFLE, "random", a);
    /* Hardly any key but the first: there are fewer than one whose newest version a run has. */
    if (fb_popularity_parse("zipf:8", &spec.popularity, &why))
        answer_queries(&spec, FB_ORDER_SHUFFLE, "random", a);
}

const struct fb_check_part fb_check_workloads[] = {
    {"keys", ask_keys, FB_NAMED(fb_keygens)},
    {"order", ask_order, FB_NAMED(fb_orders)},
    {"popularity", ask_popularity, FB_NAMED(popularities)},
    {"absent keys", ask_absent, FB_NAMED(fb_absent_kinds)},
    {"holders", ask_holder, FB_NAMED(holders)},
    {0},
};
