/*
 * Numbers as people write them: "50M" keys, "1 GiB", "70%", "10us".
 *
 *     counts  k, M, G, T are 10^3 (also K), 10^6, 10^9, 10^12; Ki, Mi, Gi, Ti are 2^10 and so on
 *     bytes   the same, with or without B behind it: "64MiB" and "64Mi" are 67108864, "64MB" is
 *             64000000
 *     shares  % is a hundredth
 *     times   ns, us, ms, s, m, h
 *
 * A plain number is always accepted ("1e6"), and one blank before the unit. Case counts, but not in
 * units of counts: "50m" keys are "50M".
 */
#ifndef FILTERBENCH_HARNESS_BASE_QUANTITY_H
#define FILTERBENCH_HARNESS_BASE_QUANTITY_H

#include <stdbool.h>

enum fb_unit {
    FB_UNIT_NONE, /* plain numbers only */
    FB_UNIT_COUNT,
    FB_UNIT_BYTES,
    FB_UNIT_SHARE,   /* "70%": 0.7 */
    FB_UNIT_SECONDS, /* "2m": 120; a plain number is seconds */
    FB_UNIT_NS,      /* "10us": 10000; a plain number is no time */
};

/* How numbers are written, for --help: verb/help.h lays it out. */
extern const char fb_quantity_help[];

/* Decimal, the whole text, finite; rounded once, so that "70%" is the same double as "0.7". False:
 * something else. */
bool fb_quantity_read(const char *text, enum fb_unit unit, double *value);

/* ", such as 1M": a quantity with a unit from low to high; "" where none is at hand. */
const char *fb_quantity_example(enum fb_unit unit, double low, double high);

#endif
