/*
 * Errors, memory and key sets: what every layer shares.
 *
 * Nothing here or in any other file of layer 1 (filters/) or layer 2 (workloads/) prints, exits,
 * opens a file or reads a clock.
 */
#ifndef FILTERBENCH_FILTERS_CORE_BASE_H
#define FILTERBENCH_FILTERS_CORE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fb_err {
    FB_OK = 0,
    FB_ENOMEM,       /* the system has no memory of that size */
    FB_EINVAL,       /* a parameter outside the accepted range */
    FB_ECORRUPT,     /* bytes that the real system's reader rejects */
    FB_EUNSUPPORTED, /* the design does not offer this */
    FB_EFULL,        /* a key found no place in the filter */
    FB_EIO,          /* a read or write failed; only layer 3 returns it */
};

#define FB_MUST_USE __attribute__((warn_unused_result))

/* True if there is no such filter; else something failed that may work another time. */
static inline bool fb_err_refuses(enum fb_err err)
{
    return err == FB_EINVAL || err == FB_EUNSUPPORTED || err == FB_EFULL;
}

/* One lower-case phrase without a full stop; never NULL, static. */
const char *fb_err_text(enum fb_err err);

/* A word that users give, and in one line what it stands for; NULL: the word says it. Tables of
 * words end with name == NULL. Those of an enumeration are in its order. */
struct fb_word {
    const char *name, *summary;
};
/* The place of a name in the table; that of the table's end if it is none. */
size_t fb_word_find(const struct fb_word *, const char *name);

/* Bytes of a cache line; every filter starts on such a boundary. */
#define FB_CACHE_LINE 64

/* Zeroed memory on a cache-line boundary, its size rounded up to whole lines (n_bytes = 0 gives one
 * line). Release with free(). NULL when there is none. */
void *fb_alloc_lines(uint64_t n_bytes) FB_MUST_USE;

/*
 * A borrowed, ordered set of keys; repeats are legal and so are empty keys.
 * Key i is bytes[offset[i] .. offset[i+1]), hence offset has n + 1 entries.
 */
struct fb_keys {
    const uint8_t *bytes;
    const uint64_t *offset; /* [n + 1], ascending */
    const uint8_t *type;    /* [n] of enum fb_key_type, or NULL: all FB_KEY_BYTES */
    size_t n;
};

/* Only sbbf-512 (abloom) tells types apart; every other design refuses typed keys. */
enum fb_key_type {
    FB_KEY_BYTES = 0, /* the key is its bytes */
    FB_KEY_INT,       /* the bytes are a decimal integer of any length, "-17" */
    FB_KEY_FLOAT,     /* the bytes are an IEEE double, 8 bytes, little-endian */
};

static inline size_t fb_key_len(const struct fb_keys *keys, size_t i)
{
    return (size_t)(keys->offset[i + 1] - keys->offset[i]);
}

static inline const uint8_t *fb_key_at(const struct fb_keys *keys, size_t i)
{
    return keys->bytes + keys->offset[i];
}

#ifdef __cplusplus
}
#endif

#endif
