#include "harness/base/printable.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { CUT = 0, CONTROL = 0x7F }; /* neither is fit to print */

/* Bytes of the character that a text begins with, and which it is; 1 and CONTROL where it is no
 * UTF-8 (RFC 3629), or CUT and the bytes that are left of one whose end "%.40s" has cut off. A lone
 * byte in front of a letter is of another encoding. */
static size_t character(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)*text;
    const size_t n = first < 0x80             ? 1
                     : (first & 0xE0) == 0xC0 ? 2
                     : (first & 0xF0) == 0xE0 ? 3
                     : (first & 0xF8) == 0xF0 ? 4
                                              : 0;
    uint32_t c = n == 1 ? first : first & (0x7Fu >> n);
    size_t i = 1;
    for (; i < n && ((unsigned char)text[i] & 0xC0) == 0x80; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3F);
    const bool is = n && i == n && c >= least[n] && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
    const bool cut = i < n && (i > 1 || ((unsigned char)text[1] < 0x80 && !isalnum(text[1])));
    *code = is ? c : cut ? CUT : CONTROL;
    return is ? n : cut ? i : 1;
}

static bool is_fit(uint32_t c)
{
    static const uint32_t unfit[][2] = {{0, 0x1F},        {0x7F, 0x9F},     {0x61C, 0x61C},
                                        {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069},
                                        {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}};
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        if (unfit[i][0] <= c && c <= unfit[i][1])
            return false;
    return true;
}

size_t fb_printable_length(const char *text)
{
    size_t at = 0;
    while (text[at]) {
        uint32_t code;
        const size_t n = character(text + at, &code);
        if (!is_fit(code))
            break;
        at += n;
    }
    return at;
}

char *fb_make_printable(char *text, bool lines)
{
    char *to = text;
    for (const char *at = text; *at;) {
        uint32_t code;
        const size_t n = character(at, &code);
        if (is_fit(code) || (lines && *at == '\n')) {
            memmove(to, at, n);
            to += n;
        } else if (code != CUT) {
            *to++ = '?';
        }
        at += n;
    }
    *to = '\0';
    return text;
}

char *fb_file_word(const char *text, char other, char out[FB_FILE_WORD])
{
    size_t n = 0;
    for (; text[n] && n + 1 < FB_FILE_WORD; n++) {
        const char c = text[n];
        const bool fits = ((unsigned char)c < 0x80 && isalnum((unsigned char)c)) ||
                          (strchr("+,-=_%", c) && c) || (c == '.' && n);
        out[n] = (char)(fits ? c : other);
    }
    out[n] = '\0';
    return n ? out : strcpy(out, "_");
}
