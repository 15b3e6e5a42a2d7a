/* Hashes one by one and many at a time, and the simulation of probes. */
#include <stdio.h>
#include <string.h>

#include "filters/core/simulate.h"
#include "filters/hash/batch.h"
#include "filters/hash/python_hash.h"
#include "harness/check/parts.h"

/* Keys of up to so many bytes reach every tail, and beyond the longest stripe every loop again. */
enum { LONGEST = 320 };

static void write_key(uint8_t *key, size_t n)
{
    for (size_t i = 0; i < n; i++)
        key[i] = (uint8_t)(i * 131 + n);
}

/* ---- One by one ---- */

static const char *hash_name(size_t i)
{
    return i < fb_n_hashes() ? fb_hash_at(i)->name : NULL;
}

static void ask_hash(size_t h, struct fb_answers *a)
{
    uint8_t key[LONGEST] = {0};
    for (size_t n = 0; n <= 256; n++) {
        write_key(key, n);
        fb_answer_word(a, fb_hash_at(h)->hash(key, n, 0));
    }
}

/* Seeds, longer keys, odd addresses. */
static void ask_seeds(size_t h, struct fb_answers *a)
{
    static const uint64_t seeds[] = {1, FB_BLOOM_HASH_SEED, UINT64_C(0x123456789ABCDEF0),
                                     UINT64_MAX};
    uint8_t key[LONGEST + 1] = {0};
    for (size_t n = 0; n <= LONGEST; n += n < 20 ? 1 : 7) {
        write_key(key + 1, n);
        for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++)
            fb_answer_word(a, fb_hash_at(h)->hash(key + 1, n, seeds[s]));
    }
}

/* ---- Hashes that give two words ---- */

static void seahash_pair(const void *key, size_t n, uint32_t seed, uint64_t *a, uint64_t *b)
{
    (void)seed;
    fb_seahash_twice(key, n, a, b);
}

static void xxh3_pair(const void *key, size_t n, uint32_t seed, uint64_t *a, uint64_t *b)
{
    fb_xxh3_128(key, n, seed, a, b);
}

static const struct pair {
    const char *name;
    void (*hash)(const void *key, size_t n, uint32_t seed, uint64_t *a, uint64_t *b);
} pairs[] = {{"xxh3-128", xxh3_pair},
             {"murmur3-128", fb_murmur3_128},
             {"seahash", seahash_pair},
             {NULL, NULL}};

static void ask_pair(size_t p, struct fb_answers *a)
{
    uint8_t key[LONGEST] = {0};
    for (size_t n = 0; n <= LONGEST; n += n < 140 ? 1 : 13) {
        uint64_t first, second;
        write_key(key, n);
        pairs[p].hash(key, n, 7, &first, &second);
        fb_answer_word(a, first);
        fb_answer_word(a, second);
    }
}

/* ---- Numbers as Python hashes them ---- */

static const char *const types[] = {"integers", "floats", NULL};

static void ask_numbers(size_t type, struct fb_answers *a)
{
    for (uint64_t i = 0; i < 200; i++) {
        const uint64_t word = fb_mix64(i) >> i % 64;
        const double x = (double)(int64_t)fb_mix64(i) / (double)(UINT64_C(1) << i % 64);
        char text[50];
        int64_t hash = 0;
        int n = snprintf(text, sizeof text, "%s%llu%s", i % 3 ? "" : "-", (unsigned long long)word,
                         i % 5 ? "" : "000000000000000000000");
        bool known =
            type ? fb_python_hash_float(x, &hash) : fb_python_hash_int(text, (size_t)n, &hash);
        fb_answer_word(a, known ? (uint64_t)hash : 42);
    }
}

/* ---- Many at a time ---- */

enum { KEYS = 41 };

static const struct batch {
    const char *name;
    void (*by)(enum fb_isa, const uint8_t *keys, size_t stride, size_t len, size_t n, uint64_t seed,
               uint64_t *out);
    fb_hash_batch *best;
    uint64_t (*single)(const void *key, size_t len, uint64_t seed);
} batches[] = {{"xxh64", fb_hash_batch_xxh64_by, fb_hash_batch_xxh64, fb_xxh64},
               {"rocksdb-hash64", fb_hash_batch_xxph3_by, fb_hash_batch_xxph3, fb_xxph3},
               {0}};

/* Keys of one length against the single function, by every instruction set and by the best. */
static void compare_batch(const struct batch *batch, const uint8_t *keys, size_t len, uint64_t seed,
                          struct fb_answers *a)
{
    uint64_t one[KEYS], many[KEYS];
    for (size_t i = 0; i < KEYS; i++)
        fb_answer_word(a, one[i] = batch->single(keys + i * len, len, seed));
    for (enum fb_isa isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++) {
        if (!fb_cpu_has(isa))
            continue;
        batch->by(isa, keys, len, len, KEYS, seed, many);
        if (memcmp(one, many, sizeof one))
            fb_answer_wrong(a, "%s vectors hash keys of %zu bytes otherwise", fb_isa_name(isa),
                            len);
    }
    batch->best(keys, len, len, KEYS, seed, many);
    if (memcmp(one, many, sizeof one))
        fb_answer_wrong(a, "keys of %zu bytes are hashed otherwise", len);
}

static void ask_batch(size_t b, struct fb_answers *a)
{
    static uint8_t keys[KEYS * 140];
    write_key(keys, sizeof keys);
    for (size_t i = 0; i < sizeof keys; i++)
        keys[i] ^= (uint8_t)fb_mix64(i / 7);
    for (size_t len = 0; len <= 140; len++) {
        compare_batch(&batches[b], keys, len, 0, a);
        compare_batch(&batches[b], keys, len, UINT64_C(0x9ABCDEF012345678), a);
    }
}

/* ---- Simulation and formulas of rates ---- */

static const char *const schemes[] = {
    [FB_SCHEME_CLOSED] = "closed",
    [FB_SCHEME_WRAPPED] = "wrapped",
    [FB_SCHEME_WRAPPED_POW2] = "wrapped-pow2",
    [FB_SCHEME_ROTATE17] = "rotate17",
    [FB_SCHEME_MULTIPLIED_STEP] = "multiplied-step",
    [FB_SCHEME_WRAPPED_32] = "wrapped-32",
    [FB_SCHEME_ENHANCED] = "enhanced",
    [FB_SCHEME_ROTATE17_LINE] = "rotate17-line",
    [FB_SCHEME_ENHANCED_REDUCED] = "enhanced-reduced",
    [FB_SCHEME_MULTIPLIED_STEP_LINE] = "multiplied-step-line",
    [FB_N_SCHEMES] = NULL,
};

static void ask_scheme(size_t scheme, struct fb_answers *a)
{
    uint64_t events = 0;
    for (uint64_t n = 10; n <= 1000; n *= 10) {
        for (unsigned k = 1; k < 12; k += 5)
            fb_answer_word(a,
                           fb_scheme_needs_simulation((enum fb_scheme)scheme, n * n, 8 * n * n, k));
        if (scheme != FB_SCHEME_CLOSED && /* a power of two of bits suits every scheme */
            fb_answer_ok(a,
                         fb_simulate_filter((enum fb_scheme)scheme, n, 4096, 5, 5000, n, &events),
                         "simulation"))
            fb_answer_word(a, events);
    }
}

static const char *const formulas[] = {"scattered", "blocked", "sizes", NULL};

static void ask_formula(size_t which, struct fb_answers *a)
{
    for (uint64_t n = 1; n <= 100000; n *= 10)
        for (unsigned k = 1; k <= 13; k += 4) {
            const double bits = 2.5 * k, rate = 0.3 / (double)(n * k);
            unsigned best;
            if (which == 0) {
                fb_answer_real(a, fb_bloom_fpr(n, 9 * n + 5, k));
                fb_answer_real(a, fb_bloom_fpr_limit(bits, k));
                fb_answer_real(a, fb_double_hashing_excess(n, 9 * n + 5, k));
                fb_answer_real(a, fb_multiplied_step_excess(n, 9 * n + 5, k));
                fb_answer_real(a, fb_bloom_absent_probes(bits, k));
                fb_answer_real(a, fb_hash_collision(n, 32));
                fb_answer_real(a, fb_half_hash_collision(n, n / 40 + 1));
                fb_answer_real(a, fb_either(0.3, rate));
            } else if (which == 1) {
                fb_answer_real(a, fb_sbbf_fpr(n, n / 40 + 1, 512, 8));
                fb_answer_real(a, fb_sbbf_fpr_limit(bits, 256, 8));
                fb_answer_real(a, fb_blocked_fpr(n, n / 40 + 1, 512, k));
                fb_answer_real(a, fb_blocked_fpr_limit(bits, 512, k));
                fb_answer_real(a, fb_rocksdb_estimate(bits, k, 512));
            } else {
                fb_answer_real(a, fb_bloom_bits(rate));
                fb_answer_real(a, fb_bloom_bits_integer(rate, &best));
                fb_answer_word(a, best);
                fb_answer_real(a, fb_sbbf_bits(rate, 512, 8));
                fb_answer_real(a, fb_bound_bits(rate));
            }
        }
}

const struct fb_check_part fb_check_hashes[] = {
    {"hash", ask_hash, .name = hash_name},         {"seeds", ask_seeds, .name = hash_name},
    {"two words of", ask_pair, FB_NAMED(pairs)},   {"python", ask_numbers, FB_NAMED(types)},
    {"batch", ask_batch, FB_NAMED(batches)},       {"simulation", ask_scheme, FB_NAMED(schemes)},
    {"formulas", ask_formula, FB_NAMED(formulas)}, {0},
};
