/*
 * Builds with the structure of other libraries (peer_build.h): what they built holds every key, by
 * the design's own query, or the peer's where the layout is another, and few others.
 */
#include "tests/unit.h"

#include <stdlib.h>

#include "harness/filter/inline_loop.h"
#include "harness/filter/peer_build.h"

enum { MOST = 30000, OTHERS = 50000 };

static uint64_t digest_of(uint64_t i)
{
    return fb_mix64(i + 1);
}

static size_t asked(const struct fb_filter *f, uint64_t first, size_t n, bool own)
{
    static uint64_t digests[OTHERS];
    static uint8_t maybe[OTHERS];
    const struct fb_inline_loops *loops = fb_inline_loops_of(
        f->design->name, fb_inline_loops_of("leveldb", FB_ISA_NEON) ? FB_ISA_NEON : FB_ISA_SCALAR);
    for (size_t i = 0; i < n; i++)
        digests[i] = digest_of(first + i);
    return loops->form[own ? FB_INLINE_HEADER : FB_INLINE_PEER].query(f, digests, n, maybe);
}

static void check(const char *name, size_t n)
{
    const struct fb_design *design = fb_design_find(name);
    const bool own = strncmp(name, "cuckoo", 6) != 0;
    const struct fb_params params = {.bits_per_key = fb_design_sized(design) ? 10 : 0};
    closed_by(fb_filter_close) struct fb_filter built, peers;
    uint64_t *digests = malloc((n + 1) * sizeof *digests);
    const char *why;
    assert_non_null(digests);
    for (size_t i = 0; i < n; i++)
        digests[i] = digest_of(i);
    assert_int_equal(fb_filter_build_digests(design, NULL, &params, digests, n, &built, &why),
                     FB_OK);
    for (size_t i = 0; i < n; i++) /* a build may have reordered them */
        digests[i] = digest_of(i);
    assert_int_equal(fb_peer_build_of(name)(&built, digests, n, &peers), FB_OK);
    assert_int_equal(asked(&peers, 0, n, own), n);
    const size_t hits = asked(&peers, MOST, OTHERS, own);
    assert_true(hits < OTHERS / 50);
    assert_true(hits > 0 || strstr(name, "-16"));
    if (!strcmp(name, "leveldb"))
        assert_memory_equal(peers.bytes, built.bytes, built.geom.n_bytes);
    free(digests);
}

TEST(peers_hold_their_keys)
{
    static const char *const designs[] = {"leveldb", "xor-8",     "xor-16",   "fuse-8",
                                          "fuse-16", "cuckoo-12", "cuckoo-16"};
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        check(designs[d], 100);
        check(designs[d], MOST);
    }
    assert_null(fb_peer_build_of("nori"));
}

/* Peeling does not end. */
TEST(a_key_that_stands_twice_is_refused)
{
    const struct fb_design *design = fb_design_find("fuse-8");
    const struct fb_params params = {0};
    closed_by(fb_filter_close) struct fb_filter built, peers;
    uint64_t digests[] = {1, 2, 3, 4}, twice[] = {1, 2, 3, 3};
    const char *why;
    assert_int_equal(fb_filter_build_digests(design, NULL, &params, digests, 4, &built, &why),
                     FB_OK);
    assert_int_equal(fb_peer_build_of("fuse-8")(&built, twice, 4, &peers), FB_EFULL);
}

TESTS(NULL, NULL)
