#include "filters/core/builder.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/internal/build.h"

enum fb_err fb_builder_open(struct fb_builder *b, const struct fb_design *design,
                            const struct fb_hash *hash, const struct fb_params *params,
                            uint64_t n_expected, const char **why)
{
    const bool known = n_expected || params->capacity;
    struct fb_params resolved = *params;
    struct fb_geometry geom = {.digest_words = design->digest_words};
    enum fb_err err = FB_OK;
    *b = (struct fb_builder){.design = design, .hash = hash};
    *why = NULL;
    if (!known && !design->digest_words) {
        *why = "give the number of keys: the digest of this design follows from it";
        return FB_EINVAL;
    }
    if (known)
        err = fb_params_plan(design, n_expected, &resolved, &geom, why);
    b->params = *params;
    b->words = geom.digest_words;
    if (err || !known || fb_design_waits(design))
        return err;
    resolved.capacity = resolved.capacity ? resolved.capacity : n_expected;
    err = fb_filter_alloc(design, &geom, &b->filter);
    b->filter.hash = hash;
    b->filter.params = resolved;
    return err;
}

/* Room for n more that wait. */
static enum fb_err make_room(struct fb_builder *b, size_t n)
{
    size_t room = b->room, wanted;
    if (__builtin_add_overflow(b->n, n, &wanted) || wanted > SIZE_MAX / 16 / b->words)
        return FB_ENOMEM;
    if (wanted <= room)
        return FB_OK;
    room = fb_max_u64(wanted, 2 * room);
    uint64_t *digests = realloc(b->digests, room * b->words * sizeof *digests);
    if (!digests)
        return FB_ENOMEM;
    fb_heap_hold(&b->heap, (room - b->room) * b->words * sizeof *digests);
    b->digests = digests;
    b->room = room;
    return FB_OK;
}

enum fb_err fb_builder_add(struct fb_builder *b, const uint64_t *digests, size_t n, size_t *added,
                           const char **why)
{
    *why = NULL;
    *added = 0;
    if (b->filter.design)
        return fb_filter_add_digests(&b->filter, digests, n, added, why);
    enum fb_err err = make_room(b, n);
    if (err || !n)
        return err;
    memcpy(b->digests + b->n * b->words, digests, n * b->words * sizeof *digests);
    b->n += n;
    *added = n;
    return FB_OK;
}

enum fb_err fb_builder_add_key(struct fb_builder *b, const void *key, size_t len, const char **why)
{
    uint64_t digest[FB_MAX_PROBES];
    size_t added;
    if (fb_digest_key(b->design, b->hash, b->words, key, len, digest)) {
        *why = "this design takes no keys of that length";
        return FB_EINVAL;
    }
    return fb_builder_add(b, digest, 1, &added, why);
}

enum fb_err fb_builder_finish(struct fb_builder *b, struct fb_filter *out, const char **why)
{
    const struct fb_filter asked = {.design = b->design, .hash = b->hash, .params = b->params};
    struct fb_build build = {.digests = b->digests, .n = b->n, .heap = &b->heap};
    *why = NULL;
    if (b->filter.design) {
        *out = b->filter;
        out->finished = true;
        out->attempts = 1;
        memset(&b->filter, 0, sizeof b->filter);
        return FB_OK;
    }
    enum fb_err err = fb_filter_build_from(&asked, &build, out, why);
    b->placed = build.placed;
    if (!err && out->geom.digest_words != b->words) {
        fb_filter_close(out);
        *why = "the digest of this design follows from the number of keys, which was another";
        err = FB_EUNSUPPORTED;
    }
    return err;
}

void fb_builder_close(struct fb_builder *b)
{
    fb_filter_close(&b->filter);
    free(b->digests);
    memset(b, 0, sizeof *b);
}
