/*
 * Every kernel of every design against the design's first one, which is the plain loop: answers,
 * counts and inserted bytes, at all batch sizes around the vectors' widths, at the edge of a page
 * that must not be touched, for filters of awkward and of very large sizes.
 *
 * FB_KERNEL_DIGESTS sets how many random digests each kernel is asked.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, setenv */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "filters/core/filter.h"
#include "filters/hash/hash.h"
#include "filters/simd/avx512.h"
#include "filters/simd/lane_steps.h"
#include "harness/filter/bits_taken.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
#define FEWER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define FEWER 1
#endif
#endif
#ifndef FEWER
#define FEWER 0
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const size_t batches[] = {0, 1, 7, 8, 9, 63, 64, 65, 4096, 1023, 129, 2047, 1025};

enum { LARGEST = 4096 };

/* Named when a check fails. */
static char current[160];

static int name_failure(void **state)
{
    (void)state;
    if (*current)
        print_error("in %s\n", current);
    *current = '\0';
    return 0;
}

static size_t n_digests(void)
{
    const char *text = getenv("FB_KERNEL_DIGESTS");
    return text ? strtoull(text, NULL, 10) : FEWER ? 100000 : 1000000;
}

/* ---- Memory that ends where the process may not read ---- */

struct guarded {
    uint8_t *map, *end;
    size_t map_bytes;
};

static struct guarded guarded_alloc(size_t n_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g = {.map_bytes = (n_bytes + page - 1) / page * page + page};
    g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.map != MAP_FAILED);
    g.end = g.map + g.map_bytes - page;
    assert_int_equal(mprotect(g.end, page, PROT_NONE), 0);
    return g;
}

static void guarded_free(struct guarded *g)
{
    munmap(g->map, g->map_bytes);
}

/* ---- Filters and digests ---- */

static uint64_t word_of(uint64_t stream, uint64_t i)
{
    return fb_mix64(stream + (i + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* Designs that may be full take no more equal halves than a hash gives. */
static bool may_be_full;

/* Some 32-bit halves are extreme, as a hash may give them. */
static uint64_t digest_word(uint64_t stream, uint64_t i)
{
    uint64_t word = word_of(stream, i);
    if (may_be_full)
        return word;
    switch (word >> 8 & 63) {
    case 0:
        return word | UINT32_MAX;
    case 1:
        return word & ~(uint64_t)UINT32_MAX;
    case 2:
        return word | (uint64_t)UINT32_MAX << 32;
    default:
        return word;
    }
}

static void make_digests(uint64_t stream, uint64_t first_key, size_t n, size_t words, uint64_t *out)
{
    for (size_t i = 0; i < n * words; i++)
        out[i] = digest_word(stream, first_key * words + i);
}

enum { PRESENT = 1, ABSENT = 2 }; /* streams */

static enum fb_err plan(const struct fb_design *design, double bits_per_key, uint32_t probes,
                        uint64_t n_keys, struct fb_params *params, struct fb_geometry *geom)
{
    const char *why;
    may_be_full = design->when_full;
    *params = (struct fb_params){.bits_per_key = bits_per_key};
    if (design->traits & FB_CONTROL)
        params->bits_per_key = 0;
    enum fb_err err = fb_params_resolve(design, n_keys, params, &why);
    if (!(design->traits & FB_FIXED_PROBES))
        params->probes = probes;
    return err ? err : fb_design_plan(design, params, n_keys, geom, &why);
}

/* Keys 0 .. n - 1 of the stream PRESENT, room for `capacity`; false where the design has no such
 * filter. */
static bool build(const struct fb_design *design, double bits_per_key, uint32_t probes, size_t n,
                  uint64_t capacity, struct fb_filter *out)
{
    struct fb_params params;
    struct fb_geometry geom;
    const char *why;
    if (plan(design, bits_per_key, probes, capacity, &params, &geom))
        return false;
    params.capacity = capacity;
    auto_free uint64_t *digests = malloc((n * geom.digest_words + 1) * sizeof *digests);
    make_digests(PRESENT, 0, n, geom.digest_words, digests);
    assert_int_equal(fb_filter_build_digests(design, NULL, &params, digests, n, out, &why), FB_OK);
    return true;
}

static bool probes(const struct fb_filter *f)
{
    return f->kernel != &fb_kernel_no && f->kernel != &fb_kernel_yes;
}

/* ---- Queries ---- */

struct arena {
    struct guarded digests, maybe;
    uint8_t *want;
};

static struct arena arena_open(size_t words)
{
    return (struct arena){guarded_alloc(LARGEST * words * sizeof(uint64_t)), guarded_alloc(LARGEST),
                          malloc(LARGEST)};
}

static void arena_close(struct arena *a)
{
    guarded_free(&a->digests);
    guarded_free(&a->maybe);
    free(a->want);
}

static void ask_kernel(const struct fb_kernel *kernel, const struct fb_filter *f,
                       const uint64_t *digests, size_t n, const struct arena *a, size_t hits,
                       bool every_way)
{
    uint8_t *maybe = a->maybe.end - n;
    memset(maybe, 0xAA, n);
    assert_int_equal(kernel->query_batch(f, digests, n, maybe), hits);
    assert_memory_equal(maybe, a->want, n);
    if (!every_way)
        return;
    assert_int_equal(kernel->query_each(f, digests, n), hits);
    assert_int_equal(kernel->query_branch(f, digests, n), hits);
    assert_int_equal(kernel->query_chain(f, digests, n), hits);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(kernel->query(f, digests + i * f->geom.digest_words), a->want[i]);
}

/* Batches of all sizes, absent keys and present ones by turns, until `total` were asked. */
static void compare_queries(const struct fb_filter *f, size_t n_keys, size_t total)
{
    const size_t words = f->geom.digest_words;
    const struct fb_kernel *const *kernels = f->design->kernels;
    closed_by(arena_close) struct arena a = arena_open(words);
    for (size_t asked = 0, b = 0; asked < total; b++) {
        const size_t n = batches[b % COUNT_OF(batches)];
        uint64_t *digests = (uint64_t *)(void *)a.digests.end - n * words;
        make_digests(ABSENT, asked, n, words, digests);
        for (size_t i = b % 2; i < n && n_keys && b % 3; i += 2)
            make_digests(PRESENT, (asked + i) % n_keys, 1, words, digests + i * words);
        size_t hits = 0;
        for (size_t i = 0; i < n; i++)
            hits += a.want[i] = kernels[0]->query(f, digests + i * words);
        for (size_t k = 0; kernels[k]; k++)
            if (fb_cpu_has(kernels[k]->isa))
                ask_kernel(kernels[k], f, digests, n, &a, hits, b < 2 * COUNT_OF(batches));
        asked += n;
    }
}

/* ---- Inserts ---- */

static void compare_inserts(const struct fb_filter *f, size_t n_keys)
{
    const size_t words = f->geom.digest_words;
    struct guarded g = guarded_alloc(LARGEST * words * sizeof(uint64_t));
    for (const struct fb_kernel *const *k = f->design->kernels; *k; k++) {
        struct fb_filter again;
        if (!fb_cpu_has((*k)->isa) || !(*k)->add_batch)
            continue;
        assert_int_equal(fb_filter_alloc(f->design, &f->geom, &again), FB_OK);
        for (size_t done = 0, b = 0; done < n_keys; b++) {
            size_t n = batches[b % COUNT_OF(batches)];
            n = n_keys - done < n ? n_keys - done : n;
            uint64_t *digests = (uint64_t *)(void *)g.end - n * words;
            make_digests(PRESENT, done, n, words, digests);
            (*k)->add_batch(&again, digests, n);
            done += n;
        }
        assert_memory_equal(again.bytes, f->bytes, f->geom.n_bytes);
        fb_filter_close(&again);
    }
    guarded_free(&g);
}

/* ---- The tests ---- */

TEST(equal_on_random_digests)
{
    /* In the first-level cache; beyond the second-level one, where kernels prefetch. */
    static const size_t capacities[] = {10000, 1000000};
    for (size_t d = 0; d < fb_n_designs(); d++)
        for (size_t i = 0; i < COUNT_OF(capacities); i++) {
            const size_t n = capacities[i] / (FEWER && i ? 10 : 1);
            closed_by(fb_filter_close) struct fb_filter f;
            snprintf(current, sizeof current, "%s, %zu keys", fb_design_at(d)->name, n);
            const double bits = fb_bits_taken(fb_design_at(d), 10);
            assert_true(build(fb_design_at(d), bits, 0, n, capacities[i], &f));
            compare_queries(&f, n, n_digests() / 2);
            compare_inserts(&f, n);
        }
    *current = '\0';
}

/* One bit, one block, a prime number of bits on both sides of 2^15 and of a power of two, and
 * numbers of probes from one to the most a filter may ask for. */
TEST(equal_at_awkward_sizes)
{
    static const size_t sizes[] = {1, 2, 3, 8, 61, 127, 1021, 32749, 32771, 65537, 131071};
    static const uint32_t numbers[] = {0, 1, 2, 6, 13, 30, 64};
    static const double densities[] = {1, 3, 17};
    for (size_t d = 0; d < fb_n_designs(); d++)
        for (size_t i = 0; i < COUNT_OF(sizes) * COUNT_OF(densities); i++) {
            const size_t n = sizes[i % COUNT_OF(sizes)];
            const double bits = densities[i / COUNT_OF(sizes)];
            const uint32_t k = numbers[i % COUNT_OF(numbers)];
            closed_by(fb_filter_close) struct fb_filter f = {0};
            snprintf(current, sizeof current, "%s, %zu keys, %g bits per key, %u probes",
                     fb_design_at(d)->name, n, bits, (unsigned)k);
            if (!build(fb_design_at(d), bits, k, n, n, &f))
                continue;
            if (probes(&f)) {
                compare_queries(&f, n, 1000);
                compare_inserts(&f, n);
            }
        }
    *current = '\0';
}

/* More than 2^31 and 2^32 bits, of which only the pages that keys touch exist. */
TEST(equal_beyond_32_bits)
{
    enum { KEYS = 500 };
    for (size_t d = 0; d < 2 * fb_n_designs(); d++) {
        const struct fb_design *design = fb_design_at(d / 2);
        const unsigned bits = 31 + d % 2;
        struct fb_filter f = {.design = design};
        snprintf(current, sizeof current, "%s, more than 2^%u bits", design->name, bits);
        if (!design->kernels[0]->add_batch || design->digest_words > 8 ||
            plan(design, 10, 0, (UINT64_C(1) << (bits - 3)) + 11, &f.params, &f.geom) ||
            f.geom.n_bits >> bits == 0)
            continue;
        for (const struct fb_kernel *const *k = design->kernels; *k; k++) {
            uint64_t digests[KEYS * 8];
            uint8_t maybe[KEYS];
            if (!fb_cpu_has((*k)->isa))
                continue;
            assert_true(f.geom.digest_words <= 8);
            f.bytes = mmap(NULL, f.geom.n_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            assert_true(f.bytes != MAP_FAILED);
            f.kernel = *k;
            make_digests(PRESENT, 0, KEYS, f.geom.digest_words, digests);
            (*k)->add_batch(&f, digests, KEYS);
            assert_int_equal(design->kernels[0]->query_batch(&f, digests, KEYS, maybe), KEYS);
            compare_queries(&f, KEYS, KEYS);
            munmap(f.bytes, f.geom.n_bytes);
        }
    }
    *current = '\0';
}

#if defined(__x86_64__)

FB_AVX512 static void reduce_x8(const uint64_t *x, struct fb_divisor d, uint64_t *whole,
                                uint64_t *half)
{
    __m512i lanes = _mm512_loadu_si512(x);
    _mm512_storeu_si512(whole, fb_mod_x8(lanes, d));
    _mm512_storeu_si512(half, fb_mod32_x8(lanes, d));
}

/* x + step mod 2^64 in whole, x mod m in rest. */
FB_AVX2 static void reduce_lanes(const uint64_t *x, uint64_t step, struct fb_divisor d,
                                 uint64_t *whole, uint32_t *rest)
{
    uint64_t pairs[16];
    uint32_t low[8], high[8];
    const struct fb_filter f = {.geom = {.range = d}};
    for (int i = 0; i < 8; i++) {
        pairs[2 * i] = x[i];
        pairs[2 * i + 1] = step;
    }
    struct fb_lanes state = fb_lanes_pair_wide(&f, pairs, 0);
    _mm256_storeu_si256((__m256i *)rest, fb_lanes_mod64(&f, state));
    state = fb_lanes_add_wide(&f, state);
    _mm256_storeu_si256((__m256i *)low, state.h);
    _mm256_storeu_si256((__m256i *)high, state.h_high);
    for (int i = 0; i < 8; i++)
        whole[i] = (uint64_t)high[i] << 32 | low[i];
}

static void check_lanes(const uint64_t *x, uint64_t m)
{
    uint64_t whole[8];
    uint32_t rest[8];
    if (!fb_cpu_has(FB_ISA_AVX2) || m > UINT64_C(1) << 30)
        return;
    reduce_lanes(x, x[1], fb_divisor_of(m), whole, rest);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(whole[i], x[i] + x[1]);
        assert_int_equal(rest[i], x[i] % m);
    }
}

static void check_vectors(const uint64_t *x, uint64_t m)
{
    uint64_t whole[8], half[8];
    check_lanes(x, m);
    if (!fb_cpu_has(FB_ISA_AVX512))
        return;
    reduce_x8(x, fb_divisor_of(m), whole, half);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(whole[i], x[i] % m);
        assert_int_equal(half[i], (x[i] & UINT32_MAX) % m);
    }
}

#else

static void check_vectors(const uint64_t *x, uint64_t m)
{
    (void)x, (void)m;
}

#endif

static void check_reduction(uint64_t x, uint64_t m)
{
    const uint64_t multiple = x / m * m, top = UINT64_MAX / m * m;
    const uint64_t xs[8] = {x,   multiple, multiple - 1,   multiple + m - 1,
                            top, top - 1,  UINT64_MAX - x, x & UINT32_MAX};
    const struct fb_divisor d = fb_divisor_of(m);
    for (size_t i = 0; i < COUNT_OF(xs); i++) {
        assert_int_equal(fb_mod(xs[i], d), xs[i] % m);
        if (m >= 2)
            assert_int_equal(fb_mod32((uint32_t)xs[i], d), (uint32_t)xs[i] % m);
    }
    check_vectors(xs, m);
}

/* A vector of eight x is made from each pair. */
TEST(reductions_are_exact)
{
    for (unsigned shift = 0; shift < 64; shift++)
        for (uint64_t off = 0; off < 9; off++) {
            const uint64_t m = (UINT64_C(1) << shift) + off - 4;
            if (m == 0)
                continue;
            check_reduction(0, m);
            check_reduction(m, m);
            check_reduction(UINT64_MAX, m);
            check_reduction(UINT64_MAX - m, m);
            check_reduction(UINT64_C(1) << 53, m);
            check_reduction((UINT64_C(1) << 53) + 1, m);
        }
    for (uint64_t m = 1; m < 70000; m++)
        check_reduction(word_of(4, m), m);
    for (uint64_t i = 0; i < n_digests() * 10 / 8; i++)
        check_reduction(word_of(5, i), (word_of(6, i) >> word_of(7, i) % 64) | 1);
    for (uint64_t i = 0; i < n_digests() / 8; i++)
        check_reduction(word_of(8, i) >> word_of(9, i) % 64,
                        (word_of(10, i) >> i % 64) + (i % 64 != 0));
}

/* The first kernel is scalar, the best is the last that runs, and masks are respected. */
TEST(masks_are_respected)
{
    static const char *const masks[] = {"", "avx512", "avx512,avx2", "all"};
    const char *before = getenv("FB_DISABLE_ISA");
    auto_free char *kept = before ? strdup(before) : NULL;
    for (size_t i = 0; i < COUNT_OF(masks); i++) {
        setenv("FB_DISABLE_ISA", masks[i], 1);
        for (size_t d = 0; d < fb_n_designs(); d++) {
            const struct fb_design *design = fb_design_at(d);
            const struct fb_kernel *best = fb_kernel_find(design, FB_ISA_NONE);
            assert_int_equal(design->kernels[0]->isa, FB_ISA_SCALAR);
            assert_non_null(best);
            for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++) { /* that one, or none */
                const struct fb_kernel *of = fb_kernel_find(design, (enum fb_isa)isa);
                assert_true(!of || (of->isa == (enum fb_isa)isa && fb_cpu_has(of->isa)));
            }
            assert_true(i == 0 || best->isa != FB_ISA_AVX512);
            assert_true(i < 2 || best->isa != FB_ISA_AVX2);
            assert_true(i < 3 || best->isa == FB_ISA_SCALAR);
            for (const struct fb_kernel *const *k = design->kernels; *k; k++)
                if (fb_cpu_has((*k)->isa) && !k[1])
                    assert_ptr_equal(best, *k);
        }
    }
    if (kept)
        setenv("FB_DISABLE_ISA", kept, 1);
    else
        unsetenv("FB_DISABLE_ISA");
}

TESTS_EACH(NULL, name_failure)
