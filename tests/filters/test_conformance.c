/*
 * The contract of a filter design, asked of every registered design and those of tests/designs, on
 * every kernel of this machine. A new design is covered by being registered. What only some designs
 * offer (removal, growth, builds that fail) is asked in test_traits.c.
 */
#include "tests/named.h"

#include "filters/core/filter.h"
#include "tests/golden.h"

enum { N_ABSENT = 1000 };

static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 1000};
static const char *const families[] = {"seq", "dup", "bin", "u64"};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static struct fb_params usual_params(const struct fb_design *design)
{
    return (struct fb_params){.bits_per_key = design->traits & FB_CONTROL ? 0 : 10};
}

struct digests {
    uint64_t *words;
    size_t n;
};

static struct digests digests_of(const struct fb_filter *f, const struct fb_keys *keys)
{
    struct digests d = {calloc(keys->n * f->geom.digest_words + 1, sizeof(uint64_t)), keys->n};
    assert_int_equal(fb_digest_keys(f->design, f->hash, f->geom.digest_words, keys, d.words),
                     FB_OK);
    return d;
}

/* All ways to ask agree; returns the number of yes. */
static size_t ask(const struct fb_filter *f, struct digests d, uint8_t *maybe)
{
    size_t hits = 0;
    assert_int_equal(f->kernel->query_batch(f, d.words, d.n, maybe),
                     f->kernel->query_chain(f, d.words, d.n));
    for (size_t i = 0; i < d.n; i++) {
        assert_true(maybe[i] <= 1);
        assert_int_equal(f->kernel->query(f, d.words + i * f->geom.digest_words), maybe[i]);
        hits += maybe[i];
    }
    assert_int_equal(f->kernel->query_batch(f, d.words, d.n, maybe), hits);
    assert_int_equal(f->kernel->query_each(f, d.words, d.n), hits);
    assert_int_equal(f->kernel->query_branch(f, d.words, d.n), hits);
    return hits;
}

/* Every kernel answers as the filter's own one does and, if it inserts, sets the same bits. */
static void check_kernels(struct fb_filter *f, struct digests present, struct digests absent)
{
    const struct fb_kernel *own = f->kernel;
    const bool denies = f->design->traits & FB_FALSE_NEGATIVES;
    uint8_t *want = malloc(absent.n + 1), *maybe = malloc(absent.n + present.n + 1);
    size_t hits = ask(f, absent, want);
    assert_int_equal(ask(f, present, maybe), denies ? 0 : present.n);
    for (const struct fb_kernel *const *k = f->design->kernels; *k; k++) {
        if (!fb_cpu_has((*k)->isa) || own == &fb_kernel_no || own == &fb_kernel_yes)
            continue;
        struct fb_filter again;
        f->kernel = *k;
        assert_int_equal(ask(f, absent, maybe), hits);
        assert_memory_equal(maybe, want, absent.n);
        assert_int_equal(ask(f, present, maybe), denies ? 0 : present.n);
        if (!(*k)->add_batch)
            continue;
        assert_int_equal(fb_filter_alloc(f->design, &f->geom, &again), FB_OK);
        assert_int_equal((*k)->add_batch(&again, present.words, present.n), present.n);
        assert_memory_equal(again.bytes, f->bytes, f->geom.n_bytes);
        fb_filter_close(&again);
    }
    f->kernel = own;
    free(want);
    free(maybe);
}

/* What each format writes reads back to the same answers and the same bytes. */
static void check_formats(const struct fb_filter *f, struct digests present, struct digests absent)
{
    uint8_t *want = malloc(absent.n + 1), *maybe = malloc(absent.n + present.n + 1);
    ask(f, absent, want);
    for (const struct fb_format *format = f->design->formats; format && format->name; format++) {
        size_t n_bytes = (size_t)format->size(f);
        uint8_t *block = malloc(n_bytes + 1), *again = malloc(n_bytes + 1);
        struct fb_filter copy;
        const char *why;
        assert_int_equal(fb_filter_write(f, format, block, &why), FB_OK);
        assert_int_equal(fb_filter_read(f->design, format, block, n_bytes, &copy, &why), FB_OK);
        ask(&copy, absent, maybe);
        assert_memory_equal(maybe, want, absent.n);
        assert_int_equal(ask(&copy, present, maybe), present.n);
        assert_int_equal(format->size(&copy), n_bytes);
        assert_int_equal(fb_filter_write(&copy, format, again, &why), FB_OK);
        assert_memory_equal(again, block, n_bytes);
        fb_filter_close(&copy);
        free(block);
        free(again);
    }
    free(want);
    free(maybe);
}

/* A build may be refused where the real system has no filter of no keys, where more keys than it
 * was sized for, or one key many times, find no place, and where keys are not for hashing. */
static void check_refusal(const struct fb_design *design, const struct fb_hash *hash,
                          const struct fb_params *params, const char *family, size_t n,
                          enum fb_err err, const char *why)
{
    if (err == FB_EFULL) {
        const bool repeats = !strcmp(family, "dup") || !strcmp(family, "bin"); /* of empty keys */
        assert_true(design->when_full && (repeats || params->capacity));
        assert_ptr_equal(why, design->when_full);
    } else if (err == FB_EUNSUPPORTED) {
        assert_true(hash && design->traits & FB_TAKES_KEYS);
    } else {
        assert_int_equal(n, 0);
        assert_int_equal(err, FB_EINVAL);
        assert_non_null(why);
    }
}

static void check_filter(const struct fb_design *design, const struct fb_hash *hash,
                         const struct fb_params *params, const char *family, size_t n)
{
    struct fb_keyset present = golden_keys(family, 7, n, false);
    struct fb_keyset absent = golden_keys(family, 7, N_ABSENT, true);
    struct fb_filter filter;
    struct fb_geometry planned;
    const char *why;
    snprintf(current, sizeof current, "%s: %s, n %zu, capacity %zu, hash %s", design->name, family,
             n, (size_t)params->capacity, hash ? hash->name : "its own");

    enum fb_err err = fb_filter_build(design, hash, params, &present.keys, &filter, &why);
    if (err) {
        check_refusal(design, hash, params, family, n, err, why);
        assert_null(filter.bytes);
    } else {
        assert_int_equal((uintptr_t)filter.bytes % FB_CACHE_LINE, 0);
        assert_true(filter.geom.n_bits <= filter.geom.n_bytes * 8);
        assert_true(filter.n_keys <= n);
        assert_int_equal(fb_design_plan(design, &filter.params, filter.n_keys, &planned, &why),
                         FB_OK);
        assert_true(filter.finished && filter.attempts >= 1);
        assert_false(hash && design->traits & FB_TAKES_KEYS);
        assert_true(filter.attempts == 1 || design->retry);
        if (!params->capacity && filter.attempts == 1)
            assert_memory_equal(&planned, &filter.geom, sizeof planned);
        struct digests in = digests_of(&filter, &present.keys);
        struct digests out = digests_of(&filter, &absent.keys);
        check_kernels(&filter, in, out);
        check_formats(&filter, in, out);
        free(in.words);
        free(out.words);
    }
    fb_filter_close(&filter);
    fb_keyset_close(&present);
    fb_keyset_close(&absent);
    *current = '\0';
}

static void contract(void **state)
{
    const struct fb_design *design = *state;
    struct fb_params params = usual_params(design);
    for (size_t f = 0; f < COUNT_OF(families); f++)
        for (size_t i = 0; i < COUNT_OF(sizes); i++)
            check_filter(design, NULL, &params, families[f], sizes[i]);
    for (size_t h = 0; h < fb_n_hashes(); h++)
        check_filter(design, fb_hash_at(h), &params, "bin", 300);
    for (params.capacity = 150; params.capacity <= 600; params.capacity *= 4)
        check_filter(design, NULL, &params, "u64", 300);
    if (design->traits & FB_CONTROL)
        return;
    params = (struct fb_params){.fpr = 0.03};
    check_filter(design, NULL, &params, "bin", 300);
}

static void is_described(void **state)
{
    const struct fb_design *design = *state;
    assert_ptr_equal(fb_design_find(design->name), design);
    assert_non_null(design->summary);
    assert_non_null(design->source);
    assert_non_null(design->hash);
    assert_non_null(design->digest);
    assert_int_equal(design->kernels[0]->isa, FB_ISA_SCALAR);
    assert_true(design->traits & (FB_SIZES_BY_BITS | FB_SIZES_BY_RATE | FB_CONTROL));
    for (const struct fb_format *f = design->formats; f && f->name; f++)
        assert_ptr_equal(fb_format_find(design, f->name), f);
}

static void refuses_bad_parameters(void **state)
{
    const struct fb_design *design = *state;
    const struct fb_params bad[] = {
        {.bits_per_key = -1},
        {.bits_per_key = NAN},
        {.bits_per_key = INFINITY},
        {.bits_per_key = 1e9},
        {.bits_per_key = -INFINITY},
        {.bits_per_key = 10, .fpr = 0.01},
        {.fpr = -0.1},
        {.fpr = NAN},
        {.fpr = INFINITY},
        {.fpr = 1},
        {.fpr = 2},
        {.bits_per_key = 10, .probes = 65},
        {.bits_per_key = 10, .capacity = UINT64_MAX},
        {.probes = 0},
    };
    struct fb_keyset keys = golden_keys("u64", 1, 10, false);
    for (size_t i = 0; i < COUNT_OF(bad) - (design->traits & FB_CONTROL ? 1 : 0); i++) {
        struct fb_filter filter;
        const char *why = NULL;
        snprintf(current, sizeof current, "%s: bad parameters %zu", design->name, i);
        assert_int_equal(fb_filter_build(design, NULL, &bad[i], &keys.keys, &filter, &why),
                         FB_EINVAL);
        assert_non_null(why);
        assert_null(filter.bytes);
    }
    fb_keyset_close(&keys);
    *current = '\0';
}

static void refuses_typed_keys_unless_it_takes_them(void **state)
{
    const struct fb_design *design = *state;
    const uint8_t type = FB_KEY_INT;
    const uint64_t offset[] = {0, 2};
    const struct fb_keys keys = {(const uint8_t *)"17", offset, &type, 1};
    const struct fb_params params = usual_params(design);
    struct fb_filter filter;
    const char *why;
    assert_int_equal(fb_filter_build(design, NULL, &params, &keys, &filter, &why),
                     design->digest_typed ? FB_OK : FB_EUNSUPPORTED);
    fb_filter_close(&filter);
}

/* Whatever the bytes are: an error with a reason, or a filter that can be asked and written. */
static void read_anything(const struct fb_design *design, const struct fb_format *format,
                          const uint8_t *block, size_t len)
{
    struct fb_filter filter;
    const char *why = NULL;
    uint8_t *exact = malloc(len ? len : 1); /* a sanitizer sees a read behind the last byte */
    memcpy(exact, block, len);
    enum fb_err err = fb_filter_read(design, format, exact, len, &filter, &why);
    free(exact);
    if (err) {
        assert_true(err == FB_ECORRUPT || err == FB_EUNSUPPORTED); /* another design's block */
        assert_non_null(why);
        assert_null(filter.bytes);
        return;
    }
    assert_true(filter.geom.n_bytes <= 4 * (uint64_t)len + 2 * FB_CACHE_LINE);
    assert_in_range(filter.geom.digest_words, 1, FB_MAX_PROBES);
    uint64_t words[32 * FB_MAX_PROBES], state = 5;
    uint8_t maybe[32];
    for (size_t i = 0; i < COUNT_OF(words); i++)
        words[i] = golden_splitmix64(&state);
    ask(&filter, (struct digests){words, 32}, maybe);
    uint8_t *again = malloc((size_t)format->size(&filter) + 1);
    assert_int_equal(fb_filter_write(&filter, format, again, &why), FB_OK);
    free(again);
    fb_filter_close(&filter);
}

static void reads_any_bytes_safely(void **state)
{
    const struct fb_design *design = *state;
    const struct fb_params params = usual_params(design);
    struct fb_keyset keys = golden_keys("u64", 3, 6, false);
    struct fb_filter filter;
    const char *why;
    uint64_t random = 11;
    assert_int_equal(fb_filter_build(design, NULL, &params, &keys.keys, &filter, &why), FB_OK);
    for (const struct fb_format *f = design->formats; f && f->name; f++) {
        size_t n_bytes = (size_t)f->size(&filter);
        uint8_t *block = malloc(n_bytes + 8);
        assert_int_equal(fb_filter_write(&filter, f, block, &why), FB_OK);
        memset(block + n_bytes, 0xA5, 8);
        for (size_t len = 0; len <= n_bytes + 8; len++) {
            snprintf(current, sizeof current, "%s, %s: first %zu bytes", design->name, f->name,
                     len);
            read_anything(design, f, block, len);
        }
        for (size_t bit = 0; bit < n_bytes * 8; bit++) {
            snprintf(current, sizeof current, "%s, %s: bit %zu", design->name, f->name, bit);
            block[bit / 8] ^= (uint8_t)(1u << bit % 8);
            read_anything(design, f, block, n_bytes);
            block[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        for (size_t i = 0; i < 500; i++) {
            uint8_t noise[128];
            for (size_t j = 0; j < sizeof noise; j++)
                noise[j] = (uint8_t)golden_splitmix64(&random);
            /* Half of them behind an honest header, with a header's few fields disturbed. */
            if (i % 2)
                memcpy(noise, block, n_bytes < 24 ? n_bytes : 24);
            read_anything(design, f, noise, golden_splitmix64(&random) % sizeof noise);
        }
        free(block);
    }
    fb_filter_close(&filter);
    fb_keyset_close(&keys);
    *current = '\0';
}

/* Measured FPR against fpr(): 5 standard errors and 25 %, or a factor of 3 where fpr() is only the
 * part that has a formula. */
static void keeps_its_predicted_rate(void **state)
{
    const struct fb_design *design = *state;
    const struct fb_params params = usual_params(design);
    enum { N_QUERIES = 100000 };
    struct fb_keyset absent = golden_keys("u64", 21, N_QUERIES, true);
    uint8_t *maybe = malloc(N_QUERIES);
    for (size_t n = 2000; n <= 20000; n *= 10) {
        struct fb_keyset present = golden_keys("u64", 21, n, false);
        struct fb_filter filter;
        const char *why;
        size_t hits;
        assert_int_equal(fb_filter_build(design, NULL, &params, &present.keys, &filter, &why),
                         FB_OK);
        assert_int_equal(fb_filter_query_keys(&filter, &absent.keys, maybe, &hits), FB_OK);
        double rate = (double)hits / N_QUERIES, p = design->fpr(&filter.geom, n);
        double slack = 5 * sqrt(p * (1 - p) / N_QUERIES);
        double low = design->scheme == FB_SCHEME_CLOSED ? 0.75 * p : p / 3;
        double high = design->scheme == FB_SCHEME_CLOSED ? 1.25 * p : 3 * p;
        snprintf(current, sizeof current, "%s: n %zu, measured %g, predicted %g", design->name, n,
                 rate, p);
        assert_true(rate >= low - slack && rate <= high + slack);
        fb_filter_close(&filter);
        fb_keyset_close(&present);
    }
    free(maybe);
    fb_keyset_close(&absent);
    *current = '\0';
}

int main(void)
{
    static const struct CMUnitTest per_design[] = {
        cmocka_unit_test_teardown(is_described, name_failure),
        cmocka_unit_test_teardown(contract, name_failure),
        cmocka_unit_test_teardown(refuses_bad_parameters, name_failure),
        cmocka_unit_test_teardown(refuses_typed_keys_unless_it_takes_them, name_failure),
        cmocka_unit_test_teardown(reads_any_bytes_safely, name_failure),
        cmocka_unit_test_teardown(keeps_its_predicted_rate, name_failure),
    };
    int failed = 0;
    for (size_t d = 0; d < fb_n_designs(); d++) {
        struct CMUnitTest tests[COUNT_OF(per_design)];
        memcpy(tests, per_design, sizeof tests);
        for (size_t t = 0; t < COUNT_OF(tests); t++)
            tests[t].initial_state = (void *)fb_design_at(d);
        failed += cmocka_run_group_tests_name(fb_design_at(d)->name, tests, NULL, NULL);
    }
    return failed ? 1 : 0;
}
