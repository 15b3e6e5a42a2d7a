/*
 * What a row claims: numbers, and the limits within which a measurement counts as them.
 *
 * By default the printed digits give the limits: half a unit of the last digit that is meant, on
 * either side. Zeros at the end of a whole number are not meant, but two digits always are.
 *
 *     "0.82"  0.815 .. 0.825        "8,100"  8050 .. 8150        "20"  19.5 .. 20.5
 *     "1.0"   0.95 .. 1.05          "100"    95 .. 105           "7"   6.5 .. 7.5
 *
 * A member "tolerance" says otherwise:
 *
 *     about   true: the digits, twice as wide ("about 38 %"). Where 0 would be within, as of
 *             "about 1", nearly nothing could fail: such a row gives its half itself
 *     exact   true: the value alone
 *     half    a number: so much on either side of every value
 *     low, high   the limits themselves
 *     whose   "printed": from what the document prints; "words": from its words; "ours"
 *     why     in a few words, where the digits do not say it
 *
 * A bound ("<= 10") has one limit, its value, and no width; "tolerance" says whose it is.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_CLAIMED_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_CLAIMED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { FB_CLAIM_VALUES = 5 };

enum fb_relation { FB_EQUAL, FB_AT_MOST, FB_AT_LEAST, FB_BELOW, FB_ABOVE };
const char *fb_relation_text(enum fb_relation); /* "=", "<=", ">=", "<", ">" */

enum fb_whose { FB_PRINTED, FB_WORDS, FB_OURS };
const char *fb_whose_text(enum fb_whose); /* "printed", "words", "ours" */

/* Strings point into the ledger. */
struct fb_claimed {
    size_t n; /* numbers claimed; 0: words only */
    double value[FB_CLAIM_VALUES];
    double low[FB_CLAIM_VALUES], high[FB_CLAIM_VALUES]; /* limits; infinite where there is none */
    enum fb_relation relation; /* FB_BELOW, FB_ABOVE: the limit itself is not within */
    enum fb_whose whose;       /* the limits are */
    const char *why;           /* the limits are these; NULL: the digits say it */
    const char *unit;
    const char *text; /* the claim in words; NULL: the number is what was printed */
};

/* A number as printed and half a unit of its last digit that is meant. False if the text is not a
 * number. "0x1F" is 31 and nothing else: hexadecimal digits are not rounded. "1e-5" means one
 * digit. */
bool fb_printed_number(const char *printed, double *value, double *half);

/* The member "claimed" of a row. Returns what is wrong with it, or NULL. */
const char *fb_claimed_read(const json_t *claimed, struct fb_claimed *out);

/* Where an interval stands to the limits of value i. A point on a limit is within, unless the
 * relation excludes it. */
enum fb_standing { FB_WITHIN, FB_OUTSIDE, FB_BETWEEN };
enum fb_standing fb_claimed_stands(const struct fb_claimed *, size_t i, double low, double high);
/* The same of all values: outside if one is, else between if one is. */
enum fb_standing fb_claimed_stand(const struct fb_claimed *, const double *low, const double *high);

#endif
