/* Procedures: what a design computes from a key, and which bits of it decide what. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "filters/hash/python_hash.h"
#include "harness/kind/claims/procedure/rig.h"
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

/* Bits ever set in the digests of a thousand keys, against the width of the named hash. */
static enum fb_err digest_width(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const json_t *designs = json_object_get(args, "designs"),
                 *hashes = json_object_get(args, "hashes");
    struct fb_keyset set = {0};
    enum fb_err err = fb_bench_keys(bench, 1, 0, 1000, &set);
    for (size_t d = 0; d < json_array_size(designs) && !err; d++) {
        const struct fb_design *design =
            fb_design_find(json_string_value(json_array_get(designs, d)));
        const struct fb_hash *hash = fb_hash_find(json_string_value(json_array_get(hashes, d)));
        uint64_t seen = 0, words[FB_MAX_PROBES];
        if (!design || !hash)
            err = fb_bench_fail(bench, FB_EINVAL, "no such design or hash");
        for (size_t i = 0; i < set.keys.n && !err; i++) {
            design->digest(fb_key_at(&set.keys, i), fb_key_len(&set.keys, i), design->digest_words,
                           words);
            seen |= words[0];
        }
        if (!err)
            fb_find_exact(out, hash->bits, __builtin_popcountll(seen));
    }
    fb_keyset_close(&set);
    return err;
}

/* Digests where the half that should choose the block moves the bits inside it, or the other half
 * moves the block. */
static enum fb_err hash_halves(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_probe_rig rig;
    uint64_t samples = fb_arg_count(args, "samples", 1000), misses = 0, moved = 0;
    bool high = fb_arg_is(args, "block_half", "high");
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    unsigned width = rig.filter.geom.block_bits;
    for (uint64_t i = 0; i < samples && !err; i++) {
        uint64_t digest, other = fb_mix64(bench->root + i);
        uint64_t pattern[FB_MAX_PROBES] = {0}, block, n;
        uint64_t mask = high ? UINT64_C(0xFFFFFFFF00000000) : UINT32_MAX; /* chooses the block */
        err = fb_probe_rig_show(bench, &rig, i, &digest);
        if (err)
            break;
        n = rig.n;
        block = rig.position[0] / width;
        for (size_t j = 0; j < n; j++)
            pattern[j] = rig.position[j] % width;
        fb_probe_rig_set(&rig, &(uint64_t){(digest & mask) | (other & ~mask)});
        misses += rig.position[0] / width != block;
        fb_probe_rig_set(&rig, &(uint64_t){(digest & ~mask) | (other & mask)});
        moved += rig.position[0] / width != block;
        bool same = rig.n == n;
        for (size_t j = 0; j < n && same; j++)
            same = rig.position[j] % width == pattern[j];
        misses += !same;
    }
    fb_probe_rig_close(&rig);
    if (err)
        return err;
    fb_find_exact(out, 0, (double)misses);
    if (moved < samples / 2)
        out->tolerance = -1; /* the block does not follow its half */
    return FB_OK;
}

/* Least and greatest index of all lanes, with a chi-square test that each lane is uniform. */
static enum fb_err lane_range(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_probe_rig rig;
    unsigned lanes = (unsigned)fb_arg_count(args, "lanes", 8), width, least = UINT32_MAX, most = 0;
    uint64_t samples = fb_arg_count(args, "samples", 100000), *counts;
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    if (err)
        return err;
    width = rig.filter.geom.block_bits / lanes;
    counts = calloc((size_t)lanes * width, sizeof *counts);
    err = counts ? FB_OK : FB_ENOMEM;
    for (uint64_t i = 0; i < samples && !err; i++) {
        fb_probe_rig_set(&rig, &(uint64_t){fb_mix64(bench->root ^ i)});
        for (size_t j = 0; j < rig.n; j++) {
            unsigned at = (unsigned)(rig.position[j] % rig.filter.geom.block_bits);
            counts[at]++;
            least = at % width < least ? at % width : least;
            most = at % width > most ? at % width : most;
        }
    }
    if (!err) {
        double chi2 = fb_chi2_even(counts, (size_t)lanes * width, (double)samples / width);
        double tail = fb_chi2_tail(chi2, (double)lanes * (width - 1));
        fb_find_exact(out, 0, least);
        fb_find_exact(out, width - 1, most);
        out->p = fmin(1, 2 * fmin(tail, 1 - tail));
        snprintf(out->remark, sizeof out->remark, "chi-square %.1f with %u degrees of freedom",
                 chi2, lanes * (width - 1));
    }
    free(counts);
    fb_probe_rig_close(&rig);
    return err;
}

/* Salt of a lane: the index of hash 2^j shows bits 31-j and down of the salt. */
static enum fb_err read_salts(struct fb_bench *bench, const char *design, uint32_t salts[8])
{
    struct fb_probe_rig rig;
    json_t *args = json_pack("{s:s, s:f, s:i}", "design", design, "bits_per_key", 10.0, "n", 60);
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    json_decref(args);
    memset(salts, 0, 8 * sizeof *salts);
    if (err)
        return err;
    unsigned width = rig.filter.geom.block_bits / 8;
    for (unsigned j = 0; j < 32; j++) {
        fb_probe_rig_set(&rig, &(uint64_t){UINT64_C(1) << j});
        for (size_t i = 0; i < rig.n; i++) {
            unsigned lane = (unsigned)(rig.position[i] % rig.filter.geom.block_bits) / width;
            uint32_t top = (uint32_t)(rig.position[i] % width) >= width / 2;
            salts[lane] |= top << (31 - j);
        }
    }
    fb_probe_rig_close(&rig);
    return FB_OK;
}

/* Lanes whose salt, read from the probes, is the same in both designs and in the text. */
static enum fb_err salts(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const json_t *texts = json_object_get(args, "salts");
    uint32_t a[8], b[8];
    unsigned same = 0;
    enum fb_err err = read_salts(bench, fb_arg_text(args, "a", ""), a);
    if (!err)
        err = read_salts(bench, fb_arg_text(args, "b", ""), b);
    if (err)
        return err;
    for (size_t i = 0; i < 8; i++) {
        const char *text = json_string_value(json_array_get(texts, i));
        same += text && a[i] == b[i] && a[i] == strtoul(text, NULL, 16);
    }
    fb_find_exact(out, (double)json_array_size(texts), same);
    return FB_OK;
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
    if (!err)
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
    snprintf(out->remark, sizeof out->remark, "below 2^61 - 1; hash(-1) is %lld",
             (long long)minus_one);
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

/* Keys of a design that are answered otherwise by digest than by key. */
static enum fb_err contract_of(struct fb_bench *bench, const struct fb_design *design,
                               const json_t *args, uint64_t *misses)
{
    struct fb_params params = fb_arg_params(args);
    struct fb_keyset present = {0}, asked = {0};
    struct fb_filter filter = {0};
    const char *why;
    uint64_t n = fb_arg_count(args, "n", 1000), probes = fb_arg_count(args, "probes", 1000);
    uint8_t *maybe = malloc(probes);
    size_t n_maybe;
    enum fb_err err = maybe ? fb_bench_keys(bench, 0, 0, n, &present) : FB_ENOMEM;
    if (!err)
        err = fb_bench_keys(bench, 0, n / 2, probes, &asked); /* half of n is present */
    if (!err)
        err = fb_filter_build(design, NULL, &params, &present.keys, &filter, &why);
    if (!err)
        err = fb_filter_query_keys(&filter, &asked.keys, maybe, &n_maybe);
    for (size_t i = 0; i < probes && !err; i++) {
        uint64_t digest[FB_MAX_PROBES];
        design->digest(fb_key_at(&asked.keys, i), fb_key_len(&asked.keys, i),
                       filter.geom.digest_words, digest);
        *misses += filter.kernel->query(&filter, digest) != maybe[i];
    }
    fb_filter_close(&filter);
    fb_keyset_close(&present);
    fb_keyset_close(&asked);
    free(maybe);
    return err;
}

static enum fb_err digest_contract(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    uint64_t misses = 0;
    enum fb_err err = FB_OK;
    for (size_t i = 0; i < fb_n_designs() && !err; i++)
        if (!(fb_design_at(i)->traits & FB_CONTROL)) {
            err = contract_of(bench, fb_design_at(i), args, &misses);
            if (err)
                fb_bench_fail(bench, err, "%s: %s", fb_design_at(i)->name, fb_err_text(err));
        }
    if (!err)
        fb_find_exact(out, 0, (double)misses);
    return err;
}

static enum fb_err hash_keys(struct fb_bench *bench, const struct fb_design *design, uint64_t first,
                             uint64_t n, uint32_t *hashes)
{
    struct fb_keyset set = {0};
    enum fb_err err = fb_bench_keys(bench, 2, first, n, &set);
    for (uint64_t i = 0; i < n && !err; i++) {
        uint64_t digest;
        design->digest(fb_key_at(&set.keys, i), fb_key_len(&set.keys, i), 1, &digest);
        hashes[i] = fb_lo32(digest);
    }
    fb_keyset_close(&set);
    return err;
}

/* Effective width of a 32-bit hash, from the share of absent keys whose hash some key has. */
static enum fb_err hash_collisions(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    const struct fb_design *design;
    uint64_t n = fb_arg_count(args, "n", 1000000), probes = fb_arg_count(args, "probes", n);
    uint64_t events = 0;
    uint32_t *hashes = malloc((n + probes) * sizeof *hashes);
    enum fb_err err = hashes ? fb_arg_design(bench, args, "design", &design) : FB_ENOMEM;
    if (!err)
        err = hash_keys(bench, design, 0, n, hashes);
    if (!err)
        err = hash_keys(bench, design, n, probes, hashes + n);
    if (!err) {
        qsort(hashes, n, sizeof *hashes, fb_compare_u32);
        for (uint64_t i = 0; i < probes; i++)
            events += bsearch(&hashes[n + i], hashes, n, sizeof *hashes, fb_compare_u32) != NULL;
        double share = fb_hash_collision(n, 32), expected = share * (double)probes;
        double sd = sqrt(expected), x = (double)events, half = fb_find_z() * sd;
        double width[3], count[3] = {x, x + half, x - half};
        for (int i = 0; i < 3; i++)
            width[i] = fb_log2((double)n / -fb_log1p(-fmax(count[i], 0.5) / (double)probes));
        fb_find_interval(out, 32, width[0], width[1], width[2]);
        out->p = fmin(1, 2 * fb_normal_tail(fabs(x - expected) / sd));
        out->events = events;
        out->probes = probes;
        snprintf(out->remark, sizeof out->remark, "%.4g %% of absent keys collide at %.3g keys",
                 100 * x / (double)probes, (double)n);
    }
    free(hashes);
    return err;
}

const struct fb_procedure fb_judge_hashes[] = {
    {"digest-seeds", digest_seeds},
    {"digest-width", digest_width},
    {"hash-halves", hash_halves},
    {"lane-range", lane_range},
    {"salts", salts},
    {"finalizer", finalizer},
    {"hash-vectors", hash_vectors},
    {"python-identity", python_identity},
    {"digest-contract", digest_contract},
    {"hash-collisions", hash_collisions},
    {0},
};
