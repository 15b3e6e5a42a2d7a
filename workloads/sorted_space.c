#include "workloads/core/sorted_space.h"

#include <stdlib.h>
#include <string.h>

/* Where each key went. */
static void link_arrivals(const struct fb_keyspace *from, const struct fb_keys *all,
                          const struct fb_keyspace *sorted, struct fb_sorted_space *owned)
{
    for (uint64_t i = 0; i < from->size; i++) {
        uint64_t at, arrival = fb_keyspace_arrival(from, i);
        if (!fb_keyspace_find(sorted, fb_key_at(all, (size_t)i), fb_key_len(all, (size_t)i), NULL,
                              &at))
            continue;
        owned->index[arrival] = at;
        owned->arrival[at] = arrival;
    }
}

enum fb_err fb_sorted_space_make(const struct fb_keyspace *from, struct fb_sorted_space *owned,
                                 struct fb_keyspace *out)
{
    struct fb_keyset all = {0};
    size_t n_repeats = 0;
    memset(owned, 0, sizeof *owned);
    enum fb_err err = fb_keyspace_keys(from, NULL, (size_t)from->size, &all);
    if (!err)
        err = fb_keyset_sorted(&all.keys, &owned->keys, &n_repeats);
    if (!err && n_repeats)
        err = FB_EINVAL;
    owned->index = calloc((size_t)from->size, sizeof *owned->index);
    owned->arrival = calloc((size_t)from->size, sizeof *owned->arrival);
    if (!err && (!owned->index || !owned->arrival))
        err = FB_ENOMEM;
    *out = (struct fb_keyspace){.file = &owned->keys.keys,
                                .stream = from->stream,
                                .order = FB_ORDER_LISTED,
                                .n_present = from->n_present,
                                .size = from->size,
                                .max_len = from->max_len,
                                .listed_index = owned->index,
                                .listed_arrival = owned->arrival};
    if (!err)
        link_arrivals(from, &all.keys, out, owned);
    fb_keyset_close(&all);
    return err;
}

void fb_sorted_space_close(struct fb_sorted_space *s)
{
    fb_keyset_close(&s->keys);
    free(s->index);
    free(s->arrival);
    memset(s, 0, sizeof *s);
}
