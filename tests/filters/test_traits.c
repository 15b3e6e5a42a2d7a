/*
 * What only some designs offer, asked of every registered design and those of tests/designs: keys
 * added later, taken out, refused; builds that fail and are tried again; growth; words of their
 * own; filters step by step. A design that does not offer it must say so.
 */
#include "tests/named.h"

#include "filters/core/builder.h"
#include "filters/core/key_digest.h"
#include "tests/golden.h"

enum { N = 3000, CHUNK = 7 };

static const struct fb_design *design;
static const char *why;

/* The digests of N present keys, then of N absent ones. */
static uint64_t *digests;
static unsigned words;

static struct fb_params usual_params(uint64_t capacity)
{
    return (struct fb_params){.bits_per_key = design->traits & FB_CONTROL ? 0 : 10,
                              .capacity = capacity};
}

static bool denies(void)
{
    return design->traits & FB_FALSE_NEGATIVES;
}

static int make_digests(void **state)
{
    struct fb_params params;
    struct fb_geometry geom;
    design = *state;
    params = usual_params(0);
    assert_int_equal(fb_params_plan(design, N, &params, &geom, &why), FB_OK);
    words = geom.digest_words;
    digests = malloc(2 * N * words * sizeof *digests);
    for (int absent = 0; absent < 2; absent++) {
        struct fb_keyset set = golden_keys("u64", 33, N, absent);
        assert_int_equal(
            fb_digest_keys(design, NULL, words, &set.keys, digests + (size_t)absent * N * words),
            FB_OK);
        fb_keyset_close(&set);
    }
    return 0;
}

static int free_digests(void **state)
{
    free(digests);
    return name_failure(state);
}

/* Of a copy of keys first .. first + n - 1: builds may reorder them. */
static enum fb_err build(const struct fb_design *of, uint64_t capacity, size_t first, size_t n,
                         struct fb_filter *out)
{
    const struct fb_params params = usual_params(capacity);
    uint64_t *copy = malloc((n * words + 1) * sizeof *copy);
    memcpy(copy, digests + first * words, n * words * sizeof *copy);
    enum fb_err err = fb_filter_build_digests(of, NULL, &params, copy, n, out, &why);
    free(copy);
    return err;
}

static size_t hits(const struct fb_filter *f, size_t first, size_t n)
{
    return f->kernel->query_each(f, digests + first * words, n);
}

static void check_all_in(const struct fb_filter *f, size_t first, size_t n)
{
    assert_int_equal(hits(f, first, n), denies() ? 0 : n);
}

/* No more absent keys are answered yes than 5 standard errors above three times the prediction. */
static void check_rate(const struct fb_filter *f, double predicted)
{
    const double most = 3 * predicted * N;
    assert_true((double)hits(f, N, N) <= most + 5 * sqrt(most) + 1);
}

static void check_same(const struct fb_filter *a, const struct fb_filter *b)
{
    assert_memory_equal(&a->geom, &b->geom, sizeof a->geom);
    assert_memory_equal(a->bytes, b->bytes, a->geom.n_bytes);
    assert_int_equal(a->n_keys, b->n_keys);
    assert_true(a->finished && b->finished);
    for (const struct fb_format *f = design->formats; f && f->name; f++) {
        const size_t size = (size_t)f->size(a);
        uint8_t *one = malloc(size + 1), *other = malloc(size + 1);
        assert_int_equal(f->size(b), size);
        assert_int_equal(fb_filter_write(a, f, one, &why), FB_OK);
        assert_int_equal(fb_filter_write(b, f, other, &why), FB_OK);
        assert_memory_equal(one, other, size);
        free(one);
        free(other);
    }
}

/* ---- Words of its own ---- */

static void own_words_have_names(void **state)
{
    (void)state;
    struct fb_filter f;
    size_t n = 0;
    assert_int_equal(build(design, 0, 0, N, &f), FB_OK);
    while (design->own && design->own[n]) {
        assert_true(*design->own[n]);
        n++;
    }
    assert_true(n <= FB_OWN_WORDS);
    for (; n < FB_OWN_WORDS; n++)
        assert_int_equal(f.geom.own[n], 0);
    fb_filter_close(&f);
}

/* ---- Step by step ---- */

static void add_in_steps(struct fb_builder *b, size_t n)
{
    size_t added;
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t some = n - i < CHUNK ? n - i : CHUNK;
        assert_int_equal(fb_builder_add(b, digests + i * words, some, &added, &why), FB_OK);
        assert_int_equal(added, some);
    }
}

static void equals_the_filter_built_at_once(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 8, 300, N};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i / 2];
        const bool known = i % 2;
        const struct fb_params params = usual_params(0);
        struct fb_builder b;
        struct fb_filter stepped, whole;
        snprintf(current, sizeof current, "%s: %zu keys, %s", design->name, n,
                 known ? "expected" : "not expected");
        enum fb_err err = fb_builder_open(&b, design, NULL, &params, known ? n : 0, &why);
        assert_int_equal(err, known || design->digest_words ? FB_OK : FB_EINVAL);
        if (!err) {
            assert_int_equal(b.words, words);
            add_in_steps(&b, n);
            assert_int_equal(fb_builder_finish(&b, &stepped, &why), FB_OK);
            assert_int_equal(build(design, 0, 0, n, &whole), FB_OK);
            check_same(&stepped, &whole);
            if (!known)
                assert_true(stepped.temporary_bytes >=
                            whole.temporary_bytes + n * words * sizeof *digests);
            fb_filter_close(&stepped);
            fb_filter_close(&whole);
        } else {
            assert_non_null(why);
        }
        fb_builder_close(&b);
    }
    *current = '\0';
}

/* More keys than were expected: of a design that is filled as they come the filter is the one of
 * that capacity, unless it grew or is full; others are sized for what came. */
static void takes_more_keys_than_expected(void **state)
{
    (void)state;
    const struct fb_params params = usual_params(0);
    const bool waits = fb_design_waits(design);
    struct fb_builder b;
    struct fb_filter stepped, whole;
    size_t added;
    assert_int_equal(fb_builder_open(&b, design, NULL, &params, 100, &why), FB_OK);
    enum fb_err err = fb_builder_add(&b, digests, N, &added, &why);
    assert_true(err == (added < N ? FB_EFULL : FB_OK));
    assert_true(!err || (design->when_full && !design->grow && !waits && why));
    err = fb_builder_finish(&b, &stepped, &why);
    assert_int_equal(err, FB_OK);
    assert_int_equal(stepped.n_keys, added);
    check_all_in(&stepped, 0, added);
    if (!design->grow) {
        assert_int_equal(build(design, waits ? 0 : 100, 0, added, &whole), FB_OK);
        check_same(&stepped, &whole);
        fb_filter_close(&whole);
    }
    fb_filter_close(&stepped);
    fb_builder_close(&b);
}

static void an_unfinished_filter_is_not_written(void **state)
{
    (void)state;
    struct fb_filter f, raw;
    assert_int_equal(build(design, 0, 0, N, &f), FB_OK);
    assert_int_equal(fb_filter_alloc(design, &f.geom, &raw), FB_OK);
    if (raw.kernel->add_batch)
        raw.kernel->add_batch(&raw, digests, N);
    for (const struct fb_format *format = design->formats; format && format->name; format++) {
        uint8_t *block = malloc((size_t)format->size(&f) + 1);
        why = NULL;
        assert_int_equal(fb_filter_write(&raw, format, block, &why), FB_EINVAL);
        assert_non_null(why);
        assert_int_equal(fb_filter_write(&f, format, block, &why), FB_OK);
        assert_null(why);
        free(block);
    }
    fb_filter_close(&raw);
    fb_filter_close(&f);
}

/* ---- Adding and removing ---- */

static void keys_that_come_later_count(void **state)
{
    (void)state;
    struct fb_filter f, whole;
    size_t added = 7;
    assert_int_equal(build(design, N, 0, N / 2, &f), FB_OK);
    enum fb_err err = fb_filter_add(&f, digests + N / 2 * words, N / 2, &added, &why);
    assert_int_equal(err, fb_design_adds(design) ? FB_OK : FB_EUNSUPPORTED);
    assert_int_equal(added, err ? 0 : N / 2);
    assert_true(!err == !why);
    if (!err) {
        assert_int_equal(build(design, N, 0, N, &whole), FB_OK);
        check_same(&f, &whole);
        fb_filter_close(&whole);
    }
    fb_filter_close(&f);
}

static void check_removal(const struct fb_kernel *kernel)
{
    struct fb_filter f;
    size_t removed, added;
    assert_int_equal(build(design, 0, 0, N, &f), FB_OK);
    f.kernel = kernel;
    assert_int_equal(fb_filter_remove(&f, digests, N / 3, &removed, &why), FB_OK);
    assert_int_equal(removed, N / 3);
    assert_int_equal(f.n_keys, N - N / 3);
    check_all_in(&f, N / 3, N - N / 3);
    assert_true((double)hits(&f, 0, N / 3) <= 3 * design->fpr(&f.geom, N) * N / 3 + 20);
    assert_int_equal(fb_filter_add(&f, digests, N / 3, &added, &why), FB_OK);
    check_all_in(&f, 0, N);
    assert_int_equal(fb_filter_remove(&f, digests, N, &removed, &why), FB_OK);
    assert_int_equal(removed, N);
    assert_int_equal(f.n_keys, 0);
    assert_int_equal(hits(&f, 0, 2 * N), 0);
    assert_int_equal(fb_filter_remove(&f, digests, N, &removed, &why), FB_OK);
    assert_int_equal(removed, 0);
    fb_filter_close(&f);
}

static void keys_are_taken_out(void **state)
{
    (void)state;
    struct fb_filter f;
    size_t removed = 7;
    for (const struct fb_kernel *const *k = design->kernels; *k; k++) {
        assert_int_equal((*k)->remove_batch != NULL, fb_design_removes(design));
        if (fb_design_removes(design) && fb_cpu_has((*k)->isa))
            check_removal(*k);
    }
    if (fb_design_removes(design))
        return;
    assert_int_equal(build(design, 0, 0, N, &f), FB_OK);
    assert_int_equal(fb_filter_remove(&f, digests, N, &removed, &why), FB_EUNSUPPORTED);
    assert_non_null(why);
    assert_int_equal(removed, 0);
    assert_int_equal(f.n_keys, design->traits & FB_DROPS_ADJACENT ? f.n_keys : N);
    fb_filter_close(&f);
}

/* ---- Full ---- */

static void a_full_filter_keeps_what_is_in(void **state)
{
    (void)state;
    struct fb_filter f;
    size_t added;
    if (!fb_design_adds(design))
        return;
    assert_int_equal(build(design, 100, 0, 50, &f), FB_OK);
    enum fb_err err = fb_filter_add(&f, digests + 50 * words, N - 50, &added, &why);
    assert_int_equal(err, design->when_full && !design->grow ? FB_EFULL : FB_OK);
    assert_true(err ? added >= 40 && added < N - 50 : added == N - 50);
    assert_int_equal(f.n_keys, 50 + added);
    assert_ptr_equal(why, err ? design->when_full : NULL);
    check_all_in(&f, 0, 50 + added);
    fb_filter_close(&f);
}

static void an_infallible_design_never_fails(void **state)
{
    (void)state;
    struct fb_filter f;
    assert_true(!design->retry || design->when_full);
    if (design->when_full)
        return;
    assert_int_equal(build(design, 10, 0, N, &f), FB_OK);
    check_all_in(&f, 0, N);
    fb_filter_close(&f);
}

/* ---- Builds that fail ---- */

static const struct fb_design *real;
static unsigned failures;

/* Fails `failures` times, half of its keys placed, then builds as the real design does. */
static enum fb_err fail_first(struct fb_build *b, struct fb_filter *out)
{
    b->temporary_bytes = 1000 + failures;
    b->placed = b->n / 2;
    if (failures) {
        failures--;
        return FB_EFULL;
    }
    if (real->build)
        return real->build(b, out);
    b->placed = out->kernel->add_batch(out, b->digests, b->n);
    return b->placed < b->n ? FB_EFULL : FB_OK;
}

static void a_build_is_tried_again(void **state)
{
    (void)state;
    struct fb_design failing = *design;
    struct fb_filter f, first;
    failing.build = fail_first;
    real = design;
    failures = 2;
    enum fb_err err = build(&failing, 0, 0, N, &f);
    assert_int_equal(err, design->retry ? FB_OK : FB_EFULL);
    assert_int_equal(failures, design->retry ? 0 : 1);
    if (err) {
        assert_null(f.bytes);
        assert_ptr_equal(why, design->when_full);
        return;
    }
    assert_in_range(f.attempts, 3, 10); /* the real build may fail as well */
    assert_in_range(f.temporary_bytes, 1002, UINT64_MAX);
    assert_int_equal(build(design, 0, 0, N, &first), FB_OK);
    assert_memory_not_equal(&f.geom, &first.geom, sizeof f.geom);
    check_all_in(&f, 0, N);
    check_rate(&f, design->fpr(&f.geom, N));
    fb_filter_close(&first);
    fb_filter_close(&f);
}

static void a_build_gives_up(void **state)
{
    (void)state;
    struct fb_design failing = *design;
    const struct fb_params params = usual_params(0);
    struct fb_builder b;
    struct fb_filter f;
    failing.build = fail_first;
    real = design;
    failures = 1000;
    assert_int_equal(fb_builder_open(&b, &failing, NULL, &params, N, &why), FB_OK);
    add_in_steps(&b, N);
    assert_int_equal(fb_builder_finish(&b, &f, &why), FB_EFULL);
    assert_null(f.bytes);
    assert_ptr_equal(why, design->when_full);
    assert_in_range(b.placed, 1, N / 2);
    assert_in_range(1000 - failures, design->retry ? 2 : 1, design->retry ? FB_MAX_ATTEMPTS : 1);
    fb_builder_close(&b);
}

/* ---- Keys as digests ---- */

static void one_key_is_asked(void **state)
{
    (void)state;
    struct fb_keyset set = golden_keys("bin", 5, 100, false);
    const struct fb_params params = usual_params(0);
    struct fb_filter f;
    bool maybe;
    assert_int_equal(fb_filter_build(design, NULL, &params, &set.keys, &f, &why), FB_OK);
    for (size_t i = 0; i < set.keys.n; i++) {
        assert_int_equal(
            fb_filter_query_key(&f, fb_key_at(&set.keys, i), fb_key_len(&set.keys, i), &maybe),
            FB_OK);
        assert_int_equal(maybe, !denies());
    }
    static const uint8_t zeros[1000];
    assert_int_equal(fb_filter_query_key(&f, zeros, sizeof zeros, &maybe),
                     design->traits & FB_TAKES_KEYS ? FB_EUNSUPPORTED : FB_OK);
    fb_filter_close(&f);
    fb_keyset_close(&set);
}

static void digests_are_keys(void **state)
{
    (void)state;
    uint64_t digest[3], again[3];
    for (size_t len = 0; len <= 16; len++) {
        size_t back;
        fb_key_digest("0123456789abcdef", len, 3, digest);
        const uint8_t *key = fb_key_of_digest(digest, 3, &back);
        assert_int_equal(back, len);
        assert_memory_equal(key, "0123456789abcdef", len);
    }
    fb_key_digest("0123456789abcdefgh", 18, 3, again);
    assert_memory_equal(again, digest, sizeof digest);
    for (uint64_t word = 0; word < 100; word++) {
        size_t len;
        fb_key_of_digest((uint64_t[]){word, 0, 0}, 3, &len);
        assert_int_equal(len, word % 17);
    }
}

int main(void)
{
    static const struct CMUnitTest per_design[] = {
        cmocka_unit_test_setup_teardown(own_words_have_names, make_digests, free_digests),
        cmocka_unit_test_setup_teardown(equals_the_filter_built_at_once, make_digests,
                                        free_digests),
        cmocka_unit_test_setup_teardown(takes_more_keys_than_expected, make_digests, free_digests),
        cmocka_unit_test_setup_teardown(an_unfinished_filter_is_not_written, make_digests,
                                        free_digests),
        cmocka_unit_test_setup_teardown(keys_that_come_later_count, make_digests, free_digests),
        cmocka_unit_test_setup_teardown(keys_are_taken_out, make_digests, free_digests),
        cmocka_unit_test_setup_teardown(a_full_filter_keeps_what_is_in, make_digests, free_digests),
        cmocka_unit_test_setup_teardown(an_infallible_design_never_fails, make_digests,
                                        free_digests),
        cmocka_unit_test_setup_teardown(a_build_is_tried_again, make_digests, free_digests),
        cmocka_unit_test_setup_teardown(a_build_gives_up, make_digests, free_digests),
        cmocka_unit_test_setup_teardown(one_key_is_asked, make_digests, free_digests),
        cmocka_unit_test_setup_teardown(digests_are_keys, make_digests, free_digests),
    };
    enum { TESTS = sizeof per_design / sizeof *per_design };
    int failed = 0;
    for (size_t d = 0; d < fb_n_designs(); d++) {
        struct CMUnitTest tests[TESTS];
        memcpy(tests, per_design, sizeof tests);
        for (size_t t = 0; t < TESTS; t++)
            tests[t].initial_state = (void *)fb_design_at(d);
        failed += cmocka_run_group_tests_name(fb_design_at(d)->name, tests, NULL, NULL);
    }
    return failed ? 1 : 0;
}
