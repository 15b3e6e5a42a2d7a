/*
 * Counters: a key added fifteen times stays whatever is taken out, fourteen times goes with the
 * fourteenth removal; keys beside it keep their answers.
 */
#include "tests/unit.h"

#include "filters/core/filter.h"

enum { KEYS = 200 };

static struct fb_filter built(uint64_t *digests)
{
    const struct fb_params params = {.bits_per_key = 40};
    struct fb_filter f;
    const char *why;
    for (size_t i = 0; i < KEYS; i++)
        digests[i] = fb_mix64(i + 1);
    assert_int_equal(
        fb_filter_build_digests(fb_design_find("counting"), NULL, &params, digests, KEYS, &f, &why),
        FB_OK);
    return f;
}

/* Adds the digest, which is in once, until it is in `times` times; takes it out as often as it is
 * found, at most 100 times; returns how often. */
static size_t found_after(struct fb_filter *f, uint64_t digest, size_t times)
{
    size_t found = 0;
    for (size_t i = 1; i < times; i++)
        f->kernel->add_batch(f, &digest, 1);
    while (found < 100 && f->kernel->remove_batch(f, &digest, 1))
        found++;
    return found;
}

TEST(a_counter_counts_to_fourteen_and_keeps_fifteen)
{
    for (size_t times = 1; times <= 40; times++) {
        uint64_t digests[KEYS], alone = fb_mix64(KEYS + 1);
        closed_by(fb_filter_close) struct fb_filter f = built(digests);
        /* Alone in the filter: no other key counts with it. */
        memset(f.bytes, 0, f.geom.n_bytes);
        f.kernel->add_batch(&f, &alone, 1);
        assert_int_equal(found_after(&f, alone, times), times < 15 ? times : 100);
        assert_int_equal(f.kernel->query(&f, &alone), times >= 15);
    }
}

TEST(the_others_stay)
{
    uint64_t digests[KEYS];
    closed_by(fb_filter_close) struct fb_filter f = built(digests);
    for (size_t i = 0; i < KEYS; i += 2) {
        for (size_t j = 0; j < 20; j++)
            f.kernel->add_batch(&f, digests + i, 1);
        for (size_t j = 0; j < 21; j++)
            f.kernel->remove_batch(&f, digests + i, 1);
        for (size_t j = 1; j < KEYS; j += 2)
            assert_true(f.kernel->query(&f, digests + j));
    }
}

TESTS(NULL, NULL)
