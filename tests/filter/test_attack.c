/* Attacks: what the keys that are found have in common, and what they do. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "harness/filter/attack.h"

enum { MOST_DIGEST = FB_MAX_PROBES };

static struct fb_attack_spec small(const char *design)
{
    return (struct fb_attack_spec){.design = fb_design_find(design),
                                   .params = {.bits_per_key = 10},
                                   .n_keys = 500,
                                   .keygen = fb_keygen_find("random"),
                                   .filters = 3,
                                   .probes = 2000,
                                   .tries = 1 << 16,
                                   .most = 20,
                                   .insert = 50,
                                   .root = 7};
}

struct made {
    struct fb_attack_scene scene;
    struct fb_attack_found found;
};

static void attack(const struct fb_attack_spec *spec, enum fb_attack attack, struct made *m)
{
    const char *why = NULL;
    memset(m, 0, sizeof *m);
    assert_null(fb_attack_why_not(spec->design, attack));
    assert_int_equal(fb_attack_open(spec, &m->scene, &why), FB_OK);
    assert_int_equal(fb_attack_find(&m->scene, attack, &m->found, &why), FB_OK);
    assert_in_range(m->found.tries, m->found.n, spec->tries);
    for (size_t i = 0; i < m->found.n; i++) /* absent from every filter */
        assert_true(m->found.keys[i].number >= fb_attack_first_tried(spec));
}

static void done(struct made *m)
{
    fb_attack_found_close(&m->found);
    fb_attack_close(&m->scene);
}

static void digest_of(struct made *m, uint64_t number, uint64_t *digest)
{
    assert_int_equal(fb_attack_digests(&m->scene, NULL, number, NULL, 1, digest), FB_OK);
}

static uint64_t sum(const uint64_t *counts, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += counts[i];
    return all;
}

/* The share of the keys found that pass filters of the hash. */
static double strike(struct made *m, const char *hash)
{
    closed_by(fb_attack_counts_close) struct fb_attack_counts c;
    const char *why = NULL;
    assert_int_equal(
        fb_attack_strike(&m->scene, hash ? fb_hash_find(hash) : NULL, &m->found, &c, &why), FB_OK);
    const uint64_t asked = sum(c.asked, c.filters), passed = sum(c.passed, c.filters);
    const uint64_t random = sum(c.random_asked, c.filters);
    assert_int_equal(random, m->scene.spec.filters * m->scene.spec.probes);
    assert_true(sum(c.random_passed, c.filters) < random / 20);
    assert_int_equal(c.failed, 0);
    assert_true(asked > 0);
    return (double)passed / (double)asked;
}

/* ---- colliding ---- */

/* Each has the digest of a key of its filter, and so passes filters of those keys of any size. */
TEST(colliding_keys_pass_at_every_size)
{
    static const char *const designs[] = {"leveldb", "rocksdb-legacy", "bloom-double-32"};
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        struct fb_attack_spec spec = small(designs[d]);
        struct made m;
        const char *why = NULL;
        spec.n_keys = 20000;
        spec.tries = 1 << 19;
        spec.most = 3;
        attack(&spec, FB_ATTACK_COLLIDING, &m);
        assert_int_equal(m.found.n, 3); /* 7 are expected in all tries */
        assert_true(strike(&m, NULL) == 1);
        for (double bits = 5; bits <= 20; bits += 15) {
            m.scene.spec.params.bits_per_key = bits;
            for (size_t i = 0; i < m.found.n; i++) {
                closed_by(fb_filter_close) struct fb_filter f;
                uint64_t digest[MOST_DIGEST];
                assert_int_equal(fb_attack_build(&m.scene, NULL,
                                                 m.found.keys[i].filter * spec.n_keys, NULL, 0, &f,
                                                 &why),
                                 FB_OK);
                digest_of(&m, m.found.keys[i].number, digest);
                assert_true(f.kernel->query(&f, digest));
            }
        }
        done(&m);
    }
}

TEST(no_keys_collide_in_64_bits)
{
    struct fb_attack_spec spec = small("bloom-double");
    struct made m;
    attack(&spec, FB_ATTACK_COLLIDING, &m);
    assert_int_equal(m.found.n, 0);
    assert_int_equal(m.found.tries, spec.tries);
    done(&m);
}

/* ---- degenerate ---- */

static unsigned bits_of(struct made *m, uint64_t number)
{
    closed_by(fb_filter_close) struct fb_filter f;
    uint64_t digest[MOST_DIGEST];
    unsigned bits = 0;
    assert_int_equal(fb_filter_alloc(m->scene.spec.design, &m->scene.geom, &f), FB_OK);
    digest_of(m, number, digest);
    f.kernel->add_batch(&f, digest, 1);
    for (uint64_t i = 0; i < f.geom.n_bytes; i++)
        bits += (unsigned)__builtin_popcount(f.bytes[i]);
    return bits;
}

/* Of double hashing: a step of 0, or of a half or a third of the array. */
TEST(degenerate_keys_set_few_bits)
{
    static const char *const designs[] = {"bloom-double", "nori-pow2", "rocksdb-legacy",
                                          "fjall-blocked"};
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        struct fb_attack_spec spec = small(designs[d]);
        struct made m;
        unsigned ones = 0;
        attack(&spec, FB_ATTACK_DEGENERATE, &m);
        assert_in_range(m.found.n, 4, 20);
        for (size_t i = 0; i < m.found.n; i++) {
            const unsigned bits = bits_of(&m, m.found.keys[i].number);
            assert_in_range(bits, 1, 4);
            ones += bits == 1;
        }
        assert_true(ones > 0);
        assert_true(strike(&m, NULL) > 0.15);
        assert_true(strike(&m, "siphash-2-4") < 0.15);
        done(&m);
    }
}

/* A bit in each of eight lanes, and seven hashes of a key. */
TEST(some_designs_have_no_degenerate_keys)
{
    static const char *const designs[] = {"sbbf-512", "bloom-independent"};
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        struct fb_attack_spec spec = small(designs[d]);
        struct made m;
        attack(&spec, FB_ATTACK_DEGENERATE, &m);
        assert_int_equal(m.found.n, 0);
        done(&m);
    }
}

/* ---- flood ---- */

/* All that is inserted and asked lies in one block of an empty filter, which it fills. */
TEST(flood_fills_one_block)
{
    static const char *const designs[] = {"sbbf-512", "sbbf-256", "rocksdb-fastlocal", "bloom-64"};
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        struct fb_attack_spec spec = small(designs[d]);
        struct made m;
        closed_by(fb_filter_close) struct fb_filter f;
        uint64_t digest[MOST_DIGEST], first = UINT64_MAX, last = 0;
        spec.n_keys = 5000;
        spec.insert = 200;
        spec.tries = 1 << 19;
        attack(&spec, FB_ATTACK_FLOOD, &m);
        assert_int_equal(m.found.n_inserted, 200);
        assert_int_equal(m.found.n, 20);
        assert_int_equal(fb_filter_alloc(spec.design, &m.scene.geom, &f), FB_OK);
        for (size_t i = 0; i < 220; i++) {
            digest_of(&m, i < 200 ? m.found.inserted[i] : m.found.keys[i - 200].number, digest);
            f.kernel->add_batch(&f, digest, 1);
        }
        for (uint64_t at = 0; at < f.geom.n_bytes; at++) {
            if (f.bytes[at] && first == UINT64_MAX)
                first = at;
            last = f.bytes[at] ? at : last;
        }
        assert_int_equal(first / (f.geom.block_bits / 8), last / (f.geom.block_bits / 8));
        assert_true(strike(&m, NULL) > 0.7);
        assert_true(strike(&m, "siphash-2-4") < 0.2);
        done(&m);
    }
}

TEST(no_flood_where_keys_scatter)
{
    struct fb_attack_spec spec = small("bloom-independent");
    struct made m;
    attack(&spec, FB_ATTACK_FLOOD, &m);
    assert_int_equal(m.found.n + m.found.n_inserted, 0);
    done(&m);
}

/* ---- offline, and the rest ---- */

TEST(offline_keys_pass_under_the_known_hash_alone)
{
    for (size_t d = 0; d < fb_n_designs(); d++) {
        const struct fb_design *design = fb_design_at(d);
        struct fb_attack_spec spec = small(design->name);
        struct fb_params params = spec.params;
        struct fb_geometry geom;
        const char *why = NULL;
        struct made m;
        if (fb_attack_why_not(design, FB_ATTACK_OFFLINE) || !strcmp(design->name, "counting") ||
            fb_params_plan(design, spec.n_keys, &params, &geom, &why))
            continue;
        attack(&spec, FB_ATTACK_OFFLINE, &m);
        assert_true(m.found.n > 0);
        assert_true(strike(&m, NULL) == 1);
        assert_true(strike(&m, "siphash-2-4") < 0.15);
        done(&m);
    }
}

/* Every count of one filter, once more by the library's own functions. */
TEST(strikes_count_what_filters_answer)
{
    struct fb_attack_spec spec = small("rocksdb-fastlocal");
    const struct fb_hash *hash = fb_hash_find("siphash-2-4");
    const uint64_t stream_keys = spec.filters * spec.n_keys;
    closed_by(fb_attack_counts_close) struct fb_attack_counts c;
    closed_by(fb_filter_close) struct fb_filter f;
    struct made m;
    uint64_t random = 0, found = 0, digest;
    const char *why = NULL;
    attack(&spec, FB_ATTACK_OFFLINE, &m);
    assert_int_equal(fb_attack_own_keys(&spec), stream_keys);
    assert_int_equal(fb_attack_first_tried(&spec), fb_attack_random_keys(&spec) + spec.probes);
    assert_int_equal(fb_attack_strike(&m.scene, hash, &m.found, &c, &why), FB_OK);
    assert_int_equal(fb_attack_build(&m.scene, hash, spec.n_keys, NULL, 0, &f, &why), FB_OK);
    for (uint64_t i = 0; i < spec.probes; i++) {
        const uint64_t number = fb_attack_random_keys(&spec) + i;
        assert_int_equal(fb_attack_digests(&m.scene, hash, 0, &number, 1, &digest), FB_OK);
        random += f.kernel->query(&f, &digest);
    }
    for (size_t i = 0; i < m.found.n; i++) {
        assert_int_equal(
            fb_attack_digests(&m.scene, hash, m.found.keys[i].number, NULL, 1, &digest), FB_OK);
        found += f.kernel->query(&f, &digest);
    }
    assert_int_equal(c.random_passed[1], random);
    assert_int_equal(c.passed[1], found);
    assert_int_equal(c.asked[1], m.found.n);
    done(&m);
}

TEST(some_attacks_mean_nothing)
{
    assert_non_null(fb_attack_why_not(fb_design_find("fuse-8"), FB_ATTACK_FLOOD));
    assert_null(fb_attack_why_not(fb_design_find("fuse-8"), FB_ATTACK_DEGENERATE));
    assert_non_null(fb_attack_why_not(fb_design_find("exact"), FB_ATTACK_OFFLINE));
    for (size_t a = 0; a < FB_N_ATTACKS; a++)
        assert_non_null(fb_attacks[a].name);
    assert_null(fb_attacks[FB_N_ATTACKS].name);
}

TESTS(NULL, NULL)
