#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "workloads/core/keys.h"

/* A key as it is sorted: eight bytes of it at hand, so that most comparisons touch no key. */
struct item {
    uint64_t head; /* bytes depth .. depth + 7, big-endian, zeros behind the end */
    uint32_t position;
};

static uint64_t head_of(const struct fb_keys *keys, size_t i, size_t depth)
{
    uint8_t head[8] = {0};
    size_t len = fb_key_len(keys, i);
    if (len > depth)
        memcpy(head, fb_key_at(keys, i) + depth, len - depth < 8 ? len - depth : 8);
    return fb_be64(head);
}

/* Both have the same bytes before `depth`. */
static int compare_from(const struct fb_keys *keys, uint32_t a, uint32_t b, size_t depth)
{
    size_t len_a = fb_key_len(keys, a), len_b = fb_key_len(keys, b);
    size_t common = len_a < len_b ? len_a : len_b;
    int order = common > depth
                    ? memcmp(fb_key_at(keys, a) + depth, fb_key_at(keys, b) + depth, common - depth)
                    : 0;
    if (!order)
        order = (len_a > len_b) - (len_a < len_b);
    if (!order && keys->type)
        order = (int)keys->type[a] - (int)keys->type[b];
    return order ? order : (a > b) - (a < b);
}

static bool before(const struct fb_keys *keys, const struct item *a, const struct item *b,
                   size_t depth)
{
    return a->head != b->head ? a->head < b->head
                              : compare_from(keys, a->position, b->position, depth) < 0;
}

/* Merges sorted runs of 1, 2, 4, ... items back and forth between the two arrays; returns the one
 * that holds the result. Keys share their first `depth` bytes. */
static struct item *merge_sort(const struct fb_keys *keys, size_t depth, struct item *from,
                               struct item *to)
{
    size_t n = keys->n;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t start = 0; start < n; start += 2 * width) {
            size_t a = start, a_end = n - start < width ? n : start + width;
            size_t b = a_end, b_end = n - a_end < width ? n : a_end + width;
            for (size_t i = start; i < b_end; i++) {
                bool first = b == b_end || (a < a_end && !before(keys, &from[b], &from[a], depth));
                to[i] = from[first ? a++ : b++];
            }
        }
        struct item *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Length of the prefix that all keys have. */
static size_t common_prefix(const struct fb_keys *keys)
{
    size_t common = keys->n ? fb_key_len(keys, 0) : 0;
    for (size_t i = 1; i < keys->n && common; i++) {
        if (fb_key_len(keys, i) < common)
            common = fb_key_len(keys, i);
        while (memcmp(fb_key_at(keys, 0), fb_key_at(keys, i), common))
            common--;
    }
    return common;
}

static bool same_key(const struct fb_keys *keys, size_t a, size_t b)
{
    size_t len = fb_key_len(keys, a);
    return len == fb_key_len(keys, b) && !memcmp(fb_key_at(keys, a), fb_key_at(keys, b), len) &&
           (!keys->type || keys->type[a] == keys->type[b]);
}

enum fb_err fb_keyset_sorted(const struct fb_keys *keys, struct fb_keyset *out, size_t *n_dropped)
{
    memset(out, 0, sizeof *out);
    *n_dropped = 0;
    if (keys->n > UINT32_MAX)
        return FB_ENOMEM;
    struct item *items = calloc(keys->n + 1, 2 * sizeof *items);
    if (!items)
        return FB_ENOMEM;
    size_t depth = common_prefix(keys);
    for (size_t i = 0; i < keys->n; i++)
        items[i] = (struct item){head_of(keys, i, depth), (uint32_t)i};
    const struct item *sorted = merge_sort(keys, depth, items, items + keys->n + 1);
    enum fb_err err = fb_keyset_alloc(
        keys->n, keys->n ? keys->offset[keys->n] - keys->offset[0] : 0, keys->type != NULL, out);
    for (size_t i = 0; !err && i < keys->n; i++) {
        size_t at = sorted[i].position;
        if (i && same_key(keys, sorted[i - 1].position, at))
            ++*n_dropped;
        else
            fb_keyset_push(out, fb_key_at(keys, at), fb_key_len(keys, at),
                           keys->type ? (enum fb_key_type)keys->type[at] : FB_KEY_BYTES);
    }
    free(items);
    return err;
}
