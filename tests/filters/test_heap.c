/* The memory that builds count is the memory that they take: every call of malloc() and its like
 * goes through this file, by the linker's --wrap. */
#include "tests/unit.h"

#include "filters/core/builder.h"

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
void __real_free(void *);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void *__wrap_aligned_alloc(size_t, size_t);
void __wrap_free(void *);

/* What is allocated while a build is watched, filters apart: they start on a cache line. */
static struct piece {
    void *at;
    size_t n_bytes;
} pieces[64];
static uint64_t live, most;
static bool watching;

static struct piece *piece_at(const void *at)
{
    struct piece *p = pieces;
    while (p < pieces + 64 && p->at != at)
        p++;
    return p < pieces + 64 ? p : NULL;
}

static void *born(void *at, size_t n_bytes)
{
    if (!watching || !at)
        return at;
    struct piece *free_one = piece_at(NULL);
    assert_non_null(free_one);
    *free_one = (struct piece){at, n_bytes};
    live += n_bytes;
    most = live > most ? live : most;
    return at;
}

static void died(void *at)
{
    struct piece *p = watching && at ? piece_at(at) : NULL;
    if (!p)
        return;
    live -= p->n_bytes;
    p->at = NULL;
}

void *__wrap_malloc(size_t n_bytes)
{
    return born(__real_malloc(n_bytes), n_bytes);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return born(__real_calloc(n, size), n * size);
}

void *__wrap_realloc(void *at, size_t n_bytes)
{
    died(at);
    return born(__real_realloc(at, n_bytes), n_bytes);
}

void *__wrap_aligned_alloc(size_t line, size_t n_bytes)
{
    return __real_aligned_alloc(line, n_bytes);
}

void __wrap_free(void *at)
{
    died(at);
    __real_free(at);
}

static void watch(bool on)
{
    watching = on;
    if (on)
        live = most = 0;
}

/* Keys 0 .. n - 1, the last one once more. */
static void fill(uint64_t *digests, size_t n, unsigned words)
{
    for (size_t i = 0; i < n * words; i++)
        digests[i] = fb_mix64(i + 1);
    for (unsigned w = 0; w < words; w++)
        digests[(n - 1) * words + w] = digests[(n - 2) * words + w];
}

static struct fb_params params_of(const struct fb_design *design)
{
    if (design->traits & FB_CONTROL)
        return (struct fb_params){0};
    return (struct fb_params){.bits_per_key = 24};
}

TEST(builds_count_what_they_allocate)
{
    static const size_t sizes[] = {2, 300, 20000};
    unsigned n_static = 0;
    for (size_t d = 0; d < 3 * fb_n_designs(); d++) {
        const struct fb_design *design = fb_design_at(d / 3);
        const struct fb_params params = params_of(design);
        const size_t n = sizes[d % 3];
        struct fb_params resolved = params;
        struct fb_geometry geom;
        struct fb_filter f;
        const char *why;
        if (fb_params_plan(design, n, &resolved, &geom, &why) || design->traits & FB_TAKES_KEYS)
            continue;
        uint64_t *digests = calloc(n * geom.digest_words + 1, sizeof *digests);
        fill(digests, n, geom.digest_words);
        watch(true);
        assert_int_equal(fb_filter_build_digests(design, NULL, &params, digests, n, &f, &why),
                         FB_OK);
        watch(false);
        assert_int_equal(f.temporary_bytes, most);
        assert_int_equal(live, 0);
        n_static += most > 0;
        fb_filter_close(&f);
        free(digests);
    }
    assert_true(n_static ==
                3 * 6 - 1); /* fuse, xor, ribbon, two of each; a few keys in a Bloom filter */
}

/* Their digests wait, too: those of keys, and those that a builder keeps. */
TEST(digests_that_wait_count)
{
    enum { N = 5000 };
    static const char *const names[] = {"fuse-8", "ribbon-homogeneous", "rocksdb-legacy"};
    static uint8_t bytes[8 * N];
    static uint64_t offset[N + 1];
    for (size_t i = 0; i < N; i++) {
        offset[i + 1] = 8 * (i + 1);
        fb_put_le64(bytes + 8 * i, fb_mix64(i));
    }
    const struct fb_keys keys = {.bytes = bytes, .offset = offset, .n = N};
    for (size_t d = 0; d < sizeof names / sizeof *names; d++) {
        const struct fb_params params = {.bits_per_key = 10};
        const struct fb_design *design = fb_design_find(names[d]);
        struct fb_builder b;
        struct fb_filter f;
        const char *why;
        watch(true);
        assert_int_equal(fb_filter_build(design, NULL, &params, &keys, &f, &why), FB_OK);
        watch(false);
        assert_int_equal(f.temporary_bytes, most);
        assert_int_equal(live, 0);
        assert_true(!fb_design_waits(design) || most >= 8 * N);
        fb_filter_close(&f);
        watch(true);
        assert_int_equal(fb_builder_open(&b, design, NULL, &params, 0, &why), FB_OK);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(fb_builder_add_key(&b, bytes + 8 * i, 8, &why), FB_OK);
        assert_int_equal(fb_builder_finish(&b, &f, &why), FB_OK);
        assert_int_equal(f.temporary_bytes, most);
        fb_builder_close(&b);
        watch(false);
        assert_int_equal(live, 0);
        assert_true(most >= 8 * N);
        fb_filter_close(&f);
    }
}

TEST(the_most_is_of_one_time)
{
    struct fb_heap heap = {0};
    void *a = fb_heap_take(&heap, 100), *b = fb_heap_take_zeroed(&heap, 50);
    assert_int_equal(heap.held, 150);
    fb_heap_give(&heap, a, 100);
    fb_heap_hold(&heap, 70);
    assert_int_equal(heap.held, 120);
    assert_int_equal(heap.most, 150);
    fb_heap_drop(&heap, 70);
    fb_heap_give(&heap, b, 50);
    fb_heap_give(&heap, NULL, 50);
    assert_int_equal(heap.held, 0);
    assert_null(fb_heap_take(&heap, UINT64_MAX));
    assert_null(fb_heap_take_zeroed(&heap, UINT64_MAX));
    assert_int_equal(heap.most, 150);
    fb_heap_give(NULL, fb_heap_take(NULL, 10), 10);
}

TESTS(NULL, NULL)
