#include "harness/base/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char fb_quantity_help[] =
    "Numbers:\n"
    "counts\t50M or 50m. k, M, G and T are powers of 1000; Ki, Mi, Gi and Ti are powers of 1024\n"
    "bytes\t256Mi or 1GiB\n"
    "shares\t70% or 0.7\n"
    "times\t10us, with ns, us, ms, s, m or h\n";

/* A unit is 10^tens * factor. */
static const struct unit {
    const char *text;
    enum fb_unit of;
    int tens;
    double factor;
} units[] = {
    {"k", FB_UNIT_COUNT, 3, 1},
    {"K", FB_UNIT_COUNT, 3, 1},
    {"M", FB_UNIT_COUNT, 6, 1},
    {"G", FB_UNIT_COUNT, 9, 1},
    {"T", FB_UNIT_COUNT, 12, 1},
    {"Ki", FB_UNIT_COUNT, 0, 1024},
    {"Mi", FB_UNIT_COUNT, 0, 1048576},
    {"Gi", FB_UNIT_COUNT, 0, 1073741824},
    {"Ti", FB_UNIT_COUNT, 0, 1099511627776},
    {"%", FB_UNIT_SHARE, -2, 1},
    {"ns", FB_UNIT_SECONDS, -9, 1},
    {"us", FB_UNIT_SECONDS, -6, 1},
    {"ms", FB_UNIT_SECONDS, -3, 1},
    {"s", FB_UNIT_SECONDS, 0, 1},
    {"m", FB_UNIT_SECONDS, 0, 60},
    {"h", FB_UNIT_SECONDS, 0, 3600},
};

/* The unit that the text names, or NULL. */
static const struct unit *unit_of(const char *text, enum fb_unit asked)
{
    static const struct unit plain = {"", FB_UNIT_NONE, 0, 1};
    const enum fb_unit table = asked == FB_UNIT_BYTES ? FB_UNIT_COUNT
                               : asked == FB_UNIT_NS  ? FB_UNIT_SECONDS
                                                      : asked;
    size_t len = strlen(text);
    if (!len)
        return asked == FB_UNIT_NS ? NULL : &plain;
    if (asked == FB_UNIT_BYTES && text[len - 1] == 'B' && !--len)
        return &plain;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].of == table && strlen(units[i].text) == len &&
            !(asked == FB_UNIT_COUNT ? strncasecmp : strncmp)(units[i].text, text, len))
            return &units[i];
    return NULL;
}

/* The length of a decimal number at the start, and of what stands before its exponent; 0: there is
 * none. "1e6" has an exponent, "1e" has a unit "e". */
static size_t number_at(const char *text, size_t *mantissa)
{
    size_t at = *text == '-', digits;
    digits = strspn(text + at, "0123456789");
    at += digits;
    if (text[at] == '.') {
        const size_t behind = strspn(text + at + 1, "0123456789");
        digits += behind;
        at += 1 + behind;
    }
    *mantissa = at;
    if (!digits)
        return 0;
    if (text[at] == 'e' || text[at] == 'E') {
        const size_t sign = text[at + 1] == '-' || text[at + 1] == '+';
        const size_t behind = strspn(text + at + 1 + sign, "0123456789");
        at += behind ? 1 + sign + behind : 0;
    }
    return at;
}

bool fb_quantity_read(const char *text, enum fb_unit asked, double *value)
{
    enum { MOST = 400 };
    char number[MOST + 32];
    size_t mantissa, len = number_at(text, &mantissa), behind = len;
    if (!len || len >= MOST)
        return false;
    if (text[behind] == ' ' && text[behind + 1])
        behind++;
    const struct unit *unit = unit_of(text + behind, asked);
    if (!unit)
        return false;
    /* The exponent takes the power of ten: one rounding in all. */
    const long exponent = len > mantissa ? strtol(text + mantissa + 1, NULL, 10) : 0;
    if (labs(exponent) > 100000)
        return false;
    snprintf(number, sizeof number, "%.*se%ld", (int)mantissa, text,
             exponent + unit->tens + (asked == FB_UNIT_NS ? 9 : 0));
    *value = strtod(number, NULL) * unit->factor;
    return isfinite(*value);
}

const char *fb_quantity_example(enum fb_unit asked, double low, double high)
{
    static const struct {
        enum fb_unit of;
        const char *text, *line;
    } examples[] = {
        {FB_UNIT_COUNT, "1M", ", such as 1M"},     {FB_UNIT_BYTES, "64MiB", ", such as 64MiB"},
        {FB_UNIT_BYTES, "4KiB", ", such as 4KiB"}, {FB_UNIT_SHARE, "1%", ", such as 1%"},
        {FB_UNIT_SECONDS, "60s", ", such as 60s"}, {FB_UNIT_NONE, "10", ", such as 10"},
    };
    double value;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (examples[i].of == asked && fb_quantity_read(examples[i].text, asked, &value) &&
            value >= low && value <= high)
            return examples[i].line;
    return "";
}
