/*
 * key-set: a design on its own key type, which grows.
 *
 *     block: the table: slots of nine words, word 0: 1 + the length in bytes, or 0 if it is empty
 *     the first free slot from floor(XXH64(key) * slots / 2^64) on
 *
 * Keys of at most 64 bytes, which it hashes itself. A control: it holds the keys. Before more keys
 * come than two thirds of its slots it moves to a table of twice the keys.
 */
#include <stdlib.h>

#include "filters/core/key_digest.h"
#include "filters/core/scattered.h"

enum { TABLE, WORDS = 9 };
static const uint64_t SLOT_BYTES = 8 * (uint64_t)WORDS;

/* A key as it stands in a slot. */
static void slot_of_digest(const uint64_t *digest, uint64_t *slot)
{
    size_t len;
    const uint8_t *key = fb_key_of_digest(digest, WORDS, &len);
    memset(slot, 0, SLOT_BYTES);
    memcpy(slot + 1, key, len);
    slot[0] = 1 + len;
}

/* The slot that holds the key or, if none does, the free one where it belongs; NULL: neither. */
static uint64_t *find(const struct fb_geometry *geom, uint8_t *bytes, const uint64_t *key)
{
    uint64_t *table = (uint64_t *)(void *)bytes;
    uint64_t at = fb_mulhi64(fb_xxh64(key + 1, (size_t)key[0] - 1, 0), geom->own[TABLE]);
    for (uint64_t i = 0; i < geom->own[TABLE]; i++) {
        uint64_t *slot = table + at * WORDS;
        if (!slot[0] || !memcmp(slot, key, SLOT_BYTES))
            return slot;
        at = at + 1 < geom->own[TABLE] ? at + 1 : 0;
    }
    return NULL;
}

static void settle(struct fb_geometry *geom, uint64_t slots)
{
    geom->own[TABLE] = slots;
    geom->n_bytes = slots * SLOT_BYTES;
    geom->n_bits = 8 * geom->n_bytes;
    geom->digest_words = WORDS;
    geom->range = fb_divisor_of(geom->n_bits);
}

static uint64_t slots_for(uint64_t n_keys)
{
    return n_keys + n_keys / 2 + 1;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    (void)params, (void)why;
    settle(geom, slots_for(n_keys));
    return FB_OK;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 0;
}

static enum fb_err grow(struct fb_filter *f, uint64_t n_keys)
{
    struct fb_geometry geom = f->geom;
    const uint64_t *table = (const uint64_t *)(const void *)f->bytes;
    if (slots_for(n_keys) <= f->geom.own[TABLE])
        return FB_OK;
    settle(&geom, slots_for(2 * n_keys));
    uint8_t *bytes = fb_alloc_lines(geom.n_bytes);
    if (!bytes)
        return FB_ENOMEM;
    for (uint64_t at = 0; at < f->geom.own[TABLE]; at++)
        if (table[at * WORDS])
            memcpy(find(&geom, bytes, table + at * WORDS), table + at * WORDS, SLOT_BYTES);
    free(f->bytes);
    f->bytes = bytes;
    f->geom = geom;
    return FB_OK;
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    uint64_t key[WORDS];
    slot_of_digest(digest, key);
    const uint64_t *slot = find(&f->geom, f->bytes, key);
    return slot && slot[0];
}

static inline bool insert(struct fb_filter *f, const uint64_t *digest)
{
    uint64_t key[WORDS];
    slot_of_digest(digest, key);
    uint64_t *slot = find(&f->geom, f->bytes, key);
    if (slot)
        memcpy(slot, key, SLOT_BYTES);
    return slot;
}

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS WORDS
#define FB_LOOPS_FALLIBLE
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

static uint64_t block_size(const struct fb_filter *f)
{
    return f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    memcpy(block, f->bytes, f->geom.n_bytes);
}

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    struct fb_geometry geom = {0};
    if (!len || len % SLOT_BYTES)
        return fb_corrupt(why, "not whole slots of 72 bytes");
    for (size_t at = 0; at < len; at += SLOT_BYTES)
        if (fb_le64(block + at) > 1 + fb_key_digest_most(WORDS))
            return fb_corrupt(why, "a key of more than 64 bytes");
    settle(&geom, len / SLOT_BYTES);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, block, len);
    return err;
}

static const struct fb_format formats[] = {
    {"table", "the slots", block_size, block_write, block_read},
    {0},
};

static const char *const own[] = {"slots", NULL};

const struct fb_design fb_design_key_set = {
    .name = "key-set",
    .summary = "control that grows: the keys themselves, of at most 64 bytes",
    .source = "tests/designs/key_set.c",
    .caveat = "576 bits a slot",
    .traits = FB_CONTROL | FB_FIXED_PROBES | FB_COUNTS_DUPLICATES | FB_TAKES_KEYS,
    .hash = "its own: xxh64, seed 0",
    .digest_words = WORDS,
    .digest = fb_key_digest,
    .plan = plan,
    .fpr = fpr,
    .grow = grow,
    .when_full = "a table without a free slot: it grows before",
    .own = own,
    .formats = formats,
    .kernels = kernels,
};
