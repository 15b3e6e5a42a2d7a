/* Filters from all their keys at once, and the keys that a filter takes and gives back. */
#include <string.h>

#include "filters/core/internal/build.h"

bool fb_design_adds(const struct fb_design *design)
{
    return design->kernels[0]->add_batch && !(design->traits & FB_DROPS_ADJACENT);
}

bool fb_design_waits(const struct fb_design *design)
{
    return design->build || design->retry || !fb_design_adds(design);
}

bool fb_design_removes(const struct fb_design *design)
{
    return design->kernels[0]->remove_batch;
}

bool fb_design_keeps_plan(const struct fb_design *design)
{
    return !design->build && !design->retry && !design->grow;
}

bool fb_design_random_stands(const struct fb_design *design)
{
    return design->traits & FB_RANDOM_STANDS ||
           (fb_design_keeps_plan(design) && !design->when_full);
}

static bool equal_words(const uint64_t *a, const uint64_t *b, size_t n)
{
    size_t i = 0;
    while (i < n && a[i] == b[i])
        i++;
    return i == n;
}

/* Removes every digest equal to the one just before it; returns how many remain. */
static size_t drop_adjacent(uint64_t *digests, size_t n, size_t words)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t *digest = digests + i * words;
        if (kept && equal_words(digests + (kept - 1) * words, digest, words))
            continue;
        if (kept < i)
            memcpy(digests + kept * words, digest, words * sizeof *digest);
        kept++;
    }
    return kept;
}

/* One attempt. */
static enum fb_err fill(struct fb_build *build, struct fb_filter *out)
{
    if (out->design->build)
        return out->design->build(build, out);
    build->placed = out->kernel->add_batch(out, build->digests, build->n);
    return build->placed < build->n ? FB_EFULL : FB_OK;
}

enum fb_err fb_filter_build_from(const struct fb_filter *asked, struct fb_build *build,
                                 struct fb_filter *out, const char **why)
{
    const struct fb_design *design = asked->design;
    struct fb_heap *heap = build->heap; /* build() of a plugin before 1.2 writes over it */
    struct fb_filter f = *asked;
    unsigned attempts = 0;
    *why = NULL;
    memset(out, 0, sizeof *out);
    if (design->traits & FB_DROPS_ADJACENT)
        build->n = drop_adjacent(build->digests, build->n, design->digest_words);
    f.n_keys = build->n;
    enum fb_err err = fb_params_plan(design, f.n_keys, &f.params, &f.geom, why);
    if (err)
        return err;
    do {
        fb_filter_close(out);
        err = fb_filter_alloc(design, &f.geom, out);
        if (err)
            return err;
        out->hash = f.hash;
        out->params = f.params;
        out->n_keys = f.n_keys;
        build->heap = heap;
        err = fill(build, out);
        attempts++;
    } while (err == FB_EFULL && design->retry && attempts < FB_MAX_ATTEMPTS &&
             design->retry(&f.geom, attempts) && !fb_geometry_settle(design, &f.geom, why));
    if (err == FB_EFULL && !*why)
        *why = design->when_full;
    out->finished = true;
    out->attempts = attempts;
    out->temporary_bytes = heap->most;
    if (err)
        fb_filter_close(out);
    return err;
}

enum fb_err fb_filter_build_digests(const struct fb_design *design, const struct fb_hash *hash,
                                    const struct fb_params *params, uint64_t *digests, size_t n,
                                    struct fb_filter *out, const char **why)
{
    const struct fb_filter asked = {.design = design, .hash = hash, .params = *params};
    struct fb_heap heap = {0};
    struct fb_build build = {.n = n, .heap = &heap};
    build.digests = digests;
    return fb_filter_build_from(&asked, &build, out, why);
}

/* Of a design that adds: keys are hashed and added a chunk at a time, so that no array of all
 * digests is written and read again. At least one chunk, for the errors of fb_digest_keys. */
static enum fb_err add_in_chunks(struct fb_filter *f, const struct fb_keys *keys)
{
    enum { CHUNK_WORDS = 2048 };
    uint64_t digests[CHUNK_WORDS];
    const unsigned words = f->geom.digest_words;
    const size_t most = CHUNK_WORDS / words;
    enum fb_err err = FB_OK;
    size_t i = 0;
    do {
        const struct fb_keys chunk = {.bytes = keys->bytes,
                                      .offset = keys->offset + i,
                                      .type = keys->type ? keys->type + i : NULL,
                                      .n = fb_min_u64(keys->n - i, most)};
        err = fb_digest_keys(f->design, f->hash, words, &chunk, digests);
        if (!err && f->kernel->add_batch(f, digests, chunk.n) < chunk.n)
            err = FB_EFULL;
        i += chunk.n;
    } while (!err && i < keys->n);
    return err;
}

static enum fb_err build_in_chunks(const struct fb_filter *planned, const struct fb_keys *keys,
                                   struct fb_filter *out, const char **why)
{
    enum fb_err err = fb_filter_alloc(planned->design, &planned->geom, out);
    if (err)
        return err;
    out->hash = planned->hash;
    out->params = planned->params;
    out->n_keys = keys->n;
    err = add_in_chunks(out, keys);
    if (err == FB_EFULL)
        *why = planned->design->when_full;
    out->finished = true;
    out->attempts = 1;
    if (err)
        fb_filter_close(out);
    return err;
}

enum fb_err fb_filter_build(const struct fb_design *design, const struct fb_hash *hash,
                            const struct fb_params *params, const struct fb_keys *keys,
                            struct fb_filter *out, const char **why)
{
    struct fb_filter planned = {.design = design, .hash = hash, .params = *params};
    *why = NULL;
    memset(out, 0, sizeof *out);
    enum fb_err err = fb_params_plan(design, keys->n, &planned.params, &planned.geom, why);
    if (err)
        return err;
    if (!fb_design_waits(design))
        return build_in_chunks(&planned, keys, out, why);
    const unsigned words = planned.geom.digest_words;
    const uint64_t n_bytes = keys->n * words * sizeof(uint64_t);
    struct fb_heap heap = {0};
    struct fb_build build = {.n = keys->n, .heap = &heap};
    build.digests = fb_heap_take_zeroed(&heap, n_bytes);
    if (!build.digests)
        return FB_ENOMEM;
    planned.params = *params;
    err = fb_digest_keys(design, hash, words, keys, build.digests);
    if (!err)
        err = fb_filter_build_from(&planned, &build, out, why);
    fb_heap_give(&heap, build.digests, n_bytes);
    return err;
}

enum fb_err fb_filter_add_digests(struct fb_filter *filter, const uint64_t *digests, size_t n,
                                  size_t *added, const char **why)
{
    const struct fb_design *design = filter->design;
    enum fb_err err = FB_OK;
    *added = 0;
    *why = NULL;
    if (!fb_design_adds(design)) {
        *why = "this design is built from all its keys at once";
        return FB_EUNSUPPORTED;
    }
    if (design->grow)
        err = design->grow(filter, filter->n_keys + n);
    if (err)
        return err;
    if (!fb_filter_constant(filter) || design->traits & FB_CONTROL)
        *added = filter->kernel->add_batch(filter, digests, n);
    else
        *why = n ? "a filter without bits takes no keys" : NULL;
    filter->n_keys += *added;
    if (*added == n)
        return FB_OK;
    *why = *why ? *why : design->when_full;
    return FB_EFULL;
}

enum fb_err fb_filter_add(struct fb_filter *filter, const void *key, size_t len)
{
    uint64_t digest[FB_MAX_PROBES];
    const char *why;
    size_t added;
    if (fb_digest_key(filter->design, filter->hash, filter->geom.digest_words, key, len, digest))
        return FB_EINVAL;
    return fb_filter_add_digests(filter, digest, 1, &added, &why);
}

enum fb_err fb_filter_remove_digests(struct fb_filter *filter, const uint64_t *digests, size_t n,
                                     size_t *removed, const char **why)
{
    *removed = 0;
    *why = NULL;
    if (!fb_design_removes(filter->design)) {
        *why = "this design cannot take keys out";
        return FB_EUNSUPPORTED;
    }
    if (!fb_filter_constant(filter))
        *removed = filter->kernel->remove_batch(filter, digests, n);
    filter->n_keys -= fb_min_u64(filter->n_keys, *removed);
    return FB_OK;
}
