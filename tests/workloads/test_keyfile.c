/* Key files: what each format accepts, and what it says about everything else. */
#include "tests/unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/core/keys.h"
#include "workloads/core/rng.h"

/* A file, and its keys one after the other: "xx" hexadecimal bytes, keys separated by a blank;
 * "." is the empty key. A prefix i or f gives the type. */
struct accepted {
    const char *format, *file;
    size_t n_bytes;
    const char *keys;
};
#define FILE_OF(text) text, sizeof text - 1

static const struct accepted accepted[] = {
    {"lines", FILE_OF(""), ""},
    {"lines", FILE_OF("a\nbc\n"), "61 6263"},
    {"lines", FILE_OF("a\nbc"), "61 6263"},
    {"lines", FILE_OF("\n"), "."},
    {"lines", FILE_OF("\n\na\n\n"), ". . 61 ."},
    {"lines", FILE_OF("a\r\n \n"), "610d 20"}, /* not every line ends with CR LF: keys have it */
    {"lines", FILE_OF("a\r\n\r\nb\r"), "61 . 620d"},
    {"hex", FILE_OF("00\r\n01\r\n"), "00 01"},
    {"u64", FILE_OF("5\r\n6"), "0500000000000000 0600000000000000"},
    {"nul", FILE_OF("a\r\n\0"), "610d0a"},
    {"lines", FILE_OF("a\0b\n"), "610062"},
    {"nul", FILE_OF("a\nb\0c\0"), "610a62 63"},
    {"nul", FILE_OF("a\0\0c"), "61 . 63"},
    {"hex", FILE_OF("00fF\n\n7a"), "00ff . 7a"},
    {"len32", FILE_OF(""), ""},
    {"len32", FILE_OF("\2\0\0\0ab\0\0\0\0\1\0\0\0\n"), "6162 . 0a"},
    {"fixed:1", FILE_OF("a\n"), "61 0a"},
    {"fixed:3", FILE_OF("abcdef"), "616263 646566"},
    {"fixed:3", FILE_OF(""), ""},
    {"csv:1", FILE_OF("a,b\nc,d\n"), "61 63"},
    {"csv:2", FILE_OF("a,b\r\nc,d"), "62 64"},
    {"csv:2", FILE_OF("a,\r\nc,d\r"), ". 64"},
    {"csv:2", FILE_OF("\n\r\na,b\n\n"), "62"},
    {"csv:3", FILE_OF("a,b,"), "."},
    {"csv:2", FILE_OF("x,\"a,\"\"b\"\"\r\n\",y\nx,\"\"\nx,\"q\"\r\nx,\"q\""),
     "612c2262220d0a . 71 71"},
    {"csv:1", FILE_OF("a\rb,c\n"), "610d62"},
    {"csv:1", FILE_OF(""), ""},
    {"csv:id", FILE_OF("name,id\nx,1\ny,2\n"), "31 32"},
    {"csv:the \"id\"", FILE_OF("\xEF\xBB\xBF\"the \"\"id\"\"\",n\r\n1,2\r\n"), "31"},
    {"csv:n", FILE_OF("n,n\n1,2\n"), "31"},
    {"csv:n", FILE_OF("n"), ""},
    {"csv:3d", FILE_OF("a,3d\n1,2\n"), "32"},
    {"u64", FILE_OF("0\n18446744073709551615\n0258"),
     "0000000000000000 ffffffffffffffff 0201000000000000"},
    {"i64", FILE_OF("-1\n9223372036854775807\n-9223372036854775808\n-0"),
     "ffffffffffffffff ffffffffffffff7f 0000000000000080 0000000000000000"},
    {"i32", FILE_OF("-1\n2147483647\n-2147483648\n42"), "ffffffff ffffff7f 00000080 2a000000"},
    {"f64", FILE_OF("1.5\n-0\n1e300\n.5\n+2.\n1E-400\n4.9e-324"),
     "000000000000f83f 0000000000000080 9c7500883ce4377e 000000000000e03f 0000000000000040 "
     "0000000000000000 0100000000000000"},
    {"f64", FILE_OF("inf\n-inf\n+inf\nnan"),
     "000000000000f07f 000000000000f0ff 000000000000f07f 000000000000f87f"},
    /* Halfway between 1 and the next float, and a hair above: rounding by way of a double would
     * send both to 1. */
    {"f32",
     FILE_OF("1.5\n1.000000059604644775390625\n1.00000005960464477539062500001\n3.4028235e38"),
     "0000c03f 0000803f 0100803f ffff7f7f"},
    {"f32", FILE_OF("inf\n-inf\nnan"), "0000807f 000080ff 0000c07f"},
    {"typed", FILE_OF("s:\ns:i:1\nb:00ff\nb:\n"), ". 693a31 00ff ."},
    {"typed", FILE_OF("i:-17\ni:007\ni:-0\ni:0\ni:18446744073709551616000\n"),
     "i2d3137 i37 i30 i30 i3138343436373434303733373039353531363136303030"},
    {"typed", FILE_OF("f:0.1\nf:15\ns:f:1"), "f9a9999999999b93f f0000000000002e40 663a31"},
};

static size_t from_hex(const char *hex, size_t n_digits, uint8_t *bytes)
{
    for (size_t i = 0; i < n_digits; i += 2) {
        unsigned byte;
        assert_int_equal(sscanf(hex + i, "%2x", &byte), 1);
        bytes[i / 2] = (uint8_t)byte;
    }
    return n_digits / 2;
}

static void check_keys(const struct fb_keys *keys, const char *expected, bool typed)
{
    size_t n = 0;
    uint8_t bytes[64];
    while (*expected) {
        size_t width = strcspn(expected, " "), len = 0;
        enum fb_key_type type = FB_KEY_BYTES;
        const char *hex = expected;
        size_t digits = width;
        if (typed && *expected != '.' && digits % 2) {
            type = *hex == 'i' ? FB_KEY_INT : FB_KEY_FLOAT;
            hex++, digits--;
        }
        if (*expected != '.')
            len = from_hex(hex, digits, bytes);
        assert_in_range(n + 1, 1, keys->n);
        assert_int_equal(fb_key_len(keys, n), len);
        if (len)
            assert_memory_equal(fb_key_at(keys, n), bytes, len);
        assert_int_equal(keys->type ? keys->type[n] : FB_KEY_BYTES, type);
        n++;
        expected += width + (expected[width] == ' ');
    }
    assert_int_equal(keys->n, n);
}

/* From memory of exactly the file's size, so that a sanitizer sees any byte read beyond. */
static enum fb_err parse(const char *format, const void *file, size_t n_bytes,
                         struct fb_keyset *out, struct fb_keyfile_error *error)
{
    auto_free uint8_t *data = malloc(n_bytes ? n_bytes : 1);
    assert_non_null(data);
    memcpy(data, file, n_bytes);
    enum fb_err err = fb_keyfile_parse(format, data, n_bytes, out, error);
    return err;
}

TEST(formats_accept)
{
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        const struct accepted *a = &accepted[i];
        closed_by(fb_keyset_close) struct fb_keyset set;
        struct fb_keyfile_error error;
        if (parse(a->format, a->file, a->n_bytes, &set, &error))
            fail_msg("%s '%s': %s", a->format, a->file, error.what);
        assert_null(error.what);
        check_keys(&set.keys, a->keys, !strcmp(a->format, "typed"));
    }
}

static const struct refused {
    const char *format, *file;
    size_t n_bytes;
    uint64_t line, offset;
    const char *what; /* a part of it */
} refused[] = {
    {"hex", FILE_OF("00\nabc\n"), 2, 3, "odd number"},
    {"hex", FILE_OF("0g"), 1, 0, "not a hexadecimal digit"},
    {"hex", FILE_OF("0\1"), 1, 0, "not a hexadecimal digit"},
    {"hex", FILE_OF("00\r\n01\n"), 1, 0, "odd number"},
    {"len32", FILE_OF("\1\0\0"), 0, 0, "inside the 4-byte length"},
    {"len32", FILE_OF("\1\0\0\0a\2\0"), 0, 5, "inside the 4-byte length"},
    {"len32", FILE_OF("\1\0\0\0a\2\0\0\0b"), 0, 5, "before the key does"},
    {"len32", FILE_OF("\377\377\377\377abc"), 0, 0, "before the key does"},
    {"fixed:3", FILE_OF("abcde"), 0, 3, "no multiple"},
    {"csv:3", FILE_OF("a,b,c\n\na,b\n"), 3, 7, "fewer columns"},
    {"csv:2", FILE_OF("\"a\n\",b\n\"c\n\n\"\n"), 3, 7, "fewer columns"},
    {"csv:1", FILE_OF("a\nb,\"c\nd"), 2, 4, "never closed"},
    {"csv:1", FILE_OF("\""), 1, 0, "never closed"},
    {"csv:1", FILE_OF("\"a\"b\n"), 1, 0, "behind a closing quote"},
    {"csv:1", FILE_OF("\"a\" ,b\n"), 1, 0, "behind a closing quote"},
    {"csv:1", FILE_OF("\"a\"\rb\n"), 1, 0, "behind a closing quote"},
    {"csv:1", FILE_OF("a\nb\"c\"\n"), 2, 2, "inside a field"},
    {"csv:id", FILE_OF("name,ID\nx,1\n"), 1, 0, "no column of that name"},
    {"csv:id", FILE_OF(""), 1, 0, "no column of that name"},
    {"csv:id", FILE_OF("na\"me,id\n"), 1, 0, "inside a field"},
    {"u64", FILE_OF("1\n\n2\n"), 2, 2, "not a decimal integer"},
    {"u64", FILE_OF("1\n18446744073709551616\n"), 2, 2, "outside u64"},
    {"u64", FILE_OF("-1"), 1, 0, "outside u64"},
    {"u64", FILE_OF("12 "), 1, 0, "not a decimal integer"},
    {"u64", FILE_OF("+5"), 1, 0, "not a decimal integer"},
    {"u64", FILE_OF("0x10"), 1, 0, "not a decimal integer"},
    {"u64", FILE_OF("5\r\n6\n"), 1, 0, "not a decimal integer"},
    {"u64", FILE_OF("5\r\n6\r"), 2, 3, "not a decimal integer"},
    {"u64", FILE_OF("5\0\n"), 1, 0, "not a decimal integer"},
    {"i64", FILE_OF("9223372036854775808"), 1, 0, "outside i64"},
    {"i64", FILE_OF("0\n-9223372036854775809"), 2, 2, "outside i64"},
    {"i64", FILE_OF("99999999999999999999999"), 1, 0, "outside i64"},
    {"i64", FILE_OF("-"), 1, 0, "not a decimal integer"},
    {"i64", FILE_OF("--1"), 1, 0, "not a decimal integer"},
    {"i32", FILE_OF("2147483648"), 1, 0, "outside i32"},
    {"i32", FILE_OF("7\n7\n-2147483649\n7"), 3, 4, "outside i32"},
    {"i32", FILE_OF("1.0"), 1, 0, "not a decimal integer"},
    {"f64", FILE_OF("1\n\n"), 2, 2, "not a decimal number"},
    {"f64", FILE_OF(" 1"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("1 "), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("1.5x"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("1,5"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("0x1p3"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("1e"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("1-1"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("."), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("infinity"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("inf\0"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("1\0"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("-nan"), 1, 0, "not a decimal number"},
    {"f64", FILE_OF("0\n1e309"), 2, 2, "beyond the largest"},
    {"f32", FILE_OF("-1e39"), 1, 0, "beyond the largest"},
    {"f32", FILE_OF("one"), 1, 0, "not a decimal number"},
    {"typed", FILE_OF("s:a\na\n"), 2, 4, "no type"},
    {"typed", FILE_OF("\n"), 1, 0, "no type"},
    {"typed", FILE_OF("x:1"), 1, 0, "unknown type"},
    {"typed", FILE_OF("b:1"), 1, 0, "odd number"},
    {"typed", FILE_OF("i:"), 1, 0, "not a decimal integer"},
    {"typed", FILE_OF("i:-"), 1, 0, "not a decimal integer"},
    {"typed", FILE_OF("i:18446744073709551616x"), 1, 0, "not a decimal integer"},
    {"typed", FILE_OF("i:1.5"), 1, 0, "not a decimal integer"},
    {"typed", FILE_OF("f:"), 1, 0, "not a decimal number"},
    {"typed", FILE_OF("f:1e999"), 1, 0, "beyond the largest"},
    {"typed", FILE_OF("f:nan"), 1, 0, "hashes by its address"},
    {"line", FILE_OF("a"), 0, 0, "unknown key format"},
    {"fixed:0", FILE_OF("a"), 0, 0, "unknown key format"},
    {"fixed:", FILE_OF("a"), 0, 0, "unknown key format"},
    {"fixed:-1", FILE_OF("a"), 0, 0, "unknown key format"},
    {"fixed:4294967296", FILE_OF("a"), 0, 0, "unknown key format"},
    {"fixed:99999999999999999999", FILE_OF("a"), 0, 0, "unknown key format"},
    {"fixed:L", FILE_OF("a"), 0, 0, "unknown key format"},
    {"", FILE_OF("a"), 0, 0, "unknown key format"},
    {"csv:", FILE_OF("a"), 0, 0, "unknown key format"},
    {"csv:0", FILE_OF("a"), 0, 0, "unknown key format"},
    {"csv:2147483648", FILE_OF("a"), 0, 0, "unknown key format"},
    {"csv:99999999999999999999", FILE_OF("a"), 0, 0, "unknown key format"},
    {"csv", FILE_OF("a"), 0, 0, "unknown key format"},
};

TEST(formats_refuse)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct refused *r = &refused[i];
        struct fb_keyset set;
        struct fb_keyfile_error error;
        assert_int_equal(parse(r->format, r->file, r->n_bytes, &set, &error), FB_EINVAL);
        if (!error.what || !strstr(error.what, r->what))
            fail_msg("%s '%s': %s, expected '%s'", r->format, r->file, error.what, r->what);
        assert_int_equal(error.line, r->line);
        assert_int_equal(error.offset, r->offset);
        assert_null(set.bytes);
        assert_int_equal(set.keys.n, 0);
    }
}

TEST(lines_end_with_crlf)
{
    assert_true(fb_keyfile_crlf((const uint8_t *)"a\r\nb\r\n", 6));
    assert_true(fb_keyfile_crlf((const uint8_t *)"a\r\nb", 4));
    assert_false(fb_keyfile_crlf((const uint8_t *)"a\r\nb\n", 5));
    assert_false(fb_keyfile_crlf((const uint8_t *)"\na\r\n", 4));
    assert_false(fb_keyfile_crlf((const uint8_t *)"a", 1));
    assert_true(fb_keyformat_is_lines("lines") && fb_keyformat_is_lines("u64"));
    assert_false(fb_keyformat_is_lines("nul") || fb_keyformat_is_lines("csv:1"));
}

TEST(headers)
{
    static const struct {
        const char *format, *file;
        bool header;
    } files[] = {{"csv:1", "id,name\n1,a\n", true},
                 {"csv:2", "id,\"a b\"\r\n-1,a", true},
                 {"csv:id", "id,name\n1,a\n", false},
                 {"csv:1", "7,name\n1,a\n", false},
                 {"csv:1", "one,two\nthree,four\n", false},
                 {"csv:1", "id,name\n", false},
                 {"csv:1", "", false},
                 {"csv:1", "id,\"n\n1", false},
                 {"lines", "id\n1\n", false}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(
            fb_csv_header(files[i].format, (const uint8_t *)files[i].file, strlen(files[i].file)),
            files[i].header);
    static const char named[] = "\xEF\xBB\xBFid,\"a,b\",\nc";
    char names[sizeof named] = "";
    assert_int_equal(fb_csv_columns("csv:x", (const uint8_t *)named, sizeof named - 1, names), 3);
    assert_memory_equal(names, "id\0a,b\0", 8);
    assert_int_equal(fb_csv_columns("csv:1", (const uint8_t *)named, sizeof named - 1, names), 0);
}

TEST(format_names)
{
    for (const struct fb_word *f = fb_keyformats; f->name; f++) {
        assert_non_null(f->summary);
        assert_int_equal(fb_keyformat_valid(f->name), strcmp(f->name, "fixed:L") != 0);
    }
    assert_true(fb_keyformat_valid("fixed:16"));
    assert_true(fb_keyformat_valid("fixed:2147483647"));
    assert_false(fb_keyformat_valid("fixed:2147483648"));
    assert_false(fb_keyformat_valid("fixed:1x"));
    assert_false(fb_keyformat_valid("Lines"));
}

/* A file cut at any length is either whole keys or an error at the key that was cut. */
TEST(len32_cut_anywhere)
{
    static const char file[] = "\3\0\0\0abc\0\0\0\0\5\0\0\0hello";
    static const size_t starts[] = {0, 7, 11, 20};
    for (size_t cut = 0; cut <= 20; cut++) {
        closed_by(fb_keyset_close) struct fb_keyset set;
        struct fb_keyfile_error error;
        size_t whole = 0;
        while (whole < 3 && starts[whole + 1] <= cut)
            whole++;
        enum fb_err err = parse("len32", file, cut, &set, &error);
        if (cut == starts[whole]) {
            assert_int_equal(err, FB_OK);
            assert_int_equal(set.keys.n, whole);
        } else {
            assert_int_equal(err, FB_EINVAL);
            assert_int_equal(error.offset, starts[whole]);
        }
    }
}

/* Numbers are read as in the C locale even where the comma is the decimal point. */
TEST(numbers_ignore_the_locale)
{
    closed_by(fb_keyset_close) struct fb_keyset set;
    struct fb_keyfile_error error;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *taken = NULL;
    for (size_t i = 0; !taken && i < sizeof commas / sizeof *commas; i++)
        taken = setlocale(LC_NUMERIC, commas[i]);
    if (!taken)
        skip(); /* no such locale here */
    assert_int_equal(parse("f64", "1.5\n", 4, &set, &error), FB_OK);
    check_keys(&set.keys, "000000000000f83f", false);
    assert_string_equal(setlocale(LC_NUMERIC, NULL), taken);
    setlocale(LC_NUMERIC, "C");
}

/* The longest exact decimal of a double is read; longer text is an error, not a crash. */
TEST(long_numbers)
{
    struct fb_keyset set;
    struct fb_keyfile_error error;
    char text[4096];
    int len = snprintf(text, sizeof text, "%.1074f", ldexp(1, -1074));
    assert_int_equal(parse("f64", text, (size_t)len, &set, &error), FB_OK);
    check_keys(&set.keys, "0100000000000000", false);
    fb_keyset_close(&set);
    memset(text, '0', sizeof text);
    assert_int_equal(parse("f64", text, 2047, &set, &error), FB_OK);
    fb_keyset_close(&set);
    assert_int_equal(parse("f64", text, 2048, &set, &error), FB_EINVAL);
    assert_non_null(strstr(error.what, "2047"));
    assert_int_equal(parse("typed", text, sizeof text, &set, &error), FB_EINVAL);
}

/* Any bytes in any format: no crash, and room for every key. */
TEST(random_bytes_are_safe)
{
    static const char *const names[] = {"lines", "nul", "hex", "len32", "fixed:7", "u64",
                                        "i32",   "i64", "f32", "f64",   "typed"};
    static const char alphabet[] = "\n\0 0123456789.-+enasbif:\1\2";
    for (uint64_t trial = 0; trial < 3000; trial++) {
        char file[64];
        struct fb_keyset set;
        struct fb_keyfile_error error;
        size_t n_bytes = fb_stream_word(1, trial) % (sizeof file + 1);
        for (size_t i = 0; i < n_bytes; i++)
            file[i] = alphabet[fb_stream_word(trial, i) % (sizeof alphabet - 1)];
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            enum fb_err err = parse(names[i], file, n_bytes, &set, &error);
            assert_true(err == FB_OK || (err == FB_EINVAL && error.what));
            assert_in_range(error.offset, 0, n_bytes);
            fb_keyset_close(&set);
        }
    }
}

TESTS(NULL, NULL)
