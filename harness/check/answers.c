/* Folding answers. */
#include <stdarg.h>
#include <stdio.h>

#include "filters/core/bits.h"
#include "harness/check/parts.h"

/* A fold of its own: it must not lean on a hash that it is to check. */
void fb_answer_word(struct fb_answers *a, uint64_t word)
{
    a->fold = fb_rotl64(a->fold ^ word * UINT64_C(0x9E3779B97F4A7C15), 29);
    a->fold = a->fold * UINT64_C(0xBF58476D1CE4E5B9) + 1;
}

void fb_answer_bytes(struct fb_answers *a, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    fb_answer_word(a, n);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        for (size_t j = 0; j < 8 && i + j < n; j++)
            word |= (uint64_t)at[i + j] << 8 * j;
        fb_answer_word(a, word);
    }
}

void fb_answer_real(struct fb_answers *a, double x)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%.10g", x == 0 ? 0 : x);
    fb_answer_bytes(a, text, (size_t)n);
}

void fb_answer_wrong(struct fb_answers *a, const char *format, ...)
{
    va_list list;
    if (a->why[0])
        return;
    va_start(list, format);
    vsnprintf(a->why, sizeof a->why, format, list);
    va_end(list);
}

bool fb_answer_ok(struct fb_answers *a, enum fb_err err, const char *what)
{
    if (err)
        fb_answer_wrong(a, "%s: %s", what, fb_err_text(err));
    return !err;
}

bool fb_answer_complete(struct fb_answers *a, enum fb_err err, bool complete, const char *what)
{
    if (!err && !complete)
        fb_answer_wrong(a, "%s: interrupted", what);
    return fb_answer_ok(a, err, what) && complete;
}
