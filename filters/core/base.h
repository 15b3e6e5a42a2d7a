/*
 * Errors, aligned memory and key sets, which every layer uses.
 *
 * No file of layer 1 (filters/) or layer 2 (workloads/) prints, exits, opens a file or reads a
 * clock.
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

/* True if the design or format cannot do what was asked, so the same request always fails:
 * FB_EINVAL, FB_EUNSUPPORTED and FB_EFULL. Programs then skip that design and go on.
 *
 * False for FB_OK and for errors that do not come from the request. FB_ENOMEM and FB_EIO may vanish
 * at another time. FB_ECORRUPT is the fault of the bytes, and stays while they do. */
static inline bool fb_err_refuses(enum fb_err err)
{
    return err == FB_EINVAL || err == FB_EUNSUPPORTED || err == FB_EFULL;
}

/* Describes an error in one lower-case phrase without a full stop. The text is static and never
 * NULL. */
const char *fb_err_text(enum fb_err err);

/* A word that users may type, and its meaning in one line. The summary is NULL where the word
 * explains itself. A table of words ends with name == NULL. A table for an enumeration has the
 * order of the enumeration. */
struct fb_word {
    const char *name, *summary;
};
/* Returns the index of a name in the table, or the index of the table's end if it is not there. */
size_t fb_word_find(const struct fb_word *, const char *name);

/* Bytes of a cache line; every filter starts on such a boundary. */
#define FB_CACHE_LINE 64

/* Returns zeroed memory that starts on a cache-line boundary. The size is rounded up to whole
 * lines, and n_bytes = 0 gives one line. The caller owns it and releases it with free(). Returns
 * NULL if memory is lacking. */
void *fb_alloc_lines(uint64_t n_bytes) FB_MUST_USE;

/*
 * An ordered list of keys, which the struct borrows: it owns none of the arrays. Keys may repeat
 * and may be empty. Key i is bytes[offset[i] .. offset[i+1]), so offset has n + 1 entries.
 */
struct fb_keys {
    const uint8_t *bytes;
    const uint64_t *offset; /* [n + 1], ascending */
    const uint8_t *type;    /* [n] of enum fb_key_type, or NULL: all FB_KEY_BYTES */
    size_t n;
};

/* The type of a key. Only sbbf-512 (abloom) hashes types differently. Every other design refuses
 * keys that are not FB_KEY_BYTES. */
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
