#include "harness/kind/claims/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Numbers ---- */

/* Text i of what is printed; NULL: that number is not. */
static const char *printed_at(const struct fb_claim *claim, size_t i)
{
    const json_t *printed = fb_claim_printed(claim);
    return json_string_value(json_is_array(printed) ? json_array_get(printed, i)
                             : i                    ? NULL
                                                    : printed);
}

static bool is_hex(const struct fb_claim *claim)
{
    const char *digits = printed_at(claim, 0);
    return digits && !strncmp(digits, "0x", 2);
}

void fb_claim_numbers(const struct fb_claim *claim, const double *values, size_t n, char *text,
                      size_t size)
{
    /* Whole from here on: an exponent would be harder to read than the digits. */
    const double large = 9999.5, too_large = 1e12;
    const bool hex = is_hex(claim);
    text[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const char *comma = i ? ", " : "";
        const double x = values[i];
        const bool whole = x == floor(x) || fabs(x) >= large;
        if (hex && x >= 0 && x < 0x1p64)
            fb_append(text, size, "%s0x%llX", comma, (unsigned long long)x);
        else if (whole && fabs(x) < too_large)
            fb_append(text, size, "%s%.0f", comma, x);
        else
            fb_append(text, size, "%s%.4g", comma, x);
    }
}

/* ---- A claim ---- */

/* Whether the limits leave room about the values. */
static bool has_width(const struct fb_claimed *claimed)
{
    return claimed->n && claimed->low[0] < claimed->high[0];
}

/* The values, as printed where they are. */
static void append_values(const struct fb_claim *claim, char *text, size_t size)
{
    char numbers[100];
    for (size_t i = 0; i < claim->claimed.n; i++) {
        fb_claim_numbers(claim, &claim->claimed.value[i], 1, numbers, sizeof numbers);
        fb_append(text, size, "%s%s", i ? ", " : "",
                  printed_at(claim, i) ? printed_at(claim, i) : numbers);
    }
}

void fb_claim_figure(const struct fb_claim *claim, char *text, size_t size)
{
    const struct fb_claimed *claimed = &claim->claimed;
    text[0] = 0;
    if (!claimed->n && printed_at(claim, 0))
        fb_append(text, size, "%s", printed_at(claim, 0));
    if (claimed->n && claimed->relation != FB_EQUAL)
        fb_append(text, size, "%s ", fb_relation_texts[claimed->relation]);
    else if (has_width(claimed) && !fb_claim_printed(claim)) {
        fb_append(text, size, "%.10g to %.10g", claimed->low[0], claimed->high[0]);
        return;
    }
    append_values(claim, text, size);
}

void fb_claim_test(const struct fb_claim *claim, char *text, size_t size)
{
    const struct fb_claimed *claimed = &claim->claimed;
    const char *unit = claimed->unit;
    text[0] = 0;
    if (!claimed->n)
        return;
    if (claimed->relation != FB_EQUAL)
        fb_append(text, size, "%s ", fb_relation_texts[claimed->relation]);
    if (claimed->relation == FB_EQUAL && has_width(claimed) && claimed->n == 1)
        fb_append(text, size, "%.10g to %.10g", claimed->low[0], claimed->high[0]);
    else
        append_values(claim, text, size);
    if (claimed->relation == FB_EQUAL && has_width(claimed) && claimed->n > 1)
        fb_append(text, size, " +-%.4g", claimed->high[0] - claimed->value[0]);
    fb_append(text, size, "%s%s (", unit[0] ? " " : "", unit);
    if (claimed->whose == FB_PRINTED && !claimed->why)
        fb_append(text, size, "as printed)");
    else
        fb_append(text, size, "%s%s%s)", fb_whose_texts[claimed->whose], claimed->why ? ": " : "",
                  claimed->why ? claimed->why : "");
}

/* ---- What was left out ---- */

/* 1234567 as "1,234,567". */
static void append_count(char *text, size_t size, uint64_t n)
{
    if (n >= 1000) {
        append_count(text, size, n / 1000);
        fb_append(text, size, ",%03u", (unsigned)(n % 1000));
    } else {
        fb_append(text, size, "%u", (unsigned)n);
    }
}

void fb_claim_fewer(const json_t *row, char *text, size_t size)
{
    const json_t *asked = fb_json_at(row, "fewer.probes_asked");
    text[0] = 0;
    if (!asked)
        return;
    append_count(text, size, fb_json_uint(row, "probes"));
    fb_append(text, size, " probes instead of the ledger's ");
    append_count(text, size, (uint64_t)json_integer_value(asked));
}
