#include "workloads/core/keyspace.h"

#include <string.h>

#include "workloads/core/rng.h"

const struct fb_word fb_orders[] = {
    {.name = "shuffle"}, {.name = "arrival"}, {.name = "dense"}, {0}};

void fb_keyspace_generate(const struct fb_keygen *keygen, enum fb_order order, uint64_t n_present,
                          uint64_t root, struct fb_keyspace *out)
{
    fb_keyspace_generate_sparse(keygen, order, n_present, 1, root, out);
}

void fb_keyspace_generate_sparse(const struct fb_keygen *keygen, enum fb_order order,
                                 uint64_t n_present, uint64_t gap, uint64_t root,
                                 struct fb_keyspace *out)
{
    *out = (struct fb_keyspace){
        .keygen = *keygen,
        .stream = fb_stream_key(root, FB_DOMAIN_KEYS, 0),
        .order = order,
        .n_present = n_present,
        .gap = gap,
        .size = (1 + gap) * n_present,
        .max_len = keygen->max_len,
    };
    fb_permutation_init(&out->shuffle, out->size, fb_stream_key(root, FB_DOMAIN_ARRIVAL, 0));
}

void fb_keyspace_of_file(const struct fb_keys *file, uint64_t n_present, uint64_t root,
                         struct fb_keyspace *out)
{
    *out = (struct fb_keyspace){
        .file = file,
        .order = FB_ORDER_SHUFFLE,
        .n_present = n_present,
        .size = file->n,
    };
    for (size_t i = 0; i < file->n; i++)
        if (fb_key_len(file, i) > out->max_len)
            out->max_len = fb_key_len(file, i);
    fb_permutation_init(&out->shuffle, out->size, fb_stream_key(root, FB_DOMAIN_ARRIVAL, 0));
}

/* Index of absent key `i` where `gap` of them follow each present one. */
static uint64_t between(uint64_t i, uint64_t gap)
{
    return i / gap * (1 + gap) + i % gap + 1;
}

uint64_t fb_keyspace_index(const struct fb_keyspace *s, uint64_t arrival)
{
    switch (s->order) {
    case FB_ORDER_SHUFFLE:
        return fb_permute(&s->shuffle, arrival);
    case FB_ORDER_ARRIVAL:
        return arrival < s->n_present ? (1 + s->gap) * arrival
                                      : between(arrival - s->n_present, s->gap);
    case FB_ORDER_LISTED:
        return s->listed_index[arrival];
    case FB_ORDER_DENSE:
        break;
    }
    return arrival;
}

void fb_keyspace_indices(const struct fb_keyspace *s, uint64_t first_arrival, size_t n,
                         uint64_t *index)
{
    if (s->order == FB_ORDER_SHUFFLE) {
        fb_permute_range(&s->shuffle, first_arrival, n, index);
        return;
    }
    for (size_t i = 0; i < n; i++)
        index[i] = fb_keyspace_index(s, first_arrival + i);
}

uint64_t fb_keyspace_arrival(const struct fb_keyspace *s, uint64_t index)
{
    uint64_t step;
    switch (s->order) {
    case FB_ORDER_SHUFFLE:
        return fb_unpermute(&s->shuffle, index);
    case FB_ORDER_ARRIVAL:
        step = 1 + s->gap;
        return index % step ? s->n_present + index / step * s->gap + index % step - 1
                            : index / step;
    case FB_ORDER_LISTED:
        return s->listed_arrival[index];
    case FB_ORDER_DENSE:
        break;
    }
    return index;
}

size_t fb_keyspace_write(const struct fb_keyspace *s, uint64_t index, uint8_t *key)
{
    if (!s->file)
        return s->keygen.write(&s->keygen, s->stream, s->base + index, key);
    size_t len = fb_key_len(s->file, index);
    memcpy(key, fb_key_at(s->file, index), len);
    return len;
}

enum fb_err fb_keyspace_keys(const struct fb_keyspace *s, const uint64_t *index, size_t n,
                             struct fb_keyset *out)
{
    enum fb_err err = fb_keyset_alloc(n, n * (uint64_t)s->max_len, false, out);
    for (size_t i = 0; !err && i < n; i++)
        out->offset[i + 1] = out->offset[i] + fb_keyspace_write(s, index ? index[i] : i,
                                                                out->bytes + out->offset[i]);
    out->keys.n = err ? 0 : n;
    return err;
}

/* Ascending order of bytes, a shorter key before those that it begins. */
static int compare(const uint8_t *a, size_t len_a, const uint8_t *b, size_t len_b)
{
    size_t common = len_a < len_b ? len_a : len_b;
    int order = common ? memcmp(a, b, common) : 0;
    return order ? order : (len_a > len_b) - (len_a < len_b);
}

static bool find_in_file(const struct fb_keys *file, const uint8_t *key, size_t len,
                         uint64_t *index)
{
    size_t low = 0, high = file->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(fb_key_at(file, middle), fb_key_len(file, middle), key, len);
        if (!order) {
            *index = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool fb_keyspace_find(const struct fb_keyspace *s, const uint8_t *key, size_t len, uint8_t *scratch,
                      uint64_t *index)
{
    if (s->file)
        return find_in_file(s->file, key, len, index);
    return s->keygen.read && s->keygen.read(&s->keygen, s->stream, key, len, index) &&
           (*index -= s->base) >> 63 == 0 && fb_keyspace_write(s, *index, scratch) == len &&
           !memcmp(scratch, key, len);
}
