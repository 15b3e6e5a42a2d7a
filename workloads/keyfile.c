#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "workloads/core/keyfile.h"

/* One parse under way. The text formats differ in the separator and in what `line` makes of a line;
 * it returns NULL or what was wrong. */
struct parse {
    const uint8_t *data;
    size_t n_bytes;
    struct fb_keyset *out;
    struct fb_keyfile_error *error;
};

typedef const char *line_reader(struct fb_keyset *, const uint8_t *text, size_t len);

/* ---- One line ---- */

static const char *read_bytes(struct fb_keyset *out, const uint8_t *text, size_t len)
{
    fb_keyset_push(out, text, len, FB_KEY_BYTES);
    return NULL;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const char *read_hex(struct fb_keyset *out, const uint8_t *text, size_t len)
{
    if (len % 2)
        return "an odd number of hexadecimal digits; a byte is two";
    uint8_t *bytes = out->bytes + out->offset[out->keys.n];
    for (size_t i = 0; i < len; i += 2) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0)
            return "not a hexadecimal digit; accepted are 0-9, a-f and A-F";
        bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    fb_keyset_push(out, NULL, 0, FB_KEY_BYTES);
    out->offset[out->keys.n] += len / 2;
    return NULL;
}

static const char not_an_integer[] = "not a decimal integer";

/* |text| up to UINT64_MAX. */
static const char *read_magnitude(const uint8_t *text, size_t len, bool *negative, uint64_t *value)
{
    *value = 0;
    *negative = len && *text == '-';
    if (*negative)
        text++, len--;
    if (!len)
        return not_an_integer;
    bool fits = true;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = text[i] - (unsigned)'0';
        if (digit > 9)
            return not_an_integer;
        if (*value > (UINT64_MAX - digit) / 10)
            fits = false;
        *value = *value * 10 + digit;
    }
    return fits ? NULL : "an integer outside the range of the format";
}

/* An integer in [-low, high] as n little-endian bytes. */
static const char *read_integer(struct fb_keyset *out, const uint8_t *text, size_t len,
                                uint64_t low, uint64_t high, size_t n, const char *range)
{
    bool negative;
    uint64_t value;
    const char *wrong = read_magnitude(text, len, &negative, &value);
    if (wrong)
        return wrong == not_an_integer ? wrong : range;
    if (value > (negative ? low : high))
        return range;
    uint8_t bytes[8];
    fb_put_le64(bytes, negative ? -value : value);
    fb_keyset_push(out, bytes, n, FB_KEY_BYTES);
    return NULL;
}

static const char *read_u64(struct fb_keyset *out, const uint8_t *text, size_t len)
{
    return read_integer(out, text, len, 0, UINT64_MAX, 8, "outside u64, 0 .. 18446744073709551615");
}

static const char *read_i64(struct fb_keyset *out, const uint8_t *text, size_t len)
{
    return read_integer(out, text, len, UINT64_C(1) << 63, INT64_MAX, 8,
                        "outside i64, -9223372036854775808 .. 9223372036854775807");
}

static const char *read_i32(struct fb_keyset *out, const uint8_t *text, size_t len)
{
    return read_integer(out, text, len, UINT64_C(1) << 31, INT32_MAX, 4,
                        "outside i32, -2147483648 .. 2147483647");
}

/* The C library rounds decimal text correctly but also reads hexadecimal, blanks and more: only
 * these characters, and the three words, get that far. The longest exact decimal of a double has
 * 1077 characters. */
enum { NUMBER_CHARS = 2048 };

static const char *check_float(const uint8_t *text, size_t len, char *number)
{
    static const char *const words[] = {"nan", "inf", "+inf", "-inf"};
    if (len >= NUMBER_CHARS)
        return "a number of more than 2047 characters";
    memcpy(number, text, len);
    number[len] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (len == strlen(words[i]) && !memcmp(number, words[i], len))
            return NULL;
    if (len == 0 || strspn(number, "+-.0123456789eE") != len)
        return "not a decimal number; inf, -inf and nan are accepted as well";
    return NULL;
}

static const char *end_of_float(const char *number, const char *end, bool overflow)
{
    if (end == number || *end)
        return "not a decimal number; inf, -inf and nan are accepted as well";
    return overflow ? "beyond the largest finite number of the format" : NULL;
}

/* "inf" is a value; digits that round to it are a mistake. */
static bool overflowed(const char *number, double value)
{
    return isinf(value) && !strchr(number, 'n');
}

static const char *parse_double(const uint8_t *text, size_t len, uint8_t *bytes /* [8] */)
{
    char number[NUMBER_CHARS], *end;
    const char *wrong = check_float(text, len, number);
    if (wrong)
        return wrong;
    double value = strtod(number, &end);
    wrong = end_of_float(number, end, overflowed(number, value));
    memcpy(bytes, &value, sizeof value);
    return wrong;
}

static const char *read_f64(struct fb_keyset *out, const uint8_t *text, size_t len)
{
    uint8_t bytes[8];
    const char *wrong = parse_double(text, len, bytes);
    if (!wrong)
        fb_keyset_push(out, bytes, sizeof bytes, FB_KEY_BYTES);
    return wrong;
}

static const char *read_f32(struct fb_keyset *out, const uint8_t *text, size_t len)
{
    char number[NUMBER_CHARS], *end;
    const char *wrong = check_float(text, len, number);
    if (wrong)
        return wrong;
    float value = strtof(number, &end);
    wrong = end_of_float(number, end, overflowed(number, value));
    if (!wrong)
        fb_keyset_push(out, &value, sizeof value, FB_KEY_BYTES);
    return wrong;
}

/* An integer of any length, kept as text: "-0" and "007" become "0" and "7". */
static const char *read_typed_integer(struct fb_keyset *out, const uint8_t *text, size_t len)
{
    bool negative;
    uint64_t low_bits;
    if (read_magnitude(text, len, &negative, &low_bits) == not_an_integer)
        return not_an_integer;
    const uint8_t *digits = text + negative, *end = text + len;
    while (digits < end - 1 && *digits == '0')
        digits++;
    uint8_t *key = out->bytes + out->offset[out->keys.n];
    size_t sign = negative && *digits != '0';
    key[0] = '-';
    memcpy(key + sign, digits, (size_t)(end - digits));
    fb_keyset_push(out, NULL, 0, FB_KEY_INT);
    out->offset[out->keys.n] += sign + (size_t)(end - digits);
    return NULL;
}

static const char *read_typed(struct fb_keyset *out, const uint8_t *text, size_t len)
{
    if (len < 2 || text[1] != ':')
        return "no type; accepted are s:TEXT, b:HEX, i:DECIMAL and f:DECIMAL";
    const uint8_t *value = text + 2;
    uint8_t bytes[8];
    const char *wrong;
    switch (text[0]) {
    case 's':
        return read_bytes(out, value, len - 2);
    case 'b':
        return read_hex(out, value, len - 2);
    case 'i':
        return read_typed_integer(out, value, len - 2);
    case 'f':
        wrong = parse_double(value, len - 2, bytes);
        if (!wrong && value[0] == 'n')
            wrong = "nan, which Python hashes by its address, never twice alike";
        if (!wrong)
            fb_keyset_push(out, bytes, sizeof bytes, FB_KEY_FLOAT);
        return wrong;
    }
    return "an unknown type; accepted are s:TEXT, b:HEX, i:DECIMAL and f:DECIMAL";
}

/* ---- A whole file ---- */

static enum fb_err malformed(struct parse *p, uint64_t line, size_t offset, const char *what)
{
    *p->error = (struct fb_keyfile_error){line, offset, what};
    return FB_EINVAL;
}

bool fb_keyfile_crlf(const uint8_t *data, size_t n_bytes)
{
    bool any = false;
    for (const uint8_t *at = data, *end = data + n_bytes; at < end; at++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            break;
        if (at == data || at[-1] != '\r')
            return false;
        any = true;
    }
    return any;
}

static enum fb_err parse_text(struct parse *p, uint8_t separator, line_reader *reader, bool typed)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_bytes; i++)
        n += p->data[i] == separator;
    n += p->n_bytes && p->data[p->n_bytes - 1] != separator;
    /* No key is longer than its line, but for the numbers of at most 8 bytes. */
    enum fb_err err =
        n > SIZE_MAX / 16 ? FB_ENOMEM : fb_keyset_alloc(n, p->n_bytes + 8 * n, typed, p->out);
    const bool crlf = separator == '\n' && fb_keyfile_crlf(p->data, p->n_bytes);
    for (size_t at = 0, line = 1; !err && at < p->n_bytes; line++) {
        const uint8_t *end = memchr(p->data + at, separator, p->n_bytes - at);
        size_t len = end ? (size_t)(end - (p->data + at)) : p->n_bytes - at;
        const char *what = reader(p->out, p->data + at, len - (crlf && end));
        if (what)
            err = malformed(p, line, at, what);
        at += len + 1;
    }
    return err;
}

/* End of the key that starts at `at`, or 0 with *what set. */
static size_t len32_next(const struct parse *p, size_t at, const char **what)
{
    if (p->n_bytes - at < 4) {
        *what = "the file ends inside the 4-byte length of a key";
        return 0;
    }
    uint32_t len = fb_le32(p->data + at);
    if (p->n_bytes - at - 4 < len) {
        *what = "the file ends before the key does";
        return 0;
    }
    return at + 4 + len;
}

static enum fb_err parse_len32(struct parse *p)
{
    const char *what = NULL;
    size_t n = 0;
    for (size_t at = 0, end; at < p->n_bytes; at = end, n++) {
        end = len32_next(p, at, &what);
        if (!end)
            return malformed(p, 0, at, what);
    }
    enum fb_err err = fb_keyset_alloc(n, p->n_bytes, false, p->out);
    for (size_t at = 0, end; !err && at < p->n_bytes; at = end) {
        end = len32_next(p, at, &what);
        fb_keyset_push(p->out, p->data + at + 4, end - at - 4, FB_KEY_BYTES);
    }
    return err;
}

static enum fb_err parse_fixed(struct parse *p, size_t len)
{
    size_t n = p->n_bytes / len;
    if (p->n_bytes % len)
        return malformed(p, 0, n * len, "the file ends inside a key: its size is no multiple of L");
    enum fb_err err = fb_keyset_alloc(n, p->n_bytes, false, p->out);
    for (size_t i = 0; !err && i < n; i++)
        fb_keyset_push(p->out, p->data + i * len, len, FB_KEY_BYTES);
    return err;
}

/* ---- The formats ---- */

const struct fb_word fb_keyformats[] = {
    {"lines", "one key per line"},
    {"nul", "keys separated by NUL bytes, as find -print0 writes them"},
    {"hex", "one key per line, two hexadecimal digits a byte"},
    {"len32", "length (4 bytes, little-endian), then the bytes, repeated"},
    {"fixed:L", "keys of L bytes each"},
    {"csv:COLUMN",
     "a column of comma-separated values, by number from 1 or by name in the first line"},
    {"u64", "decimal per line, hashed as 8 bytes little-endian"},
    {"i32", "decimal per line, hashed as Parquet's INT32"},
    {"i64", "decimal per line, hashed as Parquet's INT64"},
    {"f32", "decimal per line, hashed as Parquet's FLOAT"},
    {"f64", "decimal per line, hashed as Parquet's DOUBLE"},
    {"typed", "per line s:TEXT, b:HEX, i:DECIMAL or f:DECIMAL, as abloom takes them"},
    {0},
};

static const struct text_format {
    const char *name;
    line_reader *reader;
    uint8_t separator;
    bool typed;
} text_formats[] = {
    {"lines", read_bytes, '\n', false}, {"nul", read_bytes, '\0', false},
    {"hex", read_hex, '\n', false},     {"u64", read_u64, '\n', false},
    {"i32", read_i32, '\n', false},     {"i64", read_i64, '\n', false},
    {"f32", read_f32, '\n', false},     {"f64", read_f64, '\n', false},
    {"typed", read_typed, '\n', true},
};

static const struct text_format *find_text(const char *name)
{
    for (size_t i = 0; i < sizeof text_formats / sizeof *text_formats; i++)
        if (!strcmp(text_formats[i].name, name))
            return &text_formats[i];
    return NULL;
}

/* L of "fixed:L"; 0: something else. */
static size_t fixed_len(const char *name)
{
    bool negative;
    uint64_t len;
    if (strncmp(name, "fixed:", 6) ||
        read_magnitude((const uint8_t *)name + 6, strlen(name + 6), &negative, &len))
        return 0;
    return negative || len > FB_MOST_FIXED ? 0 : (size_t)len;
}

/* What follows "csv:", or NULL. */
static const char *csv_column(const char *name)
{
    uint64_t number;
    return !strncmp(name, "csv:", 4) && fb_csv_column(name + 4, &number) ? name + 4 : NULL;
}

bool fb_keyformat_is_text(const char *name)
{
    return csv_column(name) || find_text(name);
}

bool fb_keyformat_is_lines(const char *name)
{
    const struct text_format *text = find_text(name);
    return text && text->separator == '\n';
}

bool fb_csv_header(const char *format, const uint8_t *data, size_t n_bytes)
{
    const char *column = csv_column(format);
    uint64_t number = 0;
    return column && fb_csv_column(column, &number) && number && fb_csv_names(data, n_bytes);
}

size_t fb_csv_columns(const char *format, const uint8_t *data, size_t n_bytes, char *names)
{
    const char *column = csv_column(format);
    uint64_t number = 0;
    const bool named = column && fb_csv_column(column, &number) && !number;
    return named ? fb_csv_first(data, n_bytes, names) : 0;
}

bool fb_keyformat_valid(const char *name)
{
    return fb_keyformat_is_text(name) || !strcmp(name, "len32") || fixed_len(name);
}

enum fb_err fb_keyfile_parse(const char *format, const uint8_t *data, size_t n_bytes,
                             struct fb_keyset *out, struct fb_keyfile_error *error)
{
    struct parse p = {data, n_bytes, out, error};
    memset(out, 0, sizeof *out);
    memset(error, 0, sizeof *error);
    const struct text_format *text = find_text(format);
    size_t len = fixed_len(format);
    enum fb_err err;
    if (text) { /* numbers are read in the C locale, whatever the caller's is */
        locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
        if (!c_locale)
            return FB_ENOMEM;
        locale_t callers = uselocale(c_locale);
        err = parse_text(&p, text->separator, text->reader, text->typed);
        uselocale(callers);
        freelocale(c_locale);
    } else if (csv_column(format)) {
        err = fb_csv_parse(csv_column(format), data, n_bytes, out, error);
    } else if (len) {
        err = parse_fixed(&p, len);
    } else if (!strcmp(format, "len32")) {
        err = parse_len32(&p);
    } else {
        err = malformed(&p, 0, 0, "unknown key format");
    }
    if (err)
        fb_keyset_close(out);
    return err;
}
