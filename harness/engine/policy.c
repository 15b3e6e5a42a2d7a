#include "harness/engine/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fb_policy_filter {
    const uint8_t *block; /* NULL: a free place */
    struct fb_filter filter;
};

const char *fb_policy_why_not(const struct fb_design *design)
{
    if (design->traits & FB_FALSE_NEGATIVES)
        return "it denies keys that it was given";
    if (design->traits & FB_TAKES_KEYS)
        return "it takes short keys only";
    return design->formats && design->formats->name ? NULL : "it has no block format";
}

static bool fail(struct fb_policy *p, enum fb_err err, const char *why)
{
    if (!p->err) {
        p->err = err;
        p->why = why;
    }
    return false;
}

/* ---- Building ---- */

static bool create(void *self, const struct fb_keys *keys, uint8_t **block, size_t *len)
{
    struct fb_policy *p = self;
    const struct fb_format *format = p->sizes.design->formats;
    struct fb_filter filter;
    const char *why = NULL;
    enum fb_err err = fb_sizes_build(&p->sizes, keys, &filter, &why);
    if (err)
        return fail(p, err, why);
    *len = (size_t)format->size(&filter);
    *block = malloc(*len + 1);
    err = !*len    ? FB_EUNSUPPORTED /* the engine takes no bytes for no keys */
          : *block ? fb_filter_write(&filter, format, *block, &why)
                   : FB_ENOMEM;
    fb_filter_close(&filter);
    if (!err)
        return true;
    free(*block);
    return fail(p, err, *len ? why : "its block has no bytes");
}

/* ---- Asking ---- */

static struct fb_policy_filter *place_of(const struct fb_policy *p, const uint8_t *block)
{
    size_t i = (size_t)((uintptr_t)block * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    for (;; i++) {
        struct fb_policy_filter *at = &p->filters[i & (p->room - 1)];
        if (!at->block || at->block == block)
            return at;
    }
}

static bool make_room(struct fb_policy *p)
{
    const struct fb_policy before = *p;
    if (2 * p->n < p->room)
        return true;
    p->room = p->room ? 2 * p->room : 1024;
    p->filters = calloc(p->room, sizeof *p->filters);
    if (!p->filters) {
        p->filters = before.filters;
        p->room = before.room;
        return fail(p, FB_ENOMEM, NULL);
    }
    for (size_t i = 0; i < before.room; i++)
        if (before.filters[i].block)
            *place_of(p, before.filters[i].block) = before.filters[i];
    free(before.filters);
    return true;
}

/* A block that cannot be read says maybe: nothing is lost then. */
static bool maybe(void *self, const void *key, size_t key_len, const uint8_t *block, size_t len)
{
    struct fb_policy *p = self;
    if (!make_room(p))
        return true;
    struct fb_policy_filter *at = place_of(p, block);
    if (!at->block) {
        const char *why = NULL;
        const enum fb_err err = fb_filter_read(p->sizes.design, p->sizes.design->formats, block,
                                               len, &at->filter, &why);
        if (err) {
            (void)fail(p, err, why);
            return true;
        }
        at->block = block;
        p->n++;
    }
    return fb_filter_maybe(&at->filter, key, key_len);
}

void fb_policy_open(const struct fb_design *design, const struct fb_params *params,
                    const char *name, struct fb_policy *out)
{
    memset(out, 0, sizeof *out);
    out->sizes.design = design;
    out->sizes.asked = *params;
    if (name)
        snprintf(out->name, sizeof out->name, "%s", name);
    else
        snprintf(out->name, sizeof out->name, "filterbench.%s", design->name);
    out->policy =
        (struct fb_engine_policy){.name = out->name, .self = out, .create = create, .maybe = maybe};
}

void fb_policy_close(struct fb_policy *p)
{
    for (size_t i = 0; i < p->room; i++)
        if (p->filters[i].block)
            fb_filter_close(&p->filters[i].filter);
    free(p->filters);
    memset(p, 0, sizeof *p);
}
