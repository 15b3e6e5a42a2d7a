/* Procedures: what hashing costs, counted, and what bits per key are worth. */
#include <stdio.h>
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/kind/claims/procedure/procedure.h"
#include "harness/kind/claims/procedure/rig.h"

/* ---- Hash evaluations ---- */

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
    struct fb_probe_rig rig;
    struct fb_keyset set = {0};
    uint64_t digest[FB_MAX_PROBES];
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    if (!err)
        err = fb_bench_keys(bench, 1, 0, 1, &set);
    n_calls = 0;
    if (!err)
        err = fb_digest_keys(rig.filter.design, &counting, rig.filter.geom.digest_words, &set.keys,
                             digest);
    if (!err) {
        unsigned words = rig.filter.design->digest_words;
        fb_find_exact(out, words ? words : rig.filter.geom.probes, n_calls);
        snprintf(out->remark, sizeof out->remark, "for %u probes", rig.filter.geom.probes);
    }
    fb_keyset_close(&set);
    fb_probe_rig_close(&rig);
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
    struct fb_params params = fb_arg_params(args);
    struct fb_geometry geom;
    const char *why;
    const struct fb_design *design = fb_design_find("course");
    enum fb_err err =
        design ? fb_design_plan(design, &params, 100000, &geom, &why) : FB_EUNSUPPORTED;
    if (err)
        return fb_bench_fail(bench, err, "course: cannot be planned");
    fb_put_le64(framed, LEN);
    memcpy(framed + 8, key, LEN);
    fb_put_le32(framed + 8 + LEN, UINT32_C(0xDEADBEEF));
    design->digest(key, LEN, 2, words);
    bool same = true;
    n_calls = 0;
    for (uint32_t i = 0; i < geom.probes; i++)
        same &= course_hash(framed, sizeof framed, i) == words[0] + i * words[1];
    fb_find_exact(out, 2.0 * geom.probes, n_calls);
    if (!same)
        out->tolerance = -1;
    return FB_OK;
}

/* Hashes that the digest of a key takes in a planned filter. */
static enum fb_err hashes_of(struct fb_bench *bench, const json_t *args, const char *key,
                             double *hashes)
{
    const struct fb_design *design;
    const struct fb_params params = fb_arg_params(args);
    struct fb_geometry geom;
    const char *why;
    enum fb_err err = fb_arg_design(bench, args, key, &design);
    if (err)
        return err;
    err = fb_design_plan(design, &params, fb_arg_count(args, "n", 100000), &geom, &why);
    *hashes = geom.digest_words;
    return err ? fb_bench_fail(bench, err, "%s: %s", design->name, why) : FB_OK;
}

/* (hashes * hash_ns + plus_ns) * scale, with the hashes the text counts and with the design's. */
static enum fb_err hash_cost(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double hashes, ns = fb_arg_number(args, "hash_ns", 0), plus = fb_arg_number(args, "plus_ns", 0),
                   scale = fb_arg_number(args, "scale", 1);
    enum fb_err err = hashes_of(bench, args, "design", &hashes);
    if (!err)
        fb_find_exact(out, (fb_arg_number(args, "hashes", 0) * ns + plus) * scale,
                      (hashes * ns + plus) * scale);
    return err;
}

/* Hashes of one design over those of another. */
static enum fb_err hash_ratio(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double a = 0, b = 1;
    enum fb_err err = hashes_of(bench, args, "design", &a);
    if (!err)
        err = hashes_of(bench, args, "than", &b);
    if (!err)
        fb_find_exact(out, fb_arg_number(args, "hashes", 0) / fb_arg_number(args, "than_hashes", 1),
                      a / b);
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

/* Numbers of segments, 1 to 64, at which sharing does not hash once, or re-hashing not each time.
 */
static enum fb_err share_hashes(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_filter filter = {0};
    uint64_t off = 0;
    enum fb_err err = fb_bench_filter(bench, args, "design", 1000, &filter);
    for (size_t segments = 1; segments <= MOST_SEGMENTS && !err; segments++) {
        uint64_t shared, each = 0;
        err = hashed(bench, "shared-digest", &filter, segments, &shared);
        if (!err)
            err = hashed(bench, "rehash-each", &filter, segments, &each);
        off += shared != 1 || each != segments;
    }
    fb_filter_close(&filter);
    if (!err)
        fb_find_exact(out, 0, (double)off);
    return err;
}

/* Keys hashed before it is known whether any filter is asked at all. */
static enum fb_err share_for_nothing(struct fb_bench *bench, const json_t *args,
                                     struct fb_finding *out)
{
    struct fb_filter filter = {0};
    uint64_t digests = 0;
    enum fb_err err = fb_bench_filter(bench, args, "design", 1000, &filter);
    if (!err)
        err = hashed(bench, "shared-digest", &filter, 0, &digests);
    fb_filter_close(&filter);
    if (!err)
        fb_find_exact(out, 1, (double)digests);
    return err;
}

/* ---- What bits are worth ---- */

/* Percent by which a read costs more at `bits_per_key` than at `most` bits: (1 - a) + a f reads. */
static enum fb_err regret(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_rate here, best;
    double a = fb_arg_number(args, "absent", 0.9);
    json_t *cell = json_deep_copy(args);
    json_object_del(cell, "absent");
    json_object_del(cell, "most");
    enum fb_err err = fb_bench_rate(bench, cell, &here);
    json_object_set(cell, "bits_per_key", json_object_get(args, "most"));
    if (!err && !bench->interrupted)
        err = fb_bench_rate(bench, cell, &best);
    json_decref(cell);
    if (err || bench->interrupted)
        return err;
    double least = 1 - a + a * best.rate;
    fb_find_interval(out, 100 * ((1 - a + a * here.model) / (1 - a + a * best.model) - 1),
                     100 * ((1 - a + a * here.rate) / least - 1),
                     100 * ((1 - a + a * here.low) / least - 1),
                     100 * ((1 - a + a * here.high) / least - 1));
    out->p = here.p;
    fb_find_counts(out, &here);
    fb_find_counts(out, &best);
    return FB_OK;
}

const struct fb_procedure fb_judge_costs[] = {
    {"hash-calls", hash_calls},
    {"course-calls", course_calls},
    {"hash-cost", hash_cost},
    {"hash-ratio", hash_ratio},
    {"share-hashes", share_hashes},
    {"share-for-nothing", share_for_nothing},
    {"regret", regret},
    {0},
};
