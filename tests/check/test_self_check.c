/*
 * The self-check: every part gives its known answers and has them, and what is known of hashes and
 * designs is what the vectors of the real systems say.
 */
#include "tests/unit.h"

#include "harness/check/check.h"
#include "harness/check/parts.h"
#include "tests/golden.h"

static const struct known {
    const char *part;
    uint64_t answer;
} known[] = {
#define KNOWN(part, answer) {part, UINT64_C(answer)},
#include "harness/check/known.def"
#undef KNOWN
};

enum { N_KNOWN = sizeof known / sizeof *known };

static uint64_t answer_of(const char *part)
{
    for (size_t i = 0; i < N_KNOWN; i++)
        if (!strcmp(known[i].part, part))
            return known[i].answer;
    fail_msg("%s: nothing is known", part);
    return 0;
}

/* ---- The parts ---- */

struct seen {
    size_t n;
    bool is_known[N_KNOWN];
};

static void look(void *arg, const struct fb_checked *checked)
{
    struct seen *seen = arg;
    seen->n++;
    if (checked->state == FB_CHECK_UNKNOWN)
        fail_msg("%s has no known answers: scripts/known writes them", checked->part);
    if (checked->state == FB_CHECK_WRONG)
        fail_msg("%s: %s; where a change is meant, scripts/known writes its answers", checked->part,
                 checked->why);
    for (size_t i = 0; i < N_KNOWN; i++)
        if (!strcmp(known[i].part, checked->part)) {
            assert_false(seen->is_known[i]); /* every name once */
            seen->is_known[i] = true;
        }
}

TEST(every_part_is_right)
{
    struct seen seen = {0};
    assert_int_equal(fb_self_check(look, &seen), 0);
    for (size_t i = 0; i < N_KNOWN; i++)
        if (!seen.is_known[i])
            fail_msg("there is no part '%s'", known[i].part);
    assert_int_equal(seen.n, N_KNOWN);
    assert_int_equal(fb_self_check_or_refuse(), FB_EXIT_OK);
}

/* Answers in another order or with another last digit are others; 10 digits are compared. */
TEST(folds_tell_apart)
{
    struct fb_answers a[6] = {{0}};
    fb_answer_bytes(&a[0], "abcdefghi", 9);
    fb_answer_bytes(&a[1], "abcdefghj", 9);
    fb_answer_bytes(&a[2], "abcdefghi\0", 10);
    fb_answer_real(&a[3], 0.1);
    fb_answer_real(&a[4], 0.1 + 1e-12);
    fb_answer_real(&a[5], 0.1 + 1e-10);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_equal(a[i].fold == a[j].fold, i == 4 && j == 3);
    struct fb_answers zeros[2] = {{0}};
    fb_answer_word(&zeros[0], 0);
    assert_int_not_equal(zeros[0].fold, zeros[1].fold);
    fb_answer_wrong(&a[0], "%s", "first");
    fb_answer_wrong(&a[0], "%s", "second");
    assert_string_equal(a[0].why, "first");
}

/* ---- The vectors of the real systems ---- */

TEST(hashes_are_those_of_the_vectors)
{
    static const struct {
        const char *hash, *field;
    } rows[] = {{"xxh64", "xxh64_seed0"},
                {"xxh3-64", "xxh3_64"},
                {"xxh3-128", "xxh3_128_low"},
                {"rocksdb-hash64", "rocksdb_hash64"},
                {"seahash", "lsmtree112_h1"}};
    json_t *document = golden_load("hashes"), *vectors = json_object_get(document, "vectors");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct fb_answers a = {0};
        char part[64];
        for (size_t len = 0; len <= 256; len++) {
            const json_t *vector = json_array_get(vectors, len);
            assert_int_equal(json_integer_value(json_object_get(vector, "len")), len);
            fb_answer_word(&a, golden_word(vector, rows[r].field));
        }
        snprintf(part, sizeof part, "hash %s", rows[r].hash);
        if (answer_of(part) != a.fold)
            fail_msg("%s", part);
    }
    json_decref(document);
}

/* The vector of keys key000000 .. key000099 at 10 bits per key, or at a rate of 1 %. */
static const json_t *vector_of(const json_t *document)
{
    const json_t *vectors = json_object_get(document, "vectors");
    for (size_t i = 0; i < json_array_size(vectors); i++) {
        const json_t *v = json_array_get(vectors, i), *params = json_object_get(v, "params");
        bool same = !strcmp(json_string_value(json_object_get(v, "family")), "seq") &&
                    json_integer_value(json_object_get(v, "base")) == 0 &&
                    json_integer_value(json_object_get(v, "n")) == 100;
        const char *name;
        json_t *value;
        json_object_foreach((json_t *)params, name, value) {
            const char *want = !strcmp(name, "bpk")        ? "10"
                               : !strcmp(name, "capacity") ? "100"
                                                           : "0.01";
            same &= strtod(json_string_value(value), NULL) == strtod(want, NULL);
        }
        if (same)
            return v;
    }
    return NULL;
}

static void answer_hex(struct fb_answers *a, const char *hex)
{
    uint8_t bytes[4096];
    const size_t n = strlen(hex) / 2;
    assert_true(n <= sizeof bytes);
    for (size_t i = 0; i < n; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    fb_answer_bytes(a, bytes, n);
}

TEST(designs_are_those_of_the_vectors)
{
    static const struct {
        const char *file, *design;
    } rows[] = {{"independent_xxh64", "bloom-independent"},
                {"nori_seed_document", "nori"},
                {"nori_modulo", "nori-disk"},
                {"nori_pow2", "nori-pow2"},
                {"lsmtree112_bloom", "fjall-1"},
                {"lsmtree2_bloom", "fjall-2"},
                {"lsmtree3_standard_bloom", "fjall-3"},
                {"leveldb_bloom", "leveldb"},
                {"seed4_course_bloom", "course"},
                {"rocksdb_fastlocalbloom", "rocksdb-fastlocal"},
                {"parquet_sbbf", "sbbf-256"},
                {"abloom_sbbf512", "sbbf-512"},
                {"sbbf512_pow2", "sbbf-512-pow2"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        json_auto_t *document = golden_load(rows[r].file);
        const json_t *v = vector_of(document);
        struct fb_answers a = {0};
        char part[64];
        if (!v || !json_object_get(v, "filter_hex"))
            fail_msg("%s: no such vector", rows[r].file);
        answer_hex(&a, json_string_value(json_object_get(v, "filter_hex")));
        fb_answer_word(&a, (uint64_t)json_integer_value(json_object_get(v, "absent_hits")));
        answer_hex(&a, json_string_value(json_object_get(v, "absent_bitmap_hex")));
        snprintf(part, sizeof part, "design %s", rows[r].design);
        if (answer_of(part) != a.fold)
            fail_msg("%s", part);
    }
}

TESTS(NULL, NULL)
