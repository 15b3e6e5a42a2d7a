#include "harness/engine/block.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_COMPRESSED = 0 };

/* ---- Numbers ---- */

uint64_t fb_block_number(const uint8_t *at, int n)
{
    uint64_t word = 0;
    for (int i = n; i-- > 0;)
        word = word << 8 | at[i];
    return word;
}

bool fb_block_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*at)++;
        *out |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

bool fb_block_handle(const uint8_t **at, const uint8_t *end, uint64_t size, struct fb_extent *out)
{
    return fb_block_varint(at, end, &out->offset) && fb_block_varint(at, end, &out->size) &&
           out->offset <= size && out->size <= size - out->offset &&
           size - out->offset - out->size >= FB_BLOCK_TRAILER;
}

/* ---- Blocks ---- */

bool fb_entries_open(const uint8_t *block, uint64_t size, struct fb_entries *e)
{
    *e = (struct fb_entries){.at = block};
    if (size < 4 || block[size] != NOT_COMPRESSED)
        return false;
    const uint64_t restarts = 4 * fb_block_number(block + size - 4, 4) + 4;
    e->end = restarts <= size ? block + (size - restarts) : block;
    return restarts <= size;
}

static enum fb_err make_room(struct fb_entries *e, uint64_t len)
{
    if (len <= e->room)
        return FB_OK;
    uint8_t *key = realloc(e->key, 2 * len);
    if (!key)
        return FB_ENOMEM;
    e->key = key;
    e->room = 2 * len;
    return FB_OK;
}

enum fb_err fb_entries_next(struct fb_entries *e)
{
    uint64_t shared, own, value;
    if (!fb_block_varint(&e->at, e->end, &shared) || !fb_block_varint(&e->at, e->end, &own) ||
        !fb_block_varint(&e->at, e->end, &value) || shared > e->key_len ||
        own > (uint64_t)(e->end - e->at) || value > (uint64_t)(e->end - e->at) - own)
        return FB_ECORRUPT;
    const enum fb_err err = make_room(e, shared + own + 1);
    if (err)
        return err;
    memcpy(e->key + shared, e->at, own);
    e->key_len = (size_t)(shared + own);
    e->value = e->at + own;
    e->value_len = (size_t)value;
    e->at = e->value + value;
    return FB_OK;
}
