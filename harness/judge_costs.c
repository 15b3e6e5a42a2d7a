/* Procedures: what hashing costs, counted, and what bits per key are worth. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filters/core/math.h"
#include "filters/hash/python_hash.h"
#include "filters/lookup/lookup.h"
#include "harness/judge.h"
#include "harness/probe_rig.h"
#include "workloads/core/rng.h"

/* ---- Hash evaluations ---- */

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

/* ---- Properties of hashes and inserts ---- */

/* Probes of `probes` whose positions are not uniform: chi-square over 64 parts of the filter. */
static enum fb_err probe_uniformity(struct fb_bench *bench, const json_t *args,
                                    struct fb_finding *out)
{
    enum { PARTS = 64 };
    const struct fb_probe_reading *reading =
        fb_probe_reading_find(fb_arg_text(args, "reading", ""));
    uint64_t samples = fb_arg_count(args, "samples", 200000);
    struct fb_probe_rig rig;
    uint64_t digest[FB_MAX_PROBES];
    unsigned off = 0;
    if (!reading)
        return fb_bench_fail(bench, FB_EINVAL, "no such reading");
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    const struct fb_geometry *geom = &rig.filter.geom;
    for (unsigned probe = 0; !err && probe < geom->probes; probe++) {
        uint64_t count[PARTS] = {0};
        double chi2 = 0, expected = (double)samples / PARTS;
        for (uint64_t i = 0; i < samples && !err; i++) {
            err = fb_probe_rig_digest(bench, &rig, i, digest);
            if (!err)
                count[reading->position(geom, digest, probe) * PARTS / geom->n_bits]++;
        }
        for (size_t part = 0; part < PARTS; part++)
            chi2 += ((double)count[part] - expected) * ((double)count[part] - expected) / expected;
        off += fb_chi2_tail(chi2, PARTS - 1) < 1e-6;
    }
    fb_probe_rig_close(&rig);
    if (!err) {
        fb_find_exact(out, 0, off);
        snprintf(out->remark, sizeof out->remark,
                 "each probe is uniform; all of them are functions of two numbers, so together "
                 "they are not independent");
    }
    return err;
}

/* Integers of a sample whose hash is another number. */
static enum fb_err python_identity(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    uint64_t n = fb_arg_count(args, "n", 10000), off = 0;
    int64_t minus_one = 0;
    for (uint64_t i = 0; i < n; i++) {
        char text[24];
        int64_t hash = -1, value = (int64_t)(fb_stream_word(bench->root, i) >> (3 + i % 60));
        int len = snprintf(text, sizeof text, "%lld", (long long)value);
        off += !fb_python_hash_int(text, (size_t)len, &hash) || hash != value;
    }
    fb_python_hash_int("-1", 2, &minus_one);
    fb_find_exact(out, 0, (double)off);
    snprintf(out->remark, sizeof out->remark, "below 2^61 - 1; hash(-1) is %lld",
             (long long)minus_one);
    return FB_OK;
}

/* Of `pairs` of inserts into one block, each of which reads the block before the other writes it:
 * those that lose the first key. Plain read, or, write does; one key's bits within the other's are
 * the exception. */
static enum fb_err lost_updates(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    enum { BYTES = 64 };
    const uint64_t pairs = fb_arg_count(args, "pairs", 1000);
    struct fb_filter f = {0};
    uint64_t lost = 0, within = 0;
    enum fb_err err = fb_bench_filter(bench, args, "design", 0, &f);
    for (uint64_t i = 0; i < pairs && !err; i++) {
        uint64_t a = fb_stream_word(bench->root, 2 * i) & UINT32_MAX,
                 b = fb_stream_word(bench->root, 2 * i + 1) & UINT32_MAX;
        uint8_t before[BYTES], both[BYTES];
        memset(f.bytes, 0, BYTES);
        memcpy(before, f.bytes, BYTES);
        f.kernel->add_batch(&f, &a, 1); /* the first has written... */
        bool first_is_in = f.kernel->query(&f, &a);
        memcpy(f.bytes, before, BYTES); /* ...but the second had read before that */
        f.kernel->add_batch(&f, &b, 1);
        bool covered = f.kernel->query(&f, &a);
        memcpy(both, f.bytes, BYTES);
        lost += first_is_in && !covered;
        within += covered;
    }
    fb_filter_close(&f);
    if (!err) {
        fb_find_exact(out, (double)(pairs - within), (double)lost);
        snprintf(out->remark, sizeof out->remark,
                 "replayed one by one; an atomic or loses none of them");
    }
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
    {"hash-cost", hash_cost},
    {"hash-ratio", hash_ratio},
    {"share-hashes", share_hashes},
    {"share-for-nothing", share_for_nothing},
    {"probe-uniformity", probe_uniformity},
    {"python-identity", python_identity},
    {"lost-updates", lost_updates},
    {"regret", regret},
    {0},
};
