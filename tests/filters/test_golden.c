/*
 * Every golden file of filters (format filter-vectors/1, made by the real systems): block bytes,
 * the answers for 1000 absent keys and for all present ones, and the same again from the block read
 * back, on every kernel of this machine, and of headers in a caller's loop.
 */
#include "tests/named.h"

#include "filters/core/filter.h"
#include "harness/filter/inline_loop.h"
#include "tests/golden.h"
#include "tests/sha256.h"

static const struct row {
    const char *file, *design;
    const char *format; /* NULL: the design's native one */
    size_t vectors;     /* the file has that many */
} rows[] = {
    {"independent_xxh64", "bloom-independent", NULL, 196},
    {"nori_seed_document", "nori", NULL, 196},
    {"nori_modulo", "nori-disk", NULL, 196},
    {"nori_pow2", "nori-pow2", NULL, 196},
    {"lsmtree112_bloom", "fjall-1", NULL, 120},
    {"lsmtree2_bloom", "fjall-2", NULL, 288},
    {"lsmtree3_standard_bloom", "fjall-3", NULL, 312},
    {"leveldb_bloom", "leveldb", NULL, 196},
    {"seed4_course_bloom", "course", NULL, 168},
    {"rocksdb_fastlocalbloom", "rocksdb-fastlocal", NULL, 224},
    {"rocksdb_legacybloom", "rocksdb-legacy", NULL, 224},
    {"rocksdb_ribbon128", "rocksdb-ribbon", NULL, 230},
    {"parquet_sbbf", "sbbf-256", NULL, 196},
    {"parquet_sbbf_arrow_sized", "sbbf-256", NULL, 112},
    {"lsmtree3_blocked_bloom_disabled", "fjall-blocked", NULL, 168},
    {"libfilter_block", "sbbf-256-libfilter", NULL, 196},
    {"abloom_sbbf512", "sbbf-512", NULL, 140},
    {"sbbf512_pow2", "sbbf-512-pow2", NULL, 84},
    {"binary_fuse8", "fuse-8", NULL, 36},
    {"binary_fuse16", "fuse-16", NULL, 36},
};

enum { N_ROWS = sizeof rows / sizeof *rows, N_ABSENT = 1000 };

static size_t n_headers; /* that answered */

static struct fb_params params_of(const json_t *vector)
{
    struct fb_params params = {0};
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(vector, "params"), name, value) {
        const char *text = json_string_value(value);
        if (!strcmp(name, "bpk"))
            params.bits_per_key = strtod(text, NULL);
        else if (!strcmp(name, "fpr") || !strcmp(name, "fpp") || !strcmp(name, "fp_rate"))
            params.fpr = strtod(text, NULL);
        else if (!strcmp(name, "capacity"))
            params.capacity = strtoull(text, NULL, 10);
        else if (!strcmp(name, "digest")) /* a size of its own, for which that is enough */
            params.bits_per_key = 20;
        else
            fail_msg("unknown parameter %s", name);
    }
    return params;
}

/* The vector's answers, asked of `filter` with its present kernel. */
static void check_answers(const json_t *vector, const struct fb_filter *filter,
                          const struct fb_keys *present, const struct fb_keys *absent)
{
    uint8_t *maybe = malloc(present->n + N_ABSENT), bitmap[N_ABSENT / 8] = {0};
    size_t hits;
    assert_int_equal(fb_filter_query_keys(filter, present, maybe, &hits), FB_OK);
    assert_int_equal(hits, present->n);
    assert_int_equal(fb_filter_query_keys(filter, absent, maybe, &hits), FB_OK);
    assert_int_equal(hits, json_integer_value(json_object_get(vector, "absent_hits")));
    for (size_t i = 0; i < N_ABSENT; i++)
        bitmap[i / 8] |= (uint8_t)(maybe[i] << i % 8);
    auto_free char *hex = golden_hex(bitmap, sizeof bitmap);
    assert_string_equal(hex, json_string_value(json_object_get(vector, "absent_bitmap_hex")));
    free(maybe);
}

static void check_block(const json_t *vector, const uint8_t *block, size_t n_bytes)
{
    char sha[65], *hex = golden_hex(block, n_bytes);
    const json_t *want = json_object_get(vector, "filter_hex");
    assert_int_equal(n_bytes, json_integer_value(json_object_get(vector, "filter_len")));
    if (want)
        assert_string_equal(hex, json_string_value(want));
    sha256_hex(block, n_bytes, sha);
    assert_string_equal(sha, json_string_value(json_object_get(vector, "filter_sha256")));
    free(hex);
}

/* What a header answers in a loop compiled for an instruction set, and the bits that its insert
 * sets. */
static void check_header(enum fb_isa isa, const struct fb_filter *filter, const uint64_t *present,
                         size_t n, const uint64_t *absent)
{
    const struct fb_inline_loops *loops = fb_inline_loops_of(filter->design->name, isa);
    const struct fb_inline_loop *header = loops ? &loops->form[FB_INLINE_HEADER] : NULL;
    uint8_t answers[N_ABSENT], maybe[N_ABSENT];
    if (!loops || !fb_cpu_has(isa))
        return;
    n_headers++;
    auto_free uint8_t *all = malloc(n + 1);
    assert_int_equal(header->query(filter, present, n, all), n);
    assert_int_equal(header->query(filter, absent, N_ABSENT, maybe),
                     filter->kernel->query_batch(filter, absent, N_ABSENT, answers));
    assert_memory_equal(maybe, answers, N_ABSENT);
    if (header->insert) {
        closed_by(fb_filter_close) struct fb_filter again;
        assert_int_equal(fb_filter_alloc(filter->design, &filter->geom, &again), FB_OK);
        header->insert(&again, present, n);
        assert_memory_equal(again.bytes, filter->bytes, filter->geom.n_bytes);
    }
}

/* Answers on every kernel, and the same bits from every kernel that can insert. */
static void check_kernels(const json_t *vector, struct fb_filter *filter,
                          const struct fb_keys *present, const struct fb_keys *absent)
{
    const struct fb_kernel *chosen = filter->kernel;
    check_answers(vector, filter, present, absent);
    if (chosen == &fb_kernel_no || chosen == &fb_kernel_yes)
        return;
    const unsigned words = filter->geom.digest_words;
    auto_free uint64_t *digests = calloc(present->n * words + 1, sizeof *digests);
    auto_free uint64_t *others = calloc(absent->n * words + 1, sizeof *others);
    assert_int_equal(fb_digest_keys(filter->design, NULL, words, present, digests), FB_OK);
    assert_int_equal(fb_digest_keys(filter->design, NULL, words, absent, others), FB_OK);
    for (const struct fb_kernel *const *k = filter->design->kernels; *k; k++) {
        if (!fb_cpu_has((*k)->isa))
            continue;
        filter->kernel = *k;
        check_answers(vector, filter, present, absent);
        struct fb_filter again;
        if (!(*k)->add_batch)
            continue;
        assert_int_equal(fb_filter_alloc(filter->design, &filter->geom, &again), FB_OK);
        (*k)->add_batch(&again, digests, present->n);
        assert_memory_equal(again.bytes, filter->bytes, filter->geom.n_bytes);
        fb_filter_close(&again);
    }
    filter->kernel = chosen;
    for (int isa = 0; isa < FB_N_ISAS; isa++)
        check_header((enum fb_isa)isa, filter, digests, present->n, others);
}

static void check_vector(const struct row *row, const struct fb_design *design,
                         const json_t *vector)
{
    const char *family = json_string_value(json_object_get(vector, "family")), *why;
    uint64_t base = (uint64_t)json_integer_value(json_object_get(vector, "base"));
    size_t n = (size_t)json_integer_value(json_object_get(vector, "n"));
    closed_by(fb_keyset_close) struct fb_keyset present = golden_keys(family, base, n, false);
    closed_by(fb_keyset_close) struct fb_keyset absent = golden_keys(family, base, N_ABSENT, true);
    const struct fb_format *format =
        row->format ? fb_format_find(design, row->format) : design->formats;
    struct fb_params params = params_of(vector);
    closed_by(fb_filter_close) struct fb_filter filter, copy;
    assert_non_null(format);
    snprintf(current, sizeof current, "%s: %s, base %d, n %zu, bits %g, rate %g", row->file, family,
             (int)base, n, params.bits_per_key, params.fpr);

    assert_int_equal(fb_filter_build(design, NULL, &params, &present.keys, &filter, &why), FB_OK);
    size_t n_bytes = (size_t)format->size(&filter);
    auto_free uint8_t *block = malloc(n_bytes + 1), *block_again = malloc(n_bytes + 1);
    assert_int_equal(fb_filter_write(&filter, format, block, &why), FB_OK);
    check_block(vector, block, n_bytes);
    check_kernels(vector, &filter, &present.keys, &absent.keys);

    assert_int_equal(fb_filter_read(design, format, block, n_bytes, &copy, &why), FB_OK);
    check_answers(vector, &copy, &present.keys, &absent.keys);
    assert_int_equal(format->size(&copy), n_bytes);
    assert_int_equal(fb_filter_write(&copy, format, block_again, &why), FB_OK);
    assert_memory_equal(block_again, block, n_bytes);

    *current = '\0';
}

static void check_file(void **state)
{
    const struct row *row = *state;
    const struct fb_design *design = fb_design_find(row->design);
    if (!design)
        fail_msg("%s: design %s is not registered", row->file, row->design);
    json_t *document = golden_load(row->file), *vector;
    size_t i;
    json_array_foreach(json_object_get(document, "vectors"), i, vector)
        check_vector(row, design, vector);
    assert_int_equal(i, row->vectors);
    json_decref(document);
}

/* FIPS 180-4's example and the lengths around a chunk's end: a broken digest would blame filters.
 */
static void sha256_is_sha256(void **state)
{
    (void)state;
    char hex[65];
    uint8_t zeros[64] = {0};
    sha256_hex((const uint8_t *)"abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex(zeros, 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_hex(zeros, 56, hex);
    assert_string_equal(hex, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
}

static void headers_answered(void **state)
{
    (void)state;
    bool any = false; /* loops of aarch64 are of NEON, which a test may take away */
    for (int isa = 0; isa < FB_N_ISAS; isa++)
        any |= fb_cpu_has((enum fb_isa)isa) && fb_inline_loops_of("nori", (enum fb_isa)isa);
    assert_true(any ? n_headers > 1000 : !n_headers); /* vectors, with each instruction set */
}

int main(void)
{
    struct CMUnitTest tests[N_ROWS + 2] = {cmocka_unit_test(sha256_is_sha256)};
    for (size_t i = 0; i < N_ROWS; i++)
        tests[i + 1] = (struct CMUnitTest){.name = rows[i].file,
                                           .test_func = check_file,
                                           .teardown_func = name_failure,
                                           .initial_state = (void *)&rows[i]};
    tests[N_ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(headers_answered);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
