/* Formats of keys that are identifiers: hashes, UUIDs, URLs, catalogue numbers with times. */
#include <string.h>

#include "workloads/core/formats.h"
#include "workloads/core/popularity.h"
#include "workloads/core/rng.h"
#include "workloads/core/sha.h"

/* ---- Hashes ---- */

/*
 * One to one below 2^42. Let p be FNV's prime and B its offset. Octet o_k changes the state by some
 * e_k, so that the hash is p^3 (B p^5 + e_0 p^5 + ... + e_5), the last two octets being 0. B ends
 * in 0x25, so e_0 lies in [-37, 218]; |e_k| <= 255, and |e_5| <= 3. Two equal hashes make a sum of
 * d_k p^(5-k) that vanishes modulo 2^64 with |d_0| <= 255, |d_k| <= 510, |d_5| <= 6, not all 0; two
 * that Math.abs makes equal, one that is -2 B p^5 with -74 <= d_0 <= 436. Enumerating d_0 .. d_2
 * against all d_3 .. d_5 finds no second and of the first only zeros.
 */
size_t fb_write_ycsb(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key)
{
    (void)self, (void)stream;
    return 4 + fb_put_decimal(key + fb_put_text(key, "user"), fb_ycsb_hash(index), 1);
}

/* Of stream and index; one to one as far as anyone knows. */
static void message_of(uint64_t stream, uint64_t index, uint8_t message[16])
{
    fb_put_le64(message, stream);
    fb_put_le64(message + 8, index);
}

size_t fb_write_sha1(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key)
{
    (void)self;
    uint8_t message[16];
    message_of(stream, index, message);
    fb_sha1(message, sizeof message, key);
    return 20;
}

size_t fb_write_sha256(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key)
{
    (void)self;
    uint8_t message[16];
    message_of(stream, index, message);
    fb_sha256(message, sizeof message, key);
    return 32;
}

/* ---- Identifiers ---- */

/* RFC 9562: the version in the high bits of byte 6, the variant in those of byte 8. */
static void stamp(uint8_t uuid[16], unsigned version)
{
    uuid[6] = (uint8_t)((uuid[6] & 0x0F) | version << 4);
    uuid[8] = (uint8_t)((uuid[8] & 0x3F) | 0x80);
}

static size_t put_uuid(uint8_t *key, const uint8_t uuid[16])
{
    static const uint8_t group[] = {0, 4, 6, 8, 10, 16};
    size_t len = 0;
    for (size_t g = 0; g < 5; g++) {
        if (g)
            key[len++] = '-';
        len += fb_put_hex(key + len, uuid + group[g], group[g + 1] - (size_t)group[g]);
    }
    return len;
}

/* Bytes 0 .. 5, 9 and 10, which bear no stamp, are a bijection of the index. */
size_t fb_write_uuid4_bin(const struct fb_keygen *self, uint64_t stream, uint64_t index,
                          uint8_t *key)
{
    (void)self;
    uint64_t word = fb_stream_word(stream, index);
    memcpy(key, &word, 6);
    fb_put_le64(key + 6, fb_stream_word(~stream, index));
    memcpy(key + 9, (uint8_t *)&word + 6, 2);
    fb_put_le32(key + 12, (uint32_t)fb_stream_word(~stream, ~index));
    stamp(key, 4);
    return 16;
}

bool fb_read_uuid4_bin(const struct fb_keygen *self, uint64_t stream, const uint8_t *key,
                       size_t len, uint64_t *index)
{
    (void)self;
    uint64_t word = 0;
    if (len != 16)
        return false;
    memcpy(&word, key, 6);
    memcpy((uint8_t *)&word + 6, key + 9, 2);
    *index = fb_stream_counter(stream, word);
    return true;
}

size_t fb_write_uuid4(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key)
{
    uint8_t uuid[16];
    fb_write_uuid4_bin(self, stream, index, uuid);
    return put_uuid(key, uuid);
}

/* One a millisecond from 2020 on; bytes 7 and 9 .. 15 are a bijection of the index. */
size_t fb_write_uuid7(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key)
{
    (void)self;
    const uint64_t new_year_2020_ms = UINT64_C(1577836800000);
    uint8_t uuid[18];
    uint64_t word = fb_stream_word(stream, index), more = fb_stream_word(~stream, index);
    fb_put_be64(uuid, (new_year_2020_ms + index) << 16);
    fb_put_be64(uuid + 8, word);
    uuid[6] = (uint8_t)more;
    uuid[7] = (uint8_t)(word >> 56);
    uuid[8] = (uint8_t)(more >> 8);
    stamp(uuid, 7);
    return put_uuid(key, uuid);
}

/* https://h<host>.example/<words>/<index>. A host of 1 .. 16383 has one number of bits as often as
 * another, which makes its popularity fall as 1 / host, in steps. */
size_t fb_write_url(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key)
{
    static const char *const words[] = {"news",  "img", "2024",  "api",   "static", "user",
                                        "shop",  "en",  "forum", "watch", "item",   "tag",
                                        "video", "doc", "blog",  "search"};
    (void)self;
    uint64_t word = fb_stream_word(stream, index);
    uint64_t leading = UINT64_C(1) << word % 14;
    size_t len = fb_put_text(key, "https://h");
    len += fb_put_decimal(key + len, leading + (word >> 8 & (leading - 1)), 1);
    len += fb_put_text(key + len, ".example/");
    for (uint64_t n = 1 + (word >> 24) % 3, rest = word >> 32; n; n--, rest >>= 4) {
        len += fb_put_text(key + len, words[rest & 15]);
        key[len++] = '/';
    }
    return len + fb_put_decimal(key + len, index, 1);
}

bool fb_read_url(const struct fb_keygen *self, uint64_t stream, const uint8_t *key, size_t len,
                 uint64_t *index)
{
    (void)self, (void)stream;
    size_t first = len;
    while (first && key[first - 1] != '/')
        first--;
    return fb_get_decimal(key + first, len - first, index);
}

/* ---- Catalogue number and time ---- */

/*
 * 30 000 objects with catalogue numbers among the first 90 000, each reported once in every eight
 * hours from 2020 on, at a time of its own. Index = period * 30 000 + object. One to one while the
 * time fits 64 bits, index < 2^44.
 */
enum { OBJECTS = 30000, NUMBERS_EACH = 3 };
static const uint64_t period_us = UINT64_C(28800000000);
static const uint64_t new_year_2020_us = UINT64_C(1577836800000000);

static void report_of(uint64_t stream, uint64_t index, uint64_t *number, uint64_t *time_us)
{
    uint64_t object = index % OBJECTS;
    *number = 1 + NUMBERS_EACH * object + fb_stream_word(~stream, object) % NUMBERS_EACH;
    *time_us = new_year_2020_us + index / OBJECTS * period_us +
               fb_uniform_below(fb_stream_word(stream, index), period_us);
}

static bool index_of_report(uint64_t number, uint64_t time_us, uint64_t *index)
{
    if (number < 1 || number > NUMBERS_EACH * OBJECTS || time_us < new_year_2020_us)
        return false;
    *index = (time_us - new_year_2020_us) / period_us * OBJECTS + (number - 1) / NUMBERS_EACH;
    return true;
}

size_t fb_write_norad(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key)
{
    (void)self;
    uint64_t number, time_us;
    report_of(stream, index, &number, &time_us);
    size_t len = fb_put_decimal(key, number, 5);
    key[len++] = ':';
    return len + fb_put_decimal(key + len, time_us, 20);
}

bool fb_read_norad(const struct fb_keygen *self, uint64_t stream, const uint8_t *key, size_t len,
                   uint64_t *index)
{
    (void)self, (void)stream;
    uint64_t number, time_us;
    return len == 26 && fb_get_decimal(key, 5, &number) && fb_get_decimal(key + 6, 20, &time_us) &&
           index_of_report(number, time_us, index);
}

size_t fb_write_norad_bin(const struct fb_keygen *self, uint64_t stream, uint64_t index,
                          uint8_t *key)
{
    (void)self;
    uint64_t number, time_us;
    report_of(stream, index, &number, &time_us);
    fb_put_le32(key, __builtin_bswap32((uint32_t)number));
    fb_put_be64(key + 4, time_us);
    return 12;
}

bool fb_read_norad_bin(const struct fb_keygen *self, uint64_t stream, const uint8_t *key,
                       size_t len, uint64_t *index)
{
    (void)self, (void)stream;
    return len == 12 && index_of_report(__builtin_bswap32(fb_le32(key)), fb_be64(key + 4), index);
}
