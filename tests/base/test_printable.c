/* Texts of strangers: what of them may be printed, and may name a file. */
#include "tests/unit.h"

#include <string.h>

#include "harness/base/printable.h"

static const struct {
    const char *text;
    size_t fit;        /* bytes before the first that is not */
    const char *fixed; /* NULL: the text itself */
} rows[] = {
    {"plain text, 10 %", 16, NULL},
    {"\xC3\xA9t\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", 14, NULL}, /* two, three and four bytes */
    {"a\x1B[31m", 1, "a?[31m"},
    {"a\nb\tc", 1, "a?b?c"},
    {"\x7F", 0, "?"},
    {"ab\xC2\x9B"
     "31m",
     2, "ab?31m"}, /* C1, in one character */
    {"\xE2\x80\xAE"
     "evil",
     0, "?evil"},                              /* U+202E */
    {"\xE2\x81\xA6x\xD8\x9C", 0, "?x?"},       /* U+2066, U+061C */
    {"x\xE2\x80\xA8y\xEF\xBB\xBF", 1, "x?y?"}, /* U+2028, U+FEFF */
    {"\xC0\xAF", 0, "??"},                     /* '/', longer than need be */
    {"\xED\xA0\x80", 0, "???"},                /* half of a pair */
    {"\xF4\x90\x80\x80", 0, "????"},           /* beyond U+10FFFF */
    {"cut \xE2\x82", 4, "cut "},               /* by "%.40s": nothing is left of it */
    {"'cut \xF0\x9F\x98' is", 5, "'cut ' is"},
    {"'cut \xC3' is", 5, "'cut ' is"},
    {"\xC3\xA9\xC3", 2, "\xC3\xA9"},
    {"Gr\xE9goire", 2, "Gr?goire"}, /* of another encoding */
    {"", 0, NULL},
};

TEST(texts)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        strcpy(text, rows[i].text);
        assert_int_equal(fb_printable_length(text), rows[i].fit);
        assert_string_equal(fb_make_printable(text, false),
                            rows[i].fixed ? rows[i].fixed : rows[i].text);
        assert_int_equal(fb_printable_length(text), strlen(text));
    }
    char lines[] = "a\nb\x1B\n";
    assert_string_equal(fb_make_printable(lines, true), "a\nb?\n");
}

TEST(names_of_files)
{
    static const char *const names[][2] = {{"sbbf-256/L1/batch", "sbbf-256_L1_batch"},
                                           {"../../up", "_._.._up"},
                                           {".hidden", "_hidden"},
                                           {"/etc/passwd", "_etc_passwd"},
                                           {"n=1.5 k", "n=1.5_k"},
                                           {"", "_"},
                                           {"\xC3\xA9\n$`;", "______"},
                                           {"..", "_."}};
    char out[FB_FILE_WORD], longest[2 * FB_FILE_WORD];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(fb_file_word(names[i][0], '_', out), names[i][1]);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(strlen(fb_file_word(longest, '_', out)), FB_FILE_WORD - 1);
}

TESTS(NULL, NULL)
