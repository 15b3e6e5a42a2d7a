/* Procedures: what hashing costs, in hash evaluations counted. */
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/kind/claims/procedure/recipe.h"
#include "harness/kind/claims/procedure/table.h"

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
static enum fb_err hash_calls(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_recipe recipe;
    struct fb_geometry geom;
    struct fb_keyset set = {0};
    uint64_t digest[FB_MAX_PROBES];
    enum fb_err err = fb_recipe_read(bench, args, &recipe);
    if (!err)
        err = fb_recipe_plan(bench, &recipe, &geom);
    if (!err)
        err = fb_bench_keys(bench, 1, 0, 1, &set);
    n_calls = 0;
    if (!err)
        err = fb_digest_keys(recipe.design, &counting, geom.digest_words, &set.keys, digest);
    if (!err) {
        unsigned words = recipe.design->digest_words;
        fb_find_exact(out, words ? words : geom.probes, n_calls);
        fb_find_remark(out, "for %u probes", geom.probes);
    }
    fb_keyset_close(&set);
    return err;
}

/* The lesson's hash(key, i), word for word: both hashes anew for every i. */
static uint64_t course_hash(const uint8_t *framed, size_t len, uint64_t i)
{
    uint64_t h1 = fb_siphash13(framed, len - 4, 0, 0), h2 = fb_siphash13(framed, len, 0, 0);
    n_calls += 2;
    return h1 + i * h2;
}

/* SipHash calls of one lookup with the lesson's code; its probes must be the design's. */
static enum fb_err course_calls(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    static const uint8_t key[] = "user:12345";
    enum { LEN = sizeof key - 1 };
    uint8_t framed[8 + LEN + 4]; /* length, key, and the constant of the second hash */
    uint64_t words[2];
    struct fb_recipe recipe;
    struct fb_geometry geom;
    enum fb_err err = fb_recipe_read(bench, args, &recipe);
    if (!err)
        err = fb_recipe_plan(bench, &recipe, &geom);
    if (err)
        return err;
    fb_put_le64(framed, LEN);
    memcpy(framed + 8, key, LEN);
    fb_put_le32(framed + 8 + LEN, UINT32_C(0xDEADBEEF));
    recipe.design->digest(key, LEN, 2, words);
    bool same = true;
    n_calls = 0;
    for (uint32_t i = 0; i < geom.probes; i++)
        same &= course_hash(framed, sizeof framed, i) == words[0] + i * words[1];
    fb_find_exact(out, 2.0 * geom.probes, n_calls);
    fb_find_require(out, same);
    return FB_OK;
}

/* (hashes * hash_ns + plus_ns) * scale, with the hashes the text counts and with the design's. */
static enum fb_err cost_of(struct fb_bench *bench, const json_t *args, double *theory,
                           double *measured)
{
    struct fb_recipe recipe;
    struct fb_geometry geom;
    double ns = fb_arg_number(args, "hash_ns", 1), plus = fb_arg_number(args, "plus_ns", 0),
           scale = fb_arg_number(args, "scale", 1);
    enum fb_err err = fb_recipe_read(bench, args, &recipe);
    if (!err)
        err = fb_recipe_plan(bench, &recipe, &geom);
    if (err)
        return err;
    *theory = (fb_arg_number(args, "hashes", 0) * ns + plus) * scale;
    *measured = (geom.digest_words * ns + plus) * scale;
    return FB_OK;
}

/* That cost, or the cost over that of the variant "over". */
static enum fb_err hash_cost(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double theory = 0, measured = 0, theory_over = 1, measured_over = 1;
    json_t *over = fb_arg_over(args);
    enum fb_err err = cost_of(bench, args, &theory, &measured);
    if (!err && json_object_get(args, "over"))
        err = cost_of(bench, over, &theory_over, &measured_over);
    json_decref(over);
    fb_find_exact(out, theory / theory_over, measured / measured_over);
    return err;
}

enum { MOST_SEGMENTS = 64 };

/* One absent key asked of `segments` filters (0: all pruned by key range); keys hashed. */
static enum fb_err hashed(struct fb_bench *bench, const char *lookup_name,
                          const struct fb_filter *filter, size_t segments, uint64_t *digests)
{
    const struct fb_lookup *lookup = fb_lookup_find(lookup_name);
    const struct fb_filter *filters[MOST_SEGMENTS] = {NULL};
    uint64_t scratch[FB_MAX_PROBES], maybe[1];
    uint8_t answers[MOST_SEGMENTS];
    uint32_t holder = MOST_SEGMENTS;
    struct fb_keyset key = {0};
    struct fb_walk_work work = {0};
    if (!lookup)
        return fb_bench_fail(bench, FB_EINVAL, "no lookup '%.40s'", lookup_name);
    for (size_t i = 0; i < segments; i++)
        filters[i] = filter;
    enum fb_err err = fb_bench_keys(bench, 1, 0, 1, &key);
    if (err)
        return err;
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
    lookup->run(&walks, maybe, &work);
    fb_keyset_close(&key);
    *digests = work.digests;
    return FB_OK;
}

/* A filter to walk over: design and parameters from args. */
static enum fb_err segment_of(struct fb_bench *bench, const json_t *args, struct fb_filter *out)
{
    struct fb_recipe recipe;
    enum fb_err err = fb_recipe_read(bench, args, &recipe);
    return err ? err : fb_recipe_build(bench, &recipe, 0, out);
}

/* Numbers of segments, 1 to 64, at which sharing does not hash once, or re-hashing not each time.
 */
static enum fb_err share_hashes(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_filter filter = {0};
    uint64_t off = 0;
    enum fb_err err = segment_of(bench, args, &filter);
    for (size_t segments = 1; segments <= MOST_SEGMENTS && !err; segments++) {
        uint64_t shared = 0, each = 0;
        err = hashed(bench, "shared-digest", &filter, segments, &shared);
        if (!err)
            err = hashed(bench, "rehash-each", &filter, segments, &each);
        off += shared != 1 || each != segments;
    }
    fb_filter_close(&filter);
    fb_find_exact(out, 0, (double)off);
    return err;
}

/* Keys hashed before it is known whether any filter is asked at all. */
static enum fb_err share_for_nothing(struct fb_bench *bench, const json_t *args,
                                     struct fb_finding *out)
{
    struct fb_filter filter = {0};
    uint64_t digests = 0;
    enum fb_err err = segment_of(bench, args, &filter);
    if (!err)
        err = hashed(bench, "shared-digest", &filter, 0, &digests);
    fb_filter_close(&filter);
    fb_find_exact(out, 1, (double)digests);
    return err;
}

const struct fb_procedure fb_cost_procedures[] = {
    {"hash-calls", hash_calls, FB_COUNTED},
    {"course-calls", course_calls, FB_COUNTED},
    {"hash-cost", hash_cost, FB_COUNTED},
    {"share-hashes", share_hashes, FB_COUNTED},
    {"share-for-nothing", share_for_nothing, FB_COUNTED},
    {0},
};
