/*
 * The loops of inline_loop.h, in every instruction set that runs here: the header's answer and
 * insert as the kernels do, the peer's as well where its layout is the design's; elsewhere the peer
 * finds what it inserted, at a rate like the design's.
 */
#include "tests/unit.h"

#include <stdlib.h>

#include "harness/filter/inline_loop.h"

enum { KEYS = 3000, DIGESTS = 40000, WORDS = 2 };

struct scene {
    const struct fb_inline_loops *loops;
    struct fb_filter built, filled; /* filled: of no key */
    uint64_t digests[WORDS * DIGESTS];
    uint8_t maybe[DIGESTS];
};

static void open_scene(struct scene *s, const struct fb_inline_loops *loops)
{
    const struct fb_design *design = fb_design_find(loops->design);
    const struct fb_params params = {.bits_per_key = fb_design_sized(design) ? 10 : 0};
    uint64_t keys[WORDS * KEYS];
    const char *why;
    for (size_t i = 0; i < WORDS * DIGESTS; i++)
        s->digests[i] = fb_mix64(i + 1);
    memcpy(keys, s->digests, sizeof keys);
    s->loops = loops;
    assert_int_equal(fb_filter_build_digests(design, NULL, &params, keys, KEYS, &s->built, &why),
                     FB_OK);
    s->filled = s->built;
    s->filled.bytes = fb_alloc_lines(s->built.geom.n_bytes);
    assert_non_null(s->filled.bytes);
}

static void close_scene(struct scene *s)
{
    fb_filter_close(&s->built);
    free(s->filled.bytes);
}

static void check_same(struct scene *s, const struct fb_inline_loop *loop)
{
    const size_t words = s->built.geom.digest_words;
    size_t hits = 0;
    assert_true(loop->query(&s->built, s->digests, DIGESTS, s->maybe) < DIGESTS / 5);
    for (size_t i = 0; i < DIGESTS; i++) {
        const bool asked = s->built.kernel->query(&s->built, s->digests + i * words);
        assert_int_equal(s->maybe[i], asked);
        hits += asked;
    }
    assert_int_equal(loop->query(&s->built, s->digests, DIGESTS, s->maybe), hits);
    if (!loop->insert)
        return;
    memset(s->filled.bytes, 0, s->built.geom.n_bytes);
    loop->insert(&s->filled, s->digests, KEYS);
    assert_memory_equal(s->filled.bytes, s->built.bytes, s->built.geom.n_bytes);
}

static void check_other_layout(struct scene *s, const struct fb_inline_loop *loop)
{
    if (!loop->insert) { /* its answers are those of chance */
        assert_true(loop->query(&s->built, s->digests, DIGESTS, s->maybe) < DIGESTS / 50);
        return;
    }
    memset(s->filled.bytes, 0, s->built.geom.n_bytes);
    loop->insert(&s->filled, s->digests, KEYS);
    const size_t words = s->built.geom.digest_words;
    assert_int_equal(loop->query(&s->filled, s->digests, KEYS, s->maybe), KEYS);
    const size_t hits =
        loop->query(&s->filled, s->digests + KEYS * words, DIGESTS - KEYS, s->maybe);
    assert_in_range(hits, (DIGESTS - KEYS) / 500, (DIGESTS - KEYS) / 50); /* 0.2 to 2 % */
    assert_memory_not_equal(s->filled.bytes, s->built.bytes, s->built.geom.n_bytes);
}

TEST(loops_answer_and_insert)
{
    struct scene *s = malloc(sizeof *s);
    assert_non_null(s);
    size_t n = 0;
    for (size_t d = 0; d < fb_n_designs(); d++)
        for (int isa = 0; isa < FB_N_ISAS; isa++) {
            const struct fb_inline_loops *loops =
                fb_inline_loops_of(fb_design_at(d)->name, (enum fb_isa)isa);
            if (!loops || !fb_cpu_has((enum fb_isa)isa))
                continue;
            open_scene(s, loops);
            check_same(s, &loops->form[FB_INLINE_HEADER]);
            if (loops->same_layout)
                check_same(s, &loops->form[FB_INLINE_PEER]);
            else
                check_other_layout(s, &loops->form[FB_INLINE_PEER]);
            close_scene(s);
            n++;
        }
    free(s);
    assert_true(n >= 12);
    assert_null(fb_inline_loops_of("quotient", FB_ISA_SCALAR));
    assert_null(fb_inline_loops_of("sbbf-256", FB_ISA_NONE));
}

TESTS(NULL, NULL)
