/*
 * The lookups of filters/inline/, as a user's own file compiles them, answer as the designs'
 * kernels do: with every number of probes, on present and absent digests.
 */
#include "tests/unit.h"

#include <stdlib.h>

#include "filters/inline/rocksdb_fastlocal.h"
#include "filters/inline/sbbf_256.h"
#include "filters/inline/sbbf_512.h"

enum { KEYS = 2000, DIGESTS = 6000 };

static const struct {
    const char *design;
    bool (*query)(const struct fb_filter *, const uint64_t *digest);
} lookups[] = {{"sbbf-256", fb_sbbf_256_query},
               {"sbbf-512", fb_sbbf_512_query},
               {"sbbf-512-pow2", fb_sbbf_512_pow2_query},
               {"rocksdb-fastlocal", fb_rocksdb_fastlocal_query}};

static void check(size_t lookup, size_t n_keys, uint32_t probes)
{
    const struct fb_design *design = fb_design_find(lookups[lookup].design);
    struct fb_params params = {.bits_per_key = 10, .probes = probes};
    uint64_t digests[DIGESTS], inserted[KEYS];
    struct fb_filter f;
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
    fb_filter_close(&f);
}

static void answer_as_the_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        check(i, 1, 0); /* one block */
        check(i, KEYS, 0);
    }
    for (uint32_t probes = 1; probes <= 30; probes++)
        check(3, KEYS, probes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answer_as_the_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
