/* The formats of generated keys: what each writes, and that reading finds it again. */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/core/keyspace.h"
#include "workloads/core/popularity.h"
#include "workloads/core/rng.h"
#include "workloads/core/sha.h"

static struct fb_keygen parsed(const char *text)
{
    struct fb_keygen gen;
    const char *why = NULL;
    if (!fb_keygen_parse(text, &gen, &why))
        fail_msg("%s: %s", text, why);
    assert_string_equal(gen.text, text);
    return gen;
}

static void check_text(const char *format, uint64_t stream, uint64_t index, const char *expected)
{
    struct fb_keygen gen = parsed(format);
    uint8_t key[128] = {0};
    size_t len = gen.write(&gen, stream, index, key);
    if (len != strlen(expected) || memcmp(key, expected, len))
        fail_msg("%s of %llu: %s, expected %s", format, (unsigned long long)index,
                 (const char *)key, expected);
}

static void check_hex(const char *format, uint64_t stream, uint64_t index, const char *expected)
{
    struct fb_keygen gen = parsed(format);
    uint8_t key[128];
    char hex[257] = "";
    size_t len = gen.write(&gen, stream, index, key);
    for (size_t i = 0; i < len; i++)
        snprintf(hex + 2 * i, 3, "%02x", key[i]);
    assert_string_equal(hex, expected);
}

/* Known from the formats' descriptions. */
TEST(keys_of_the_index)
{
    check_hex("u64be", 0, 0x0102030405060708, "0102030405060708");
    check_hex("sequential", 0, 258, "0000000000000102");
    check_hex("u64le", 0, 258, "0201000000000000");
    check_text("dec6", 0, 17, "key000017");
    check_text("dec6", 0, 1234567, "key1234567");
    check_text("user", 0, 0, "user:0");
    check_text("user", 0, 1234567, "user:1234567");
    check_text("pad40", 0, 42, "00000000000000000042xxxxxxxxxxxxxxxxxxxx");
    check_text("pad40-front", 0, 42, "xxxxxxxxxxxxxxxxxxxx00000000000000000042");
    check_text("pad40", 0, INT64_MAX, "09223372036854775807xxxxxxxxxxxxxxxxxxxx");
    /* user6284781860667377211 is the first record of every YCSB load. */
    check_text("ycsb", 0, 0, "user6284781860667377211");
    check_text("ycsb", 0, 1, "user8517097267634966620");
}

/* FIPS 180-4 examples and lengths around the padding's edges. */
TEST(digests)
{
    static const struct {
        const char *message, *sha1, *sha256;
    } examples[] = {
        {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "c1c8bbdc22796e28c0e15163d20899b65621d65a",
         "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "c2db330f6083854c99d4b5bfb6e8f29f201be699",
         "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "03f09f5b158a7a8cdad920bddc29b81c18a551f5",
         "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "0098ba824b5c16427bd7a1122a5a442a25ec644d",
         "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56",
         "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "f34c1488385346a55709ba056ddd08280dd4c6d6",
         "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        uint8_t digest[32];
        char hex[65];
        fb_sha1(examples[i].message, strlen(examples[i].message), digest);
        for (size_t b = 0; b < 20; b++)
            snprintf(hex + 2 * b, 3, "%02x", digest[b]);
        assert_string_equal(hex, examples[i].sha1);
        fb_sha256(examples[i].message, strlen(examples[i].message), digest);
        for (size_t b = 0; b < 32; b++)
            snprintf(hex + 2 * b, 3, "%02x", digest[b]);
        assert_string_equal(hex, examples[i].sha256);
    }
}

static const char *const texts[] = {"random",    "sequential", "dec6",     "u64be",       "u64le",
                                    "user",      "ycsb",       "pad40",    "pad40-front", "bin:8",
                                    "bin:9",     "bin:1024",   "len:8..8", "len:10..40",  "uuid4",
                                    "uuid4-bin", "uuid7",      "url",      "sha1",        "sha256",
                                    "norad",     "norad-bin"};
enum { N_TEXTS = sizeof texts / sizeof *texts };

/* The same on every machine. */
TEST(keys_are_pinned)
{
    static const uint64_t sums[N_TEXTS] = {
        UINT64_C(0xC5D7D7C259FB3580), /* random */
        UINT64_C(0x441E401221A6B1B5), /* sequential */
        UINT64_C(0xF8AEF3DF179CC19B), /* dec6 */
        UINT64_C(0x441E401221A6B1B5), /* u64be */
        UINT64_C(0x2F6774F5B626A846), /* u64le */
        UINT64_C(0x002C2283E3033663), /* user */
        UINT64_C(0x0B774CF029AFC7DC), /* ycsb */
        UINT64_C(0x320E179C77C90210), /* pad40 */
        UINT64_C(0x79CDE75E7B43A499), /* pad40-front */
        UINT64_C(0xC11137D0B8340FF1), /* bin:8 */
        UINT64_C(0xF671778AEB7E7EC3), /* bin:9 */
        UINT64_C(0xF7E41AAE30C0198A), /* bin:1024 */
        UINT64_C(0xC11137D0B8340FF1), /* len:8..8 */
        UINT64_C(0x91425D11D27DF7D2), /* len:10..40 */
        UINT64_C(0xAC7DD2F9D01D4B6F), /* uuid4 */
        UINT64_C(0x11FC557181A8AA5C), /* uuid4-bin */
        UINT64_C(0x54DB2248375008F2), /* uuid7 */
        UINT64_C(0x385984ECF9B1C357), /* url */
        UINT64_C(0x124CAE77285C7E6A), /* sha1 */
        UINT64_C(0x11DC39F2D403C442), /* sha256 */
        UINT64_C(0x973EF733E92BC879), /* norad */
        UINT64_C(0xFC912CEE7DDF1E55), /* norad-bin */
    };
    for (size_t t = 0; t < N_TEXTS; t++) {
        struct fb_keygen gen = parsed(texts[t]);
        uint8_t key[1024];
        uint64_t sum = 0;
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t index = i < 1000 ? i : fb_stream_word(1, i) >> 22;
            size_t len = gen.write(&gen, 0x5eed, index, key);
            assert_in_range(len, 1, gen.max_len);
            sum = fb_mix64(sum + fb_xxh64(key, len, 0));
        }
        assert_int_equal(sum, sums[t]);
    }
}

/* What `ordered` promises: up to 10^12. */
TEST(order_of_indices)
{
    for (size_t t = 0; t < N_TEXTS; t++) {
        struct fb_keygen gen = parsed(texts[t]);
        uint8_t a[1024], b[1024];
        size_t inversions = 0;
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t x = fb_uniform_below(fb_stream_word(2, i), 1000000000000), y = x + 1 + i * i;
            size_t len_a = gen.write(&gen, 7, x, a), len_b = gen.write(&gen, 7, y, b);
            inversions += memcmp(a, b, len_a < len_b ? len_a : len_b) > 0;
        }
        if (gen.ordered)
            assert_int_equal(inversions, 0);
        else if (strcmp(texts[t], "dec6") && strcmp(texts[t], "user"))
            assert_true(inversions > 100);
    }
}

/* read() finds the index of every key; keys that no index has are not found. */
TEST(reading_finds_the_index)
{
    for (size_t t = 0; t < N_TEXTS; t++) {
        struct fb_keygen gen = parsed(texts[t]);
        struct fb_keyspace space;
        uint8_t key[1025], scratch[1025];
        uint64_t found;
        fb_keyspace_generate(&gen, FB_ORDER_SHUFFLE, UINT64_C(1) << 40, 3, &space);
        for (uint64_t i = 0; i < 3000; i++) {
            uint64_t index = i < 1000 ? i : fb_uniform_below(fb_stream_word(3, i), space.size);
            size_t len = fb_keyspace_write(&space, index, key);
            assert_int_equal(fb_keyspace_find(&space, key, len, scratch, &found), gen.read != NULL);
            if (gen.read)
                assert_int_equal(found, index);
            key[len] = '.';
            assert_false(fb_keyspace_find(&space, key, len + 1, scratch, &found));
        }
    }
}

TEST(stream_words_have_counters)
{
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t key = fb_mix64(i), counter = i < 500 ? i : fb_mix64(~i);
        assert_int_equal(fb_stream_counter(key, fb_stream_word(key, counter)), counter);
    }
}

TEST(uuids_are_stamped)
{
    struct fb_keygen four = parsed("uuid4"), seven = parsed("uuid7"), bin = parsed("uuid4-bin");
    uint64_t ones = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        uint8_t key[36], bytes[16];
        char hex[37] = "";
        assert_int_equal(four.write(&four, 5, i, key), 36);
        assert_int_equal(bin.write(&bin, 5, i, bytes), 16);
        for (size_t b = 0; b < 16; b++) {
            if (b == 4 || b == 6 || b == 8 || b == 10)
                strcat(hex, "-");
            snprintf(hex + strlen(hex), 3, "%02x", bytes[b]);
            ones += (uint64_t)__builtin_popcount(bytes[b]);
        }
        assert_memory_equal(key, hex, 36);
        assert_int_equal(key[14], '4');
        assert_non_null(strchr("89ab", key[19]));
        assert_int_equal(seven.write(&seven, 5, i, key), 36);
        assert_int_equal(key[14], '7');
        assert_non_null(strchr("89ab", key[19]));
    }
    assert_near(ones, 1000 * (122 / 2 + 2), 5 * sqrt(122000 / 4)); /* 0100 and 10 are given */
}

/* Lengths from A to B, each as often. */
TEST(lengths_are_uniform)
{
    struct fb_keygen gen = parsed("len:10..14");
    unsigned times[15] = {0};
    uint8_t key[14];
    for (uint64_t i = 0; i < 10000; i++)
        times[gen.write(&gen, 1, i, key)]++;
    for (size_t len = 0; len < 15; len++)
        assert_near(times[len], len >= 10 ? 2000 : 0, 200);
}

/* Keys of a catalogue: each object once in every period of eight hours. */
TEST(reports_of_objects)
{
    struct fb_keygen gen = parsed("norad"), bin = parsed("norad-bin");
    for (uint64_t i = 0; i < 100000; i += 7) {
        uint8_t key[27] = {0}, bytes[12];
        assert_int_equal(gen.write(&gen, 5, i, key), 26);
        assert_int_equal(bin.write(&bin, 5, i, bytes), 12);
        assert_int_equal(key[5], ':');
        uint64_t number = strtoull((char *)key, NULL, 10);
        uint64_t time_us = strtoull((char *)key + 6, NULL, 10) - UINT64_C(1577836800000000);
        assert_int_equal((number - 1) / 3, i % 30000);
        assert_int_equal(time_us / UINT64_C(28800000000), i / 30000);
        assert_int_equal(fb_be64(bytes + 4), time_us + UINT64_C(1577836800000000));
        assert_int_equal(fb_be64(bytes) >> 32, number);
    }
    /* The first and the last number, the first time; what lies beside them is no report's. */
    static const struct {
        const char *key;
        int64_t index;
    } rows[] = {{"00001:00001577836800000000", 0},     {"00000:00001577836800000000", -1},
                {"90000:00001577836800000000", 29999}, {"90001:00001577836800000000", -1},
                {"00001:00001577836799999999", -1},    {"00004:00001577865600000000", 30001}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t index = 0;
        const bool read = gen.read(&gen, 5, (const uint8_t *)rows[i].key, 26, &index);
        assert_int_equal(read ? (int64_t)index : -1, rows[i].index);
    }
    /* Of every 4099th key: from 10^6 on, the 244th, there is a digit more. */
    gen = parsed("dec6");
    assert_true(fb_keygen_mean_bytes(&gen) == 9 + 12 / 256.0 && fb_keygen_mean_bytes(&bin) == 12);
}

/* Few hosts with many pages. */
TEST(urls_look_like_urls)
{
    struct fb_keygen gen = parsed("url");
    unsigned first = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        uint8_t key[65] = {0};
        unsigned host;
        char path[64];
        unsigned long long id;
        assert_true(gen.write(&gen, 9, i, key) <= 64);
        assert_int_equal(sscanf((char *)key, "https://h%u.example/%40[a-z0-9/]", &host, path), 2);
        assert_int_equal(sscanf(strrchr(path, '/') + 1, "%llu", &id), 1);
        assert_int_equal(id, i);
        assert_in_range(host, 1, 16383);
        first += host == 1;
    }
    assert_near(first, 10000 / 14.0, 130);
}

TEST(what_is_no_format)
{
    static const char *const bad[] = {"",
                                      "nosuch",
                                      "bin",
                                      "bin:",
                                      "bin:7",
                                      "bin:65537",
                                      "bin:16x",
                                      "bin:L",
                                      "bin:-8",
                                      "len:8",
                                      "len:9..8",
                                      "len:8..",
                                      "len:7..9",
                                      "len:A..B",
                                      "random:8",
                                      "uuid4-",
                                      "RANDOM",
                                      "len:8..99999",
                                      "pad40-fron",
                                      "bin:00000000000000000000000000000000016",
                                      "bin:99999999999999999999"};
    struct fb_keygen gen;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *why = NULL;
        if (fb_keygen_parse(bad[i], &gen, &why))
            fail_msg("'%s' is accepted", bad[i]);
        assert_non_null(strstr(why, "bin:L and len:A..B"));
    }
    for (const struct fb_keygen *row = fb_keygens; row->name; row++) {
        const char *why = NULL;
        char word[32];
        assert_false(fb_keygen_parse("", &gen, &why));
        snprintf(word, sizeof word, "%s", row->name);
        assert_non_null(strstr(why, word)); /* the message names every format */
    }
}

TESTS(NULL, NULL)
