#include "harness/tree/table_block.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOG2_WINDOW = 11,
    TRAILER = 5, /* where the offsets start, and the logarithm */
};

/* A block being written. */
struct writer {
    const struct fb_design *design;
    const struct fb_hash *hash;
    const struct fb_params *params;
    uint8_t *bytes;
    size_t len, room, n_windows;
    uint32_t *offset; /* [n_windows] of their filters */
};

static enum fb_err append(struct writer *w, const void *bytes, size_t n)
{
    if (w->room - w->len < n) { /* doubled, so that appending stays linear */
        const size_t room = 2 * w->room + n;
        uint8_t *all = realloc(w->bytes, room);
        if (!all)
            return FB_ENOMEM;
        w->bytes = all;
        w->room = room;
    }
    memcpy(w->bytes + w->len, bytes, n);
    w->len += n;
    return FB_OK;
}

static enum fb_err append_le32(struct writer *w, uint32_t word)
{
    uint8_t bytes[4];
    fb_put_le32(bytes, word);
    return append(w, bytes, sizeof bytes);
}

static enum fb_err append_filter(struct writer *w, const struct fb_keys *keys, const char **why)
{
    const struct fb_format *format = w->design->formats;
    struct fb_filter filter;
    uint8_t *block = NULL;
    enum fb_err err = fb_filter_build(w->design, w->hash, w->params, keys, &filter, why);
    if (err)
        return err;
    const size_t len = (size_t)format->size(&filter);
    block = malloc(len + 1);
    err = block ? fb_filter_write(&filter, format, block, why) : FB_ENOMEM;
    if (!err)
        err = append(w, block, len);
    free(block);
    fb_filter_close(&filter);
    return err;
}

/* Ends the current window: its filter, of those keys; no keys, no bytes. */
static enum fb_err end_window(struct writer *w, const struct fb_keys *keys, const char **why)
{
    if (w->len > UINT32_MAX)
        return FB_ENOMEM;
    w->offset[w->n_windows++] = (uint32_t)w->len;
    return keys->n ? append_filter(w, keys, why) : FB_OK;
}

/* The keys that wait for the end of their window move behind them. */
static enum fb_err end_windows_before(struct writer *w, uint64_t offset, struct fb_keys *waiting,
                                      const char **why)
{
    enum fb_err err = FB_OK;
    while (!err && w->n_windows < offset >> LOG2_WINDOW) {
        err = end_window(w, waiting, why);
        waiting->offset += waiting->n;
        waiting->n = 0;
    }
    return err;
}

static enum fb_err finish(struct writer *w)
{
    const size_t n_filter_bytes = w->len;
    const uint8_t log2_window = LOG2_WINDOW;
    enum fb_err err = n_filter_bytes > UINT32_MAX ? FB_ENOMEM : FB_OK;
    for (size_t i = 0; !err && i < w->n_windows; i++)
        err = append_le32(w, w->offset[i]);
    if (!err)
        err = append_le32(w, (uint32_t)n_filter_bytes);
    return err ? err : append(w, &log2_window, 1);
}

static enum fb_err check_data_blocks(const struct fb_data_block *data, size_t n, size_t n_keys,
                                     const char **why)
{
    uint64_t least = 0, left = n_keys;
    *why = NULL;
    for (size_t i = 0; i < n && !*why; i++) {
        if (data[i].offset < least || data[i].offset >= FB_MOST_DATA_BYTES)
            *why = "data blocks start behind each other, below 2 GiB";
        else if (data[i].n_keys > left)
            *why = "the data blocks have more keys than there are";
        least = data[i].offset + 1;
        left -= fb_min_u64(left, data[i].n_keys);
    }
    if (!*why && left)
        *why = "the data blocks have fewer keys than there are";
    return *why ? FB_EINVAL : FB_OK;
}

enum fb_err fb_table_block_build(const struct fb_design *design, const struct fb_hash *hash,
                                 const struct fb_params *params, const struct fb_keys *keys,
                                 const struct fb_data_block *data, size_t n_data_blocks,
                                 uint8_t **block, size_t *len, const char **why)
{
    struct writer w = {.design = design, .hash = hash, .params = params};
    struct fb_keys waiting = *keys;
    enum fb_err err = check_data_blocks(data, n_data_blocks, keys->n, why);
    waiting.n = 0;
    if (!err) {
        const uint64_t most =
            n_data_blocks ? (data[n_data_blocks - 1].offset >> LOG2_WINDOW) + 1 : 0;
        w.offset = malloc((most + 1) * sizeof *w.offset);
        err = w.offset ? FB_OK : FB_ENOMEM;
    }
    for (size_t i = 0; !err && i < n_data_blocks; i++) {
        err = end_windows_before(&w, data[i].offset, &waiting, why);
        waiting.n += (size_t)data[i].n_keys;
    }
    if (!err && waiting.n)
        err = end_window(&w, &waiting, why);
    if (!err)
        err = finish(&w);
    free(w.offset);
    if (err) {
        free(w.bytes);
        return err;
    }
    *block = w.bytes;
    *len = w.len;
    return FB_OK;
}

enum fb_table_answer fb_table_block_find(const uint8_t *block, size_t len, uint64_t offset,
                                         const uint8_t **filter, size_t *filter_len)
{
    if (len < TRAILER)
        return FB_TABLE_MAYBE;
    const uint64_t filters = fb_le32(block + len - TRAILER), logarithm = block[len - 1];
    if (filters > len - TRAILER)
        return FB_TABLE_MAYBE;
    const uint64_t n = (len - TRAILER - filters) / 4;
    const uint64_t i = logarithm < 64 ? offset >> logarithm : 0;
    if (i >= n)
        return FB_TABLE_MAYBE;
    /* Behind the last filter's offset stands where the offsets start. */
    const uint8_t *at = block + filters + 4 * i;
    const uint64_t start = fb_le32(at), end = fb_le32(at + 4);
    if (start == end)
        return FB_TABLE_NO;
    if (start > end || end > filters)
        return FB_TABLE_MAYBE;
    *filter = block + start;
    *filter_len = (size_t)(end - start);
    return FB_TABLE_FILTER;
}

bool fb_table_block_is_one(const uint8_t *block, size_t len)
{
    if (len < TRAILER || block[len - 1] != LOG2_WINDOW)
        return false;
    const uint64_t filters = fb_le32(block + len - TRAILER);
    if (filters > len - TRAILER || (len - TRAILER - filters) % 4 || len - TRAILER - filters < 8 ||
        fb_le32(block + filters) != 0)
        return false;
    uint64_t last = 0;
    for (const uint8_t *at = block + filters; at < block + len - 1; at += 4) {
        if (fb_le32(at) < last)
            return false;
        last = fb_le32(at);
    }
    return true;
}
