/* Procedures: what hashing costs, in hash evaluations counted. No kind counts them. */
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Counting happens on the calling thread only. */
static unsigned n_calls;

static uint64_t count_call(const void *key, size_t len, uint64_t seed)
{
    n_calls++;
    return fb_xxh64(key, len, seed);
}

static const struct fb_hash counting = {
    .name = "counting", .bits = 64, .seed_bits = 64, .hash = count_call};

/* Hash calls that the digest of one key takes; theory: one per word of it. */
FB_PROCEDURE(hash_calls)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
    struct fb_keyset set = fb_bench_keys(bench, "random", 1, 0, 1);
    uint64_t digest[FB_MAX_PROBES];
    if (bench->err)
        return;
    n_calls = 0;
    fb_bench_check(bench,
                   fb_digest_keys(recipe.design, &counting, geom.digest_words, &set.keys, digest),
                   recipe.design->name, NULL);
    unsigned words = recipe.design->digest_words;
    fb_find_exact(out, words ? words : geom.probes, n_calls);
    fb_find_remark(out, "for %u probes", geom.probes);
    fb_keyset_close(&set);
}

/* The lesson's hash(key, i), word for word: both hashes anew for every i. */
static uint64_t course_hash(const uint8_t *framed, size_t len, uint64_t i)
{
    uint64_t h1 = fb_siphash13(framed, len - 4, 0, 0), h2 = fb_siphash13(framed, len, 0, 0);
    n_calls += 2;
    return h1 + i * h2;
}

/* SipHash calls of one lookup with the lesson's code; its probes must be the design's. */
FB_PROCEDURE(course_calls)
{
    static const uint8_t key[] = "user:12345";
    enum { LEN = sizeof key - 1 };
    uint8_t framed[8 + LEN + 4]; /* length, key, and the constant of the second hash */
    uint64_t words[2] = {0};
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
    fb_put_le64(framed, LEN);
    memcpy(framed + 8, key, LEN);
    fb_put_le32(framed + 8 + LEN, UINT32_C(0xDEADBEEF));
    if (!bench->err)
        recipe.design->digest(key, LEN, 2, words);
    bool same = true;
    n_calls = 0;
    for (uint32_t i = 0; i < geom.probes; i++)
        same &= course_hash(framed, sizeof framed, i) == words[0] + i * words[1];
    fb_find_exact(out, 2.0 * geom.probes, n_calls);
    fb_find_require(out, same);
}

/* Hashes of a digest by the design's plan. */
static double planned_hashes(struct fb_bench *bench, const json_t *args)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    return fb_recipe_plan(bench, &recipe).digest_words;
}

/* Hashes that the text counts for a key over those of the variant "over", and the same by the plans
 * of both designs. */
FB_PROCEDURE(hash_cost)
{
    json_auto_t *over = fb_arg_over(args);
    const double theory = fb_arg_number(args, "hashes", 0) / fb_arg_number(over, "hashes", 1),
                 measured = planned_hashes(bench, args) / planned_hashes(bench, over);
    fb_find_exact(out, theory, measured);
}

enum { MOST_SEGMENTS = 64 };

/* Keys hashed where one absent key is asked of `segments` filters (0: all pruned by key range). */
static uint64_t hashed(struct fb_bench *bench, const char *lookup_name,
                       const struct fb_filter *filter, size_t segments)
{
    const struct fb_lookup *lookup = fb_lookup_find(lookup_name);
    const struct fb_filter *filters[MOST_SEGMENTS] = {NULL};
    uint64_t scratch[FB_MAX_PROBES], maybe[1];
    uint8_t answers[MOST_SEGMENTS];
    uint32_t holder = MOST_SEGMENTS;
    struct fb_keyset key = fb_bench_keys(bench, "random", 1, 0, 1);
    struct fb_walk_work work = {0};
    if (!lookup)
        fb_bench_fail(bench, FB_EINVAL, "no lookup '%s'", lookup_name);
    for (size_t i = 0; i < segments; i++)
        filters[i] = filter;
    const struct fb_walks walks = {.design = filter->design,
                                   .kernel = filter->kernel,
                                   .keys = &key.keys,
                                   .n = 1,
                                   .width = MOST_SEGMENTS,
                                   .filters = filters,
                                   .holder = &holder,
                                   .digest_words = filter->geom.digest_words,
                                   .digests = scratch,
                                   .answers = answers};
    if (!bench->err)
        lookup->run(&walks, maybe, &work);
    fb_keyset_close(&key);
    return work.digests;
}

/* Numbers of segments, 1 to 64, at which sharing does not hash once, or re-hashing not each time;
 * as "for nothing", keys hashed before it is known whether any filter is asked at all. */
FB_PROCEDURE(share_hashes)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_filter filter = fb_recipe_build(bench, &recipe, 0);
    unsigned off = 0;
    if (fb_arg_is(args, "as", "for nothing")) {
        fb_find_exact(out, 1, (double)hashed(bench, "shared-digest", &filter, 0));
    } else {
        for (size_t segments = 1; segments <= MOST_SEGMENTS; segments++)
            off += hashed(bench, "shared-digest", &filter, segments) != 1 ||
                   hashed(bench, "rehash-each", &filter, segments) != segments;
        fb_find_exact(out, 0, off);
    }
    fb_filter_close(&filter);
}
