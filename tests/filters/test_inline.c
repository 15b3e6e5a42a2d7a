/*
 * The functions of filters/inline/, as a user's own file compiles them, answer and insert as the
 * designs' kernels do: with every number of probes, on present and absent digests. What they
 * prefetch is what they read.
 */
#include "tests/unit.h"

#include <stdlib.h>

#include "filters/core/target.h"

static const void *prefetched;
#define __builtin_prefetch(address) (prefetched = (address))
#include "filters/inline/rocksdb_fastlocal.h"
#include "filters/inline/sbbf_256.h"
#include "filters/inline/sbbf_512.h"

enum { KEYS = 2000, DIGESTS = 6000 };

#define INLINE(design) design##_query, design##_prefetch, design##_insert

static const struct {
    const char *design;
    bool (*query)(const struct fb_filter *, const uint64_t *digest);
    void (*prefetch)(const struct fb_filter *, const uint64_t *digest);
    void (*insert)(struct fb_filter *, const uint64_t *digest);
} lookups[] = {{"sbbf-256", INLINE(fb_sbbf_256)},
               {"sbbf-256-libfilter", INLINE(fb_sbbf_256_libfilter)},
               {"sbbf-512", INLINE(fb_sbbf_512)},
               {"sbbf-512-pow2", INLINE(fb_sbbf_512_pow2)},
               {"rocksdb-fastlocal", INLINE(fb_rocksdb_fastlocal)}};

/* The filter again, from no keys; then without the line of one key. */
static void check_insert(size_t lookup, const uint64_t *digests, size_t n_keys,
                         const struct fb_filter *built)
{
    struct fb_filter f = *built;
    f.bytes = fb_alloc_lines(f.geom.n_bytes);
    assert_non_null(f.bytes);
    for (size_t i = 0; i < n_keys; i++)
        lookups[lookup].insert(&f, digests + i);
    assert_memory_equal(f.bytes, built->bytes, f.geom.n_bytes);
    for (size_t i = 0; i < n_keys; i += 100) {
        lookups[lookup].prefetch(&f, digests + i);
        const size_t at = (size_t)((const uint8_t *)prefetched - f.bytes);
        assert_true(at < f.geom.n_bytes && at % (f.geom.block_bits / 8) == 0);
        memset(f.bytes + at, 0, f.geom.block_bits / 8);
        assert_false(lookups[lookup].query(&f, digests + i));
        memcpy(f.bytes, built->bytes, f.geom.n_bytes);
    }
    free(f.bytes);
}

static void check(size_t lookup, size_t n_keys, uint32_t probes)
{
    const struct fb_design *design = fb_design_find(lookups[lookup].design);
    struct fb_params params = {.bits_per_key = 10, .probes = probes};
    uint64_t digests[DIGESTS], inserted[KEYS];
    closed_by(fb_filter_close) struct fb_filter f;
    const char *why;
    size_t hits = 0;
    for (size_t i = 0; i < DIGESTS; i++)
        digests[i] = fb_mix64(i + 1);
    memcpy(inserted, digests, n_keys * sizeof *inserted);
    assert_int_equal(fb_filter_build_digests(design, NULL, &params, inserted, n_keys, &f, &why),
                     FB_OK);
    for (size_t i = 0; i < DIGESTS; i++) {
        bool maybe = lookups[lookup].query(&f, digests + i);
        assert_int_equal(maybe, f.kernel->query(&f, digests + i));
        assert_true(maybe || i >= n_keys);
        hits += maybe;
    }
    assert_in_range(hits, n_keys, DIGESTS - 1);
    check_insert(lookup, digests, n_keys, &f);
}

TEST(answer_as_the_kernels)
{
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        check(i, 1, 0); /* one block */
        check(i, KEYS, 0);
    }
    for (uint32_t probes = 1; probes <= 30; probes++)
        check(4, KEYS, probes);
}

TESTS(NULL, NULL)
