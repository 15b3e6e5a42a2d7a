/*
 * The functions of filters/inline/, as a user's own file compiles them and in every instruction set
 * that they have, answer and insert as the designs' kernels do: with every number of probes, on
 * present and absent digests. What they prefetch is what they read.
 */
#include "tests/unit.h"

#include <stdlib.h>

#include "filters/core/target.h"

static const void *prefetched;
#define __builtin_prefetch(address) (prefetched = (address))
#include "filters/inline/bloom_double.h"
#include "filters/inline/cuckoo.h"
#include "filters/inline/fuse.h"
#include "filters/inline/leveldb.h"
#include "filters/inline/nori.h"
#include "filters/inline/rocksdb_fastlocal.h"
#include "filters/inline/sbbf_256.h"
#include "filters/inline/sbbf_512.h"
#include "filters/inline/xor.h"

enum { KEYS = 2000, ABSENT = 4000, WORDS = 2 };
enum { FAR_KEYS = 1700000 }; /* at 10 bits more than FB_WALK_NEAR_BITS */

/* Functions of one instruction set, called where the machine has it. */
#define WITH_INSERT(design, isa, attribute)                                                        \
    attribute static bool design##_ask_##isa(const struct fb_filter *f, const uint64_t *digest)    \
    {                                                                                              \
        return design##_query_##isa(f, digest);                                                    \
    }                                                                                              \
    attribute static void design##_put_##isa(struct fb_filter *f, const uint64_t *digest)          \
    {                                                                                              \
        design##_insert_##isa(f, digest);                                                          \
    }
#define QUERY_ALONE(design, isa, attribute)                                                        \
    attribute static bool design##_ask_##isa(const struct fb_filter *f, const uint64_t *digest)    \
    {                                                                                              \
        return design##_query_##isa(f, digest);                                                    \
    }
#define PER_ISA(WITH, design)                                                                      \
    WITH(design, scalar, )                                                                         \
    FB_IF_AVX2(WITH(design, avx2, FB_AVX2))                                                        \
    FB_IF_AVX512(WITH(design, avx512, FB_AVX512)) FB_IF_NEON(WITH(design, neon, ))
PER_ISA(WITH_INSERT, fb_sbbf_256)
PER_ISA(WITH_INSERT, fb_sbbf_256_libfilter)
PER_ISA(WITH_INSERT, fb_sbbf_512)
PER_ISA(WITH_INSERT, fb_sbbf_512_pow2)
PER_ISA(QUERY_ALONE, fb_rocksdb_fastlocal)

static void put_cuckoo_12(struct fb_filter *f, const uint64_t *digest)
{
    assert_true(fb_cuckoo_12_insert(f, digest));
}

static void put_cuckoo_16(struct fb_filter *f, const uint64_t *digest)
{
    assert_true(fb_cuckoo_16_insert(f, digest));
}

struct lookup {
    const char *design;
    enum fb_isa isa;
    double bits_per_key; /* 0: the size that it has */
    bool (*query)(const struct fb_filter *, const uint64_t *digest);
    void (*prefetch)(const struct fb_filter *, const uint64_t *digest);
    void (*insert)(struct fb_filter *, const uint64_t *digest); /* NULL: none */
};

#define OF_ISA(name, design, isa, ISA)                                                             \
    {name, ISA, 10, design##_ask_##isa, design##_prefetch, design##_put_##isa},
#define ALL_ISAS(OF, name, design)                                                                 \
    OF(name, design, scalar, FB_ISA_SCALAR)                                                        \
    FB_IF_AVX2(OF(name, design, avx2, FB_ISA_AVX2))                                                \
    FB_IF_AVX512(OF(name, design, avx512, FB_ISA_AVX512))                                          \
    FB_IF_NEON(OF(name, design, neon, FB_ISA_NEON)){                                               \
        name, FB_ISA_SCALAR, 10, design##_query, design##_prefetch, design##_insert},
#define FASTLOCAL(name, design, isa, ISA)                                                          \
    {name, ISA, 10, design##_ask_##isa, design##_prefetch, design##_insert},

static const struct lookup lookups[] = {
    ALL_ISAS(OF_ISA, "sbbf-256", fb_sbbf_256)
        ALL_ISAS(OF_ISA, "sbbf-256-libfilter", fb_sbbf_256_libfilter)
            ALL_ISAS(OF_ISA, "sbbf-512", fb_sbbf_512)
                ALL_ISAS(OF_ISA, "sbbf-512-pow2", fb_sbbf_512_pow2)
                    ALL_ISAS(FASTLOCAL, "rocksdb-fastlocal",
                             fb_rocksdb_fastlocal){"leveldb", FB_ISA_SCALAR, 10, fb_leveldb_query,
                                                   fb_leveldb_prefetch, fb_leveldb_insert},
    {"nori", FB_ISA_SCALAR, 10, fb_nori_query, fb_nori_prefetch, fb_nori_insert},
    {"bloom-double", FB_ISA_SCALAR, 10, fb_bloom_double_query, fb_bloom_double_prefetch,
     fb_bloom_double_insert},
    {"cuckoo-12", FB_ISA_SCALAR, 13, fb_cuckoo_12_query, fb_cuckoo_12_prefetch, put_cuckoo_12},
    {"cuckoo-16", FB_ISA_SCALAR, 18, fb_cuckoo_16_query, fb_cuckoo_16_prefetch, put_cuckoo_16},
    {"fuse-8", FB_ISA_SCALAR, 0, fb_fuse_8_query, fb_fuse_8_prefetch, NULL},
    {"fuse-16", FB_ISA_SCALAR, 0, fb_fuse_16_query, fb_fuse_16_prefetch, NULL},
    {"xor-8", FB_ISA_SCALAR, 0, fb_xor_8_query, fb_xor_8_prefetch, NULL},
    {"xor-16", FB_ISA_SCALAR, 0, fb_xor_16_query, fb_xor_16_prefetch, NULL}};

/* Offset of what is fetched for a digest: a whole block of designs that have blocks. */
static size_t fetched(const struct lookup *l, const struct fb_filter *f, const uint64_t *digest)
{
    prefetched = NULL;
    l->prefetch(f, digest);
    const size_t at = (size_t)((const uint8_t *)prefetched - f->bytes);
    assert_true(at < f->geom.n_bytes);
    return at;
}

/* The filter again, from no keys; then without what was fetched for one key. */
static void check_insert(const struct lookup *l, const uint64_t *digests, size_t n_keys,
                         const struct fb_filter *built)
{
    const size_t block = built->geom.block_bits / 8, words = built->geom.digest_words;
    struct fb_filter f = *built;
    f.bytes = fb_alloc_lines(f.geom.n_bytes);
    assert_non_null(f.bytes);
    for (size_t i = 0; i < n_keys; i++)
        l->insert(&f, digests + i * words);
    assert_memory_equal(f.bytes, built->bytes, f.geom.n_bytes);
    for (size_t i = 0; i < n_keys; i += 1 + n_keys / 20) {
        const uint64_t *digest = digests + i * words;
        const size_t at = fetched(l, &f, digest);
        assert_true(!block || at % block == 0);
        memset(f.bytes + at, 0, block ? block : 8 < f.geom.n_bytes - at ? 8 : f.geom.n_bytes - at);
        assert_true(!l->query(&f, digest) || f.kernel->remove_batch); /* in the other bucket */
        memcpy(f.bytes, built->bytes, f.geom.n_bytes);
    }
    free(f.bytes);
}

static void check(const struct lookup *l, size_t n_keys, uint32_t probes)
{
    const struct fb_design *design = fb_design_find(l->design);
    struct fb_params params = {.bits_per_key = l->bits_per_key, .probes = probes};
    const size_t n = n_keys + ABSENT;
    auto_free uint64_t *digests = calloc(WORDS * n, sizeof *digests);
    auto_free uint64_t *inserted = calloc(WORDS * n, sizeof *inserted);
    auto_free uint8_t *answers = malloc(n);
    closed_by(fb_filter_close) struct fb_filter f;
    const char *why;
    size_t hits = 0;
    for (size_t i = 0; i < WORDS * n; i++)
        inserted[i] = digests[i] = fb_mix64(i + 1);
    assert_int_equal(fb_filter_build_digests(design, NULL, &params, inserted, n_keys, &f, &why),
                     FB_OK);
    f.kernel->query_batch(&f, digests, n, answers);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *digest = digests + i * f.geom.digest_words;
        bool maybe = l->query(&f, digest);
        assert_int_equal(maybe, answers[i]);
        assert_int_equal(maybe, f.kernel->query(&f, digest));
        assert_true(maybe || i >= n_keys);
        fetched(l, &f, digest);
        hits += maybe;
    }
    assert_in_range(hits, n_keys, n - 1);
    if (l->insert)
        check_insert(l, digests, n_keys, &f);
}

TEST(answer_as_the_kernels)
{
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        const struct lookup *l = &lookups[i];
        if (!fb_cpu_has(l->isa))
            continue;
        check(l, 1, 0); /* one block */
        check(l, KEYS, 0);
        const bool choose = !(fb_design_find(l->design)->traits & FB_FIXED_PROBES);
        for (uint32_t probes = 1; choose && probes <= 30; probes++)
            check(l, KEYS, probes);
        for (uint32_t probes = 2; choose && probes <= 4; probes++)
            check(l, FAR_KEYS, probes);
        struct lookup farther = *l;
        farther.bits_per_key = 160; /* more than FB_WALK_FAR_BITS */
        if (choose)
            check(&farther, FAR_KEYS, 4);
    }
}

TEST(a_full_cuckoo_filter_refuses)
{
    const struct fb_params params = {.bits_per_key = 13};
    const uint64_t digest = 7;
    closed_by(fb_filter_close) struct fb_filter f;
    uint64_t digests[KEYS];
    const char *why;
    for (size_t i = 0; i < KEYS; i++)
        digests[i] = fb_mix64(i + 1);
    assert_int_equal(fb_filter_build_digests(fb_design_find("cuckoo-12"), NULL, &params, digests,
                                             KEYS, &f, &why),
                     FB_OK);
    unsigned in = 0;
    while (in < 9 && fb_cuckoo_12_insert(&f, &digest))
        in++;
    assert_in_range(in, 1, 8); /* the slots of two buckets */
    uint8_t *before = malloc(f.geom.n_bytes);
    assert_non_null(before);
    memcpy(before, f.bytes, f.geom.n_bytes);
    assert_false(fb_cuckoo_12_insert(&f, &digest));
    assert_memory_equal(f.bytes, before, f.geom.n_bytes);
    for (; in; in--)
        assert_true(fb_cuckoo_12_remove(&f, &digest));
    assert_false(fb_cuckoo_12_query(&f, &digest));
    assert_false(fb_cuckoo_12_remove(&f, &digest));
    free(before);
}

TESTS(NULL, NULL)
