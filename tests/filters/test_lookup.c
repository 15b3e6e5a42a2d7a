/*
 * Lookups: on every design, kernel and width all give the answers of a plain walk that hashes and
 * asks filter by filter; who hashes how often, and what is asked.
 */
#include "tests/named.h"

#include <stdio.h>
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/filter/bits_taken.h"
#include "workloads/core/rng.h"

enum { N = 65, WIDTH = 130, N_FILTERS = 7, WORDS = (WIDTH + 63) / 64, KEY_BYTES = 12 };

static const size_t sizes[] = {0, 1, 7, 64, N};
static const size_t widths[] = {1, 7, 64, WIDTH};

/* ---- Keys, filters of several sizes and probes, walks over them ---- */

struct scene {
    uint8_t bytes[(2 * N + 1) * (KEY_BYTES + 3)];
    uint64_t offset[2 * N + 1];
    struct fb_keys keys;
    const struct fb_design *design;
    const struct fb_hash *hash;
    struct fb_filter filter[N_FILTERS];
    const struct fb_filter *table[N * WIDTH];
    uint32_t holder[N];
    uint64_t digests[N * FB_MAX_PROBES];
    uint8_t answers[N * WIDTH];
    unsigned digest_words;
};

/* Keys of one length, or of several. */
static void make_keys(struct scene *s, bool one_length)
{
    size_t at = 0;
    for (size_t i = 0; i < 2 * N; i++) {
        size_t len = one_length ? KEY_BYTES : KEY_BYTES - i % 5;
        s->offset[i] = at;
        for (size_t b = 0; b < len; b++)
            s->bytes[at++] = (uint8_t)(fb_stream_word(7, i) >> (b % 8 * 8) ^ b);
    }
    s->offset[2 * N] = at;
    s->keys = (struct fb_keys){.bytes = s->bytes, .offset = s->offset, .n = 2 * N};
}

/* Filter j holds every (j + 1)-th key; sizes and, where the design lets it, probes differ. One has
 * no keys, one answers yes without bits. */
static void make_filters(struct scene *s)
{
    static const double bits[N_FILTERS] = {10, 4, 20, 10, 7, 10, 0};
    s->digest_words = 1;
    for (size_t j = 0; j < N_FILTERS - 1; j++) {
        struct fb_params params = {.bits_per_key = fb_bits_taken(s->design, bits[j])};
        uint64_t offset[N + 1];
        uint8_t bytes[sizeof s->bytes];
        struct fb_keys some = {.bytes = bytes, .offset = offset};
        const char *why = NULL;
        uint64_t at = 0;
        for (size_t i = 0; i < N && j + 2 < N_FILTERS; i += j + 1) {
            offset[some.n++] = at;
            memcpy(bytes + at, fb_key_at(&s->keys, i), fb_key_len(&s->keys, i));
            at += fb_key_len(&s->keys, i);
        }
        offset[some.n] = at;
        if (j == 3 && !(s->design->traits & FB_FIXED_PROBES))
            params.probes = 3;
        if (s->design->traits & FB_CONTROL)
            params.bits_per_key = 0;
        enum fb_err err = fb_filter_build(s->design, s->hash, &params, &some, &s->filter[j], &why);
        params.capacity = 1; /* the course's filter cannot be empty */
        if (err == FB_EINVAL && some.n == 0)
            err = fb_filter_build(s->design, s->hash, &params, &some, &s->filter[j], &why);
        snprintf(current, sizeof current, "%s: %s", s->design->name, why ? why : "built");
        assert_int_equal(err, FB_OK);
        if (s->filter[j].geom.digest_words > s->digest_words)
            s->digest_words = s->filter[j].geom.digest_words;
    }
    s->filter[N_FILTERS - 1] =
        (struct fb_filter){.design = s->design, .kernel = &fb_kernel_yes, .hash = s->hash};
}

static void close_filters(struct scene *s)
{
    for (size_t j = 0; j < N_FILTERS; j++)
        fb_filter_close(&s->filter[j]);
}

enum layout { MIXED, SHARED, HALF, N_LAYOUTS };

/* The filter of walk i, run r: drawn anew; one for the run; one for the run in every other block of
 * eight runs. A ninth is missing. */
static void make_walks(struct scene *s, size_t width, enum layout layout, bool absent)
{
    for (size_t i = 0; i < N; i++) {
        for (size_t r = 0; r < width; r++) {
            bool shared = layout == SHARED || (layout == HALF && r / 8 % 2 == 0);
            uint64_t word = fb_stream_word(shared ? 1 : 2 + i, r);
            bool missing = fb_stream_word(3 + i, ~r) % 9 == 0;
            s->table[i * width + r] = missing ? NULL : &s->filter[word % N_FILTERS];
        }
        s->holder[i] = absent ? UINT32_MAX : (uint32_t)(fb_stream_word(4, i) % (width + width / 2));
    }
}

static struct fb_walks walks_of(struct scene *s, size_t first, size_t n, size_t width)
{
    return (struct fb_walks){.design = s->design,
                             .hash = s->hash,
                             .keys = &s->keys,
                             .first = first,
                             .n = n,
                             .width = width,
                             .filters = s->table,
                             .holder = s->holder,
                             .digest_words = s->digest_words,
                             .digests = s->digests,
                             .answers = s->answers};
}

static size_t length_of(const struct fb_walks *w, size_t i)
{
    return w->holder[i] < w->width ? w->holder[i] + (size_t)1 : w->width;
}

/* The plain walk, from the filters' own scalar kernel. */
static void expect(const struct fb_walks *w, uint64_t *maybe)
{
    const size_t words = fb_walk_words(w->width);
    memset(maybe, 0, w->n * words * sizeof *maybe);
    for (size_t i = 0; i < w->n; i++)
        for (size_t r = 0; r < length_of(w, i); r++) {
            const struct fb_filter *f = w->filters[i * w->width + r];
            struct fb_keys one = {
                .bytes = w->keys->bytes, .offset = w->keys->offset + w->first + i, .n = 1};
            uint64_t digest[FB_MAX_PROBES];
            if (!f)
                continue;
            assert_int_equal(fb_digest_keys(w->design, w->hash, f->geom.digest_words, &one, digest),
                             FB_OK);
            const struct fb_kernel *k = fb_filter_constant(f) ? f->kernel : w->design->kernels[0];
            maybe[i * words + r / 64] |= (uint64_t)k->query(f, digest) << r % 64;
        }
}

static void check_all(struct scene *s, size_t first, size_t n, size_t width)
{
    struct fb_walks w = walks_of(s, first, n, width);
    uint64_t expected[N * WORDS], maybe[N * WORDS];
    const size_t words = fb_walk_words(width);
    expect(&w, expected);
    for (const struct fb_lookup *const *l = fb_lookups; *l; l++) {
        const struct fb_kernel *last = NULL;
        for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++) {
            struct fb_walk_work work = {0, 0};
            w.kernel = fb_lookup_kernel(*l, s->design, (enum fb_isa)isa);
            assert_non_null(w.kernel);
            if (w.kernel == last)
                continue;
            last = w.kernel;
            snprintf(current, sizeof current, "%s, %s on %s %s, %zu keys from %zu, width %zu",
                     s->design->name, (*l)->name, fb_isa_name(w.kernel->isa), w.kernel->style, n,
                     first, width);
            memset(maybe, 0xAA, sizeof maybe);
            (*l)->run(&w, maybe, isa == FB_ISA_SCALAR ? NULL : &work);
            assert_memory_equal(maybe, expected, n * words * sizeof *maybe);
            assert_true(n * words == N * WORDS || maybe[n * words] == UINT64_C(0xAAAAAAAAAAAAAAAA));
        }
    }
    *current = '\0';
}

static void each_design(bool one_length, enum layout layout, bool absent)
{
    static struct scene s;
    make_keys(&s, one_length);
    for (size_t d = 0; d < fb_n_designs(); d++) {
        s.design = fb_design_at(d);
        make_filters(&s);
        for (size_t v = 0; v < sizeof widths / sizeof *widths; v++) {
            make_walks(&s, widths[v], layout, absent);
            for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
                check_all(&s, n % 2 ? N / 2 : 0, sizes[n], widths[v]);
        }
        close_filters(&s);
    }
}

TEST(filters_of_their_own)
{
    each_design(true, MIXED, false);
}

TEST(filters_shared_by_all_keys)
{
    each_design(true, SHARED, false);
    each_design(false, SHARED, true);
}

TEST(some_runs_shared)
{
    each_design(false, HALF, true);
}

/* Every width, on one design of each family. */
TEST(all_widths)
{
    static const char *const names[] = {"sbbf-512", "bloom-independent"};
    static struct scene s;
    make_keys(&s, true);
    for (size_t d = 0; d < 2; d++) {
        s.design = fb_design_find(names[d]);
        make_filters(&s);
        for (size_t width = 1; width <= WIDTH; width++) {
            make_walks(&s, width, (enum layout)(width % N_LAYOUTS), width % 2);
            check_all(&s, 0, 7, width);
        }
        close_filters(&s);
    }
}

/* One row of filters for all keys, whose digests are there; near, and as far as memory. */
TEST(one_row)
{
    static struct scene s;
    static const uint64_t bytes[] = {1, UINT64_C(1) << 40};
    make_keys(&s, true);
    for (size_t d = 0; d < fb_n_designs(); d++) {
        s.design = fb_design_at(d);
        make_filters(&s);
        for (size_t v = 0; v < 2 * sizeof widths / sizeof *widths; v++) {
            uint64_t expected[N * WORDS], maybe[N * WORDS];
            const size_t width = widths[v / 2];
            for (size_t j = 0; j < N_FILTERS; j++)
                fb_filter_among(&s.filter[j], bytes[v % 2]);
            make_walks(&s, width, MIXED, false);
            for (size_t i = 1; i < N; i++)
                memcpy(s.table + i * width, s.table, width * sizeof *s.table);
            struct fb_walks w = walks_of(&s, 0, N, width);
            expect(&w, expected);
            struct fb_keys asked = s.keys;
            asked.n = N;
            assert_int_equal(fb_digest_keys(s.design, s.hash, s.digest_words, &asked, s.digests),
                             FB_OK);
            w.keys = NULL;
            w.one_row = true;
            for (const struct fb_lookup *const *l = fb_lookups; *l; l++) {
                struct fb_walk_work work = {0, 0};
                snprintf(current, sizeof current, "%s, %s, width %zu, %d", s.design->name,
                         (*l)->name, width, (int)(v % 2));
                w.kernel = fb_lookup_kernel(*l, s.design, FB_ISA_NONE);
                memset(maybe, 0xAA, sizeof maybe);
                (*l)->run(&w, maybe, &work);
                assert_memory_equal(maybe, expected, N * fb_walk_words(width) * sizeof *maybe);
                assert_int_equal(work.digests, 0);
            }
        }
        close_filters(&s);
    }
    *current = '\0';
}

/* ---- Who hashes how often ---- */

static size_t calls;

static uint64_t counted_hash(const void *key, size_t len, uint64_t seed)
{
    calls++;
    return fb_xxh64(key, len, seed);
}

static const struct fb_hash counting = {
    .name = "counting", .bits = 64, .seed_bits = 64, .hash = counted_hash};

/* A digest takes one call per word. */
TEST(hashing_is_counted)
{
    static struct scene s;
    make_keys(&s, true);
    s.hash = &counting;
    s.design = fb_design_find("bloom-independent");
    make_filters(&s);
    make_walks(&s, 40, MIXED, false);
    size_t filters = 0, hashed = 0, words = 0;
    struct fb_walks w = walks_of(&s, 0, N, 40);
    for (size_t i = 0; i < N; i++)
        for (size_t r = 0; r < length_of(&w, i); r++) {
            const struct fb_filter *f = w.filters[i * w.width + r];
            filters += f != NULL;
            hashed += f && f->geom.digest_words;
            words += f ? f->geom.digest_words : 0;
        }
    assert_true(words > 20 * (size_t)N && hashed < filters);
    for (const struct fb_lookup *const *l = fb_lookups; *l; l++) {
        const bool again = !strcmp((*l)->name, "rehash-each");
        uint64_t maybe[N * WORDS];
        struct fb_walk_work work = {0, 0};
        w.kernel = fb_lookup_kernel(*l, s.design, FB_ISA_NONE);
        calls = 0;
        (*l)->run(&w, maybe, &work);
        snprintf(current, sizeof current, "%s", (*l)->name);
        assert_int_equal(calls, again ? words : (size_t)N * s.digest_words);
        assert_int_equal(work.digests, again ? hashed : N);
        assert_int_equal(work.asked, filters);
        (*l)->run(&w, maybe, &work);
        assert_int_equal(work.asked, 2 * filters);
    }
    *current = '\0';
    close_filters(&s);
    s.hash = NULL;
}

/* Where one filter serves all keys, a batch asks it for walks that have ended as well. */
TEST(asked_ahead)
{
    static struct scene s;
    uint64_t maybe[N * WORDS];
    make_keys(&s, true);
    s.design = fb_design_find("sbbf-512");
    make_filters(&s);
    make_walks(&s, 3, SHARED, true);
    for (size_t i = 0; i < N; i++) {
        for (size_t r = 0; r < 3; r++)
            s.table[i * 3 + r] = &s.filter[0];
        s.holder[i] = i < N / 3 ? 0 : UINT32_MAX;
    }
    const struct fb_lookup *shared = fb_lookup_find("shared-digest");
    const struct fb_lookup *batched = fb_lookup_find("batched");
    struct fb_walks w = walks_of(&s, 0, N, 3);
    struct fb_walk_work work = {0, 0};
    w.kernel = fb_lookup_kernel(shared, s.design, FB_ISA_NONE);
    shared->run(&w, maybe, &work);
    assert_int_equal(work.asked, N * 3 - N / 3 * 2);
    work.asked = 0;
    batched->run(&w, maybe, &work);
    assert_int_equal(work.asked, N * 3);
    close_filters(&s);
}

/* ---- The table and the choice of kernels ---- */

TEST(table)
{
    for (const struct fb_lookup *const *l = fb_lookups; *l; l++) {
        assert_ptr_equal(fb_lookup_find((*l)->name), *l);
        assert_true((*l)->summary && *(*l)->summary);
        assert_int_equal((*l)->batched, !strcmp((*l)->name, "batched"));
    }
    assert_null(fb_lookup_find("shared"));
}

TEST(kernel_of_a_lookup)
{
    const struct fb_lookup *shared = fb_lookup_find("shared-digest");
    const struct fb_lookup *free_of = fb_lookup_find("shared-branch-free");
    for (size_t d = 0; d < fb_n_designs(); d++) {
        const struct fb_design *design = fb_design_at(d);
        assert_ptr_equal(fb_lookup_kernel(shared, design, FB_ISA_NONE),
                         fb_kernel_find(design, FB_ISA_NONE));
        for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++) {
            const struct fb_kernel *k = fb_lookup_kernel(free_of, design, (enum fb_isa)isa);
            assert_true(k->isa <= (enum fb_isa)isa && fb_cpu_has(k->isa) && !k->concurrent_add);
        }
    }
    assert_string_equal(
        fb_lookup_kernel(free_of, fb_design_find("bloom-double"), FB_ISA_NONE)->style,
        "branch-free");
    const struct fb_design *local = fb_design_find("rocksdb-fastlocal");
    assert_ptr_equal(fb_lookup_kernel(free_of, local, FB_ISA_NONE),
                     fb_kernel_find(local, FB_ISA_NONE));
}

TESTS_EACH(NULL, name_failure)
