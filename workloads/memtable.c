#include "workloads/core/memtable.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/core/rng.h"

enum { MAX_HEIGHT = 12 };

struct fb_memtable_node {
    uint64_t key, value; /* the key's first byte in `bytes` */
    uint64_t links;
    size_t len;
};

void fb_memtable_close(struct fb_memtable *m)
{
    free(m->nodes);
    free(m->links);
    free(m->bytes);
    memset(m, 0, sizeof *m);
}

void fb_memtable_clear(struct fb_memtable *m)
{
    m->n_nodes = m->n_links = m->n_bytes = 0;
    m->height = 0;
}

/* ---- Reading ---- */

static int compare(const struct fb_memtable *m, uint32_t i, const void *key, size_t len)
{
    const struct fb_memtable_node *node = &m->nodes[i];
    size_t common = node->len < len ? node->len : len;
    int order = common ? memcmp(m->bytes + node->key, key, common) : 0;
    return order ? order : (node->len > len) - (node->len < len);
}

/* The first node not below the key, 0: none; before[h], where wanted, is the last one below it at
 * height h. *equal: it has the key. */
static uint32_t find(const struct fb_memtable *m, const void *key, size_t len, uint32_t *before,
                     bool *equal, uint64_t *n_compared)
{
    uint32_t at = 0, next = 0;
    *equal = false;
    for (unsigned h = m->height; h-- > 0;) {
        int order = 1;
        while ((next = m->links[m->nodes[at].links + h]) != 0) {
            ++*n_compared;
            order = compare(m, next, key, len);
            if (order >= 0)
                break;
            at = next;
        }
        *equal = next && order == 0;
        if (before)
            before[h] = at;
        else if (*equal)
            break;
    }
    return next;
}

bool fb_memtable_get(const struct fb_memtable *m, const void *key, size_t len, uint64_t *value,
                     uint64_t *n_compared)
{
    bool equal;
    uint32_t i = find(m, key, len, NULL, &equal, n_compared);
    if (equal)
        *value = m->nodes[i].value;
    return equal;
}

uint32_t fb_memtable_first(const struct fb_memtable *m)
{
    return m->height ? m->links[0] : 0;
}

uint32_t fb_memtable_next(const struct fb_memtable *m, uint32_t i)
{
    return m->links[m->nodes[i].links];
}

const uint8_t *fb_memtable_key(const struct fb_memtable *m, uint32_t i, size_t *len)
{
    *len = m->nodes[i].len;
    return m->bytes + m->nodes[i].key;
}

uint64_t fb_memtable_value(const struct fb_memtable *m, uint32_t i)
{
    return m->nodes[i].value;
}

/* ---- Writing ---- */

/* `old` or, where that is too small, a larger array with its contents; NULL: no memory, and `old`
 * stays. */
static void *with_room(void *old, uint64_t need, size_t size, uint64_t *room)
{
    if (need <= *room)
        return old;
    uint64_t n = need > 2 * *room ? need : 2 * *room;
    void *larger = n < SIZE_MAX / size ? realloc(old, (size_t)n * size) : NULL;
    if (larger)
        *room = n;
    return larger;
}

static enum fb_err reserve(struct fb_memtable *m, size_t len)
{
    if (m->n_nodes > INT32_MAX)
        return FB_ENOMEM;
    void *nodes = with_room(m->nodes, m->n_nodes + 2, sizeof *m->nodes, &m->node_room);
    if (!nodes)
        return FB_ENOMEM;
    m->nodes = nodes;
    void *links = with_room(m->links, m->n_links + 2 * MAX_HEIGHT, sizeof *m->links, &m->link_room);
    if (!links)
        return FB_ENOMEM;
    m->links = links;
    void *bytes = with_room(m->bytes, m->n_bytes + len + 1, 1, &m->byte_room);
    if (!bytes)
        return FB_ENOMEM;
    m->bytes = bytes;
    return FB_OK;
}

/* Room is reserved. */
static uint32_t push_node(struct fb_memtable *m, const void *key, size_t len, uint64_t value,
                          unsigned height)
{
    m->nodes[m->n_nodes] = (struct fb_memtable_node){m->n_bytes, value, m->n_links, len};
    if (len)
        memcpy(m->bytes + m->n_bytes, key, len);
    memset(m->links + m->n_links, 0, height * sizeof *m->links);
    m->n_bytes += len;
    m->n_links += height;
    return (uint32_t)m->n_nodes++;
}

static unsigned height_of(uint64_t word)
{
    unsigned height = 1;
    for (; height < MAX_HEIGHT && word % 4 == 0; word /= 4)
        height++;
    return height;
}

enum fb_err fb_memtable_put(struct fb_memtable *m, const void *key, size_t len, uint64_t value,
                            bool *is_new)
{
    uint32_t before[MAX_HEIGHT] = {0};
    uint64_t n_compared = 0;
    bool equal;
    uint32_t i = find(m, key, len, before, &equal, &n_compared);
    *is_new = !equal;
    if (equal) {
        m->nodes[i].value = value;
        return FB_OK;
    }
    enum fb_err err = reserve(m, len);
    if (err)
        return err;
    if (!m->n_nodes)
        push_node(m, NULL, 0, 0, MAX_HEIGHT);
    unsigned height = height_of(fb_stream_word(m->stream, m->n_nodes));
    i = push_node(m, key, len, value, height);
    if (height > m->height)
        m->height = height;
    for (unsigned h = 0; h < height; h++) {
        uint32_t *link = &m->links[m->nodes[before[h]].links + h];
        m->links[m->nodes[i].links + h] = *link;
        *link = i;
    }
    return FB_OK;
}
