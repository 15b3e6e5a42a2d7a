/* Procedures: what a design computes from a key, and which bits of it decide what. No kind
 * shows the hash of a key. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "filters/hash/python_hash.h"
#include "harness/kind/claims/procedure/rig.h"
#include "harness/stats/stats.h"
#include "workloads/core/rng.h"

/* The seeds with which XXH64 gives the words of a digest. */
FB_PROCEDURE(digest_seeds)
{
    const struct fb_design *design = fb_arg_design(bench, args);
    uint64_t words[2] = {0};
    if (!bench->err)
        design->digest("user:12345", 10, 2, words);
    for (unsigned i = 0; i < 2; i++) {
        double seed = -1;
        for (unsigned s = 0; s < 16; s++)
            if (fb_xxh64("user:12345", 10, s) == words[i])
                seed = s;
        fb_find_exact(out, i, seed);
    }
}

/* Bits ever set in the digests of a thousand keys, against the width of the named hash, for each of
 * [{design, hash}]. */
FB_PROCEDURE(digest_width)
{
    enum { KEYS = 1000 };
    FB_EACH(pair, json_object_get(args, "of")) {
        const struct fb_hash *hash = fb_hash_find(fb_arg_text(pair, "hash", ""));
        uint64_t seen = 0, digests[KEYS] = {0};
        if (!hash)
            fb_bench_fail(bench, FB_EINVAL, "no such hash");
        fb_bench_digests(bench, fb_arg_design(bench, pair), 1, 1, 0, KEYS, digests);
        for (size_t i = 0; i < KEYS; i++)
            seen |= digests[i];
        fb_find_exact(out, hash ? hash->bits : 0, __builtin_popcountll(seen));
    }
}

/* Digests where the half that should choose the block moves the bits inside it, or the other half
 * moves the block. */
FB_PROCEDURE(hash_halves)
{
    const uint64_t half =
        fb_arg_is(args, "block_half", "high") ? UINT64_C(0xFFFFFFFF00000000) : UINT32_MAX;
    struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
    unsigned width = rig.filter.geom.block_bits, misses = 0, moved = 0;
    while (fb_probe_rig_next(bench, &rig)) {
        uint64_t other = fb_mix64(bench->root + rig.shown), block = rig.position[0] / width;
        struct fb_probe_rig mixed = rig; /* of the same bits */
        fb_probe_rig_set(&mixed, &(uint64_t){(rig.digest[0] & half) | (other & ~half)});
        misses += mixed.position[0] / width != block;
        fb_probe_rig_set(&mixed, &(uint64_t){(rig.digest[0] & ~half) | (other & half)});
        moved += mixed.position[0] / width != block;
        bool same = mixed.n == rig.n;
        for (size_t j = 0; j < rig.n && same; j++)
            same = mixed.position[j] % width == rig.position[j] % width;
        misses += !same;
    }
    fb_find_exact(out, 0, misses);
    fb_find_require(out, moved >= rig.samples / 2); /* the block follows its half */
    fb_filter_close(&rig.filter);
}

/* Least and greatest index of all lanes, with a chi-square test that each lane is uniform. */
FB_PROCEDURE(lane_range)
{
    enum { MOST_BITS = 512 };
    struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
    uint64_t counts[MOST_BITS] = {0};
    unsigned lanes = (unsigned)fb_arg_count(args, "lanes", 8), least = MOST_BITS, most = 0;
    unsigned bits = rig.filter.geom.block_bits, width = bits / lanes, df = bits - lanes;
    if (!width || bits > MOST_BITS)
        fb_bench_fail(bench, FB_EINVAL, "lanes of blocks of at most %d bits", MOST_BITS);
    for (uint64_t i = 0; i < rig.samples && !bench->err; i++) {
        fb_probe_rig_set(&rig, &(uint64_t){fb_mix64(bench->root ^ i)});
        for (size_t j = 0; j < rig.n; j++) {
            unsigned at = (unsigned)(rig.position[j] % bits);
            counts[at]++;
            least = at % width < least ? at % width : least;
            most = at % width > most ? at % width : most;
        }
    }
    if (!bench->err) {
        double chi2 = fb_chi2_even(counts, bits, (double)rig.samples / width);
        fb_find_exact(out, 0, least);
        fb_find_exact(out, width - 1, most);
        out->p = fb_p_chi2(chi2, df);
        fb_find_remark(out, "chi-square %.1f with %u degrees of freedom", chi2, df);
    }
    fb_filter_close(&rig.filter);
}

/* Salt of a lane: the index of hash 2^j shows bits 31-j and down of the salt. */
static void read_salts(struct fb_bench *bench, const json_t *args, uint32_t salts[8])
{
    struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
    unsigned bits = rig.filter.geom.block_bits, width = bits / 8;
    for (unsigned j = 0; j < 32; j++) {
        fb_probe_rig_set(&rig, &(uint64_t){UINT64_C(1) << j});
        for (size_t i = 0; i < rig.n; i++) {
            unsigned lane = (unsigned)(rig.position[i] % bits) / width;
            uint32_t top = (uint32_t)(rig.position[i] % width) >= width / 2;
            salts[lane] |= top << (31 - j);
        }
    }
    fb_filter_close(&rig.filter);
}

/* Lanes whose salt, read from the probes, is that of the text in the design and in the variant
 * "over". */
FB_PROCEDURE(salts)
{
    json_t *over = fb_arg_over(args), *text;
    uint32_t a[8] = {0}, b[8] = {0};
    unsigned same = 0;
    size_t i;
    read_salts(bench, args, a);
    read_salts(bench, over, b);
    json_array_foreach(json_object_get(args, "salts"), i, text)
        same += a[i % 8] == b[i % 8] && a[i % 8] == strtoul(json_string_value(text), NULL, 16);
    fb_find_exact(out, (double)i, same);
    json_decref(over);
}

/* Integers whose digest is not the finalizer with the printed constants. */
FB_PROCEDURE(finalizer)
{
    const struct fb_design *design = fb_arg_design(bench, args);
    uint64_t a = fb_arg_hex(args, "a"), b = fb_arg_hex(args, "b"), misses = 0;
    uint64_t shift = fb_arg_count(args, "shift", 33), samples = fb_arg_count(args, "samples", 1000);
    if (!bench->err && !design->digest_typed)
        fb_bench_fail(bench, FB_EUNSUPPORTED, "%s takes no integers", design->name);
    for (uint64_t i = 0; i < samples && !bench->err; i++) {
        char text[24];
        uint64_t digest, x = i % 2 ? i : fb_mix64(i) >> 4; /* below 2^61 - 1: hashed to itself */
        int len = snprintf(text, sizeof text, "%llu", (unsigned long long)x);
        fb_bench_check(bench, design->digest_typed(FB_KEY_INT, text, (size_t)len, &digest), text,
                       NULL);
        x = (x ^ x >> shift) * a;
        x = (x ^ x >> shift) * b;
        misses += digest != (x ^ x >> shift);
    }
    fb_find_exact(out, 0, (double)misses);
}

/* Integers of a sample whose hash is another number. */
FB_PROCEDURE(python_identity)
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
}

/* Texts whose digest is not the published value. */
FB_PROCEDURE(hash_vectors)
{
    const struct fb_design *design = fb_arg_design(bench, args);
    json_t *vectors = json_object_get(args, "vectors");
    unsigned misses = 0;
    FB_EACH_MEMBER(text, value, vectors) {
        uint64_t digest = 0;
        if (!bench->err)
            design->digest(text, strlen(text), 1, &digest);
        misses += digest != fb_arg_hex(vectors, text);
    }
    fb_find_exact(out, 0, misses);
}

static int by_low_half(const void *a, const void *b)
{
    uint32_t x = fb_lo32(*(const uint64_t *)a), y = fb_lo32(*(const uint64_t *)b);
    return x < y ? -1 : x > y;
}

/* Absent keys, of `probes`, whose low half of the hash one of n keys has. */
static uint64_t count_collisions(struct fb_bench *bench, const json_t *args, uint64_t n,
                                 uint64_t probes)
{
    uint64_t *digests = fb_bench_alloc(bench, n + probes, sizeof *digests), found = 0;
    fb_bench_digests(bench, fb_arg_design(bench, args), 1, 2, 0, n + probes, digests);
    if (!bench->err)
        qsort(digests, n, sizeof *digests, by_low_half);
    for (uint64_t i = 0; i < probes && !bench->err; i++)
        found += bsearch(&digests[n + i], digests, n, sizeof *digests, by_low_half) != NULL;
    free(digests);
    return found;
}

/* Effective width of a 32-bit hash, from the share of absent keys whose hash some key has. */
FB_PROCEDURE(hash_collisions)
{
    uint64_t n = fb_arg_count(args, "n", 1000000), probes = fb_arg_count(args, "probes", n);
    if (bench->phase == FB_MEASURE)
        out->events = count_collisions(bench, args, n, probes);
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("events", &out->events), {0}});
    double share = fb_hash_collision(n, 32), expected = share * (double)probes, sd = sqrt(expected),
           x = bench->phase == FB_PREDICT ? expected : (double)out->events, half = fb_find_z() * sd;
    double width[3], count[3] = {x, x + half, x - half};
    for (int i = 0; i < 3; i++)
        width[i] = fb_log2((double)n / -fb_log1p(-fmax(count[i], 0.5) / (double)probes));
    fb_find_interval(out, 32, width[0], width[1], width[2]);
    out->p = fb_p_normal((x - expected) / sd);
    out->probes = probes;
    fb_find_remark(out, "%.4g %% of absent keys collide at %.3g keys", 100 * x / (double)probes,
                   (double)n);
}
