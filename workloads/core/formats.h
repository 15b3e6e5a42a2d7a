/* Private to the files of the formats: pieces that keys are made of, and the writers and readers
 * (keys.h) of identifiers. formats_id.c has them, for the table in formats.c. */
#ifndef FILTERBENCH_WORKLOADS_CORE_FORMATS_H
#define FILTERBENCH_WORKLOADS_CORE_FORMATS_H

#include <string.h>

#include "workloads/core/keys.h"

typedef size_t fb_key_writer(const struct fb_keygen *, uint64_t stream, uint64_t index,
                             uint8_t *key);
typedef bool fb_key_reader(const struct fb_keygen *, uint64_t stream, const uint8_t *key,
                           size_t len, uint64_t *index);

fb_key_writer fb_write_ycsb, fb_write_sha1, fb_write_sha256, fb_write_uuid4_bin, fb_write_uuid4,
    fb_write_uuid7, fb_write_url, fb_write_norad, fb_write_norad_bin;
fb_key_reader fb_read_uuid4_bin, fb_read_url, fb_read_norad, fb_read_norad_bin;

enum { FB_MAX_DIGITS = 20 };

/* Writes the value in decimal and returns the number of digits. Zeros in front make it `width`
 * digits at least. `out` must have room for the larger of `width` and FB_MAX_DIGITS bytes. With
 * width 0 the value 0 has no digit. Two digits are written at a time for speed. */
static inline size_t fb_put_decimal(uint8_t *out, uint64_t value, size_t width)
{
    uint8_t digits[FB_MAX_DIGITS];
    size_t first = FB_MAX_DIGITS;
    for (; value; value /= 100) {
        first -= 2;
        digits[first] = (uint8_t)('0' + value / 10 % 10);
        digits[first + 1] = (uint8_t)('0' + value % 10);
    }
    first += first < FB_MAX_DIGITS && digits[first] == '0';
    size_t n = FB_MAX_DIGITS - first, n_zeros = n < width ? width - n : 0;
    memset(out, '0', n_zeros);
    memcpy(out + n_zeros, digits + first, n);
    return n_zeros + n;
}

/* Reads a text of digits alone, at least one. Returns false if it is anything else; *value then
 * means nothing. A number of 2^64 or more is reduced modulo 2^64, and true is returned. Callers of
 * fb_keygen.read detect that, because they write the key of the index and compare. */
static inline bool fb_get_decimal(const uint8_t *text, size_t len, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = 10 * *value + (text[i] - (uint64_t)'0');
    }
    return len;
}

static inline size_t fb_put_text(uint8_t *out, const char *text)
{
    size_t len = strlen(text);
    memcpy(out, text, len);
    return len;
}

static inline size_t fb_put_hex(uint8_t *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = (uint8_t) "0123456789abcdef"[bytes[i] >> 4];
        out[2 * i + 1] = (uint8_t) "0123456789abcdef"[bytes[i] & 15];
    }
    return 2 * n;
}

#endif
