/*
 * Golden files: the documents, their hexadecimal fields, and their keys.
 */
#ifndef FILTERBENCH_TESTS_GOLDEN_H
#define FILTERBENCH_TESTS_GOLDEN_H

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "workloads/core/keys.h"

/* tests/golden/<name>.json; ends the program with a message if it is missing or malformed. */
static inline json_t *golden_load(const char *name)
{
    char path[512];
    json_error_t error;
    snprintf(path, sizeof path, "%s/golden/%s.json", FB_TEST_DATA, name);
    json_t *document = json_load_file(path, 0, &error);
    if (!document) {
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
        exit(1);
    }
    return document;
}

/* The hexadecimal number in a field, most significant digit first. */
static inline uint64_t golden_word(const json_t *object, const char *field)
{
    return strtoull(json_string_value(json_object_get(object, field)), NULL, 16);
}

/* n_bytes of bytes as lower-case hexadecimal digits; release with free(). */
static inline char *golden_hex(const uint8_t *bytes, size_t n_bytes)
{
    char *hex = malloc(2 * n_bytes + 1);
    for (size_t i = 0; i < n_bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    hex[2 * n_bytes] = '\0';
    return hex;
}

static inline uint64_t golden_splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/*
 * The keys of a family of golden/README.md: n present ones, or n absent ones of the same base.
 *     seq  "key%06d" of base + i          dup  the same, each three times
 *     bin  0..64 random bytes (absent: 16..64)      u64  8 random bytes
 * A key has at most 64 bytes. Release with fb_keyset_close().
 */
static inline struct fb_keyset golden_keys(const char *family, uint64_t base, size_t n, bool absent)
{
    struct fb_keyset set = {.bytes = malloc(64 * n + 64),
                            .offset = calloc(n + 1, sizeof(uint64_t))};
    uint64_t state = absent ? base ^ UINT64_C(0x5555555555555555) : base, at = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t *key = set.bytes + at;
        set.offset[i] = at;
        if (!strcmp(family, "seq") || !strcmp(family, "dup")) {
            uint64_t number = base + (absent ? 500000 + i : *family == 'd' ? i / 3 : i);
            at += (uint64_t)sprintf((char *)key, "key%06" PRIu64, number);
        } else if (!strcmp(family, "u64")) {
            fb_put_be64(key, golden_splitmix64(&state));
            at += 8;
        } else {
            uint64_t word = golden_splitmix64(&state);
            uint64_t len = absent ? 16 + word % 49 : word % 65;
            for (uint64_t j = 0; j < len; j += 8) {
                word = golden_splitmix64(&state);
                memcpy(key + j, &word, len - j < 8 ? len - j : 8);
            }
            at += len;
        }
    }
    set.offset[n] = at;
    set.keys = (struct fb_keys){.bytes = set.bytes, .offset = set.offset, .n = n};
    return set;
}

#endif
