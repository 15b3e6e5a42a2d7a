/* Procedures: what a design computes from a key, and which bits of it decide what. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "filters/hash/python_hash.h"
#include "harness/kind/claims/procedure/rig.h"
#include "harness/kind/claims/procedure/table.h"
#include "harness/stats/stats.h"
#include "workloads/core/rng.h"

/* The seeds with which XXH64 gives the words of a digest. */
static enum fb_err digest_seeds(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const struct fb_design *design;
    uint64_t words[2];
    enum fb_err err = fb_arg_design(bench, args, "design", &design);
    if (err)
        return err;
    design->digest("user:12345", 10, 2, words);
    for (unsigned i = 0; i < 2; i++) {
        double seed = -1;
        for (unsigned s = 0; s < 16; s++)
            if (fb_xxh64("user:12345", 10, s) == words[i])
                seed = s;
        fb_find_exact(out, i, seed);
    }
    return FB_OK;
}

/* Bits ever set in the digests of a thousand keys, against the width of the named hash, for each of
 * [{design, hash}]. */
static enum fb_err digest_width(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    enum { KEYS = 1000 };
    size_t d;
    json_t *pair;
    json_array_foreach(json_object_get(args, "of"), d, pair)
    {
        const struct fb_design *design;
        const struct fb_hash *hash = fb_hash_find(fb_arg_text(pair, "hash", ""));
        uint64_t seen = 0, digests[KEYS];
        enum fb_err err = fb_arg_design(bench, pair, "design", &design);
        if (!err && !hash)
            err = fb_bench_fail(bench, FB_EINVAL, "no such hash");
        if (!err)
            err = fb_bench_digests(bench, design, 1, 1, 0, KEYS, digests);
        if (err)
            return err;
        for (size_t i = 0; i < KEYS; i++)
            seen |= digests[i];
        fb_find_exact(out, hash->bits, __builtin_popcountll(seen));
    }
    return FB_OK;
}

/* Digests where the half that should choose the block moves the bits inside it, or the other half
 * moves the block. */
static enum fb_err hash_halves(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const uint64_t block_half =
        fb_arg_is(args, "block_half", "high") ? UINT64_C(0xFFFFFFFF00000000) : UINT32_MAX;
    struct fb_probe_rig rig;
    uint64_t misses = 0, moved = 0;
    fb_probe_rig_open(bench, args, &rig);
    while (fb_probe_rig_next(&rig)) {
        uint64_t other = fb_mix64(bench->root + rig.shown), pattern[FB_MAX_PROBES] = {0};
        uint64_t mixed = (rig.digest[0] & block_half) | (other & ~block_half);
        uint64_t block = rig.position[0] / rig.filter.geom.block_bits;
        size_t n = rig.n;
        for (size_t j = 0; j < n; j++)
            pattern[j] = rig.position[j] % rig.filter.geom.block_bits;
        fb_probe_rig_set(&rig, &mixed);
        misses += rig.position[0] / rig.filter.geom.block_bits != block;
        mixed = (rig.digest[0] & ~block_half) | (other & block_half);
        fb_probe_rig_set(&rig, &mixed);
        moved += rig.position[0] / rig.filter.geom.block_bits != block;
        bool same = rig.n == n;
        for (size_t j = 0; j < n && same; j++)
            same = rig.position[j] % rig.filter.geom.block_bits == pattern[j];
        misses += !same;
    }
    fb_find_exact(out, 0, (double)misses);
    fb_find_require(out, moved >= rig.samples / 2); /* the block follows its half */
    return fb_probe_rig_close(&rig);
}

/* Least and greatest index of all lanes, with a chi-square test that each lane is uniform. */
static enum fb_err lane_range(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    enum { MOST_BITS = 512 };
    struct fb_probe_rig rig;
    uint64_t counts[MOST_BITS] = {0};
    unsigned lanes = (unsigned)fb_arg_count(args, "lanes", 8), least = MOST_BITS, most = 0;
    enum fb_err err = fb_probe_rig_open(bench, args, &rig);
    unsigned bits = rig.filter.geom.block_bits, width = bits / lanes;
    if (!err && (!width || bits > MOST_BITS))
        rig.err = fb_bench_fail(bench, FB_EINVAL, "lanes of blocks of %d bits", MOST_BITS);
    if (rig.err)
        return fb_probe_rig_close(&rig);
    for (uint64_t i = 0; i < rig.samples; i++) {
        fb_probe_rig_set(&rig, &(uint64_t){fb_mix64(bench->root ^ i)});
        for (size_t j = 0; j < rig.n; j++) {
            unsigned at = (unsigned)(rig.position[j] % bits);
            counts[at]++;
            least = at % width < least ? at % width : least;
            most = at % width > most ? at % width : most;
        }
    }
    unsigned df = lanes * (width - 1);
    double chi2 = fb_chi2_even(counts, bits, (double)rig.samples / width);
    fb_find_exact(out, 0, least);
    fb_find_exact(out, width - 1, most);
    out->p = fb_p_chi2(chi2, df);
    fb_find_remark(out, "chi-square %.1f with %u degrees of freedom", chi2, df);
    return fb_probe_rig_close(&rig);
}

/* Salt of a lane: the index of hash 2^j shows bits 31-j and down of the salt. */
static enum fb_err read_salts(struct fb_bench *bench, const json_t *args, uint32_t salts[8])
{
    struct fb_probe_rig rig;
    enum fb_err err = fb_probe_rig_open(bench, args, &rig);
    unsigned bits = rig.filter.geom.block_bits, width = bits / 8;
    memset(salts, 0, 8 * sizeof *salts);
    for (unsigned j = 0; j < 32 && !err; j++) {
        fb_probe_rig_set(&rig, &(uint64_t){UINT64_C(1) << j});
        for (size_t i = 0; i < rig.n; i++) {
            unsigned lane = (unsigned)(rig.position[i] % bits) / width;
            uint32_t top = (uint32_t)(rig.position[i] % width) >= width / 2;
            salts[lane] |= top << (31 - j);
        }
    }
    return fb_probe_rig_close(&rig);
}

/* Lanes whose salt, read from the probes, is that of the text in the design and in the variant
 * "over". */
static enum fb_err salts(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const json_t *texts = json_object_get(args, "salts");
    json_t *over = fb_arg_over(args);
    uint32_t a[8], b[8];
    unsigned same = 0;
    enum fb_err err = read_salts(bench, args, a);
    if (!err)
        err = read_salts(bench, over, b);
    for (size_t i = 0; i < 8 && !err; i++) {
        const char *text = json_string_value(json_array_get(texts, i));
        same += text && a[i] == b[i] && a[i] == strtoul(text, NULL, 16);
    }
    json_decref(over);
    fb_find_exact(out, (double)json_array_size(texts), same);
    return err;
}

/* Integers whose digest is not the finalizer with the printed constants. */
static enum fb_err finalizer(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const struct fb_design *design;
    uint64_t a = fb_arg_hex(args, "a"), b = fb_arg_hex(args, "b"), misses = 0;
    uint64_t shift = fb_arg_count(args, "shift", 33), samples = fb_arg_count(args, "samples", 1000);
    enum fb_err err = fb_arg_design(bench, args, "design", &design);
    if (!err && !design->digest_typed)
        err = fb_bench_fail(bench, FB_EUNSUPPORTED, "%s takes no integers", design->name);
    for (uint64_t i = 0; i < samples && !err; i++) {
        char text[24];
        uint64_t digest, x = i % 2 ? i : fb_mix64(i) >> 4; /* below 2^61 - 1: hashed to itself */
        int len = snprintf(text, sizeof text, "%llu", (unsigned long long)x);
        err = design->digest_typed(FB_KEY_INT, text, (size_t)len, &digest);
        x = (x ^ x >> shift) * a;
        x = (x ^ x >> shift) * b;
        misses += digest != (x ^ x >> shift);
    }
    fb_find_exact(out, 0, (double)misses);
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
    fb_find_remark(out, "below 2^61 - 1; hash(-1) is %lld", (long long)minus_one);
    return FB_OK;
}

/* Texts whose digest is not the published value. */
static enum fb_err hash_vectors(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const struct fb_design *design;
    const char *text;
    json_t *value, *vectors = json_object_get(args, "vectors");
    unsigned misses = 0;
    enum fb_err err = fb_arg_design(bench, args, "design", &design);
    if (err)
        return err;
    json_object_foreach(vectors, text, value)
    {
        uint64_t digest;
        design->digest(text, strlen(text), 1, &digest);
        misses += digest != fb_arg_hex(vectors, text);
    }
    fb_find_exact(out, 0, misses);
    return FB_OK;
}

static int by_low_half(const void *a, const void *b)
{
    uint32_t x = fb_lo32(*(const uint64_t *)a), y = fb_lo32(*(const uint64_t *)b);
    return x < y ? -1 : x > y;
}

/* Effective width of a 32-bit hash, from the share of absent keys whose hash some key has. */
static enum fb_err hash_collisions(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    const struct fb_design *design;
    uint64_t n = fb_arg_count(args, "n", 1000000), probes = fb_arg_count(args, "probes", n);
    uint64_t events = 0, *digests = malloc((n + probes) * sizeof *digests);
    enum fb_err err = digests ? fb_arg_design(bench, args, "design", &design) : FB_ENOMEM;
    if (!err)
        err = fb_bench_digests(bench, design, 1, 2, 0, n + probes, digests);
    if (!err) {
        qsort(digests, n, sizeof *digests, by_low_half);
        for (uint64_t i = 0; i < probes; i++)
            events += bsearch(&digests[n + i], digests, n, sizeof *digests, by_low_half) != NULL;
        double share = fb_hash_collision(n, 32), expected = share * (double)probes;
        double sd = sqrt(expected), x = (double)events, half = fb_find_z() * sd;
        double width[3], count[3] = {x, x + half, x - half};
        for (int i = 0; i < 3; i++)
            width[i] = fb_log2((double)n / -fb_log1p(-fmax(count[i], 0.5) / (double)probes));
        fb_find_interval(out, 32, width[0], width[1], width[2]);
        out->p = fb_p_normal((x - expected) / sd);
        out->events = events;
        out->probes = probes;
        fb_find_remark(out, "%.4g %% of absent keys collide at %.3g keys", 100 * x / (double)probes,
                       (double)n);
    }
    free(digests);
    return err;
}

const struct fb_procedure fb_hash_procedures[] = {
    {"digest-seeds", digest_seeds, FB_COUNTED},
    {"digest-width", digest_width, FB_COUNTED},
    {"hash-halves", hash_halves, FB_COUNTED},
    {"lane-range", lane_range, FB_COUNTED},
    {"salts", salts, FB_COUNTED},
    {"finalizer", finalizer, FB_COUNTED},
    {"python-identity", python_identity, FB_COUNTED},
    {"hash-vectors", hash_vectors, FB_COUNTED},
    {"hash-collisions", hash_collisions, FB_COUNTED},
    {0},
};
