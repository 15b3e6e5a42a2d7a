/*
 * Prefix filters: the two golden files of RocksDB's builder with fixed:3, its rules about repeats
 * one by one, and what a query asks for.
 */
#include "tests/unit.h"

#include "harness/tree/prefix.h"
#include "tests/golden.h"
#include "tests/sha256.h"

enum { N_ABSENT = 1000 };

static struct fb_prefix parsed(const char *text, bool whole_key)
{
    struct fb_prefix prefix;
    const char *why;
    assert_true(fb_prefix_parse(text, whole_key, &prefix, &why));
    assert_string_equal(prefix.text, text);
    return prefix;
}

static bool asks(const struct fb_prefix *prefix, const struct fb_filter *filter,
                 const struct fb_keys *keys, size_t i)
{
    uint64_t digest;
    size_t len;
    if (!fb_prefix_get(prefix, fb_key_len(keys, i), &len))
        return true;
    assert_int_equal(fb_prefix_digest(filter->design, NULL, 1, fb_key_at(keys, i), len, &digest),
                     FB_OK);
    return filter->kernel->query(filter, &digest);
}

static void check_vector(const json_t *vector, const struct fb_prefix *prefix)
{
    const struct fb_design *design = fb_design_find("rocksdb-fastlocal");
    const char *family = json_string_value(json_object_get(vector, "family")), *why;
    uint64_t base = (uint64_t)json_integer_value(json_object_get(vector, "base"));
    size_t n = (size_t)json_integer_value(json_object_get(vector, "n")), n_entries, hits = 0;
    closed_by(fb_keyset_close) struct fb_keyset present = golden_keys(family, base, n, false);
    closed_by(fb_keyset_close) struct fb_keyset absent = golden_keys(family, base, N_ABSENT, true);
    auto_free uint64_t *digests = calloc(2 * n + 1, sizeof *digests);
    struct fb_params params = {.bits_per_key = 10};
    closed_by(fb_filter_close) struct fb_filter filter;
    uint8_t bitmap[N_ABSENT / 8] = {0};
    char sha[65];

    assert_int_equal(fb_prefix_entries(prefix, design, NULL, 1, &present.keys, digests, &n_entries),
                     FB_OK);
    const json_t *info = json_object_get(vector, "info");
    assert_int_equal(n_entries, atoi(json_string_value(json_object_get(info, "entries"))));
    assert_int_equal(
        fb_filter_build_digests(design, NULL, &params, digests, n_entries, &filter, &why), FB_OK);
    assert_int_equal(filter.n_keys, n_entries);
    size_t n_bytes = (size_t)design->formats->size(&filter);
    auto_free uint8_t *block = malloc(n_bytes + 1);
    assert_int_equal(fb_filter_write(&filter, design->formats, block, &why), FB_OK);
    sha256_hex(block, n_bytes, sha);
    assert_int_equal(n_bytes, json_integer_value(json_object_get(vector, "filter_len")));
    assert_string_equal(sha, json_string_value(json_object_get(vector, "filter_sha256")));

    for (size_t i = 0; i < n; i++)
        assert_true(asks(prefix, &filter, &present.keys, i));
    for (size_t i = 0; i < N_ABSENT; i++) {
        bool maybe = asks(prefix, &filter, &absent.keys, i);
        hits += maybe;
        bitmap[i / 8] |= (uint8_t)(maybe << i % 8);
    }
    auto_free char *hex = golden_hex(bitmap, sizeof bitmap);
    assert_int_equal(hits, json_integer_value(json_object_get(vector, "absent_hits")));
    assert_string_equal(hex, json_string_value(json_object_get(vector, "absent_bitmap_hex")));
}

TEST(golden)
{
    static const struct {
        const char *file;
        bool whole_key;
    } files[] = {{"rocksdb_fastlocalbloom_prefix3_whole", true},
                 {"rocksdb_fastlocalbloom_prefix3_only", false}};
    for (size_t f = 0; f < 2; f++) {
        struct fb_prefix prefix = parsed("fixed:3", files[f].whole_key);
        json_t *document = golden_load(files[f].file), *vector;
        size_t i;
        json_array_foreach(json_object_get(document, "vectors"), i, vector)
            check_vector(vector, &prefix);
        assert_int_equal(i, 28);
        json_decref(document);
    }
}

/* Keys separated by spaces, and the entries they become, in order. */
static const struct sequence {
    const char *prefix;
    bool whole_key;
    const char *design, *keys, *entries;
} sequences[] = {
    /* No prefix: repeats that are neighbours, or all of them. */
    {"none", true, "rocksdb-fastlocal", "a a b a", "a b a"},
    {"none", true, "nori", "a a b a", "a b"},
    /* Prefixes only; keys outside the domain leave nothing. */
    {"fixed:2", false, "rocksdb-fastlocal", "a ab abc abd ac b abe", "ab ac ab"},
    {"fixed:2", false, "nori", "a ab abc abd ac b abe", "ab ac"},
    {"capped:2", false, "rocksdb-fastlocal", "a ab abc b", "a ab b"},
    /* Both: the prefix first, once for a run of keys. */
    {"fixed:2", true, "rocksdb-fastlocal", "aba abb aca", "ab aba abb ac aca"},
    {"fixed:2", true, "nori", "aba abb aca", "aba ab abb aca ac"},
    /* A key equal to its own prefix is one entry, under the key. */
    {"fixed:2", true, "rocksdb-fastlocal", "ab abc", "ab abc"},
    {"capped:2", true, "nori", "a ab abc", "a ab abc"},
    /* The key equals the last prefix (prevA), though another entry came between. */
    {"fixed:2", true, "rocksdb-fastlocal", "abc ab abd", "ab abc abd"},
    /* A prefix that the key before it was. */
    {"capped:2", true, "rocksdb-fastlocal", "xyz ab abc", "xy xyz ab abc"},
    /* Keys outside the domain change the last entry, not the last prefix. */
    {"fixed:2", true, "rocksdb-fastlocal", "abc a abd a a", "ab abc a abd a"},
    /* A prefix that comes back after another, and after a key equal to it, is kept again. */
    {"fixed:2", true, "rocksdb-fastlocal", "abc acd ab acd", "ab abc ac acd ab ac acd"},
};

/* Splits at spaces into a set of keys. */
static struct fb_keyset words_of(const char *text)
{
    struct fb_keyset set;
    assert_int_equal(fb_keyset_alloc(32, 256, false, &set), FB_OK);
    while (*text) {
        size_t len = strcspn(text, " ");
        fb_keyset_push(&set, text, len, FB_KEY_BYTES);
        text += len + (text[len] == ' ');
    }
    return set;
}

TEST(repeats)
{
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const struct sequence *s = &sequences[i];
        struct fb_prefix prefix = parsed(s->prefix, s->whole_key);
        const struct fb_design *design = fb_design_find(s->design);
        unsigned words = design->digest_words;
        closed_by(fb_keyset_close) struct fb_keyset keys = words_of(s->keys),
                                                    want = words_of(s->entries);
        uint64_t got[64 * 4], expected[32 * 4];
        size_t n;
        assert_int_equal(fb_prefix_entries(&prefix, design, NULL, words, &keys.keys, got, &n),
                         FB_OK);
        assert_int_equal(fb_digest_keys(design, NULL, words, &want.keys, expected), FB_OK);
        if (n != want.keys.n || memcmp(got, expected, n * words * sizeof *got))
            fail_msg("%s, %s: '%s' became %zu entries, not '%s'", s->design, s->prefix, s->keys, n,
                     s->entries);
    }
}

TEST(queries)
{
    struct fb_prefix fixed = parsed("fixed:3", false), both = parsed("fixed:3", true),
                     capped = parsed("capped:3", false), none = parsed("none", true);
    size_t len;
    assert_true(fb_prefix_get(&fixed, 5, &len) && len == 3);
    assert_false(fb_prefix_get(&fixed, 2, &len));
    assert_true(fb_prefix_get(&both, 5, &len) && len == 5);
    assert_true(fb_prefix_get(&both, 2, &len) && len == 2);
    assert_true(fb_prefix_get(&capped, 2, &len) && len == 2);
    assert_true(fb_prefix_get(&none, 5, &len) && len == 5);
    assert_true(fb_prefix_seek(&both, 5, &len) && len == 3);
    assert_false(fb_prefix_seek(&both, 2, &len));
    assert_true(fb_prefix_seek(&capped, 0, &len) && len == 0);
    assert_false(fb_prefix_seek(&none, 5, &len));
    assert_int_equal(parsed("fixed:12", true).len, 12);
    assert_int_equal(parsed("capped:65535", true).len, 65535);
}

TEST(refusals)
{
    static const char *const wrong[] = {"",         "fixed",   "fixed:",   "fixed:0",    "fixed:-1",
                                        "fixed:3x", "capped:", "prefix:3", "fixed:65536"};
    struct fb_prefix prefix;
    const char *why = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        why = NULL;
        assert_false(fb_prefix_parse(wrong[i], true, &prefix, &why));
        assert_non_null(why);
    }
    assert_false(fb_prefix_parse("none", false, &prefix, &why));
    const uint64_t offset[2] = {0, 1};
    const uint8_t type = FB_KEY_INT;
    const struct fb_keys typed = {.bytes = &type, .offset = offset, .type = &type, .n = 1};
    uint64_t digests[2];
    size_t n;
    prefix = parsed("fixed:3", true);
    assert_int_equal(fb_prefix_entries(&prefix, fb_design_find("rocksdb-fastlocal"), NULL, 1,
                                       &typed, digests, &n),
                     FB_EUNSUPPORTED);
}

TESTS(NULL, NULL)
