/*
 * Numbers in the text of a setting ("zipf:0.99"): plain decimals, read the same in every locale.
 */
#ifndef FILTERBENCH_WORKLOADS_CORE_DECIMAL_H
#define FILTERBENCH_WORKLOADS_CORE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Reads digits, with at most one point among them, and leaves *text behind the last. It takes at
 * most 15 digits: their integer and the power of ten are then exact doubles, so the quotient is
 * correctly rounded. False, with *text unchanged, if something else stands there. */
bool fb_decimal_read(const char **text, double *value);
/* The same for an integer below 2^63. */
bool fb_count_read(const char **text, uint64_t *value);
/* Whether *text begins with `word`; *text then moves behind it. */
bool fb_word_read(const char **text, const char *word);

#endif
