#include "workloads/core/keys.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/core/rng.h"

void fb_keyset_close(struct fb_keyset *set)
{
    free(set->bytes);
    free(set->offset);
    free(set->type);
    memset(set, 0, sizeof *set);
}

enum fb_err fb_keyset_alloc(size_t n, uint64_t n_bytes, bool typed, struct fb_keyset *out)
{
    memset(out, 0, sizeof *out);
    if (n_bytes >= SIZE_MAX || n >= SIZE_MAX / sizeof *out->offset)
        return FB_ENOMEM;
    out->bytes = malloc((size_t)n_bytes + 1);
    out->offset = malloc((n + 1) * sizeof *out->offset);
    if (typed)
        out->type = malloc(n + 1);
    if (!out->bytes || !out->offset || (typed && !out->type)) {
        fb_keyset_close(out);
        return FB_ENOMEM;
    }
    out->offset[0] = 0;
    out->keys = (struct fb_keys){.bytes = out->bytes, .offset = out->offset, .type = out->type};
    return FB_OK;
}

void fb_keyset_push(struct fb_keyset *set, const void *key, size_t len, enum fb_key_type type)
{
    size_t i = set->keys.n++;
    if (len)
        memcpy(set->bytes + set->offset[i], key, len);
    set->offset[i + 1] = set->offset[i] + len;
    if (set->type)
        set->type[i] = (uint8_t)type;
}

static void push_from(struct fb_keyset *set, const struct fb_keys *keys, size_t i)
{
    fb_keyset_push(set, fb_key_at(keys, i), fb_key_len(keys, i),
                   keys->type ? (enum fb_key_type)keys->type[i] : FB_KEY_BYTES);
}

enum fb_err fb_keyset_generate(const struct fb_keygen *gen, uint64_t stream, uint64_t first,
                               size_t n, struct fb_keyset *out)
{
    memset(out, 0, sizeof *out);
    if (n > SIZE_MAX / gen->max_len)
        return FB_ENOMEM;
    enum fb_err err = fb_keyset_alloc(n, n * gen->max_len, false, out);
    if (err)
        return err;
    for (size_t i = 0; i < n; i++)
        out->offset[i + 1] =
            out->offset[i] + gen->write(gen, stream, first + i, out->bytes + out->offset[i]);
    out->keys.n = n;
    return FB_OK;
}

static enum fb_err copy_positions(const struct fb_keys *keys, const uint64_t *position, size_t n,
                                  struct fb_keyset *out)
{
    uint64_t n_bytes = 0;
    for (size_t i = 0; i < n; i++)
        n_bytes += fb_key_len(keys, position[i]);
    enum fb_err err = fb_keyset_alloc(n, n_bytes, keys->type != NULL, out);
    if (err)
        return err;
    for (size_t i = 0; i < n; i++)
        push_from(out, keys, position[i]);
    return FB_OK;
}

enum fb_err fb_keyset_split(const struct fb_keys *keys, uint64_t stream, size_t n_present,
                            size_t n_absent, struct fb_keyset *present, struct fb_keyset *absent)
{
    memset(present, 0, sizeof *present);
    memset(absent, 0, sizeof *absent);
    if (n_present > keys->n || n_absent > keys->n - n_present)
        return FB_EINVAL;
    uint64_t *position = calloc(keys->n + 1, sizeof *position);
    if (!position)
        return FB_ENOMEM;
    for (size_t i = 0; i < keys->n; i++)
        position[i] = i;
    for (size_t i = 0; i < n_present + n_absent; i++) { /* Fisher-Yates, as far as needed */
        size_t other = i + fb_uniform_below(fb_stream_word(stream, i), keys->n - i);
        uint64_t taken = position[other];
        position[other] = position[i];
        position[i] = taken;
    }
    enum fb_err err = copy_positions(keys, position, n_present, present);
    if (!err)
        err = copy_positions(keys, position + n_present, n_absent, absent);
    if (err)
        fb_keyset_close(present);
    free(position);
    return err;
}

/* ---- Distinct keys: open addressing, an entry is 24 bits of hash over a 40-bit position + 1 ----
 */

enum { POSITION_BITS = 40 };
#define POSITION_MASK ((UINT64_C(1) << POSITION_BITS) - 1)

static uint64_t hash_key(const struct fb_keys *keys, size_t i)
{
    return fb_xxh64(fb_key_at(keys, i), fb_key_len(keys, i), keys->type ? keys->type[i] : 0);
}

static bool same_key(const struct fb_keys *keys, size_t a, size_t b)
{
    size_t len = fb_key_len(keys, a);
    return len == fb_key_len(keys, b) && !memcmp(fb_key_at(keys, a), fb_key_at(keys, b), len) &&
           (!keys->type || keys->type[a] == keys->type[b]);
}

/* Enters key i unless it is there; true if it was. */
static bool seen_before(uint64_t *table, uint64_t mask, const struct fb_keys *keys, size_t i)
{
    uint64_t hash = hash_key(keys, i), tag = hash & ~POSITION_MASK;
    for (uint64_t slot = hash & mask;; slot = (slot + 1) & mask) {
        uint64_t entry = table[slot];
        if (!entry) {
            table[slot] = tag | (i + 1);
            return false;
        }
        if ((entry & ~POSITION_MASK) == tag && same_key(keys, (entry & POSITION_MASK) - 1, i))
            return true;
    }
}

enum fb_err fb_keyset_distinct(const struct fb_keys *keys, struct fb_keyset *out, size_t *n_dropped)
{
    memset(out, 0, sizeof *out);
    *n_dropped = 0;
    if (keys->n >= POSITION_MASK / 2)
        return FB_ENOMEM;
    uint64_t size = 16;
    while (size < keys->n + keys->n / 2)
        size *= 2;
    uint64_t *table = calloc(size, sizeof *table);
    if (!table)
        return FB_ENOMEM;
    enum fb_err err = fb_keyset_alloc(
        keys->n, keys->n ? keys->offset[keys->n] - keys->offset[0] : 0, keys->type != NULL, out);
    for (size_t i = 0; !err && i < keys->n; i++) {
        if (seen_before(table, size - 1, keys, i))
            ++*n_dropped;
        else
            push_from(out, keys, i);
    }
    free(table);
    return err;
}
