/* The formats of generated keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/core/decimal.h"
#include "workloads/core/formats.h"
#include "workloads/core/rng.h"

/* ---- Random bytes ---- */

/* First a bijection of the index, then words of an independent stream, so that two streams meet in
 * whole keys of 16 bytes only by a 128-bit accident. */
static size_t put_random(uint8_t *key, uint64_t stream, uint64_t index, size_t len)
{
    uint64_t word = fb_stream_word(~stream, index);
    fb_put_le64(key, fb_stream_word(stream, index));
    for (size_t at = 8; at < len; at += 8, word = fb_mix64(word + FB_GOLDEN64))
        memcpy(key + at, &word, len - at < 8 ? len - at : 8);
    return len;
}

static bool read_random(const struct fb_keygen *self, uint64_t stream, const uint8_t *key,
                        size_t len, uint64_t *index)
{
    (void)self;
    *index = len >= 8 ? fb_stream_counter(stream, fb_le64(key)) : 0;
    return len >= 8;
}

static size_t write_bin(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key)
{
    return put_random(key, stream, index, (size_t)self->parameter[0]);
}

static size_t write_len(const struct fb_keygen *self, uint64_t stream, uint64_t index, uint8_t *key)
{
    uint64_t low = self->parameter[0], high = self->parameter[1];
    uint64_t word = fb_mix64(fb_stream_word(~stream, index) ^ FB_GOLDEN64);
    return put_random(key, stream, index, (size_t)(low + fb_uniform_below(word, high - low + 1)));
}

/* ---- The index itself ---- */

static size_t write_u64be(const struct fb_keygen *self, uint64_t stream, uint64_t index,
                          uint8_t *key)
{
    (void)self, (void)stream;
    fb_put_be64(key, index);
    return 8;
}

static bool read_u64be(const struct fb_keygen *self, uint64_t stream, const uint8_t *key,
                       size_t len, uint64_t *index)
{
    (void)self, (void)stream;
    *index = len == 8 ? fb_be64(key) : 0;
    return len == 8;
}

static size_t write_u64le(const struct fb_keygen *self, uint64_t stream, uint64_t index,
                          uint8_t *key)
{
    (void)self, (void)stream;
    fb_put_le64(key, index);
    return 8;
}

static bool read_u64le(const struct fb_keygen *self, uint64_t stream, const uint8_t *key,
                       size_t len, uint64_t *index)
{
    (void)self, (void)stream;
    *index = len == 8 ? fb_le64(key) : 0;
    return len == 8;
}

static size_t write_dec6(const struct fb_keygen *self, uint64_t stream, uint64_t index,
                         uint8_t *key)
{
    (void)self, (void)stream;
    return 3 + fb_put_decimal(key + fb_put_text(key, "key"), index, 6);
}

static bool read_dec6(const struct fb_keygen *self, uint64_t stream, const uint8_t *key, size_t len,
                      uint64_t *index)
{
    (void)self, (void)stream;
    return len > 3 && fb_get_decimal(key + 3, len - 3, index);
}

static size_t write_user(const struct fb_keygen *self, uint64_t stream, uint64_t index,
                         uint8_t *key)
{
    (void)self, (void)stream;
    return 5 + fb_put_decimal(key + fb_put_text(key, "user:"), index, 1);
}

static bool read_user(const struct fb_keygen *self, uint64_t stream, const uint8_t *key, size_t len,
                      uint64_t *index)
{
    (void)self, (void)stream;
    return len > 5 && fb_get_decimal(key + 5, len - 5, index);
}

static const char filler[] = "xxxxxxxxxxxxxxxxxxxx";

static size_t write_pad40(const struct fb_keygen *self, uint64_t stream, uint64_t index,
                          uint8_t *key)
{
    (void)self, (void)stream;
    return 20 + fb_put_text(key + fb_put_decimal(key, index, 20), filler);
}

static bool read_pad40(const struct fb_keygen *self, uint64_t stream, const uint8_t *key,
                       size_t len, uint64_t *index)
{
    (void)self, (void)stream;
    return len == 40 && fb_get_decimal(key, 20, index);
}

static size_t write_pad40_front(const struct fb_keygen *self, uint64_t stream, uint64_t index,
                                uint8_t *key)
{
    (void)self, (void)stream;
    return 20 + fb_put_decimal(key + fb_put_text(key, filler), index, 20);
}

static bool read_pad40_front(const struct fb_keygen *self, uint64_t stream, const uint8_t *key,
                             size_t len, uint64_t *index)
{
    (void)self, (void)stream;
    return len == 40 && fb_get_decimal(key + 20, 20, index);
}

/* ---- The table ---- */

enum { MAX_LEN = 65536 };

const struct fb_keygen fb_keygens[] = {
    {.name = "random",
     .summary = "16 bytes, as good as independent",
     .max_len = 16,
     .uses_stream = true,
     .write = write_bin,
     .read = read_random,
     .parameter = {16},
     .text = "random"},
    {.name = "sequential",
     .summary = "8 bytes, the index big-endian",
     .max_len = 8,
     .ordered = true,
     .write = write_u64be,
     .read = read_u64be,
     .text = "sequential"},
    {.name = "dec6",
     .summary = "key%06d of the index, as the nori document tests; from 10^6 on 7 digits and more",
     .max_len = 22,
     .write = write_dec6,
     .read = read_dec6,
     .text = "dec6"},
    {.name = "u64be",
     .summary = "8 bytes, the index big-endian, as sequential",
     .max_len = 8,
     .ordered = true,
     .write = write_u64be,
     .read = read_u64be,
     .text = "u64be"},
    {.name = "u64le",
     .summary = "8 bytes, the index little-endian",
     .max_len = 8,
     .write = write_u64le,
     .read = read_u64le,
     .text = "u64le"},
    {.name = "user",
     .summary = "user:%d of the index, as the abloom and LevelDB documents test",
     .max_len = 24,
     .write = write_user,
     .read = read_user,
     .text = "user"},
    {.name = "ycsb",
     .summary = "user and YCSB's 64-bit FNV of the index in decimal, 5 to 23 characters",
     .max_len = 23,
     .write = fb_write_ycsb,
     .text = "ycsb"},
    {.name = "pad40",
     .summary = "40 characters: the index in 20 digits, then 20 times x",
     .max_len = 40,
     .ordered = true,
     .write = write_pad40,
     .read = read_pad40,
     .text = "pad40"},
    {.name = "pad40-front",
     .summary = "40 characters: 20 times x, then the index in 20 digits",
     .max_len = 40,
     .ordered = true,
     .write = write_pad40_front,
     .read = read_pad40_front,
     .text = "pad40-front"},
    {.name = "bin:L",
     .summary = "L bytes, 8 to 65536, as good as independent",
     .max_len = 16,
     .uses_stream = true,
     .write = write_bin,
     .read = read_random,
     .parameter = {16},
     .text = "bin:16"},
    {.name = "len:A..B",
     .summary = "A to B bytes, each length as often, 8 <= A <= B <= 65536",
     .max_len = 64,
     .uses_stream = true,
     .write = write_len,
     .read = read_random,
     .parameter = {8, 64},
     .text = "len:8..64"},
    {.name = "uuid4",
     .summary = "random UUID, 36 characters",
     .max_len = 36,
     .uses_stream = true,
     .write = fb_write_uuid4,
     .text = "uuid4"},
    {.name = "uuid4-bin",
     .summary = "random UUID, 16 bytes",
     .max_len = 16,
     .uses_stream = true,
     .write = fb_write_uuid4_bin,
     .read = fb_read_uuid4_bin,
     .text = "uuid4-bin"},
    {.name = "uuid7",
     .summary = "UUID by time, one a millisecond, 36 characters",
     .max_len = 36,
     .uses_stream = true,
     .ordered = true,
     .write = fb_write_uuid7,
     .text = "uuid7"},
    {.name = "url",
     .summary = "https://h1.example/news/tag/17, few hosts with many pages, the index at the end",
     .max_len = 64,
     .uses_stream = true,
     .write = fb_write_url,
     .read = fb_read_url,
     .text = "url"},
    {.name = "sha1",
     .summary = "SHA-1 of the index, 20 bytes",
     .max_len = 20,
     .uses_stream = true,
     .write = fb_write_sha1,
     .text = "sha1"},
    {.name = "sha256",
     .summary = "SHA-256 of the index, 32 bytes",
     .max_len = 32,
     .uses_stream = true,
     .write = fb_write_sha256,
     .text = "sha256"},
    {.name = "norad",
     .summary = "catalogue number of 5 digits, colon, time in microseconds, 20 digits",
     .max_len = 26,
     .uses_stream = true,
     .write = fb_write_norad,
     .read = fb_read_norad,
     .text = "norad"},
    {.name = "norad-bin",
     .summary = "the same as 4 and 8 bytes, big-endian",
     .max_len = 12,
     .uses_stream = true,
     .write = fb_write_norad_bin,
     .read = fb_read_norad_bin,
     .text = "norad-bin"},
    {0},
};

const struct fb_keygen *fb_keygen_find(const char *name)
{
    for (const struct fb_keygen *g = fb_keygens; g->name; g++)
        if (!strcmp(g->name, name) && !strchr(name, ':'))
            return g;
    return NULL;
}

static bool is_len(uint64_t len)
{
    return len >= 8 && len <= MAX_LEN;
}

/* Whether text is the row's with good parameters. */
static bool parse_as(const struct fb_keygen *row, const char *text, struct fb_keygen *out)
{
    size_t word = strcspn(row->name, ":");
    *out = *row;
    if (strlen(text) >= sizeof out->text || strncmp(row->name, text, word))
        return false;
    memcpy(out->text, text, strlen(text) + 1);
    text += word;
    if (row->write == write_bin && row->name[word]) {
        if (!fb_word_read(&text, ":") || !fb_count_read(&text, &out->parameter[0]) ||
            !is_len(out->parameter[0]))
            return false;
        out->max_len = (size_t)out->parameter[0];
    } else if (row->write == write_len) {
        if (!fb_word_read(&text, ":") || !fb_count_read(&text, &out->parameter[0]) ||
            !fb_word_read(&text, "..") || !fb_count_read(&text, &out->parameter[1]) ||
            !is_len(out->parameter[0]) || !is_len(out->parameter[1]) ||
            out->parameter[0] > out->parameter[1])
            return false;
        out->max_len = (size_t)out->parameter[1];
    }
    return !*text;
}

bool fb_keygen_parse(const char *text, struct fb_keygen *out, const char **why)
{
    for (const struct fb_keygen *row = fb_keygens; row->name; row++)
        if (parse_as(row, text, out))
            return true;
    *why = "accepted are random, sequential, dec6, u64be, u64le, user, ycsb, pad40, pad40-front, "
           "bin:L and len:A..B with lengths of 8 to 65536, uuid4, uuid4-bin, uuid7, url, sha1, "
           "sha256, norad and norad-bin";
    return false;
}

double fb_keygen_mean_bytes(const struct fb_keygen *keygen)
{
    enum { SOME = 256 };
    uint8_t *key = malloc(keygen->max_len + 1);
    uint64_t sum = 0;
    if (!key)
        return NAN;
    for (uint64_t i = 0; i < SOME; i++)
        sum += keygen->write(keygen, 1, i * 4099, key);
    free(key);
    return (double)sum / SOME;
}
